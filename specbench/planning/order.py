"""In which order the arms of a target are launched, and where. What drifts steadily
with time or temperature, and what makes one GPU unlike another, then falls on all arms
alike."""

from collections.abc import Mapping, Sequence

Launch = tuple[str, int]
"""Arm, and which launch of it, from 1."""


def launch_order(arms: Sequence[str], replicates: int) -> list[Launch]:
    """One launch at a time, balanced (A B, B A, A B ...): every second replicate runs
    backwards."""
    order: list[Launch] = []
    for replicate in range(1, replicates + 1):
        turn = arms if replicate % 2 else arms[::-1]
        order.extend((arm, replicate) for arm in turn)
    return order


def wave_order(
    arms: Sequence[str], replicates: int, places: int
) -> list[tuple[Launch, ...]]:
    """Waves of launches that run at the same time; a launch's position in its wave is
    its place. From wave to wave the arms move on by one place, so that after as many
    waves as there are arms every place has served each of them once (a Latin square
    where all arms fit side by side); every second such round runs backwards.

    `replicates` is raised by `balanced_replicates` first. There are at most as many
    places as arms: no arm runs beside itself.
    """
    if places == 1:
        return [(launch,) for launch in launch_order(arms, replicates)]
    if not 1 <= places <= len(arms):
        raise ValueError(f"{len(arms)} arms cannot share {places} places")
    shifts = range(len(arms))
    launched = dict.fromkeys(arms, 0)
    waves = []
    for round_ in range(balanced_replicates(replicates, places) // places):
        for shift in reversed(shifts) if round_ % 2 else shifts:
            wave = []
            for place in range(places):
                arm = arms[(shift + place) % len(arms)]
                launched[arm] += 1
                wave.append((arm, launched[arm]))
            waves.append(tuple(wave))
    return waves


def round_order(arms: Sequence[str], number: int, places: int) -> list[tuple[str, ...]]:
    """Waves of one round of a search (`number` from 1), each arm once; a position in a
    wave is a place. One launch at a time: every second round runs backwards. Side by
    side: from round to round the arms move on by one place."""
    if places == 1:
        return [(arm,) for arm in (arms if number % 2 else arms[::-1])]
    shift = (number - 1) % len(arms)
    turned = (*arms[shift:], *arms[:shift])
    return [turned[at : at + places] for at in range(0, len(turned), places)]


def balanced_replicates(replicates: int, places: int) -> int:
    """The number of launches of each arm, raised to a multiple of the places."""
    return -(-replicates // places) * places


def first_places(
    places: Mapping[str, int], together: Sequence[Sequence[str]]
) -> dict[str, int]:
    """The number of the first place of each target, by labels: of targets that run at
    the same time (a group of `together`) no two share a place."""
    first: dict[str, int] = {}
    for group in together:
        number = 0
        for label in group:
            first[label] = number
            number += places.get(label, 1)
    return first
