"""`specbench measure`: cells against a server that already runs."""

import typer

from specbench.cli.streams import (
    Format,
    emit,
    result_console,
    tell,
    told_when_interrupted,
)
from specbench.errors import ExitCode, InputError


def measure(
    url: str = typer.Argument(
        help="Base URL of an OpenAI-compatible server, e.g. http://127.0.0.1:8000",
        show_default=False,
    ),
    concurrency: list[int] = typer.Option(
        [1],
        "--concurrency",
        "-c",
        metavar="N",
        help="Requests in flight. May be given again: one cell each.",
    ),
    requests: int = typer.Option(
        64, "--requests", "-n", min=1, help="Measured requests of each cell."
    ),
    warmup: int = typer.Option(
        0, "--warmup", min=0, help="Requests sent first, which no figure counts."
    ),
    dataset: str = typer.Option(
        "mt-bench-style", "--dataset", help="Data set by name, or a file."
    ),
    model: str | None = typer.Option(
        None, "--model", help="Served model name; by default what the server says."
    ),
    engine: str = typer.Option(
        "openai", "--engine", help="Whose metrics it speaks: vllm, sglang, openai, sim."
    ),
    max_tokens: int = typer.Option(
        256, "--max-tokens", min=1, max=10_000_000, help="Output limit of each request."
    ),
    temperature: float = typer.Option(0.0, "--temperature", min=0.0),
    seed: int = typer.Option(0, "--seed", help="Order of the prompts."),
    client_cpu: list[int] = typer.Option(
        [],
        "--client-cpu",
        metavar="N",
        help="CPU that the client keeps to. May be given again.",
        show_default=False,
    ),
    format_: Format = typer.Option(
        Format.TABLE, "--format", help="How the result is printed."
    ),
) -> None:
    """Measure a server that already runs; nothing is launched.

    Figures of the window (all slots busy, ramp and drain left out) stand beside those
    of the whole run, which `vllm bench serve` reports. A key that the server needs
    comes from the environment variable SPECBENCH_API_KEY.

    Example: specbench measure http://127.0.0.1:8000 -c 1 -c 8 --requests 64
    """
    from specbench.engines import ADAPTERS
    from specbench.host.machine import usable_cpus
    from specbench.runner.address import check_url
    from specbench.runner.measure import MeasureJob, check_loads, measure_server
    from specbench.workload.readers import load_dataset

    check_url(url)
    if engine not in ADAPTERS:
        raise InputError(
            f"--engine {engine}: there is no such engine",
            hint=f"one of {', '.join(ADAPTERS)}",
        )
    check_loads(concurrency, requests)
    if unknown := set(client_cpu) - set(usable_cpus()):
        raise InputError(
            f"--client-cpu {min(unknown)}: this process may use"
            f" {', '.join(map(str, usable_cpus()))}"
        )
    job = MeasureJob(
        url=url.rstrip("/").removesuffix("/v1"),
        engine=engine,
        model=model,
        dataset=load_dataset(dataset),
        concurrency=tuple(concurrency),
        requests=requests,
        warmup=warmup,
        max_tokens=max_tokens,
        temperature=temperature,
        seed=seed,
        client_cpus=tuple(client_cpu) or None,
    )
    with told_when_interrupted("nothing is kept: `measure` stores no cells"):
        measured = measure_server(job, lambda _c, _done: None)
    if format_ is Format.JSON:
        from specbench.report.measured import measured_json

        emit(measured_json(measured.facts, measured.cells))
    elif format_ is Format.CSV:
        from specbench.report.csv_files import cells_csv
        from specbench.schema.findings import RunFindings

        findings = RunFindings(
            cells=measured.cells,
            curves=(),
            break_evens=(),
            noise=(),
            prior=(),
            failed_launches=(),
        )
        emit(cells_csv(findings))
    else:
        from specbench.report.measured import measured_table

        result_console().print(measured_table(measured.facts, measured.cells))
    if all(cell.is_void for cell in measured.cells):
        tell("error: no cell counts; the reasons stand above")
        raise typer.Exit(ExitCode.ENGINE_FAILED)
