"""Rules about arms: their names, and the targets that they are for. Pure: arms in,
problems out."""

from collections.abc import Iterator, Sequence

from specbench.planning.problems import Place, Problem, describe_place
from specbench.planning.spelling import closest
from specbench.schema.sweep import AA, BASELINE, Arm

PlacedArms = Sequence[tuple[Place, Arm]]


def check_arms(arms: PlacedArms, labels: Sequence[str]) -> Iterator[Problem]:
    """Arms of a target are told apart by name, and each of them speculates. `labels`
    are those of the sweep's targets."""
    for number, (place, arm) in enumerate(arms):
        yield from _check_name(place, arm, arms[:number])
        if not arm.speculative:
            yield Problem(
                (*place, "speculative"),
                "is empty, so the arm would be a second baseline; expected the"
                " engine's own speculative configuration",
            )
        yield from _check_targets(place, arm, labels)
    for label in labels if arms else ():
        if not any(arm.is_for(label) for _, arm in arms):
            yield Problem(
                ("arms",),
                f'no arm is for the target "{label}": there would be nothing to compare'
                " its baseline with",
            )


def _check_name(place: Place, arm: Arm, earlier: PlacedArms) -> Iterator[Problem]:
    where = (*place, "name")
    if arm.name.casefold() == BASELINE:
        yield Problem(
            where,
            f'"{arm.name}" is the arm without speculation, which is always there;'
            " choose another name",
        )
        return
    if arm.name.casefold() == AA:
        yield Problem(
            where,
            f'"{arm.name}" is the second baseline of `specbench run --aa`; choose'
            " another name",
        )
        return
    for its_place, other in earlier:
        if other.name == arm.name and _share_a_target(other, arm):
            message = f'"{arm.name}" is already the name of {describe_place(its_place)}'
            yield Problem(where, message)
            return


def _share_a_target(one: Arm, other: Arm) -> bool:
    if one.targets is None or other.targets is None:
        return True
    return not set(one.targets).isdisjoint(other.targets)


def _check_targets(place: Place, arm: Arm, labels: Sequence[str]) -> Iterator[Problem]:
    named = arm.targets or []
    for i, label in enumerate(named):
        where = (*place, "targets", i)
        if label not in labels:
            meant = closest(label, labels)
            known = ", ".join(f'"{one}"' for one in labels)
            yield Problem(
                where,
                f'no target has the label "{label}"'
                + (f'; did you mean "{meant}"?' if meant else f"; there are {known}"),
            )
        elif label in named[:i]:
            yield Problem(where, f'"{label}" is there already')
