"""A debugger's view of a program in plain Python: the names in each call after each line."""

import ast
import contextlib
import io
import sys
import types
from collections.abc import Callable
from typing import Any

import torch

from explorer.runtime.recorder.plain_values import plain_text

Snapshot = dict[str, Any]
_SILENT = (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type, types.MethodType)


def followed(source: str) -> dict[int, list[tuple[int, Snapshot]]]:
    """Return each ended line and the call's names, in order, by call (0: the program)."""
    seen: dict[int, list[tuple[int, Snapshot]]] = {0: []}
    calls: dict[Any, int] = {}
    lines: dict[int, int] = {}
    code = compile(source, "<plain>", "exec")
    printed = io.StringIO()
    inside = within_comprehensions(ast.parse(source))

    def step(frame, event, argument):
        call = calls[frame]
        goes_on = lines.get(call) == frame.f_lineno and inside(frame)
        if event == "return" or (event == "line" and not goes_on):
            if call in lines:
                seen.setdefault(call, []).append((lines[call], snapshot(frame.f_locals, printed.getvalue())))
            lines[call] = frame.f_lineno
        return step

    def begin(frame, event, argument):
        if frame.f_code.co_filename != "<plain>" or (frame.f_code.co_name[0] == "<" and frame.f_code is not code):
            return None
        if not frame.f_code.co_flags & 1 and frame.f_code is not code:  # the body of a class
            return None
        calls.setdefault(frame, len(calls))
        return step

    torch.manual_seed(0)
    names = {"__name__": "__main__"}
    with contextlib.redirect_stdout(printed):
        sys.settrace(begin)
        try:
            exec(code, names)
        finally:
            sys.settrace(None)
    return seen


def within_comprehensions(tree: ast.AST) -> Callable[[types.FrameType], bool]:
    """Return a test for frames inside a comprehension, which have no frame from Python 3.12 on."""
    kinds = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
    nodes = [node for node in ast.walk(tree) if isinstance(node, kinds)]

    def inside(frame: types.FrameType) -> bool:
        line, end_line, column, end_column = list(frame.f_code.co_positions())[frame.f_lasti // 2]
        begin, end = (line, column), (end_line, end_column)
        around = [((node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)) for node in nodes]
        return None not in begin + end and any(first <= begin and end <= last for first, last in around)

    return inside


def snapshot(names: dict[str, Any], printed: str) -> Snapshot:
    """Return the values of names, and the printed text."""
    found: Snapshot = {"(printed)": printed}
    for name, value in names.items():
        if name[0] == "_" or isinstance(value, _SILENT):
            continue
        if isinstance(value, torch.Tensor):
            gradient = value.grad if value.is_leaf else None
            version = -1 if value.is_inference() else value._version
            found[name] = entries(value), version, None if gradient is None else entries(gradient)
        else:
            found[name] = plain(value)
    return found


def entries(tensor: torch.Tensor) -> tuple:
    """Shape and entries, of a large tensor its ends."""
    flat = tensor.detach().flatten().tolist()
    return tuple(tensor.shape), tuple(flat) if len(flat) <= 64 else (len(flat), min(flat), max(flat))


def plain(value: Any) -> str:
    """Return a value as Python writes it, if it is short and contains no object."""
    if isinstance(value, int | float | bool | None) or (
        isinstance(value, list) and len(value) <= 8 and all(map(is_number, value))
    ):
        return repr(value)
    return plain_text(value)


def is_number(value: Any) -> bool:
    return type(value) in (int, float)
