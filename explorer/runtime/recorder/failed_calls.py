"""Find the torch call that raised an error while the recorder was away, from the error's traceback.

The expression that failed is evaluated once more from the variables as they stand. Only torch's own functions that
write to nothing are called, and what was found counts only if it raises the same error.
"""

import ast
import inspect
import linecache
import operator
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from types import CodeType, FrameType, ModuleType, TracebackType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from explorer.runtime.recorder.calls import CALLS, names_of_functions
from explorer.runtime.recorder.program_places import Places, own_words

_OPERATORS: dict[type, Callable] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.MatMult: operator.matmul,
    ast.USub: operator.neg,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
_PLAIN = (torch.Tensor, int, float, str, tuple, list, slice, type(None), torch.dtype, torch.device)


@dataclass(frozen=True)
class FailedCall:
    """A call that raised, and the frame that made it."""

    function: Any
    args: tuple
    kwargs: dict
    frame: FrameType


def failed_call(problem: BaseException, places: Places) -> FailedCall | None:
    """The call that raised this error; None if it cannot be told."""
    frames = _frames(problem.__traceback__)
    inner = max((at for at, (frame, _) in enumerate(frames) if places.files[frame.f_code.co_filename] >= 0), default=-1)
    if inner < 0:
        return None
    with suppress(Exception), torch.random.fork_rng(devices=[]):
        functions = {getattr(known, "__code__", None): known for known in names_of_functions()}
        for at in range(inner + 1, len(frames)):
            frame = frames[at][0]
            if (known := functions.get(frame.f_code)) is not None:
                return _raising(problem, frames[at - 1][0], partial(known, **_arguments(frame)))
        frame, instruction = frames[-1]
        return _raising(problem, frame, partial(_evaluated, frame, instruction, places))
    return None


def _frames(trace: TracebackType | None) -> list[tuple[FrameType, int]]:
    found = []
    while trace is not None:
        found.append((trace.tb_frame, trace.tb_lasti))
        trace = trace.tb_next
    return found


class _Probe(TorchFunctionMode):
    """Keeps the call that raises."""

    def __init__(self) -> None:
        super().__init__()
        self.failed: tuple[Any, tuple, dict] | None = None

    def __torch_function__(self, function, types, args=(), kwargs=None):
        """Called by torch in place of every call."""
        if CALLS[function].recorded and not CALLS[function].pure:
            raise LookupError
        try:
            return function(*args, **(kwargs or {}))
        except Exception:
            self.failed = function, args, kwargs or {}
            raise


def _raising(problem: BaseException, frame: FrameType, again: Callable[[], object]) -> FailedCall | None:
    """The call in which `again` raises the same error."""
    probe = _Probe()
    try:
        with probe:
            again()
    except Exception as other:
        if type(other) is type(problem) and own_words(other) == own_words(problem) and probe.failed is not None:
            return FailedCall(*probe.failed, frame)
    return None


def _arguments(frame: FrameType) -> dict[str, object]:
    code = frame.f_code
    if code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS):
        raise LookupError
    return {name: frame.f_locals[name] for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]}


def _evaluated(frame: FrameType, instruction: int, places: Places) -> object:
    line, end_line, column, end_column = list(frame.f_code.co_positions())[instruction // 2]
    tree, above, left = _syntax(frame.f_code, places)
    where = (line or 0) - above, (end_line or 0) - above, (column or 0) - left, (end_column or 0) - left
    for node in ast.walk(tree):
        if isinstance(node, ast.expr) and where == (node.lineno, node.end_lineno, node.col_offset, node.end_col_offset):
            return _Evaluation(frame).value(node)
    raise LookupError


def _syntax(code: CodeType, places: Places) -> tuple[ast.AST, int, int]:
    """The syntax around a piece of code, how many lines stand above it, and how far it is indented."""
    cell = places.files[code.co_filename]
    if cell >= 0:
        return ast.parse(b"\n".join(places.lines[cell])), 0, 0
    lines = inspect.getblock(linecache.getlines(code.co_filename)[code.co_firstlineno - 1 :])
    left = len(lines[0]) - len(lines[0].lstrip())
    return ast.parse("".join(line[left:] if line.strip() else line for line in lines)), code.co_firstlineno - 1, left


class _Evaluation:
    """Evaluates expressions of a frame without running code of the program. Raises LookupError for all others."""

    def __init__(self, frame: FrameType) -> None:
        self._scopes = frame.f_locals, frame.f_globals, frame.f_builtins

    def value(self, node: ast.expr) -> Any:
        """The value of an expression."""
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return next(scope[name] for scope in self._scopes if name in scope)
            case ast.Attribute(value=inner, attr=name):
                return _attribute(self.value(inner), name)
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                made = [self.value(part) for part in parts]
                return tuple(made) if isinstance(node, ast.Tuple) else made
            case ast.Slice(lower=lower, upper=upper, step=step):
                return slice(*[None if part is None else self.value(part) for part in (lower, upper, step)])
            case ast.UnaryOp(op=sign, operand=operand):
                return _OPERATORS[type(sign)](_plain(self.value(operand)))
            case ast.BinOp(left=left, op=sign, right=right) | ast.Compare(left=left, ops=[sign], comparators=[right]):
                return _OPERATORS[type(sign)](_plain(self.value(left)), _plain(self.value(right)))
            case ast.Subscript(value=inner, slice=at):
                return _plain(self.value(inner))[_plain(self.value(at))]
            case ast.Call(func=function, args=args, keywords=keywords):
                called, names = _called(self.value(function)), [keyword.arg for keyword in keywords]
                given = [_plain(self.value(keyword.value)) for keyword in keywords]
                if None not in names:
                    return called(*[_plain(self.value(arg)) for arg in args], **dict(zip(names, given, strict=True)))
        raise LookupError


def _plain(value: object) -> Any:
    if isinstance(value, _PLAIN):
        return value
    raise LookupError


def _attribute(value: Any, name: str) -> Any:
    if isinstance(value, torch.Tensor | ModuleType):
        return getattr(value, name)
    held = vars(value)
    if isinstance(value, torch.nn.Module):
        held = {**held["_modules"], **held["_buffers"], **held["_parameters"], **held}
    return held[name]


def _called(function: Any) -> Any:
    """A function of torch; the probe sees whether it writes."""
    owner = getattr(function, "__self__", None)
    known = getattr(torch.Tensor, function.__name__, None) if isinstance(owner, torch.Tensor) else function
    if known in names_of_functions():
        return function
    raise LookupError
