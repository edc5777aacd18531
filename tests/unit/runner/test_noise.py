"""Launch noise between runs: kept after an A/A run, recalled for later ones."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from specbench.runner.derive import Derived
from specbench.runner.noise import (
    choose_record,
    keep_noise,
    recall_noise,
    settings_words,
)
from specbench.runner.placement import Place, Placement
from specbench.schema.comparison import NoiseRecord
from specbench.schema.findings import Finding, Severity
from specbench.schema.record import EngineFacts, LaunchRecord
from specbench.schema.sweep import SweepSpec
from specbench.store.manifest import RunStatus
from specbench.store.noise_file import add_noise, noise_path, read_noise
from specbench.store.secrets import redact_env
from specbench.store.writer import RunWriter
from tests.factories import cell_stats
from tests.unit.analysis.test_noise import arm_noise, findings
from tests.unit.runner.test_placement import GPUS, spec
from tests.unit.store.examples import example_manifest
from tests.unit.store.test_noise_file import RECORD

FACTS = EngineFacts("vllm", "0.32.0", "m", 4096, None, None, 256, 8192, False)
SPEC = spec(model="org/small", name="small")
VOID = Finding(Severity.VOID, "client-lag", "too late", "use another CPU")
SETTINGS = settings_words(SPEC, SPEC.targets[0])
PLACEMENT = Placement(GPUS, {"small": (Place(("GPU-1",)),)}, None, 8)


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def stored(
    results: Path,
    *,
    aa: bool = True,
    status: RunStatus = RunStatus.FINISHED,
    launched: bool = True,
    arms: tuple[str, ...] = ("baseline", "aa"),
    sweep: SweepSpec = SPEC,
) -> Derived:
    manifest = replace(
        example_manifest(),
        sweep=sweep.model_dump(mode="json"),
        host=GPUS if launched else None,
        aa=aa,
    )
    writer = RunWriter.create(
        results, manifest, datetime(2026, 11, 30, tzinfo=UTC), "a1"
    )
    writer.write_launch(
        LaunchRecord(
            *(1, "small", "baseline", 1, ("vllm",)), facts=FACTS, gpus=("GPU-1",)
        )
    )
    writer.finish(status, datetime(2026, 11, 30, 10, tzinfo=UTC))
    noise = [arm_noise(arm, (1.0, 2.0)) for arm in arms]
    return Derived(writer.folder, findings(*noise), None)  # type: ignore[arg-type]


def test_what_an_aa_run_has_shown_is_recalled_for_a_later_run(tmp_path: Path) -> None:
    kept = keep_noise(stored(tmp_path))
    assert kept.path == noise_path("box")
    (record,) = recall_noise(SPEC, PLACEMENT).records
    assert record.device == "1x NVIDIA H200"
    assert (record.model, record.engine) == ("org/small", "vllm")
    assert record.engine_version == "0.32.0"
    assert record.measured_utc == "2026-11-30T10:00:00+00:00"
    assert record.noise[0].launch.df == 4.0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"aa": False}, "no A/A run"),
        ({"launched": False}, "nothing was launched"),
        ({"status": RunStatus.INTERRUPTED}, "interrupted"),
        ({"arms": ()}, "two launches of each arm"),
    ],
)
def test_what_shows_no_launch_noise_is_not_kept_and_the_reason_is_told(
    tmp_path: Path, change: dict[str, object], words: str
) -> None:
    kept = keep_noise(stored(tmp_path, **change))  # type: ignore[arg-type]
    assert kept.path is None
    assert words in kept.reason
    assert read_noise(noise_path("box")) == ()


def test_a_spoiled_aa_run_is_not_kept_and_says_so(tmp_path: Path) -> None:
    done = stored(tmp_path)
    spoiled = [cell_stats("aa", r, 1, findings=(VOID,)) for r in (1, 2)]
    sound = [cell_stats("baseline", r, 1) for r in (1, 2)]
    cells = replace(done.findings, cells=(*spoiled, *sound))
    kept = keep_noise(replace(done, findings=cells))
    assert kept.path is None
    assert "2 of its 4 cells are void" in kept.reason


def fitting(**change: str) -> NoiseRecord:
    """A record that fits the sweep, but for what is changed."""
    return replace(replace(RECORD, settings=SETTINGS), **change)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "change",
    [
        {"engine": "sglang"},
        {"model": "org/large"},
        {"device": "1x NVIDIA L4"},
        {"settings": "{}"},
        {"settings": ""},
    ],
)
def test_noise_of_what_was_served_or_measured_otherwise_is_not_recalled(
    change: dict[str, str],
) -> None:
    add_noise(noise_path("box"), [fitting(**change)])
    assert recall_noise(SPEC, PLACEMENT).records == ()


def test_the_newest_record_that_fits_is_recalled() -> None:
    target = SPEC.targets[0]
    older, newer = fitting(run_id="older"), fitting(run_id="newer")
    chosen = choose_record((older, newer), target, RECORD.device, SETTINGS)
    assert chosen == newer
    assert choose_record((), target, RECORD.device, SETTINGS) is None


@pytest.mark.parametrize(
    ("table", "key", "value", "fits"),
    [
        ("workload", "max_tokens", 7, False),
        ("load", "concurrency", [1, 2], False),
        ("measure", "min_requests", 99, False),
        ("measure", "replicates", 1, True),
    ],
)
def test_settings_tell_sweeps_apart_that_have_another_noise(
    table: str, key: str, value: object, *, fits: bool
) -> None:
    part = getattr(SPEC, table)
    other = SPEC.model_copy(update={table: part.model_copy(update={key: value})})
    assert (settings_words(other, other.targets[0]) == SETTINGS) is fits


def test_the_name_of_a_target_is_no_setting() -> None:
    target = SPEC.targets[0].model_copy(update={"name": "elsewhere"})
    assert settings_words(SPEC, target) == SETTINGS


def test_a_recalled_record_has_the_label_of_this_runs_target() -> None:
    add_noise(noise_path("box"), [fitting(target="elsewhere")])
    (record,) = recall_noise(SPEC, PLACEMENT).records
    assert record.target == "small"


def test_a_file_that_cannot_be_read_costs_the_knowledge_and_is_told() -> None:
    path = noise_path("box")
    path.parent.mkdir(parents=True)
    path.write_text("{")
    known = recall_noise(SPEC, PLACEMENT)
    assert known.records == ()
    assert "could not be read" in known.notes[0]


def test_noise_is_recalled_where_a_variable_looks_like_a_secret() -> None:
    """A stored run does not have its value; the sweep file has."""
    sweep = spec()
    target = sweep.targets[0]
    secret = target.model_copy(update={"env": {"HF_TOKEN": "hf_abc"}})
    hidden = target.model_copy(update={"env": redact_env({"HF_TOKEN": "hf_abc"})})
    assert settings_words(sweep, secret) == settings_words(sweep, hidden)
    assert "hf_abc" not in settings_words(sweep, secret)
