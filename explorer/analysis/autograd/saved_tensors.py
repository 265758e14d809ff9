"""What nodes save for backward, with the program's names."""

import math
from itertools import repeat

from explorer.analysis.autograd.graph_parts import GraphPart
from explorer.analysis.autograd.view import SavedTag
from explorer.analysis.names import name_of, result_of
from explorer.analysis.run import Run, one_line
from explorer.safe_regex import plain
from explorer.trace import Trace

LOOKED_AT = 40  # things that one node keeps
TAGS = 4  # saved tags on a card
_NUMBERS = {"other", "self", "exponent", "index", "min", "max", "negative_slope", "p"}  # saved numbers worth a tag
ORDER = {"self": 0, "result": 2}  # order of saved tags: torch lists them alphabetically
_CONSTANT = plain(r"-?\d[\d.e+-]*")


class SavedTags:
    """The saved tensors and numbers of one Trace, by part of the picture."""

    def __init__(self, trace: Trace, run: Run):
        self._trace, self._run, self._rows = trace, run, trace.index.saved

    def of(self, part: GraphPart) -> tuple[SavedTag, ...]:
        """What the nodes of a part save for backward, with the program's names; unnamed things are left out."""
        rows: dict[tuple[int, int] | int, int] = {}  # for x * x both factors are saved, and they are one tensor
        for row in (row for node in part.nodes for row in self._rows.get(node, ())[:LOOKED_AT]):
            tensor, version = self._trace.saved.tensor[row], self._trace.saved.version[row]
            rows.setdefault((tensor, version) if tensor >= 0 else row, row)
        tags = dict.fromkeys(map(self._tag, rows.values(), repeat(part)))
        shown = sorted((tag for tag in tags if tag), key=lambda tag: ORDER.get(tag.name, 1))
        return tuple(shown[: TAGS if len(shown) <= TAGS else TAGS - 1])

    def _tag(self, row: int, part: GraphPart) -> SavedTag | None:
        trace, saved = self._trace, self._trace.saved
        name, tensor = trace.strings[saved.name[row]], saved.tensor[row]
        if tensor >= 0:
            text = self._saved_name(tensor, part, name)
            return SavedTag(name, text, trace.saved_value(row)) if text else None
        if saved.value[row] >= 0:
            value = trace.value(saved.value[row])
            if name == "result" and len(part.nodes) == 1:
                return SavedTag(name, name, value)
            return SavedTag(name, "", value) if math.prod(value.shape) == 1 and name in _NUMBERS else None
        constant = trace.string(saved.constant[row]) or ""
        return SavedTag(name, constant) if name in _NUMBERS and _CONSTANT.fullmatch(constant) else None

    def _saved_name(self, tensor: int, part: GraphPart, name: str) -> str:
        operations = self._trace.operations
        if part.operation >= 0 and tensor in operations.outputs[part.operation]:
            return result_of(self._run, part.operation) or name
        if word := name_of(self._run, tensor, part.operation):
            return word
        maker = self._trace.maker(tensor)
        if maker < 0:
            return ""
        inside = operations.span[maker] == operations.span[part.operation] if part.operation >= 0 else False
        return "" if inside else one_line(self._run.text(maker))
