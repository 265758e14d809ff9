"""Everything that is known about the effects of a run, with names and lines."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field

from msgspec import structs

from explorer.analysis.diagnose.influence.batch_answers import BY_DESIGN, batch_of, mean_of_halves, mixing
from explorer.analysis.diagnose.influence.results import UnusedResult, unused_results
from explorer.analysis.run.model import Run, reachable, run_of
from explorer.analysis.run.source.assignments import span_of
from explorer.analysis.run.source.code import code_of_row
from explorer.analysis.run.source.definitions import first_line, function_at, parameters
from explorer.safe_regex import plain, stands_in
from explorer.text import Message, joined, say, separated
from explorer.text.numbers import json_number, number
from explorer.trace import Span, Trace
from explorer.trace.effects import DataSlopes, Effects, FunctionUse, IdleBlock, IdleOrder

_DUNDER = plain(r"__\w+__")
_BINDS = plain(r"\s*[^\W\d]\w*\s*=\s*")
_DEFINES = plain(r"\s*(?:async\s+)?def\b")
MOST_READERS = 2_000


@dataclass(frozen=True)
class Unused:
    """A result that nothing uses.

    Attributes:
        rounds, unused: how often it was computed, and how often nothing used it.
        is_kept: whether the last one still existed at the end.
    """

    name: str
    code: str
    cell: int
    line: int
    rounds: int
    unused: int
    is_kept: bool


@dataclass(frozen=True)
class IdleEntries:
    """Entries that change no loss. Attributes: where: their index, such as [:, 10]. rounds: losses compared."""

    name: str
    where: str
    cell: int
    line: int
    rounds: int
    block: IdleBlock = field(repr=False)


@dataclass(frozen=True)
class IdleOrderOf:
    """Data whose order changes no loss. Attributes: axis, size: that was reversed. rounds: losses compared."""

    name: str
    axis: int
    size: int
    cell: int
    line: int
    rounds: int


@dataclass(frozen=True)
class Uncalled:
    """A function that is never entered. Attributes: named: line that names it, 0 if none does."""

    name: str
    cell: int
    line: int
    named: int


@dataclass(frozen=True)
class Unread:
    """An argument that its function never reads."""

    name: str
    function: str
    cell: int
    line: int


@dataclass(frozen=True)
class DataInfluence:
    """How much the losses change with a tensor's entries. Attributes: slopes: in row-major order, or ()."""

    name: str
    shape: tuple[int, ...]
    slopes: tuple[float, ...]
    tensor: int


@dataclass(frozen=True)
class BatchRows:
    """How the rows of the first batch act on each other, up to the first backward.

    Attributes:
        name, rows: the batch.
        cell, line: that combines its rows, or where it is computed.
        mixed_by: code after which each row depends on others, "" if none was found.
        is_by_design: whether that is batch norm, or a layer that may read axis 0 as time.
        loss, mean: the loss, and the mean of the losses of both halves. Both None if they are equal or unknown.
        accumulates: whether several backward calls precede a step.
    """

    name: str
    rows: int
    cell: int
    line: int
    mixed_by: str = ""
    is_by_design: bool = False
    loss: float | None = None
    mean: float | None = None
    accumulates: bool = False


