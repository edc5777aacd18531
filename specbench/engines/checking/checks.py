"""The whole check of one adapter: every arm's facts, metrics and streams, the causes of
failed starts, and the flags of the command line."""

from collections.abc import Iterator

from specbench.engines.checking.captures import (
    IDLE,
    LOG,
    ArmCapture,
    CaptureSet,
    page_name,
)
from specbench.engines.checking.causes import check_causes
from specbench.engines.checking.drafts import check_draft_counters
from specbench.engines.checking.facts import check_facts
from specbench.engines.checking.flags import check_flags
from specbench.engines.checking.metrics import check_metrics, read_pages
from specbench.engines.checking.streams import check_streams, read_drafts, read_streams
from specbench.engines.checking.traffic import check_traffic
from specbench.engines.checking.verdicts import CheckedItem
from specbench.engines.contract import EngineAdapter


def check_captures(
    adapter: EngineAdapter, captured: CaptureSet
) -> tuple[CheckedItem, ...]:
    """Everything that the adapter has to answer, as far as the captures go."""
    items: list[CheckedItem] = []
    for arm in captured.arms:
        items += _check_arm(adapter, captured, arm)
    items += check_causes(adapter, captured)
    items += check_flags(adapter, captured)
    return tuple(items)


def _check_arm(
    adapter: EngineAdapter, captured: CaptureSet, arm: ArmCapture
) -> Iterator[CheckedItem]:
    """An arm may have streams only; it then says nothing of itself."""
    if {LOG, IDLE, page_name(adapter.models_path)} & arm.pages.keys():
        yield from check_facts(adapter, captured, arm)
    pages = read_pages(adapter, arm)
    readings = read_streams(arm)
    drafts = read_drafts(adapter, readings)
    yield from check_metrics(adapter, arm, pages)
    yield from check_draft_counters(
        arm, pages, by_request=any(one is not None for one in drafts.values())
    )
    yield from check_streams(captured, arm, readings, drafts)
    if pages and readings:
        yield from check_traffic(arm, pages, readings, drafts)
