"""Misused loss functions and targets: they compute something else than the program means."""

import itertools
from collections import Counter
from collections.abc import Iterator
from itertools import islice

import numpy as np

from explorer.analysis.diagnose.faults.attention import nearest, padded_embeddings
from explorer.analysis.diagnose.faults.comparisons import AMOUNTS, COMPARED, DIFFERENCES, comparisons
from explorer.analysis.diagnose.faults.constant_terms import keeps_history
from explorer.analysis.diagnose.faults.distributions import maximizes, minimizes
from explorer.analysis.diagnose.faults.finding import Finding, finds, grouped, numbers, report
from explorer.analysis.diagnose.faults.later import may_be_used
from explorer.analysis.explain.autograd.gradient_cuts import cut_behind
from explorer.analysis.explain.autograd.python_numbers import NUMBERS, uses_of_number
from explorer.analysis.run.model import GRAD_CALL, Run, in_order, reachable
from explorer.analysis.run.objects import Call, Tensor
from explorer.analysis.run.operations import (
    CASTS,
    COMBINES,
    ENTRYWISE,
    FORMS,
    LOSSES,
    MOVES,
    OPERATIONS,
    PICKS,
    PRODUCTS,
    RESHAPES,
    STRAIGHT,
    names_where,
    spellings,
)
from explorer.safe_regex import plain
from explorer.text.numbers import number
from explorer.trace import InputTensor, sample_shape

_TERMS = names_where(lambda operation: operation.step in ("add", "sub"))
_SUMS = spellings("add") | {"sum", "stack", "cat"}
_FACTORS = RESHAPES | spellings("mul", "div", "neg")  # between a derivative and the sum of an equation
_REDUCES = PRODUCTS | names_where(lambda operation: operation.sentence == "reduced")
_SUMMED = spellings("mul") | spellings("neg", "mean", "sum", "div")
_AVERAGED = "square pow __pow__ abs __abs__ mean sum mul __mul__ div __truediv__ sqrt".split()
_SQUARES = spellings("square", "pow", "abs")
_ADDS = names_where(lambda operation: operation.step in ("add", "sum", "mean") or operation.joins)
_WEIGHTED = PRODUCTS | spellings("add")
_GRIDS = names_where(lambda operation: operation.kind == "steps")
# Operations between scores and the predictions compared with labels.
_ANSWERS = CASTS | spellings("detach") | names_where(lambda one: one.entrywise and (one.gives or one.flat))
_NUMERIC = names_where(lambda one: one.subject in ("reduce", "pick", "shape", "each") and not one.gives)
_COMPUTED = _NUMERIC - {"detach", "detach_"}  # detaching a gradient is deliberate: it is known to be constant
_SCORES = _NUMERIC | PRODUCTS
_APPLIES = {name: operation.applies for name, operation in OPERATIONS.items() if operation.applies}
_EXAMPLES = plain(r" ?/=? ?len\([^()\n]{1,60}\.dataset\)")  # torch's own attribute
_LIMITS = {"relu": (0.0, np.inf), "sigmoid": (0.0, 1.0), "tanh": (-1.0, 1.0)}
_CLEARLY, _QUARTER, _MOST = 0.1, 0.25, 0.4  # how far targets exceed a limit, and which share of them does
_NOT_SYMMETRIC = "binary_cross_entropy", "binary_cross_entropy_with_logits", "cross_entropy"
_SOFT = "kl_div", "ctc_loss"  # their log-probabilities have the classes on another axis than nll_loss
_TWICE = {"sigmoid": "sigmoid", "softmax": "softmax", "log_softmax": "softmax"}
OFF = 1e-3  # allowed difference between a row's sum of probabilities and 1
_DROWNS = 1e4  # ratio of two losses at which the smaller one hardly counts
_MANY = 3  # minimum number of kept finished graphs to be reported
_MOST_SUMS = 50  # maximum sums between a term and the loss
_LONGEST_LOSS = 20  # tensors between a difference and the loss


@finds("loss_broadcast", "predictions (n, 1) and targets (n,), and no axis was inserted on purpose")
def loss_broadcast(run: Run) -> Iterator[Finding]:
    """Report (n, 1) and (n,) broadcast to (n, n), which compares every prediction with every target.

    The product of log-probabilities and returns can weight every action with every return in the same way.
    """
    compared = (call for call, *_ in comparisons(run, DIFFERENCES | spellings("mul")))
    for call in dict.fromkeys([*compared, *_residuals(run)]):
        pair = call.inputs[:2]
        if not _is_square(pair) or _is_axis_inserted_within(call, pair) or not _is_weighted_sum(call):
            continue
        meant = _inserts_axis(_column(pair).maker) or any(_is_grid(tensor) for tensor in pair) or _is_kernel(call)
        kept = any(tensor.gets_grad for tensor in pair)
        if (meant or kept) and not _is_averaged(call):
            continue  # the centres of a kernel, which are compared with all data
        pairs = [one.inputs[:2] for one in run.calls(DIFFERENCES)]
        alone = any(_is_square(one) and len({tensor.behind(MOVES) for tensor in one}) == 1 for one in pairs)
        if call.name.endswith("_loss") or not alone:  # a kernel distance also pairs each sample with itself
            yield from report("loss_broadcast", call, **_shapes(pair), how="loss", certain=not meant)


