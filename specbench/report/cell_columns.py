"""The columns of cells.csv, one row a cell. Scripts read them: a name or a meaning,
once published, does not change; new columns come at the end."""

from specbench.report.columns import SUMMARY, Column, field, metric_column
from specbench.report.open_columns import OPEN_COLUMNS
from specbench.report.prompt_columns import PROMPT_COLUMNS
from specbench.schema.findings import CellStats
from specbench.schema.metric import METRICS

CellColumn = Column[CellStats]

LATENCIES = ("ttft", "tpot", "tpot_usual", "itl", "chunk_gap", "e2e_latency")
DRAFT_FIGURES = (
    ("drafts", "", "drafts made", "drafts"),
    ("draft_tokens", "tokens", "tokens proposed", "draft_tokens"),
    ("accepted_tokens", "tokens", "of these, accepted", "accepted_tokens"),
    ("acceptance_rate", "", METRICS["acceptance_rate"].meaning, "rate"),
    ("acceptance_length", "tokens", METRICS["acceptance_length"].meaning, "length"),
    (
        "acceptance_by_position",
        "",
        "accepted at i / drafts, for i = 1, 2, ..., parted by `;`",
        "by_position",
    ),
    (
        "conditional_acceptance_by_position",
        "",
        "accepted at i / accepted at i-1, parted by `;`",
        "conditional_by_position",
    ),
    ("acceptance_source", "", "where these counts come from", "source"),
)


def _plain(name: str, unit: str, meaning: str, path: str = "") -> CellColumn:
    return Column(name, unit, meaning, field(path or name))


def _latency(name: str, is_whole: bool) -> list[CellColumn]:
    """Count, mean and quantiles of one latency."""
    stem, path = (
        (f"{name}_whole_run", f"whole_run.{name}") if is_whole else (name, name)
    )
    over = "of all measured requests" if is_whole else "of `latency_basis`"
    return [
        _plain(f"{stem}_n", "", f"values behind `{stem}`", f"{path}.n"),
        *[
            _plain(
                f"{stem}_{part}_s",
                "s",
                f"{words}, {over}: {METRICS[name].meaning}",
                f"{path}.{part}",
            )
            for part, words in SUMMARY.items()
        ],
    ]


def _drafts(is_whole: bool) -> list[CellColumn]:
    suffix = "_whole_run" if is_whole else ""
    path = "whole_run.acceptance" if is_whole else "acceptance"
    over = "; over the whole cell" if is_whole else ""
    return [
        _plain(name + suffix, unit, meaning + over, f"{path}.{part}")
        for name, unit, meaning, part in DRAFT_FIGURES
    ]


KEY_COLUMNS: tuple[CellColumn, ...] = (
    _plain("target", "", "label of the target", "key.condition.target"),
    _plain("arm", "", "`baseline` or the arm's name", "key.arm"),
    _plain("dataset", "", "name of the data set", "key.condition.dataset"),
    _plain(
        "context",
        "tokens",
        "wanted prompt tokens; 0 = as the data set has them",
        "key.condition.context",
    ),
    _plain("temperature", "", "of sampling", "key.condition.temperature"),
    metric_column("concurrency", "key.condition.concurrency"),
    _plain("replicate", "", "which launch of the arm, from 1", "key.replicate"),
    _plain("void", "", "`true`: the cell takes part in nothing", "is_void"),
    Column(
        "flags",
        "",
        "codes of all findings, void ones included, parted by `;`",
        lambda c: tuple(f.code for f in c.findings),
    ),
)

REQUEST_COLUMNS: tuple[CellColumn, ...] = (
    _plain("completed", "requests", "ended well, warm-up left out"),
    _plain("empty", "requests", "of the completed, those without a generated token"),
    _plain("failed", "requests", "did not end well"),
    Column(
        "errors",
        "",
        "distinct reasons of failed requests, parted by ` | `",
        lambda c: " | ".join(c.errors),
    ),
    _plain("finish_reasons", "requests", "`reason=count`, parted by `;`"),
    _plain("output_tokens", "tokens", "over all completed requests"),
    _plain("mean_output_tokens", "tokens", "output tokens of a completed request"),
    _plain("window_s", "s", "length of the window"),
    _plain(
        "duration_whole_run_s",
        "s",
        "first measured request sent to last one ended",
        "whole_run.duration_s",
    ),
)

