"""Every promise of the Trace check: a violation is refused with its name."""

import re
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from explorer.trace import NAME, EntryAsked, InvalidTrace, Note, Remark, Span, Strided, Trace
from tests.traces import trace_of

PROGRAM = """
    import torch
    a = torch.tensor([1.0, 2.0], requires_grad=True)
    w = torch.ones(10, 20, requires_grad=True)
    b = torch.nn.Linear(2, 2)
    optimizer = torch.optim.SGD(b.parameters(), 0.1)
    for i in range(12):
        y = b(a * a).relu().sum() + w.sum()
        y.backward()
        torch.nn.utils.clip_grad_norm_(b.parameters(), 1.0)
        optimizer.step()
    n = a.detach().numpy()
    n[0] = 5
    print(a)
    a.grad
    1 / 0
    """


@pytest.fixture(scope="module")
def trace() -> Trace:
    found = trace_of(PROGRAM, full=("*",))
    return replace(
        found,
        strided=[Strided(tensor=0, step=2, value=0)],
        diagnoses=[Remark("kind", 0, 0, 0)],
        notes=[Note(0, "text")],
    )


def refused(trace: Trace, path: str, change: Callable) -> str:
    """Return the check's message for a Trace changed at a path: `operations.span`, `backwards.0.order`."""
    with pytest.raises(InvalidTrace) as found:
        _changed(trace, path.split(".") if path else [], change).check()
    return str(found.value)


def _changed(whole, path: list[str], change: Callable):
    if not path:
        return change(whole)
    if isinstance(whole, list):
        at = int(path[0])
        return [*whole[:at], _changed(whole[at], path[1:], change), *whole[at + 1 :]]
    return replace(whole, **{path[0]: _changed(getattr(whole, path[0]), path[1:], change)})


def beyond(column):
    """With an id that is too large."""
    return [*column[:-1], 1 << 62] if isinstance(column, list) else 1 << 62


def below(column):
    """With an id that is too small."""
    return [*column[:-1], -2] if isinstance(column, list) else -2


def shorter(column: list) -> list:
    return column[:-1]


IDS = {  # columns of ids by table
    "operations": "name function module error frames arguments span in_backward iteration.items inputs.items "
    "input_versions.items outputs.items",
    "tensors": "offset storage shape stride dtype device grad",
    "versions": "operation value node",
    "nodes": "name operation variable made_by edges.items edge_inputs.items values.items",
    "saved": "node name tensor value constant",
    "values": "dtype shape summary",
    "arrays.0": "offset storage shape stride start until",
    "strided.0": "tensor value",
    "bindings.0": "tensor span start until",
    "diagnoses.0": "span node tensor",
    "spans.0": "cell",
    "notes.0": "before",
    "cells.0.outputs.2": "span",
    "cells.0.outputs.12": "span frames",
    "steps": "place backward rounds.0",
    "steps.places.0": "span calls stride",
    "steps.leaves.0": "tensor shape",
    "log": "sets.0",
    "log.calls.0": "span operations",
    "log.optimizers.0": "span operations",
    "log.optimizers.0.groups.0": "tensors",
    "backwards.0": "span roots failed_node order freed contribution_from root_tensors inputs accumulated seeds "
    "contribution_value before after arrived.items error inside",
}
COLUMNS = [f"{table}.{column}" for table, columns in IDS.items() for column in columns.split()]


def test_the_trace_is_sound(trace):
    trace.check()


@pytest.mark.parametrize("path", COLUMNS)
@pytest.mark.parametrize("change", [beyond, below])
def test_every_id_exists(trace, path, change):
    name = re.sub(r"\.(items|\d+)\b", "", path)
    assert refused(trace, path, change).startswith(f"{name}: an id outside")


LENGTHS = {
    "operations": "function span grad_enabled in_backward module error frames arguments",
    "tensors": "dtype device requires_grad is_leaf is_parameter storage offset stride grad",
    "versions": "operation value node output",
    "nodes": "operation variable made_by user_code",
    "saved": "name tensor version value constant storage size",
    "values": "shape start summary",
    "backwards.0": "contribution_edge contribution_value before after",
    "steps": "number backward rounds",
}


