"""Check what types cannot express: ids exist, edges are acyclic, spans and lengths agree."""

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain, compress, pairwise
from operator import add, attrgetter
from typing import Any, NamedTuple, get_args, get_type_hints

import numpy as np
from msgspec import Struct

from explorer.trace.arguments import read_arguments
from explorer.trace.asked import faulty_asked, faulty_full
from explorer.trace.columns import Along, Ids, Lists
from explorer.trace.loss_terms import faulty_losses
from explorer.trace.outputs import Failure, Figure, faulty_figure
from explorer.trace.records import NAME, SCHEMA, InvalidTrace, Records
from explorer.trace.scene import faulty_scene
from explorer.trace.slopes import faulty_slopes
from explorer.trace.statements import faulty as faulty_statements
from explorer.trace.steps import faulty as faulty_steps
from explorer.trace.tables import faulty as faulty_tables
from explorer.trace.training_log import faulty as faulty_log
from explorer.trace.values import STORED, WHOLE, sample_shape


def check(trace: Records) -> None:
    """Check a Trace. Raises InvalidTrace naming the first fault."""
    try:
        _require(trace.schema == SCHEMA, f"schema {trace.schema}, expected {SCHEMA}")
        _check_declared(trace, "", [trace])
        _check_tables(trace)
        for check_table in _TABLE_CHECKS:
            check_table(trace)
        _check_order(trace)
    except (OverflowError, TypeError) as problem:  # numbers beyond 64 bits
        raise InvalidTrace(str(problem)) from None


def _require(good: bool, what: str) -> None:
    if not good:
        raise InvalidTrace(what)


class _Declared(NamedTuple):
    """Declarations of a record's Struct.

    Attributes:
        fields: fields with ids, and fields that hold records (True).
        along: columns of equal length by kind: plain, lists, optional.
    """

    fields: list[tuple[str, Ids | None, bool]]
    along: list[tuple[list[str], list[str], list[str]]]


@cache
def _declared(of: type[Struct]) -> _Declared:
    fields, along = [], defaultdict[str, tuple[list[str], list[str], list[str]]](lambda: ([], [], []))
    for name, hint in get_type_hints(of, include_extras=True).items():
        notes, types = getattr(hint, "__metadata__", ()), list(_types(hint))
        ids = next((note for note in notes if isinstance(note, Ids)), None)
        for note in notes:
            if isinstance(note, Along):
                along[note.what][2 if note.optional else int(Lists in types)].append(name)
        holds = any(issubclass(inner, Struct) and inner is not Lists for inner in types)
        if ids is not None or holds:
            fields.append((name, ids, holds))
    return _Declared(fields, list(along.values()))


def _types(hint: Any) -> Iterator[type]:
    """Yield the types that a declaration names."""
    inside = get_args(hint)
    if not inside and isinstance(hint, type):
        yield hint
    for part in inside:
        yield from _types(part)


def _check_declared(trace: Records, what: str, rows: Sequence[Struct]) -> None:
    """Check declared ids, column lengths and nested records."""
    fields, along = _declared(type(rows[0]))
    for columns in along:
        _check_lengths(what, rows, *columns)
    for name, ids, holds in fields:
        where = f"{what}.{name}".lstrip(".")
        entries = _entries(list(map(attrgetter(name), rows)))
        if ids is not None and entries:
            below = ids.of if isinstance(ids.of, int) else _count(trace, ids.of) + ids.beyond
            there = min(entries) >= ids.least and max(entries) < below
            _require(there, f"{where}: an id outside {ids.least} … {below - 1}")
        for kind in dict.fromkeys(map(type, entries)) if holds else ():
            if issubclass(kind, Struct):
                _check_declared(trace, where, [entry for entry in entries if type(entry) is kind])


