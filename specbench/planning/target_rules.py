"""Rules about a target: its label, its engine, and the few options in its args that
decide what the figures mean. Pure: targets in, problems out."""

from collections.abc import Collection, Iterator, Sequence

from specbench.planning.engine_args import (
    CAP_ON_SEQUENCES,
    LENGTH_LIMIT,
    MAX_NUM_ACTIVE_SEQS,
    MAX_NUM_BATCHED_TOKENS,
    MAX_NUM_SEQS,
    find_option,
    plain_name,
    read_option,
    whole_number,
)
from specbench.planning.problems import Place, Problem, describe_place
from specbench.planning.spelling import closest
from specbench.planning.wording import describe_value
from specbench.schema.sweep import Load, Measure, Target, Workload

PlacedTargets = Sequence[tuple[Place, Target]]


def check_labels(targets: PlacedTargets) -> Iterator[Problem]:
    """Tables and folders tell targets apart by their labels."""
    first: dict[str, Place] = {}
    for place, target in targets:
        owner = first.setdefault(target.label, place)
        if not target.label.strip():
            yield Problem((*place, "model"), "expected a name or a path, got a blank")
        elif owner != place:
            yield Problem(
                (*place, "name"),
                f'"{target.label}" is already the label of {describe_place(owner)};'
                " give each target a `name` of its own",
            )


def check_engine(
    place: Place, target: Target, engines: Collection[str] | None
) -> Iterator[Problem]:
    """The engine has an adapter."""
    if engines is not None and target.engine not in engines:
        meant = closest(target.engine, engines)
        known = ", ".join(sorted(engines))
        yield Problem(
            (*place, "engine"),
            f'unknown engine "{target.engine}"'
            + (f'; did you mean "{meant}"?' if meant else f"; expected one of {known}"),
        )


def check_args(place: Place, target: Target) -> Iterator[Problem]:
    """Options are written once, by name, and the ones read here are numbers."""
    first: dict[str, str] = {}
    for key in target.args:
        where = (*place, "args", key)
        if key.startswith("-") or not key.strip():
            message = f"write the option without dashes: `{key.lstrip('-')}`"
            yield Problem(where, message)
        name = plain_name(key)
        name = MAX_NUM_SEQS if name in CAP_ON_SEQUENCES else name
        other = first.setdefault(name, key)
        if other != key:
            yield Problem(where, f"is the same option as `{other}`; keep one of them")
    for option in (*CAP_ON_SEQUENCES, MAX_NUM_BATCHED_TOKENS):
        found = find_option(target.args, option)
        number = whole_number(target.args[found]) if found else 1
        if found and (number is None or number < 1):
            message = "expected a whole number of at least 1, got "
            shown = describe_value(target.args[found])
            yield Problem((*place, "args", found), message + shown)


def check_caps(place: Place, target: Target, load: Load) -> Iterator[Problem]:
    """No admission cap under the highest load of a closed loop."""
    highest = max(load.concurrencies, default=1)
    for option in (*CAP_ON_SEQUENCES, MAX_NUM_ACTIVE_SEQS):
        key, cap = find_option(target.args, option), read_option(target.args, option)
        if key and cap is not None and 1 <= cap < highest:
            yield Problem(
                (*place, "args", key),
                f"{cap} is below the highest load.concurrency ({highest}): the engine"
                f" would queue from {cap} on, the running batch would stop growing in"
                " all arms, and the report would show a break-even of the queue"
                f" instead of one of speculation; raise it to at least {highest},"
                " leave it out, or lower the load",
            )
    # vLLM 0.32.0 refuses to start otherwise (vllm/config/scheduler.py).
    key = find_option(target.args, MAX_NUM_BATCHED_TOKENS)
    tokens = read_option(target.args, MAX_NUM_BATCHED_TOKENS)
    sequences = max(read_option(target.args, MAX_NUM_SEQS) or 0, highest)
    if key and tokens is not None and 1 <= tokens < sequences:
        yield Problem(
            (*place, "args", key),
            f"{tokens} tokens in a step are too few for {sequences} sequences"
            f" (load.concurrency, `{MAX_NUM_SEQS}`); expected at least {sequences}",
        )


def check_length(place: Place, target: Target, work: Workload) -> Iterator[Problem]:
    """Prompt and output fit into the context that the engine is told to serve."""
    for option in LENGTH_LIMIT:
        key, limit = find_option(target.args, option), read_option(target.args, option)
        if key and limit is not None and limit >= 1:  # -1: vLLM chooses by itself
            yield from _check_limit((*place, "args", key), limit, work)


def _check_limit(place: Place, limit: int, work: Workload) -> Iterator[Problem]:
    limit_words = f"{describe_place(place)} ({limit})"
    if work.max_tokens >= limit:
        yield Problem(
            ("workload", "max_tokens"),
            f"{work.max_tokens} output tokens leave no room for a prompt in"
            f" {limit_words}",
        )
        return
    for i, context in enumerate(work.context):
        if context + work.max_tokens > limit:
            yield Problem(
                ("workload", "context", i),
                f"{context} prompt tokens and workload.max_tokens ({work.max_tokens})"
                f" make {context + work.max_tokens}, more than {limit_words}",
            )


def check_port(place: Place, target: Target, measure: Measure) -> Iterator[Problem]:
    """Engines that run at the same time listen on ports of their own."""
    if target.port is not None and measure.placement == "side-by-side":
        yield Problem(
            (*place, "port"),
            f"{target.port} cannot serve two engines at once (measure.placement is"
            ' "side-by-side"); leave it out, and each gets a free one',
        )
