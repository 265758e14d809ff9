"""Changes of parameters and gradients that get lost."""

from collections.abc import Iterator

from explorer.analysis.diagnose.faults.finding import Finding, finds, grouped, report
from explorer.analysis.diagnose.faults.shared_memory import ALIASES
from explorer.analysis.diagnose.faults.training_loops import measures
from explorer.analysis.run.model import Run
from explorer.analysis.run.objects import Call, Tensor
from explorer.analysis.run.operations import ENTRYWISE, FORMS, MOVES, PICKS, spellings
from explorer.analysis.run.source.code import Code
from explorer.safe_regex import plain

_IN_PLACE_TOO = spellings("add", "sub", "mul", "div", "clamp", "clamp_min", "clamp_max", "lerp", "addcmul", "addcdiv")
_SAME = FORMS | MOVES | {*ALIASES}  # a new name for the same entries updates nothing
# Some of their results share no memory with their operand. Writing `clone` or `to` intends a copy.
_PLAIN = {name for name in ENTRYWISE | FORMS if not name.endswith("_")}
_HEADER = plain(r"\s*(?:for|with|if|elif|else)\b.*:\s*")
_FEW = 2  # fewest parameters of a loop to be reported


@finds("update_lost", "nothing ever reads the updated value")
def discarded(run: Run) -> Iterator[Finding]:
    """Report a statement whose result nothing uses.

    It computes with a leaf or its gradient inside a block: `p.grad.clamp(-1, 1)` lacks an underscore. Or its operand is
    used further unchanged: `F.relu(h)` lacks an assignment.
    """
    if not run.backwards or measures(run):  # the result may be computed only to time it
        return
    leaves = run.tensors(sorted(run.received))
    owners = {leaf.id: leaf for leaf in leaves} | {grad.id: leaf for leaf in leaves for grad in leaf.grads}
    for call in run.calls(_IN_PLACE_TOO | _PLAIN):
        lost = len(call.outputs) == 1 and not call.outputs[0].users and not call.outputs[0].bindings
        if not lost or not call.inputs or not _is_statement(call) or not call.place.span.column:
            continue  # at the end of a cell a result is shown
        given = call.inputs[0]
        of = given.behind(ALIASES)
        leaf, method = owners.get(of.id), call.name.strip("_")
        used = any(user.id > call.id for user in given.uses_for_roots)
        used = used and not any("try:" in header for header in call.place.headers.values())
        if leaf is not None and call.name in _IN_PLACE_TOO:
            name = leaf.name if of is leaf else f"{leaf.name}.grad"
            yield from report("update_lost", call, leaf, name=name, method=method, how="bare")
        elif used and not given.is_leaf and f"{call.name}(" in call.text:
            yield from report("update_lost", call, given, name=given.name, method=method, how="result", certain=False)


def written_copy(run: Run) -> Iterator[Finding]:
    """Report writing into memory that nothing else reads, as `w.grad[rows].zero_()` for a list or mask does."""
    storages = run.trace.tensors.storage
    for call in run.calls(name for name in run.by_name if name == "__setitem__" or name.endswith("_")):
        copy = call.inputs[0] if call.inputs and not call.is_of_optimizer else None
        if copy is None or storages[copy.id] < 0 or call not in copy.writes or not _is_statement(call):
            continue
        made = copy.maker
        while made is not None and made.inputs and storages[made.inputs[0].id] == storages[copy.id]:
            made = made.inputs[0].maker  # for a view of the copy
        if made is None or not made.inputs or made.name not in PICKS or not call.place.holds(made.place):
            continue
        if storages[made.inputs[0].id] >= 0 and copy.is_in_unread_memory and not measures(run):
            source = made.inputs[0]
            yield from report("update_lost", call, source, name=source.name, method=made.text, how="copy")


def _is_statement(call: Call) -> bool:
    """Return whether a call is a whole statement."""
    place = call.place
    if place is None or place.span.end_line > place.line:
        return False
    before, after = place.whole_line[: place.span.column], place.whole_line[place.span.end_column :]
    before = before.rpartition(";")[2] if before.rstrip().endswith(";") else before
    return (not before.strip() or bool(_HEADER.fullmatch(before))) and after.lstrip()[:1] in ("", ";", "#")


def loop_name_rebound(run: Run) -> Iterator[Finding]:
    """Report a loop over parameters that only rebinds its name, as in `p = torch.zeros_like(p)`."""
    lost: dict[Code, list[tuple[Call, Tensor, str]]] = {}
    by_end = grouped(run.trace.bindings, lambda one: (one.name, one.until))
    unread = {one.id for one in run.tensors(run.makers) if not one.users} - {*run.trace.looked_at}
    for binding in (one for one in run.trace.bindings if one.span >= 0 and one.tensor in unread):
        result = run.tensor(binding.tensor)
        made = result.maker
        if made is None or made.place is None or len(result.bindings) > 1 or made.name in _SAME:
            continue
        before = (run.tensor(one.tensor).behind(ALIASES) for one in by_end.get((binding.name, binding.start), ()))
        leaf = next((tensor for tensor in before if tensor.is_parameter), None)
        if leaf is not None and leaf.id in run.below([result]):
            lost.setdefault(made.place, []).append((made, leaf, binding.name))
    for found in lost.values():
        made, leaf, name = found[0]
        ended = all(one.outputs[0].id not in run.trace.remaining for one, *_ in found[:-1])
        if len({parameter for _, parameter, _ in found}) >= _FEW and ended:
            yield from report("update_lost", made, leaf, name=name, method="", how="loop")


@finds("nothing_loaded", "no entry was copied")
def nothing_loaded(run: Run) -> Iterator[Finding]:
    """Report load_state_dict(strict=False) that copied nothing, because no name matches."""
    for span, loads in grouped(run.log_of("load"), lambda load: load.span).items():
        place = run.place(span)
        name, called, _ = place.text.partition(".load_state_dict(") if place is not None else ("", "", "")
        if called and all(load.before and load.value == 0 for load in loads):  # a library loads the model part by part
            yield from report("nothing_loaded", place, name=name)


RULES = (discarded, written_copy, loop_name_rebound, nothing_loaded)
