"""The registry of speculative methods for a terminal: a table an engine, and below it
the keys that change how its methods draft or verify."""

from collections.abc import Iterator, Mapping, Sequence

from rich import box
from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from specbench.engines.methods import EngineMethods, Need
from specbench.report.method_list import MethodRow, method_rows

DASH = "–"
_SHORT = {
    Need.NOTHING: "nothing",
    Need.HEAD: "a head",
    Need.DRAFT_MODEL: "a draft model",
    Need.BUNDLED: "own layers",
    Need.ADAPTER: "an adapter",
    Need.PROGRAM: "a class",
}


def method_tables(
    names: Mapping[str, Sequence[str]], registry: Mapping[str, EngineMethods]
) -> Iterator[RenderableType]:
    """`names`: the engines, with the methods that their adapters list."""
    rows = method_rows(names, registry)
    for engine in names:
        own = [row for row in rows if row.engine == engine]
        methods = registry.get(engine)
        if methods is None:
            yield Text(f"{engine}: {own[0].good_for}")
            continue
        yield Text(f'{methods.label}: engine = "{methods.engine}"', "bold")
        yield _table(methods, [row for row in own if row.kind == "method"])
        yield from _remarks(methods)
        yield Text("\nKeys that change how they draft or verify:")
        for row in own:
            if row.kind == "key":
                yield Padding(Text(row.name or ""), (0, 0, 0, 2))
                yield Padding(Text(_key_words(row)), (0, 0, 0, 6))
        yield Text("")


def _table(methods: EngineMethods, rows: Sequence[MethodRow]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column(methods.selector, no_wrap=True)
    table.add_column("needs", no_wrap=True)
    table.add_column("lossless", no_wrap=True)
    table.add_column("learns", no_wrap=True)
    table.add_column("good for")
    for row in rows:
        good_for = row.good_for
        if row.absent is not None:
            good_for = f"Not in this version: {row.absent}."
        table.add_row(
            row.name,
            DASH if row.needs is None else _SHORT[Need(row.needs)],
            DASH if row.absent else "by key",
            DASH if row.absent else "yes" if row.learns else "no",
            good_for,
        )
    return table


def _key_words(row: MethodRow) -> str:
    kept = "lossless" if row.lossless == "yes" else "NOT lossless"
    return f"With {row.needs}; {kept}. {row.good_for}"


def _remarks(methods: EngineMethods) -> Iterator[Text]:
    """What the short cells leave out."""
    used = {method.needs for method in methods.methods} - {Need.NOTHING}
    yield Text("; ".join(f"{_SHORT[n]}: {n.value}" for n in Need if n in used) + ".")
    yield Text(
        "Lossless by key: answers follow the target model, unless"
        f" {' or '.join(methods.lossy_by)} says otherwise."
    )
    for method in methods.methods:
        if method.learns is not None:
            yield Text(f"{method.name} learns; it forgets by: {method.learns}.")
        if method.package is not None:
            yield Text(f"{method.name} needs {method.package} beside the engine.")
        if method.aliases:
            yield Text(f"{method.name} is also written {', '.join(method.aliases)}.")
