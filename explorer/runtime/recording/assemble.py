"""From the recorder's rows to a Trace: rows become columns, ids become consecutive."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from itertools import accumulate, chain, pairwise

import torch

from explorer.runtime.recording.recorder import Recorder
from explorer.runtime.recording.step_columns import columns_of, left_out
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
    """The way from ids of rows, which count from 1, to positions in their columns; 0 and dropped rows are -1.

    `given` is how many ids were given out.
    """

    def __init__(self, rows: dict, given: int) -> None:
        self.whole = len(rows) == given  # nothing was dropped
        self._position = {} if self.whole else {index: i for i, index in enumerate(rows)}
        # Sooner than arithmetic on each; the last entry is for -1, as what a dropped node is known.
        self._positions = [-1, *range(given), -1] if self.whole else []

    def __call__(self, index: int) -> int:
        return self._positions[index] if self.whole else self._position.get(index, -1)

    def many(self, ids: Iterable[int]) -> list[int]:
        """The positions of many."""
        if self.whole:
            return list(map(self._positions.__getitem__, ids))
        return [self._position.get(index, -1) for index in ids]

    def lists(self, lists: list[list[int]]) -> Lists:
        """A column of lists of ids as one of positions."""
        return Lists(list(accumulate(map(len, lists), initial=0)), self.many(chain.from_iterable(lists)))

    def kept(self, lists: list[list[int]]) -> list[list[int]]:
        """Lists of ids without those that were dropped."""
        return lists if self.whole else [[index for index in ids if index in self._position] for ids in lists]


class _NameIndex(Interned):
    """The index of each name in the Trace's strings, as long as it may be there."""

    def __init__(self, strings: Interned) -> None:
        super().__init__()
        self._strings = strings

    def __missing__(self, name: str) -> int:
        self[name] = index = self._strings[name[:NAME]]
        return index


