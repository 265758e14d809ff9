"""Check that the processes of a distributed training are replicas: equal parameters and gradients after each step."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from explorer.analysis.explain.gradient_rows import parameter_rows
from explorer.analysis.run.model import Run, run_of
from explorer.analysis.run.objects import Phase
from explorer.text import say
from explorer.text.numbers import number
from explorer.trace import Trace, Value

_STEPS = 10  # steps that a sentence lists


@dataclass(frozen=True)
class RankDifference:
    """The first state in which a rank differs from the lowest one.

    Attributes:
        rank: the differing one. step: from 1, 0 before the first.
        name: of the parameter. what: its gradient or its value.
        norms: of the lowest rank and of this one, None if unknown.
        missing: whether only one of them has it.
        gradients: for a value, whether all gradients that both optimizers read until then are equal. "unread": the
            recordings have none for this parameter, so they may differ.
    """

    rank: int
    step: int
    name: str
    what: Literal["gradient", "value"]
    norms: tuple[float | None, float | None]
    missing: bool
    gradients: Literal["equal", "unread"] = "equal"


@dataclass(frozen=True)
class Replicas:
    """The runs of several ranks side by side.

    Attributes:
        ranks: their numbers.
        steps: number of optimizer steps of each.
        parameters: number of those that were compared.
        differences: the first one of each rank. Empty: all bits that were recorded are equal.
        repeated: steps in which two ranks read the same batch, by the pair.
        sampled: whether a large tensor was compared by a sample and statistics.
        gradients: number of gradients that optimizers read and that were compared.
        left_out: number of parameters whose values were not recorded in all ranks.
    """

    ranks: tuple[int, ...]
    steps: tuple[int, ...]
    parameters: int
    differences: tuple[RankDifference, ...]
    repeated: Mapping[tuple[int, int], tuple[int, ...]]
    sampled: bool
    gradients: int = 0
    left_out: int = 0

    def lines(self, lang: str = "en") -> list[str]:
        """Write whether the ranks agree, where they first differ, and which batches repeat."""
        first, names = self.ranks[0], ", ".join(map(str, self.ranks))
        lines = [say(lang, "ranks-title", ranks=names)]
        if self.left_out:
            lines.append(say(lang, "ranks-left-out", count=self.left_out))
        if not self.differences and self.parameters:
            sampled = "yes" if self.sampled else "no"
            counts = {"parameters": self.parameters, "steps": min(self.steps), "gradients": self.gradients}
            lines.append(say(lang, "ranks-agree", sampled=sampled, **counts))
        lines += [_difference_text(one, first, lang) for one in self.differences]
        for rank, steps in zip(self.ranks, self.steps, strict=True):
            if steps != self.steps[0]:
                lines.append(say(lang, "ranks-steps", rank=rank, steps=steps, first=first, all=self.steps[0]))
        for (left, right), at in self.repeated.items():
            shown = ", ".join(map(str, at[:_STEPS])) + ", …" * (len(at) > _STEPS)
            lines.append(say(lang, "ranks-batches", one=left, other=right, count=len(at), steps=shown))
        return lines

    def to_json(self) -> dict:
        """Return plain data."""
        return {
            "ranks": list(self.ranks),
            "steps": list(self.steps),
            "agree": not self.differences if self.parameters else None,
            "differences": [
                {"rank": one.rank, "step": one.step, "name": one.name, "what": one.what} for one in self.differences
            ],
            "repeated": [{"ranks": list(pair), "steps": list(steps)} for pair, steps in self.repeated.items()],
        }


def _difference_text(one: RankDifference, first: int, lang: str) -> str:
    norms = ["–" if norm is None else number(norm) for norm in one.norms]
    what = "unread" if one.what == "value" and one.gradients == "unread" else one.what
    numbers = {"left": norms[0], "right": norms[1], "missing": "yes" if one.missing else "no"}
    return say(lang, "ranks-differ", rank=one.rank, first=first, step=one.step, name=one.name, what=what, **numbers)


def replicas(runs: Mapping[int, Trace]) -> Replicas:
    """Compare the runs of several ranks."""
    ranks = tuple(sorted(runs))
    states = [_states(runs[rank]) for rank in ranks]
    differences = (_difference(rank, states[0], mine) for rank, mine in zip(ranks[1:], states[1:], strict=True))
    batches = {rank: _batches(run_of(runs[rank])) for rank in ranks}
    repeated = {
        pair: steps
        for pair in combinations(ranks, 2)
        if (steps := tuple(_equal_steps(batches[pair[0]], batches[pair[1]])))
    }
    compared = [value for state in states[0] for value in state.values() if value is not None]
    names = {name for state in states[0] for name, _ in state}
    known = {name for name in names if all(own[0].get((name, "value")) is not None for own in states)}
    return Replicas(
        ranks,
        tuple(len(own) // 2 for own in states),
        len(known),
        tuple(one for one in differences if one is not None),
        repeated,
        any(value.data is None for value in compared),
        sum(what == "gradient" and name in known for state in states[0] for name, what in state),
        len(names - known),
    )


_State = dict[tuple[str, Literal["gradient", "value"]], Value | None]


def _states(trace: Trace) -> list[_State]:
    """Return the values before the first step, and for each step the gradients that it read and the values after it."""
    run = run_of(trace)
    rows = {row.path or row.name: row.tensor for row in parameter_rows(trace) if row.trained}
    first = run.steps[0].begin if run.steps else len(trace.operations)
    states: list[_State] = [{(name, "value"): _value(trace, tensor, first) for name, tensor in rows.items()}]
    for step in run.steps:
        read = _gradients(run, step)
        states.append({(name, "gradient"): read[tensor] for name, tensor in rows.items() if tensor in read})
        states.append({(name, "value"): _value(trace, tensor, step.end + 1) for name, tensor in rows.items()})
    return states


def _gradients(run: Run, step: Phase) -> dict[int, Value | None]:
    """Return the gradients that a step read. DistributedDataParallel averages them only after the backward."""
    found = {}
    for operation in range(step.begin, min(step.end + 1, run.count)):
        inputs, outputs = run.operations.inputs[operation], run.operations.outputs[operation]
        if run.names[operation] == "grad" and len(inputs) == len(outputs) == 1:
            found[inputs[0]] = _value(run.trace, outputs[0], operation + 1)
    return found


def _value(trace: Trace, tensor: int, until: int) -> Value | None:
    """Return a tensor's value before an operation."""
    row = trace.index.before(tensor, until)
    value = None if row is None else trace.value_at(row)
    return None if value is None or (value.data is None and value.norm is None) else value


