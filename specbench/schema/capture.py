"""`meta.toml` of a recorded set of an engine's output, as people write it. Keys beside
these may say more to a reader; they are not looked at."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from specbench.schema.sweep import Scalar


class _Notes(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, protected_namespaces=())


class ArmMeta(_Notes):
    """`[arms.NAME]`: one server, whose files lie in the folder of this name."""

    command: str = ""
    """How it was started."""
    served_model_name: str | None = None
    """None = as the file says at its top."""
    speculative: dict[str, Any] | None = None
    """The drafter in the engine's own words."""
    speculates: bool | None = None
    """None = where `speculative` is there."""
    traffic: list[str] | None = None
    """Streams that were all that happened between the idle page and the last one."""
    expected: dict[str, Scalar] = Field(default_factory=dict)
    """Facts that the command settles."""

    @property
    def drafts(self) -> bool:
        """Whether this server speculates."""
        if self.speculates is None:
            return self.speculative is not None
        return self.speculates


class CaptureMeta(_Notes):
    """The whole file."""

    engine: str
    version: str | None = None
    served_model_name: str | None = None
    expected: dict[str, Scalar] = Field(default_factory=dict)
    """Facts that hold for every arm."""
    arms: dict[str, ArmMeta] = Field(default_factory=dict)
    causes: dict[str, str] = Field(default_factory=dict)
    """Words that the cause of a failed start must hold, by the name of its log."""
    stream_errors: dict[str, str] = Field(
        default_factory=dict, validation_alias="stream-errors"
    )
    """Streams that broke off, as `arm/file`, and words that their error must hold."""
