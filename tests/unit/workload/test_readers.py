import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specbench.errors import InputError
from specbench.schema.prompt import Dataset
from specbench.workload import readers
from specbench.workload.readers import load_dataset, parse_dataset
from specbench.workload.shipped import list_shipped

BOM = b"\xef\xbb\xbf"


def parse(data: bytes) -> Dataset:
    return parse_dataset(data, "name", "some/path")


def used(data: bytes) -> list[tuple[str, tuple[str, ...]]]:
    return [(q.question_id, q.turns) for q in parse(data).questions]


def skipped(data: bytes) -> list[tuple[str, str]]:
    return [(s.where, s.reason) for s in parse(data).skipped]


def refused(data: bytes) -> str:
    with pytest.raises(InputError) as caught:
        parse(data)
    return caught.value.message


# MT-Bench lines as people have them: byte-order mark, CRLF, a blank line, entries that
# are cut short or oddly shaped (case H14).
ROUGH_MT_BENCH = (
    BOM
    + "\r\n".join(
        [
            '{"question_id": 1, "category": "writing", "turns": ["Hi.", "Again."]}',
            '{"question_id": "two", "turns": ["Où est la gare ?"]}',
            "",
            '{"question_id": 4, "turns": ["", "Only the second has text."]}',
            '{"question_id": 5, "turns": ["Cut short."',
            '{"question_id": 6, "prompt": "another key"}',
            '{"question_id": 7, "turns": []}',
            '{"question_id": 8, "turns": ["First.", 8]}',
            '{"question_id": 9, "turns": "not a list"}',
            '{"question_id": 10, "turns": ["Fine.", "  "]}',
            '["turns"]',
            '{"question_id": 12, "category": 3, "turns": ["Last."]}',
        ]
    ).encode()
)


def test_mt_bench_uses_sound_lines_in_file_order() -> None:
    assert used(ROUGH_MT_BENCH) == [
        ("1", ("Hi.", "Again.")),
        ("two", ("Où est la gare ?",)),
        ("12", ("Last.",)),
    ]
    assert [q.category for q in parse(ROUGH_MT_BENCH).questions] == ["writing", "", ""]


def test_mt_bench_reports_every_other_line_with_number_and_reason() -> None:
    assert skipped(ROUGH_MT_BENCH) == [
        ("line 4", "turn 1 is blank (id 4)"),
        ("line 5", "not valid JSON: Expecting ',' delimiter at column 42"),
        ("line 6", "no `turns` (id 6)"),
        ("line 7", "no turns (id 7)"),
        ("line 8", "a turn is not text (id 8)"),
        ("line 9", "`turns` is not a list (id 9)"),
        ("line 10", "turn 2 is blank (id 10)"),
        ("line 11", "no `turns`"),
    ]


ROUGH_SHAREGPT = [
    {"id": "plain", "conversations": [{"from": "human", "value": "Name a river."}]},
    {
        "id": "greeted",
        "conversations": [
            {"from": "gpt", "value": "Hello!"},
            {"from": "human", "value": "Sort: 2 1"},
            {"from": "human", "value": "And now?"},
        ],
    },
    {
        "id": "roles",
        "conversations": [
            {"role": "system", "content": "Be brief."},
            {"role": "User", "content": "Two plus two?"},
        ],
    },
    {
        "id": "parts",
        "conversations": [
            {"role": "user", "content": [{"type": "text", "text": "In parts."}]}
        ],
    },
    {
        "id": "picture",
        "conversations": [
            {"role": "user", "content": [{"type": "image_url", "image_url": "x"}]}
        ],
    },
    {"id": "empty", "conversations": []},
    {"id": "missing"},
    {"id": "blank", "conversations": [{"from": "human", "value": ""}]},
    {"id": "null", "conversations": None},
    {"id": "text", "conversations": ["Hello"]},
    {"id": "silent", "conversations": [{"from": "gpt", "value": "Alone."}]},
    {"conversations": 7},
]


def test_sharegpt_uses_the_first_human_turn() -> None:
    assert used(json.dumps(ROUGH_SHAREGPT).encode()) == [
        ("plain", ("Name a river.",)),
        ("greeted", ("Sort: 2 1",)),
        ("roles", ("Two plus two?",)),
        ("parts", ("In parts.",)),
    ]


