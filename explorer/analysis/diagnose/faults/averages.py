"""Measured moving averages of weights: how far a tensor moves toward a trained one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

import numpy as np

from explorer.analysis.diagnose.faults.finding import Finding, finds, grouped, report, share
from explorer.analysis.diagnose.faults.shared_memory import ALIASES
from explorer.analysis.run.model import Run
from explorer.analysis.run.names import model_of
from explorer.analysis.run.objects import Call, Tensor
from explorer.analysis.run.source.code import Code

_ROUNDS, _MANY = 3, 8  # minimum rounds for a claim about all of them, or about how they end
_EXACT = {"float64": 1e-6, "float32": 1e-3, "bfloat16": 0.3, "float16": 0.05}  # share of a movement that is rounding
_COARSE = ("bfloat16", "float16")
_APART = 1e-3  # smallest difference that counts
_STILL = 0.9  # if this share of the entries never moves, the average does not
_SHORT, _COPY = 0.4, 0.9999  # share of the distance covered per round: hardly an average, or a copy
_FAR, _NEAR = 20, 100  # limits: operands of an expression, and tensors behind a written one
_WEIGHTS = 0.005  # allowed difference between the sum of the weights and 1
_LOOKED_AT = 200  # written tensors that are examined


@dataclass(frozen=True)
class _Round:
    """A round of a follower: its entries before and after, and the entries it follows."""

    before: np.ndarray
    after: np.ndarray
    goal: np.ndarray

    @property
    def apart(self) -> np.ndarray:
        """Entries too far from the goal for rounding to matter."""
        return np.asarray(np.abs(self.goal - self.before) > _APART * np.abs(self.before))

    @cached_property
    def share(self) -> float:
        """Share of the distance to the goal that a round covers, NaN without a distance."""
        way, moved = self.goal - self.before, self.after - self.before
        length = float(way @ way)
        return float(moved @ way) / length if length > 0 else np.nan

    def misses(self) -> float:
        """Return the part of the movement that the share leaves unexplained."""
        way, moved = self.goal - self.before, self.after - self.before
        size = float(np.linalg.norm(moved))
        return float(np.linalg.norm(moved - self.share * way)) / size if size > 0 else 0.0

    def weights(self) -> tuple[float, float, float]:
        """Fit both tensors' weights. Return them and the residual."""
        both = np.stack((self.before, self.goal), 1)
        found, *_ = np.linalg.lstsq(both, self.after, rcond=None)
        left = float(np.linalg.norm(both @ found - self.after)) / max(float(np.linalg.norm(self.after)), 1e-30)
        return float(found[0]), float(found[1]), left


@dataclass(frozen=True)
class _Follower:
    """A tensor that the program moves by another's entries between training steps.

    Attributes: writes: the moving calls of each round, with the tensors before the first and after the last.
    """

    tensor: Tensor
    goal: Tensor
    writes: tuple[tuple[tuple[Call, ...], Tensor, Tensor], ...]

    @property
    def place(self) -> Code | None:
        """The place of the first move."""
        return self.writes[0][0][-1].place

    @cached_property
    def rounds(self) -> list[_Round]:
        """Rounds of which all entries are known."""
        ends = ((calls[0], old, calls[-1], new) for calls, old, new in self.writes)
        made = [(old.before(first), new.before(last.id + 1), self.goal.before(last)) for first, old, last, new in ends]
        known = [[one.astype(np.float64) for one in arrays] for arrays in made if _are_alike(arrays)]
        return [_Round(*arrays) for arrays in known]

    @property
    def numbers(self) -> list[float]:
        """Factors with which the program averages."""
        given = (call.arguments for call in self.writes[0][0])
        every = (number for one in given for number in (*one.positional, *one.named.values()))
        return [float(number) for number in every if isinstance(number, float)]