class _Assembly:
    """The tables under construction and the way from row ids to positions in them."""

    def __init__(self, recorder: Recorder, paths: dict[int, str]) -> None:
        self.recorder = recorder
        self.rows, self.spans = recorder.rows, recorder.places.spans
        self.paths = paths
        self.recorded_arrays = recorder.arrays.rows
        self.strings, self.shapes = Interned(), Interned()
        self.values = recorder.values
        self.names = _NameIndex(self.strings)
        self.value = _Ids(self.values.rows, self.values.count)
        self.operation = _Ids(self.rows.operations, recorder.operation_count)
        self.tensor = _Ids(self.rows.tensors, recorder.tensors.count)
        self.begun = list(self.rows.operations)  # their numbers, in order
        gaps = (after for before, after in pairwise([0, *self.begun]) if after != before + 1)
        self.all_kept_from = max(gaps, default=0)  # the first operation after the last that was dropped
        self.node = _Ids(self.rows.nodes, recorder.nodes.count)
        self.backward = _Ids(self.rows.backwards, recorder.backward_count)

    def trace(self, cells, notes, options, diagnoses) -> Trace:
        operations = self.operations()
        tensors, versions = self.tensors()
        nodes, saved = self.nodes()
        backwards = [self.one_backward(row) for row in self.rows.backwards.values()]
        bindings = self.bindings()
        training = self.recorder.training
        steps = columns_of(training, self.rows.bindings, self.strings, self.shapes, self.tensor, self.backward)
        counted = self.rows.counted | {"steps": left_out(training), "leaves": training.left_out}
        limits = [Bound(kind, count) for kind, count in counted.items() if count]
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
            [_numbers(shape) for shape in self.shapes],
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
            steps=steps,
        )

    def operations(self) -> Operations:
        rows, strings, tensor = list(self.rows.operations.values()), self.strings, self.tensor
        names = self.names
        versions = [row.versions for row in rows]
        if not tensor.whole:
            versions = [[v for i, v in zip(row.inputs, row.versions, strict=True) if tensor(i) >= 0] for row in rows]
        return Operations(
            name=[names[row.name] for row in rows],
            function=[names[row.function] for row in rows],
            span=[row.span for row in rows],
            iteration=_columns([row.iteration for row in rows]),
            module=[-1 if row.module is None else strings[self.module_path(row.module)] for row in rows],
            grad_enabled=[row.grad_enabled for row in rows],
            in_backward=self.backward.many([row.in_backward for row in rows]),
            inputs=tensor.lists(tensor.kept([row.inputs for row in rows])),
            input_versions=_columns(versions),
            outputs=tensor.lists(tensor.kept([row.outputs for row in rows])),
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
            seen=[bisect_left(self.begun, state.seen) if state.seen else -1 for state in states],
        )
        return tensors, versions

    def nodes(self) -> tuple[Nodes, Saved]:
        strings, names, node, value = self.strings, self.names, self.node, self.value
        rows = list(self.rows.nodes.values())
        nodes = Nodes(
            name=[names[row.name] for row in rows],
            operation=self.operation.many([row.operation for row in rows]),
            variable=self.tensor.many([row.variable for row in rows]),
            edges=node.lists([row.edges for row in rows]),
            edge_inputs=_columns([row.edge_inputs for row in rows]),
            values=value.lists([row.values for row in rows]),
            made_by=self.backward.many([row.made_by for row in rows]),
            user_code=[row.user_code for row in rows],
        )
        kept = [(at, saved) for at, row in enumerate(rows) if row.saved for saved in row.saved]
        # Inside one call an address is one piece of memory; of others it may be used again.
        hidden: dict[tuple[int, int], int] = {}
        storages = [
            hidden.setdefault((row.operation, saved.storage), -2 - len(hidden)) if saved.storage < 0 else saved.storage
            for row in rows
            if row.saved
            for saved in row.saved
        ]
        saved = Saved(
            node=[index for index, _ in kept],
            name=[strings[row.name] for _, row in kept],
            tensor=self.tensor.many([row.tensor for _, row in kept]),
            version=[row.version for _, row in kept],
            value=value.many([row.value for _, row in kept]),
            constant=[-1 if row.constant is None else strings[row.constant] for _, row in kept],
            storage=[number or -1 for number in storages],
            size=[row.size for _, row in kept],
        )
        return nodes, saved

    def one_backward(self, row) -> Backward:
        node, tensor, value = self.node, self.tensor, self.value
        rows = self.rows.nodes
        steps = [(index, arrived) for index, arrived in zip(row.order, row.arrived, strict=True) if index in rows]
        given = [given for given in row.contributions if given[0] in rows]
        given += self.doubtful([index for index, _ in steps], {(index, edge) for index, edge, _ in given})
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
            operations=bisect_right(self.begun, row.operations),
            inside=self.backward(row.inside),
        )

    def doubtful(self, order: list[int], given: set[tuple[int, int]]) -> list[tuple[int, int, int]]:
        """Contributions that are not known, where dropped nodes may have used the same output.

        Otherwise a reader of the Trace takes what the only edge to an output passed on for all that arrived there.
        """
        if not self.all_kept_from:
            return []
        rows = self.rows.nodes
        return [
            (index, edge, 0)
            for index in order
            for edge, below in enumerate(rows[index].edges)
            if below in rows and rows[below].operation < self.all_kept_from and (index, edge) not in given
        ]

    def bindings(self) -> list[Binding]:
        """Names of functions first, so that a later look-up finds the module level's own last."""
        ordered = sorted(self.rows.bindings, key=lambda row: row.scope == "")
        return [
            Binding(
                row.name,
                self.tensor(row.tensor),
                row.span,
                self.moment(row.start),
                self.moment(row.until),
            )
            for row in ordered
            if row.tensor in self.rows.tensors
        ]

    def moment(self, index: int) -> int:
        """The position of an operation or, where it was dropped, of the first kept after it; -1 where none was."""
        at = bisect_left(self.begun, index) if index > 0 else -1
        return at if at < len(self.begun) else -1

    def arrays(self) -> list[Array]:
        """Names of NumPy arrays in the memory of tensors that are still there."""
        shapes = self.shapes
        kept = {row.storage for row in self.rows.tensors.values()}
        return [
            Array(
                readable(row.name),
                row.storage,
                row.offset,
                shapes[row.shape],
                shapes[row.stride],
                row.dtype,
                self.moment(row.start),
                self.moment(row.until),
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


def _numbers(shape) -> list[int]:
    """A shape as numbers; none where a size is no number, as in a nested tensor, whose rows differ."""
    return list(shape) if all(type(size) is int for size in shape) else []