def _check_lengths(what: str, rows: Sequence[Struct], plain: list[str], lists: list[str], optional: list[str]) -> None:
    counts = list(map(len, map(attrgetter(plain[0]), rows)))
    for name in plain[1:]:
        good = counts == list(map(len, map(attrgetter(name), rows)))
        _require(good, f"{what}.{name}: columns of different lengths")
    for name in lists:
        for row, count in zip(rows, counts, strict=True):
            _check_starts(f"{what}.{name}", getattr(row, name), count)
    for row, count in zip(rows, counts, strict=True) if optional else ():
        lengths = {len(getattr(row, name)) for name in optional}
        _require(lengths <= {0} or lengths == {count}, f"{what}.{optional[0]}: columns of different lengths")


def _check_starts(what: str, lists: Lists, rows: int) -> None:
    starts = np.asarray(lists.starts, dtype=object if any(abs(s) > 1 << 60 for s in lists.starts[:1]) else np.int64)
    _require(len(starts) == rows + 1 and starts[0] == 0, f"{what}: starts do not fit {rows} rows")
    _require(starts[-1] == len(lists.items) and bool((np.diff(starts) >= 0).all()), f"{what}: starts are not in order")


def _entries(of: list) -> list:
    """Yield the entries of arbitrarily nested columns."""
    while of and isinstance(of[0], list | tuple | Lists):
        parts = [part.items if isinstance(part, Lists) else part for part in of]
        of = parts[0] if len(parts) == 1 else list(chain.from_iterable(parts))
    return of


def _count(trace: Records, table: str) -> int:
    rows = attrgetter(table)(trace)
    return len(getattr(rows, rows.__struct_fields__[0]) if isinstance(rows, Struct) else rows)


def _check_tables(trace: Records) -> None:
    lines = [cell.lines for cell in trace.cells]
    for span in trace.spans:
        text = lines[span.cell]
        _require(1 <= span.line <= span.end_line <= len(text), "a span outside its cell's lines")
        inside = 0 <= span.column <= len(text[span.line - 1]) and 0 <= span.end_column <= len(text[span.end_line - 1])
        _require(inside and (span.line, span.column) <= (span.end_line, span.end_column), "a span outside its line")
    for shape in trace.shapes:
        _require(all(-(1 << 63) <= size < 1 << 63 for size in shape), "a shape beyond 64 bits")
    outputs = [output for cell in trace.cells for output in cell.outputs]
    figures = (output for output in outputs if isinstance(output, Figure))
    scenes = (output.scene for output in outputs if isinstance(output, Failure) and output.scene is not None)
    _require(all(one.caller < at for at, one in enumerate(trace.callers)), "a caller that was called later")
    wrongs = (
        *map(faulty_figure, figures),
        *map(faulty_scene, scenes),
        faulty_tables(trace.tables),
        faulty_steps(trace.steps, trace.shapes),
        faulty_log(trace.log, len(trace.tensors), len(trace.backwards)),
        faulty_statements(trace.statements, len(trace.strings), len(trace.tensors)),
        faulty_full(trace.full),
        faulty_losses(trace.losses),
        faulty_slopes(trace.slopes, trace.nodes.edges.starts),
    )
    for wrong in wrongs:
        _require(not wrong, wrong)


def _check_values(trace: Records) -> None:
    values = trace.values
    for shape in set(values.shape):
        _require(all(axis >= 0 for axis in trace.shapes[shape]), "a value of a negative size")
    there = [start >= 0 for start in values.start]
    whole = [summary < 0 for summary in values.summary]
    kinds = list(compress(zip(values.dtype, values.shape, whole, strict=True), there))
    sizes = {kind: _bytes_of(trace, *kind) for kind in dict.fromkeys(kinds)}
    taken = [sizes[kind] for kind in kinds]
    reach = max(map(add, compress(values.start, there), taken), default=0)
    _require(reach <= len(values.data), "a value beyond the data")
    _require(sum(taken) <= len(values.data), "values that share their entries")


