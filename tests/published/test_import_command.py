"""`specbench import points` as a user runs it."""

import csv
import io
from pathlib import Path

import pytest

from specbench.errors import ExitCode
from tests.loopback.cli import specbench, strict_json
from tests.published.figures import GPU_POINTS, PAPERS, conclusions


def test_the_table_says_where_it_stops_paying(tmp_path: Path) -> None:
    done = specbench("import", "points", str(GPU_POINTS), cwd=tmp_path)
    assert done.returncode == ExitCode.FINE, done.stderr
    assert "pays up to concurrency 57.8 [56.1, 59.5]" in done.stdout
    assert "by the raw signs" in done.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("path", [GPU_POINTS, PAPERS], ids=lambda path: path.stem)
def test_csv_has_a_row_for_each_answer(path: Path, tmp_path: Path) -> None:
    done = specbench("import", "points", str(path), "--format", "csv", cwd=tmp_path)
    read = list(csv.DictReader(io.StringIO(done.stdout)))
    findings = conclusions(path)
    assert len(read) == len(findings.answers) + len(findings.over_context)
    assert {row["load_is"] for row in read} == {findings.form.load}


def test_json_is_strict(tmp_path: Path) -> None:
    done = specbench("import", "points", str(PAPERS), "--format", "json", cwd=tmp_path)
    document = strict_json(done.stdout)
    assert document["load"] == "batch"
    assert len(document["over_context"]) == 3


def test_markdown_has_a_section_for_each_setting(tmp_path: Path) -> None:
    done = specbench(
        "import", "points", str(PAPERS), "--format", "markdown", cwd=tmp_path
    )
    sections = [line for line in done.stdout.splitlines() if line.startswith("## ")]
    findings = conclusions(PAPERS)
    settings = {a.setting for a in (*findings.answers, *findings.over_context)}
    assert len(sections) == len(settings)


def test_a_file_that_cannot_be_used_is_bad_input(tmp_path: Path) -> None:
    (tmp_path / "points.csv").write_text("drafter,concurrency,output_tok_s\nnone,1,0\n")
    done = specbench("import", "points", "points.csv", cwd=tmp_path)
    assert done.returncode == ExitCode.BAD_INPUT
    assert "points.csv: line 2, column output_tok_s: is 0" in done.stderr
    assert done.stdout == ""
