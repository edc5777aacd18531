import pytest

from tests.unit.planning.sweep_texts import (
    SOUND,
    TWO_TARGETS,
    complaint,
    read,
    spoiled,
)


def with_args(args: str) -> str:
    return spoiled("max-model-len = 4096", args)


def with_workload(keys: str) -> str:
    return spoiled("max_tokens = 256", keys)


def test_arm_is_not_called_like_the_baseline() -> None:
    assert complaint(spoiled('"ngram-k3"', '"Baseline"')) == (
        'sweeps/x.toml: arms[0].name: "Baseline" is the arm without speculation, which'
        " is always there; choose another name"
    )


def test_arm_is_not_called_like_the_second_baseline_of_an_aa_run() -> None:
    message = complaint(spoiled('"ngram-k3"', '"AA"'))
    assert message.startswith(
        'sweeps/x.toml: arms[0].name: "AA" is the second baseline'
    )


def test_arm_names_are_unique() -> None:
    twice = SOUND + '[[arms]]\nname = "ngram-k3"\nspeculative = { method = "a" }\n'
    assert complaint(twice) == (
        'sweeps/x.toml: arms[1].name: "ngram-k3" is already the name of arms[0]'
    )


def test_arm_speculates() -> None:
    text = spoiled('{ method = "ngram", num_speculative_tokens = 3 }', "{}")
    assert "arms[0].speculative: is empty" in complaint(text)


def test_target_labels_are_unique_and_a_name_tells_them_apart() -> None:
    alike = spoiled('"org/large"', '"other/small"', TWO_TARGETS)
    assert complaint(alike) == (
        'sweeps/x.toml: targets[1].name: "small" is already the label of targets[0];'
        " give each target a `name` of its own"
    )
    named = spoiled('"org/large"', '"other/small"\nname = "b"', TWO_TARGETS)
    assert [t.label for t in read(named).targets] == ["small", "b"]


def test_model_is_not_blank() -> None:
    assert complaint(spoiled('"org/Some-Model-8B"', '" "')) == (
        "sweeps/x.toml: target.model: expected a name or a path, got a blank"
    )


def test_unknown_engine_is_refused_with_what_was_meant() -> None:
    assert complaint(spoiled('"vllm"', '"vlmm"')).startswith(
        'sweeps/x.toml: target.engine: unknown engine "vlmm"; did you mean "vllm"?'
    )
    assert complaint(spoiled('"vllm"', '"nothing-like-it"')).startswith(
        'sweeps/x.toml: target.engine: unknown engine "nothing-like-it"; expected one'
        " of sim, vllm"
    )


@pytest.mark.parametrize(
    ("keys", "line"),
    [
        (
            "context = [0, 512, 0]",
            "workload.context[2]: 0 is there already, as workload.context[0]",
        ),
        (
            "temperature = [0, 0.0]",
            "workload.temperature[1]: 0 is there already, as workload.temperature[0]",
        ),
        (
            "temperature = [0.7, 0.70000001]",
            "workload.temperature[1]: 0.7 is there already, as workload.temperature[0]",
        ),
    ],
)
def test_axis_has_no_point_twice(keys: str, line: str) -> None:
    assert complaint(with_workload(keys)) == f"sweeps/x.toml: {line}"


def test_loads_and_data_sets_are_not_listed_twice() -> None:
    text = spoiled("[1, 4, 16]", "[1, 4, 1]")
    text = spoiled('["mt-bench-style"]', '["a.jsonl", "a.jsonl", " "]', text)
    lines = complaint(text).splitlines()
    assert [line.split(": ")[1] for line in lines] == [
        "workload.datasets[2]",
        "workload.datasets[1]",
        "load.concurrency[2]",
    ]


@pytest.mark.parametrize(
    "option", ["max-num-seqs", "max_num_seqs", "max-running-requests"]
)
def test_cap_below_the_highest_load_is_refused_as_a_false_break_even(
    option: str,
) -> None:
    message = complaint(with_args(f"{option} = 15"))
    assert message.startswith(f"sweeps/x.toml: target.args.{option}: 15 is below")
    assert "load.concurrency (16)" in message
    assert "break-even of the queue" in message


def test_cap_that_admits_the_highest_load_is_fine() -> None:
    read(with_args("max-num-seqs = 16"))
    read(with_args('max-num-seqs = "16"'))


def test_one_cap_in_the_words_of_two_engines_is_given_once() -> None:
    both = "max-num-seqs = 16, max-running-requests = 32"
    assert "same option as `max-num-seqs`" in complaint(with_args(both))


def test_other_cap_on_running_sequences_is_checked_as_well() -> None:
    message = complaint(with_args("max-num-active-seqs = 8"))
    assert "target.args.max-num-active-seqs: 8 is below" in message