def _bytes_of(trace: Records, dtype: int, shape: int, whole: bool) -> int:
    """Return the bytes of a value's entries, or of its sample."""
    stored, sizes = STORED.get(trace.strings[dtype]), trace.shapes[shape]
    if stored is None:
        raise InvalidTrace("a value of an unknown dtype")
    entries = math.prod(sizes if whole else sample_shape(tuple(sizes)))
    _require(entries <= WHOLE, "a value with too many entries")
    return entries * np.dtype(stored).itemsize


def _check_names(trace: Records) -> None:
    long = {i for i, text in enumerate(trace.strings) if len(text) > NAME}
    names = (trace.operations.name, trace.operations.function, trace.operations.module, trace.nodes.name)
    _require(not long or all(long.isdisjoint(column) for column in names), "a name that is too long")


def _check_operations(trace: Records) -> None:
    o = trace.operations
    for text in set(o.arguments) - {-1}:
        try:
            read_arguments(trace.strings[text])
        except ValueError as problem:
            raise InvalidTrace(f"arguments of an operation: {problem}") from None
    _require(o.inputs.starts == o.input_versions.starts, "inputs and their versions differ")


def _check_versions(trace: Records) -> None:
    starts, versions = trace.tensors.version_start, len(trace.versions.version)
    _check_starts("tensors.version_start", Lists(starts, list(range(versions))), len(trace.tensors))
    _require(all(a < b for a, b in pairwise(starts)), "a tensor without a version")


def _check_graph(trace: Records) -> None:
    edges = trace.nodes.edges
    _require(edges.starts == trace.nodes.edge_inputs.starts, "edges and their inputs differ")
    leaves = compress(pairwise(edges.starts), (variable >= 0 for variable in trace.nodes.variable))
    _require(all(before == after for before, after in leaves), "a leaf with edges")
    for b in trace.backwards:
        for node, edge in zip(b.contribution_from, b.contribution_edge, strict=True):
            _require(0 <= edge < edges.starts[node + 1] - edges.starts[node], "a contribution over no edge")


def _check_memory(trace: Records) -> None:
    _require(all(strided.step > 1 for strided in trace.strided), "a pick of every entry")
    shapes = trace.shapes
    fit = all(len(shapes[array.shape]) == len(shapes[array.stride]) for array in trace.arrays)
    _require(fit, "an array whose strides do not fit")


def _check_asked(trace: Records) -> None:
    starts = trace.nodes.edges.starts
    values, asked = trace.values, trace.asked
    shapes = [tuple(trace.shapes[shape]) for shape in values.shape] if asked.value else []
    sizes = {value: _bytes_of(trace, values.dtype[value], values.shape[value], True) for value in asked.whole}
    edges = [after - before for before, after in pairwise(starts)] if asked.passer else [0] * len(trace.nodes)
    wrong = faulty_asked(asked, shapes, sizes, edges)
    _require(not wrong, wrong)


def _check_order(trace: Records) -> None:
    """Check that edges are acyclic.

    They lead to earlier rows, or removing nodes without open edges empties the graph (Kahn, 1962).
    """
    edges = trace.nodes.edges
    starts = np.asarray(edges.starts, dtype=np.int64)
    of = np.repeat(np.arange(len(trace.nodes)), starts[1:] - starts[:-1])
    if bool((np.asarray(edges.items, dtype=np.int64) < of).all()):
        return
    open_edges = [0] * len(trace.nodes)
    consumers: list[list[int]] = [[] for _ in open_edges]
    for node in range(len(open_edges)):
        for target in edges[node]:
            if target >= 0:
                open_edges[node] += 1
                consumers[target].append(node)
    ready = [node for node, count in enumerate(open_edges) if not count]
    seen = 0
    while ready:
        seen += 1
        for consumer in consumers[ready.pop()]:
            open_edges[consumer] -= 1
            if not open_edges[consumer]:
                ready.append(consumer)
    _require(seen == len(open_edges), "edges form a cycle")


_TABLE_CHECKS = (
    _check_values,
    _check_names,
    _check_operations,
    _check_versions,
    _check_graph,
    _check_memory,
    _check_asked,
)  # order matters: later checks rely on ids that earlier ones verified
