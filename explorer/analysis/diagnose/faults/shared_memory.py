"""Memory that is wrongly shared, copied or overwritten."""

import itertools
import re
from collections.abc import Iterator

import numpy as np

from explorer.analysis.diagnose.faults.finding import Finding, finds, grouped, number, numbers, report, share
from explorer.analysis.diagnose.faults.rounds import between
from explorer.analysis.diagnose.faults.training_loops import STATEFUL
from explorer.analysis.explain.autograd.gradients import node_gradients
from explorer.analysis.run.model import Run, in_order, is_zero
from explorer.analysis.run.names import model_of
from explorer.analysis.run.objects import Call, Tensor
from explorer.analysis.run.operations import DRAWS, MOVES, PRODUCTS
from explorer.analysis.run.source.code import Code, find_lines
from explorer.safe_regex import PLACE, plain
from explorer.trace import Span, Trace, sample_shape

ALIASES = "data", "detach"  # both share their tensor's memory
_COPIES = plain(r"\s*np\.(?:copyto|put|place|putmask)\(([^\W\d]\w*)")
_PUTS = plain(r"\s*([^\W\d]\w*)(?:\[.*\]\s*[-+*/]?=(?!=)|\s*[-+*/]=|\.(?:fill|sort|put|partition|resize)\()")
_PUT_INTO = plain(r"(?:\[.*\]\s*[-+*/]?=(?!=)|\.(?:fill|sort|put|partition)\()")
_LOADS = plain(rf"({PLACE})\.load_state_dict\(({PLACE})\.state_dict\(\)")
_APPENDS = plain(rf"({PLACE})\.append\((.+)\)")
_NAMES = plain(rf"(?<![\w.])({PLACE}?)(?:\.data)?(?:\.mul_)?(?![\w.\[])")
_KEYED = plain(r"\[[^\W\d]")  # an item under a key that a loop may change
_WORDS = plain(r"\w+")
_MAKES_LIST = plain(r"= *(?:\[\]|list\(\))")
_LOOPS = plain(r"\s*(?:async\s+)?(?:for|while)\b")
_REPEATS = plain(r"(?<![#\w\])])\[[^\[\]#]{1,280}\] ?\* ?(\w+)")
_COPIES_BACK = "copy_ lerp_ add_ __iadd__ iadd data=".split()
_CLONES = MOVES | {"__deepcopy__", "tensor", "new_tensor", "copy_"}
_SCALES = "mul_ div_ __imul__ __itruediv__ pow_ imul itruediv true_divide_".split()
_CHANGES = [
    name for word in ("add", "sub", "mul", "div", "truediv") for name in (f"{word}_", f"__i{word}__", f"i{word}")
]
_PARTS = 2  # fewest parts of the data that a later round finds changed
_ROUNDS = 3  # fewest rounds for reporting changed data
_FACTOR = 100.0  # factor by which data must shrink or grow by then


@finds("gradient_falsified", "backward reads entries that differ from those the forward saved")
def gradient_falsified(run: Run) -> Iterator[Finding]:
    """Report a saved tensor whose entries changed before backward, unnoticed by torch's version counter."""
    trace, versions = run.trace, run.trace.versions
    unread, saved = _unread(trace), trace.saved
    known = (row for row, node in enumerate(saved.node) if saved.tensor[row] >= 0 <= trace.nodes.operation[node])
    saved_by = grouped((row for row in known if row not in unread), lambda row: saved.node[row])
    for call in run.backwards:
        for row in sorted(row for node in set(call.row.order) for row in saved_by.get(node, ())):
            node, tensor = saved.node[row], saved.tensor[row]
            operation = trace.nodes.operation[node]
            if (rows := trace.index.overwritten(tensor, operation, call.time)) is None:
                continue
            was, now = rows
            kept, read = run.entries(versions.value[was]), run.entries(versions.value[now])
            if kept is None or read is None or np.array_equal(kept, read, equal_nan=kept.dtype.kind in "fc"):
                continue
            arrived = [run.entries(value) for value in node_gradients(trace, call.id)[node] if value >= 0]
            if not arrived or not all(map(is_zero, arrived)):
                changed, saver = run.tensor(tensor), run.call(operation)
                place = _place_of_write(run, now, saver, call.place)
                how, first = ("unseen", saver.place.line) if place is None and saver.place is not None else ("line", 0)
                values = _shown(changed, kept, read) | {"code": saver.text, "how": how, "first": first}
                yield from report("gradient_falsified", place or call.place, changed, run.node(node), **values)