def _difference(rank: int, first: list[_State], mine: list[_State]) -> RankDifference | None:
    for number_, (one, other) in enumerate(zip(first, mine, strict=False)):
        for key in dict.fromkeys((*one, *other)):
            values = one.get(key), other.get(key)
            if any(key in state and state[key] is None for state in (one, other)):
                continue  # not recorded, such as the shard that FSDP leaves in a process
            if repr(values[0]) != repr(values[1]):  # NaN equals itself
                name, what = key
                norms = tuple(None if value is None else value.norm for value in values)
                step, missing = (number_ + 1) // 2, None in values
                read = all((name, "gradient") in states[2 * step - 1] for states in (first, mine) if step)
                known: Literal["equal", "unread"] = "equal" if read else "unread"
                return RankDifference(rank, step, name, what, norms, missing, known)  # type: ignore[arg-type]
    return None


def _batches(run: Run) -> list[frozenset[str]]:
    """Return each step's model inputs: new tensors that vary and are not parameters."""
    trace, times = run.trace, [step.begin for step in run.steps]
    seen, batches, given = set[int](), list[frozenset[str]](), set[str]()
    for operation, module in enumerate(trace.operations.module):
        if len(batches) < len(times) and operation >= times[len(batches)]:
            batches.append(frozenset(given))
            given.clear()
        for tensor, row in zip(trace.operations.inputs[operation], trace.index.rows_read(operation), strict=True):
            if module >= 0 and tensor not in seen and _is_given(trace, tensor):
                value = trace.value_at(row)
                if value is not None and value.minimum != value.maximum:
                    given.add(repr(value))
            seen.add(tensor)
    return [*batches, frozenset(given)][: len(times)]


def _is_given(trace: Trace, tensor: int) -> bool:
    """Return whether a tensor was made outside of all modules and is no part of a model."""
    if trace.tensors.requires_grad[tensor] or tensor in trace.index.paths_in_models:
        return False
    maker = trace.maker(tensor)
    return maker < 0 or trace.operations.module[maker] < 0


def _equal_steps(one: list[frozenset[str]], other: list[frozenset[str]]) -> Iterator[int]:
    """Yield the steps, from 1, in which all that models were given is equal."""
    for step, (left, right) in enumerate(zip(one, other, strict=False), 1):
        if left and left == right:
            yield step
