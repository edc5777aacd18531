"""The Prometheus text format as the simulator's pages write it: families in the order
in which they are added, labels by name. Pure text."""

from collections.abc import Mapping
from dataclasses import dataclass, field

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(slots=True)
class Exposition:
    """Lines of a page; every name gets the prefix."""

    prefix: str
    lines: list[str] = field(default_factory=list)

    def family(self, name: str, kind: str) -> None:
        """Open a family: what follows belongs to it."""
        self.lines.append(f"# HELP {self.prefix}{name} Simulated.")
        self.lines.append(f"# TYPE {self.prefix}{name} {kind}")

    def sample(self, name: str, labels: Mapping[str, str], value: float) -> None:
        """One series and its value."""
        text = _label_text(labels)
        self.lines.append(f"{self.prefix}{name}{text} {float(value)!r}")

    def text(self) -> str:
        """The whole page."""
        return "\n".join(self.lines) + "\n"


def _label_text(labels: Mapping[str, str]) -> str:
    pairs = (f'{name}="{_escape(value)}"' for name, value in sorted(labels.items()))
    return "{" + ",".join(pairs) + "}"


def _escape(value: str) -> str:
    return value.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")
