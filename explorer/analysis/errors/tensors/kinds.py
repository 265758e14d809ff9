"""Dtypes that do not fit together."""

import re

from explorer.analysis.errors.explanations import changed
from explorer.analysis.errors.expressions import called, operated, postfixed, shown
from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.rule import Explanation, rule
from explorer.analysis.errors.tensors.call_facts import (
    both,
    dtypes,
    operands,
    operation_name,
    statement,
    subject,
    with_subject,
)
from explorer.analysis.errors.tensors.layer_sizes import is_input
from explorer.analysis.errors.tensors.losses import exchanged, target_of, with_target
from explorer.analysis.errors.tensors.shapes import outside

FLOATS = ("float16", "bfloat16", "float32", "float64")
CASTS = {
    "bfloat16": ".bfloat16()",
    "float32": ".float()",
    "float64": ".double()",
    "float16": ".half()",
    "int64": ".long()",
}
WHOLE = "Long|Int|Short|Char|Byte|Bool"


@rule(
    "RuntimeError",
    r"expected m1 and m2 to have the same dtype|mat1 and mat2 must have the same dtype"
    r"|input tensors must have the same dtype"
    r"|expected both vectors to have same dtype|expected scalar type \w+ but found \w+"
    r"|Input type \(.*?\) and (?:bias|weight) type \(.*?\) should be the same",
)
def product_dtypes(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A product, or a layer, of two dtypes."""
    kinds, name = _dtypes_of(stopped.failure.text) or dtypes(stopped), operation_name(stopped)
    if len(kinds) < 2 or kinds[0] == kinds[1]:
        return None
    if name == "linear" or name.startswith("conv"):
        return _layer(stopped, kinds)
    if name not in ("matmul", "mm", "mv", "dot", "bmm", "addmm", "baddbmm", "vdot") or len(kinds) > 2:
        return None
    values = {**both(stopped), "left_dtype": kinds[0], "right_dtype": kinds[1]}
    return changed(stopped, "product-dtypes", values, _one_dtype(stopped, kinds))


def _dtypes_of(text: str) -> list[str]:
    """The two dtypes in the message: a parameter may have been created with a different one."""
    found = re.search(r"but got (\w+) and (\w+)", text) or re.search(
        r"Input type \((?:torch\.|c10::)?(\w+?)(?:Tensor)?\) and \w+ type \((?:torch\.|c10::)?(\w+?)(?:Tensor)?\)", text
    )
    names = [_name(dtype[:1].upper() + dtype[1:]) for dtype in found.groups()] if found else []
    return names if all(name in (*FLOATS, "int64", "int32", "uint8", "bool") for name in names) else []


def _one_dtype(stopped: Stopped, kinds: list[str]) -> str | None:
    """The product with its whole numbers, or otherwise its float64, converted to the other's dtype."""
    pair = operands(stopped)
    if pair is None or not any(kind in FLOATS for kind in kinds):
        return None
    cast = 0 if kinds[0] not in FLOATS or (kinds[1] in FLOATS and kinds[0] == "float64") else 1
    change = CASTS.get(kinds[1 - cast])
    if change is None or kinds[cast] in ("complex64", "complex128"):
        return None
    return (
        pair.made(postfixed(pair.left, change), pair.right)
        if cast == 0
        else pair.made(pair.left, postfixed(pair.right, change))
    )


def _layer(stopped: Stopped, kinds: list[str]) -> Explanation:
    at, call, trace = stopped.operation, called(stopped.code), stopped.trace
    layer = trace.string(trace.operations.module[at]) or stopped.code
    values = {"layer": shown(layer), "input_dtype": kinds[0], "weight_dtype": kinds[1]}
    change, new = CASTS.get(kinds[1]), None
    if call is not None and len(call.arguments) == 1 and change and not _others(stopped, kinds[0]):
        maker = stopped.maker(stopped.inputs[0])
        if maker is None or trace.operations.module[maker] < 0:
            new = call.with_argument(0, postfixed(call.value(0), change))
    return changed(stopped, "layer-dtype", values, new)


def _others(stopped: Stopped, dtype: str) -> bool:
    """Whether other named tensors have this dtype: a float64 target would stop the backward next."""
    mine = {stopped.inputs[0]} | {
        binding.tensor for binding in stopped.trace.bindings if binding.tensor == stopped.inputs[0]
    }
    return dtype == "float64" and any(
        stopped.dtype(binding.tensor) == dtype for binding in stopped.trace.bindings if binding.tensor not in mine
    )


@rule("RuntimeError", r"result type (\w+) can't be cast to the desired output type (\w+)")
def result_dtype(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """An in-place operation whose result has another dtype, or a loss of whole numbers."""
    name, kinds = operation_name(stopped), dtypes(stopped)
    if not kinds:
        return None
    if name.startswith("binary_cross_entropy") and len(kinds) > 1:
        return _loss(stopped, kinds)
    if not name.endswith("_"):
        values = {"tensor": shown(subject(stopped, called(stopped.code))) or "?", "dtype": kinds[0], "function": name}
        return changed(stopped, "floats-needed", values, with_subject(called(stopped.code), ".float()"))
    pair, call = operated(stopped.code), called(stopped.code)
    values = {
        "code": shown(stopped.code),
        "target": shown(pair.left if pair else call.receiver if call else stopped.code),
        "dtype": kinds[0],
        "result": _name(found.group(1)),
    }
    return changed(stopped, "inplace-dtype", values, outside(stopped))


def _name(scalar: str) -> str:
    """torch's name of a dtype in a program: Long is int64."""
    names = {"Long": "int64", "Int": "int32", "Float": "float32", "Double": "float64", "Bool": "bool", "Byte": "uint8"}
    names |= {"Half": "float16", "BFloat16": "bfloat16", "ComplexFloat": "complex64", "ComplexDouble": "complex128"}
    return names.get(scalar, scalar)


def _loss(stopped: Stopped, kinds: list[str]) -> Explanation | None:
    values = {"target": target_of(stopped) or "?", "dtype": kinds[1], "scores_dtype": kinds[0]}
    change = CASTS.get(kinds[0]) if kinds[0] in FLOATS else None
    return changed(stopped, "target-not-float", values, change and with_target(stopped, change))


@rule("RuntimeError", r"Found dtype (\w+) but expected (\w+)")
def loss_dtype(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A loss whose target has another dtype than its scores."""
    kinds = dtypes(stopped)
    if (
        len(kinds) < 2
        or kinds[0] == kinds[1]
        or "loss" not in operation_name(stopped) + "loss" * ("cross" in operation_name(stopped))
    ):
        return None
    if kinds[0] not in FLOATS and kinds[1] in FLOATS and (explanation := exchanged(stopped)):
        return explanation
    return _loss(stopped, kinds)


@rule("RuntimeError", r"expected target dtype to be Long or Byte, but got (\w+)")
def target_dtype(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """Class numbers that are floats."""
    kinds = dtypes(stopped)
    if len(kinds) < 2:
        return None
    values = {"target": target_of(stopped) or "?", "dtype": kinds[1]}
    value = stopped.trace.value_at(stopped.trace.versions_of(stopped.inputs[1])[-1])
    if value is not None and any(isinstance(entry, float) and entry % 1 for entry in value.data or ()):
        return changed(stopped, "target-of-fractions", values)
    return changed(stopped, "target-dtype", values, with_target(stopped, ".long()"))


@rule(
    "RuntimeError",
    r"(?:mean\(\): could not infer output dtype|std and var only support floating point"
    r"|Expected a floating point or complex tensor as input\. Got)",
)
def floats_needed(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """mean, std, a norm or an inverse of whole numbers."""
    return _floats(stopped)


@rule("NotImplementedError|RuntimeError", rf"not implemented for '(?:{WHOLE})'")
def kernel_of_whole(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """softmax, a loss, a layer or random numbers of whole numbers."""
    name, kinds, call = operation_name(stopped), dtypes(stopped), called(stopped.code)
    if name in ("rand", "randn", "normal", "rand_like", "randn_like") and call is not None and kinds in ([], ["int64"]):
        at = call.place(99, "dtype")
        rest = [argument for i, argument in enumerate(call.arguments) if i != at]
        return changed(
            stopped,
            "random-whole",
            {"code": shown(stopped.code)},
            call.with_arguments(*rest) if at is not None else None,
        )
    return _floats(stopped) if kinds and kinds[0] not in FLOATS else None


def _floats(stopped: Stopped) -> Explanation | None:
    kinds, call, name = dtypes(stopped), called(stopped.code), operation_name(stopped)
    if not kinds:
        return None
    tensor = subject(stopped, call)
    layer = stopped.trace.operations.module[stopped.operation] >= 0 or name.startswith(
        ("adaptive", "batch", "layer_norm")
    )
    if layer and call is not None and len(call.arguments) == 1 and is_input(stopped, call.value(0)):
        values = {"tensor": shown(call.value(0)), "dtype": kinds[0], "function": shown(call.head)}
        return changed(stopped, "floats-needed", values, call.with_argument(0, postfixed(call.value(0), ".float()")))
    values = {"tensor": shown(tensor) or "?", "dtype": kinds[0], "function": call.name if call else name}
    losses = name.endswith("_loss") and kinds[1:] and kinds[1] not in FLOATS
    own = call is not None and (call.is_function or call.name in (name, name.removeprefix("linalg_")))
    return changed(stopped, "floats-needed", values, with_subject(call, ".float()") if own and not losses else None)


@rule("RuntimeError", r"(?:Negation|Subtraction), the `-` operator, (?:on|with) (?:a|two) bool tensors?")
def minus_of_bool(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """- of a mask."""
    code, pair, kinds = stopped.code, operated(stopped.code), dtypes(stopped)
    values, new = {"code": shown(code)}, None
    if pair is None and code.startswith("-"):
        return changed(stopped, "minus-of-mask", values, "~" + code[1:].lstrip())
    if pair is not None and pair.operator == "-" and pair.left == "1":
        new = (
            postfixed(f"~{pair.right}", "").removeprefix("(").removesuffix(")")
            if re.fullmatch(r"[\w.]+", pair.right)
            else f"~({pair.right})"
        )
        return changed(stopped, "minus-of-mask", values, new)
    if pair is not None and pair.operator == "-" and kinds == ["bool", "bool"]:
        new = pair.made(postfixed(pair.left, ".int()"), postfixed(pair.right, ".int()"))
    return changed(stopped, "difference-of-masks", values, new)


@rule("NotImplementedError|RuntimeError", r"bitwise_(and|or|xor)_?\w*\" not implemented for '(?:Float|Double|Half)'")
def bits_of_floats(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """&, | or ^ of floats: often comparisons without brackets."""
    span, word = stopped.span, {"and": "&", "or": "|", "xor": "^"}[found.group(1)]
    values = {"code": shown(stopped.code), "operator": word}
    if span is None or span.line != span.end_line or operated(stopped.code) is None:
        return changed(stopped, "bits-of-floats", values)
    lines = stopped.source.split("\n")
    line, side = lines[span.line - 1], r"([\w.]{1,60}(?:\[[^\[\]]{1,40}\])?)"
    compared = re.compile(rf"{side} ?(<=?|>=?|[!=]=) ?{side} ?{re.escape(word)} ?{side} ?(<=?|>=?|[!=]=) ?{side}")
    hits = [
        match for match in compared.finditer(line) if match.start() <= span.column and span.end_column <= match.end()
    ]
    if len(hits) != 1:
        return changed(stopped, "bits-of-floats", values)
    a, first, b, c, second, d = hits[0].groups()
    lines[span.line - 1] = (
        f"{line[: hits[0].start()]}({a} {first} {b}) {word} ({c} {second} {d}){line[hits[0].end() :]}"
    )
    return Explanation("mask-brackets", values, "\n".join(lines), stopped.place)


@rule("TypeError", r"~ \(operator\.invert\) is only implemented on integer and Boolean-type tensors")
def invert_floats(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """~ of floats."""
    kinds = dtypes(stopped)
    return changed(stopped, "invert-floats", {"code": shown(stopped.code), "dtype": kinds[0] if kinds else "float32"})


@rule("NotImplementedError|RuntimeError", r"not implemented for 'Complex\w*'|not supported for complex")
def order_of_complex(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A comparison or a maximum of complex numbers."""
    name = operation_name(stopped)
    if name not in (
        "lt",
        "gt",
        "le",
        "ge",
        "max",
        "min",
        "amax",
        "amin",
        "relu",
        "clamp",
        "sort",
        "argmax",
        "argmin",
        "maximum",
    ):
        return None
    return changed(stopped, "order-of-complex", {"code": shown(stopped.code)})


@rule("RuntimeError", r"Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int")
def embedding_dtype(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """Embedding of floats."""
    kinds, call = dtypes(stopped), called(stopped.code)
    if not kinds:
        return None
    index = call.value(0) if call and call.arguments else stopped.code
    single = call is not None and (len(call.arguments) == 1 or call.name == "embedding")
    if single and not is_input(stopped, index):
        at = stopped.maker(stopped.inputs[0])
        made = "" if at is None else stopped.trace.string(stopped.trace.operations.module[at]) or ""
        layer = stopped.trace.string(stopped.trace.operations.module[stopped.operation]) or stopped.code
        if made and made != layer:
            values = {"layer": shown(layer), "made": shown(made), "dtype": kinds[0]}
            return changed(stopped, "embedding-of-a-layers-result", values)
    new = call.with_argument(0, postfixed(index, ".long()")) if single else None
    return changed(stopped, "embedding-dtype", {"index": shown(index), "dtype": kinds[0]}, new)


@rule("RuntimeError", r"one_hot is only applicable to index tensor of type LongTensor")
def one_hot_dtype(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """one_hot of a tensor that is not int64."""
    kinds, call = dtypes(stopped), called(stopped.code)
    values = {"tensor": shown(subject(stopped, call)) or "?", "dtype": kinds[0] if kinds else "?"}
    return changed(stopped, "one-hot-dtype", values, with_subject(call, ".long()"))


@rule("RuntimeError", r"Class values must be (smaller than num_classes|non-negative)")
def one_hot_range(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """one_hot of a class that has no place."""
    kind = "one-hot-negative" if found.group(1).startswith("non") else "one-hot-range"
    return changed(stopped, kind, {"tensor": shown(subject(stopped, called(stopped.code))) or "?"})


@rule(
    "RuntimeError|IndexError",
    r"(gather|scatter|index_select|take|take_along_dim|scatter_add)\(\): Expected (?:dtype|a long)",
)
def index_dtype(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """gather, scatter or index_select with an index of floats."""
    name, call, kinds = found.group(1), called(stopped.code), dtypes(stopped)
    if len(kinds) < 2:
        return None
    at = (
        None
        if call is None
        else call.place(1 + call.is_function - (name in ("take", "take_along_dim")), "index", "indices")
    )
    values = {"function": name, "dtype": kinds[1]}
    return changed(
        stopped,
        "index-dtype",
        values,
        None if at is None else call.with_argument(at, postfixed(call.value(at), ".long()")),
    )


@rule("RuntimeError", r"Index put requires the source and destination dtypes match")
def assigned_dtype(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """Entries of another dtype assigned through a mask or a list."""
    kinds, (span, code) = dtypes(stopped), statement(stopped)
    if len(kinds) < 2:
        return None
    target, equals, written = code.partition(" = ")
    name = target.partition("[")[0]
    fits = equals and target.strip() == stopped.code and re.fullmatch(r"[A-Za-z_][\w.]*", name)
    new = f"{target} = {postfixed(written.strip(), f'.to({name}.dtype)')}" if fits else None
    return changed(
        stopped, "assign-dtype", {"place": shown(stopped.code), "dtype": kinds[0], "value_dtype": kinds[-1]}, new, span
    )


@rule("RuntimeError", r"(?:masked_fill_? only supports boolean masks|where expected condition to be a boolean tensor)")
def mask_dtype(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A mask that is not of booleans."""
    name, call, kinds = operation_name(stopped).strip("_"), called(stopped.code), dtypes(stopped)
    which = 0 if name == "where" else 1
    if len(kinds) <= which:
        return None
    new = None
    if call:
        first = (0 if call.is_function else 99) if which == 0 else 0 + call.is_function
        at = call.place(first, "condition", "mask")
        new = None if at is None else call.with_argument(at, postfixed(call.value(at), ".bool()"))
    return changed(stopped, "mask-dtype", {"function": name, "dtype": kinds[which]}, new)


RULES = (
    product_dtypes,
    result_dtype,
    loss_dtype,
    target_dtype,
    floats_needed,
    kernel_of_whole,
    minus_of_bool,
    bits_of_floats,
    invert_floats,
    order_of_complex,
    embedding_dtype,
    one_hot_dtype,
    one_hot_range,
    index_dtype,
    assigned_dtype,
    mask_dtype,
)
