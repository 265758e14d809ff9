"""The checks of a Trace that types cannot express: ids exist, edges are acyclic, spans lie in the source, lengths
agree.
"""

import math
from collections.abc import Iterator, Sized
from itertools import chain, compress, pairwise
from operator import add, attrgetter
from typing import NamedTuple, get_args, get_origin, get_type_hints

import numpy as np
from msgspec import Struct
from msgspec.structs import fields

from explorer.trace.arguments import read_arguments
from explorer.trace.asked import faulty_asked
from explorer.trace.columns import Ids, Lists
from explorer.trace.full import faulty_full
from explorer.trace.outputs import Failure, Figure, Limit, Printed, Refusal, Result, Skipped
from explorer.trace.pictures import faulty as faulty_figure
from explorer.trace.records import NAME, SCHEMA, InvalidTrace, Records
from explorer.trace.statements import faulty as faulty_statements
from explorer.trace.steps import faulty as faulty_steps
from explorer.trace.tables import faulty
from explorer.trace.training_log import faulty as faulty_log
from explorer.trace.values import STORED, WHOLE, sample_shape


def check(trace: Records) -> None:
    """Check a Trace. Raises InvalidTrace naming the first fault."""
    try:
        _require(trace.schema == SCHEMA, f"schema {trace.schema}, expected {SCHEMA}")
        _check_declared(trace)
        _check_tables(trace)
        for check_table in _TABLE_CHECKS:
            check_table(trace)
        _check_order(trace)
    except (OverflowError, TypeError) as problem:  # numbers beyond 64 bits
        raise InvalidTrace(str(problem)) from None


def _require(good: bool, what: str) -> None:
    if not good:
        raise InvalidTrace(what)


def _ids(what: str, column: list[int], count: int, least: int = -1) -> None:
    if column:
        _require(min(column) >= least and max(column) < count, f"{what}: an id outside {least} … {count - 1}")


def _same_length(what: str, count: int, *columns: Sized) -> None:
    _require(all(len(column) == count for column in columns), f"{what}: columns of different lengths")


def _starts(what: str, lists: Lists, rows: int) -> None:
    starts = np.asarray(lists.starts, dtype=object if any(abs(s) > 1 << 60 for s in lists.starts[:1]) else np.int64)
    _require(len(starts) == rows + 1 and starts[0] == 0, f"{what}: starts do not fit {rows} rows")
    _require(starts[-1] == len(lists.items) and bool((np.diff(starts) >= 0).all()), f"{what}: starts are not in order")


class _Declared(NamedTuple):
    """A column as its Struct declares it. Attributes: sized: whether it has an entry for each row of its table."""

    name: str
    kind: type
    ids: Ids | None
    sized: bool


def _declared(of: type[Struct]) -> list[_Declared]:
    hints = get_type_hints(of, include_extras=True)
    columns = []
    for field in fields(of):
        kind, *notes = get_args(hints[field.name]) or (hints[field.name],)
        ids = next((note for note in notes if isinstance(note, Ids)), None)
        whole = field.required and field.name != "version_start"
        columns.append(_Declared(field.name, kind, ids, kind is Lists or (whole and kind in (list[int], list[bool]))))
    return [column for column in columns if column.sized or column.ids]


def _tables() -> Iterator[tuple[str, bool, list[_Declared]]]:
    """The tables of a Trace: whether each is a list of rows or a record of columns, and what is declared of these."""
    for name, hint in get_type_hints(Records).items():
        rows = get_origin(hint) is list
        table = get_args(hint)[0] if rows else hint
        if isinstance(table, type) and issubclass(table, Struct):
            yield name, rows, _declared(table)


_TABLES = {name: (rows, columns) for name, rows, columns in _tables()}


def _count(trace: Records, table: str) -> int:
    rows = attrgetter(table)(trace)
    return len(rows) if isinstance(rows, list) else len(getattr(rows, _TABLES[table][1][0].name))


