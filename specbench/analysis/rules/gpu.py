"""Whether the engine's GPUs were its own and ran at their usual pace."""

from specbench.analysis.rules.rule import CellContext, flag, void
from specbench.schema.findings import CellStats, Finding

SLOWDOWNS = (
    "hw_slowdown",
    "sw_thermal_slowdown",
    "hw_thermal_slowdown",
    "hw_power_brake_slowdown",
)
"""Reasons that make a GPU another one than the one that was bought. `sw_power_cap` is
not among them: at load a GPU runs at its power limit, that is what it is for."""
CLOCK_FALL = 0.10


def thermal_slowdown(stats: CellStats, _: CellContext) -> Finding | None:
    """Heat or the power supply lowered the clocks."""
    found = [r for r in (stats.gpu and stats.gpu.slowdowns) or () if r in SLOWDOWNS]
    if not found:
        return None
    heat = stats.gpu.temperature_max_c if stats.gpu else None
    at = "" if heat is None else f", at up to {heat} degrees C"
    return void(
        "thermal-slowdown",
        f"the GPU lowered its clocks while the cell ran ({', '.join(found)}{at})",
        "see to its cooling and power supply, or set a lower power limit that it can"
        " hold in all arms",
    )


def gpu_shared(stats: CellStats, _: CellContext) -> Finding | None:
    """Somebody else computed on the GPU meanwhile."""
    pids = stats.gpu.foreign_pids if stats.gpu else None
    if not pids:
        return None
    noun = "process" if len(pids) == 1 else "processes"
    return void(
        "gpu-in-use",
        f"{noun} {', '.join(map(str, pids))} used the GPU while the cell ran",
        "end what else uses it, or choose another GPU by CUDA_VISIBLE_DEVICES",
    )


def clock_fell(stats: CellStats, _: CellContext) -> Finding | None:
    """The clock ended clearly lower than it began, whatever the reason."""
    ratio = stats.gpu.clock_ratio if stats.gpu else None
    if ratio is None or ratio >= 1 - CLOCK_FALL:
        return None
    return flag(
        "clock-fell",
        f"the GPU's SM clock fell by {1 - ratio:.0%} inside the window",
        "let it warm up before measuring, or lock its clocks (nvidia-smi -lgc) for all"
        " arms",
    )
