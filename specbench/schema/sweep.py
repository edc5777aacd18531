"""The sweep file as people write it. Pydantic checks types and unknown keys; rules
that join several keys live in `planning.rules`."""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

PositiveInt = Annotated[int, Field(ge=1)]
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
        """Name in tables: the given one, else the last part of the model's."""
        return self.name or self.model.rstrip("/").rsplit("/", 1)[-1]


class Arm(Document):
    """One speculative configuration, in the engine's own words."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=64)]
    speculative: dict[str, Any]


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


class Load(Document):
    """Closed loop: how many requests are kept in flight."""

    concurrency: Annotated[list[PositiveInt], Field(min_length=1)]


class Search(Document):
    """How the cells are chosen; the grid measures all of them."""

    mode: Literal["grid"] = "grid"


class Measure(Document):
    """How much is measured. A replicate is a launch of the engine."""

    replicates: Annotated[int, Field(ge=1, le=100)] = 3
    min_requests: PositiveInt = 16
    requests_per_slot: Annotated[float, Field(ge=2)] = 4.0
    placement: Literal["auto", "sequential", "side-by-side"] = "auto"
    """One launch at a time, or launches of different arms at once, each on GPUs of its
    own; auto = side by side where the machine has GPUs enough for all arms."""


class SweepSpec(Document):
    """A whole sweep file, checked."""

    targets: Annotated[list[Target], Field(min_length=1)]
    arms: Annotated[list[Arm], Field(min_length=1)]
    workload: Workload
    load: Load
    search: Search = Search()
    measure: Measure = Measure()
