"""Rich renderables as the plain text that a terminal of a given width shows."""

import io

from rich.console import Console, RenderableType


def render(what: RenderableType, width: int) -> str:
    """Lines without the blanks at their ends."""
    text = io.StringIO()
    console = Console(
        file=text,
        width=width,
        color_system=None,
        force_terminal=False,
        legacy_windows=False,
    )
    console.print(what)
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines()) + "\n"
