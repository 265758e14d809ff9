"""Extreme Traces that pass the check: each column as long, deep and wide as allowed."""

from explorer.trace import (
    Backward,
    Binding,
    Bound,
    Cell,
    Echo,
    Failure,
    Figure,
    Limit,
    Lists,
    Nodes,
    Note,
    Operations,
    Options,
    Printed,
    Remark,
    Result,
    Saved,
    Skipped,
    Span,
    Statements,
    TableData,
    Tensors,
    Trace,
    Values,
    Versions,
)

NAMES = ("mul", "add_", "sum", "item", "relu", "detach", "numpy", "cat", "split", "__getitem__", "mm", "clone")
NODES = ("MulBackward0", "AddBackward0", "SumBackward0", "ReluBackward0", "CatBackward0", "MmBackward0", "Own")


def lists(of: list[list[int]]) -> Lists:
    """Lists as a column."""
    starts = [0]
    for one in of:
        starts.append(starts[-1] + len(one))
    return Lists(starts, [item for one in of for item in one])


def trace_of_size(
    operations: int = 20,
    tensors: int = 20,
    versions: int = 1,
    names: int = 1,
    nodes: int = 20,
    fan: int = 2,
    outputs: int = 1,
    saved: int = 1,
    backwards: int = 1,
    cells: int = 1,
    shown: int = 1,
    lines: int = 20,
    line: int = 40,
    deep: int = 2,
    axes: int = 1,
    entries: int = 2,
    figures: int = 0,
    points: int = 2,
    rows: int = 0,
    long: int = 10,
    notes: int = 0,
    arrays: int = 0,
    spans: int = 0,
    loops: bool = False,
    one_tensor: bool = False,
    one_span: bool = False,
    unseen: bool = False,
    printed: int = 0,
    runs: bool = False,
    statements: int = 0,
    changes: int = 1,
) -> Trace:
    """Return a Trace with columns of these lengths.

    Args:
        versions, names: of every tensor; with `one_tensor` only of the first.
        fan: edges of every node; outputs: of every operation; saved: of every node.
        shown: outputs of every cell, each of `long` characters.
        deep: parts of a module's path, and loops around an operation.
        spans: besides one for every line.
        loops: whether operations of one line are rounds of a loop.
        one_span: whether every operation has the whole first cell as its place.
        unseen: whether versions and names have neither operation nor place.
        printed: texts of one stream in a row, after the outputs of every cell.
        statements: recorded statements; changes: changed names after each.
        runs: whether outputs of one kind are consecutive.
    """
    text = "x = a0".ljust(line, "y")
    source = "\n".join((f"b{i} = x; a{i} = x * {i}" + text)[: max(line, 12)] for i in range(lines))
    places = [Span(c, i + 1, 0, i + 1, len(one)) for c in range(cells) for i, one in enumerate(source.split("\n"))]
    places += places[:1] * spans
    if one_span:
        places[0] = Span(0, 1, 0, lines, len(source.split("\n")[-1]))
    span = [0 if one_span else i % len(places) for i in range(operations)]
    path = ".".join(["layer"] * deep)
    strings = [*NAMES, *NODES, "float32", "cpu", path, "loss", "self", "1.5", "n" * long]
    word = {text: i for i, text in enumerate(strings)}
    shapes = [[1] * (axes - 1) + [entries], [1] * axes, []]
    states = [versions if i == 0 or not one_tensor else 1 for i in range(tensors)]
    starts = [0]
    for count in states:
        starts.append(starts[-1] + count)
    rows_of = starts[-1]
    value_count = max(1, min(rows_of, 60_000))
    whole = min(entries, 64)
    edges = [[(i - 1 - k) for k in range(fan) if i - 1 - k >= 0] if i % 5 else [] for i in range(nodes)]
    order = list(range(nodes - 1, -1, -1))
    per = max(1, backwards)
    calls = [
        Backward(
            kind="backward",
            span=(b % len(places)),
            roots=[nodes - 1] if nodes else [],
            root_tensors=[tensors - 1],
            seeds=[0],
            inputs=[],
            retain_graph=True,
            create_graph=False,
            order=order if b == per - 1 or nodes * backwards < 100_000 else order[:2],
            arrived=lists([[0]] * (nodes if b == per - 1 or nodes * backwards < 100_000 else min(2, nodes))),
            contribution_from=[],
            contribution_edge=[],
            contribution_value=[],
            accumulated=[],
            before=[],
            after=[],
            freed=[],
            status="ok",
            failed_node=-1,
            error=-1,
            operations=operations,
        )
        for b in range(backwards if nodes else 0)
    ]
    word_of = lambda i: f"b{i % max(lines, 1)}" + "z" * min(long, 200)  # noqa: E731
    table = TableData(["c"] * min(rows, 200), [["w" * 5] * min(rows, 200)] * min(rows, 200), rows) if rows else None
    made: list = []
    kinds = (
        Printed("stdout", "tensor([1., 2.])"[:long].ljust(long)),
        Result(0, "p" * long),
        Echo("e" * long),
        Limit("time", 1.0, 0),
        Printed("warning", "w" * long),
        Printed("stderr", "s" * long),
        Skipped("!ls", 0, "shell"),
        Failure("ValueError", "f" * long, 0, []),
    )
    for i in range(shown):
        made.append(kinds[i * len(kinds) // shown if runs else i % len(kinds)])
    made += [Printed("stdout", "p" * long)] * printed
    made += [Echo("e" * long, table)] * (min(shown, 2) if table else 0)
    svg = b"<svg>" + b" " * min(16 * points, 200_000) + b"</svg>"
    made += [Figure("svg", svg, 640, 480, "t" * min(long, 10_000))] * figures
    empty = Lists([0] * (operations + 1), [])
    return Trace(
        schema=1,
        torch="2",
        options=Options(statements=statements > 0),
        cells=[Cell(source, made) for _ in range(cells)],
        notes=[Note(0, "# $x$ " + "m" * long)] * notes,
        strings=strings,
        spans=places,
        shapes=shapes,
        values=Values(
            dtype=[word["float32"]] * value_count,
            shape=[0] * value_count,
            start=[i * whole * 4 for i in range(value_count)],
            summary=[-1 if entries <= 64 else 0] * value_count,
            summaries=[(0.0, 1.0, 0.5, 1.0, 0, 0)],
            data=b"\x00\x00\x80?" * (whole * value_count),
        ),
        operations=Operations(
            name=[word[NAMES[i % len(NAMES)]] for i in range(operations)],
            function=[word[NAMES[i % len(NAMES)]] for i in range(operations)],
            span=span,
            iteration=lists([[i % 7] * deep for i in range(operations)]) if loops else empty,
            module=[word[path] if deep > 2 else -1] * operations,
            grad_enabled=[True] * operations,
            in_backward=[-1] * operations,
            inputs=lists([[(i * outputs + k) % tensors for k in range(2)] for i in range(operations)]),
            input_versions=lists([[0, 0]] * operations),
            outputs=lists([[(i * outputs + k + 1) % tensors for k in range(outputs)] for i in range(operations)]),
            error=[-1] * operations,
            frames=[-1] * operations,
            arguments=[-1] * operations,
        ),
        tensors=Tensors(
            shape=[0] * tensors,
            dtype=[word["float32"]] * tensors,
            device=[word["cpu"]] * tensors,
            requires_grad=[i % 2 == 0 for i in range(tensors)],
            is_leaf=[i % 4 == 0 for i in range(tensors)],
            is_parameter=[False] * tensors,
            storage=[1 if one_tensor else i // 2 for i in range(tensors)],
            offset=[0] * tensors,
            stride=[1] * tensors,
            grad=[-1] * tensors,
            version_start=starts,
        ),
        versions=Versions(
            version=[i % max(versions, 1) for i in range(rows_of)],
            operation=[-1 if unseen else i % max(operations, 1) if operations else -1 for i in range(rows_of)],
            value=[i % value_count for i in range(rows_of)],
            node=[i % nodes if nodes and i % 3 else -1 for i in range(rows_of)],
            output=[0 if nodes and i % 3 else -1 for i in range(rows_of)],
            seen=[i % (operations + 1) if unseen else -1 for i in range(rows_of)],
        ),
        bindings=[
            Binding(
                word_of(i),
                0 if one_tensor else i % tensors,
                -1 if unseen else i % len(places),
                i % max(operations, 1) if operations else -1,
                -1,
            )
            for i in range(names if one_tensor else names * tensors)
        ],
        nodes=Nodes(
            name=[word[NODES[i % len(NODES)]] for i in range(nodes)],
            operation=[i % operations if operations and i % 5 else -1 for i in range(nodes)],
            variable=[i % tensors if i % 5 == 0 else -1 for i in range(nodes)],
            edges=lists(edges),
            edge_inputs=lists([[0] * len(one) for one in edges]),
            values=lists([[i % value_count] for i in range(nodes)]),
            made_by=[-1] * nodes,
            user_code=[False] * nodes,
        ),
        saved=Saved(
            node=[i for i in range(nodes) for _ in range(saved)],
            name=[word["self"]] * (nodes * saved),
            tensor=[i % tensors for i in range(nodes * saved)],
            version=[0] * (nodes * saved),
            value=[-1] * (nodes * saved),
            constant=[-1] * (nodes * saved),
            storage=[i % 7 - 3 for i in range(nodes * saved)],
            size=[1 << i % 60 for i in range(nodes * saved)],
        ),
        backwards=calls,
        diagnoses=[Remark("kind")] * 2,
        limits=[Bound("nodes", 3)],
        arrays=[],
        statements=statements_of_size(statements, changes, len(places), operations, tensors, len(strings), shown, per),
    )


def statements_of_size(
    rows: int, changes: int, places: int, operations: int, tensors: int, strings: int, shown: int, backwards: int
) -> Statements:
    """Rows of every kind, deep in calls, at all places, whose names hold the same tensors and texts."""
    if not rows:
        return Statements()
    calls = rows // 4
    names = [i % strings for i in range(rows * changes)]
    return Statements(
        kind=[2 if i < calls else i % 5 for i in range(rows)],
        span=[i % places for i in range(rows)],
        call=[min(i, calls) for i in range(rows)],
        operations=[i * operations // rows for i in range(rows)],
        backwards=[i * min(backwards, 10) // rows for i in range(rows)] if operations else [0] * rows,
        cell=[0] * rows,
        outputs=[i % (shown + 1) for i in range(rows)],
        characters=[i * 7 % 1_000 for i in range(rows)],
        truth=[i % 3 - 1 for i in range(rows)],
        result=[2 * (i % strings) for i in range(rows)],
        starts=[i * changes for i in range(rows + 1)],
        name=names,
        scope=[i % (calls + 1) for i in range(rows * changes)],
        held=[2 * (i % tensors) + 1 if i % 3 else 2 * (i % strings) for i in range(rows * changes)],
        found_starts=list(range(rows + 1)),
        found=[i % tensors for i in range(rows)],
        function=[i % strings for i in range(calls + 1)],
        caller=[i - 1 for i in range(calls + 1)],
    )
