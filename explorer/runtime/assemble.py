"""From the recorder's rows to a Trace: rows become columns, ids become consecutive, only values that are used are kept."""

from collections.abc import Iterable
from itertools import accumulate, chain

import torch

from explorer.runtime.recorder import Recorder
from explorer.runtime.values import Interned, ValueStore
from explorer.trace import (
    SCHEMA,
    Backward,
    Binding,
    Bound,
    Cell,
    Diagnosis,
    Lists,
    Nodes,
    Note,
    Operations,
    Options,
    Saved,
    Span,
    Tensors,
    Trace,
    Values,
    Versions,
)


def assemble(
    recorder: Recorder,
    cells: list[Cell],
    notes: list[Note],
    options: Options,
    paths: dict[int, str],
    diagnoses: Iterable[Diagnosis] = (),
) -> Trace:
    """The Trace of what was recorded. `paths` names modules by id."""
    return _Assembly(recorder, paths).trace(cells, notes, options, list(diagnoses))


def readable(text: str) -> str:
    """The same text without lone surrogates, which no encoding carries."""
    return text.encode("utf-8", "replace").decode() if not text.isascii() else text


def _columns(lists: list) -> Lists:
    return Lists(list(accumulate(map(len, lists), initial=0)), list(chain.from_iterable(lists)))


def _mapped(lists: list[list[int]], position: dict[int, int], drop: bool = False) -> Lists:
    """A column of lists of ids as one of positions; an id without one becomes -1, or goes if `drop`."""
    if drop and not all(index in position for index in chain.from_iterable(lists)):
        lists = [[index for index in ids if index in position] for ids in lists]
    items = [position.get(index, -1) for index in chain.from_iterable(lists)]
    return Lists(list(accumulate(map(len, lists), initial=0)), items)


