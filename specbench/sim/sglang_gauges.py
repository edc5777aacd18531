"""Gauges that SGLang (0.5.23) does not keep up to date: they are set when a prompt is
taken in and each N decode steps (`--decode-log-interval`), and keep their value in
between. The acceptance figures are those of the last whole interval and stay when the
engine is idle; `average_accept_length` is over all whole intervals since the last
flush. One object a rank; pure.

The steps are the simulated engine's, which mixes prompts and decoding in one step as
vLLM does; SGLang's own scheduler would take them apart."""

from dataclasses import dataclass, field

from specbench.sim.request import StepRecord
from specbench.units import seconds_between


@dataclass(slots=True)
class _Interval:
    """What has come together since the last update."""

    steps: int = 0
    output_tokens: int = 0
    verifies: int = 0
    draft_tokens: int = 0
    accepted: int = 0
    began_ns: int | None = None


@dataclass(slots=True)
class SglangGauges:
    """`observe` each step; the rest is to be read."""

    decode_log_interval: int
    running: int = 0
    queued: int = 0
    gen_throughput: float = 0.0
    """Tokens a second over the last interval."""
    kv_usage: float = 0.0
    accept_length: float = 0.0
    accept_rate: float = 0.0
    prefill_passes: int = 0
    decode_passes: int = 0
    _interval: _Interval = field(default_factory=_Interval)
    _flushed: _Interval = field(default_factory=_Interval)
    """Sum of the whole intervals since the last flush."""

    @property
    def average_accept_length(self) -> float | None:
        """None before the first whole interval."""
        total = self._flushed
        return 1 + total.accepted / total.verifies if total.verifies else None

    def observe(self, step: StepRecord, kv_usage: float, *, is_idle: bool) -> None:
        """A step has ended; `is_idle`: nothing is left to do."""
        if step.prefill_tokens:
            self.prefill_passes += 1
            self._show(step, kv_usage)
        if step.verified_tokens:
            self.decode_passes += 1
            self._add(step)
            if self._interval.steps == self.decode_log_interval:
                self._show(step, kv_usage)
                self._end_interval(step.ended_ns)
        if is_idle:
            self.running = self.queued = 0
            self.gen_throughput = self.kv_usage = 0.0

    def flush(self) -> None:
        """As `/flush_cache`: the average begins anew."""
        self._flushed = _Interval()

    def _show(self, step: StepRecord, kv_usage: float) -> None:
        self.running = step.sequences
        self.queued = step.waiting
        self.kv_usage = kv_usage

    def _add(self, step: StepRecord) -> None:
        interval = self._interval
        if interval.began_ns is None:
            interval.began_ns = step.began_ns
        interval.steps += 1
        interval.output_tokens += step.output_tokens
        interval.verifies += step.drafts
        interval.draft_tokens += step.draft_tokens
        interval.accepted += sum(step.accepted_by_position)

    def _end_interval(self, now_ns: int) -> None:
        interval, total = self._interval, self._flushed
        if interval.began_ns is not None:
            seconds = seconds_between(interval.began_ns, now_ns)
            self.gen_throughput = interval.output_tokens / seconds if seconds else 0.0
        if interval.verifies:
            self.accept_length = 1 + interval.accepted / interval.verifies
            self.accept_rate = interval.accepted / interval.draft_tokens
            total.verifies += interval.verifies
            total.accepted += interval.accepted
        self._interval = _Interval()
