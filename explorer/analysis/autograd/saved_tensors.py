"""What nodes save for backward, with the program's names."""

import math

from explorer.analysis.autograd.graph_parts import GraphPart
from explorer.analysis.autograd.view import SavedTag
from explorer.analysis.names import name_of, result_of
from explorer.analysis.run import one_line, run_of
from explorer.safe_regex import plain
from explorer.trace import Trace

LOOKED_AT = 40  # things that one node keeps
TAGS = 4  # saved tags on a card
_NUMBERS = {"other", "self", "exponent", "index", "min", "max", "negative_slope", "p"}  # saved numbers worth a tag
ORDER = {"self": 0, "result": 2}  # order of saved tags: torch lists them alphabetically
_CONSTANT = plain(r"-?\d[\d.e+-]*")


def saved_tags(trace: Trace, part: GraphPart) -> tuple[SavedTag, ...]:
    """What the nodes of a part save for backward, with the program's names; unnamed things are left out."""
    rows: dict[tuple[int, int] | int, int] = {}  # for x * x both factors are saved, and they are one tensor
    for row in (row for node in part.nodes for row in trace.index.saved.get(node, ())[:LOOKED_AT]):
        tensor, version = trace.saved.tensor[row], trace.saved.version[row]
        rows.setdefault((tensor, version) if tensor >= 0 else row, row)
    tags = dict.fromkeys(_tag(trace, row, part) for row in rows.values())
    shown = sorted((tag for tag in tags if tag), key=lambda tag: ORDER.get(tag.name, 1))
    return tuple(shown[: TAGS if len(shown) <= TAGS else TAGS - 1])


def _tag(trace: Trace, row: int, part: GraphPart) -> SavedTag | None:
    saved, run, spans = trace.saved, run_of(trace), trace.operations.span
    name, tensor = trace.strings[saved.name[row]], saved.tensor[row]
    if tensor >= 0:
        maker, text = trace.maker(tensor), name_of(run, tensor, part.operation)
        if part.operation >= 0 and tensor in trace.operations.outputs[part.operation]:
            text = result_of(run, part.operation) or name
        elif not text and maker >= 0 and (part.operation < 0 or spans[maker] != spans[part.operation]):
            text = one_line(run.text(maker))
        return SavedTag(name, text, trace.saved_value(row)) if text else None
    if saved.value[row] >= 0:
        value = trace.value(saved.value[row])
        if name == "result" and len(part.nodes) == 1:
            return SavedTag(name, name, value)
        return SavedTag(name, "", value) if math.prod(value.shape) == 1 and name in _NUMBERS else None
    constant = trace.string(saved.constant[row]) or ""
    return SavedTag(name, constant) if name in _NUMBERS and _CONSTANT.fullmatch(constant) else None
