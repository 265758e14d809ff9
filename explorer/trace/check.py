"""The checks of a Trace that types cannot express: ids exist, edges are acyclic, spans lie in the source, lengths
agree.
"""

import math
from collections.abc import Sized
from itertools import compress, pairwise
from operator import add

import numpy as np

from explorer.trace.arguments import read_arguments
from explorer.trace.asked import faulty_asked
from explorer.trace.full import faulty_full
from explorer.trace.outputs import Failure, Figure, Limit, Printed, Refusal, Result, Skipped
from explorer.trace.pictures import faulty as faulty_figure
from explorer.trace.records import NAME, SCHEMA, InvalidTrace, Lists, Records
from explorer.trace.statements import Tables
from explorer.trace.statements import faulty as faulty_statements
from explorer.trace.steps import faulty as faulty_steps
from explorer.trace.tables import faulty
from explorer.trace.training_log import faulty as faulty_log
from explorer.trace.values import STORED, WHOLE, sample_shape


def check(trace: Records) -> None:
    """Check a Trace. Raises InvalidTrace naming the first fault."""
    try:
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


def _lists(what: str, lists: Lists, rows: int, count: int, least: int = -1) -> None:
    starts = np.asarray(lists.starts, dtype=object if any(abs(s) > 1 << 60 for s in lists.starts[:1]) else np.int64)
    _require(len(starts) == rows + 1 and starts[0] == 0, f"{what}: starts do not fit {rows} rows")
    _require(starts[-1] == len(lists.items) and bool((np.diff(starts) >= 0).all()), f"{what}: starts are not in order")
    _ids(what, lists.items, count, least)


def _check_tables(trace: Records) -> None:
    _require(trace.schema == SCHEMA, f"schema {trace.schema}, expected {SCHEMA}")
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
    counts = len(trace.spans), len(trace.strings), len(trace.cells), len(trace.operations)
    named = Tables(*counts, len(trace.backwards), len(trace.tensors))
    wrong = faulty_statements(trace.statements, named)
    _require(not wrong, wrong)
    wrong = faulty_full(trace.full, len(trace.tensors), len(trace.backwards))
    _require(not wrong, wrong)
    _check_values(trace)


def _check_values(trace: Records) -> None:
    values = trace.values
    count = len(values.dtype)
    _same_length("values", count, values.shape, values.start, values.summary)
    _ids("value dtype", values.dtype, len(trace.strings), 0)
    _ids("value shape", values.shape, len(trace.shapes), 0)
    _ids("value summary", values.summary, len(values.summaries))
    _same_length("sampled values", len(values.sampled and values.summaries), values.sampled)
    _ids("sampled values", values.sampled, 1 << 62, 0)
    _ids("value start", values.start, 1 << 62)
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
    strings, spans = len(trace.strings), len(trace.spans)
    operations, tensors = len(trace.operations), len(trace.tensors)
    backwards = len(trace.backwards)
    o = trace.operations
    optional = (o.module, o.error, o.frames, o.arguments)
    _same_length("operations", operations, o.function, o.span, o.grad_enabled, o.in_backward, *optional)
    for column, least in ((o.name, 0), (o.function, 0), *((column, -1) for column in optional)):
        _ids("operation text", column, strings, least)
    _ids("operation span", o.span, spans)
    _ids("operation backward", o.in_backward, backwards)
    for text in set(o.arguments) - {-1}:
        try:
            read_arguments(trace.strings[text])
        except ValueError as problem:
            raise InvalidTrace(f"arguments of an operation: {problem}") from None
    _lists("iteration", o.iteration, operations, 1 << 40, 0)
    _lists("inputs", o.inputs, operations, tensors, 0)
    _lists("input versions", o.input_versions, operations, 1 << 40)
    _require(o.inputs.starts == o.input_versions.starts, "inputs and their versions differ")
    _lists("outputs", o.outputs, operations, tensors, 0)


def _check_tensors(trace: Records) -> None:
    strings, shapes = len(trace.strings), len(trace.shapes)
    values, tensors = len(trace.values.dtype), len(trace.tensors)
    versions = len(trace.versions.version)
    t = trace.tensors
    for column in (t.offset, t.storage, [a.offset for a in trace.arrays], [a.storage for a in trace.arrays]):
        _ids("a place in memory", column, 1 << 62)
    _same_length("tensors", tensors, t.dtype, t.device, t.requires_grad, t.is_leaf, t.is_parameter, t.storage, t.offset)
    _same_length("tensors", tensors, t.stride, t.grad)
    _ids("tensor shape", t.shape, shapes, 0)
    _ids("tensor stride", t.stride, shapes)
    _ids("tensor text", t.dtype + t.device, strings, 0)
    _ids("tensor grad", t.grad, values)
    _lists("version_start", Lists(t.version_start, list(range(versions))), tensors, versions, 0)
    _require(
        all(a < b for a, b in zip(t.version_start, t.version_start[1:], strict=False)), "a tensor without a version"
    )


def _check_versions(trace: Records) -> None:
    values, operations = len(trace.values.dtype), len(trace.operations)
    versions, nodes = len(trace.versions.version), len(trace.nodes)
    v = trace.versions
    _same_length("versions", versions, v.operation, v.value, v.node, v.output, v.seen)
    _ids("version operation", v.operation, operations)
    _ids("version seen", v.seen, operations + 1)
    _ids("version value", v.value, values)
    _ids("version node", v.node, nodes)