def _residuals(run: Run) -> Iterator[Call]:
    """Find sums and differences of a trained result and a function of data, which are squared as in an equation."""
    for call in run.rooted(spellings("add", "sub")):
        pair, uses = call.inputs[:2], (user.name for made in call.outputs for user in made.users)
        if (
            _is_square(pair)
            and sum(one.is_computed_from(run.held) for one in pair) == 1
            and not _SQUARES.isdisjoint(uses)
        ):
            yield call


def _is_square(pair: list[Tensor]) -> bool:
    """Return whether one of two tensors is (…, n, 1) and the other (…, n)."""
    row, column = sorted((tensor.shape for tensor in pair), key=len) if len(pair) == 2 else ((), ())
    return bool(row) and column == (*row, 1) and row[-1] > 1


def _shapes(pair: list[Tensor]) -> dict[str, object]:
    first, second = (tensor.shape for tensor in pair)
    return {"first": first, "second": second, "made": np.broadcast_shapes(first, second)}


def _is_grid(tensor: Tensor) -> bool:
    """Return whether a tensor has equally spaced numbers."""
    maker = tensor.behind(MOVES).maker  # its maker read no tensor
    return maker is not None and maker.name in _GRIDS


def _column(pair: list[Tensor]) -> Tensor:
    return max(pair, key=lambda tensor: len(tensor.shape))


def _inserts_axis(maker: Call | None) -> bool:
    """Return whether a call gave its result an axis that its operand lacks."""
    moves = maker is not None and maker.name in MOVES and maker.inputs
    return bool(moves) and len(maker.inputs[0].shape) < len(maker.outputs[0].shape)


def _is_axis_inserted_within(call: Call, pair: list[Tensor]) -> bool:
    """Return whether the expression itself inserted or kept the axis."""
    maker = _column(pair).maker
    keeps = maker is not None and maker.name in ("mean", "sum")
    return (keeps or _inserts_axis(maker)) and call.place.holds(maker.place)


def _is_averaged(call: Call) -> bool:
    """Return whether a difference is only squared or made positive and then averaged, as in a loss."""
    todo = list(call.outputs)
    for tensor in todo:
        for user in tensor.users:
            if user.name not in _AVERAGED or len(todo) > _LONGEST_LOSS:
                return False
            todo += user.outputs
    return True


def _is_weighted_sum(call: Call) -> bool:
    """Return whether a product is used only in a sum or mean over all pairs of rows."""
    todo = list(call.outputs) if call.name in spellings("mul") else []
    for tensor in todo:
        for user in tensor.users:
            alone = all(other is tensor or other.size == 1 or _is_like(other, call) for other in user.inputs)
            clips = user.name in spellings("min", "minimum") and user.outputs[0].shape == tensor.shape
            if len(todo) > _LONGEST_LOSS or not (clips or (alone and user.name in _SUMMED | _TERMS)):
                return False
            todo += [made for made in user.outputs if made.size > 1]
    return True


def _is_like(other: Tensor, call: Call) -> bool:
    """Return whether a tensor is a product with the same targets, as (1 - y) * log(1 - p) is of y * log(p)."""
    made = other.behind(spellings("neg")).made_by(spellings("mul"))
    if made is None or not _is_square(made.inputs[:2]):
        return False
    return _row(made).behind(ENTRYWISE) is _row(call).behind(ENTRYWISE)


def _row(call: Call) -> Tensor:
    return min(call.inputs[:2], key=lambda tensor: len(tensor.shape))


def _is_kernel(call: Call) -> bool:
    """Return whether differences become a kernel summed by row."""
    todo = [(made, False) for made in call.outputs]
    for tensor, shaped in todo:
        for user in tensor.users if len(todo) <= _LONGEST_LOSS else ():
            if user.name in ENTRYWISE:
                todo += [(made, shaped or user.name not in (*_AVERAGED, "neg")) for made in user.outputs]
            elif shaped and user.name in _REDUCES and user.outputs[0].size > 1:
                return True
    return False


