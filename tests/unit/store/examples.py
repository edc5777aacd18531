"""Values of the stored types: fixed ones for single rules, strategies for any."""

from hypothesis import strategies as st

from specbench.schema.cell import CellKey, Condition
from specbench.schema.drafting import Drafter
from specbench.schema.host import GpuFacts, GpuProcess, HostFacts
from specbench.schema.plan import CellSize
from specbench.schema.record import (
    CellRecord,
    ClientHealth,
    DatasetUse,
    EngineFacts,
    GpuReading,
    LaunchRecord,
)
from specbench.schema.sample import Chunk, Outcome, RequestSample, Role
from specbench.schema.snapshot import MetricsSnapshot, Phase
from specbench.store.manifest import Manifest, RunStatus

instants = st.integers(min_value=0, max_value=2**63 - 1)
counts = st.integers(min_value=0, max_value=2**31 - 1)
texts = st.text(max_size=12)
numbers = st.floats(allow_nan=False, allow_infinity=False)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | numbers | texts,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3)
    ),
    max_leaves=6,
)

chunks = st.builds(
    Chunk,
    arrival_ns=instants,
    text=texts,
    is_reasoning=st.booleans(),
    tokens_so_far=st.none() | counts,
)
samples = st.builds(
    RequestSample,
    index=counts,
    prompt_id=texts,
    category=texts,
    slot=counts,
    role=st.sampled_from(Role),
    scheduled_ns=instants,
    sent_ns=instants,
    end_ns=instants,
    outcome=st.sampled_from(Outcome),
    error=st.none() | texts,
    http_status=st.none() | counts,
    chunks=st.lists(chunks, max_size=5).map(tuple),
    prompt_tokens=st.none() | counts,
    output_tokens=st.none() | counts,
    finish_reason=st.none() | texts,
    speculation=st.none() | st.dictionaries(texts, json_values, max_size=3),
)
snapshots = st.builds(
    MetricsSnapshot,
    phase=st.sampled_from(Phase),
    instant_ns=instants,
    text=st.none() | st.text(),
    error=st.none() | texts,
)
_conditions = st.builds(
    Condition,
    target=texts,
    dataset=texts,
    context=counts,
    temperature=numbers,
    concurrency=counts,
)
_gpus = st.builds(
    GpuFacts,
    index=counts,
    uuid=texts,
    name=texts,
    memory_total_bytes=st.none() | counts,
    memory_used_bytes=st.none() | counts,
    sm_clock_mhz=st.none() | counts,
    sm_clock_max_mhz=st.none() | counts,
    memory_clock_mhz=st.none() | counts,
    power_limit_w=st.none() | numbers,
    temperature_c=st.none() | counts,
    throttle_reasons=st.none() | st.lists(texts, max_size=2).map(tuple),
    processes=st.none()
    | st.lists(
        st.builds(GpuProcess, pid=counts, memory_bytes=st.none() | counts), max_size=2
    ).map(tuple),
)
hosts = st.builds(
    HostFacts,
    hostname=texts,
    os=texts,
    kernel=texts,
    python=texts,
    cpu_model=st.none() | texts,
    cpu_count=st.none() | counts,
    memory_bytes=st.none() | counts,
    load_average_1m=st.none() | numbers,
    gpu_driver=st.none() | texts,
    gpus=st.lists(_gpus, max_size=2).map(tuple),
    gpu_note=st.none() | texts,
)
cell_records = st.builds(
    CellRecord,
    key=st.builds(CellKey, condition=_conditions, arm=texts, replicate=counts),
    launch_index=counts,
    size=st.builds(CellSize, warmup=counts, measured=counts),
    started_utc=texts,
    duration_s=numbers,
    client=st.builds(
        ClientHealth,
        lag_p50_s=st.none() | numbers,
        lag_p99_s=st.none() | numbers,
        lag_max_s=st.none() | numbers,
        lag_samples=counts,
        cpu_share=st.none() | numbers,
        processes=counts,
        lag_expected=st.none() | counts,
    ),
    gpu=st.lists(
        st.builds(
            GpuReading,
            phase=st.sampled_from(Phase),
            instant_ns=instants,
            index=counts,
            uuid=st.none() | texts,
            temperature_c=st.none() | counts,
            sm_clock_mhz=st.none() | counts,
            power_w=st.none() | numbers,
            slowdowns=st.none() | st.lists(texts, max_size=2).map(tuple),
            memory_used_bytes=st.none() | counts,
            foreign_pids=st.none() | st.lists(counts, max_size=2).map(tuple),
        ),
        max_size=2,
    ).map(tuple),
)
launch_records = st.builds(
    LaunchRecord,
    index=counts,
    target=texts,
    arm=texts,
    replicate=counts,
    command=st.lists(texts, max_size=3).map(tuple),
    env=st.dictionaries(texts, texts, max_size=3),
    ready_s=st.none() | numbers,
    facts=st.none()
    | st.builds(
        EngineFacts,
        engine=texts,
        version=st.none() | texts,
        model_id=st.none() | texts,
        max_model_len=st.none() | counts,
        kv_capacity_tokens=st.none() | counts,
        kv_max_concurrency=st.none() | numbers,
        max_num_seqs=st.none() | counts,
        max_num_batched_tokens=st.none() | counts,
        prefix_caching=st.none() | st.booleans(),
        notes=st.lists(texts, max_size=2).map(tuple),
        cuda_graph_max_tokens=st.none() | counts,
        drafter=st.none()
        | st.builds(
            Drafter,
            method=texts,
            is_overlapped=st.none() | st.booleans(),
            is_adaptive=st.none() | st.booleans(),
            branches=st.none() | counts,
        ),
    ),
    error=st.none() | texts,
    host=st.none() | hosts,
    place=counts,
    gpus=st.lists(texts, max_size=2).map(tuple),
)


