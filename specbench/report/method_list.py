"""The registry of speculative methods as rows, for `specbench engines` and the page of
methods: one a method, and one a key that changes how methods draft or verify."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

from specbench.engines.methods import EngineMethods, Method, Variant
from specbench.report.columns import Column, field, write_value

_OTHERS = {
    "openai": "Any server that runs already, with what it was started with.",
    "sim": "Programmed truth behind the same endpoints, for tests and for learning.",
}


@dataclass(frozen=True, slots=True)
class MethodRow:
    """One line; what does not apply is None or empty."""

    engine: str
    version: str | None
    kind: str
    name: str | None
    needs: str | None
    draft_length: str | None
    lossless: str | None
    learns: bool | None
    reset: str | None
    package: str | None
    absent: str | None
    good_for: str | None
    aliases: tuple[str, ...]
    keys: tuple[str, ...]


COLUMNS: tuple[Column[MethodRow], ...] = (
    Column("engine", "", "as `target.engine` writes it", field("engine")),
    Column("version", "", "the engine's, whose methods these are", field("version")),
    Column("kind", "", "`method`, or `key`: one that changes others", field("kind")),
    Column("name", "", "as an arm's `speculative` writes it", field("name")),
    Column(
        "needs", "", "beside the target model; of a key, its methods", field("needs")
    ),
    Column("draft_length", "", "the keys by which it is set", field("draft_length")),
    Column(
        "lossless",
        "",
        "`yes`; `no`; `by key`: yes, unless one of the keys named is set so",
        field("lossless"),
    ),
    Column(
        "learns", "", "`true`: drafts come from earlier requests too", field("learns")
    ),
    Column("reset", "", "how it forgets them", field("reset")),
    Column(
        "package", "", "Python package that the engine then needs", field("package")
    ),
    Column("absent", "", "why this version cannot run it", field("absent")),
    Column("good_for", "", "in one sentence", field("good_for")),
    Column("aliases", "", "other names of the same method", field("aliases")),
    Column("keys", "", "of `speculative` that it reads", field("keys")),
)
"""Of `specbench engines --format csv`; lists are parted by `;`."""


def method_rows(
    names: Mapping[str, Sequence[str]], registry: Mapping[str, EngineMethods]
) -> list[MethodRow]:
    """`names`: the engines, with the methods that their adapters list."""
    rows: list[MethodRow] = []
    for engine, listed in names.items():
        methods = registry.get(engine)
        if methods is None:
            rows += (_other_row(engine, name) for name in listed or (None,))
        else:
            rows += (_method_row(methods, method) for method in methods.methods)
            rows += (_variant_row(methods, variant) for variant in methods.variants)
    return rows


def _other_row(engine: str, name: str | None) -> MethodRow:
    return MethodRow(
        engine=engine,
        version=None,
        kind="method",
        name=name,
        needs=None,
        draft_length=None,
        lossless=None,
        learns=None,
        reset=None,
        package=None,
        absent=None,
        good_for=_OTHERS.get(engine),
        aliases=(),
        keys=(),
    )


def _method_row(methods: EngineMethods, method: Method) -> MethodRow:
    return MethodRow(
        engine=methods.engine,
        version=methods.version,
        kind="method",
        name=method.name,
        needs=method.needs.value,
        draft_length=method.draft_length,
        lossless=None if method.absent else f"by key: {', '.join(methods.lossy_by)}",
        learns=method.learns is not None,
        reset=method.learns,
        package=method.package,
        absent=method.absent,
        good_for=method.good_for,
        aliases=method.aliases,
        keys=tuple(methods.key_names(method)),
    )


def _variant_row(methods: EngineMethods, variant: Variant) -> MethodRow:
    return MethodRow(
        engine=methods.engine,
        version=methods.version,
        kind="key",
        name=variant.name,
        needs=variant.used_by,
        draft_length=None,
        lossless="yes" if variant.is_lossless else "no",
        learns=None,
        reset=None,
        package=None,
        absent=None,
        good_for=variant.good_for,
        aliases=(),
        keys=(variant.name.partition(" = ")[0],),
    )


def method_csv_rows(rows: Sequence[MethodRow]) -> list[list[str]]:
    """Header and one line a row."""
    header = [column.name for column in COLUMNS]
    return [header, *([write_value(c.read(row)) for c in COLUMNS] for row in rows)]


def method_document(rows: Sequence[MethodRow]) -> list[dict[str, object]]:
    """The same for JSON."""
    names = [one.name for one in fields(MethodRow)]
    return [{name: getattr(row, name) for name in names} for row in rows]