class _Assembly:
    """The tables under construction and the way from row ids to positions in them."""

    def __init__(self, recorder: Recorder, paths: dict[int, str]) -> None:
        self.rows, self.spans = recorder.rows, recorder.places.spans
        self.paths = paths
        self.strings, self.shapes = Interned(), Interned()
        self.values = _ValueTable(recorder.values)
        self.value = self.values.position
        self.operation = {index: i for i, index in enumerate(self.rows.operations)}
        self.tensor = {index: i for i, index in enumerate(self.rows.tensors)}
        self.node = {index: i for i, index in enumerate(self.rows.nodes)}
        self.backward = {index: i for i, index in enumerate(self.rows.backwards)}

    def trace(self, cells, notes, options, diagnoses) -> Trace:
        operations = self.operations()
        tensors, versions = self.tensors()
        nodes, saved = self.nodes()
        backwards = [self.one_backward(row) for row in self.rows.backwards.values()]
        bindings = self.bindings()
        limits = [Bound(kind, count) for kind, count in self.rows.counted.items() if count]
        values = self.values.columns(self.strings, self.shapes)
        return Trace(
            SCHEMA,
            str(torch.__version__),
            options,
            cells,
            notes,
            [readable(text) for text in self.strings],
            [Span(*span) for span in self.spans],
            [list(shape) for shape in self.shapes],
            values,
            operations,
            tensors,
            versions,
            bindings,
            nodes,
            saved,
            backwards,
            diagnoses,
            limits,
        )

    def operations(self) -> Operations:
        rows, strings, tensor = list(self.rows.operations.values()), self.strings, self.tensor
        inputs = [(tensor[i], v) for row in rows for i, v in zip(row.inputs, row.versions, strict=True) if i in tensor]
        counts = [len(row.inputs) for row in rows]
        if len(inputs) < sum(counts):
            counts = [sum(i in tensor for i in row.inputs) for row in rows]
        starts = list(accumulate(counts, initial=0))
        return Operations(
            name=[strings[row.name] for row in rows],
            function=[strings[row.function] for row in rows],
            span=[row.span for row in rows],
            iteration=_columns([row.iteration for row in rows]),
            module=[-1 if row.module is None else strings[self.module_path(row.module)] for row in rows],
            grad_enabled=[row.grad_enabled for row in rows],
            in_backward=[self.backward.get(row.in_backward, -1) for row in rows],
            inputs=Lists(starts, [i for i, _ in inputs]),
            input_versions=Lists(starts, [version for _, version in inputs]),
            outputs=_mapped([row.outputs for row in rows], tensor, drop=True),
            error=[strings[row.error] if row.error else -1 for row in rows],
            frames=[strings[row.frames] if row.frames else -1 for row in rows],
        )

    def module_path(self, module: object) -> str:
        return self.paths.get(id(module)) or type(module).__name__

    def tensors(self) -> tuple[Tensors, Versions]:
        rows, strings, shapes = list(self.rows.tensors.values()), self.strings, self.shapes
        starts = list(accumulate((len(row.versions) for row in rows), initial=0))
        states = [state for row in rows for state in row.versions]
        names = {dtype: strings[_dtype_name(dtype)] for dtype in {row.dtype for row in rows}}
        devices = {device: strings[str(device)] for device in {row.device for row in rows}}
        tensors = Tensors(
            shape=[shapes[row.shape] for row in rows],
            dtype=[names[row.dtype] for row in rows],
            device=[devices[row.device] for row in rows],
            requires_grad=[row.requires_grad for row in rows],
            is_leaf=[row.is_leaf for row in rows],
            is_parameter=[row.is_parameter for row in rows],
            storage=[row.storage or -1 for row in rows],
            offset=[row.offset for row in rows],
            stride=[shapes[row.stride] for row in rows],
            grad=[self.value.get(row.grad, -1) for row in rows],
            version_start=starts,
        )
        versions = Versions(
            version=[state.version for state in states],
            operation=[self.operation.get(state.operation, -1) for state in states],
            value=[self.value.get(state.value, -1) for state in states],
            node=[self.node.get(state.node, -1) for state in states],
            output=[state.output if state.node in self.node else -1 for state in states],
        )
        return tensors, versions

    def nodes(self) -> tuple[Nodes, Saved]:
        rows, strings, node, value = self.rows.nodes, self.strings, self.node, self.value
        nodes = Nodes(
            name=[strings[row.name] for row in rows.values()],
            operation=[self.operation.get(row.operation, -1) for row in rows.values()],
            variable=[self.tensor.get(row.variable, -1) for row in rows.values()],
            edges=_mapped([row.edges for row in rows.values()], node),
            edge_inputs=_columns([row.edge_inputs for row in rows.values()]),
            values=_mapped([row.values for row in rows.values()], value),
            made_by=[self.backward.get(row.made_by, -1) for row in rows.values()],
            user_code=[row.user_code for row in rows.values()],
        )
        kept = [(node[index], saved) for index, row in rows.items() for saved in row.saved]
        saved = Saved(
            node=[index for index, _ in kept],
            name=[strings[row.name] for _, row in kept],
            tensor=[self.tensor.get(row.tensor, -1) for _, row in kept],
            version=[row.version for _, row in kept],
            value=[value.get(row.value, -1) for _, row in kept],
            constant=[-1 if row.constant is None else strings[row.constant] for _, row in kept],
        )
        return nodes, saved

    def one_backward(self, row) -> Backward:
        node, tensor, value = self.node, self.tensor, self.value.get
        steps = [(node[index], arrived) for index, arrived in zip(row.order, row.arrived, strict=True) if index in node]
        given = [(node[consumer], edge, value(i, -1)) for consumer, edge, i in row.contributions if consumer in node]
        leaves = [
            (tensor[self.rows.nodes[index].variable], value(before, -1), value(after, -1))
            for index, (before, after) in row.accumulations.items()
            if index in node and self.rows.nodes[index].variable in tensor
        ]
        nodes = self.rows.nodes
        holding = [i for i in row.order if i in node and nodes[i].holds and i not in row.captured]
        freed = [] if row.retain_graph else [node[i] for i in holding if i != row.failed_node]
        return Backward(
            kind=row.kind,
            span=row.span,
            roots=[node.get(root, -1) for root in row.roots],
            root_tensors=[tensor.get(root, -1) for root in row.root_tensors],
            seeds=[value(seed, -1) for seed in row.seeds],
            inputs=[tensor.get(i, -1) for i in row.inputs],
            retain_graph=row.retain_graph,
            create_graph=row.create_graph,
            order=[index for index, _ in steps],
            arrived=_mapped([arrived for _, arrived in steps], self.value),
            contribution_from=[consumer for consumer, _, _ in given],
            contribution_edge=[edge for _, edge, _ in given],
            contribution_value=[i for _, _, i in given],
            accumulated=[leaf for leaf, _, _ in leaves],
            before=[before for _, before, _ in leaves],
            after=[after for _, _, after in leaves],
            freed=freed,
            status=row.status,
            failed_node=node.get(row.failed_node, -1),
            error=self.strings[row.error] if row.error else -1,
            operations=row.operations,
            inside=self.backward.get(row.inside, -1),
        )

    def bindings(self) -> list[Binding]:
        """Names of functions first, so that a later look-up finds the module level's own last."""
        ordered = sorted(self.rows.bindings, key=lambda row: row.scope == "")
        return [
            Binding(
                row.name,
                self.tensor[row.tensor],
                row.span,
                self.operation.get(row.start, -1),
                self.operation.get(row.until, -1),
            )
            for row in ordered
            if row.tensor in self.tensor
        ]


class _ValueTable:
    """The kept values in the order they were taken. Attributes: position: of a value by its id; none (0) is -1."""

    def __init__(self, store: ValueStore) -> None:
        self.rows = list(store.rows.values())
        self.position = dict(zip(store.rows, range(len(self.rows)), strict=True))
        self.position[0] = -1

    def columns(self, strings: Interned, shapes: Interned) -> Values:
        rows = self.rows
        names = {dtype: strings[_dtype_name(dtype)] for dtype in {row.dtype for row in rows}}
        data = [row.data or b"" for row in rows]
        ends = accumulate(map(len, data), initial=0)
        start = [-1 if row.data is None else end for row, end in zip(rows, ends, strict=False)]
        summaries = [row.summary for row in rows if row.summary is not None]
        numbers = iter(range(len(summaries)))
        return Values(
            dtype=[names[row.dtype] for row in rows],
            shape=[shapes[row.shape] for row in rows],
            start=start,
            summary=[-1 if row.summary is None else next(numbers) for row in rows],
            summaries=summaries,
            data=b"".join(data),
        )


def _dtype_name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
