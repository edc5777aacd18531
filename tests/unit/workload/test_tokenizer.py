import json
from pathlib import Path

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from specbench.errors import InputError
from specbench.schema.prompt import Message
from specbench.workload.tokenizer import find_model_folder, read_tokenizer

TEMPLATE = (
    "{% for message in messages %}\n"
    "    <{{ message['role'] }}> {{ message['content'] }} {{ eos_token }}\n"
    "{% endfor %}\n"
    "{% if add_generation_prompt %}<assistant>{% endif %}"
)
HELLO = (Message("user", "hello there"),)


def save_model(folder: Path, config: object = None, template: str = "") -> Path:
    """A model folder with a tokenizer of words, which also adds a start token."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer(models.WordLevel({"<s>": 0, "?": 1}, unk_token="?"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A", special_tokens=[("<s>", 0)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    if template:
        (folder / "chat_template.jinja").write_text(template)
    return folder


def measure(folder: Path) -> int:
    return read_tokenizer(str(folder), {}).measure(HELLO)


def test_tokens_are_counted_without_special_ones(tmp_path: Path) -> None:
    ruler = read_tokenizer(str(save_model(tmp_path)), {})
    assert ruler.count("one two three") == 3
    assert ruler.count("") == 0


@pytest.mark.parametrize(
    ("config", "template"),
    [
        ({"chat_template": TEMPLATE, "eos_token": "</s>"}, ""),
        ({"chat_template": "unused", "eos_token": {"content": "</s>"}}, TEMPLATE),
        (
            {
                "chat_template": [
                    {"name": "tool_use", "template": "x"},
                    {"name": "default", "template": TEMPLATE},
                ],
                "eos_token": "</s>",
            },
            "",
        ),
    ],
)
def test_chat_template_is_found_in_any_of_its_places(
    tmp_path: Path, config: object, template: str
) -> None:
    # <user> hello there </s> <assistant>
    assert measure(save_model(tmp_path, config, template)) == 5


@pytest.mark.parametrize(
    "template",
    [
        "{% for %}",
        "{{ raise_exception('no such role') }}",
        "{{ messages[0].content + 1 }}",
        "{{ messages[0].missing.deeper }}",
    ],
)
def test_contents_alone_are_counted_where_the_template_cannot_run(
    tmp_path: Path, template: str
) -> None:
    assert measure(save_model(tmp_path, {}, template)) == 2


def test_template_may_call_what_templates_call(tmp_path: Path) -> None:
    template = (
        "{{ strftime_now('%d %b %Y') }} {{ [1] | tojson }}"
        "{% if tools is not none %} tools here{% endif %}"
        "{% for m in messages %}{% break %}{% endfor %}"
    )
    assert measure(save_model(tmp_path, {}, template)) == 4


@pytest.mark.parametrize("config", [[], None, {"chat_template": 3}])
def test_odd_config_counts_as_one_without_a_template(
    tmp_path: Path, config: object
) -> None:
    assert measure(save_model(tmp_path, config)) == 2


@pytest.mark.parametrize(
    ("variable", "folder"),
    [
        ("HF_HUB_CACHE", ""),
        ("HUGGINGFACE_HUB_CACHE", ""),
        ("HF_HOME", "hub"),
        ("XDG_CACHE_HOME", "huggingface/hub"),
        ("HOME", ".cache/huggingface/hub"),
    ],
)
def test_model_is_found_in_the_cache_of_its_libraries(
    tmp_path: Path, variable: str, folder: str
) -> None:
    model = tmp_path / folder / "models--org--name"
    expected = save_model(model / "snapshots" / "abc")
    assert find_model_folder("org/name", {variable: str(tmp_path)}) == expected


def test_revision_that_main_points_to_comes_first(tmp_path: Path) -> None:
    model = tmp_path / "models--org--name"
    expected = save_model(model / "snapshots" / "bbb")
    for other in ("aaa", "ccc"):
        save_model(model / "snapshots" / other)
    (model / "refs").mkdir()
    (model / "refs" / "main").write_text("bbb\n")
    assert find_model_folder("org/name", {"HF_HUB_CACHE": str(tmp_path)}) == expected


def test_model_that_is_not_here_is_refused_with_a_way_out(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read_tokenizer("org/none", {"HF_HUB_CACHE": str(tmp_path)})
    assert caught.value.message.startswith("org/none: no tokenizer.json in ")
    assert "context = [0]" in caught.value.hint


def test_damaged_tokenizer_is_refused_with_its_path(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text('{"model": {"type": "of tomorrow"}}')
    with pytest.raises(InputError, match="not a readable tokenizer"):
        read_tokenizer(str(tmp_path), {})