def _shown(changed: Tensor, kept: np.ndarray, read: np.ndarray) -> dict[str, str]:
    """Return the changed tensor and its entries as text, or one entry if the first are still the same."""
    name, was, now = changed.name, numbers(kept), numbers(read)
    if was == now and kept.size == read.size == changed.size:
        entry = int(np.flatnonzero(kept.ravel() != read.ravel())[0])
        at = ", ".join(map(str, np.unravel_index(entry, changed.shape)))
        name, was, now = f"{name}[{at}]", number(kept.flat[entry]), number(read.flat[entry])
    return {"name": name, "was": was, "now": now}


def _unread(trace: Trace) -> set[int]:
    """Return rows of running statistics, which batch norm in training only writes."""
    saved, names = trace.saved, trace.strings
    rows = zip(saved.node, saved.name, saved.constant, strict=True)
    modes = ((node, constant) for node, name, constant in rows if names[name] in ("training", "train"))
    training = {node for node, constant in modes if trace.string(constant) == "True"}
    of_training = (row for row, node in enumerate(saved.node) if node in training)
    return {row for row in of_training if names[saved.name[row]] in ("running_mean", "running_var")}


def _place_of_write(run: Run, row: int, saver: Call, backward: Code | None) -> Code | None:
    """Return the writing operation, or the last line that writes into a known array in that memory."""
    write = run.trace.versions.operation[row]
    if write >= 0:
        return run.call(write).place
    if saver.place is None or backward is None or saver.place.span.cell != backward.span.cell:
        return None
    storage = run.trace.tensors.storage[run.trace.index.tensor_of(row)]
    names = {array.name for array in run.trace.arrays if array.storage == storage >= 0}
    lines = ((at, backward.cell.lines[at - 1]) for at in range(saver.place.line, backward.line + 1))
    puts = ((at, _PUTS.match(line) or _COPIES.match(line)) for at, line in lines)
    wrote = [at for at, match in puts if match and match[1] in names]
    if wrote:
        return run.line(backward.span.cell, wrote[-1])
    seen = (call for call in run.calls(("numpy",)) if call.inputs and call.id > saver.id and call.place is not None)
    views = [call.place for call in seen if run.trace.tensors.storage[call.inputs[0].id] == storage >= 0]
    return next((view for view in views if _PUT_INTO.match(view.after) and not view.before.strip()), None)


def kept_weights_shared(run: Run) -> Iterator[Finding]:
    """Report weights restored from a tensor in their own memory, which followed every step."""
    for call in run.calls(_COPIES_BACK) if run.steps else ():
        averaged = list(_averaged_with_itself(call)) if _writes_itself(call) else []
        yield from averaged or (_restored_from_itself(call) if len(call.inputs) > 1 else ())


def _restored_from_itself(call: Call) -> Iterator[Finding]:
    """Report a weight restored from a view of itself: nothing was saved."""
    alias, weight = _alias_and_weight(call) or (None, None)
    if alias is None or weight is None or alias.maker is None or alias.place is None:
        return
    run, made = call.run, alias.maker
    stepped = [step for step in run.steps if made.id < step.begin < call.id]
    loads, is_view = "load_state_dict" in call.text, made.name in (*ALIASES, "detach_") and weight in made.inputs
    if not is_view or not (stepped or loads) or (loads and _is_edited(alias, made, call)):
        return
    where = alias.place if stepped or call.place is None else call.place
    how = "itself" if not stepped else "added" if "add" in call.name else "written"
    values = {"name": weight.name, "code": made.text or alias.name, "steps": len(stepped), "how": how, "copied": ""}
    values["line"] = call.place.line if call.place is not None else 0
    values["model"] = model_of(
        next((name for name in weight.names if "." in name), "")
    )  # as it was before `best = net`
    loaded = _LOADS.search(call.text)
    named = _second_name(run, loaded[1], loaded[2]) if loaded and not stepped else None
    if loaded and named is not None:
        where, values = named, values | {"how": "named", "code": named.text, "copied": loaded[2]}
    certain = bool(stepped) or (loaded is not None and loaded[1] != loaded[2])  # unless both names refer to one model
    yield from report("kept_weights_shared", where, weight, **values, back=call.text, certain=certain)


def _alias_and_weight(call: Call) -> tuple[Tensor, Tensor] | None:
    """Return a call's weight and an operand sharing its memory."""
    first, second = call.inputs[:2]
    if first is second or not first.shares_entries(second) or (call.records and first.requires_grad):
        return None
    alias, weight = (second, first) if first.is_parameter or first.requires_grad else (first, second)
    if alias.maker is not None and not weight.requires_grad:  # both are views of the weight, as in state_dict()
        weight = next((operand for operand in alias.maker.inputs if operand.shares_entries(alias)), weight)
    return (alias, weight) if weight.is_parameter or weight.requires_grad else None


