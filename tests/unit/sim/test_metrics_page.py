"""The metrics page speaks vLLM's dialect."""

import re
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from specbench.sim.config import SimSpeculation
from specbench.sim.engine_view import EngineView
from specbench.sim.metrics_page import render_metrics
from specbench.sim.model import Engine
from tests.unit.sim.virtual import config, drafter, request, run_until_idle

_CAPTURED = Path(__file__).parent / "vllm_0_32_0" / "series.txt"


def _page(
    speculation: SimSpeculation | None, model_name: str = "m", ranks: int = 1
) -> str:
    engine = Engine(config(speculation, max_num_seqs=2), seed=0)
    for name in "abc":
        engine.submit(request(name, max_tokens=9, prompt_tokens=10), 0)
    engine.submit(request("d", max_tokens=1), 0)
    run_until_idle(engine)
    engines = [
        EngineView(
            rank=rank, running=2, waiting=1, kv_usage=0.25, counters=engine.counters
        )
        for rank in range(ranks)
    ]
    return render_metrics(engine.config, engines, model_name, created_unix=1.8e9)


def _samples(page: str) -> dict[str, float]:
    """Series without its base labels -> value."""
    samples = {}
    for family in text_string_to_metric_families(page):
        for sample in family.samples:
            extra = {
                key: value
                for key, value in sample.labels.items()
                if key not in ("engine", "model_name")
            }
            samples[sample.name + (str(extra) if extra else "")] = sample.value
    return samples


def test_every_series_has_name_and_labels_of_the_real_engine() -> None:
    real = set(_CAPTURED.read_text().splitlines())
    lines = [
        line
        for line in _page(drafter(0.5, 0.5)).splitlines()
        if not line.startswith("#") and "_bucket{" not in line
    ]
    ours = set()
    for line in lines:
        name, _, labels = line.partition("{")
        label_names = sorted(re.findall(r'(\w+)="', labels))
        ours.add(f"{name} {','.join(label_names)}")
    assert ours <= real


def test_a_baseline_does_not_expose_speculation_at_all() -> None:
    assert "spec_decode" not in _page(None)
    assert "spec_decode" in _page(drafter(0.5))


def test_counts_on_the_page_are_the_engines() -> None:
    samples = _samples(_page(drafter(1.0, 0.0)))
    # a, b, c: one token from the prefill, then steps of two: 4 drafts each.
    assert samples["vllm:spec_decode_num_drafts_total"] == 12
    assert samples["vllm:spec_decode_num_draft_tokens_total"] == 24
    assert samples["vllm:spec_decode_num_accepted_tokens_total"] == 12
    by_position = "vllm:spec_decode_num_accepted_tokens_per_pos_total"
    assert samples[by_position + "{'position': '0'}"] == 12
    assert samples[by_position + "{'position': '1'}"] == 0
    assert samples["vllm:generation_tokens_total"] == 28
    assert samples["vllm:prompt_tokens_total"] == 40
    assert samples["vllm:request_success_total{'finished_reason': 'length'}"] == 4
    assert samples["vllm:request_prefill_time_seconds_count"] == 4
    prefill = samples["vllm:request_prefill_time_seconds_sum"]
    decode = samples["vllm:request_decode_time_seconds_sum"]
    inference = samples["vllm:request_inference_time_seconds_sum"]
    assert abs(prefill + decode - inference) < 1e-9


def test_counters_come_with_created_companions() -> None:
    samples = _samples(_page(drafter(0.5)))
    assert samples["vllm:spec_decode_num_drafts_created"] == 1.8e9
    assert samples["vllm:generation_tokens_created"] == 1.8e9


def test_gauges_show_the_moment() -> None:
    samples = _samples(_page(None))
    assert samples["vllm:num_requests_running"] == 2
    assert samples["vllm:num_requests_waiting"] == 1
    assert samples["vllm:kv_cache_usage_perc"] == 0.25


def test_cache_config_says_what_the_cache_holds() -> None:
    page = _page(None)
    (line,) = [x for x in page.splitlines() if x.startswith("vllm:cache_config_info{")]
    assert 'kv_cache_size_tokens="200000"' in line
    assert 'kv_cache_max_concurrency="2.0"' in line
    assert 'enable_prefix_caching="False"' in line


def test_every_series_comes_once_for_each_rank() -> None:
    one = [x for x in _page(drafter(0.5)).splitlines() if not x.startswith("#")]
    two = [x for x in _page(drafter(0.5), ranks=2).splitlines() if x[0] != "#"]
    assert len(two) == 2 * len(one) == 2 * len({x.rpartition(" ")[0] for x in one})
    assert {x for x in two if 'engine="0"' in x} == set(one)
    assert sum('engine="1"' in x for x in two) == len(one)


def test_a_model_name_with_quotes_survives() -> None:
    name = 'a "quoted" \\ name'
    families = text_string_to_metric_families(_page(None, model_name=name))
    names = {
        sample.labels["model_name"]
        for family in families
        for sample in family.samples
        if "model_name" in sample.labels
    }
    assert names == {name}