def _check_declared(trace: Records) -> None:
    """Check that the columns of a table have one length, and that their ids exist."""
    for table, (by_row, columns) in _TABLES.items():
        rows = getattr(trace, table)
        for name, kind, ids, sized in columns:
            what, column = f"{table}.{name}", []
            if by_row:
                if ids is None or not rows:
                    continue
                column = list(map(attrgetter(f"{name}.items" if kind is Lists else name), rows))
                column = column if kind is int else list(chain.from_iterable(column))
            elif kind is Lists:
                _starts(what, getattr(rows, name), _count(trace, table))
                column = getattr(rows, name).items
            else:
                column = getattr(rows, name)
                _require(not sized or len(column) == _count(trace, table), f"{what}: columns of different lengths")
            if ids is not None:
                below = ids.of if isinstance(ids.of, int) else _count(trace, ids.of) + ids.beyond
                _ids(what, column, below, ids.least)


def _check_tables(trace: Records) -> None:
    lines = [cell.lines for cell in trace.cells]
    for span in trace.spans:
        _require(0 <= span.cell < len(lines), "a span in a cell that does not exist")
        text = lines[span.cell]
        _require(1 <= span.line <= span.end_line <= len(text), "a span outside its cell's lines")
        inside = 0 <= span.column <= len(text[span.line - 1]) and 0 <= span.end_column <= len(text[span.end_line - 1])
        _require(inside and (span.line, span.column) <= (span.end_line, span.end_column), "a span outside its line")
    for shape in trace.shapes:
        _require(all(-(1 << 63) <= size < 1 << 63 for size in shape), "a shape beyond 64 bits")
    for note in trace.notes:
        _require(0 <= note.before <= len(trace.cells), "a note before a cell that does not exist")
    for cell in trace.cells:
        for output in cell.outputs:
            if isinstance(output, Printed | Result | Failure | Refusal | Skipped | Limit):
                _ids("output span", [output.span], len(trace.spans))
            if isinstance(output, Failure):
                _ids("frames", output.frames, len(trace.spans))
            if isinstance(output, Figure):
                wrong = faulty_figure(output)
                _require(not wrong, wrong)
    wrong = faulty(trace.tables, trace.table_steps, len(trace.spans), len(trace.options.tables))
    _require(not wrong, wrong)
    tables = len(trace.spans), len(trace.strings), trace.shapes, len(trace.tensors), len(trace.backwards)
    wrong = faulty_steps(trace.steps, *tables)
    _require(not wrong, wrong)
    wrong = faulty_log(trace.log, len(trace.spans), len(trace.operations), len(trace.tensors), len(trace.backwards))
    _require(not wrong, wrong)
    wrong = faulty_statements(trace.statements, len(trace.strings), len(trace.tensors))
    _require(not wrong, wrong)
    wrong = faulty_full(trace.full)
    _require(not wrong, wrong)


def _check_values(trace: Records) -> None:
    values = trace.values
    _same_length("values.sampled", len(values.sampled and values.summaries), values.sampled)
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
    """The bytes that the entries of a value take, or those of its sample."""
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
    _starts("tensors.version_start", Lists(starts, list(range(versions))), len(trace.tensors))
    _require(all(a < b for a, b in pairwise(starts)), "a tensor without a version")


def _check_graph(trace: Records) -> None:
    edges, saved = trace.nodes.edges, trace.saved
    _require(edges.starts == trace.nodes.edge_inputs.starts, "edges and their inputs differ")
    _same_length("saved memory", len(saved.node) if saved.storage or saved.size else 0, saved.storage, saved.size)
    for b in trace.backwards:
        _starts("backwards.arrived", b.arrived, len(b.order))
        _same_length("contributions", len(b.contribution_from), b.contribution_edge, b.contribution_value)
        _same_length("accumulations", len(b.accumulated), b.before, b.after)
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
    """Check that edges are acyclic: they lead to earlier rows, or removing nodes without open edges empties the graph
    (Kahn, 1962).
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
)  # in this order: later ones rely on the ids that earlier ones checked
