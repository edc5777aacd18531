"""Derived files in a folder of the user's choice: the same files that a run folder
holds, written elsewhere."""

from pathlib import Path

from specbench.store.disk import make_folder, write_file
from specbench.store.layout import RunLayout


class DerivedWriter:
    """Writes tables and plots, never raw data."""

    def __init__(self, folder: Path) -> None:
        self._layout = RunLayout(folder)

    def write_text(self, name: str, text: str) -> Path:
        """Write or replace `name`; where it lies."""
        return self.write_bytes(name, text.encode())

    def write_bytes(self, name: str, data: bytes) -> Path:
        """Write or replace `name`; where it lies."""
        path = self._layout.derived(name)
        make_folder(path.parent)
        write_file(path, data)
        return path
