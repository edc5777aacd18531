"""Each module opens with what it is for, is short, and leaves printing to nobody."""

import ast

from tests.shape.package import modules

LONGEST = 300
NAMES_OF_NO_SUBJECT = {
    "common",
    "helper",
    "helpers",
    "manager",
    "managers",
    "misc",
    "util",
    "utils",
}


def test_every_module_opens_with_a_paragraph() -> None:
    silent = {
        m.name for m in modules() if not (ast.get_docstring(m.tree) or "").strip()
    }
    assert silent == set()


def test_every_module_can_be_read_in_one_sitting() -> None:
    lengths = {m.name: len(m.text.splitlines()) for m in modules()}
    assert {name: n for name, n in lengths.items() if n > LONGEST} == {}


def test_nothing_calls_print() -> None:
    printing = {
        f"{module.name}:{node.lineno}"
        for module in modules()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Name) and node.id == "print"
    }
    assert printing == set()


def test_every_module_is_named_after_its_subject() -> None:
    vague = {m.name for m in modules() if set(m.name.split(".")) & NAMES_OF_NO_SUBJECT}
    assert vague == set()
