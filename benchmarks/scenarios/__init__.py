"""What an engineer asks on a day with torch: a row for each scenario, and the facts that must come out.

A scenario is a function that takes `record`, runs a short program under it, and returns what the program computed (a
module, tensors, or None) and a function that asserts the facts through the public API. Its docstring says what must
come out. `python -m benchmarks.scenarios` runs each twice: once plain, once recorded; the gradients of what it returns
must be bit for bit the same.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import torch
from torch import nn

Program = Callable[[Any], tuple[Any, Callable[[], None]]]
SCENARIOS: dict[str, Program] = {}


def scenario(program: Program) -> Program:
    """Add a scenario to the table under its function's name."""
    if program.__name__ in SCENARIOS:
        raise ValueError(f"two scenarios are called {program.__name__}")
    SCENARIOS[program.__name__] = program
    return program


def states(trace: Any) -> dict[str, str]:
    """The state of each parameter by name."""
    return {row.name: row.state for row in trace.report().parameters}


def why(trace: Any, name: str) -> str:
    """Why a parameter has no gradient, in the report's words."""
    return next(row.why() for row in trace.report().parameters if row.name == name)


def kinds(trace: Any, *levels: str) -> set[str]:
    """The kinds of diagnoses, of some levels only if given."""
    return {found.kind for found in trace.report().diagnoses if not levels or found.level in levels}


def remarks(trace: Any) -> set[str]:
    """The kinds of what the report says of the training."""
    return {remark.kind for remark in trace.report().training}


def told(call: Callable[[], Any], *errors: type[BaseException]) -> str:
    """The message of the error that a call raises."""
    try:
        call()
    except errors as problem:
        return str(problem)
    raise AssertionError("nothing was raised")


def mlp(*sizes: int) -> nn.Sequential:
    """Linear layers with ReLU between them."""
    layers: list[nn.Module] = []
    for inside, outside in pairwise(sizes):
        layers += [nn.Linear(inside, outside), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def data(*shape: int) -> torch.Tensor:
    """The same random entries each time."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(7))