def target_broadcast(run: Run) -> Iterator[Finding]:
    """Report a sum of (n, 1) and (n,) compared with one value per example: it is (n, n)."""
    for call in run.rooted(COMBINES):
        pair = call.inputs[:2]
        if _is_square(pair) and not _is_axis_inserted_within(call, pair) and _is_compared(call.outputs[0], pair):
            yield from report("loss_broadcast", call, **_shapes(pair), how="loss")


def _is_compared(square: Tensor, pair: list[Tensor]) -> bool:
    """Return whether a square is compared with a tensor of an operand's shape."""
    shapes = {tensor.shape for tensor in pair}
    users = (user for user, read in square.readers(STRAIGHT) if user.leads_to_root and read.shape == square.shape)
    others = (other for user in users if user.name in DIFFERENCES for other in user.inputs)
    return any(other not in pair and other.shape in shapes for other in others)


def comparison_broadcast(run: Run) -> Iterator[Finding]:
    """Report predictions (n, 1) compared with labels (n,) and averaged to one number: the accuracy is wrong."""
    for call in run.calls(spellings("eq", "ne")):
        pair = call.inputs[:2]
        if not _is_square(pair) or _inserts_axis(_column(pair).behind(_ANSWERS).maker) or any(map(_is_grid, pair)):
            continue
        behind = [any(tensor.gets_grad for tensor in run.tensors(run.below([one], 2_000))) for one in pair]
        uses = (user for made in call.outputs for user, _ in made.readers(FORMS))
        if sum(behind) == 1 and any(user.name in ("mean", "sum") and user.outputs[0].size == 1 for user in uses):
            yield from report("loss_broadcast", call, **_shapes(pair), how="compared")


@finds(
    "penalty_constant",
    "it has no history, and no backward passes through its source",
    unless="gradient_cut asked_too_late",
)
def penalty_constant(run: Run) -> Iterator[Finding]:
    """Report a loss term that is constant in backward.

    It is a gradient without create_graph, possibly in an equation's residual, or a norm of parameters without history.
    """
    for call in run.calls((GRAD_CALL,)):
        for gradient in call.outputs:
            if not gradient.requires_grad and _is_of_data(call) and (equation := _residual(gradient, call)) is not None:
                yield from report("penalty_constant", call, gradient, term=equation.text, how="residual")
            for user, read in gradient.readers(_COMPUTED):
                others = [other for other in user.inputs if other is not read]
                adds = user.name in _TERMS and read.size == 1 < gradient.size and not read.requires_grad
                if adds and user.leads_to_root and any(other.requires_grad and other.size == 1 for other in others):
                    yield from report("penalty_constant", call, gradient, term=user.text, how="gradient")
    for call in run.rooted(_TERMS):
        if call.outputs and call.outputs[0].requires_grad and _is_term_of_root(call.outputs[0]):
            yield from _constant_term(call)


def _is_of_data(call: Call) -> bool:
    """Return whether a call differentiates trained results by data."""
    given = call.argument(1, "inputs")
    wanted = [one for one in (given if isinstance(given, (tuple, list)) else [given]) if isinstance(one, InputTensor)]
    asked = [call.inputs[one.number] for one in wanted]
    held = call.run.held
    own = any(one.is_parameter or one.id in held or one.is_computed_from(held) for one in asked)
    return bool(asked) and not own and call.inputs[0].is_computed_from(held)


def _residual(gradient: Tensor, call: Call) -> Call | None:
    """Return the sum, averaged by a loss, of a gradient without history and a trained result.

    The result may also be one that a call differentiated by.
    """
    run, given = gradient.run, {one.id for one in call.inputs[1:]}
    for user, read in gradient.readers(_FACTORS):
        others = [other for other in user.inputs if other is not read]
        made = user.outputs[0] if user.outputs else None
        if user.name not in _TERMS or not user.leads_to_root or made is None or not others or made.size < 2:
            continue
        if read.requires_grad or not others[0].requires_grad or not others[0].is_computed_from(run.held | given):
            continue
        if any(end.name in _REDUCES - PRODUCTS or end.name in LOSSES for end, _ in made.readers(ENTRYWISE | FORMS)):
            return user
    return None


def _constant_term(call: Call) -> Iterator[Finding]:
    """Yield where a number that a loss adds, computed from what it trains, lost its history."""
    run, trained = call.run, call.run.trained_next(call.id)
    constants = [
        one for one in call.inputs if one.size == 1 and not one.requires_grad and one.is_computed_from(trained)
    ]
    cuts = [(one, cut) for one in constants if (cut := cut_behind(run.trace, one.id, call.id)) is not None]
    made = ((one, run.call(cut.operation)) for one, cut in cuts if cut.operation >= 0 and cut.by != "derivative")
    ends = [(one, end, "detached") for one, end in made]
    if len(call.inputs) == 1 and call.numbers:  # with a second operand, a number is a factor
        taken = [
            run.call(at) for at, fed in uses_of_number(run.trace).items() if call.id in fed and run.names[at] in NUMBERS
        ]
        ends += [(one.inputs[0], one, "number") for one in taken if one.inputs[0].requires_grad]
    for one, end, how in ends:
        kept = keeps_history(run, end.inputs, (term for term in call.inputs if term.requires_grad))
        meant = one.is_computed_from(trained) and not kept
        if meant and (_is_of_parameters(one) or _is_intended_term(one, end, call, trained)):
            yield from report("penalty_constant", end, one, term=call.text, how=how)