def _are_alike(arrays: Sequence[np.ndarray | None]) -> bool:
    known = [one for one in arrays if one is not None and one.dtype.kind == "f" and np.isfinite(one).all()]
    return len(known) == len(arrays) and len({one.size for one in known}) == 1 and known[0].size > 0


@finds("average_fails", "it moves away, or never moves because its dtype rounds the steps away")
def average_fails(run: Run) -> Iterator[Finding]:
    """Report a moving average that never moves, drifts away or disturbs the training."""
    for follower in _followers(run):
        if len(follower.rounds) < _ROUNDS or not _is_trained(follower):
            continue
        how, certain, values = _judged(follower)
        if how:
            values |= {"name": follower.tensor.path, "other": follower.goal.path, "dtype": follower.tensor.dtype}
            values |= {"rounds": len(follower.rounds), "how": how, "model": model_of(follower.goal.path)}
            yield from report("average_fails", follower.place, follower.tensor, **values, certain=certain)


def _judged(follower: _Follower) -> tuple[str, bool, dict[str, object]]:
    """Return an average's fault, its certainty and its numbers, "" if sound."""
    rounds = [one for one in follower.rounds if one.apart.any()]
    shares = [one.share for one in rounds]
    first, last = (share(float(f"{shares[at]:.3g}")) if shares else "" for at in (0, -1))
    values: dict[str, object] = {"first": first, "last": last, "sum": ""}
    if follower.tensor.id in follower.tensor.run.held:
        held_back = len(rounds) >= _ROUNDS and min(shares) > 0 and max(one.misses() for one in rounds) < 0.1
        return ("back" if held_back else ""), False, values
    if len(rounds) < _ROUNDS:
        return "", False, values
    moved = np.any([one.apart & (one.after != one.before) for one in rounds], axis=0)
    if 1 - moved[np.any([one.apart for one in rounds], axis=0)].mean() >= _STILL:
        rounded = follower.tensor.dtype in _COARSE and any(number not in (0.0, 1.0) for number in follower.numbers)
        return ("rounded" if rounded else "still"), rounded, values
    tolerance = _EXACT.get(follower.tensor.dtype, 0.0)
    if all(one.misses() <= tolerance for one in rounds):
        if max(shares) < 0:
            return "away", True, values
        ends = shares[-_ROUNDS:]
        steady = max(ends) - min(ends) < 0.01 and min(ends) >= _SHORT and max(ends) < _COPY
        return ("short" if len(rounds) >= _MANY and steady else ""), False, values
    fits = [one.weights() for one in rounds]
    sums = [own + other for own, other, left in fits if left < tolerance]
    decays = all(0.3 < own < 1 - 1e-6 and other != 0 for own, other, _ in fits)
    if len(sums) == len(fits) and decays and min(abs(one - 1) for one in sums) > _WEIGHTS:
        return "sum", follower.tensor.is_parameter, values | {"sum": share(float(f"{sums[-1]:.3g}"))}
    return "", False, values


def _is_trained(follower: _Follower) -> bool:
    """Return whether a tensor is trained without being set from another."""
    run, tensor, goal = follower.tensor.run, follower.tensor, follower.goal
    if tensor.id in run.held:  # pulled towards a tensor that no longer moves
        first = follower.writes[0][0][0].id
        moves = any(write.id > first for write in goal.writes)
        return goal.id not in run.held and not moves and goal.changed_unseen is False
    last = follower.writes[-1][0][-1].id  # after training, the average may be loaded for use
    sets = (write for write in goal.writes if not write.is_of_optimizer and write.id < last)
    return not any(tensor.id in run.below(write.inputs) for write in sets)