def example_manifest() -> Manifest:
    return Manifest(
        format_version=1,
        specbench_version="0.1.0",
        measurement_version=1,
        sweep_name="chat",
        sweep={"load": {"concurrency": [1, 2]}, "targets": [{"model": "m"}]},
        host=None,
        datasets=(DatasetUse("d", "/d.jsonl", "00", used=8, skipped=("line 5: bad",)),),
        notes=(),
        filler=None,
        git_commit=None,
        seeds={"workload": 0},
        started_utc="2026-11-30T09:00:00+00:00",
        finished_utc=None,
        status=RunStatus.RUNNING,
    )


def example_cell(
    concurrency: int = 4, arm: str = "baseline", launch_index: int = 1
) -> CellRecord:
    return CellRecord(
        key=CellKey(Condition("m", "d", 0, 0.0, concurrency), arm, replicate=1),
        launch_index=launch_index,
        size=CellSize(warmup=4, measured=16),
        started_utc="2026-11-30T09:01:00+00:00",
        duration_s=12.5,
        client=ClientHealth(0.001, 0.002, 0.003, 100, 0.25),
    )


def example_sample(index: int = 0) -> RequestSample:
    return RequestSample(
        index=index,
        prompt_id=f"q{index}/1",
        category="writing",
        slot=0,
        role=Role.MEASURED,
        scheduled_ns=1_000,
        sent_ns=1_100,
        end_ns=9_000,
        outcome=Outcome.OK,
        error=None,
        http_status=200,
        chunks=(
            Chunk(2_000, "", is_reasoning=False, tokens_so_far=None),
            Chunk(3_000, "Un café", is_reasoning=True, tokens_so_far=2),
            Chunk(4_000, " 😀", is_reasoning=False, tokens_so_far=4),
        ),
        prompt_tokens=12,
        output_tokens=4,
        finish_reason="stop",
        speculation={"num_spec_steps": 2},
    )


def example_snapshot() -> MetricsSnapshot:
    return MetricsSnapshot(Phase.OPEN, 5_000, 'vllm:x{engine="0"} 1.0\n', None)


def example_launch(index: int = 1) -> LaunchRecord:
    return LaunchRecord(
        index=index, target="m", arm="baseline", replicate=1, command=("vllm", "serve")
    )
