"""A sweep's `args` as command-line flags: `true` -> `--flag`, `false` -> `--no-flag`,
anything else -> the flag and its value. Underscores and dashes are one thing. The order
is that of the names, so equal tables give equal commands however they are written."""

from collections.abc import Iterable, Mapping

from specbench.errors import InputError
from specbench.schema.sweep import Scalar


def flag_name(key: str) -> str:
    """`max_num_seqs`, `max-num-seqs` and `--max-num-seqs` are one flag. Behind a dot
    stands a field of the engine's own (`compilation-config.cudagraph_mode`), which is
    spelled as it is."""
    head, dot, field = key.strip().lstrip("-").partition(".")
    return head.replace("_", "-") + dot + field


def named_args(args: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """Values by flag name, in the order of the names. Raises InputError for a flag
    that is given twice."""
    keys: dict[str, str] = {}
    for key in args:
        name = flag_name(key)
        if name in keys:
            raise InputError(
                f"target.args.{key}: the same flag as target.args.{keys[name]}",
                hint="give it once",
            )
        keys[name] = key
    return {name: args[keys[name]] for name in sorted(keys)}


def refuse_reserved(args: Iterable[str], reserved: Mapping[str, str]) -> None:
    """Raises InputError for a flag that specbench sets itself or cannot let through;
    `reserved` maps such flags to what to do instead. argparse takes the beginning of a
    flag for the whole of it, and a negation undoes it, so these are refused too."""
    for key in args:
        plain = flag_name(key).partition(".")[0].removeprefix("no-")
        for flag, advice in reserved.items():
            if plain and flag.startswith(plain):
                raise InputError(f"target.args.{key} cannot be given", hint=advice)


def flags(args: Mapping[str, Scalar]) -> tuple[str, ...]:
    """argv of flags whose names are settled."""
    argv: list[str] = []
    for name, value in args.items():
        if isinstance(value, bool):
            argv.append(f"--{name}" if value else f"--no-{name}")
        elif str(value).startswith("-"):
            # on its own, argparse would take the value for a flag
            argv.append(f"--{name}={value}")
        else:
            argv += [f"--{name}", str(value)]
    return tuple(argv)