def _is_intended_term(one: Tensor, lost: Call, term: Call, trained: set[int]) -> bool:
    """Return whether a number of this round was meant as one of the terms.

    No backward ever went through the number that lost its history. A number that never had any shares no result with
    the other terms: the entropy of the target they are compared with is a rightful constant.
    """
    run = term.run
    since = max((step.end for step in run.steps if step.end < term.id), default=-1)
    if not run.steps or lost.id < since or term.name not in _SUMS:
        return False  # an untrained result may display a detached value
    had = lost.inputs[0]
    if had.size == 1 and had.requires_grad and not had.is_leaf:
        return not is_reached(had)
    shared = run.below([one]) & run.below(other for other in term.inputs if other is not one)
    return not any(both.is_computed_from(trained) for both in run.tensors(shared))


def is_reached(tensor: Tensor) -> bool:
    """Return whether any backward went through a tensor."""
    trace = tensor.run.trace
    reached = trace.index.memoize(("reached",), lambda: {at for call in trace.backwards for at in call.order})
    return any(trace.versions.node[row] in reached for row in trace.versions_of(tensor.id))


def _is_term_of_root(tensor: Tensor) -> bool:
    """Return whether a number is a root, or is added to one."""

    def sums(tensor: Tensor) -> Iterator[Tensor]:
        return (made for user in tensor.users if user.name in _TERMS for made in user.outputs if made.size == 1)

    return tensor.size == 1 and any(one.id in tensor.run.roots for one in islice(reachable([tensor], sums), _MOST_SUMS))


def _is_of_parameters(tensor: Tensor) -> bool:
    """Return whether a tensor is computed only from parameters, not all with a single entry."""
    run = tensor.run
    given = [one for one in run.tensors(run.below([tensor], 2_000)) if one.maker is None or not one.maker.inputs]
    return tensor not in given and all(one.gets_grad for one in given) and any(one.size > 1 for one in given)


@finds("loss_dropped", "in every round, and its tensors are in an optimizer; in a loop, for all rounds but the last")
def loss_dropped(run: Run) -> Iterator[Finding]:
    """Report a loss that every round computes but never uses, although its parameters get no other gradient."""
    for leaf in run.tensors(sorted(run.held - run.received)) if run.held & run.received else ():
        if leaf.reached_unseen:
            continue
        losses = {
            user for use in leaf.users if use.records for made in use.outputs for user, _ in made.readers(_SCORES)
        }
        dropped = [one for one in sorted(losses, key=in_order) if one.name in COMPARED and _is_dropped(one)]
        if len(dropped) >= _MANY:
            values = {"name": leaf.name, "rounds": len(dropped), "used": 0}
            later = any(may_be_used(run, made) for made in dropped[0].outputs)
            yield from report("loss_dropped", dropped[0], leaf, **values, certain=not later)


def losses_left(run: Run) -> Iterator[Finding]:
    """Report losses of each round that are never read, with backward only from the last.

    If the last one depends on the earlier rounds, as in a recurrent network, it trains them all.
    """
    made = [call.roots[0].maker for call in run.backwards if len(call.roots) == 1]
    roots = [call for call in made if call is not None and call.place is not None and call.iteration]
    if len(roots) < 2 or len(roots) < len(run.backwards) or len({call.span for call in roots}) > 1:
        return
    alike = [call for call in run.calls((roots[0].name,)) if call.span == roots[0].span and call.id <= roots[-1].id]
    left = [call for call in alike if call not in roots]
    ends = [-1, *(call.id for call in roots)]
    counts = [sum(begin < call.id < end for call in left) for begin, end in itertools.pairwise(ends)]
    unread = all(one.outputs and one.outputs[0].requires_grad and not one.outputs[0].users for one in left)
    shared = run.below(roots[0].outputs) & run.below(left[0].outputs) if left else ()
    continues = any(one.requires_grad and not one.is_leaf for one in run.tensors(shared))
    if min(counts) > 1 and unread and not continues:
        values = {"name": "none", "rounds": len(alike), "used": len(roots)}
        yield from report("loss_dropped", roots[0], roots[0].outputs[0], **values)


