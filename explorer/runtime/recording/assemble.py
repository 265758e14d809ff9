"""From the recorder's rows to a Trace: rows become columns, ids become consecutive."""

import re
from collections.abc import Iterable
from itertools import accumulate, chain

import torch

from explorer.runtime.recording.recorder import Recorder
from explorer.runtime.recording.values import Interned
from explorer.trace import (
    NAME,
    SCHEMA,
    Array,
    Backward,
    Binding,
    Bound,
    Cell,
    Lists,
    Nodes,
    Note,
    Operations,
    Options,
    Remark,
    Saved,
    Span,
    Strided,
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
    diagnoses: Iterable[Remark] = (),
) -> Trace:
    """The Trace of what was recorded. `paths` names modules by id."""
    try:
        recorder.values.settle()
        return _Assembly(recorder, paths).trace(cells, notes, options, list(diagnoses))
    except MemoryError:  # there is a way to need less of it
        raise
    except Exception:  # what was recorded does not fit together: what the program printed stays
        recorder.forget()
        return _Assembly(recorder, paths).trace(cells, notes, options, [])


def readable(text: str) -> str:
    """The text with U+FFFD in place of lone surrogates, which no encoding carries."""
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)


_SURROGATES = re.compile("[\ud800-\udfff]")


def _columns(lists: list) -> Lists:
    return Lists(list(accumulate(map(len, lists), initial=0)), list(chain.from_iterable(lists)))


class _Ids:
    """The way from ids of rows, which count from 1, to positions in their columns; 0 and dropped rows are -1."""

    def __init__(self, rows: dict) -> None:
        self.whole = bool(rows) and next(reversed(rows)) == len(rows)  # nothing was dropped: then it is a subtraction
        self._count = len(rows)
        self._position = {} if self.whole else {index: i for i, index in enumerate(rows)}

    def __call__(self, index: int) -> int:
        if self.whole:
            return index - 1 if 0 < index <= self._count else -1
        return self._position.get(index, -1)

    def many(self, ids: Iterable[int]) -> list[int]:
        """The positions of many."""
        if self.whole:
            count = self._count
            return [index - 1 if 0 < index <= count else -1 for index in ids]
        return [self._position.get(index, -1) for index in ids]

    def lists(self, lists: list[list[int]]) -> Lists:
        """A column of lists of ids as one of positions."""
        return Lists(list(accumulate(map(len, lists), initial=0)), self.many(chain.from_iterable(lists)))

    def kept(self, ids: list[int]) -> list[int]:
        """Those that were not dropped."""
        if self.whole:
            return [index for index in ids if 0 < index <= self._count]
        return [index for index in ids if index in self._position]


