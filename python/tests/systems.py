"""Random systems."""

from __future__ import annotations

import random

import hyades


def random_transitions(seed: int) -> tuple[int, list[tuple[int, str, int]]]:
    """A number of states, and transitions between them, hidden ones among them."""
    draw = random.Random(seed)
    states = draw.randint(1, 7)
    labels = draw.sample(["i", "a", "b", "c !1", "d e", "\u00fc"], draw.randint(1, 4))
    count = draw.randint(0, 3 * states)
    each = [
        (draw.randrange(states), draw.choice(labels), draw.randrange(states))
        for _ in range(count)
    ]
    return states, each


def random_lts(seed: int) -> hyades.LTS:
    states, transitions = random_transitions(seed)
    return hyades.LTS.from_transitions(transitions, states=states)