@pytest.mark.parametrize("path", [f"{table}.{name}" for table, names in LENGTHS.items() for name in names.split()])
def test_columns_of_a_table_are_equally_long(trace, path):
    assert refused(trace, path, shorter).endswith(": columns of different lengths")


LISTS = (
    "operations.iteration operations.inputs operations.input_versions operations.outputs "
    "nodes.edges nodes.edge_inputs nodes.values backwards.0.arrived"
).split()


@pytest.mark.parametrize("path", LISTS)
def test_invalid_list_offsets_in_a_column_are_refused(trace, path):
    starts, what = f"{path}.starts", path.replace(".0", "")
    assert refused(trace, starts, shorter).startswith(f"{what}: starts do not fit")
    assert refused(trace, starts, lambda old: [1, *old[1:]]).startswith(f"{what}: starts do not fit")
    assert refused(trace, starts, lambda old: [*old[:-1], old[-1] + 1]) == f"{what}: starts are not in order"
    assert refused(trace, starts, lambda old: [0, old[-1] + 1, *old[2:]]) == f"{what}: starts are not in order"


def shaped(trace: Trace, size: int) -> Trace:
    """With first values of another size."""
    values = replace(trace.values, shape=[len(trace.shapes)] * 9 + trace.values.shape[9:])
    return replace(trace, shapes=[*trace.shapes, [size]], values=values)


SPECIAL = [  # message, place and change
    ("schema 99, expected 1", "schema", lambda _: 99),
    ("a span outside its cell's lines", "spans.0", lambda old: replace(old, line=0)),
    ("a span outside its cell's lines", "spans.0", lambda old: replace(old, end_line=99)),
    ("a span outside its cell's lines", "spans.0", lambda old: replace(old, line=old.end_line + 1)),
    ("a span outside its line", "spans.0", lambda old: replace(old, column=-1)),
    ("a span outside its line", "spans.0", lambda old: replace(old, end_column=-1)),
    ("a span outside its line", "spans.0", lambda old: replace(old, column=999)),
    ("a span outside its line", "spans.0", lambda old: replace(old, end_column=999)),
    ("a span outside its line", "spans.0", lambda old: Span(old.cell, old.line, 2, old.line, 1)),
    ("a shape beyond 64 bits", "shapes", lambda old: [*old, [1 << 63]]),
    ("a shape beyond 64 bits", "shapes", lambda old: [*old, [-(1 << 63) - 1]]),
    ("a value of a negative size", "", lambda old: shaped(old, -1)),
    ("a value of an unknown dtype", "strings", lambda old: [one.replace("float32", "float31") for one in old]),
    ("a value with too many entries", "", lambda old: shaped(old, 1 << 20)),
    ("a value beyond the data", "values.start", lambda old: [start and (1 << 40) for start in old]),
    ("values.start: an id outside -1", "values.start", lambda old: [-2, *old[1:]]),
    ("backwards.operations: an id outside 0", "backwards.0.operations", lambda old: 1 << 20),
    ("a value beyond the data", "values.data", lambda old: old[:-1]),
    ("values that share their entries", "values", lambda old: replace(
        old, start=[0 if start >= 0 else start for start in old.start], data=old.data[:800])),
    ("a name that is too long", "", lambda old: replace(
        old, strings=[*old.strings, "x" * (NAME + 1)],
        operations=replace(old.operations, name=[len(old.strings), *old.operations.name[1:]]))),
    ("tensors.version_start: starts do not fit", "tensors.version_start", shorter),
    ("a tensor without a version", "tensors.version_start", lambda old: [0, 0, *old[2:]]),
    ("edges and their inputs differ", "nodes.edge_inputs", lambda old: replace(
        old, starts=[*old.starts[:-2], old.starts[-1], old.starts[-1]])),
    ("inputs and their versions differ", "operations.input_versions", lambda old: replace(
        old, starts=[*old.starts[:-2], old.starts[-1], old.starts[-1]])),
    ("a pick of every entry", "strided.0.step", lambda _: 1),
    ("an array whose strides do not fit", "", lambda old: replace(
        old, shapes=[*old.shapes, [1, 1]], arrays=[replace(old.arrays[0], stride=len(old.shapes))])),
    ("a contribution over no edge", "backwards.0.contribution_edge", lambda old: [99, *old[1:]]),
    ("a contribution over no edge", "backwards.0.contribution_edge", lambda old: [-1, *old[1:]]),
    ("steps: columns of different lengths", "steps.loss", lambda old: old[:-1]),
    ("steps of a place that are not in order", "steps.number", lambda old: [0] * len(old)),
    ("rounds of a step that cannot be", "steps.rounds.0", lambda _: [0]),
    ("a leaf of steps of a shape that cannot be", "steps.leaves.0.pick", lambda _: 1 << 70),
    ("a leaf of steps with entries that cannot be", "steps.leaves.0.count", lambda _: 65),
    ("a leaf of steps: columns of different lengths", "steps.leaves.0.values", lambda old: old[:-1]),
    ("a leaf of steps: columns of different lengths", "steps.leaves.1.values", lambda old: old[:-1]),
    ("a leaf of steps that do not exist", "steps.leaves.0.steps", lambda old: b"\x63" * len(old)),
    ("a call of training of something", "log.calls.0.subject", lambda _: 99),
    ("calls of training that are not in order", "log.calls.0.operations", lambda _: 99),
    ("a group of an optimizer that cannot be", "log.optimizers.0.groups.0.count", lambda _: 1),
    ("too many tensors of optimizers", "log.sets", lambda _: [[0] * 20_000] * 2),
    ("statements: starts that do not fit", "statements.found", lambda _: [0]),
    ("a leaf with edges", "nodes.variable", lambda old: [0] * len(old)),
    ("edges form a cycle", "nodes.edges", lambda old: replace(
        old, items=[node for node in range(len(old.starts) - 1) for _ in range(*old.starts[node : node + 2])])),
]  # fmt: skip


