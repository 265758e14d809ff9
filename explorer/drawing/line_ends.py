"""Line-end annotations of a program, and their changes during the timeline."""

from typing import Any

from msgspec import to_builtins

from explorer.analysis.explain.autograd.cells import NamedResult, mentions_name, module_lines, written_name
from explorer.analysis.views.timeline import Change, GradState, Moment
from explorer.drawing.notebook.ghosts import TOGETHER, VALUE_CELLS, Ghost, ghost_of, module_ghost, several
from explorer.text.numbers import cells_of, shorten
from explorer.trace import Trace, Value

Place = tuple[int, int]  # a cell, and a line of it from 1


class LineEnds:
    """Tracks the line-end annotations."""

    def __init__(self, trace: Trace, lang: str) -> None:
        self.trace, self.lang = trace, lang
        self.words: dict[Place, dict[str, str]] = {}  # names and values that each line bound last
        self.now: dict[Place, Ghost] = {}
        self.tensors: dict[Place, tuple[int, int]] = {}  # tensor, and the version of which only the value is shown
        self.rows: dict[int, int] = {}  # current version of each tensor
        self.collectors = {leaf: node for node, leaf in enumerate(trace.nodes.variable) if leaf >= 0}
        self.modules = module_lines(trace)
        self.gradients = -1  # backward whose gradients are shown
        self.stored: set[int] = set()  # leaves whose `.grad` is known
        self.arriving: dict[Place, Value] = {}  # gradients that have reached leaves but are not yet added

    def changed(self, moment: Moment, backward: int, chapter: str) -> list[tuple[int, Any]]:
        """Return the annotations that change at this moment: cell and content."""
        owner = self.trace.index.tensor_of
        self.rows |= {owner(row): row for row in moment.versions}
        before = dict(self.now)
        if chapter == "forward" and backward != self.gradients >= 0:
            self.gradients = -1
            stays = {place for place, (tensor, _) in self.tensors.items() if tensor in self.stored}
            self.now |= {place: self._ghost(place) for place in self.tensors.keys() - stays}
        if moment.span >= 0 and moment.kind not in ("backward", "clear", "leave"):
            at = self.trace.spans[moment.span]
            place = at.cell, at.line
            for change in moment.names:
                self._named(place, change)
            if moment.kind in ("write", "update") and not moment.names:
                self._wrote(place, {owner(row): row for row in self._written(moment)})
            if place in self.modules:
                self.now[place] = module_ghost(place[1], self.modules[place], self.lang)
                self.tensors.pop(place, None)
        if moment.kind == "backward" and backward >= 0 and backward != self.gradients:
            self._arrive(backward)
        for stored in moment.gradients:
            self._store(stored, moment.kind == "backward")
        return [(place[0], to_builtins(ghost)) for place, ghost in self.now.items() if before.get(place) != ghost]

    def _written(self, moment: Moment) -> list[int]:
        """Return the states that the moment's own operations wrote in place."""
        versions, starts, owner = self.trace.versions, self.trace.tensors.version_start, self.trace.index.tensor_of
        made = range(moment.first, moment.operations)
        return [row for row in moment.versions if versions.operation[row] in made and row > starts[owner(row)]]

    def _wrote(self, place: Place, rows: dict[int, int]) -> None:
        """Record a line's in-place writes."""
        written = [
            NamedResult(name, *place, tensor, row, True)
            for tensor, row in rows.items()
            if (name := written_name(self.trace, place, tensor))
        ]
        if len(written) == 1 and mentions_name(self.trace, place, written[0].name):
            self._tensor(place, written[0].name, written[0].tensor)
            if self.trace.versions.node[written[0].version] < 0:
                del self.tensors[place]  # a leaf's gradient is shown on the line that created it
        elif (ghost := several(self.trace, written, place[1]) if written else None) is not None:
            self.now[place] = ghost
            self.tensors.pop(place, None)

    def _named(self, place: Place, change: Change) -> None:
        if change.gone:
            return
        if change.tensor >= 0 and set(self.words.get(place, {change.name})) <= {change.name}:
            return self._tensor(place, change.name, change.tensor)
        self.tensors.pop(place, None)
        words = self.words.setdefault(place, {})
        words.pop(change.name, None)
        words[change.name] = change.text or self._value(change.tensor)
        lines = [f"{name} = {text}" for name, text in words.items() if text]
        text = " · ".join(words.values())
        if len(lines) < len(words) or len(words) > TOGETHER or cells_of(text) > VALUE_CELLS:
            text = shorten(lines[-1], VALUE_CELLS) if lines else ""  # only the value of the named one
        self.now[place] = Ghost(place[1], "", text)

    def _tensor(self, place: Place, name: str, tensor: int) -> None:
        row = self.rows.get(tensor, -1)
        if row < 0:
            return
        self.words[place] = {name: self._value(tensor)}
        self.tensors[place] = tensor, row
        self.now[place] = self._ghost(place)

    def _ghost(self, place: Place, brought: Value | None = None, held: Value | None = None) -> Ghost:
        """Return the annotation of its tensor, with a leaf's current value and gradient."""
        tensor, row = self.tensors[place]
        return ghost_of(self.trace, NamedResult("", *place, tensor, row), brought, self.lang, held, self.rows[tensor])

    def _value(self, tensor: int) -> str:
        row = self.rows.get(tensor, -1)
        return ghost_of(self.trace, NamedResult("", 0, 1, tensor, row), None, self.lang).value if row >= 0 else ""

    def _arrive(self, backward: int) -> None:
        """Register a backward's gradients, which the player shows as they arrive."""
        self.gradients = backward
        self.arriving.clear()
        call = self.trace.backwards[backward]
        arrived = {node: tuple(call.arrived[step]) for step, node in enumerate(call.order)}
        leaves = set(call.accumulated)
        for place, (tensor, row) in self.tensors.items():
            node, output = self.trace.versions.node[row], max(self.trace.versions.output[row], 0)
            gradients = arrived.get(node if node >= 0 else self.collectors.get(tensor, -1), ())
            value = self.trace.value(gradients[output]) if output < len(gradients) and gradients[output] >= 0 else None
            if value is None:
                continue
            if tensor in leaves:
                self.arriving[place] = value
            if tensor not in leaves or not self.now[place].gradient:
                self.now[place] = self._ghost(place, value)

    def _store(self, stored: GradState, arrives: bool) -> None:
        """Update a leaf's `.grad`."""
        self.stored.add(stored.leaf)
        held = self.trace.value(stored.value) if stored.value >= 0 else None
        for place in [place for place, (tensor, _) in self.tensors.items() if tensor == stored.leaf]:
            brought = self.arriving.pop(place, None) if arrives else None
            self.now[place] = self._ghost(place, brought, held)
