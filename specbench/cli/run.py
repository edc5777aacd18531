"""`specbench run`: launch engines, sweep, store, report."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from specbench.cli.streams import Format, ReportFormat, emit, tell
from specbench.errors import ExitCode, InputError, ResultsError

if TYPE_CHECKING:
    from specbench.runner.derive import Derived
    from specbench.schema.findings import RunFindings
    from specbench.schema.plan import SweepPlan


def run(
    sweep: Path = typer.Argument(help="Sweep file (TOML).", show_default=False),
    set_: list[str] = typer.Option(
        [],
        "--set",
        metavar="KEY=VALUE",
        help="Replace a value of the sweep file, e.g. measure.replicates=1 or"
        " load.concurrency=[1,8]. May be given again.",
        show_default=False,
    ),
    results: Path = typer.Option(
        Path("results"), "--results", metavar="DIR", help="Where the run is stored."
    ),
    url: list[str] = typer.Option(
        [],
        "--url",
        metavar="ARM=URL",
        help="Measure a server that already runs instead of launching one; give one"
        " for `baseline` and one for each arm. A key that they need comes from the"
        " environment variable SPECBENCH_API_KEY.",
        show_default=False,
    ),
    aa: bool = typer.Option(
        False,
        "--aa",
        help="Measure the baseline against itself (arm `aa`) instead of the sweep's"
        " arms: how much equal launches differ on this machine. It is kept, and later"
        " sweeps with few launches rest on it. All loads of the sweep file are"
        " measured, also where it asks for an adaptive search.",
    ),
    dry_run: bool = typer.Option(
        False,
        "--dry-run",
        help="Check everything, print launches with their order and places, cells,"
        " expected time and memory, start nothing.",
    ),
    format_: ReportFormat = typer.Option(
        ReportFormat.TABLE, "--format", help="How the result is printed."
    ),
    quiet: bool = typer.Option(
        False, "--quiet", "-q", help="No progress, only results and failures."
    ),
) -> None:
    """Launch engines, sweep, store, report.

    For each target the baseline (the same server without speculation) and every arm
    are launched in balanced order and measured at each load with the same prompts,
    side by side with swapped roles where the machine has GPUs enough for all arms,
    targets too where it has more (measure.placement, measure.gpus). Results go to
    DIR/<sweep>/<start>-<id>/: tables, CSV, plots, raw samples, logs.

    Example: specbench run sweeps/cpu-demo.toml --set measure.replicates=1
    """
    from specbench.engines import ADAPTERS
    from specbench.planning.arms import count_arms, speculation_of_arms
    from specbench.planning.expand import plan_sweep
    from specbench.planning.read_sweep import read_sweep
    from specbench.runner.placement import place_sweep
    from specbench.runner.preflight import prepare_sweep

    spec = read_sweep(sweep, set_, engines=tuple(ADAPTERS))
    arms = tuple(speculation_of_arms(spec, is_aa=aa))
    urls = parse_urls(url, arms, len(spec.targets))
    placement = place_sweep(
        spec, count_arms(spec, is_aa=aa), str(sweep), will_launch=not urls
    )
    plan = plan_sweep(
        spec, is_aa=aa, places=placement.counts, together=placement.together
    )
    prepared = prepare_sweep(plan, str(sweep), will_launch=not urls)
    plan = prepared.plan
    tell_client_limit(plan)
    if dry_run:
        from specbench.cli.dry_run import show_forecast
        from specbench.runner.forecast import make_forecast

        forecast = make_forecast(plan, placement, will_launch=not urls)
        show_forecast(forecast, dry_format(format_))
        return
    from specbench.cli.progress import ProgressDisplay
    from specbench.cli.show import show_run
    from specbench.runner.job import execute

    display = ProgressDisplay(is_quiet=quiet)
    try:
        with display:
            done = execute(prepared, placement, sweep.stem, results, urls, display)
    except KeyboardInterrupt:
        tell(f"interrupted; what was measured is kept in {display.folder}")
        raise typer.Exit(ExitCode.INTERRUPTED) from None
    show_run(done, format_)
    if aa:
        tell(keep_words(done))
    if done.findings.failed_launches or not every_arm_counts(done.findings):
        tell(
            "error: some arm failed or has no cell that counts (see the findings);"
            " what could be measured is kept"
        )
        raise typer.Exit(ExitCode.ENGINE_FAILED)
    if format_ is ReportFormat.TABLE:
        emit(f"Run folder: {done.folder}")


def tell_client_limit(plan: "SweepPlan") -> None:
    """Say before anything starts where the sweep asks more of the load generator than
    the selftest of this machine has shown it to carry."""
    from specbench.analysis.selftest import advise
    from specbench.planning.expand import most_streams
    from specbench.runner.selftest import recall_selftest

    advice = advise(recall_selftest(), most_streams(plan.spec.load))
    if advice is not None:
        tell(advice)


def dry_format(format_: ReportFormat) -> Format:
    """A plan has no Markdown form; its table stands in."""
    if format_ is ReportFormat.MARKDOWN:
        return Format.TABLE
    return Format(format_.value)


def every_arm_counts(findings: "RunFindings") -> bool:
    """Whether each arm of each target has a cell that is not void."""
    arms = {(c.key.condition.target, c.key.arm) for c in findings.cells}
    valid = {
        (c.key.condition.target, c.key.arm) for c in findings.cells if not c.is_void
    }
    return bool(arms) and arms == valid


def keep_words(done: "Derived") -> str:
    """Keep what an A/A run has shown, and say where."""
    from specbench.runner.noise import keep_noise

    try:
        kept = keep_noise(done)
    except ResultsError as error:
        return f"the launch noise could not be kept: {error.message}"
    if kept.path is None:
        return f"no launch noise was kept: {kept.reason}"
    return f"launch noise of this machine kept in {kept.path}"


def parse_urls(given: list[str], arms: tuple[str, ...], targets: int) -> dict[str, str]:
    """`ARM=URL` pairs; all arms or none."""
    from specbench.runner.address import check_url

    if not given:
        return {}
    urls: dict[str, str] = {}
    for pair in given:
        name, _, url = pair.partition("=")
        if name not in arms:
            raise InputError(
                f"--url {pair}: there is no arm {name!r}",
                hint=f"the arms of this run are {', '.join(arms)}",
            )
        check_url(url)
        urls[name] = url.rstrip("/")
    lacking = [arm for arm in arms if arm not in urls]
    if lacking:
        raise InputError(
            f"--url: no URL for {', '.join(lacking)}",
            hint="either every arm is launched or every arm has a URL",
        )
    if targets > 1:
        raise InputError("--url: the sweep has several targets; give a sweep with one")
    return {arm: urls[arm] for arm in arms}