def _averaged_with_itself(call: Call) -> Iterator[Finding]:
    """Report averaged weights that are one tensor: `ema = model` made no copy."""
    weight = call.inputs[0].behind(ALIASES)
    alike = [one for one in call.run.calls((call.name,)) if one.span == call.span]
    if weight.is_parameter and _names_two(call) and all(_writes_itself(one) for one in alike):
        values = {"name": weight.path, "how": "same", "steps": len(alike), "line": call.place.line, "copied": ""}
        yield from report("kept_weights_shared", call, weight, **values, back=call.text, certain="add" in call.name)


def _names_two(call: Call) -> bool:
    """Return whether a call is written with two names, as `m.mul_(0.9).add_(p, alpha=0.1)`."""
    written = call.place.call if call.place is not None else None
    if written is None or not written.arguments or _KEYED.search(call.text):
        return False
    own, other = (_NAMES.findall(text) for text in (written.receiver, written.value(0)))
    return bool(own and other) and own[0] not in other


def _writes_itself(call: Call) -> bool:
    """Return whether a call writes a tensor into itself."""
    if len(call.inputs) < 2 or call.inputs[0] is call.inputs[1]:
        return len(call.inputs) > 1
    maker = call.inputs[1].made_by(("mul",))
    scaled = maker.inputs[0] if maker is not None and len(maker.inputs) == 1 else call.inputs[1]
    owner = call.inputs[0].behind(ALIASES)
    return "add" in call.name and ".mul_(" in call.text and owner is scaled.behind(ALIASES)


def _is_edited(alias: Tensor, made: Call, back: Call) -> bool:
    """Return whether the program writes into tensors from this line."""
    run = alias.run
    for at in range(made.id + 1, back.id):
        target = run.call(at).inputs[0] if run.operations.inputs[at] else None
        maker = target.maker if target is not None and target.id != alias.id else made
        wrote = target is not None and at in run.writes(target.id) and not run.call(at).is_of_optimizer
        if wrote and maker is not None and maker.span == made.span:
            return True
    return False


@finds("kept_weights_shared", "weights are copied back from their own memory after steps or under another name")
def history_shared(run: Run) -> Iterator[Finding]:
    """Report weights that are collected in a list without a copy, so that all show the final values."""
    views = (call for call in run.calls(ALIASES) if call.inputs and call.inputs[0].gets_grad and call.place is not None)
    for (_, weight), calls in grouped(views, lambda call: (call.span, call.inputs[0])).items():
        place = calls[0].place
        into = _APPENDS.fullmatch(place.whole_line.partition("#")[0].strip())
        if len(calls) < _ROUNDS or into is None or into[2] != calls[0].text:
            continue
        if any(made.users for call in calls for made in call.outputs):
            continue
        moved = between((write.id for write in weight.writes), (call.id for call in calls))
        if all(moved) and _is_read_later(run, place, into[1]):
            values = {"code": calls[0].text, "how": "listed", "steps": len(calls), "line": place.line, "copied": ""}
            yield from report("kept_weights_shared", place, weight, name=weight.name, back=into[1], **values)


def _is_read_later(run: Run, append: Code, name: str) -> bool:
    """Return whether more than a loop list's last entry is read."""
    loops = {at for at, header in Code(append.cell, append.span).headers.items() if _LOOPS.match(header)}
    places = run.trace.index.lines_with.get(_WORDS.findall(name)[-1], ())
    others = [run.line(cell, at) for cell, at in places if (cell, at) != (append.span.cell, append.line)]
    made = [line for line in others if _MAKES_LIST.search(line.text) and line.text.startswith(f"{name} ")]
    if len(made) != 1 or not loops or loops & set(Code(made[0].cell, made[0].span).headers):
        return False
    uses = [line.text for line in others if line not in made]
    if any(re.search(rf"{re.escape(name)}(?: *=[^=]|\.(?:clear|pop|remove)\()|\bdel ", text) for text in uses):
        return False  # some entries are used again
    return any(re.sub(rf"len\({re.escape(name)}\)|{re.escape(name)}\[-1\]", "", text).count(name) for text in uses)


def _second_name(run: Run, name: str, other: str) -> Code | None:
    """Return the line `name = other`, which copies nothing."""
    for cell, at in run.trace.index.lines_with.get(_WORDS.findall(name)[-1], ()):
        line = run.line(cell, at)
        if line.text.partition("#")[0].replace(" ", "") == f"{name}={other}":
            return line
    return None