def _is_dropped(loss: Call) -> bool:
    """Return whether only the value of a loss is read."""
    made = loss.outputs[0] if loss.outputs and not loss.leads_to_root else None
    is_loss = made is not None and made.size == 1 and made.requires_grad
    return is_loss and all(use.name in NUMBERS and use.id not in uses_of_number(loss.run.trace) for use in made.users)


@finds("targets_cut", "different targets become one number")
def targets_cut(run: Run) -> Iterator[Finding]:
    """Report targets that lose their fractions before a regression loss."""
    for call in run.calls(CASTS):
        given = call.inputs[0].before(call) if call.inputs and call.outputs else None
        if given is None or given.dtype.kind != "f" or not call.outputs[0].dtype.startswith(("int", "uint")):
            continue
        if not np.isfinite(given).all() or not np.any(given != np.trunc(given)):
            continue
        uses = (user for user, read in call.outputs[0].readers(RESHAPES) if read is user.inputs[-1])
        made, target = (call.made, next((user for user in uses if user.name in AMOUNTS and user.leads_to_root), None))
        if target is not None and made is not None and not call.inputs[0].requires_grad:
            certain = np.unique(made).size == 1 < np.unique(given).size
            values = {"given": numbers(given), "made": numbers(made), "loss": target.text}
            yield from report("targets_cut", call, call.outputs[0], **values, certain=certain)


@finds("target_out_of_reach", "two fifths of the targets are clearly out of reach in each of the first rounds")
def target_out_of_reach(run: Run) -> Iterator[Finding]:
    """Report targets that a result of relu, sigmoid or tanh can never reach."""
    seen: dict[int, list[float]] = {}
    for loss, made, target in comparisons(run, DIFFERENCES) if run.steps else ():
        maker, entries = made.behind(FORMS).made_by(_LIMITS), target.before(loss)
        layer = maker.inputs[0].behind(FORMS).made_by(("linear",)) if maker is not None else None
        if layer is None or entries is None or entries.dtype.kind != "f" or made.shape != target.shape:
            continue
        limits = _LIMITS[maker.name]
        beyond = (entries < limits[0] - _CLEARLY) | (entries > limits[1] + _CLEARLY)
        shares = seen.setdefault(loss.span, [])
        shares.append(float(beyond.mean()))
        compares = loss.name in AMOUNTS or _is_averaged(loss)
        if len(shares) == _MANY and min(shares) >= _QUARTER and compares:
            values = {"made": maker.text, "function": maker.name, "target": target.name}
            low, high = number(float(entries.min())), number(float(entries.max()))
            yield from report(
                "target_out_of_reach", loss, target, **values, low=low, high=high, certain=min(shares) >= _MOST
            )


@finds("probabilities_as_scores", "softmax is applied twice")
@finds("not_log_probabilities", "probabilities or scores of a layer go into nll_loss as they are")
def probabilities_as_scores(run: Run) -> Iterator[Finding]:
    """Report softmax or sigmoid before a loss that applies it, or probabilities in place of logarithms."""
    for call in run.calls((*_APPLIES, "nll_loss", *_SOFT)):
        moved = RESHAPES | MOVES if call.name == "ctc_loss" else RESHAPES  # ctc_loss has time first
        maker = call.inputs[0].behind(moved).maker if call.inputs else None
        applied = _APPLIES.get(call.name)
        if maker is None:
            continue
        if applied is not None:
            if maker.name in _APPLIES.values():
                same = maker.name == applied
                values = {"made": maker.text, "applied": applied, "twice": "no" if same else "other"}
                yield from report("probabilities_as_scores", call, **values, loss=call.name, certain=same)
            continue
        given_as = _wrong_input(call, maker) if len(call.inputs[0].shape) > 1 else ""
        sums = row_sums(call)
        if given_as and (sums is None or np.abs(sums - 1).max() > OFF):
            values = {"given": given_as, "made": maker.text, "sums": "none" if sums is None else numbers(sums)}
            yield from report("not_log_probabilities", call, loss=call.name, **values)


@finds("loss_swapped", "its scores are data of zeros and ones")
def loss_swapped(run: Run) -> Iterator[Finding]:
    """Report a classification loss whose scores and labels are swapped.

    The scores are data of zeros and ones, and the labels were computed from leaves.
    """
    for call in run.rooted(_NOT_SYMMETRIC):
        pair = call.inputs[:2]
        if len(pair) < 2 or pair[0].requires_grad or not pair[1].requires_grad or pair[1].is_leaf:
            continue
        labels = pair[0].before(call)
        if labels is not None and np.array_equal(np.unique(labels), (0, 1)):
            yield from report("loss_swapped", call, pair[1], loss=call.name, entries=numbers(labels))


