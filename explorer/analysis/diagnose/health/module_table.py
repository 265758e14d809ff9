"""A run's modules as a plain table: shapes, parameters, updates, and gradients by layer."""

import math
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from msgspec import Struct

from explorer.analysis.explain.gradient_rows import GradientRow, parameter_rows
from explorer.analysis.run.curves import curves
from explorer.analysis.run.data_frames import pandas
from explorer.analysis.run.model import Run, run_of
from explorer.analysis.run.names import unknown
from explorer.text import say
from explorer.text.numbers import bytes_text, cells_of, number, padded, preformatted, shape_text, visible
from explorer.trace import Trace, Value, memoized
from explorer.trace.index import inside_models

_DOT = re.compile(r"\.(?![^\[]*\])")  # dots outside of a key
_COLUMNS = ("module", "output", "parameters", "gradient")
_IF_KNOWN = {"clipped": "clipped_norm", "update": "update_ratio"}  # columns left out if they have no number
_COST = ("forward", "backward", "flops", "memory")
_PARTS = 3  # most parts of a result shown in a cell


@dataclass(frozen=True)
class ModuleCost:
    """Cost of one more call of a module, without recording.

    Attributes:
        forward, backward: seconds, as torch.profiler measures them.
        flops: floating-point operations of the forward, as FlopCounterMode counts them: products of matrices,
            convolutions and attention.
        memory: bytes that the forward allocated and did not free: its result, and what it keeps for the backward.
    """

    forward: float
    backward: float
    flops: int
    memory: int


@dataclass(frozen=True)
class ModuleRow:
    """A module, or a parameter outside modules.

    Attributes:
        path: path from the variable that holds the model, "net.0".
        name: name in `state_dict()`, "0", unless two models have it. An outermost module's is its path.
        depth: number of enclosing modules in the table.
        output: shape of its last result, None if nothing ran in it.
        results: if it returned a dictionary or a dataclass, the tensors in it, with name and shape.
        cost: what a call costs, if asked for.
        parameters: number of parameter entries, inner modules included. A shared parameter counts in its first
            module.
        tied: paths under which its shared parameters count.
        gradient_norm: norm of its parameters' `.grad` after the last backward that reached them, or None.
        update_ratio: last known update of its parameters relative to their norm, ‖w next − w‖ / ‖w‖. None without
            a training loop.
        parts: norms of `.grad` before that backward and of what it added, () if there was nothing before.
        clipped_norm: norm of `.grad` after it was clipped, None if it was not.
    """

    path: str
    depth: int
    output: tuple[int, ...] | None
    parameters: int
    tied: tuple[str, ...]
    gradient_norm: float | None
    update_ratio: float | None
    parts: tuple[float, float] | tuple[()] = ()
    clipped_norm: float | None = None
    name: str = ""
    results: tuple[tuple[str, tuple[int, ...]], ...] = ()
    cost: ModuleCost | None = None