@dataclass(frozen=True)
class Influence:
    """Effects in a run: what has one, and what does not.

    Attributes:
        unused: results that nothing uses. None if part of the run is unknown.
        idle: entries that change no loss.
        orders: data whose order changes no loss.
        uncalled, unread: functions that are never entered, and arguments that are never read.
        data: tensors of data with the slopes of the losses.
        batch: the first batch, None if it was not measured.
        is_called, is_moved: whether further runs counted calls of functions, and moved entries.
    """

    unused: tuple[Unused, ...] | None
    idle: tuple[IdleEntries, ...] = ()
    uncalled: tuple[Uncalled, ...] = ()
    unread: tuple[Unread, ...] = ()
    data: tuple[DataInfluence, ...] = ()
    orders: tuple[IdleOrderOf, ...] = ()
    is_called: bool = False
    is_moved: bool = False
    batch: BatchRows | None = None

    def unused_messages(self) -> Iterator[Message]:
        """Yield a sentence for each result without a use in any round."""
        for one in self.unused or ():
            if one.unused == one.rounds:
                counts = {"rounds": one.rounds, "unused": one.unused}
                yield Message("influence-unused", {"name": one.name, "line": one.line, **counts})

    def messages(self) -> Iterator[Message]:
        """Yield a sentence for each thing without effect."""
        for idle in self.idle:
            place = {"line": idle.line, "rounds": idle.rounds}
            yield Message("influence-idle", {"name": idle.name, "where": idle.where, **place})
        for order in self.orders:
            turned = {"axis": order.axis, "size": order.size, "line": order.line, "rounds": order.rounds}
            yield Message("influence-order", {"name": order.name, **turned})
        if (batch := self.batch) is not None and batch.mixed_by and not batch.is_by_design:
            yield Message(
                "influence-mixed", {"code": batch.mixed_by, "name": batch.name, "rows": batch.rows, "line": batch.line}
            )
        elif batch is not None and batch.accumulates and batch.loss is not None and batch.mean is not None:
            losses = {"loss": number(batch.loss), "mean": number(batch.mean)}
            yield Message("influence-halves", {"name": batch.name, "line": batch.line, **losses})
        for one in self.uncalled:
            if one.named:
                yield Message("influence-uncalled", {"name": one.name, "line": one.line, "named": one.named})
        for each in self.unread:
            yield Message("influence-unread", {"name": each.name, "function": each.function, "line": each.line})

    def plain(self) -> dict[str, object]:
        """Return everything as plain data. `unused` is null if part of the run is unknown."""
        idle = [{key: value for key, value in asdict(one).items() if key != "block"} for one in self.idle]
        return {
            "measured": {"results": self.unused is not None, "functions": self.is_called, "entries": self.is_moved},
            "unused": None if self.unused is None else [asdict(one) for one in self.unused],
            "idle": idle,
            "orders": [asdict(one) for one in self.orders],
            "batch": None if self.batch is None else asdict(self.batch),
            "uncalled": [asdict(one) for one in self.uncalled],
            "unread": [asdict(one) for one in self.unread],
            "data": [
                {"name": one.name, "shape": list(one.shape), "slopes": [*map(json_number, one.slopes)]}
                for one in self.data
            ],
        }

    def scope(self, lang: str) -> str:
        """Return sentences about what was measured, and what was not."""
        measured = {"results": self.unused is not None, "functions": self.is_called, "entries": self.is_moved}
        texts = []
        for verdict, wanted in (("measured", True), ("unmeasured", False)):
            parts = [name for name, is_known in measured.items() if is_known is wanted]
            named = [say(lang, f"influence-part-{name}", count=len(self.data) if wanted else 0) for name in parts]
            texts += [say(lang, f"influence-{verdict}", parts=separated(lang, named))] if named else []
        return joined(lang, [*texts, say(lang, "influence-limits")])


def influence(trace: Trace, effects: Effects | None = None) -> Influence:
    """Return what is known about effects in a run.

    Args:
        effects: the result of further runs, None without.
    """
    run, measured, found = run_of(trace), effects or Effects(), unused_results(trace)
    return Influence(
        None if found is None else tuple(_unused(trace, one) for one in found),
        tuple(_idle(run, measured)),
        tuple(_uncalled(trace, measured)),
        tuple(_unread(trace, measured)),
        tuple(_data(run, measured)),
        tuple(_orders(run, measured)),
        bool(measured.functions) or measured.is_whole,  # a program may have no function
        measured.is_whole,
        _batch(run, measured),
    )


def _unused(trace: Trace, one: UnusedResult) -> Unused:
    code = code_of_row(trace, one.span)
    return Unused(code.binds or code.text, code.text, code.span.cell, code.line, one.rounds, one.unused, one.is_kept)


def _tensor_of(run: Run, one: DataSlopes | IdleBlock | IdleOrder) -> int:
    """Return the tensor that an input was in the recorded run, -1 if unknown."""
    inputs = run.operations.inputs[one.operation] if one.operation < run.count else []
    return inputs[one.operand] if one.operand < len(inputs) else -1


def _name(run: Run, tensor: int) -> str:
    return next((binding.name for binding in run.trace.index.bindings.get(tensor, ()) if binding.name), "")


def _idle(run: Run, effects: Effects) -> Iterator[IdleEntries]:
    for block in effects.idle:
        tensor = _tensor_of(run, block)
        shape = run.shape(tensor) if tensor >= 0 else ()
        name = _name(run, tensor) if block.axis < len(shape) and block.stop <= shape[block.axis] else ""
        if name and (place := run.tensor(tensor).home) is not None:
            yield IdleEntries(name, _index(block, shape), place.span.cell, place.line, block.rounds, block)


def _orders(run: Run, effects: Effects) -> Iterator[IdleOrderOf]:
    for one in effects.orders:
        tensor = _tensor_of(run, one)
        place = run.tensor(tensor).home if tensor >= 0 and one.axis < len(run.shape(tensor)) else None
        if place is not None:
            name, size = run.tensor(tensor).name, run.shape(tensor)[one.axis]
            yield IdleOrderOf(name, one.axis, size, place.span.cell, place.line, one.rounds)


