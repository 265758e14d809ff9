"""The names in the failing expression of a program, with their values.

No code of the program is run: only names and stored attributes are read.
"""

import ast
import itertools
import linecache
from collections.abc import Callable, Iterator
from types import FrameType, TracebackType

import torch

from explorer.runtime.recorder.faults import reraise_recorder_error
from explorer.runtime.recorder.object_contents import read_path
from explorer.runtime.recorder.source import path_of
from explorer.trace import Operand

_LONGEST = 60  # characters of a name
_LINES = 20  # lines of a readable expression
_NAMES = 20  # names listed
_PARTS = 8  # entries listed per tuple


def operands_at(traceback: TracebackType | None, is_own: Callable[[str], bool]) -> list[Operand]:
    """Return the names and values in the innermost failed expression."""
    innermost = _innermost(traceback, is_own)
    if innermost is None:
        return []
    frame = innermost.tb_frame
    try:
        expression = _expression(frame, innermost.tb_lasti)
        return list(itertools.islice(_operands(expression, frame), _NAMES)) if expression is not None else []
    except Exception as problem:
        reraise_recorder_error(problem)
        return []


def _innermost(traceback: TracebackType | None, is_own: Callable[[str], bool]) -> TracebackType | None:
    """Return the innermost traceback entry of the program's own lines."""
    innermost = None
    while traceback is not None:
        if is_own(traceback.tb_frame.f_code.co_filename):
            innermost = traceback
        traceback = traceback.tb_next
    return innermost


def _operands(expression: ast.expr, frame: FrameType) -> Iterator[Operand]:
    called = {id(node.func) for node in ast.walk(expression) if isinstance(node, ast.Call)}
    todo: list[ast.AST] = [expression]
    seen = set()
    while todo:
        node = todo.pop(0)
        value: object = None
        if isinstance(node, ast.Name) and {**frame.f_globals, **frame.f_locals}.get(node.id, "") is None:
            yield Operand(node.id, id(node) in called, "NoneType")
        if isinstance(node, ast.Name | ast.Attribute | ast.Subscript):
            value = _value(node, frame)
        name = ast.unparse(node) if value is not None else ""
        if value is not None and len(name) <= _LONGEST and name not in seen:
            seen.add(name)
            count = len(value) if isinstance(value, tuple | list | dict) else 0
            yield Operand(name, id(node) in called, type_name(value), _parts(value), count)
        elif not isinstance(node, ast.Lambda | ast.GeneratorExp | ast.ListComp):
            todo += ast.iter_child_nodes(node)


def type_name(value: object) -> str:
    """Return a type's name, for torch's named tuples with their module."""
    kind = type(value)
    return f"return_types.{kind.__name__}"[:100] if kind.__module__ == "torch.return_types" else kind.__name__[:100]


def _parts(value: object) -> list[str]:
    if isinstance(value, dict):
        return [key[:_LONGEST] for key in itertools.islice(dict.keys(value), _PARTS) if type(key) is str]
    if type(value) not in (tuple, list) and not type_name(value).startswith("return_types."):
        return []
    first = list(itertools.islice(iter(value), _PARTS))  # type: ignore[call-overload]
    return [str(tuple(part.shape)) if isinstance(part, torch.Tensor) else type_name(part) for part in first]


def _expression(frame: FrameType, instruction: int) -> ast.expr | None:
    """Return the expression at an instruction."""
    positions = list(frame.f_code.co_positions())[instruction // 2]
    line, end_line, column, end_column = positions
    if line is None or end_line is None or column is None or end_column is None or end_line - line > _LINES:
        return None
    lines = [linecache.getline(frame.f_code.co_filename, at).encode() for at in range(line, end_line + 1)]
    lines[-1] = lines[-1][:end_column]
    lines[0] = lines[0][column:]
    text = b"".join(lines).decode()
    return ast.parse(f"({text.strip()})", mode="eval").body if len(text) < 500 else None


def _value(expression: ast.expr, frame: FrameType) -> object:
    path = path_of(expression)
    return None if path is None else read_path(path, frame.f_locals, frame.f_globals)