def _check_nodes(trace: Records) -> None:
    strings, values = len(trace.strings), len(trace.values.dtype)
    operations, tensors = len(trace.operations), len(trace.tensors)
    nodes, backwards = len(trace.nodes), len(trace.backwards)
    n = trace.nodes
    _same_length("nodes", nodes, n.operation, n.variable, n.made_by, n.user_code)
    _ids("node name", n.name, strings, 0)
    _ids("node operation", n.operation, operations)
    _ids("node variable", n.variable, tensors)
    _ids("node made_by", n.made_by, backwards)
    _lists("edges", n.edges, nodes, nodes)
    _lists("edge inputs", n.edge_inputs, nodes, 1 << 32)
    _require(n.edges.starts == n.edge_inputs.starts, "edges and their inputs differ")
    _lists("node values", n.values, nodes, values)


def _check_saved(trace: Records) -> None:
    strings, values, tensors, nodes = len(trace.strings), len(trace.values.dtype), len(trace.tensors), len(trace.nodes)
    s = trace.saved
    _same_length("saved", len(s.node), s.name, s.tensor, s.version, s.value, s.constant)
    _same_length("saved memory", len(s.node) if s.storage or s.size else 0, s.storage, s.size)
    _ids("saved storage", s.storage, 1 << 60, -1 << 60)
    _ids("saved size", s.size, 1 << 60, 0)
    _ids("saved node", s.node, nodes, 0)
    _ids("saved name", s.name, strings, 0)
    _ids("saved tensor", s.tensor, tensors)
    _ids("saved value", s.value, values)
    _ids("saved constant", s.constant, strings)


def _check_names_and_places(trace: Records) -> None:
    spans, shapes = len(trace.spans), len(trace.shapes)
    values, operations = len(trace.values.dtype), len(trace.operations)
    tensors, nodes = len(trace.tensors), len(trace.nodes)
    for strided in trace.strided:
        _ids("strided", [strided.tensor], tensors, 0)
        _ids("strided", [strided.value], values, 0)
        _require(strided.step > 1, "a pick of every entry")
    for a in trace.arrays:
        _ids("array", [a.shape, a.stride], shapes, 0)
        _ids("array", [a.start, a.until], operations)
        _require(len(trace.shapes[a.shape]) == len(trace.shapes[a.stride]), "an array whose strides do not fit")
    _ids("binding", [binding.tensor for binding in trace.bindings], tensors, 0)
    _ids("binding span", [binding.span for binding in trace.bindings], spans)
    _ids(
        "binding time", [moment for binding in trace.bindings for moment in (binding.start, binding.until)], operations
    )
    for d in trace.diagnoses:
        _ids("diagnosis", [d.span], spans)
        _ids("diagnosis", [d.node], nodes)
        _ids("diagnosis", [d.tensor], tensors)


def _check_backwards(trace: Records) -> None:
    strings, spans = len(trace.strings), len(trace.spans)
    values, operations = len(trace.values.dtype), len(trace.operations)
    tensors, nodes, backwards = len(trace.tensors), len(trace.nodes), len(trace.backwards)
    for b in trace.backwards:
        _ids("backward span", [b.span], spans)
        _ids("backward operations", [b.operations], operations + 1, 0)
        _ids("backward nodes", [*b.roots, b.failed_node], nodes)
        _ids("backward nodes", b.order + b.freed + b.contribution_from, nodes, 0)
        _ids("backward tensors", b.root_tensors, tensors)
        _ids("backward tensors", b.inputs + b.accumulated, tensors)
        _ids("backward values", b.seeds + b.contribution_value + b.before + b.after, values)
        _lists("arrived", b.arrived, len(b.order), values)
        _same_length("contributions", len(b.contribution_from), b.contribution_edge, b.contribution_value)
        _same_length("accumulations", len(b.accumulated), b.before, b.after)
        for node, edge in zip(b.contribution_from, b.contribution_edge, strict=True):
            _require(
                0 <= edge < trace.nodes.edges.starts[node + 1] - trace.nodes.edges.starts[node],
                "a contribution over no edge",
            )
        _ids("backward error", [b.error], strings)
        _ids("backward inside", [b.inside], backwards)


def _check_asked(trace: Records) -> None:
    starts = trace.nodes.edges.starts
    values, asked = trace.values, trace.asked
    shapes = [tuple(trace.shapes[shape]) for shape in values.shape] if asked.value else []
    _ids("asked value", asked.whole, len(values.shape), 0)
    sizes = {value: _bytes_of(trace, values.dtype[value], values.shape[value], True) for value in asked.whole}
    edges = [after - before for before, after in pairwise(starts)] if asked.passer else [0] * len(trace.nodes)
    wrong = faulty_asked(asked, shapes, sizes, len(trace.backwards), edges)
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
    _check_names,
    _check_operations,
    _check_tensors,
    _check_versions,
    _check_nodes,
    _check_saved,
    _check_names_and_places,
    _check_backwards,
    _check_asked,
)  # in this order: later ones rely on the ids that earlier ones checked
