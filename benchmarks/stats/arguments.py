"""The command line that `make bench-stats` and `make bench-search` share."""

import argparse
from collections.abc import Collection, Sequence


def usual_parser(
    description: str | None, curves: Collection[str], quick: str, page: str
) -> argparse.ArgumentParser:
    """`quick`: what `--quick` does; `page`: the file that `--save` writes to."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--sweeps", type=int, help="of each curve at each noise")
    parser.add_argument(
        "--curves",
        type=lambda text: [name for name in text.split(",") if name],
        default=[],
        help=f"some of: {', '.join(curves)}",
    )
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help=quick)
    parser.add_argument("--save", action="store_true", help=f"to {page}")
    return parser


def parse(
    parser: argparse.ArgumentParser, argv: Sequence[str], curves: Collection[str]
) -> argparse.Namespace:
    """Ends the program where a curve is not one of these."""
    options = parser.parse_args(argv)
    unknown = set(options.curves) - set(curves)
    if unknown:
        parser.error(f"no such curve: {', '.join(sorted(unknown))}")
    return options
