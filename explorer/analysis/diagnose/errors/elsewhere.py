"""Fixes away from the failing place: a layer, an in-place write, a missing requires_grad."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from explorer.analysis.diagnose.errors.failure_context import FailureContext
from explorer.analysis.run.objects import Tensor
from explorer.analysis.run.operations.signatures import names_of
from explorer.analysis.run.source.code import Code, Repair
from explorer.analysis.run.source.expressions import (
    WrittenCall,
    bracketed,
    closing,
    is_statement,
    parse_binary,
    parse_call,
    replace_span,
    with_argument,
)

_LAYERS = re.compile(r"\b(?:\w+\.)*(Linear|Conv[123]d)\(")
_SIZE = 0, "in_features", "in_channels"  # a layer's argument
_MOST_LAYERS, _LONGEST = 200, 100_000  # layers searched, and characters per cell
_WRITES = re.compile(r"([^\W\d][\w.]*)\s*(\*\*|//|<<|>>|[-+*/@%&|^])=\s*(.+?)\s*(#.*)?")
_FILLS = re.compile(r"([^\W\d][\w.]*)\[[^=]*\]\s*(?:\*\*|//|[-+*/@])?=(?!=)")
_INPLACE = re.compile(r",\s*inplace\s*=\s*True\b|\binplace\s*=\s*True\s*,?\s*")


def layer_with_size(at: FailureContext, wanted: int, given: int) -> Repair | None:
    """Create the failing layer for its input's size, if unambiguous."""
    maker = at.run.makers.get(at.inputs[0])
    if maker is None or not at.module or not _is_behind_layer(at):
        return None
    step = at.module.rpartition(".")[2]
    found = [(cell, start, call) for cell, start, call in _layer_calls(at) if call.argument(*_SIZE) == str(wanted)]
    named = [one for one in found if not step.isdigit() and _is_assigned(at, one, step)]
    if len(named or found) != 1:
        return None
    cell, start, call = (named or found)[0]
    source, position = at.trace.cells[cell].source, call.place(*_SIZE)
    if position is None:
        return None
    end = closing(source, source.index("(", start)) + 1
    return Repair(cell, source[:start] + call.with_argument(position, str(given)) + source[end:])


def _is_behind_layer(at: FailureContext) -> bool:
    """Return whether another layer's parameters are behind the input."""
    below = at.run.below([at.run.tensor(at.inputs[0])], 200)
    return any(at.trace.tensors.is_parameter[tensor] for tensor in below)


def _layer_calls(at: FailureContext) -> Iterator[tuple[int, int, WrittenCall]]:
    """Find the calls that create layers: cell, position, call."""
    for number, cell in enumerate(at.trace.own_cells):
        for match in islice(_LAYERS.finditer(cell.source[:_LONGEST]), _MOST_LAYERS):
            end = closing(cell.source, match.end() - 1)
            call = parse_call(cell.source[match.start() : end + 1]) if end > 0 else None
            if call is not None:
                yield number, match.start(), call


def _is_assigned(at: FailureContext, found: tuple[int, int, WrittenCall], name: str) -> bool:
    """Return whether a layer's line assigns it to this attribute."""
    before = at.trace.cells[found[0]].source[: found[1]].rpartition("\n")[2]
    return re.search(rf"\b{re.escape(name)}\s*=\s*$", before) is not None


def without_writing(code: Code) -> Repair | None:
    """Create a new tensor instead of writing in place."""
    line = code.whole_line.strip()
    if code.span.line != code.span.end_line or not is_statement(line):
        return None
    if written := _WRITES.fullmatch(line):
        name, operator, value, comment = written.groups()
        value = bracketed(value) if parse_binary(value) else value
        return code.replace_line(f"{name} = {name} {operator} {value}" + (f"  {comment}" if comment else ""))
    if filled := _FILLS.match(line):
        return code.add_before(f"{filled[1]} = {filled[1]}.clone()")
    call = code.call
    if call is not None and len(_INPLACE.findall(code.text)) == 1:
        return code.replace(_INPLACE.sub("", code.text))
    plain = call is not None and call.name.endswith("_") and not call.name.endswith("__")
    if call is None or not plain or not code.is_statement or not re.fullmatch(r"[^\W\d][\w.]*", call.subject):
        return None
    if call.name.removesuffix("_") not in names_of("torch.Tensor"):  # zero_ and fill_ don't read their tensor
        return code.add_before(f"{call.subject} = {call.subject}.clone()")
    head = f"{call.head.removesuffix('_')}({', '.join(call.arguments)})"
    return code.replace(f"{call.subject} = {head}")


def without_inplace(at: FailureContext) -> Repair | None:
    """Create the only module that works in place without `inplace=True`."""
    found = [(number, _INPLACE.findall(cell.source[:_LONGEST])) for number, cell in enumerate(at.trace.own_cells)]
    cells = [number for number, places in found if places]
    if len(cells) != 1 or len(dict(found)[cells[0]]) != 1:
        return None
    return Repair(cells[0], _INPLACE.sub("", at.trace.cells[cells[0]].source))


def requiring_gradients(at: FailureContext, behind: Iterable[int]) -> Repair | None:
    """Add requires_grad=True to tensors whose gradient is read."""
    every = [one for one in at.run.tensors(behind) if one.bindings and one.dtype.startswith(("float", "bfloat"))]
    created = [one for one in every if one.maker is None or not one.maker.inputs]
    read = [one for one in every if any(_is_read(at, name) for name in one.names)]
    meant = read or (created if len(created) == 1 else [])
    places = [one.place for one in meant]
    cells = {place.span.cell for place in places if place is not None}
    if None in places or len(cells) != 1 or max(cells) >= len(at.trace.own_cells):
        return None
    source = at.trace.cells[cells.pop()].source
    for tensor in sorted(meant, key=lambda one: one.place.span.line, reverse=True):
        changed = _requiring(tensor, source)
        if changed is None:
            return None
        source = changed
    return Repair(places[0].span.cell, source)


def _is_read(at: FailureContext, name: str) -> bool:
    """Return whether the program or the failing call reads a gradient."""
    written = re.search(rf"(?<![\w.]){re.escape(name)}\.grad\b", at.sources)
    asked = at.call.argument(1, "inputs") if at.call is not None and at.call.name == "grad" else ""
    return bool(written) or re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.])", asked) is not None


def _requiring(tensor: Tensor, source: str) -> str | None:
    """Return the cell in which a tensor requires a gradient from its creation."""
    place = tensor.place
    if place is None or "requires_grad" in place.whole_line:
        return None
    if tensor.maker is not None and not tensor.maker.inputs:
        new = with_argument(place.text, "requires_grad=True")
        return None if new is None else replace_span(source, place.span, new)
    lines = source.split("\n")
    lines.insert(place.span.end_line, f"{place.indent}{tensor.name}.requires_grad_()")
    return "\n".join(lines)