def test_sharegpt_list_reports_other_entries_by_id_else_by_position() -> None:
    assert skipped(json.dumps(ROUGH_SHAREGPT, indent=1).encode()) == [
        ("picture", "the first human turn is not text"),
        ("empty", "no human turn"),
        ("missing", "no `conversations`"),
        ("blank", "the prompt is blank"),
        ("null", "`conversations` is not a list of messages"),
        ("text", "a message is not an object"),
        ("silent", "no human turn"),
        ("entry 12", "`conversations` is not a list of messages"),
    ]


def test_sharegpt_reads_the_same_from_a_list_and_from_lines() -> None:
    lines = "\n".join(map(json.dumps, ROUGH_SHAREGPT)).encode()
    assert used(lines) == used(json.dumps(ROUGH_SHAREGPT).encode())
    assert parse(lines).skipped[0].where == "line 5"


def test_own_files_hold_prompts_texts_messages_or_bare_strings() -> None:
    lines = [
        '{"prompt": "One.", "id": "a", "category": "x"}',
        '{"text": "Two."}',
        '{"messages": [{"role": "system", "content": "S"},'
        ' {"role": "user", "content": "Three."}]}',
        '{"prompt": [{"role": "user", "content": "Four."}]}',
        '"Five."',
        '{"question": "?"}',
        "7",
    ]
    data = "\n".join(lines).encode()
    assert used(data) == [
        ("a", ("One.",)),
        ("line2", ("Two.",)),
        ("line3", ("Three.",)),
        ("line4", ("Four.",)),
        ("line5", ("Five.",)),
    ]
    assert skipped(data) == [
        ("line 6", "no `prompt`, `text` or `messages` with text in it"),
        ("line 7", "neither an object nor a string"),
    ]


def test_list_of_bare_strings_is_a_data_set() -> None:
    assert used(b'["One.", "Two."]') == [("entry1", ("One.",)), ("entry2", ("Two.",))]


def test_format_is_that_of_most_entries() -> None:
    lines = ['{"turns": ["odd one out"]}', '{"prompt": "a"}', '{"prompt": "b"}']
    assert [turns for _, turns in used("\n".join(lines).encode())] == [("a",), ("b",)]


def test_repeated_ids_are_kept_apart_by_their_place() -> None:
    lines = [
        '{"id": "x", "prompt": "a"}',
        '{"id": "x", "prompt": "b"}',
        '{"id": "x@line4", "prompt": "c"}',
        '{"id": "x", "prompt": "d"}',
    ]
    ids = [question_id for question_id, _ in used("\n".join(lines).encode())]
    assert ids == ["x", "x@line2", "x@line4", "x@line4@line4"]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_lines_may_end_in_any_way_and_hold_unicode_separators(end: bytes) -> None:
    line = '{"prompt": "one\u2028line\u0085still"}'.encode()
    data = end.join([line, b"  ", line, b""])
    assert used(data) == [
        ("line1", ("one\u2028line\u0085still",)),
        ("line3", ("one\u2028line\u0085still",)),
    ]


def test_joined_files_keep_no_byte_order_mark_inside() -> None:
    line = BOM + b'{"prompt": "a"}\n'
    assert len(parse(line + line).questions) == 2


def test_line_that_is_no_utf8_costs_only_itself() -> None:
    data = b'{"prompt": "caf\xe9"}\n{"prompt": "b"}\n'
    assert used(data) == [("line2", ("b",))]
    assert skipped(data) == [
        ("line 1", "not valid UTF-8: byte 0xe9 at position 16"),
    ]


@pytest.mark.parametrize("broken", [b"caf\xe9", b"half \\ud83d"])
def test_list_entry_that_is_no_unicode_costs_only_itself(broken: bytes) -> None:
    data = b'[{"prompt": "' + broken + b'", "id": 1}, {"prompt": "b", "id": 2}]'
    assert used(data) == [("2", ("b",))]
    reason = "the prompt holds bytes or escapes that are no valid Unicode"
    assert skipped(data) == [("1", reason)]


def test_list_that_is_cut_short_is_refused_with_its_place() -> None:
    message = refused(b'[\n{"prompt": "a"},\n{"prompt": ')
    assert message == "some/path: line 3, column 12: not valid JSON: Expecting value"


def test_lines_of_lists_are_not_taken_for_one_list() -> None:
    assert "line 1: neither an object" in refused(b'["a"]\n["b"]\n')


def test_deep_nesting_is_a_reason_and_no_crash() -> None:
    deep = b'{"prompt": ' + b"[" * 100_000
    assert used(deep + b'\n{"prompt": "b"}') == [("line2", ("b",))]
    assert "not readable JSON" in refused(b"[" * 100_000)


