"""Names that are never called or used."""

import re
from collections.abc import Iterator

from explorer.analysis.diagnose.faults.finding import Finding, finds, report
from explorer.analysis.explain.autograd.gradients import node_gradients
from explorer.analysis.run.model import ASKS, Run
from explorer.analysis.run.operations import operation_of
from explorer.analysis.run.operations.signatures import names_of, needs_no_argument
from explorer.analysis.run.source.assignments import expressions, last_assignment
from explorer.analysis.run.source.code import code_at, find_lines, lines_of, source_text
from explorer.safe_regex import PLACE, plain, stands_in
from explorer.trace import Result, Span

_METHOD = plain(r"<(?:bound method (\S+)|built-in method (\w+)) of")
_BOUND = plain(rf"^\s*({PLACE}) *= *({PLACE})\.([a-z_]+) *(?:#.*)?$")
_OF_OTHERS = frozenset("step zero_grad backward eval train".split())  # methods of optimizers, modules and losses
_PATH = plain(r"(?:[^\W\d]\w*(?:\[\w+\])?\.)+[^\W\d]\w*")


@finds("not_called", "a method is a statement without brackets, or bound to a name that nothing uses")
def not_called(run: Run) -> Iterator[Finding]:
    """Report a method that is named but not called: a statement without brackets, or an unused name."""
    trace = run.trace
    results = (output for cell in trace.cells for output in cell.outputs if isinstance(output, Result))
    for output in results:
        match = _METHOD.match(output.text) if output.span >= 0 else None
        if match:
            method = (match[1] or match[2]).rpartition(".")[2]
            yield from report("not_called", run.place(output.span), method=method)
    for place in (code_at(trace, span) for span in expressions(trace)):
        code = place.text
        if not _PATH.fullmatch(code):
            continue
        root, _, method = code.rpartition(".")
        first = root.partition(".")[0]
        bound, elsewhere = trace.bound(root), len(trace.index.lines_with.get(first, ())) > 1
        if not root.isidentifier():  # another place may hold an array by now
            is_tensor = bound is not None and run.tensor(bound).is_parameter
        else:
            is_tensor = bound is not None and _is_tensor(run, first, place.span)
        if (is_tensor and method in names_of("torch.Tensor")) or (method in _OF_OTHERS and elsewhere):
            yield from report("not_called", place, run.tensor(bound) if bound else None, code=code, method=method)
    for line, match in find_lines(trace, _BOUND):
        name, owner, method = match.groups()
        place, bound = run.line(line.span.cell, line.line), trace.bound(owner) if needs_no_argument(method) else None
        alone = trace.index.lines_with.get(name) == [(line.span.cell, line.line)] and line.text.count(name) == 1
        if bound is not None and alone and _is_tensor(run, owner, place.span):
            tensor = run.tensor(bound) if bound else None
            yield from report("not_called", place, tensor, code=f"{owner}.{method}", method=method)


def _is_tensor(run: Run, name: str, place: Span) -> bool:
    """Return whether a name was last assigned tensors, not arrays."""
    trace, last = run.trace, last_assignment(run.trace, name, place)
    own = [one for one in trace.bindings if one.name == name]
    if last is None or not own:
        return True
    spans = [trace.spans[one.span] for one in own if one.span >= 0]
    return len(spans) < len(own) or any(at.cell == last.cell and last.line <= at.line <= last.last for at in spans)


_ATTRIBUTE = plain(rf"\s*({PLACE})\.(\w+) *=(?!=)")
_KEY = plain(rf"\s*({PLACE})\[['\"](\w+)['\"]\] *[-+*/]?=(?!=)")
_GROUP = plain(rf"\s*for +(?:{PLACE} *, *)?({PLACE}) +in +(?:enumerate\()?{PLACE}\.param_groups")
_ITEM = plain(r"\[['\"]?(\w+)['\"]?\]")
_REQUIRES = frozenset("require_grad required_grad requires_grads require_grads requires_gradient requiers_grad".split())
_NEW = plain(r"torch\.(\w+)\(")
_SETTINGS = {"learning_rate": "lr", "learn_rate": "lr", "rate": "lr", "LR": "lr", "wd": "weight_decay"}
_OPTIONS = frozenset(("lr", "momentum", "weight_decay", "learning_rate"))  # options in the groups of optimizers


@finds("setting_misspelt", "no line reads it")
def setting_misspelt(run: Run) -> Iterator[Finding]:
    """Report an assigned attribute or group entry that neither torch nor the program reads."""
    text = source_text(run.trace)
    names = {_dotted(one.name) for one in run.optimizers if f"class {one.row.kind}" not in text}
    groups = set()
    for line in lines_of(run.trace):
        if loop := _GROUP.match(line.whole_line):
            groups.add(loop[1])
        for part in line.whole_line.partition("#")[0].replace(":", ";").split(";"):
            attribute, key, meant = _ATTRIBUTE.match(part), _KEY.match(part), ""
            if module := _frozen_module(run, part):
                meant, word = f"{module}.requires_grad_(False)", f"{module}.requires_grad"
            elif attribute and attribute[2] in _REQUIRES:
                meant = "" if _is_ineffective(run, attribute[1], part, line.span) else "requires_grad"
                word = attribute[2]
            elif attribute and attribute[2] in _OPTIONS and _dotted(attribute[1]) in names:
                meant, word = f'{attribute[1]}.param_groups[0]["{_SETTINGS.get(attribute[2], attribute[2])}"]', ""
            elif key and key[2] in _SETTINGS and (key[1] in groups or ".param_groups[" in key[1]):
                meant, word = f'{key[1]}["{_SETTINGS[key[2]]}"]', key[2]
            if meant and not _is_read(run, word or f"{attribute[1]}.{attribute[2]}"):
                place = run.line(line.span.cell, line.line)
                yield from report("setting_misspelt", place, code=part.strip(), meant=meant)


