"""What a report says about a run beside its findings: where, when and with what the
figures were made. Filled by whoever has the run's record; nothing here is derived."""

from dataclasses import dataclass

from specbench.report import words
from specbench.schema.record import DatasetUse, TextUse
from specbench.schema.search import SearchLog
from specbench.schema.sweep import AA

NOT_LOSSLESS = "not lossless"


@dataclass(frozen=True, slots=True)
class LossyArm:
    """An arm whose outputs are not the target model's own."""

    target: str
    arm: str
    settings: tuple[str, ...]
    """What makes it so, e.g. `rejection_sample_method = synthetic`."""


@dataclass(frozen=True, slots=True)
class TargetFacts:
    """What a report's rows are of: model, GPUs and engine."""

    label: str
    model: str
    """Its name, without the folder or the organisation."""
    device: str
    """What a launch computed on: name and count, e.g. `2x NVIDIA H200`."""
    engine: str
    """With version, e.g. `vLLM 0.32.0`; empty = none has got ready."""


@dataclass(frozen=True, slots=True)
class RunFacts:
    """Circumstances of a run, in words fit for a caption."""

    sweep_name: str
    run_id: str
    started_utc: str
    """ISO 8601."""
    device: str
    """What computed, e.g. `1x NVIDIA H100` or `2 cores of Intel Xeon 8481C`."""
    engines: tuple[str, ...]
    """With version, e.g. `vLLM 0.32.0`."""
    models: tuple[str, ...]
    datasets: tuple[DatasetUse, ...]
    launches_per_arm: int
    specbench_version: str
    measurement_version: int
    targets: tuple[TargetFacts, ...] = ()
    """What each target was, where that is known."""
    notes: tuple[str, ...] = ()
    """What a reader should know of the machine or the client, one sentence each."""
    lossy_arms: tuple[LossyArm, ...] = ()
    """Arms that are faster at something else than the baseline does."""
    texts: tuple[TextUse, ...] = ()
    """What made prompts longer; empty where nothing did."""
    searches: tuple[SearchLog, ...] = ()
    """What an adaptive search chose, by target; empty where the grid was measured."""

    def target(self, label: str) -> TargetFacts:
        """What a target was; what all of the run was where nobody said which."""
        known = {target.label: target for target in self.targets}
        engines = words.listed(self.engines)
        return known.get(label) or TargetFacts(label, label, self.device, engines)

    def lossy_settings(self, target: str, arm: str) -> tuple[str, ...]:
        """What makes an arm not lossless; empty = nothing that is known."""
        return tuple(
            setting
            for lossy in self.lossy_arms
            if (lossy.target, lossy.arm) == (target, arm)
            for setting in lossy.settings
        )

    def arm_name(self, target: str, arm: str) -> str:
        """The arm's name, with a mark where it is not lossless, and where it is the
        baseline once more."""
        if arm == AA:
            return f"{arm} (the baseline again)"
        return f"{arm} ({NOT_LOSSLESS})" if self.lossy_settings(target, arm) else arm

    @property
    def launches_words(self) -> str:
        """Of each arm; a search may launch one arm oftener than another."""
        counted = words.counted(self.launches_per_arm, "launch", "launches")
        return f"up to {counted}" if self.searches else counted