def applied_twice(run: Run) -> Iterator[Finding]:
    """Report a repeated sigmoid, or softmax over the same axis, before a probability loss."""
    for call in run.rooted(_TWICE):
        applied = _TWICE[call.name]
        first = call.inputs[0].behind(RESHAPES).made_by((applied,))
        if first is None or len(first.inputs[0].shape) != len(call.inputs[0].shape):
            continue
        if applied == "softmax" and call.axis() != first.axis():
            continue
        if any(user.name in ("binary_cross_entropy", "nll_loss") for user, _ in call.outputs[0].readers(RESHAPES)):
            values = {"made": first.text, "applied": applied, "twice": "yes"}
            yield from report("probabilities_as_scores", call, **values, loss=call.name)


def _wrong_input(loss: Call, maker: Call) -> str:
    """Return the kind of values that a loss got instead of log-probabilities, or "".

    It is probabilities, scores of a layer, or logarithms over another axis than the classes (for kl_div only the
    first).
    """
    if maker.name == "softmax":
        return "probabilities"
    if loss.name == "kl_div":
        return ""
    if maker.name == "log_softmax":
        axis, shape = maker.axis(), maker.inputs[0].shape
        if loss.name == "ctc_loss":
            direct = axis is not None and maker.outputs[0] is loss.inputs[0]
            return "last" if direct and axis % len(shape) != len(shape) - 1 else ""
        if axis is None or maker.outputs[0] is loss.inputs[0]:
            return "axis" if axis is not None and axis % len(shape) != 1 else ""
        kept = loss.inputs[0].behind(("reshape", "view", "flatten")) is maker.outputs[0]
        merged = kept and len(shape) > len(loss.inputs[0].shape) == 2 and shape[-1:] == loss.inputs[0].shape[-1:]
        return "last" if merged and axis % len(shape) != len(shape) - 1 else ""
    weighted = maker.name in _WEIGHTED and any(one.gets_grad or one.is_parameter for one in maker.inputs)
    # nll_loss without a mean also picks entries, and logsumexp of the same scores makes it a cross entropy
    picks = loss.argument(-1, "reduction") == "none" or any("exp" in user.name for user in loss.inputs[0].users)
    return "scores" if (maker.name == "relu" or weighted) and not picks else ""


def row_sums(call: Call) -> np.ndarray | None:
    """Return the row sums of exp(input), None if unknown."""
    given = call.inputs[0]
    entries = given.before(call)
    if entries is None or entries.size != given.size:
        return None
    with np.errstate(over="ignore"):
        return np.exp(entries.reshape(given.shape).astype(np.float64)).sum(1 if call.name == "nll_loss" else -1)


@finds("padding_learned", "one class is at all padding and nowhere else")
def padding_learned(run: Run) -> Iterator[Finding]:
    """Report a classification loss that counts padding: its class occurs nowhere else and is not ignored."""
    embeddings = padded_embeddings(run)
    for loss in run.rooted(("cross_entropy", "nll_loss")):
        target = loss.inputs[1] if len(loss.inputs) == 2 else None
        target = target.behind(FORMS - spellings("clone")) if target is not None and not target.writes else target
        classes = target.before(loss) if target is not None and target.dtype == "int64" else None
        given = loss.arguments.named
        if target is None or classes is None or given.get("weight") is not None or given.get("reduction") == "none":
            continue
        for embedding in nearest(embeddings.get(target.shape, ()), loss):
            ids, padding = embedding.inputs[0], embedding.argument(2, "padding_idx")
            entries = ids.before(embedding)
            if entries is None:
                continue
            padded, kept = classes[entries == padding], classes[entries != padding]
            alone = padded.size > _MANY and np.unique(padded).size == 1 and padded[0] not in kept
            if alone and padded[0] != given.get("ignore_index", -100) and _is_unmasked(loss, embedding):
                values = {"padding": padding, "embedding": embedding.text, "number": int(padded[0])}
                yield from report("padding_learned", loss, target, **values, ids=ids.name)


def _is_unmasked(loss: Call, embedding: Call) -> bool:
    """Return whether scores come from an unmasked embedding."""
    below = loss.run.below(loss.inputs[:1])
    picks = (loss.run.names[at] for one in below if (at := loss.run.makers.get(one)) is not None and at > embedding.id)
    return any(one.id in below for one in embedding.outputs) and "masked_select" not in picks