def test_step_budget_is_at_least_one_token_for_each_sequence() -> None:
    message = complaint(with_args("max-num-batched-tokens = 15"))
    assert "15 tokens in a step are too few for 16 sequences" in message
    read(with_args("max-num-batched-tokens = 16"))


@pytest.mark.parametrize("value", ['"many"', "0", "1.5", "true"])
def test_cap_is_a_whole_number(value: str) -> None:
    message = complaint(with_args(f"max-num-seqs = {value}"))
    assert "target.args.max-num-seqs: expected a whole number of at least 1" in message


def test_option_is_written_once_and_without_leading_dashes() -> None:
    message = complaint(with_args("max-num-seqs = 16, max_num_seqs = 16"))
    assert message.endswith("is the same option as `max-num-seqs`; keep one of them")
    message = complaint(with_args('"--seed" = 1'))
    assert message.endswith("write the option without dashes: `seed`")


def test_context_and_output_fit_into_the_model_length() -> None:
    read(with_workload("max_tokens = 96\ncontext = [4000]"))
    assert complaint(with_workload("max_tokens = 97\ncontext = [0, 4000]")) == (
        "sweeps/x.toml: workload.context[1]: 4000 prompt tokens and"
        " workload.max_tokens (97) make 4097, more than target.args.max-model-len"
        " (4096)"
    )


def test_output_limit_leaves_room_for_a_prompt() -> None:
    assert complaint(with_workload("max_tokens = 4096")) == (
        "sweeps/x.toml: workload.max_tokens: 4096 output tokens leave no room for a"
        " prompt in target.args.max-model-len (4096)"
    )


@pytest.mark.parametrize("length", ['"4k"', "4000"])
def test_model_length_in_short_form_counts_as_its_number(length: str) -> None:
    text = spoiled("4096", length, with_workload("max_tokens = 1\ncontext = [4000]"))
    assert "more than target.args.max-model-len (4000)" in complaint(text)


@pytest.mark.parametrize("length", ['"auto"', "-1"])
def test_model_length_that_the_engine_chooses_is_not_checked(length: str) -> None:
    text = spoiled("4096", length, with_workload("max_tokens = 9\ncontext = [99999]"))
    read(text)


@pytest.mark.parametrize(
    ("keys", "place"),
    [
        ("requests_per_slot = 1e6", "measure.requests_per_slot"),
        ("requests_per_slot = 1e308", "measure.requests_per_slot"),
        ("min_requests = 1_000_001", "measure.min_requests"),
    ],
)
def test_cell_that_nobody_can_mean_is_refused(keys: str, place: str) -> None:
    message = complaint(spoiled("replicates = 2", keys))
    assert message.startswith(f"sweeps/x.toml: {place}: a cell at load.concurrency 16")


@pytest.mark.parametrize(
    ("keys", "place"),
    [
        ("seconds_per_rate = 80_000", "load.request_rate[1]"),
        ("min_requests = 1_000_001", "measure.min_requests"),
    ],
)
def test_open_cell_that_nobody_can_mean_is_refused(keys: str, place: str) -> None:
    open_loop = spoiled("concurrency = [1, 4, 16]", "request_rate = [1, 40]")
    message = complaint(spoiled("replicates = 2", keys, open_loop))
    assert message.startswith(f"sweeps/x.toml: {place}: ")
    assert "1000000" in message


def test_load_that_nobody_can_mean_is_refused() -> None:
    text = spoiled("[1, 4, 16]", "[1, 1" + "0" * 400 + "]")
    assert complaint(text).startswith("sweeps/x.toml: load.concurrency[1]: expected at")


def test_cells_never_share_a_folder() -> None:
    text = spoiled('["mt-bench-style"]', '["a b.jsonl", "a-b.jsonl"]')
    message = complaint(text)
    assert '"a b.jsonl"' in message
    assert '"a-b.jsonl"' in message
    assert "would share the folder" in message


def test_cell_folders_have_names_that_a_disk_takes() -> None:
    long_path = "d/" * 100 + "x.jsonl"
    text = spoiled('["mt-bench-style"]', f'["{long_path}"]')
    assert "over 200 bytes long" in complaint(text)


def test_one_port_cannot_serve_two_engines_at_once() -> None:
    message = complaint(SOUND, "target.port=8123", 'measure.placement="side-by-side"')
    assert message.startswith(
        "--set target.port=8123: target.port: 8123 cannot serve two engines at once"
    )
    read(SOUND, "target.port=8123", "measure.placement=auto")


def test_placement_is_one_of_three_words() -> None:
    assert read(SOUND).measure.placement == "auto"
    assert complaint(spoiled("replicates = 2", 'placement = "both"')) == (
        "sweeps/x.toml: measure.placement: expected 'auto', 'sequential' or"
        " 'side-by-side', got the string \"both\""
    )
