"""`make bench-search`: what the adaptive search costs beside the grid, and whether its
answers are as good, on engines whose truth is programmed, in virtual time. README.md
says how. The exit code is 1 where a promise is broken."""

import argparse
import sys
from collections.abc import Sequence

from arguments import parse, usual_parser
from cases import LEVELS, NAMES, Effort, run_study
from cells import CellSize
from promised import ENOUGH_SWEEPS, check
from tables import PAGE, save, tables

from specbench.schema.sweep import Measure

LOADS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
USUAL = Measure()
SIZE = CellSize(at_least=USUAL.min_requests, per_slot=round(USUAL.requests_per_slot))
QUICK_SWEEPS = 20


def main(argv: Sequence[str]) -> int:
    """0 = no promise is broken."""
    options = _arguments(argv)
    effort = _effort(options)
    cases = run_study(effort, options.curves)
    checks = check(cases) if effort.sweeps >= ENOUGH_SWEEPS else []
    text = tables(cases, effort, checks)
    sys.stdout.write(text + "\n")
    if not checks:
        sys.stdout.write(f"- under {ENOUGH_SWEEPS} sweeps: nothing is judged\n")
    if options.save:
        save(text)
    return 0 if all(one.holds for one in checks) else 1


def _arguments(argv: Sequence[str]) -> argparse.Namespace:
    parser = usual_parser(__doc__, NAMES, "few sweeps, nothing is judged", PAGE.name)
    parser.add_argument(
        "--noise",
        type=lambda text: tuple(float(level) for level in text.split(",")),
        default=LEVELS,
        help="levels, e.g. 0.005,0.02",
    )
    return parse(parser, argv, NAMES)


def _effort(options: argparse.Namespace) -> Effort:
    usual = QUICK_SWEEPS if options.quick else ENOUGH_SWEEPS
    sweeps = options.sweeps or usual
    return Effort(
        loads=LOADS,
        size=SIZE,
        seeds=2 if options.quick else 8,
        sweeps=sweeps,
        shared=max(1, sweeps // 8),
        processes=options.processes,
        levels=options.noise,
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