@dataclass(frozen=True, repr=False)
class ModuleTable(Sequence[ModuleRow]):
    """Result of `trace.summary()`, with text, a Jupyter display and `.to_pandas()`.

    Attributes:
        rows: modules, each before its inner modules.
        parameters: number of parameter entries, each counted once. trained: those that require grad.
        lang: language of its text.
        models: names of the models.
    """

    rows: tuple[ModuleRow, ...]
    parameters: int
    trained: int
    lang: str = field(default="en", repr=False)
    models: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, asked: Any) -> Any:
        """Return a row by path, by name, or by index. Raises UnknownTensor."""
        if not isinstance(asked, str):
            return self.rows[asked]
        found = {row.name: row for row in self.rows} | {row.path: row for row in self.rows}
        if asked in found:
            return found[asked]
        raise unknown(asked, list(found), self.lang, "why-unknown-module")

    def to_pandas(self) -> Any:
        """Return the rows as a DataFrame. Raises ImportError if pandas is not installed."""
        frames = pandas()
        columns = ["output", "parameters", "tied", "gradient_norm", "clipped_norm", "update_ratio"]
        cells = [[getattr(row, column) for column in columns] for row in self.rows]
        if self._measured():
            columns += _COST
            costs = ([row.cost and getattr(row.cost, column) for column in _COST] for row in self.rows)
            cells = [[*line, *cost] for line, cost in zip(cells, costs, strict=True)]
        index = frames.Index([row.name for row in self.rows], name="module")
        return frames.DataFrame(cells, index=index, columns=columns)

    def _measured(self) -> bool:
        return any(row.cost is not None for row in self.rows)

    def __str__(self) -> str:
        lines = [[say(self.lang, f"summary-{column}") for column in self._columns()]]
        lines += [self._cells(row) for row in self.rows]
        wide = [max(map(cells_of, column)) for column in zip(*lines, strict=True)]
        return "\n".join([*("  ".join(map(padded, line, wide)).rstrip() for line in lines), self._total()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return preformatted(str(self))

    def _columns(self) -> tuple[str, ...]:
        """Return the non-empty columns."""
        known = (name for name, of in _IF_KNOWN.items() if any(getattr(row, of) is not None for row in self.rows))
        return (*_COLUMNS, *known, *(_COST if self._measured() else ()))

    def _cells(self, row: ModuleRow) -> list[str]:
        counted = f"{row.parameters:,}" if row.parameters else ""
        owners = [next(inside_models(name, self.models), name) if len(self.models) == 1 else name for name in row.tied]
        tied = say(self.lang, "summary-tied", names=", ".join(map(visible, owners))) if owners else ""
        norm = "" if row.gradient_norm is None else number(row.gradient_norm)
        more = [getattr(row, _IF_KNOWN[name]) for name in self._columns() if name in _IF_KNOWN]
        if row.parts:
            before, added = map(number, row.parts)
            norm = say(self.lang, "summary-parts", norm=norm, before=before, added=added)
        cells = ["  " * row.depth + visible(row.name), _output(row), " ".join(filter(None, (counted, tied))), norm]
        cells += ["" if one is None else number(one) for one in more]
        if not self._measured():
            return cells
        seconds = [] if row.cost is None else [f"{1e3 * one:.3g} ms" for one in (row.cost.forward, row.cost.backward)]
        counts = [] if row.cost is None else [f"{row.cost.flops:,}", bytes_text(row.cost.memory)]
        return cells + (seconds + counts or [""] * len(_COST))

    def _total(self) -> str:
        if not self.rows:
            return say(self.lang, "summary-empty")
        return say(self.lang, "summary-total", parameters=f"{self.parameters:,}", trained=f"{self.trained:,}")


def _output(row: ModuleRow) -> str:
    """Return the shape of a module's result, or its parts with theirs."""
    if row.results:
        texts = [f"{visible(name)} {shape_text(shape) or '()'}" for name, shape in row.results[:_PARTS]]
        return ", ".join(texts + ["…"] * (len(row.results) > _PARTS))
    return "" if row.output is None else shape_text(row.output) or "()"


def module_table(
    trace: Trace, depth: int | None = None, lang: str = "en", costs: Mapping[str, ModuleCost] | None = None
) -> ModuleTable:
    """Tabulate a run's modules up to a depth (None: all), with their costs by path."""
    run, rows = run_of(trace), [row for row in parameter_rows(trace) if row.trained]
    paths_of = {row.tensor: _paths(run, row) for row in rows}
    outputs = _outputs(run)
    owners = [_around(path) or path for paths in paths_of.values() for path in paths if path]
    paths, moved = _ordered(run, outputs, owners), _moved(trace)
    names, results = _names(trace, paths), _results(trace)
    held: dict[str, dict[int, GradientRow]] = {}
    for row in rows:
        for part in {part for path in paths_of[row.tensor] for part in _parts(path)}:
            held.setdefault(part, {})[row.tensor] = row
    made = []
    for path in paths:
        level = sum(part in paths for part in _parts(path)) - 1
        if depth is None or level < depth:
            inside = list(held.get(path, {}).values())
            own = [row for row in inside if f"{paths_of[row.tensor][0]}.".startswith(f"{path}.")]
            tied = tuple(paths_of[row.tensor][0] for row in inside if row not in own)
            norms = [one.norm for row in inside if (one := _written(row)) is not None]
            moves = [moved[row.tensor] for row in inside if row.tensor in moved]
            ratio = _length(step for step, _ in moves), _length(value for _, value in moves)
            update = None if ratio[0] is None or not ratio[1] else ratio[0] / ratio[1]
            count = sum(math.prod(row.shape) for row in own)
            parts, clipped = _parts_of(inside), _clipped(inside)
            more = names[path], results.get(path, ()), (costs or {}).get(path)
            shown = path, level, outputs.get(path), count, tied, _length(norms)
            made.append(ModuleRow(*shown, update, parts, clipped, *more))
    sizes = [(math.prod(row.shape), row.state != "frozen") for row in rows]
    count, trained = sum(size for size, _ in sizes), sum(size for size, free in sizes if free)
    return ModuleTable(tuple(made), count, trained, lang, tuple(trace.models))


def _names(trace: Trace, paths: Collection[str]) -> dict[str, str]:
    """Return each module's name in `state_dict()`, or its path if it is outermost or two models have that name."""
    within = {path: [part for part in _parts(path)[:-1] if part in paths] for path in paths}
    inner = {path: next(inside_models(path, trace.models), path) if around else path for path, around in within.items()}
    counted = Counter(inner.values())
    return {path: name if counted[name] == 1 else path for path, name in inner.items()}


def _results(trace: Trace) -> dict[str, tuple[tuple[str, tuple[int, ...]], ...]]:
    """Return the named parts of modules' results with their shapes, by path."""
    shapes = [tuple(trace.shapes[shape]) for shape in trace.tensors.shape]
    return {
        one.module: tuple((name, shapes[tensor]) for name, tensor in zip(one.names, one.tensors, strict=True))
        for one in trace.results
    }


def _written(row: GradientRow) -> Value | None:
    """Return a parameter's `.grad` after its last backward, or what autograd.grad returned."""
    return row.after if row.writes and row.held is not None else row.gradient


def _parts_of(rows: Sequence[GradientRow]) -> tuple[float, float] | tuple[()]:
    """Return the norms of `.grad` before the last backward and of its gradients, () if there was nothing before."""
    before = _length(row.held.norm for row in rows if row.writes and row.held is not None and row.gradient is not None)
    added = _length(row.gradient.norm for row in rows if row.gradient is not None)
    return (before, added) if before and added is not None else ()


def _clipped(rows: Sequence[GradientRow]) -> float | None:
    """Return the norm of the final `.grad` if it was clipped after the last backward, else None."""
    held = [row for row in rows if row.gradient is not None]
    if not any(row.clipped for row in held) or any(row.grad is None or row.brought_again or row.later for row in held):
        return None
    return _length(row.grad.norm for row in held if row.grad is not None)


def _length(norms: Iterable[float | None]) -> float | None:
    """Return the norm of parts with these norms, None if there are none."""
    known = [norm for norm in norms if norm is not None]
    return math.hypot(*known) if known else None


def _parts(path: str) -> list[str]:
    """List the enclosing modules' paths and the path itself, outermost first.

    >>> _parts("net.blocks.0")
    ['net', 'net.blocks', 'net.blocks.0']
    >>> _parts("nets['v1.0'].0"), _parts("torch.zeros(2)")
    (["nets['v1.0']", "nets['v1.0'].0"], ['torch.zeros(2)'])
    """
    if "(" in path:  # the code that made a tensor without a name
        return [path]
    return list(accumulate(_DOT.split(path), "{}.{}".format))


def _around(path: str) -> str:
    """Return the path of the enclosing module, or ""."""
    return "".join(_parts(path)[-2:-1])


def _paths(run: Run, row: GradientRow) -> list[str]:
    """Return the paths under which modules hold a parameter, or its name."""
    tensor = run.tensor(row.tensor)
    ended = {binding.name for binding in tensor.bindings if binding.until >= 0}
    dotted = list(dict.fromkeys(name for name in tensor.names if "." in name))
    return [name for name in dotted if name not in ended] or dotted[:1] or [row.name]


def _outputs(run: Run) -> dict[str, tuple[int, ...]]:
    """Map paths of modules to the shape of their last result used outside."""
    trace, operations = run.trace, run.trace.operations
    made: dict[str, list[int]] = {}  # consecutive operations of its last call
    place = 0
    last: dict[str, int] = {}
    for operation, module in enumerate(operations.module):
        if operations.in_backward[operation] >= 0:
            continue
        place += 1
        for path in _parts(trace.strings[module]) if module >= 0 and trace.strings[module] else ():
            if last.get(path) != place - 1:
                made[path] = []
            made[path].append(operation)
            last[path] = place
    return {path: shape for path, calls in made.items() if (shape := _result(run, calls)) is not None}


def _result(run: Run, calls: list[int]) -> tuple[int, ...] | None:
    inside = set(calls)
    results = [output for call in reversed(calls) for output in run.operations.outputs[call]]
    leaving = (output for output in results if output in run.roots or not inside.issuperset(run.users.get(output, ())))
    result = next(leaving, results[0] if results else None)
    return None if result is None else run.tensor(result).shape


def _ordered(run: Run, ran: Iterable[str], owners: Iterable[str]) -> dict[str, None]:
    """Order modules before their inner modules, by first call.

    A module that only holds one other, as trainer holds trainer.model, is left out.
    """
    trace = run.trace
    direct = {trace.strings[module] for module in set(trace.operations.module) if module >= 0} | set(owners)
    children: dict[str, dict[str, None]] = {}
    for path in (*ran, *owners):
        for part in _parts(path):
            children.setdefault(_around(part), {})[part] = None
    ordered, waiting = dict[str, None](), list(reversed(children.get("", {})))
    while waiting:
        path = waiting.pop()
        inside = children.get(path, {})
        if ordered.keys() & _parts(path) or path in direct or len(inside) > 1:
            ordered[path] = None
        waiting += reversed(inside)
    return ordered


def _moved(trace: Trace) -> dict[int, tuple[float, float]]:
    """Map leaves to their last known update and their norm then."""
    found: dict[int, tuple[float, float]] = {}
    for place in range(len(trace.steps.places)):
        here = curves(trace, place)
        for leaf in here.leaves if here is not None else ():
            for update, value in zip(leaf.update_norm[::-1], leaf.value_norm[::-1], strict=True):
                if math.isfinite(update) and math.isfinite(value):
                    found[leaf.tensor] = float(update), float(value)
                    break
    return found


class Layer(Struct, frozen=True):
    """A module with its own parameters. `size`: root mean square of their gradients, NaN if not finite."""

    path: str
    size: float | None


@memoized
def layers(trace: Trace, backward: int) -> tuple[Layer, ...]:
    """Return the layers in model order, with a backward's gradients."""
    run, held = run_of(trace), dict[str, list[GradientRow]]()
    for row in parameter_rows(trace, backward):
        if row.trained and (path := _around(_paths(run, row)[0])):
            held.setdefault(path, []).append(row)
    return tuple(Layer(path, _size(rows)) for path, rows in held.items())


def decades(sizes: tuple[Layer, ...]) -> tuple[int, int] | None:
    """Return the powers of ten that bracket the nonzero sizes, at least three apart, or None."""
    logs = [math.log10(layer.size) for layer in sizes if layer.size and math.isfinite(layer.size)]
    if not logs:
        return None
    high = math.ceil(max(logs))
    return min(math.floor(min(logs)), high - 3), high


def _size(rows: list[GradientRow]) -> float | None:
    known = [row for row in rows if row.gradient is not None]
    if not known:
        return None
    norms = [row.gradient.norm for row in known if row.gradient is not None and row.gradient.norm is not None]
    if len(norms) < len(known) or any(row.state == "nonfinite" for row in known):
        return math.nan
    return math.hypot(*norms) / math.sqrt(max(sum(math.prod(row.shape) for row in known), 1))