@finds("mean_averaged", "every loss of that name is a mean over several examples", reads_text=True)
def mean_averaged(run: Run) -> Iterator[Finding]:
    """Report a sum of batches' mean losses divided by the number of examples instead of batches."""
    quotients = [(run.line(*at), at[0]) for at in run.trace.index.lines_with.get("dataset", ())]
    read = [call for call in run.calls(("item",)) if quotients and call.inputs and call.place is not None]
    for calls in grouped(read, lambda call: call.span).values():
        place, means = calls[0].place, [call.inputs[0].maker for call in calls]
        total, adds, value = place.whole_line.strip().partition(" += ")
        averages = (one is not None and one.inputs and _is_mean(one) for one in means)
        if adds and value == place.text and len(means) >= _MANY and all(averages):
            for line, cell in quotients:
                divided = _EXAMPLES.search(line.whole_line)
                if cell == place.span.cell and divided and line.whole_line[: divided.start()].endswith(total):
                    values = {"total": total, "loss": calls[0].inputs[0].name, "rows": means[0].inputs[0].shape[0]}
                    yield from report("mean_averaged", line, **values)


def _is_mean(call: Call) -> bool:
    """Return whether a call averages over several examples."""
    return (call.name == "mean" or call.argument(-1, "reduction") == "mean") and call.inputs[0].shape[:1] > (1,)


@finds("graph_kept", level="note")
def graph_kept(run: Run) -> Iterator[Finding]:
    """Report a running sum of losses that keeps the graph of every round alive."""
    trace, versions = run.trace, run.trace.versions
    rooted = {node: call.row.span for call in run.backwards for node in call.row.roots if node >= 0}
    if len(rooted) < _MANY:
        return
    graphs: dict[int, frozenset[int]] = {}
    first, most, total = None, 0, None
    for call in run.calls(_ADDS):
        for made in call.outputs if not call.leads_to_root else ():
            row = trace.index.before(made.id, call.id + 1)
            node = versions.node[row] if row is not None else -1
            if made.id in run.roots or node < 0:
                continue
            held = {node} & rooted.keys()
            for target in trace.nodes.edges[node]:
                own = {target, *trace.nodes.edges[target]} if target >= 0 else set()  # also for `loss * len(batch)`
                held |= graphs.get(target, frozenset()) or (own & rooted.keys())
            graphs[node] = frozenset(held)
            finished = sum(backward.time <= call.id for backward in run.backwards)
            again = first is None or call.place == first.place
            rounds = max(Counter(rooted[root] for root in held).values(), default=0)
            if rounds >= _MANY and finished >= 2 and call.place is not None and again:
                first, total, most = call, made, max(len(held), most)
    if first is not None:
        yield from report("graph_kept", first, total, graphs=most)


def likelihood_falls(run: Run) -> Iterator[Finding]:
    """Report backward from a mean of the labels' log-probabilities, which a step makes smaller."""
    for call in run.backwards if run.steps and not maximizes(run) else ():
        mean = call.roots[0].made_by(("mean", "sum")) if call.roots else None
        picked = mean.inputs[0].behind(FORMS).made_by(PICKS) if mean is not None else None
        if picked is None or len(picked.inputs) < 2 or picked.inputs[1].requires_grad:
            continue
        if (made := picked.inputs[0].made_by(("log_softmax",))) is not None:
            yield from report("sign_flipped", mean, mean.outputs[0], made=made.text, how="likelihood", certain=False)


@finds("target_without_effect", "it compares a layer with data in every round", reads_text=True)
def target_without_effect(run: Run) -> Iterator[Finding]:
    """Report backward from the mean difference between a layer and data: its gradient ignores the targets."""
    differences = (one for one in comparisons(run, spellings("sub")) if one[1].behind(FORMS).made_by(("linear",)))
    for same in grouped(differences, lambda one: one[0].span).values():
        call, _, target = same[0]
        uses = [user for user, _ in call.outputs[0].readers(FORMS) if user.name not in FORMS]
        ends = len(uses) == 1 and uses[0].name in ("mean", "sum") and uses[0].outputs[0].id in run.roots
        if ends and len(same) >= _MANY and target.size > 1 and minimizes(call):
            yield from report("target_without_effect", uses[0], target, name=target.name, rounds=len(same))


@finds("labels_pick_rows", "the labels belong to all rows, some are equal, and a loss reads the filled rows")
def labels_pick_rows(run: Run) -> Iterator[Finding]:
    """Report `onehot[labels] = 1` in a loss, which fills whole rows instead of one entry per row."""
    for call in run.calls(("__setitem__",)) if run.steps else ():
        onehot, labels = call.inputs if len(call.inputs) == 2 else (None, None)
        picks = labels is not None and isinstance(call.argument(1), InputTensor) and call.argument(2) == 1
        entries = labels.before(call) if picks and labels.dtype == "int64" and len(onehot.shape) == 2 else None
        if entries is None or labels.shape != onehot.shape[:1] or not np.unique(entries).size < entries.size:
            continue
        goals = (target for _, prediction, target in comparisons(run) if prediction.shape == target.shape)
        if 0 <= entries.min() <= entries.max() < onehot.shape[1] and any(one is onehot for one in goals):
            yield from report("labels_pick_rows", call, onehot, name=onehot.name, labels=labels.name)


