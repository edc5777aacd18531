"""Every code that a finding can have is explained in docs/method.md, and no other."""

import ast
import re
from pathlib import Path

from tests.shape.package import Module, modules

METHOD = Path(__file__).parents[2] / "docs" / "method.md"
MAKERS = {"void": 0, "flag": 0, "Finding": 1}
"""Who makes a finding, and at which place the code stands."""


def codes_in(module: Module) -> set[str]:
    """Codes written in a module."""
    found = set()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            place = MAKERS.get(node.func.id)
            if place is None or len(node.args) <= place:
                continue
            code = node.args[place]
            if isinstance(code, ast.Constant) and isinstance(code.value, str):
                found.add(code.value)
    return found


def explained() -> set[str]:
    """Codes in the first columns of the tables of that section."""
    text = METHOD.read_text(encoding="utf-8")
    section = text.split("## What voids or flags a cell")[1].split("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| `")]
    return {
        code for row in rows for code in re.findall(r"`([^`]+)`", row.split("|")[1])
    }


def test_every_code_is_explained_and_every_explained_code_exists() -> None:
    made = {code for m in modules() if m.part == "analysis" for code in codes_in(m)}
    assert {"client-lag", "arms-differ", "outputs-differ"} <= made
    assert made == explained()
