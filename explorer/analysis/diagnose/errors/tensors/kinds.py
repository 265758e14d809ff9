"""Dtypes that do not fit together."""

import re

from explorer.analysis.diagnose.errors.rule import Explanation, FailureContext, Rules
from explorer.analysis.diagnose.errors.tensors.layer_sizes import change_input, is_input
from explorer.analysis.diagnose.errors.tensors.losses import exchanged
from explorer.analysis.diagnose.errors.tensors.shapes import outside
from explorer.analysis.diagnose.errors.tensors.single_numbers import COMPARISONS
from explorer.analysis.run.operations import PRODUCTS, operation_of
from explorer.analysis.run.source.expressions import shorten_code, with_suffix

FLOATS = ("float16", "bfloat16", "float32", "float64")
CASTS = {"bfloat16": ".bfloat16()", "float32": ".float()", "float64": ".double()", "float16": ".half()"}
CASTS |= {"int64": ".long()"}
NAMES = {"Long": "int64", "Int": "int32", "Float": "float32", "Double": "float64", "Bool": "bool", "Byte": "uint8"}
NAMES |= {"Half": "float16", "BFloat16": "bfloat16", "ComplexFloat": "complex64", "ComplexDouble": "complex128"}

RULES = Rules()


@RULES.rule(
    r"RuntimeError: expected m1 and m2 to have the same dtype|mat1 and mat2 must have the same dtype"
    r"|input tensors must have the same dtype"
    r"|expected both vectors to have same dtype|expected scalar type \w+ but found \w+"
    r"|Input type \(.*?\) and (?:bias|weight) type \(.*?\) should be the same"
)
def product_dtypes(at: FailureContext) -> Explanation | None:
    """Explain a product or layer of two dtypes."""
    kinds, name = _dtypes_of(at.failure.text) or at.dtypes, at.function
    if len(kinds) < 2 or kinds[0] == kinds[1]:
        return None
    if name == "linear" or name.startswith("conv"):
        return _layer(at, kinds)
    if name not in PRODUCTS or len(kinds) > 2:
        return None
    return at.explain("product-dtypes", _one_dtype(at, kinds), **at.both, left_dtype=kinds[0], right_dtype=kinds[1])


def _dtypes_of(text: str) -> list[str]:
    """Return the two dtypes in the message."""
    match = re.search(r"but (?:got|found):? (\w+) (?:and|!=) (\w+)", text) or re.search(
        r"Input type \((?:torch\.|c10::)?(\w+?)(?:Tensor)?\) and \w+ type \((?:torch\.|c10::)?(\w+?)(?:Tensor)?\)", text
    )
    words = [dtype[:1].upper() + dtype[1:] for dtype in match.groups()] if match else []
    names = [NAMES.get(word, word) for word in words]
    return names if all(name in (*FLOATS, "int64", "int32", "uint8", "bool") for name in names) else []


def _one_dtype(at: FailureContext, kinds: list[str]) -> str | None:
    """Convert a product's integers, or its float64, to the other dtype."""
    pair = at.operands
    if pair is None or not any(kind in FLOATS for kind in kinds):
        return None
    cast = 0 if kinds[0] not in FLOATS or (kinds[1] in FLOATS and kinds[0] == "float64") else 1
    change = CASTS.get(kinds[1 - cast])
    if change is None or kinds[cast] in ("complex64", "complex128"):
        return None
    sides = [pair.left, pair.right]
    sides[cast] = with_suffix(sides[cast], change)
    return pair.with_operands(*sides)


def _layer(at: FailureContext, kinds: list[str]) -> Explanation:
    change, call, maker = CASTS.get(kinds[1]), at.call, at.run.makers.get(at.inputs[0])
    own = {each.tensor for each in at.trace.bindings} - {at.inputs[0]}  # a float64 target would stop the backward next
    others = kinds[0] == "float64" and any(at.run.dtype(tensor) == "float64" for tensor in own)
    sure = call is not None and len(call.arguments) == 1 and change and not others
    direct = maker is None or at.trace.operations.module[maker] < 0
    new = call.with_argument(0, with_suffix(call.value(0), change)) if sure and direct else None
    layer = shorten_code(at.module or at.code)
    return at.explain("layer-dtype", new, layer=layer, input_dtype=kinds[0], weight_dtype=kinds[1])


@RULES.rule(r"RuntimeError: result type (?P<scalar>\w+) can't be cast to the desired output type (\w+)", operands=1)
def result_dtype(at: FailureContext) -> Explanation | None:
    """Explain an in-place result of another dtype, or a loss of integers."""
    name, kinds, pair = at.function, at.dtypes, at.binary
    if name.startswith("binary_cross_entropy") and len(kinds) > 1:
        return _loss(at, kinds)
    if not name.endswith("_"):
        change = at.floated_subject()
        return at.explain("floats-needed", change, tensor=at.tensor, dtype=kinds[0], function=name)
    target = shorten_code(pair.left if pair else at.call.receiver if at.call else at.code)
    result = NAMES.get(at["scalar"], at["scalar"])
    return at.explain("inplace-dtype", outside(at), target=target, dtype=kinds[0], result=result)


def _loss(at: FailureContext, kinds: list[str]) -> Explanation:
    change = CASTS.get(kinds[0]) if kinds[0] in FLOATS else None
    new = at.change_argument(1, change, "target") if change else None
    return at.explain("target-not-float", new, target=at.scored["target"], dtype=kinds[1], scores_dtype=kinds[0])