def _batch(run: Run, effects: Effects) -> BatchRows | None:
    found = effects.batch
    data = None if found is None else batch_of(run, found)
    if found is None or data is None:
        return None
    mixed, mean = mixing(data, found), mean_of_halves(data, found)
    accumulates = any(2 * len(one.steps) <= len(one.tensors[0].backwards) for one in run.stepped if one.tensors)
    place = data.home if mixed is None else mixed.place
    if place is None:
        return None
    return BatchRows(
        data.name,
        found.rows,
        place.span.cell,
        place.line,
        mixed_by=mixed.text if mixed is not None else "",
        is_by_design=mixed is not None and mixed.name in BY_DESIGN,
        loss=found.root if mean is not None else None,
        mean=mean,
        accumulates=accumulates,
    )


def _index(block: IdleBlock, shape: tuple[int, ...]) -> str:
    """Write the index of a block.

    >>> _index(IdleBlock(0, 0, 1, 10, 11, 6), (8, 11, 4))
    '[:, 10]'
    """
    end = "" if block.stop == shape[block.axis] else str(block.stop)
    part = str(block.start) if block.stop == block.start + 1 else f"{block.start or ''}:{end}"
    return f"[{', '.join([':'] * block.axis + [part])}]"


def _uncalled(trace: Trace, effects: Effects) -> Iterator[Uncalled]:
    for one in effects.functions:
        if one.calls or not _exists(trace, one) or _DUNDER.fullmatch(one.name):
            continue
        yield Uncalled(one.name, one.cell, one.line, _named_at(trace, one))


def _named_at(trace: Trace, one: FunctionUse) -> int:
    """Return the first line that names a function, except its definition and imports, or 0."""
    for cell, line in trace.index.lines_with.get(one.name, ()):
        text = trace.cells[cell].lines[line - 1].partition("#")[0]
        if not _DEFINES.match(text) and stands_in(text, one.name):
            return line
    return 0


def _unread(trace: Trace, effects: Effects) -> Iterator[Unread]:
    for one in effects.functions:
        if one.calls and one.is_own and _exists(trace, one):
            for name in one.unread:
                if not name.startswith("_") and name not in ("self", "cls"):
                    yield Unread(name, one.name, one.cell, one.line)


def _exists(trace: Trace, one: FunctionUse) -> bool:
    return one.cell < len(trace.cells) and 1 <= one.line <= len(trace.cells[one.cell].lines)


def _data(run: Run, effects: Effects) -> Iterator[DataInfluence]:
    for one in effects.data:
        tensor = _tensor_of(run, one)
        if tensor >= 0 and run.shape(tensor) == one.shape and (name := _name(run, tensor)):
            yield DataInfluence(name, one.shape, one.slopes, tensor)


@dataclass(frozen=True)
class Dependents:
    """Results and functions that depend on a tensor.

    Attributes:
        name: its name.
        results: names and lines of named results, in order.
        losses: names and lines of the roots of backward calls among them.
        slopes: how much the losses change with its entries, () if not measured.
        shape: its sizes.
    """

    name: str
    results: tuple[tuple[str, int], ...]
    losses: tuple[tuple[str, int], ...]
    shape: tuple[int, ...]
    slopes: tuple[float, ...] = ()


def dependents(trace: Trace, tensor: int, name: str, known: Influence | None = None) -> Dependents:
    """Return what depends on a tensor, as far as operations were recorded."""
    run = run_of(trace)

    below = zip(range(MOST_READERS), reachable([tensor], run.made_from), strict=False)
    found = [one for _, one in below if one != tensor]
    named = dict.fromkeys((label, _line(run, one)) for one in sorted(found) if (label := _name(run, one)))
    roots = dict.fromkeys(
        (_name(run, one) or run.tensor(one).name, _line(run, one)) for one in sorted(found) if one in run.roots
    )
    data = known.data if known is not None else ()
    slopes = next((one.slopes for one in data if one.tensor == tensor), ())
    return Dependents(name, tuple(named), tuple(roots), run.shape(tensor), slopes)


def _line(run: Run, tensor: int) -> int:
    place = run.tensor(tensor).place
    return place.line if place is not None else 0


def idle_spans(trace: Trace, known: Influence) -> list[Span]:
    """Return the code that changes nothing: unused results, functions never entered, arguments never read."""
    places = [_of_result(trace, one) for one in unused_results(trace) or () if one.unused == one.rounds]
    for uncalled in known.uncalled:
        if (function := function_at(trace, uncalled.cell, uncalled.line)) is not None:
            place = span_of(trace, uncalled.cell, function)
            places.append(structs.replace(place, line=first_line(function)))
    for unread in known.unread:
        if (function := function_at(trace, unread.cell, unread.line)) is not None:
            given = (one for one in parameters(function) if one.arg == unread.name)
            places += (span_of(trace, unread.cell, one) for one in given)
    return places


def _of_result(trace: Trace, one: UnusedResult) -> Span:
    """Return the place of an unused result, with the name that is bound to it."""
    code = code_of_row(trace, one.span)
    statement = code.before.rpartition(";")[2]
    begin = len(code.before) - len(statement.lstrip()) if _BINDS.fullmatch(statement) else code.span.column
    return structs.replace(code.span, column=begin)