LOAD_COLUMNS: tuple[CellColumn, ...] = (
    metric_column("in_flight"),
    metric_column("running_batch"),
    metric_column("waiting"),
    metric_column("kv_usage"),
    _plain("preemptions", "", "over the whole cell"),
    metric_column("prefix_hit_rate"),
    metric_column("client_lag_p99"),
)

SPEED_COLUMNS: tuple[CellColumn, ...] = (
    metric_column("output_throughput"),
    metric_column("output_throughput_whole_run", "whole_run.output_throughput"),
    metric_column("request_throughput"),
    _plain(
        "tokens_exact",
        "",
        "`false`: tokens were spread evenly over chunks, for want of running counts",
    ),
    _plain(
        "tpot_is_usual",
        "",
        "`true`: the first chunk's tokens are unknown, so `tpot` is the usual form",
    ),
    _plain("latency_basis", "", "which requests the latencies are over"),
)

HEALTH_COLUMNS: tuple[CellColumn, ...] = (
    metric_column("client_lag_watched"),
    metric_column("client_cpu_share"),
    metric_column("window_share"),
    metric_column("drift", "drift.ratio"),
    _plain(
        "drift_limit",
        "",
        "factor within which `drift` may lie by chance, either way",
        "drift.limit",
    ),
    _plain(
        "gpu_temperature_max_c",
        "C",
        "highest of the GPUs at load",
        "gpu.temperature_max_c",
    ),
    _plain(
        "gpu_power_mean_w", "W", "sum of the GPUs' means at load", "gpu.power_mean_w"
    ),
    _plain(
        "gpu_clock_ratio",
        "",
        "last / first SM clock inside the window, of the GPU that fell most",
        "gpu.clock_ratio",
    ),
    _plain(
        "gpu_slowdowns",
        "",
        "why clocks were not at their highest at load, by NVML's names, parted by `;`",
        "gpu.slowdowns",
    ),
    _plain(
        "gpu_foreign_pids",
        "",
        "other processes that computed on the GPUs during the cell, parted by `;`",
        "gpu.foreign_pids",
    ),
)
"""Whether the client, the load and the GPUs were as they should be."""

DECISION_COLUMNS: tuple[CellColumn, ...] = (
    _plain("window_completed", "requests", "ended inside the window"),
    _plain(
        "window_error",
        "",
        "relative standard error of the window's throughput, from its twelve parts",
    ),
    _plain(
        "prefill_share_of_request",
        "",
        "of the time of a request at full load, what plain decode steps do not explain;"
        " of cells without speculation",
        "prefill_share.of_request",
    ),
    _plain(
        "prefill_share_of_decode",
        "",
        "the same of the time between its tokens (interleaved prefill)",
        "prefill_share.of_decode",
    ),
    _plain(
        "plain_step_s",
        "s",
        "mean decode step while no request was in prefill",
        "prefill_share.plain_step_s",
    ),
    _plain("plain_gaps", "", "chunk gaps behind that", "prefill_share.plain_gaps"),
    _plain(
        "mean_tpot_by_token_s",
        "s",
        "all decode time / all decode tokens, of `latency_basis`",
        "mean_tpot_by_token",
    ),
)
"""What speedups and needed tokens rest on."""

ROUTE_COLUMNS: tuple[CellColumn, ...] = (
    _plain(
        "acceptance_length_by_requests_whole_run",
        "tokens",
        "of all requests of the cell, warm-up included, by their own figures; beside"
        " `acceptance_length_whole_run`, which is by counters",
        "whole_run.acceptance_by_requests.length",
    ),
    _plain(
        "acceptance_difference_whole_run",
        "",
        "the one by requests / the one by counters - 1",
        "whole_run.acceptance_difference",
    ),
)
"""Two sources of one figure."""

CELL_COLUMNS: tuple[CellColumn, ...] = (
    *KEY_COLUMNS,
    *REQUEST_COLUMNS,
    *LOAD_COLUMNS,
    *SPEED_COLUMNS,
    *[column for name in LATENCIES for column in _latency(name, is_whole=False)],
    *_drafts(is_whole=False),
    metric_column("tokens_per_step"),
    metric_column("looping_share"),
    *[column for name in LATENCIES for column in _latency(name, is_whole=True)],
    *_drafts(is_whole=True),
    Column(
        "missing",
        "",
        "`figure: reason` of figures that there are not, parted by ` | `",
        lambda c: " | ".join(f"{name}: {why}" for name, why in c.missing.items()),
    ),
    *HEALTH_COLUMNS,
    *DECISION_COLUMNS,
    *PROMPT_COLUMNS,
    *OPEN_COLUMNS,
    *ROUTE_COLUMNS,
)
