"""Rows for a Trace's operations, nodes and tensors: `trace.operations[3].inputs`."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatchcase
from html import escape
from typing import Any, Generic, TypeVar, overload

from explorer.analysis.explain.autograd.gradients import node_gradients, selected_backward
from explorer.analysis.explain.autograd.reasons import tensor_gradient
from explorer.analysis.run.model import one_line, run_of
from explorer.analysis.run.names import name_of
from explorer.api.arguments import short
from explorer.text import say
from explorer.text.numbers import shorten, sizes, visible
from explorer.trace import Nodes, Operations, Records, Tensors, Trace, Value

MOST_SHOWN = 40  # rows that a notebook shows
_CODE = 60  # characters of an operation's text in a line
_STYLE = "text-align:left"

Item = TypeVar("Item")
RowType = TypeVar("RowType", bound="Row")


class Row(ABC):
    """A row of a Trace.

    Attributes: index: its number in the Trace. name, module: of the thing and of the module that created it, or "".
    """

    __slots__ = ("_trace", "index")
    name: "Column[str]"
    module: "Column[str]"

    def __init__(self, trace: Trace, index: int) -> None:
        self._trace, self.index = trace, index

    @abstractmethod
    def cells(self) -> dict[str, str]:
        """Return the table cells."""

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Row)
            and (type(self), self.index) == (type(other), other.index)
            and (self._trace is other._trace)
        )

    def __hash__(self) -> int:
        return hash((type(self), self.index))

    def __repr__(self) -> str:
        words = ", ".join(f"{cell}" for cell in self.cells().values() if cell)
        return f"<{type(self).__name__.removesuffix('Row')} {self.index}: {words}>"

    def _repr_html_(self) -> str:
        return _table([self])


class Column(Generic[Item]):
    """An attribute of a row that is read from the Trace."""

    def __init__(self, read: Callable[[Trace, int], Item], doc: str) -> None:
        self._read, self.__doc__ = read, doc

    def __get__(self, row: Row | None, kind: type) -> Item:
        return self if row is None else self._read(row._trace, row.index)  # type: ignore[return-value]


def _tensors(trace: Trace, ids: Sequence[int]) -> "tuple[TensorRow, ...]":
    return tuple(TensorRow(trace, i) for i in ids)


def _nodes(trace: Trace, operation: int) -> "tuple[NodeRow, ...]":
    return tuple(NodeRow(trace, i) for i, made in enumerate(trace.nodes.operation) if made == operation)


def _operation(trace: Trace, made: int) -> "OperationRow | None":
    return None if made < 0 else OperationRow(trace, made)


def _module(trace: Trace, made: int) -> str:
    return "" if made < 0 else trace.string(trace.operations.module[made]) or ""


def _gradient(trace: Trace, node: int) -> Value | None:
    arrived = node_gradients(trace, selected_backward(trace))[node]
    return trace.value(arrived[0]) if arrived else None


class OperationRow(Row):
    """A torch call."""

    name = Column(lambda trace, at: trace.strings[trace.operations.name[at]], 'Short name, such as "relu".')
    module = Column(_module, 'Path of the module whose forward ran it, or "".')
    code = Column(lambda trace, at: trace.text(trace.operations.span[at]), "Text in the program.")
    line = Column(lambda trace, at: trace.line(trace.operations.span[at]), "Line on which it begins, 0 if unknown.")
    inputs = Column(lambda trace, at: _tensors(trace, trace.operations.inputs[at]), "Input tensors.")
    outputs = Column(lambda trace, at: _tensors(trace, trace.operations.outputs[at]), "Output tensors.")
    error = Column(lambda trace, at: trace.string(trace.operations.error[at]) or "", 'Type of its exception, or "".')
    nodes = Column(_nodes, "Graph nodes that it created.")

    def cells(self) -> dict[str, str]:
        """Return the table cells."""
        line = f"line {self.line}" if self.line else ""
        code = shorten(one_line(self.code), _CODE)
        return {"name": self.name, "code": code, "line": line, "module": self.module, "error": self.error}


class TensorRow(Row):
    """A tensor that the program touched."""

    name = Column(lambda trace, at: name_of(run_of(trace), at), 'Name in the program, path of a parameter, or "".')
    module = Column(lambda trace, at: _module(trace, trace.maker(at)), 'Path of the module that created it, or "".')
    operation = Column(lambda trace, at: _operation(trace, trace.maker(at)), "Operation that created it, or None.")
    shape = Column(lambda trace, at: tuple(trace.shapes[trace.tensors.shape[at]]), "Sizes.")
    dtype = Column(lambda trace, at: trace.strings[trace.tensors.dtype[at]], 'Dtype, such as "float32".')
    device = Column(lambda trace, at: trace.strings[trace.tensors.device[at]], "Device.")
    requires_grad = Column(lambda trace, at: trace.tensors.requires_grad[at], "Whether it requires a gradient.")
    is_leaf = Column(lambda trace, at: trace.tensors.is_leaf[at], "Whether it is a leaf.")
    is_parameter = Column(lambda trace, at: trace.tensors.is_parameter[at], "Whether it is an nn.Parameter.")
    value = Column(lambda trace, at: trace.latest(at), "Last value.")
    gradient = Column(
        lambda trace, at: trace.value(tensor_gradient(trace, at, selected_backward(trace))[0]),
        "Gradient in the default backward, or None.",
    )

    def cells(self) -> dict[str, str]:
        """Return the table cells."""
        grad = "requires_grad" if self.requires_grad else ""
        return {"name": self.name, "shape": sizes(self.shape), "dtype": self.dtype, "gradient": grad}


class NodeRow(Row):
    """A node of the autograd graph."""

    name = Column(lambda trace, at: trace.strings[trace.nodes.name[at]], 'torch\'s own name, such as "MulBackward0".')
    module = Column(lambda trace, at: _module(trace, trace.nodes.operation[at]), 'Path of its module, or "".')
    operation = Column(
        lambda trace, at: _operation(trace, trace.nodes.operation[at]), "Operation that created it, or None."
    )
    variable = Column(
        lambda trace, at: None if (leaf := trace.nodes.variable[at]) < 0 else TensorRow(trace, leaf),
        "Leaf of an AccumulateGrad node, otherwise None.",
    )
    next = Column(
        lambda trace, at: tuple(None if i < 0 else NodeRow(trace, i) for i in trace.nodes.edges[at]),
        "Nodes that its gradients flow to, like torch's `next_functions`.",
    )
    gradient = Column(_gradient, "Gradient that reached its first output in the default backward, or None.")

    def cells(self) -> dict[str, str]:
        """Return the table cells."""
        made = self.operation
        code = shorten(one_line(made.code), _CODE) if made else self.variable.name if self.variable else ""
        line = f"line {made.line}" if made and made.line else ""
        return {"name": self.name, "code": code, "line": line, "module": self.module}


class Rows(Sequence[RowType], Generic[RowType]):
    """Rows in Trace order, by index, slice or loop, or filtered with `where`."""

    def __init__(self, trace: Trace, kind: Callable[[Trace, int], RowType], indices: Sequence[int]) -> None:
        self._trace, self._kind, self._indices = trace, kind, indices

    def __len__(self) -> int:
        return len(self._indices)

    def __iter__(self) -> Iterator[RowType]:
        return (self._kind(self._trace, index) for index in self._indices)

    @overload
    def __getitem__(self, asked: int) -> RowType: ...
    @overload
    def __getitem__(self, asked: slice) -> "Rows[RowType]": ...
    def __getitem__(self, asked: Any) -> Any:
        if isinstance(asked, slice):
            return Rows(self._trace, self._kind, self._indices[asked])
        if isinstance(asked, bool) or not isinstance(asked, int):
            raise TypeError(say("en", "api-row", given=short(asked)))
        if not -len(self) <= asked < len(self):
            raise IndexError(say("en", "api-no-row", index=asked, count=len(self), last=len(self) - 1))
        return self._kind(self._trace, self._indices[asked])

    def where(self, name: str = "*", module: str = "*") -> "Rows[RowType]":
        """Filter rows by patterns: `where(name="*relu*")`, `where(module="blocks.0.*")`.

        A module pattern includes submodules. The first part of the path is optional.
        """
        for pattern in (name, module):
            if not isinstance(pattern, str):
                raise TypeError(say("en", "api-pattern", given=short(pattern)))
        indices = [row.index for row in self if fnmatchcase(row.name, name) and _inside(row.module, module)]
        return Rows(self._trace, self._kind, indices)

    def __repr__(self) -> str:
        shown = [repr(row) for row in self[:MOST_SHOWN]]
        more = [f"… {len(self) - MOST_SHOWN} more"] if len(self) > MOST_SHOWN else []
        return "\n".join([*shown, *more]) or "<no rows>"

    def _repr_html_(self) -> str:
        more = f"<p>… {len(self) - MOST_SHOWN} more</p>" if len(self) > MOST_SHOWN else ""
        return _table(self[:MOST_SHOWN]) + more


class _Columns(Generic[RowType]):
    """A table of columns with rows. Its Trace is in `__dict__`."""

    _kind: Callable[[Trace, int], Any]

    @property
    def _rows(self) -> Rows[RowType]:
        return Rows(self.__dict__["trace"], type(self)._kind, range(len(self)))  # type: ignore[arg-type]

    def __iter__(self) -> Iterator[RowType]:
        return iter(self._rows)

    @overload
    def __getitem__(self, asked: int) -> RowType: ...
    @overload
    def __getitem__(self, asked: slice) -> Rows[RowType]: ...
    def __getitem__(self, asked: Any) -> Any:
        return self._rows[asked]

    def where(self, name: str = "*", module: str = "*") -> Rows[RowType]:
        """Filter rows by name and module, like `Rows.where`."""
        return self._rows.where(name, module)

    def __repr__(self) -> str:
        return repr(self._rows)

    def _repr_html_(self) -> str:
        return self._rows._repr_html_()


class OperationTable(_Columns[OperationRow], Operations, frozen=True, dict=True):
    """The torch calls in the order they began: columns, and rows by index."""

    _kind = OperationRow


class NodeTable(_Columns[NodeRow], Nodes, frozen=True, dict=True):
    """The nodes of the autograd graph: columns, and rows by index."""

    _kind = NodeRow


class TensorTable(_Columns[TensorRow], Tensors, frozen=True, dict=True):
    """The tensors the program touched: columns, and rows by index."""

    _kind = TensorRow


class CountedList(list[Item]):
    """A list with short reprs whose IndexError states the length."""

    def __getitem__(self, asked: Any) -> Any:
        try:
            return super().__getitem__(asked)
        except IndexError:
            raise IndexError(say("en", "api-no-row", index=asked, count=len(self), last=len(self) - 1)) from None

    def __repr__(self) -> str:
        more = [f"… {len(self) - MOST_SHOWN} more"] if len(self) > MOST_SHOWN else []
        return "\n".join([*(shorten(repr(item), 2 * _CODE) for item in self[:MOST_SHOWN]), *more]) or "<no items>"


def table(trace: Trace, kind: type, column: str) -> Any:
    """Return one of a Trace's tables as rows."""
    columns = getattr(Records, column).__get__(trace)  # bypasses this table, which `trace.nodes` may already be
    made = kind(*(getattr(columns, name) for name in columns.__struct_fields__))
    made.__dict__["trace"] = trace
    return made


def _inside(module: str, pattern: str) -> bool:
    """Return whether a path or one of its enclosing modules matches a pattern.

    >>> _inside("net.blocks.0.attn", "blocks.0"), _inside("net.blocks.1", "blocks.0"), _inside("", "*")
    (True, False, True)
    """
    if pattern == "*":
        return True
    parts = module.split(".")
    paths = [parts[first:last] for first in range(min(2, len(parts))) for last in range(first + 1, len(parts) + 1)]
    return any(fnmatchcase(".".join(path), pattern) for path in paths)


def _table(rows: Sequence[Row]) -> str:
    if not rows:
        return "<p>—</p>"
    heads = "".join(f'<th scope="col" style="{_STYLE}">{escape(head)}</th>' for head in ("", *rows[0].cells()))
    lines = [(str(row.index), *row.cells().values()) for row in rows]
    cells = ("".join(f'<td style="{_STYLE}">{escape(visible(cell))}</td>' for cell in line) for line in lines)
    body = "".join(f"<tr>{line}</tr>" for line in cells)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"
