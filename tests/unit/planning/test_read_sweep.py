from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.errors import ExitCode, InputError
from specbench.planning.read_sweep import parse_sweep, read_sweep
from tests.unit.planning.sweep_texts import (
    SOUND,
    TWO_TARGETS,
    complaint,
    read,
    spoiled,
)


def test_one_target_and_several_come_out_alike() -> None:
    assert [t.label for t in read(SOUND).targets] == ["Some-Model-8B"]
    assert [t.label for t in read(TWO_TARGETS).targets] == ["small", "large"]


def test_defaults_stand_in_for_tables_that_may_be_left_out() -> None:
    spec = read(spoiled("[measure]\nreplicates = 2\n", ""))
    assert spec.measure.replicates == 3
    assert spec.search.mode == "grid"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "concurrency = [1, 4, 16]",
            'concurrency = [1, 4, "16"]',
            "sweeps/x.toml: load.concurrency[2]: expected a whole number,"
            ' got the string "16"',
        ),
        (
            "max_tokens = 256",
            "max-tokens = 256",
            "sweeps/x.toml: workload.max-tokens: unknown key;"
            " did you mean `max_tokens`?",
        ),
        (
            "concurrency = [1, 4, 16]",
            "concurrency = [1]\nmax_tokens = 9",
            "sweeps/x.toml: load.max_tokens: unknown key here;"
            " it belongs in [workload]",
        ),
        (
            'engine = "vllm"',
            'engine = "vllm"\nport = 70000',
            "sweeps/x.toml: target.port: expected a number of at most 65535, got 70000",
        ),
        (
            "max-model-len = 4096",
            "a = { b = 1 }",
            "sweeps/x.toml: target.args.a: expected a string, a number or true or"
            " false, got a table",
        ),
        (
            "max-model-len = 4096",
            '"a.b" = []',
            'sweeps/x.toml: target.args."a.b": expected a string, a number or true or'
            " false, got an empty list",
        ),
        (
            "num_speculative_tokens = 3",
            "num_speculative_tokens = nan",
            "sweeps/x.toml: arms[0].speculative.num_speculative_tokens: expected a"
            " finite number, got nan",
        ),
        (
            "num_speculative_tokens = 3",
            "num_speculative_tokens = 2024-05-06",
            "sweeps/x.toml: arms[0].speculative.num_speculative_tokens: expected a"
            " string, a number or true/false, got the date 2024-05-06",
        ),
        (
            'name = "ngram-k3"',
            'name = "n gram"',
            "sweeps/x.toml: arms[0].name: expected letters, digits, `.`, `_` and `-`,"
            ' with a letter or a digit first, got the string "n gram"',
        ),
        (
            'datasets = ["mt-bench-style"]',
            "datasets = []",
            "sweeps/x.toml: workload.datasets: expected a list of at least 1 entry,"
            " got an empty list",
        ),
        (
            "[measure]",
            '[search]\nmode = "bisect"\n[measure]',
            "sweeps/x.toml: search.mode: expected 'grid' or 'adaptive', got the string"
            ' "bisect"',
        ),
        (
            "replicates = 2",
            "replicates = true",
            "sweeps/x.toml: measure.replicates: expected a whole number, got true",
        ),
        (
            "[measure]",
            "[mesure]",
            "sweeps/x.toml: mesure: unknown key; did you mean `measure`?",
        ),
        (
            "[[arms]]",
            "[arms]",
            "sweeps/x.toml: arms: expected a list of [[arms]] tables, got a table",
        ),
        (
            "[target]",
            "[[target]]",
            "sweeps/x.toml: target: expected a table; several targets are written as"
            " [[targets]]",
        ),
        (
            "[load]\nconcurrency = [1, 4, 16]",
            "",
            "sweeps/x.toml: load: expected either `concurrency = [1, 4, 16, 64]` (a"
            " closed loop) or `request_rate = [0.5, 1, 2]` (requests per second), found"
            " neither",
        ),
        (
            'engine = "vllm"\n',
            "",
            'sweeps/x.toml: target.engine: is missing; expected e.g. `engine = "vllm"`',
        ),
        (
            "[target]",
            "[target]\nmax-num-seqs = 4",
            "sweeps/x.toml: target.max-num-seqs: unknown key; expected one of `model`,"
            " `engine`, `name`, `executable`, `device`, `tensor_parallel`, `port`,"
            " `args`, `env`, `startup_timeout_s`; options of the engine go into `args`",
        ),
    ],
)
def test_error_names_file_key_and_what_was_expected(
    old: str, new: str, expected: str
) -> None:
    assert complaint(spoiled(old, new)) == expected


