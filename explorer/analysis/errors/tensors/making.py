"""Tensors that cannot be created from their argument: texts, ragged lists, objects, numbers too large."""

import re

from explorer.analysis.errors.assignments import made_once
from explorer.analysis.errors.explanations import changed
from explorer.analysis.errors.expressions import called, postfixed, shown
from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.rule import Explanation, rule
from explorer.analysis.errors.tensors.call_facts import arguments, operation_name
from explorer.analysis.errors.text_edits import replaced, with_argument
from explorer.trace import Span

RANGES = {"uint8": "0…255", "int8": "−128…127", "int16": "−32768…32767", "int32": "−2147483648…2147483647"}


@rule("ValueError|TypeError", r"too many dimensions 'str'|new\(\): invalid data type 'str'")
def of_text(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A tensor of texts."""
    if operation_name(stopped) not in ("tensor", "as_tensor"):
        return None
    call, made = called(stopped.code), arguments(stopped)
    given, new = made.get(0, default=None), None
    numeric = isinstance(given, list) and given and all(isinstance(entry, str) and _is_number(entry) for entry in given)
    if numeric and call is not None and len(call.arguments) == 1 and not made.named:
        new = call.with_arguments(f"[float(text) for text in {call.arguments[0]}]")
    kind = "tensor-of-number-texts" if numeric else "tensor-of-text"
    return changed(stopped, kind, {"code": shown(stopped.code)}, new)


def _is_number(text: str) -> bool:
    return bool(re.fullmatch(r"\s*[-+]?\d{1,30}(?:\.\d{0,30})?(?:e[-+]?\d{1,2})?\s*", text))


@rule("ValueError", r"expected sequence of length (\d+) at dim (\d+) \(got (\d+)\)")
def ragged(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A tensor of lists of different lengths."""
    length, _, got = found.groups()
    return changed(stopped, "ragged", {"code": shown(stopped.code), "length": length, "got": got})


@rule(
    "TypeError",
    r"^not a sequence|'(?:list|tuple)' object cannot be interpreted as an integer|must be"
    r" real number, not (?:list|tuple)",
)
def mixed_depth(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A tensor of numbers beside lists."""
    return (
        changed(stopped, "mixed-depth", {"code": shown(stopped.code)}) if operation_name(stopped) == "tensor" else None
    )


@rule("RuntimeError", r"Could not infer dtype of (\w+)")
def of_object(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A tensor of None, a dict or another object."""
    kind = "tensor-of-none" if found.group(1) == "NoneType" else "tensor-of-object"
    return changed(stopped, kind, {"code": shown(stopped.code), "given": found.group(1)})


@rule("ValueError", r"could not determine the shape of object type '(DataFrame|Series)'")
def of_frame(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A tensor of a pandas table."""
    return changed(stopped, "tensor-of-frame", {"code": shown(stopped.code), "given": found.group(1)})


@rule("TypeError", r"can't convert np\.ndarray of type numpy\.(object_|str_)")
def of_array(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A tensor of a NumPy array of objects or texts."""
    values = {"code": shown(stopped.code)}
    if found.group(1) == "str_":
        return changed(stopped, "array-of-text", values)
    lazy = re.search(
        r"\b(?:np|numpy)\.(?:as)?array\(\s*([\w.]+\.(?:values|keys|items)\(\)|(?:map|zip|filter)\(.*\))\s*\)",
        stopped.code,
    )
    if lazy:
        new = stopped.code.replace(lazy[1], f"list({lazy[1]})", 1)
        return changed(stopped, "array-of-one-object", {**values, "given": shown(lazy[1])}, new)
    if counts := _lengths(stopped):
        return changed(stopped, "array-of-lists", {**values, "lengths": counts})
    made = [
        (i, at, match)
        for i, cell in enumerate(stopped.trace.cells)
        for at, line in enumerate(cell.source.split("\n"), 1)
        for match in re.finditer(r"pd\.get_dummies\(", line)
    ]
    if len(made) != 1:
        return changed(stopped, "array-of-objects", values)
    cell, at, match = made[0]
    line = stopped.trace.cells[cell].source.split("\n")[at - 1]
    end = _closing(line, match.end() - 1)
    call = line[match.start() : end] if end else ""
    if not end or "dtype" in call:
        return changed(stopped, "array-of-objects", values)
    new = replaced(
        stopped.trace.cells[cell].source, Span(cell, at, match.start(), at, end), with_argument(call, "dtype=float")
    )
    return Explanation("array-of-dummies", {**values, "made": shown(call), "line": str(at)}, new, cell)


def _lengths(stopped: Stopped) -> str:
    """The lengths of an array's rows, if they differ: "3, 2, 1"; "" if the text does not show them."""
    names = re.findall(r"(?<![\w.])[A-Za-z_]\w*(?![\w(.])", stopped.code)
    texts = [stopped.code, *(at.value for name in names if (at := made_once(stopped, name)))]
    for text in texts:
        rows = re.findall(r"\[([^\[\]]*)\]", text) if "[[" in text.replace(" ", "") else []
        counts = [len([entry for entry in row.split(",") if entry.strip()]) for row in rows]
        if len(set(counts)) > 1:
            return ", ".join(map(str, counts[:6])) + (", …" if len(counts) > 6 else "")
    return ""


def _closing(line: str, opening: int) -> int:
    depth = 0
    for at in range(opening, min(len(line), opening + 1_000)):
        depth += {"(": 1, ")": -1}.get(line[at], 0)
        if not depth:
            return at + 1
    return 0


@rule("RuntimeError", r"value cannot be converted to type (\w+?)(?:_t)? without overflow")
def overflow(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A number outside the range of a dtype."""
    dtype = found.group(1)
    if dtype not in RANGES:
        return None
    written = re.search(rf"\btorch\.{dtype}\b", stopped.code)
    new = re.sub(rf"\btorch\.{dtype}\b", "torch.int64", stopped.code, count=1) if written else None
    return changed(stopped, "overflow", {"code": shown(stopped.code), "dtype": dtype, "range": RANGES[dtype]}, new)


@rule("ValueError|RuntimeError|OverflowError", r"Overflow when unpacking long|int too big to convert")
def overflow_of_long(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A whole number outside the range of int64."""
    alone = operation_name(stopped) == "tensor" and "dtype" not in stopped.code
    new = with_argument(stopped.code, "dtype=torch.float64") if alone and called(stopped.code) else None
    return changed(stopped, "overflow-of-int64", {"code": shown(stopped.code)}, new)


@rule("TypeError", r"expected np\.ndarray \(got (\w+)\)")
def from_numpy(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """from_numpy of something else."""
    call, given = called(stopped.code), found.group(1)
    plain = call is not None and call.head == "torch.from_numpy" and given in ("list", "tuple", "float", "int")
    new = f"torch.tensor({', '.join(call.arguments)})" if plain else None
    return changed(stopped, "from-numpy", {"code": shown(stopped.code), "given": given}, new)


@rule("ValueError", r"At least one stride in the given numpy array is negative")
def negative_stride(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A tensor of a NumPy array that runs backward."""
    call, new = called(stopped.code), None
    if (
        call is not None
        and len(call.arguments) == 1
        and call.head in ("torch.from_numpy", "torch.tensor", "torch.as_tensor")
    ):
        new = call.with_argument(0, postfixed(call.value(0), ".copy()"))
    return changed(stopped, "negative-stride", {"code": shown(stopped.code)}, new)


@rule("TypeError", r"argument 'dtype' (?:\(position \d+\) )?must be torch\.dtype, not (\w+)")
def dtype_of_text(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """dtype="float32" or dtype=np.float32."""
    names = "float16|float32|float64|int8|int16|int32|int64|uint8|bool|long|double"
    pattern = rf"(dtype\s*=\s*)(?:(['\"])(?:torch\.)?({names})\2|(?:np|numpy)\.({names}))"
    new, count = re.subn(
        pattern, lambda match: f"{match.group(1)}torch.{match.group(3) or match.group(4)}", stopped.code
    )
    return changed(
        stopped, "dtype-not-torch", {"code": shown(stopped.code), "given": found.group(1)}, new if count == 1 else None
    )


RULES = (
    of_text,
    ragged,
    mixed_depth,
    of_object,
    of_frame,
    of_array,
    overflow,
    overflow_of_long,
    from_numpy,
    negative_stride,
    dtype_of_text,
)
