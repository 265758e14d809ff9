"""A run's moments in order: operations, backward calls and ends of statements.

Also finds the position from which a card exists.
"""

from bisect import bisect_right
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator

from explorer.analysis.explain.autograd.backward_steps import Visit, card_visits
from explorer.analysis.explain.autograd.view_records import Card, GraphView
from explorer.analysis.explain.why.leaf_history import Tapes, tapes
from explorer.analysis.run.model import GRAD_CALL
from explorer.analysis.views.timeline.records import (
    Change,
    ChapterKind,
    FunctionCall,
    GradState,
    Life,
    Moment,
    MomentKind,
    Timeline,
    TimelineChapter,
)
from explorer.trace import Trace
from explorer.trace.statements import ENTERED, GONE, LEFT, RAISED, RAN, TESTED

_MARKS = ("_record_function_enter", "_record_function_exit")
_TRIVIAL = ("grad", "data", "item", "size", "dim", "numel", "requires_grad_")
_CLEARED = ("zeroed", "cleared")
_HEADS = {"for": "round", "while": "round", "async": "round", "if": "branch", "elif": "branch", "match": "branch"}


def timeline(trace: Trace, view: GraphView | None = None) -> Timeline:
    """Return a run's timeline. Each step of the view's backward is a moment."""
    builder = _Builder(trace, view)
    builder.build()
    moments = builder.moments
    _show_outputs(trace, moments)
    parts = chapters(trace, moments)
    s = trace.statements
    calls = [FunctionCall(trace.strings[name], caller) for name, caller in zip(s.function, s.caller, strict=True)]
    return Timeline(parts, tuple(moments), tuple(calls or [FunctionCall("", -1)]), trace.options.statements, s.left_out)


