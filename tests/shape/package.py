"""The package as text: its modules, what each imports and calls. Read with `ast`, so
nothing is executed."""

import ast
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import specbench

ROOT = Path(specbench.__file__).parent


@dataclass(frozen=True)
class Module:
    """One source file of the package."""

    name: str
    """Dotted, with the package's own name in front."""
    path: Path

    @cached_property
    def text(self) -> str:
        """Its source."""
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def tree(self) -> ast.Module:
        """Its source, parsed."""
        return ast.parse(self.text, str(self.path))

    @property
    def part(self) -> str:
        """The sub-package or top module that it belongs to; empty for the root."""
        return part_of(self.name)

    @cached_property
    def imports(self) -> frozenset[str]:
        """Dotted names that it imports, at whatever depth in its code. `from a import
        b` counts as `a.b` where that is a module, else as `a`."""
        found: set[str] = set()
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{self.name}: relative import"
                assert node.module is not None
                found |= {
                    f"{node.module}.{alias.name}"
                    if is_module(f"{node.module}.{alias.name}")
                    else node.module
                    for alias in node.names
                }
        return frozenset(found)

    @property
    def own_imports(self) -> frozenset[str]:
        """Imports from the package itself."""
        return frozenset(n for n in self.imports if n.split(".")[0] == "specbench")

    @property
    def foreign_imports(self) -> frozenset[str]:
        """Top names of everything else."""
        return frozenset(n.split(".")[0] for n in self.imports - self.own_imports)


def part_of(name: str) -> str:
    """`specbench.load.driver` -> `load`; `specbench` -> ``."""
    words = name.split(".")
    return words[1] if len(words) > 1 else ""


def is_module(name: str) -> bool:
    """Whether a dotted name is a file or folder of the package."""
    words = name.split(".")
    place = ROOT.joinpath(*words[1:])
    return words[0] == "specbench" and (
        place.with_suffix(".py").is_file() or place.is_dir()
    )


@cache
def modules() -> tuple[Module, ...]:
    """All of the package, by name."""
    found = []
    for path in sorted(ROOT.rglob("*.py")):
        if "__pycache__" in path.parts:
            continue
        words = ["specbench", *path.relative_to(ROOT).with_suffix("").parts]
        if words[-1] == "__init__":
            words.pop()
        found.append(Module(".".join(words), path))
    return tuple(found)