def test_file_without_any_use_is_refused_with_the_first_reasons() -> None:
    assert refused(b"a\nb\n\nc\nd\ne\n") == (
        "some/path: no usable prompt"
        " (line 1: not valid JSON: Expecting value at column 1;"
        " line 2: not valid JSON: Expecting value at column 1;"
        " line 4: not valid JSON: Expecting value at column 1; and 2 more)"
    )


@pytest.mark.parametrize("data", [b"", b"\n \r\n", BOM, b"[]"])
def test_empty_file_is_refused(data: bytes) -> None:
    assert refused(data) == "some/path: no usable prompt (nothing is in it)"


@pytest.mark.parametrize(
    ("start", "words"),
    [
        (b"\xff\xfe{\x00", "UTF-16"),
        (b"\x1f\x8b\x08", "gzip"),
        (b"PK\x03\x04", "zip"),
        (b"PAR1", "Parquet"),
    ],
)
def test_file_that_is_no_text_is_called_what_it_is(start: bytes, words: str) -> None:
    assert words in refused(start + b"rest")


@given(st.binary(max_size=60))
def test_any_bytes_are_a_data_set_or_an_input_error(data: bytes) -> None:
    try:
        found = parse(data)
    except InputError:
        return
    assert found.questions
    assert all(turn.strip() for q in found.questions for turn in q.turns)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "turns",
                    "conversations",
                    "prompt",
                    "text",
                    "messages",
                    "id",
                    "from",
                    "role",
                    "value",
                    "content",
                    "category",
                ]
            ),
            inner | st.sampled_from(["human", "user"]),
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.lists(json_values, max_size=5), st.booleans())
def test_each_entry_is_used_or_skipped_whatever_its_shape(
    values: list[object], as_lines: bool
) -> None:
    text = "\n".join(map(json.dumps, values)) if as_lines else json.dumps(values)
    try:
        found = parse(text.encode())
    except InputError:
        return
    is_one_list = not as_lines or (len(values) == 1 and isinstance(values[0], list))
    count = len(values[0]) if as_lines and is_one_list else len(values)  # type: ignore[arg-type]  # a list, as just seen
    assert len(found.questions) + len(found.skipped) == count
    assert len({q.question_id for q in found.questions}) == len(found.questions)


def test_hash_is_of_the_bytes_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "own.jsonl"
    path.write_bytes(BOM + b'{"prompt": "a"}\r\n')
    found = load_dataset(str(path))
    assert found.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert found.name == found.path == str(path)


def test_shipped_data_sets_are_found_by_name_and_used_whole() -> None:
    assert {"mt-bench-style", "input-grounded"} <= set(list_shipped())
    for name in list_shipped():
        found = load_dataset(name)
        assert found.name == name
        assert not found.skipped


def test_installed_data_sets_come_before_those_of_a_checkout(tmp_path: Path) -> None:
    installed, checkout = tmp_path / "_datasets", tmp_path / "datasets"
    for folder in (installed, checkout):
        folder.mkdir()
        (folder / "a.jsonl").touch()
        (folder / "README.md").touch()
    assert list_shipped((installed, checkout)) == {"a": installed / "a.jsonl"}
    assert list_shipped((tmp_path / "none", checkout)) == {"a": checkout / "a.jsonl"}
    assert list_shipped((tmp_path / "none",)) == {}


def test_unknown_name_is_refused_with_the_names_that_exist() -> None:
    with pytest.raises(InputError) as caught:
        load_dataset("mt-bench-stile")
    assert caught.value.message == (
        "mt-bench-stile: neither a shipped data set nor a file"
    )
    assert "input-grounded" in caught.value.hint
    assert "Did you mean mt-bench-style?" in caught.value.hint


def test_path_that_is_no_readable_file_is_refused_by_name(tmp_path: Path) -> None:
    dangling = tmp_path / "link.jsonl"
    dangling.symlink_to(tmp_path / "gone")
    for path, words in (
        (tmp_path, "is a directory"),
        (dangling, "is not a regular file"),
        (Path("/dev/null"), "is not a regular file"),
        (Path("x" * 5000), "neither a shipped data set nor a file"),
    ):
        with pytest.raises(InputError) as caught:
            load_dataset(str(path))
        assert caught.value.message == f"{path}: {words}"


def test_file_that_is_too_large_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "large.jsonl"
    path.write_bytes(b'{"prompt": "a"}\n')
    monkeypatch.setattr(readers, "MAX_BYTES", 15)
    with pytest.raises(InputError, match="16 bytes, more than the 15 that are read"):
        load_dataset(str(path))