@RULES.rule(r"RuntimeError: Found dtype (\w+) but expected (\w+)")
def loss_dtype(at: FailureContext) -> Explanation | None:
    """Explain a loss whose target has another dtype than its scores."""
    kinds = at.dtypes
    if len(kinds) < 2 or kinds[0] == kinds[1] or not re.search("loss|cross", at.function):
        return None
    if kinds[0] not in FLOATS and kinds[1] in FLOATS and (explanation := exchanged(at)):
        return explanation
    return _loss(at, kinds)


@RULES.rule(r"RuntimeError: expected target dtype to be Long or Byte, but got (\w+)", operands=2)
def target_dtype(at: FailureContext) -> Explanation | None:
    """Explain class numbers that are floats."""
    values = {"target": at.scored["target"], "dtype": at.dtypes[1]}
    value = at.trace.value_at(at.trace.versions_of(at.inputs[1])[-1])
    if value is not None and any(isinstance(entry, float) and entry % 1 for entry in value.data or ()):
        return at.explain("target-of-fractions", **values)
    return at.explain("target-dtype", at.change_argument(1, ".long()", "target"), **values)


@RULES.rule(r"NotImplementedError|RuntimeError: not implemented for '(?:Long|Int|Short|Char|Byte|Bool)'")
def kernel_of_whole(at: FailureContext) -> Explanation | None:
    """Explain softmax, a loss, a layer or random numbers of integers."""
    kinds = at.dtypes
    if operation_of(at.function).sentence == "sample" and at.call and kinds in ([], ["int64"]):
        return at.explain("random-whole")
    return floats_needed(at) if kinds and kinds[0] not in FLOATS else None


@RULES.rule(
    r"RuntimeError: (?:mean\(\): could not infer output dtype|std and var only support floating point"
    r"|Expected a floating point or complex tensor as input\. Got)",
    operands=1,
)
def floats_needed(at: FailureContext) -> Explanation | None:
    """Explain mean, std, a norm or an inverse of integers."""
    kinds, call, name = at.dtypes, at.call, at.function
    layer = at.module or name.startswith(("adaptive", "batch", "layer_norm"))
    if layer and (new := change_input(at, ".float()")):
        values = {"tensor": shorten_code(call.value(0)), "function": shorten_code(call.head)}
        return at.explain("floats-needed", new, **values, dtype=kinds[0])
    losses = name.endswith("_loss") and kinds[1:] and kinds[1] not in FLOATS
    own = call is not None and (call.is_function or call.name in (name, name.removeprefix("linalg_")))
    new = at.floated_subject() if own and not losses else None
    return at.explain("floats-needed", new, tensor=at.tensor, dtype=kinds[0], function=call.name if call else name)


@RULES.rule(
    r"NotImplementedError|RuntimeError: bitwise_(?P<word>and|or|xor)_?\w*\" not implemented for '(?:Float|Double|Half)'"
)
def bits_of_floats(at: FailureContext) -> Explanation:
    """Explain &, | or ^ of floats, often comparisons without brackets."""
    left, right = at.here.before.rstrip().endswith(COMPARISONS), at.here.after.lstrip().startswith(COMPARISONS)
    kind = "mask-brackets" if at.binary and left and right else "bits-of-floats"
    return at.explain(kind, operator={"and": "&", "or": "|", "xor": "^"}[at["word"]])


@RULES.rule(
    r"RuntimeError: Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int",
    operands=1,
)
def embedding_dtype(at: FailureContext) -> Explanation | None:
    """Explain an Embedding of floats."""
    call = at.call
    index = call.value(0) if call and call.arguments else at.code
    single = call is not None and (len(call.arguments) == 1 or call.name == "embedding")
    if single and not is_input(at, index):
        maker, layer = at.run.makers.get(at.inputs[0]), at.module or at.code
        made = "" if maker is None else at.trace.string(at.trace.operations.module[maker]) or ""
        if made and made != layer:
            values = {"layer": shorten_code(layer), "made": shorten_code(made), "dtype": at.dtypes[0]}
            return at.explain("embedding-of-a-layers-result", **values)
    new = call.with_argument(0, with_suffix(index, ".long()")) if single else None
    return at.explain("embedding-dtype", new, index=shorten_code(index), dtype=at.dtypes[0])


@RULES.rule(
    r"RuntimeError|IndexError: (?P<function>gather|scatter|index_select|take|take_along_dim|scatter_add)\(\): "
    r"Expected (?:dtype|a long)",
    operands=2,
)
def index_dtype(at: FailureContext) -> Explanation | None:
    """Explain gather, scatter or index_select with an index of floats."""
    return at.explain("index-dtype", dtype=at.dtypes[1])


@RULES.rule(r"RuntimeError: Index put requires the source and destination dtypes match", operands=2)
def assigned_dtype(at: FailureContext) -> Explanation | None:
    """Explain entries of another dtype assigned through a mask or a list."""
    kinds = at.dtypes
    return at.explain("assign-dtype", place=shorten_code(at.code), dtype=kinds[0], value_dtype=kinds[-1])


@RULES.rule(
    r"RuntimeError: (?:masked_fill_? only supports boolean masks|where expected condition to be a boolean tensor)"
)
def mask_dtype(at: FailureContext) -> Explanation | None:
    """Explain a mask that is not boolean."""
    name, function = at.function.strip("_"), bool(at.call and at.call.is_function)
    which = 0 if name == "where" else 1
    if len(at.dtypes) <= which:
        return None
    place = int(function) if which else 0 if function else 99
    new = at.change_argument(place, ".bool()", "condition", "mask")
    return at.explain("mask-dtype", new, function=name, dtype=at.dtypes[which])


RULES.rule(r"NotImplementedError|RuntimeError: not implemented for 'Complex\w*'|not supported for complex")(
    lambda at: at.explain("order-of-complex") if operation_of(at.function).orders else None
)
