"""The columns of cells.csv. Their order and names are stable: scripts read them."""

from collections.abc import Callable
from operator import attrgetter

from specbench.report.columns import (
    Column,
    join_floats,
    join_pairs,
    metric_column,
)
from specbench.schema.findings import Acceptance, CellStats, Distribution
from specbench.schema.metric import METRICS

CellColumn = Column[CellStats]

LATENCIES = ("ttft", "tpot", "tpot_usual", "itl", "chunk_gap", "e2e_latency")
QUANTILES = {
    "mean": "mean",
    "p50": "median",
    "p90": "90th percentile",
    "p95": "95th percentile",
    "p99": "99th percentile",
}


def _key_columns() -> list[CellColumn]:
    return [
        CellColumn("target", "", "label of the target", lambda c: _on(c).target),
        CellColumn("arm", "", "`baseline` or the arm's name", lambda c: c.key.arm),
        CellColumn("dataset", "", "name of the data set", lambda c: _on(c).dataset),
        CellColumn(
            "context",
            "tokens",
            "wanted prompt tokens; 0 = as the data set has them",
            lambda c: _on(c).context,
        ),
        CellColumn("temperature", "", "of sampling", lambda c: _on(c).temperature),
        metric_column("concurrency", lambda c: _on(c).concurrency),
        CellColumn(
            "replicate", "", "which launch of the arm, from 1", lambda c: c.key.replicate
        ),
        CellColumn("void", "", "`true`: takes part in nothing", lambda c: c.is_void),
        CellColumn(
            "flags",
            "",
            "codes of all findings, void ones included, parted by `;`",
            lambda c: ";".join(f.code for f in c.findings),
        ),
    ]


def _request_columns() -> list[CellColumn]:
    return [
        CellColumn(
            "completed",
            "requests",
            "ended well, warm-up left out",
            lambda c: c.completed,
        ),
        CellColumn(
            "empty",
            "requests",
            "of the completed ones, those without any generated token",
            lambda c: c.empty,
        ),
        CellColumn("failed", "requests", "did not end well", lambda c: c.failed),
        CellColumn(
            "errors", "", "distinct reasons, parted by ` | `", lambda c: _errors(c)
        ),
        CellColumn("window_s", "s", "length of the window", lambda c: c.window_s),
        CellColumn(
            "latency_basis",
            "",
            "which requests the latencies are over",
            lambda c: c.latency_basis.value,
        ),
    ]


def _load_columns() -> list[CellColumn]:
    plain = ("in_flight", "running_batch", "waiting", "kv_usage")
    return [
        *[metric_column(name, attrgetter(name)) for name in plain],
        metric_column("output_throughput", lambda c: c.output_throughput),
        metric_column(
            "output_throughput_whole_run", lambda c: c.whole_run.output_throughput
        ),
        metric_column("request_throughput", lambda c: c.request_throughput),
        CellColumn(
            "duration_whole_run_s",
            "s",
            "first request sent to last one ended",
            lambda c: c.whole_run.duration_s,
        ),
        CellColumn(
            "output_tokens",
            "tokens",
            "over all completed requests",
            lambda c: c.output_tokens,
        ),
        CellColumn(
            "mean_output_tokens",
            "tokens",
            "output tokens of a completed request",
            lambda c: c.mean_output_tokens,
        ),
        CellColumn(
            "tokens_exact",
            "",
            "`false`: some chunk's tokens were spread evenly, the server sending no"
            " running count",
            lambda c: c.tokens_exact,
        ),
        CellColumn(
            "tpot_is_usual",
            "",
            "`true`: the first chunk's tokens are unknown, so `tpot` is the usual form",
            lambda c: c.tpot_is_usual,
        ),
    ]


def _latency_columns(
    stem: str, where: str, read: Callable[[CellStats], Distribution | None]
) -> list[CellColumn]:
    """Count, mean and quantiles of one latency; `where` is empty for the window."""
    meaning = METRICS[stem].meaning
    basis = ", over all measured requests" if where else ""
    columns = [
        CellColumn(
            f"{stem}{where}_n",
            "",
            f"values behind {stem}{where}",
            lambda c: _figure(read(c), "n"),
        )
    ]
    for name, words in QUANTILES.items():
        columns.append(_quantile(f"{stem}{where}", name, words, read))
    first = columns[1]
    columns[1] = CellColumn(
        first.name, first.unit, f"{first.meaning} of: {meaning}{basis}", first.read
    )
    return columns


def _quantile(
    stem: str,
    name: str,
    words: str,
    read: Callable[[CellStats], Distribution | None],
) -> CellColumn:
    return CellColumn(f"{stem}_{name}_s", "s", words, lambda c: _figure(read(c), name))


def _acceptance_columns(
    where: str, read: Callable[[CellStats], Acceptance | None]
) -> list[CellColumn]:
    def column(name: str, unit: str, meaning: str, field: str) -> CellColumn:
        return CellColumn(
            name + where, unit, meaning, lambda c: getattr(read(c), field, None)
        )

    rate, length = METRICS["acceptance_rate"], METRICS["acceptance_length"]
    return [
        column("drafts", "", "drafts made", "drafts"),
        column("draft_tokens", "tokens", "proposed", "draft_tokens"),
        column("accepted_tokens", "tokens", "of these, accepted", "accepted_tokens"),
        column(rate.name, rate.unit, rate.meaning, "rate"),
        column(length.name, length.unit, length.meaning, "length"),
        CellColumn(
            f"acceptance_by_position{where}",
            "",
            "accepted at i / drafts for i = 1, 2, ..., parted by `;`",
            lambda c: join_floats(getattr(read(c), "by_position", None)),
        ),
        CellColumn(
            f"conditional_acceptance_by_position{where}",
            "",
            "accepted at i / accepted at i-1, parted by `;`",
            lambda c: join_floats(getattr(read(c), "conditional_by_position", None)),
        ),
        column("acceptance_source", "", "where the counts come from", "source"),
    ]


def _health_columns() -> list[CellColumn]:
    return [
        metric_column("tokens_per_step", lambda c: c.tokens_per_step),
        CellColumn("preemptions", "", "over the whole cell", lambda c: c.preemptions),
        metric_column("prefix_hit_rate", lambda c: c.prefix_hit_rate),
        metric_column("looping_share", lambda c: c.looping_share),
        metric_column("client_lag_p99", lambda c: c.client_lag_p99),
        CellColumn(
            "finish_reasons",
            "requests",
            "`reason=count`, parted by `;`",
            lambda c: join_pairs(c.finish_reasons),
        ),
        CellColumn(
            "missing",
            "",
            "`figure=reason` for figures that are empty, parted by `;`",
            lambda c: join_pairs(c.missing),
        ),
    ]


def _on(cell: CellStats) -> "Condition":
    return cell.key.condition


def _errors(cell: CellStats) -> str:
    return " | ".join(cell.errors)


def _figure(latency: Distribution | None, name: str) -> float | None:
    return None if latency is None else getattr(latency, name)