@finds("scores_cut", "relu before binary_cross_entropy_with_logits, and some labels are 0")
def scores_cut(run: Run) -> Iterator[Finding]:
    """Report relu or dropout between the last layer and a classification loss.

    A score then cannot be negative, or is 0 at random.
    """
    for call in run.rooted(("cross_entropy", "binary_cross_entropy_with_logits")) if run.steps else ():
        maker = call.inputs[0].behind(FORMS).made_by(("relu", "dropout"))
        if maker is None or not maker.inputs[0].behind(FORMS).made_by(("linear",)) or len(call.inputs) < 2:
            continue
        drops = maker.arguments.named.get("training") is True and maker.argument(1, "p")
        labels = call.inputs[1].before(call)
        low = call.name != "cross_entropy" and labels is not None and bool((labels == 0).any())
        if maker.name == "relu" or drops:
            values = {"function": maker.name, "code": maker.text, "loss": call.name, "low": "yes" if low else "no"}
            yield from report("scores_cut", maker, maker.outputs[0], **values, certain=low and maker.name == "relu")


def similarity_falls(run: Run) -> Iterator[Finding]:
    """Report backward from a mean cosine similarity, which a step makes smaller."""
    for call in run.backwards if run.steps else ():
        mean = call.roots[0].made_by(("mean", "sum")) if call.roots else None
        likeness = mean.inputs[0].made_by(("cosine_similarity",)) if mean is not None else None
        pair = sorted(likeness.inputs[:2], key=lambda one: one.requires_grad) if likeness is not None else []
        learned = len(pair) == 2 and pair[0].requires_grad < pair[1].requires_grad and minimizes(mean)
        layer = pair[1].behind(FORMS).made_by(PRODUCTS) if learned else None
        if layer is not None and any(one.id in run.held for one in layer.inputs):
            yield from report(
                "sign_flipped", mean, mean.outputs[0], target=pair[0].name, how="similarity", certain=False
            )


@finds("several_classes", level="note")
def several_classes(run: Run) -> Iterator[Finding]:
    """Report cross_entropy with several correct classes per row, although its classes exclude each other."""
    for call in run.rooted(("cross_entropy",)) if run.steps else ():
        target = call.inputs[1] if len(call.inputs) > 1 else None
        classes = target is not None and target.dtype.startswith("float") and len(target.shape) == 2
        entries = target.before(call) if classes else None
        if entries is None or not np.isin(entries, (0, 1)).all():
            continue
        shape = target.shape if entries.size == target.size else sample_shape(target.shape)
        most = int(entries.reshape(shape).sum(1).max())
        if most > 1:
            yield from report("several_classes", call, target, name=target.name, most=most)


@finds("losses_apart", level="note")
def losses_apart(run: Run) -> Iterator[Finding]:
    """Report an unweighted sum of two losses, one always below a ten-thousandth of the other."""
    pairs = [(call, _two_losses(call.roots[0].maker)) for call in run.backwards if call.roots]
    sizes = [[abs(made.item()) for made in pair if made is not None and made.size == 1] for _, pair in pairs if pair]
    if len(pairs) < _MANY or len(sizes) < len(pairs) or not all(len(pair) == 2 for pair in sizes):
        return
    first = pairs[0][0].roots[0].maker
    for large, small in ((0, 1), (1, 0)):
        if all(pair[large] > _DROWNS * pair[small] > 0 for pair in sizes):
            texts = [one.maker.text if one.maker is not None else one.name for one in first.inputs]
            least, most = sizes[0][small], sizes[0][large]
            values = {"large": texts[large], "small": texts[small], "most": number(most), "least": number(least)}
            yield from report("losses_apart", first, **values, times=number(float(f"{most / least:.1g}")))


def _two_losses(made: Call | None) -> list[np.ndarray | None]:
    """Return the values of two losses a call adds, or []."""
    if made is None or made.name != "add" or len(made.inputs) != 2:
        return []
    are_losses = [one.maker is not None and one.maker.name in LOSSES for one in made.inputs]
    return [one.before(made) for one in made.inputs] if all(are_losses) else []


RULES = (
    *(loss_broadcast, comparison_broadcast, penalty_constant, loss_dropped, losses_left, probabilities_as_scores),
    *(loss_swapped, applied_twice, scores_cut, padding_learned),
    *(mean_averaged, graph_kept),
)
TARGET_RULES = (
    *(target_broadcast, target_out_of_reach, targets_cut, likelihood_falls, losses_apart, target_without_effect),
    *(labels_pick_rows, similarity_falls, several_classes),
)