class _Builder:
    """Builds a run's moments: up to each statement's end, then the statement."""

    def __init__(self, trace: Trace, view: GraphView | None) -> None:
        self.trace = trace
        self.tapes: Tapes = tapes(trace)
        self.view = view if view is not None and view.backward is not None and view.cards else None
        self.moments: list[Moment] = []
        self.running = [0]  # running calls, innermost last
        self.at = self.done = 0  # operations and backward calls that have run
        self.run = self.tapes.facts
        self.trivial = [name.startswith(_MARKS) or name in _TRIVIAL for name in self.run.names]  # they only read
        self.applied: dict[int, int] = {}  # operation around each nested call
        self.open: set[int] = set()  # operations around a nested call
        self.phase = {
            operation: phase.kind
            for phase in self.run.phases
            for operation in range(phase.begin, min(phase.end + 1, self.run.count))
        }
        self.firsts = set(trace.tensors.version_start)  # rows with a tensor's first state
        # operation → rows of Trace.versions that apply from it on
        self.rows: dict[int, list[int]] = defaultdict(list)
        self.found: dict[int, deque[int]] = defaultdict(deque)  # tensor → states found by comparing, in order
        self.late: list[tuple[int, int]] = []  # states found late, with the number of operations begun by then
        self.covered: set[int] = set()  # states that a moment already has
        self.behind = 0  # position in `late`
        self._arrange_versions()
        self.stored: dict[int, list[GradState]] = defaultdict(list)  # operation → `.grad`
        self.cleared: set[int] = set()
        self.arrived: dict[int, dict[int, GradState]] = defaultdict(dict)  # backward → leaf → `.grad`
        self._arrange_gradients()
        self.visits: deque[Visit] = deque()  # remaining visits of the running backward
        self.visited, self.steps = -1, 0  # the running backward, and how many of its steps are moments
        self.place: dict[int, int] = {}  # position of each node in the backward's order
        self.trained = set(self.tapes.accumulated)
        self.bound: dict[int, list[Change]] = defaultdict(list)
        if not len(trace.statements):
            for binding in trace.bindings:
                if binding.start >= 0:
                    self.bound[binding.start].append(Change(0, binding.name, binding.tensor))

    # ---- moments of operations ---------------------------------------------------------------------------------------

    def _arrange_versions(self) -> None:
        trace, operations = self.trace, self.trace.operations
        used: dict[int, int] = {}
        for operation in range(len(operations)):
            for tensor in (*operations.inputs[operation], *operations.outputs[operation]):
                used.setdefault(tensor, operation)
        for binding in trace.bindings:
            if binding.start >= 0:
                used[binding.tensor] = min(used.get(binding.tensor, binding.start), binding.start)
        for tensor in range(len(trace.tensors)):
            for number, row in enumerate(trace.versions_of(tensor)):
                operation, seen = trace.versions.operation[row], trace.versions.seen[row]
                if operation >= 0:
                    self.rows[operation].append(row)
                elif seen >= 0 and number:
                    self.found[tensor].append(row)
                    self.late.append((seen, row))
                else:
                    self.rows[used.get(tensor, len(operations))].append(row)
        self.late.sort()

    def _arrange_gradients(self) -> None:
        given = {leaf.id for call in self.run.calls(("grad=",)) for leaf in call.inputs[:1]}
        given |= {leaf.id for call in self.run.calls(("zero_grad",)) for leaf in call.inputs}
        for leaf in sorted(given.union(self.tapes.accumulated, self.tapes.gradient_of.values())):
            for _, event in self.tapes.stored(leaf):
                is_known = event.after >= 0 or event.kind == "cleared"
                stored = GradState(leaf, event.after, event.before, event.added, is_known)
                if event.kind == "backward":
                    self.arrived[event.backward][leaf] = stored
                else:
                    self.stored[event.operation].append(stored)
                    if event.kind in _CLEARED:
                        self.cleared.add(event.operation)

    # ---- in order ---------------------------------------------------------------------------------------------------

    def build(self) -> None:
        """Make all moments."""
        s, trace = self.trace.statements, self.trace
        for row in range(len(s)):
            made = len(self.moments)
            entered = s.kind[row] == ENTERED
            if entered and self.at < (last := s.operations[row]) and self.run.names[last - 1].endswith(".apply"):
                self.applied[s.call[row]] = last - 1  # until the call ends
                self.open.add(last - 1)
            caller = self.running[-1] if entered else s.call[row]
            hooks = self._is_hook(row, caller)
            self.advance(s.operations[row], s.backwards[row], caller)
            self.end(row, made)
            for moment in self.moments[made:] if hooks else ():
                moment.backward = s.backwards[row]
            if entered:
                self.running.append(s.call[row])
            elif s.kind[row] == LEFT and len(self.running) > 1:
                self.running.pop()
        if s.left_out:
            self._forget_texts()
        self.advance(len(trace.operations), len(trace.backwards), 0)
        late = [row for _, row in self.late[self.behind :] if row not in self.covered]
        late += [row for operation in sorted(self.open) for row in self.rows.pop(operation, [])]
        late += self.rows.pop(len(trace.operations), [])
        if late and self.moments:
            self.moments[-1].versions += late

    def advance(self, operations: int, backwards: int, call: int) -> None:
        """Create moments up to these numbers of operations and backward calls."""
        calls = self.trace.backwards
        while self.at < operations or self.done < backwards:
            if self.done < backwards and calls[self.done].inside >= 0:
                self.done += 1  # it is part of another operation
                continue
            until = operations
            if self.done < backwards:
                until = max(self.at, min(operations, self._begin_of(self.done)))
            for first, end in self._groups(self.at, until):
                self.moments.append(self._operations(first, end, call))
            self.at = until
            if self.done < backwards:
                self._backward(self.done, call, operations)

    def _begin_of(self, backward: int) -> int:
        """Return the number of operations before a backward. `torch.autograd.grad` is one itself."""
        call = self.trace.backwards[backward]
        before, is_own = call.operations - 1, call.kind == "grad" and call.operations > 0
        is_own = is_own and self.trace.operations.span[before] == call.span and self.run.names[before] == GRAD_CALL
        return before if is_own else call.operations

    def _groups(self, first: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield ranges of consecutive operations of one expression, which form one moment."""
        o, spans, begin, reads = self.trace.operations, self.trace.spans, first, True
        for at in range(first, end):
            reads, following = reads and self._only_reads(at), at + 1
            if following < end and o.iteration[following] == o.iteration[at]:
                here, there = o.span[at], o.span[following]
                if here == there:
                    continue
                if min(here, there) >= 0 and (
                    spans[there].contains(spans[here])
                    if reads != self._only_reads(following)
                    else reads and (spans[here].cell, spans[here].line) == (spans[there].cell, spans[there].line)
                ):
                    continue  # `w.grad` in `w - w.grad`, and `.item()` after `loss.item()`, are not separate steps
            yield begin, following
            begin, reads = following, True

    def _only_reads(self, operation: int) -> bool:
        return self.trivial[operation] and operation not in self.phase

    def _operations(self, first: int, end: int, call: int) -> Moment:
        o = self.trace.operations
        moment = Moment("operation", o.span[end - 1], first, end, self.done, call=call, loops=o.iteration[first])
        self._take(moment, first, end)
        phases = {self.phase.get(operation) for operation in range(first, end)}
        written = self._written(moment.versions, first, end)
        if "step" in phases:
            moment.kind, moment.trains = "update", True
        elif "zero_grad" in phases or any(operation in self.cleared for operation in range(first, end)):
            moment.kind, moment.trains = "clear", True
        elif written:
            moment.kind, moment.trains = "write", not self.trained.isdisjoint(written)
        elif all(self.trivial[first:end]):
            moment.kind = "statement"
        moment.trains = moment.trains or bool(moment.gradients)
        return moment

    def _take(self, moment: Moment, first: int, end: int) -> None:
        """Add the changes of operations to a moment."""
        for operation in range(first, end):
            if operation not in self.open:
                moment.versions += self.rows.pop(operation, [])
            inner = self.open and operation not in self.open
            for tensor in self.trace.operations.outputs[operation] if inner else ():
                row = self.trace.tensors.version_start[tensor]  # made inside, and returned by the outer operation
                if row in self.rows.get(around := self.trace.versions.operation[row], ()) and around in self.open:
                    self.rows[around].remove(row)
                    moment.versions.append(row)
            moment.gradients += self.stored.get(operation, [])
            moment.names += self.bound.pop(operation, [])
            moment.records = moment.records or bool(self.trace.index.made.get(operation))
        while self.behind < len(self.late) and self.late[self.behind][0] < end:
            row = self.late[self.behind][1]
            self.behind += 1
            if row not in self.covered:
                self.covered.add(row)
                moment.versions.append(row)

    def _written(self, rows: list[int], first: int, end: int) -> set[int]:
        """Return the existing tensors that these operations wrote to."""
        trace = self.trace
        fresh = {trace.index.tensor_of(row) for row in rows if row in self.firsts}
        return {
            tensor
            for row in rows
            if first <= trace.versions.operation[row] < end and (tensor := trace.index.tensor_of(row)) not in fresh
        }

    def _backward(self, number: int, call: int, operations: int) -> None:
        """Create the moments of one backward, with its nested operations."""
        trace, first = self.trace, self.at
        end, inside = max(first, self._begin_of(number)), trace.operations.in_backward
        end = max(end, min(trace.backwards[number].operations, operations))
        while end < operations and inside[end] >= 0:
            end += 1
        self._visit(number, len(trace.backwards[number].order), call)
        self.done = number + 1
        while self.done < len(trace.backwards) and trace.backwards[self.done].inside >= 0:
            self.done += 1
        last = self.moments[-1] if self.moments else None
        if last is None or last.kind != "backward" or last.backward != number:
            whole = self.view is None or self.view.backward != number
            last = Moment("backward" if whole else "statement", trace.backwards[number].span, first, first, self.done)
            last.call, last.backward = call, number
            self.moments.append(last)
        last.gradients += self.arrived.pop(number, {}).values()
        last.operations, last.backwards = end, self.done
        last.loops = trace.operations.iteration[first - 1] if first else []
        self._take(last, first, end)
        self.at = end

    def _visit(self, number: int, reached: int, call: int) -> None:
        """Create moments of a backward's steps up to a number of reached nodes."""
        trace = self.trace
        if self.visited != number:
            view = self.view if self.view is not None and self.view.backward == number else None
            self.visited, self.steps = number, 0
            self.visits = deque(card_visits(trace, view) if view is not None else [])
            self.place = {node: at for at, node in enumerate(trace.backwards[number].order)} if self.visits else {}
        while self.visits and max(self.place[node] for node in self.visits[0].nodes) < reached:
            visit, span = self.visits.popleft(), trace.backwards[number].span
            moment = Moment("backward", span, self.at, self.at, self.done, self.steps, call=call, backward=number)
            leaves = (trace.nodes.variable[node] for node in visit.nodes)
            arrived = self.arrived.get(number, {})
            moment.gradients = [arrived.pop(leaf) for leaf in leaves if leaf in arrived]
            self.moments.append(moment)
            self.steps += 1

    def _is_hook(self, row: int, call: int) -> bool:
        """Return whether a statement ran in a backward's hook, after adding the earlier steps."""
        s, number = self.trace.statements, self.trace.statements.backwards[row]
        if not s.reached or s.reached[row] < 0 or number >= len(self.trace.backwards):
            return False
        self.advance(min(self._begin_of(number), s.operations[row]), number, call)
        self._visit(number, s.reached[row], call)
        return True

    # ---- the ends of statements -------------------------------------------------------------------------------------

    def end(self, row: int, made: int) -> None:
        """End a statement: name its last operation's results, or add a moment."""
        s, kind = self.trace.statements, self.trace.statements.kind[row]
        shown = (s.cell[row], s.outputs[row], s.characters[row])
        names = [self._change(self.trace.strings[name], call, held) for name, call, held in s.changes(row)]
        if kind == RAN and len(self.moments) == made and made and self._resumed(row):
            self.moments[-1].names += names
            return
        own = kind in (ENTERED, LEFT) or len(self.moments) == made
        if kind == RAN and not own and self.moments[-1].kind == "operation":
            own = shown[1:] not in ((0, 0), _shown(self.moments, made)[1:])  # the call printed
        if own:
            what: MomentKind = "enter" if kind == ENTERED else "leave" if kind == LEFT else "statement"
            self.moments.append(Moment(what, s.span[row], self.at, self.at, self.done))
        moment = self.moments[-1]
        moment.call, moment.names = s.call[row], [*moment.names, *names]
        moment.shown = shown
        for earlier in self.moments[made:-1]:
            earlier.shown = _shown(self.moments, made)
        self._finish(moment, row, kind)
        for tensor in s.found_in(row):
            rows = self.found.get(tensor, deque())
            while rows and rows[0] in self.covered:
                rows.popleft()
            if rows:
                self.covered.add(rows[0])
                moment.versions.append(rows.popleft())

    def _resumed(self, row: int) -> bool:
        """Return whether a statement only resumed at its `yield`."""
        s, last = self.trace.statements, self.moments[-1]
        return last.kind == "enter" and (last.call, last.span) == (s.call[row], s.span[row])

    def _finish(self, moment: Moment, row: int, kind: int) -> None:
        """Set the kind of a statement's moment."""
        trace, s = self.trace, self.trace.statements
        if kind == RAISED:
            moment.kind, moment.text, moment.span = "raise", self._change("", 0, s.result[row]).text, s.span[row]
        elif kind == LEFT:
            given = self._change("return", s.call[row], s.result[row])  # cannot be a name in a program
            moment.names += [] if given.gone else [given]
            if (operation := self.applied.pop(s.call[row], None)) is not None:
                self.open.discard(operation)
                moment.versions += self.rows.pop(operation, [])
        elif kind == TESTED:
            moment.truth = bool(s.truth[row])
            word = trace.text(s.span[row]).split(" ", 1)[0].split("(")[0]
            if moment.kind in ("statement", "operation"):
                moment.kind, moment.span = _HEADS.get(word, moment.kind), s.span[row]  # type: ignore[assignment]
                if moment.kind == "round" and not moment.truth:
                    moment.kind = "branch"
        elif kind == RAN and moment.kind == "statement" and self._shows(moment):
            moment.kind = "show"
        if moment.kind in ("statement", "show"):
            moment.span = s.span[row]

    def _shows(self, moment: Moment) -> bool:
        """Return whether there is new output."""
        return moment.shown[1:] != (0, 0) and moment.shown != _shown(self.moments, len(self.moments) - 1)

    def _change(self, name: str, call: int, held: int) -> Change:
        """Return a name's new value."""
        if held == GONE:
            return Change(call, name, gone=True)
        return Change(call, name, held >> 1) if held & 1 else Change(call, name, text=self.trace.strings[held >> 1])

    def _forget_texts(self) -> None:
        """Forget plain names' values, because statements were no longer recorded."""
        s, trace = self.trace.statements, self.trace
        now: dict[tuple[int, int], int] = {}
        for row in range(len(s)):
            now.update(((name, call), held) for name, call, held in s.changes(row))
        changes = [Change(call, trace.strings[name], gone=True) for (name, call), held in now.items() if held != GONE]
        if changes:
            self.moments.append(Moment("statement", -1, self.at, self.at, self.done, names=changes))
            self.moments[-1].shown = _shown(self.moments, len(self.moments) - 1)
        for binding in trace.bindings:
            if binding.start >= self.at:
                self.bound[binding.start].append(Change(0, binding.name, binding.tensor))


def _shown(moments: list[Moment], count: int) -> tuple[int, int, int]:
    """Return the output shown after this many moments."""
    return moments[count - 1].shown if count else (0, 0, 0)


def _show_outputs(trace: Trace, moments: list[Moment]) -> None:
    """Show outputs without a statement after their cell's last moment."""
    cell = 0
    for i, moment in enumerate(moments):
        if moment.span >= 0:
            own = trace.spans[moment.span].cell
            cell = own if own < len(trace.own_cells) and own > cell else cell
        if moment.shown[0] < cell:
            moment.shown = (cell, 0, 0)
        last = i + 1 == len(moments) or (moments[i + 1].span >= 0 and trace.spans[moments[i + 1].span].cell > cell)
        if last and moment.shown[0] <= cell:
            moment.shown = (cell, len(trace.cells[cell].outputs), 0) if trace.cells else (0, 0, 0)


def chapters(trace: Trace, moments: list[Moment]) -> tuple[TimelineChapter, ...]:
    """Divide moments into chapters and number them.

    Updates after a backward belong to it until an operation is recorded for the next backward, or a loop starts a new
    round. Later moments that update nothing form a separate chapter.
    """
    kinds = _kinds(moments)
    numbers = _rounds(trace)
    order = [moment.backward for moment in moments if moment.backward >= 0]
    ahead = list(dict.fromkeys(order))  # in run order
    parts: list[TimelineChapter] = []
    passed = 0  # completed backward calls
    last: tuple[ChapterKind, int] | None = None
    for at, (moment, kind) in enumerate(zip(moments, kinds, strict=True)):
        if kind == "backward":
            passed = ahead.index(moment.backward, max(0, passed - 1)) + 1
            backward = moment.backward
        elif kind == "forward" and passed < len(ahead):
            backward = ahead[passed]
        else:
            backward = ahead[passed - 1] if passed else -1
        if last != (kind, backward):
            parts.append(TimelineChapter(kind, at, at, backward, numbers.get(backward, -1)))
            last = kind, backward
        parts[-1] = TimelineChapter(kind, parts[-1].start, at + 1, backward, parts[-1].round)
        moment.chapter = len(parts) - 1
    return tuple(parts)


def _kinds(moments: list[Moment]) -> list[ChapterKind]:
    """Return the kind of chapter of each moment."""
    kinds: list[ChapterKind] = ["forward"] * len(moments)
    calls: list[int] = []  # last moment of each running call
    for i, moment in enumerate(moments):
        if moment.backward >= 0:
            kinds[i] = "backward"
            if calls and moments[calls[-1]].backward == moment.backward:
                calls.pop()
            calls.append(i)
    for number, begin in enumerate(calls):
        end = calls[number + 1] if number + 1 < len(calls) else len(moments)
        trains, loops = begin, moments[begin].loops
        for i in range(begin + 1, end):
            if moments[i].records or (moments[i].kind == "round" and moments[i].truth):
                break
            if loops and moments[i].loops and moments[i].loops[: len(loops)] != loops:
                break
            if moments[i].trains:
                trains = i
        for i in range(begin + 1, trains + 1):
            kinds[i] = "update"
        if number + 1 == len(calls):
            for i in range(trains + 1, end):
                kinds[i] = "after"
    return kinds


def _rounds(trace: Trace) -> dict[int, int]:
    """Return each backward's call number from 0, if its place calls several."""
    steps = trace.steps
    numbers = {backward: number for backward, number in zip(steps.backward, steps.number, strict=True) if backward >= 0}
    several = Counter(call.span for call in trace.backwards if call.inside < 0)
    seen: Counter = Counter()
    for number, call in enumerate(trace.backwards):
        if call.inside < 0 and several[call.span] > 1:
            numbers.setdefault(number, seen[call.span])
            seen[call.span] += 1
    return numbers


class Births:
    """Finds the position from which cards exist."""

    def __init__(self, trace: Trace, line: Timeline) -> None:
        self.trace, self.end = trace, len(line.moments)
        self.ends = [moment.operations for moment in line.moments]
        self.known: dict[int, int] = {}  # tensor → position from which it exists
        for at, moment in enumerate(line.moments, 1):
            brought = [trace.index.tensor_of(row) for row in moment.versions]
            brought += [change.tensor for change in moment.names if change.tensor >= 0]
            for tensor in brought:
                self.known.setdefault(tensor, at)

    def of(self, view: GraphView) -> dict[str, Life]:
        """Return for each card when it appears, and when its value is final."""
        return {card.id: self._life(card, view) for card in view.cards}

    def _after(self, operation: int) -> int:
        """Return the first position after an operation."""
        return min(bisect_right(self.ends, operation) + 1, self.end)

    def _done(self, nodes: Iterable[int]) -> int | None:
        """Return the position at which the last of these nodes was created."""
        columns = self.trace.nodes
        made = (columns.operation[node] for node in nodes if columns.variable[node] < 0)
        return max((self._after(operation) for operation in made if operation >= 0), default=None)

    def _life(self, card: Card, view: GraphView) -> Life:
        if card.kind not in ("leaf", "data"):
            first, last = self._done(card.executions[0]), self._done(card.executions[-1])
            if first is not None and last is not None:
                return Life(first, last)
            if view.stopped >= 0 and card.reason == "stopped":
                return Life(self._after(view.stopped), self._after(view.stopped))
        at = min((self.known[tensor] for tensor in card.tensors if tensor in self.known), default=self.end)
        return Life(at, at)