def _followers(run: Run) -> Iterator[_Follower]:
    """Find tensors moved in several rounds by one other of their shape."""
    begun = [step.begin for step in run.steps]
    shapes = {one.shape for one in run.tensors(sorted(run.held))}
    written: dict[Tensor, list[tuple[Call, Tensor]]] = {}
    for call in run.calls(filter(_writes, run.by_name)) if begun else ():
        if call.id < begun[0] or call.is_of_optimizer or (call.records and any(map(_has_history, call.inputs))):
            continue
        for tensor in dict.fromkeys(one for one in call.inputs if one.shape in shapes):
            if call.id in run.writes(tensor.id):
                written.setdefault(tensor.behind(ALIASES), []).append((call, tensor))
    for owner, pairs in islice(written.items(), _LOOKED_AT):
        if (goal := _goal(owner, [(call, _operands(call, tensor)) for call, tensor in pairs])) is not None:
            rounds = grouped(pairs, lambda pair: int(np.searchsorted(begun, pair[0].id))).values()
            writes = ((tuple(call for call, _ in one), one[0][1], one[-1][1]) for one in rounds)
            yield _Follower(owner, goal, tuple(writes))
    yield from _rebuilt_averages(run, shapes, begun[0]) if begun else ()


def _rebuilt_averages(run: Run, shapes: set[tuple[int, ...]], begin: int) -> Iterator[_Follower]:
    """Find averages such as `s[k] = 0.9 * s[k] + 0.1 * p`."""
    chains: dict[tuple[int, Tensor], list[tuple[Call, Tensor, Tensor]]] = {}
    for name in ("add", "sub", "lerp", "__radd__"):
        for call in run.calls((name,)):
            made = call.outputs[0] if call.outputs and call.id > begin and call.place is not None else None
            if made is None or made.requires_grad or made.shape not in shapes or call.is_of_optimizer:
                continue
            alike = [one for one in _given(call) if one.shape == made.shape and one.behind(ALIASES).id not in run.held]
            if len(alike) == 1:
                rounds = chains.pop((call.span, alike[0]), [])
                chains[call.span, made] = [*rounds, (call, alike[0], made)]
    for (_, last), rounds in islice(chains.items(), _LOOKED_AT):
        goal = _goal(rounds[0][1], [(call, _given(call)) for call, _, _ in rounds]) if len(rounds) >= _ROUNDS else None
        if goal is not None:
            yield _Follower(last, goal, tuple(((call,), old, made) for call, old, made in rounds))


def _given(call: Call) -> list[Tensor]:
    """Return the initial operands of an expression."""
    todo, given = [*call.inputs], list[Tensor]()
    while todo and len(given) < _FAR:
        one = todo.pop()
        maker = one.maker
        if maker is not None and maker.inputs and maker.span != call.span and call.place.holds(maker.place):
            todo += maker.inputs
        else:
            given.append(one)
    return list(dict.fromkeys(given))


def _writes(name: str) -> bool:
    return name in ("data=", "__setitem__") or name.startswith("__i") or (name.endswith("_") and name[-2:] != "__")


def _has_history(tensor: Tensor) -> bool:
    return tensor.requires_grad and not tensor.is_leaf


def _goal(tensor: Tensor, writes: Sequence[tuple[Call, list[Tensor]]]) -> Tensor | None:
    """Return the only trained tensor of the same shape that the moves read."""
    run, trained = tensor.run, tensor.id in tensor.run.held
    found: set[Tensor] = set()
    for _, operands in writes:
        given = [one for one in operands if one.behind(ALIASES) is not tensor]
        alike = (one for one in run.tensors(run.below(given, _NEAR)) if one.shape == tensor.shape and one is not tensor)
        ends = {one for one in alike if one.maker is None or one.id in run.held}
        found |= {one for one in ends if trained or one.id in run.held}
    return found.pop() if len(found) == 1 else None


def _operands(call: Call, tensor: Tensor) -> list[Tensor]:
    """Return the operands of a write, for lists those at the tensor's index."""
    if not call.name.startswith("_foreach"):
        return call.inputs
    count = sum(one in call.outputs or call.id in one.run.writes(one.id) for one in call.inputs)
    at = call.inputs.index(tensor)
    return call.inputs[at::count] if count else []


RULES = (average_fails,)