@finds("moved_for_each", "the optimizer is not linear in the gradient")
def moved_for_each(run: Run) -> Iterator[Finding]:
    """Report two trained parameters sharing all entries: an optimizer with moments moves them for each.

    Without moments there is no harm: two plain steps change the weight as one step with the sum of both gradients does.
    """
    begun = run.steps[0].begin if run.steps else 0
    for optimizer in run.stepped:
        adapts = any(name in optimizer.row.kind.lower() for name in STATEFUL)
        by_memory: dict[int, Tensor] = {}
        for leaf in optimizer.tensors if adapts else ():
            other = by_memory.setdefault(run.trace.tensors.storage[leaf.id], leaf)
            moves = [user for user in (*other.users, *leaf.users) if user.name == "data="]
            trained = leaf.id in run.received and other.id in run.received
            if other is leaf or not trained or not leaf.shares_entries(other) or any(one.id > begun for one in moves):
                continue
            place = next((move.place for move in moves), None) or optimizer.place
            values = {"name": leaf.path, "source": other.path, "optimizer": optimizer.name}
            yield from report("moved_for_each", place, leaf, **values)


@finds("layer_repeated", level="note")
def layer_repeated(run: Run) -> Iterator[Finding]:
    """Report one layer at several places of a list, as made by `[nn.Linear(8, 8)] * 3`."""
    leaves = [leaf for leaf in run.tensors(sorted(run.received & run.held)) if leaf.place and leaf.place.call]
    for line, match in find_lines(run.trace, _REPEATS) if run.steps and leaves else ():
        number, alone = line.line, "deepcopy" not in line.whole_line and " for " not in line.whole_line
        inside = Span(line.span.cell, number, match.start(), number, match.end())
        leaf = next((one for one in leaves if inside.contains(one.place.span)), None)
        if alone and leaf is not None and match[1] not in ("0", "1"):
            values = {"code": match[0], "layer": leaf.place.call.head, "count": match[1]}
            yield from report("layer_repeated", run.line(line.span.cell, number), leaf, **values)


@finds("weights_untied", level="note")
def weights_untied(run: Run) -> Iterator[Finding]:
    """Report an output layer that starts as a copy of the embedding but is trained separately, or the reverse.

    Two layers that start as each other's transpose are not reported: autoencoders often start so.
    """
    trained = dict.fromkeys(tensor for optimizer in run.stepped for tensor in optimizer.tensors)
    weights = [tensor for tensor in trained if tensor.id in run.received and len(tensor.shape) == 2]
    roles = {tensor: {user.name for user in tensor.users} for tensor in weights if tensor.size >= 4}
    tables = [tensor for tensor, names in roles.items() if "embedding" in names]
    outputs = [tensor for tensor, names in roles.items() if PRODUCTS & names] if tables else []
    for source, copies in (*((table, outputs) for table in tables), *((output, tables) for output in outputs)):
        alike = [copy for copy in copies if copy is not source and copy.is_parameter]
        for copy, cloned in _clones_of(source, [copy for copy in alike if sorted(copy.shape) == sorted(source.shape)]):
            values = {"name": copy.name, "source": source.name, "apart": share(_final_difference(copy, source))}
            yield from report("weights_untied", cloned, copy, **values)


def _clones_of(source: Tensor, others: list[Tensor]) -> Iterator[tuple[Tensor, Call]]:
    """Yield the other weights that start as a clone's entries, each with the cloning operation."""
    begin = source.run.backwards[0].time if source.run.backwards else 0
    starts = ((copy, copy.before(begin)) for copy in others)
    wanted = [(copy, start) for copy, start in starts if start is not None and np.unique(start).size > 1]
    views = [made for user in source.users if user.name in ALIASES for made in user.outputs] if wanted else []
    users = {user for tensor in (source, *views) for user in tensor.users if user.id < begin and user.name in _CLONES}
    for user in sorted(users, key=in_order):
        for copy, start in wanted:
            made = [(one.before(user.id + 1), one.shape) for one in user.outputs or [copy]]
            orders = (
                order for there, shape in made if there is not None for order in (there, _transposed(there, shape))
            )
            if any(np.array_equal(order, start) for order in orders):
                yield copy, user


