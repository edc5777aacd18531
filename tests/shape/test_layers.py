"""Imports go one way: cli, runner, effects, pure code, schema, errors and units."""

from tests.shape.package import Module, modules, part_of

BASE = {"errors", "units", "clock", ""}
SCHEMA = {"schema"}
PURE = {
    "planning",
    "workload",
    "engines",
    "wire",
    "stats",
    "theory",
    "analysis",
    "search",
    "report",
}
EFFECTS = {"launch", "load", "scrape", "host", "store"}
COMMANDS = {"cli", "__main__"}
LAYERS = (BASE, SCHEMA, PURE, EFFECTS, {"runner"}, COMMANDS)
"""From the bottom up; each may import from its own and from those before it."""

STAND_IN = "sim"
"""An engine beside the product: it uses the lower layers; only a command uses it."""

WORLD = {"asyncio", "socket", "subprocess", "threading", "time", "urllib"}
"""What pure code takes as a parameter instead."""

HTTPX_HOMES = {"load", "scrape"}
HTTPX_MODULES = {"specbench.launch.readiness", "specbench.launch.health"}


def height(part: str) -> int:
    """Which layer a part belongs to."""
    return next(place for place, layer in enumerate(LAYERS) if part in layer)


def other_parts(module: Module) -> set[str]:
    """Parts of the package that a module imports beside its own."""
    return {part_of(name) for name in module.own_imports} - {module.part}


def test_every_part_of_the_package_has_a_layer() -> None:
    known = set.union(*LAYERS) | {STAND_IN}
    assert {module.part for module in modules()} - known == set()


def test_imports_go_down_and_never_up() -> None:
    upward = {
        module.name: above
        for module in modules()
        if module.part != STAND_IN
        and (
            above := {
                part
                for part in other_parts(module) - {STAND_IN}
                if height(part) > height(module.part)
            }
        )
    }
    assert upward == {}


def test_effects_never_import_each_other() -> None:
    across = {
        module.name: others
        for module in modules()
        if module.part in EFFECTS and (others := other_parts(module) & EFFECTS)
    }
    assert across == {}


def test_the_stand_in_engine_needs_no_effect_and_no_runner() -> None:
    lower = BASE | SCHEMA | PURE
    needs = {
        module.name: above
        for module in modules()
        if module.part == STAND_IN and (above := other_parts(module) - lower)
    }
    assert needs == {}


def test_only_a_command_starts_the_stand_in_engine() -> None:
    users = {m.part for m in modules() if STAND_IN in other_parts(m)}
    assert users <= COMMANDS


def test_stats_import_nothing_of_ours() -> None:
    ours = {m.name: other_parts(m) for m in modules() if m.part == "stats"}
    assert ours
    assert {name: parts for name, parts in ours.items() if parts} == {}


def test_httpx_stays_where_requests_are_made() -> None:
    users = {m.name for m in modules() if "httpx" in m.foreign_imports}
    assert users
    at_home = {m.name for m in modules() if m.part in HTTPX_HOMES} | HTTPX_MODULES
    assert users - at_home == set()


def test_pure_code_has_no_socket_no_process_and_no_clock() -> None:
    worldly = {
        module.name: used
        for module in modules()
        if module.part in PURE | SCHEMA
        and (
            used := (module.foreign_imports & WORLD) | (other_parts(module) & {"clock"})
        )
    }
    assert worldly == {}