@pytest.mark.parametrize(("said", "path", "change"), SPECIAL, ids=[f"{one[0]}-{i}" for i, one in enumerate(SPECIAL)])
def test_further_promises_are_checked(trace, said, path, change):
    assert refused(trace, path, change).startswith(said)


LARGE = """
    import torch
    w = torch.randn(20, 10, requires_grad=True)
    h = torch.randn(30, 20) @ w
    h.square().sum().backward()
    """


@pytest.fixture(scope="module")
def asked() -> Trace:
    """Return a Trace of a second run: an entry of a gradient, and a value of which all entries were kept."""
    first = trace_of(LARGE)
    leaf, value = first.backwards[0].order[-1], first.versions.value[first.versions_of(first.bound("h"))[-1]]
    step = first.backwards[0].order.index(leaf)
    found = trace_of(LARGE, asked=(EntryAsked(1, step, 0, (20, 10), 34),), whole=(value,))
    assert found.asked.value and found.asked.passer and found.asked.whole == [value]
    assert found["h"].data is not None
    return found.check()


ASKED = {
    "value": (beyond, below, shorter),
    "place": (beyond, below),
    "entry": (shorter,),
    "backward": (beyond, below),
    "passer": (beyond, below),
    "edge": (beyond, below),
    "at": (below, shorter),
    "listed": (beyond, below, shorter),
    "left": (below,),
    "node": (beyond, below, shorter),
    "output": (below,),
    "index": (below,),
    "factor": (shorter,),
    "whole": (beyond, below, shorter),
    "data": (shorter, lambda data: [one[:-1] for one in data]),
}


@pytest.mark.parametrize(("column", "change"), [(column, one) for column, some in ASKED.items() for one in some])
def test_inconsistent_answers_of_a_second_run_are_refused(asked, column, change):
    assert refused(asked, f"asked.{column}", change).startswith("asked")
