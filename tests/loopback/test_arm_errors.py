"""An arm that its engine would not run is refused before anything starts: with the
file, the arm and the key, and with what the engine's version knows."""

from pathlib import Path

import pytest

from specbench.errors import ExitCode
from tests.loopback.cli import specbench, write_sweep
from tests.loopback.engine_script import write_engine

NGRAM = '{ method = "ngram", num_speculative_tokens = 3, prompt_lookup_max = 3 }'


@pytest.mark.parametrize(
    ("arm", "key", "known"),
    [
        (
            '{ method = "ngram", num_speculative_tokens = 3, prompt_lookup_mx = 3 }',
            "speculative.prompt_lookup_mx: vLLM 0.32.0 has no such key",
            "did you mean prompt_lookup_max? ngram of vLLM 0.32.0 knows method, ",
        ),
        (
            '{ method = "lookahead", num_speculative_tokens = 3 }',
            "speculative.method: 'lookahead' is no method of vLLM 0.32.0",
            "it has ngram, ",
        ),
        (
            '{ method = "extract_hidden_states", num_speculative_tokens = 3,'
            " draft_model_config = { hf_config = {} } }",
            "speculative.num_speculative_tokens: must be 1",
            "",
        ),
        (
            '{ method = "eagle3", num_speculative_tokens = 3 }',
            "speculative.model: is missing; eagle3 of vLLM 0.32.0",
            "eagle3 needs a head for this target",
        ),
        (
            '{ method = "eagle3", model = "./no-head", num_speculative_tokens = 3 }',
            "speculative.model: there is no folder no-head",
            "config.json",
        ),
    ],
)
def test_an_arm_that_would_not_start_is_refused_by_its_key(
    tmp_path: Path, arm: str, key: str, known: str
) -> None:
    write_sweep(tmp_path, write_engine(tmp_path), f"{NGRAM} -> {arm}")
    done = specbench("run", "sweep.toml", cwd=tmp_path)
    assert done.returncode == ExitCode.BAD_INPUT, done.stdout + done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "results").exists()
    assert "error: sweep.toml: arms[0] (" in done.stderr
    assert key in done.stderr
    assert known in done.stderr