def _transposed(entries: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """Return a matrix's entries in the order of its transpose."""
    grid = shape if entries.size == np.prod(shape) else sample_shape(shape)
    return entries.reshape(grid).T.ravel() if len(shape) == 2 and entries.size == np.prod(grid) else entries


def _final_difference(copy: Tensor, source: Tensor) -> float:
    """Return the largest final difference between two weights."""
    first, second = copy.before(copy.run.count), source.before(source.run.count)
    if first is None or second is None or first.size != second.size:
        return float("nan")
    return float(np.abs(first - (second if copy.shape == source.shape else _transposed(second, source.shape))).max())


@finds("data_rescaled", level="note", unless="data_lost")
def data_rescaled(run: Run) -> Iterator[Finding]:
    """Report data that every training round multiplies in place."""
    calls = run.calls(_SCALES) if run.steps else ()
    scalings = {call: call.inputs[0] for call in calls if len(set(call.inputs)) == 1 and not call.is_of_optimizer}
    for tensor in dict.fromkeys(scalings.values()):
        if tensor.requires_grad or tensor.size < 2 or len(tensor.users) < 2 * _ROUNDS:
            continue
        scaling = [write for write in tensor.writes if write in scalings]
        if len(scaling) < _ROUNDS or len({call.span for call in scaling}) != 1:
            continue
        entries = [tensor.before(call) for call in scaling]
        sizes = [float(np.linalg.norm(one)) for one in entries if one is not None and one.dtype.kind in "fiu"]
        if len(sizes) < _ROUNDS or not np.isfinite(sizes).all() or not sizes[0] > 0:
            continue
        falls = all(later < earlier for earlier, later in itertools.pairwise(sizes))
        climbs = all(later > earlier for earlier, later in itertools.pairwise(sizes))
        ratio = sizes[-1] / sizes[0]
        if ((falls and ratio < 1 / _FACTOR) or (climbs and ratio > _FACTOR)) and _are_used_between(tensor, scaling):
            values = {"name": tensor.name, "first": share(sizes[0]), "last": share(sizes[-1])}
            yield from report("data_rescaled", scaling[-1], tensor, **values, rounds=len(scaling), how="whole")


def _are_used_between(tensor: Tensor, writes: list[Call]) -> bool:
    """Return whether the result of each write went into a root."""
    begins, reads = [write.id for write in writes], tensor.run.reads_that_matter(tensor.id)
    spans = zip(begins, [*begins[1:], tensor.run.count], strict=True)
    fed = sum(any(begin < at < end and at not in begins for at in reads) for begin, end in spans)
    return fed >= _ROUNDS and fed >= len(writes) - 1


def data_augmented(run: Run) -> Iterator[Finding]:
    """Report in-place random changes to data or dataset rows that accumulate over rounds."""
    left: dict[tuple[int, Tensor], dict[bytes, Call]] = {}
    again: dict[tuple[int, Tensor], list[Call]] = {}
    for call in run.calls(_CHANGES) if run.backwards else ():
        part = call.inputs[0] if call.inputs else None
        if part is None or part.requires_grad or call.is_of_optimizer or not call.leads_to_root:
            continue
        whole, before, after = _viewed(part), part.before(call), call.made
        given = call.place is not None and any("def __getitem__" in header for header in call.place.headers.values())
        if whole is None or before is None or after is None or not (given or _is_random(call)):
            continue
        key = call.span, whole
        rounds = left.setdefault(key, {})
        earlier = rounds.get(before.tobytes())
        if earlier is not None and earlier.iteration != call.iteration:
            again.setdefault(key, []).append(call)
        rounds[after.tobytes()] = call
    for (_, whole), calls in again.items():
        if len({call.inputs[0].id for call in calls}) >= _PARTS:
            values = {"times": len(calls), "random": "yes" if _is_random(calls[-1]) else "no", "how": "part"}
            yield from report("data_rescaled", calls[-1], whole, name=whole.name, **values)


def _viewed(tensor: Tensor) -> Tensor | None:
    """Return the tensor whose memory another shares partly, or None."""
    storages, maker = tensor.run.trace.tensors.storage, tensor.made_by(MOVES)
    if maker is None or storages[tensor.id] < 0:
        return None
    source = maker.inputs[0]
    return (_viewed(source) or source) if storages[source.id] == storages[tensor.id] else None


def _is_random(call: Call) -> bool:
    """Return whether random numbers, and nothing trained, enter a change of a tensor."""
    run = call.run
    below = run.tensors(run.below(call.inputs[1:]))
    drawn = any(run.names[run.makers[tensor.id]] in DRAWS for tensor in below if tensor.id in run.makers)
    return drawn and not any(tensor.requires_grad for tensor in below)


RULES = (
    *(kept_weights_shared, history_shared, moved_for_each, layer_repeated),
    *(weights_untied, data_rescaled, data_augmented),
)
OVERWRITING_RULES = (gradient_falsified,)