def test_exactly_one_way_to_write_targets() -> None:
    both = complaint(SOUND + '[[targets]]\nmodel = "m"\nengine = "sim"\n')
    none = complaint(TWO_TARGETS[TWO_TARGETS.index("[[arms]]") :])
    assert both == (
        "sweeps/x.toml: targets: expected either one [target] or several [[targets]],"
        " found both"
    )
    assert none == (
        "sweeps/x.toml: target: is missing; expected a [target] table"
        " (or several [[targets]])"
    )


def test_empty_lists_of_targets_and_arms_are_refused() -> None:
    text = TWO_TARGETS[TWO_TARGETS.index("[workload]") :]
    assert complaint("targets = []\narms = []\n" + text).splitlines() == [
        "sweeps/x.toml: targets: expected at least one [[targets]] table",
        "sweeps/x.toml: arms: expected at least one [[arms]] table",
    ]


def test_all_errors_are_said_at_once_one_a_line() -> None:
    text = spoiled('name = "ngram-k3"', 'name = "baseline"')
    text = spoiled('engine = "vllm"', 'engine = "vlm"\nprt = 1', text)
    text = spoiled("concurrency = [1, 4, 16]", "concurrency = [0, 4]", text)
    text = spoiled("max_tokens = 256", "max_tokens = 256\ncontext = [8, 8]", text)
    keys = [line.split(": ")[1] for line in complaint(text).splitlines()]
    assert keys == [
        "target.prt",
        "load.concurrency[0]",
        "target.engine",
        "arms[0].name",
        "workload.context[1]",
    ]


def test_unsound_value_is_not_reported_a_second_time_by_a_rule() -> None:
    text = spoiled('executable = ".venv-vllm/bin/vllm"', "executable = 3")
    assert complaint(text).count("target.executable") == 1


def test_bad_input_has_its_exit_code_and_a_hint() -> None:
    with pytest.raises(InputError) as caught:
        read("")
    assert caught.value.exit_code == ExitCode.BAD_INPUT
    assert caught.value.hint


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("[target\n", "sweeps/x.toml: line 1, column 8: not valid TOML: "),
        ("a = 1\nb = 'x\n", "sweeps/x.toml: line 2, column 7: not valid TOML: "),
        ("a = 1\n\nb = [1,", "sweeps/x.toml: line 3, column 8: not valid TOML: "),
        ("a = " + "[" * 5000, "sweeps/x.toml: not valid TOML: "),
    ],
)
def test_broken_toml_is_found_by_line_and_column(text: str, start: str) -> None:
    assert complaint(text).startswith(start)


def test_file_is_read_with_byte_order_mark_and_windows_line_ends(
    tmp_path: Path,
) -> None:
    path = tmp_path / "x.toml"
    path.write_bytes(b"\xef\xbb\xbf" + SOUND.replace("\n", "\r\n").encode())
    assert read_sweep(path) == parse_sweep(SOUND, "x")


def test_file_that_cannot_be_read_is_said_with_its_path(tmp_path: Path) -> None:
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"a = \xff")
    for path, reason in (
        (tmp_path / "none.toml", "there is no such file"),
        (tmp_path, "is a directory, not a file"),
        (binary, "not UTF-8 text (byte 4)"),
    ):
        with pytest.raises(InputError) as caught:
            read_sweep(path)
        assert caught.value.message == f"{path}: {reason}"


def test_engine_name_is_not_checked_where_no_names_are_given() -> None:
    text = spoiled('engine = "sim"', 'engine = "of-tomorrow"', TWO_TARGETS)
    assert parse_sweep(text, "x").targets[0].engine == "of-tomorrow"


json_like = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
tables = ("target", "targets", "arms", "workload", "load", "search", "measure")


@given(
    st.sampled_from(tables),
    st.sampled_from(["", ".args", ".speculative", ".concurrency", ".context", ".0"]),
    json_like,
)
def test_nonsense_is_an_input_error_and_nothing_else(
    table: str, rest: str, value: object
) -> None:
    with suppress(InputError):
        read(SOUND, f"{table}{rest}={to_toml(value)}")


def to_toml(value: object) -> str:
    """Roughly: what is no TOML arrives as a bare word, which is nonsense as well."""
    if isinstance(value, dict):
        items = (f'"{k}" = {to_toml(v)}' for k, v in value.items())
        return "{ " + ", ".join(items) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(to_toml, value)) + "]"
    if isinstance(value, str):
        return f"'{value}'"
    return str(value).lower()
