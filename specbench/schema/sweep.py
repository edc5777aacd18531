"""The sweep file as people write it. Pydantic checks types and unknown keys; rules
that join several keys live in `planning.rules`."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

PositiveInt = Annotated[int, Field(ge=1)]
PositiveFloat = Annotated[float, Field(gt=0)]
Scalar = str | int | float | bool

EnvName = Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
EnvValue = Annotated[str, Field(pattern=r"^[^\x00]*$")]

BASELINE = "baseline"
"""Name of the arm that is always there: the same server without speculation."""
AA = "aa"
"""Name of the other arm of an A/A run: the baseline once more."""


class Document(BaseModel):
    """Strict and frozen: an unknown key is an error, never ignored."""

    model_config = ConfigDict(extra="forbid", frozen=True, protected_namespaces=())


class Target(Document):
    """One model on one engine; every arm of it is served with the same settings."""

    model: str
    engine: str
    name: str | None = None
    executable: str | None = None
    device: Literal["auto", "gpu", "cpu"] = "auto"
    """What the engine computes on; auto = GPUs where the machine has some."""
    tensor_parallel: PositiveInt = 1
    port: Annotated[int, Field(ge=1, le=65535)] | None = None
    args: dict[str, Scalar] = Field(default_factory=dict)
    env: dict[EnvName, EnvValue] = Field(default_factory=dict)
    startup_timeout_s: Annotated[float, Field(gt=0)] = 900.0

    @property
    def label(self) -> str:
        """Name in tables: the given one, else the model's."""
        return self.name or self.model_name

    @property
    def model_name(self) -> str:
        """The last part of the model's name or path."""
        return self.model.rstrip("/").rsplit("/", 1)[-1]


class Arm(Document):
    """One speculative configuration, in the engine's own words."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=64)]
    speculative: dict[str, Any]
    targets: Annotated[list[str], Field(min_length=1)] | None = None
    """Labels of the targets that it is for; None = all of them. Engines have words of
    their own, so a sweep over two of them has an arm for each."""

    def is_for(self, target: str) -> bool:
        """Whether the target of this label is served with it."""
        return self.targets is None or target in self.targets


class Workload(Document):
    """What is asked: data sets by name or path, prompt lengths, output limit."""

    datasets: Annotated[list[str], Field(min_length=1)]
    context: Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=1)] = [0]
    max_tokens: Annotated[int, Field(ge=1, le=10_000_000)] = 256
    temperature: Annotated[list[Annotated[float, Field(ge=0)]], Field(min_length=1)] = [
        0.0
    ]
    turns: Literal["first", "all"] = "all"
    seed: int = 0
    texts: list[str] = []
    """Files of text that make prompts longer; empty = the documentation topics that
    come with Python."""


class Load(Document):
    """What the server is put under: a closed loop, which keeps so many requests in
    flight, or an open one, in which so many arrive each second. One of the two."""

    concurrency: Annotated[list[PositiveInt], Field(min_length=1)] | None = None
    request_rate: Annotated[list[PositiveFloat], Field(min_length=1)] | None = None
    """Requests per second."""
    arrivals: Literal["poisson", "constant"] = "poisson"
    """How the requests of an open loop arrive; seeded by `workload.seed`."""

    @property
    def is_open(self) -> bool:
        """Whether requests arrive whatever the server does."""
        return self.request_rate is not None

    @property
    def concurrencies(self) -> list[int]:
        """Of a closed loop; empty where the loop is open."""
        return self.concurrency or []

    @property
    def rates(self) -> list[float]:
        """Of an open loop; empty where the loop is closed."""
        return self.request_rate or []


class Slo(Document):
    """What a request must keep to count for the goodput; a limit that is left out
    does not count. At least one where the table is there."""

    ttft_ms: PositiveFloat | None = None
    tpot_ms: PositiveFloat | None = None
    e2e_ms: PositiveFloat | None = None


class Search(Document):
    """How the cells are chosen: the grid measures all of them; the adaptive search
    those that tell most about the crossing for their time."""

    mode: Literal["grid", "adaptive"] = "grid"
    precision: Annotated[float, Field(gt=0, le=10)] = 0.05
    """The search stops for a curve when the 95 % interval of its crossing is no wider
    than this share of the batch to either side: 0.05 = from 5 % below to 5 % above;
    sqrt(high / low) - 1, in full."""
    budget: Annotated[str, Field(pattern=r"^\d+(\.\d+)?(s|m|h)$")] | None = None
    """Machine time after which nothing new begins, e.g. "30m"; None = as long as the
    grid would take."""
    assume: Literal["nothing", "single-crossing"] = "nothing"
    """What is known of the curves before anything is measured."""

    @property
    def budget_s(self) -> float | None:
        """The budget in seconds."""
        if self.budget is None:
            return None
        return float(self.budget[:-1]) * {"s": 1, "m": 60, "h": 3600}[self.budget[-1]]


class Measure(Document):
    """How much is measured. A replicate is a launch of the engine."""

    replicates: Annotated[int, Field(ge=1, le=100)] = 3
    min_requests: PositiveInt = 16
    requests_per_slot: Annotated[float, Field(ge=2)] = 4.0
    seconds_per_rate: Annotated[float, Field(gt=0, le=86_400)] = 60.0
    """How long requests of an open loop arrive in the measured part of a cell, at
    least `min_requests` of them."""
    placement: Literal["auto", "sequential", "side-by-side"] = "auto"
    """One launch at a time, or launches of different arms and targets at once, each on
    GPUs of its own; auto = side by side where the machine has GPUs enough for all
    arms, and targets at once where it has them for the arms of each."""
    gpus: (
        Annotated[list[Annotated[int, Field(ge=0)] | str], Field(min_length=1)] | None
    ) = None
    """The GPUs that launches may use, by NVML's numbers or UUIDs; None = all that
    CUDA_VISIBLE_DEVICES leaves."""


class SweepSpec(Document):
    """A whole sweep file, checked."""

    targets: Annotated[list[Target], Field(min_length=1)]
    arms: Annotated[list[Arm], Field(min_length=1)]
    workload: Workload
    load: Load
    slo: Slo | None = None
    search: Search = Search()
    measure: Measure = Measure()
