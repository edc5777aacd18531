"""`make bench-stats`: how often the answers are right, on engines whose truth is
programmed, in virtual time. README.md says how. The exit code is 1 where a promise is
broken."""

import argparse
import sys
from collections.abc import Sequence

from arguments import parse, usual_parser
from cells import CellSize
from curves import CURVES
from draws import Plan
from page import METHOD, save, tables
from promises import ENOUGH_SWEEPS, check
from study import Effort, run_study

LOADS = (1, 2, 4, 8, 16, 32, 64, 128, 256)
FULL = Plan(LOADS, seeds=12, size=CellSize(at_least=400, per_slot=4))
QUICK = Plan(LOADS, seeds=2, size=CellSize(at_least=80, per_slot=3))
QUICK_SWEEPS = 20


def main(argv: Sequence[str]) -> int:
    """0 = no promise is broken."""
    options = _arguments(argv)
    study = run_study(_effort(options), options.curves)
    text = tables(study)
    sys.stdout.write(text + "\n")
    checks = check(study)
    for one in checks:
        sys.stdout.write(one.line + "\n")
    if study.effort.sweeps < ENOUGH_SWEEPS:
        sys.stdout.write(f"- under {ENOUGH_SWEEPS} sweeps: rates are not judged\n")
    if options.save:
        save(text)
    return 0 if all(one.holds for one in checks) else 1


def _arguments(argv: Sequence[str]) -> argparse.Namespace:
    names = [curve.name for curve in CURVES]
    quick = "small cells, few sweeps, nothing judged"
    parser = usual_parser(__doc__, names, quick, METHOD.name)
    parser.add_argument(
        "--launch-share",
        type=float,
        default=0.5,
        help="of the noise's variance, between launches",
    )
    return parse(parser, argv, names)


def _effort(options: argparse.Namespace) -> Effort:
    usual = QUICK_SWEEPS if options.quick else ENOUGH_SWEEPS
    return Effort(
        plan=QUICK if options.quick else FULL,
        sweeps=options.sweeps or usual,
        whole=1,
        near_loads=6 if options.quick else 8,
        processes=options.processes,
        launch_share=options.launch_share,
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