class _Assembly:
    """The tables under construction and the way from row ids to positions in them."""

    def __init__(self, recorder: Recorder, paths: dict[int, str]) -> None:
        self.rows, self.spans = recorder.rows, recorder.places.spans
        self.paths = paths
        self.recorded_arrays = recorder.arrays.rows
        self.strings, self.shapes = Interned(), Interned()
        self.values = recorder.values
        self.value = _Ids(self.values.rows)
        self.operation, self.tensor = _Ids(self.rows.operations), _Ids(self.rows.tensors)
        self.node, self.backward = _Ids(self.rows.nodes), _Ids(self.rows.backwards)

    def trace(self, cells, notes, options, diagnoses) -> Trace:
        operations = self.operations()
        tensors, versions = self.tensors()
        nodes, saved = self.nodes()
        backwards = [self.one_backward(row) for row in self.rows.backwards.values()]
        bindings = self.bindings()
        limits = [Bound(kind, count) for kind, count in self.rows.counted.items() if count]
        strided = [Strided(self.tensor(i), step, self.value(value)) for i, step, value in self.rows.strided]
        arrays, values = self.arrays(), self.value_columns()
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
            strided,
            arrays,
        )

    def operations(self) -> Operations:
        rows, strings, tensor = list(self.rows.operations.values()), self.strings, self.tensor
        versions = [row.versions for row in rows]
        if not tensor.whole:
            versions = [[v for i, v in zip(row.inputs, row.versions, strict=True) if tensor(i) >= 0] for row in rows]
        return Operations(
            name=[strings[row.name[:NAME]] for row in rows],
            function=[strings[row.function[:NAME]] for row in rows],
            span=[row.span for row in rows],
            iteration=_columns([row.iteration for row in rows]),
            module=[-1 if row.module is None else strings[self.module_path(row.module)] for row in rows],
            grad_enabled=[row.grad_enabled for row in rows],
            in_backward=self.backward.many([row.in_backward for row in rows]),
            inputs=tensor.lists([tensor.kept(row.inputs) for row in rows]),
            input_versions=_columns(versions),
            outputs=tensor.lists([tensor.kept(row.outputs) for row in rows]),
            error=[strings[row.error] if row.error else -1 for row in rows],
            frames=[strings[row.frames] if row.frames else -1 for row in rows],
            arguments=[strings[row.arguments] if row.arguments else -1 for row in rows],
        )

    def module_path(self, module: object) -> str:
        return (self.paths.get(id(module)) or type(module).__name__)[:NAME]

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
            grad=self.value.many([row.grad for row in rows]),
            version_start=starts,
        )
        versions = Versions(
            version=[state.version for state in states],
            operation=self.operation.many([state.operation for state in states]),
            value=self.value.many([state.value for state in states]),
            node=self.node.many([state.node for state in states]),
            output=[state.output if state.node else -1 for state in states],
        )
        return tensors, versions

    def nodes(self) -> tuple[Nodes, Saved]:
        rows, strings, node, value = self.rows.nodes, self.strings, self.node, self.value
        nodes = Nodes(
            name=[strings[row.name[:NAME]] for row in rows.values()],
            operation=self.operation.many([row.operation for row in rows.values()]),
            variable=self.tensor.many([row.variable for row in rows.values()]),
            edges=node.lists([row.edges for row in rows.values()]),
            edge_inputs=_columns([row.edge_inputs for row in rows.values()]),
            values=value.lists([row.values for row in rows.values()]),
            made_by=self.backward.many([row.made_by for row in rows.values()]),
            user_code=[row.user_code for row in rows.values()],
        )
        kept = [(node(index), saved) for index, row in rows.items() for saved in row.saved]
        saved = Saved(
            node=[index for index, _ in kept],
            name=[strings[row.name] for _, row in kept],
            tensor=self.tensor.many([row.tensor for _, row in kept]),
            version=[row.version for _, row in kept],
            value=value.many([row.value for _, row in kept]),
            constant=[-1 if row.constant is None else strings[row.constant] for _, row in kept],
        )
        return nodes, saved

    def one_backward(self, row) -> Backward:
        node, tensor, value = self.node, self.tensor, self.value
        rows = self.rows.nodes
        steps = [(index, arrived) for index, arrived in zip(row.order, row.arrived, strict=True) if index in rows]
        given = [given for given in row.contributions if given[0] in rows]
        leaves = [
            (tensor(rows[index].variable), value(before), value(after))
            for index, (before, after) in row.accumulations.items()
            if index in rows and tensor(rows[index].variable) >= 0
        ]
        ran = [index for index, _ in steps if index not in row.captured and index != row.failed_node]
        freed = [] if row.retain_graph else [node(index) for index in ran if rows[index].holds]
        return Backward(
            kind=row.kind,
            span=row.span,
            roots=node.many(row.roots),
            root_tensors=tensor.many(row.root_tensors),
            seeds=value.many(row.seeds),
            inputs=tensor.many(row.inputs),
            retain_graph=row.retain_graph,
            create_graph=row.create_graph,
            order=node.many([index for index, _ in steps]),
            arrived=value.lists([arrived for _, arrived in steps]),
            contribution_from=node.many([consumer for consumer, _, _ in given]),
            contribution_edge=[edge for _, edge, _ in given],
            contribution_value=value.many([i for _, _, i in given]),
            accumulated=[leaf for leaf, _, _ in leaves],
            before=[before for _, before, _ in leaves],
            after=[after for _, _, after in leaves],
            freed=freed,
            status=row.status,
            failed_node=node(row.failed_node),
            error=self.strings[row.error] if row.error else -1,
            operations=row.operations,
            inside=self.backward(row.inside),
        )

    def bindings(self) -> list[Binding]:
        """Names of functions first, so that a later look-up finds the module level's own last."""
        ordered = sorted(self.rows.bindings, key=lambda row: row.scope == "")
        return [
            Binding(
                row.name,
                self.tensor(row.tensor),
                row.span,
                self.operation(row.start),
                self.operation(row.until),
            )
            for row in ordered
            if row.tensor in self.rows.tensors
        ]

    def arrays(self) -> list[Array]:
        """Names of NumPy arrays in the memory of tensors that are still there."""
        shapes, operation = self.shapes, self.operation
        kept = {row.storage for row in self.rows.tensors.values()}
        return [
            Array(
                readable(row.name),
                row.storage,
                row.offset,
                shapes[row.shape],
                shapes[row.stride],
                row.dtype,
                operation(row.start),
                operation(row.until),
            )
            for row in self.recorded_arrays
            if row.storage in kept
        ]

    def value_columns(self) -> Values:
        rows = list(self.values.rows.values())
        names = {dtype: self.strings[_dtype_name(dtype)] for dtype in {row.dtype for row in rows}}
        shapes = self.shapes
        data = [row.data or b"" for row in rows]
        ends = accumulate(map(len, data), initial=0)
        summaries = [row.summary for row in rows if row.summary is not None]
        numbers = iter(range(len(summaries)))
        return Values(
            dtype=[names[row.dtype] for row in rows],
            shape=[shapes[row.shape] for row in rows],
            start=[-1 if row.data is None else end for row, end in zip(rows, ends, strict=False)],
            summary=[-1 if row.summary is None else next(numbers) for row in rows],
            summaries=summaries,
            data=b"".join(data),
        )


def _dtype_name(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