def _is_ineffective(run: Run, name: str, part: str, place: Span) -> bool:
    """Return whether a name's requires_grad = False changes nothing."""
    if part.partition("=")[2].strip() != "False":
        return False
    flags, bindings = run.trace.tensors.requires_grad, run.trace.bindings
    if own := [flags[one.tensor] for one in bindings if _dotted(one.name) == _dotted(name)]:
        return not any(own)
    last = last_assignment(run.trace, name, place)  # only the text is known of a line that ran before the recording
    made = _NEW.match(last.value) if last is not None else None
    return made is not None and operation_of(made[1]).subject == "create" and "requires_grad" not in last.value


def _frozen_module(run: Run, part: str) -> str:
    """Return the module that a statement fails to freeze, or ""."""
    target, _, value = part.partition("=")
    path = target.strip().removesuffix(".requires_grad")
    if value.strip() != "False" or path == target.strip() or "def requires_grad" in source_text(run.trace):
        return ""
    own = _dotted(path)
    within = f".{own.removeprefix('self.')}" if own.startswith("self.") else None
    leaves = [leaf for leaf in run.tensors(sorted(run.received)) if leaf.is_parameter]
    leaves = [leaf for leaf in leaves if not any(user.name in ASKS for user in leaf.users)]  # set on it itself
    names = [_dotted(name) for leaf in leaves for name in leaf.names]
    holds = any(f"{within}." in f".{name}" if within else name.startswith(f"{own}.") for name in names)
    bound = (_dotted(one.name) for one in run.trace.bindings)
    is_tensor = any(name == own or (within and name.endswith(within)) for name in bound)
    return path if holds and not is_tensor else ""


def _dotted(path: str) -> str:
    """Write the items of a path as attributes: net.0 for net[0]."""
    return _ITEM.sub(r".\1", path)


def _is_read(run: Run, words: str) -> bool:
    """Return whether a line uses these words other than in assignments to them."""
    before = r"(?<![\w.])" if "." in words else r"\b"
    uses = plain(before + words + r"\b(?!['\"\]]* *[-+*/]?=(?!=))")
    return any(uses.search(line.partition("#")[0]) for cell in run.trace.cells for line in cell.lines)


_WRAPS = plain(rf"^\s*({PLACE}) *= *[\w.]*(?:DistributedDataParallel|DDP)\(")


@finds("wrapper_bypassed", "no line of the program calls the wrapper")
def wrapper_bypassed(run: Run) -> Iterator[Finding]:
    """Report a training that always calls `model.module` and so bypasses DistributedDataParallel."""
    for name in sorted({match[1] for _, match in find_lines(run.trace, _WRAPS)}) if run.steps else ():
        if any(find_lines(run.trace, rf"(?<![\w.]){re.escape(name)}\(")):
            continue
        lines = (line for line, _ in find_lines(run.trace, rf"{re.escape(name)}\.module\("))
        ran = {(call.place.span.cell, call.place.line) for call in run.rooted(run.by_name)}
        at = next((at for line in lines if (at := (line.span.cell, line.line)) in ran), None)
        if at is not None:
            yield from report("wrapper_bypassed", run.line(*at), code=f"{name}.module(…)", name=name)


_BACKWARD = plain(r"^\s+def backward\( *\w+, *\*?([^\W\d_]\w*)[^()]*\).*:\s*$")
_FUNCTION = plain(r"^\s*class (\w+)\((?:[\w.]*\.)?Function\)")
_RETURNS = plain(r"^\s*return\b(?!\s*(?:None|torch\.zeros).*$)")


@finds("gradient_unread", "the gradient that it gets is not 1")
def gradient_unread(run: Run) -> Iterator[Finding]:
    """Report a Function whose backward ignores the gradient that it gets."""
    for line, match in find_lines(run.trace, _BACKWARD):
        function = next((own for header in line.headers.values() if (own := _FUNCTION.match(header))), None)
        body = [text.partition("#")[0] for text in line.block]
        if function is None or any(stands_in(text, match[1]) for text in body) or not any(map(_RETURNS.match, body)):
            continue
        ran = [
            (call.id, node) for call in run.backwards for node in call.nodes if node.name == f"{function[1]}Backward"
        ]
        arrived = (value for call, node in ran for value in node_gradients(run.trace, call)[node.id])
        came = [run.entries(value) for value in arrived if value >= 0]
        others = any(entries is not None and bool((entries != 1).any()) for entries in came)
        if ran:
            place = run.line(line.span.cell, line.line)
            yield from report("gradient_unread", place, function=function[1], name=match[1], certain=others)


RULES = (not_called, gradient_unread, setting_misspelt, wrapper_bypassed)
