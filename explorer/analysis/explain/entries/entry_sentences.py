"""Select the sentences about one call and its gradients, with their numbers."""

import math
from collections.abc import Iterator

import numpy as np

from explorer.analysis.explain.entries.entry_arithmetic import result_word
from explorer.analysis.explain.entries.operation_view import OperationView
from explorer.analysis.run.operations import creation, operation_of_call
from explorer.analysis.run.operations.call import CallPart, NoEntryMap, Reading
from explorer.analysis.run.operations.record import Operation
from explorer.analysis.run.operations.reductions import order_position
from explorer.analysis.run.operations.rules import RULES, function_of
from explorer.text import as_sentence, joined, say
from explorer.text.numbers import number, sizes

Sentences = Iterator[tuple[str, dict[str, str | int]]]  # end of a message id, and extra values


def sentences(view: OperationView, lang: str) -> list[str]:
    """Return sentences about the call, changes of dtype, and why no entry is traced."""
    result = view.outcomes[0].part if view.outcomes else None
    first = view.operands[0] if view.operands else result
    usual: dict[str, str | int] = {}
    if result is not None and first is not None:  # the first operand, and the shapes before and after
        usual = {"word": first.word or "·", "from": sizes(first.shape), "to": sizes(result.shape), "count": first.size}
    about = [say(lang, f"operations-{kind}", **(usual | own)) for kind, own in _about(view)]
    texts = [" ".join(about)] if about else []
    if (types := promotion(view)) is not None:
        texts.append(say(lang, "operations-promotion", types=", ".join(types[:-1]), result=types[-1]))
    if view.missing:
        texts.append(say(lang, f"operations-missing.{view.missing}"))
    return texts


def promotion(view: OperationView) -> tuple[str, ...] | None:
    """Return the operands' and result's dtypes if they differ, otherwise None."""
    reading = view.outcomes[0].reading if view.outcomes else None
    if reading is None or len(operation_of_call(view.call).operands) != 2:
        return None
    types = [part.dtype if part.tensor >= 0 else _PYTHON[part.dtype] for part in view.operands[:2]]
    result = view.outcomes[0].part.dtype
    tensors = {part.dtype for part in view.operands[:2] if part.tensor >= 0}
    return (*types, result) if tensors != {result} and result != "bool" else None


def back_sentence(view: OperationView, lang: str) -> str:
    """Describe where each result entry's gradient goes, "" without a gradient."""
    if view.back is None:
        return ""
    kind = _back_kind(view)
    if view.back.differs and len(_copies(view)) < 2:  # only the first of several results was compared
        kind = "plain"
    words = dict(zip("ab", (part.word or "·" for part in view.operands), strict=False))
    texts = [as_sentence(lang, say(lang, f"rule-{_RULES[kind]}"))] if kind in _RULES else []
    if kind == "same" and _stretched(view):
        texts.append(as_sentence(lang, say(lang, "rule-stretched")))
    if kind not in _RULES or kind in ("zeros", "scatter"):
        texts.append(say(lang, f"operations-back.{kind}", **words))
    return joined(lang, texts)


# Kind of operation → the rule that the player also states, as the end of the message's id.
_RULES = {kind: kind for kind in ("sub", "mul", "sum", "mean", "moved")} | {
    "same": "add",
    "zeros": "moved",
    "scatter": "moved",
}


def _back_kind(view: OperationView) -> str:
    """Return the end of the message id."""
    reading, operation = view.outcomes[0].reading, operation_of_call(view.call)
    if reading is None:
        return "plain"
    kind = _copied_back(view) if reading.rule == "copy" else operation.back
    if kind == "plain":
        kind = RULES[reading.rule].back if reading.rule in RULES else "plain"
    elif operation.forward:  # `scaled` is a separate operation
        kind = function_of(reading.rule).back
    match kind:
        case _ if operation.sentence == "embedding":
            passes = zip(view.back.factors, reading.reads, strict=True)
            ones = [bool((factor[read >= 0] == 1).all()) for factor, read in passes if factor is not None]
            return kind if ones and all(ones) else "plain"  # a padding row gets 0
        case "mm" if len(view.operands[0].shape) != 2:
            return "products"
        case "products" if len(view.operands) == 1:
            return "sum" if _widths(reading).max(initial=0) > 1 else "zeros"
        case "mean" if len({*_widths(reading).tolist()}) > 1:  # windows of several sizes
            return "plain"
        case "prod" if operation.sentence == "running":
            return "plain"
        case "larger" | "winner" if not _all_passes_on(view):
            return "plain"
        case "winner" if operation.name in _SHARES and len(view.outcomes) == 1:
            return "winner-shared"
    return kind


_SHARES = ("amax", "amin", "max", "min")  # functions with one result share the gradient among equal entries


def _all_passes_on(view: OperationView) -> bool:
    """Return whether an entry's whole gradient goes to the chosen entries, False with NaN."""
    numbers = view.outcomes[0].part.numbers
    if numbers is not None and np.isnan(numbers).any():
        return False
    known = [factor.sum(1) for factor in view.back.factors if factor is not None] if view.back else []
    return not known or bool((sum(known) <= 1 + 1e-6).all())


def _widths(reading: Reading) -> np.ndarray:
    """Return how many entries of the first operand each result entry reads."""
    return (reading.reads[0] >= 0).sum(1)


def _copies(view: OperationView) -> list[Reading]:
    """Return the readings of results that consist of copies."""
    return [made.reading for made in view.outcomes if made.reading is not None and made.reading.rule == "copy"]


def _copied_back(view: OperationView) -> str:
    """Return whether entries were left out, read repeatedly, or read once each."""
    copies = _copies(view)
    for k in copies[0].sources:
        reads = np.concatenate([reading.reads[k] for reading in copies])
        counts = np.bincount(reads[reads >= 0], minlength=view.operands[k].size)
        if counts.max(initial=0) > 1:
            return "scatter"
        if counts.min(initial=1) == 0:
            return "zeros"
    return "moved"


def _about(view: OperationView) -> Sentences:
    operation = operation_of_call(view.call)
    if view.outcomes and (write := _DESCRIBE.get(operation.subject)) and (view.operands or write is _describe_creation):
        yield from write(view, operation)


def _describe_pairs(view: OperationView, operation: Operation) -> Sentences:
    result = view.outcomes[0].part
    if len(operation.operands) == 1:
        yield "function", {}
    elif operation.name in ("eq", "ne") and _are_transposes(view):
        if result.numbers is not None:
            different = int(((result.numbers == 0) if operation.name == "eq" else (result.numbers != 0)).sum())
            word = min((part.word for part in view.operands), key=len)
            yield "asymmetric" if different else "symmetric", {"word": word, "count": different}
    else:
        yield "pairs", {"count": result.size}
        if stretched := _stretched(view):
            yield "stretched", {"shapes": ", ".join(f"{part.word or '·'} {sizes(part.shape)}" for part in stretched)}
        if operation.name == "eq" and result.numbers is not None:
            yield "equal", {"equal": int((result.numbers != 0).sum()), "count": result.size}


def _stretched(view: OperationView) -> list[CallPart]:
    """Return the operands that were broadcast."""
    shape = view.outcomes[0].part.shape
    return [part for part in view.operands if part.tensor >= 0 and part.shape != shape]


def _describe_move(view: OperationView, operation: Operation) -> Sentences:
    kind, name = operation.sentence, view.call.name
    first, result = view.operands[0], view.outcomes[0].part
    if kind in ("reshape", "expand") and (first.shape, first.dtype) == (result.shape, result.dtype):
        yield "same", {}
    elif kind == "reshape" and first.dtype != result.dtype:
        yield "reinterpreted" if name == "view" else "cast", {"before": first.dtype, "after": result.dtype}
    elif kind != "repeat" or view.outcomes[0].reading is not None:
        if kind == "triangle" and name.startswith("diag"):
            kind = "diagonal" if len(result.shape) < len(first.shape) else "on-diagonal"
        parts = len(view.outcomes) if kind == "split" else len(view.operands)
        yield kind, {"parts": parts, "times": number(result.size / max(1, first.size))}


def _describe_pick(view: OperationView, operation: Operation) -> Sentences:
    kind, name = operation.sentence, view.call.name
    reading, result, first = view.outcomes[0].reading, view.outcomes[0].part, view.operands[0]
    if kind == "where" and len(view.operands) == 1:
        kind = "nonzero"
    if kind == "nonzero" and (name == "where" or len(result.shape) == 1):
        kind = "nonzero-axes"
    elif kind == "index" and [(p.dtype, p.shape) for p in view.operands[1:]] == [("bool", first.shape)]:
        kind = "mask"
    if kind == "embedding":
        table = view.operands[-1]
        yield kind, {"table": table.word or "·", "rows": table.shape[0], "width": table.shape[-1]}
        return
    if kind == "write":
        if reading is not None and reading.rule == "sum":
            yield "added-up", {}
        elif reading is not None:
            rest = int((reading.reads[0] >= 0).sum()) if 0 in reading.sources else 0
            where = "write" if view.call.in_place or name == "__setitem__" else "write-copy"
            yield where, {"written": result.size - rest, "kept": rest}
        return
    if kind == "index" and reading is not None:
        distinct = len(np.unique(reading.reads[0][reading.reads[0] >= 0]))
        kind = "index-repeated" if distinct < result.size else kind
        yield kind, {"picked": distinct}
        return
    yield kind, {"picked": result.size, "formula": _looked_up(view) if kind in ("gather", "scatter-add") else ""}


def _looked_up(view: OperationView) -> str:
    """Write `c[i][j] = a[index[i][j]][j]` for gather and additions along an axis."""
    first, gathers = view.operands[0], operation_of_call(view.call).sentence == "gather"
    rank = max(1, len(first.shape))
    axis = view.call.plain(1, "dim", default=0)
    axis = axis % rank if isinstance(axis, int) else 0
    letters = "ijklmn"[:rank]
    own = "".join(f"[{letter}]" for letter in letters)
    index = (view.operands[1].word if len(view.operands) > 1 else "") or "index"
    place = f"[{index}[{letters[axis]}]]" if view.call.name == "index_add" else f"[{index}{own}]"
    looked = "".join(place if k == axis else f"[{letter}]" for k, letter in enumerate(letters))
    made = result_word(view, 0)
    to = f"{made}{own} = {first.word or '·'}{looked}"
    return to if gathers else f"{made}{looked} += {view.operands[-1].word or 'src'}{own}"


def _describe_product(view: OperationView, operation: Operation) -> Sentences:
    """Yield the message about an entry's terms: products, entries, or products and a bias."""
    kind, reading = operation.sentence, view.outcomes[0].reading
    if kind in ("svd", "cross"):
        yield kind, {}
    elif reading is not None:
        width, sizes, bias = reading.reads[0].shape[1], [part.size for part in view.operands], "no"
        if not kind and len(sizes) == 1:
            kind = "entry" if width == 1 else "addends"
        elif operation.name == "linear" and len(sizes) == 3:
            width, bias = width - 1, "yes"
        elif not kind and width == 1:
            kind = "outer" if len(sizes) == 2 and math.prod(sizes) == view.outcomes[0].part.size else "product"
        yield kind or "products", {"width": width, "bias": bias}


def _describe_window(view: OperationView, operation: Operation) -> Sentences:
    """Yield the message about a window's size, and the smallest if sizes vary."""
    if (reading := view.outcomes[0].reading) is None or not (widths := _widths(reading)).size:
        return
    kind = "window-products" if reading.rule == "products" else "window"
    yield kind, {"width": int(widths.max()), "rule": reading.rule, "bias": "yes" if len(view.operands) > 2 else "no"}
    if widths.min() < widths.max():
        yield "window-smallest", {"width": int(widths.min())}


def _describe_reduction(view: OperationView, operation: Operation) -> Sentences:
    if len(view.operands) != 1:
        yield from _describe_pairs(view, operation)
        return
    name, call, result = operation.name, view.call, view.outcomes[0].part
    reading, kind, rank = view.outcomes[0].reading, operation.sentence, len(call.operands[0].shape)
    if reading is None:
        return
    if kind != "reduced":
        axis = call.plain(order_position(name), "dim", "axis", default=-1)
        own: dict[str, str | int] = {"name": name, "axis": "·"}
        if isinstance(axis, int):
            own["axis"] = str(axis % max(1, rank))  # the picture counts its axes from 0
            if name == "topk" and result.shape:
                kind, own["which"] = "extreme", "largest" if call.plain(3, "largest", default=True) else "smallest"
                own["count"] = result.shape[axis]
        yield kind, own
        return
    order = dict(reading.constants).get("p")
    own = {"width": reading.reads[0].shape[1], "results": result.size, "name": reading.rule}
    yield "reduced" if order is None else "norm", own | ({} if order is None else {"order": f"L{number(order)}"})
    if order == 2 and rank == 2 and not result.shape:
        yield "frobenius", {}
    if result.shape and len(result.shape) == rank:
        yield "keepdim", {}


def _describe_creation(view: OperationView, operation: Operation) -> Sentences:
    kind, result = operation.sentence, view.outcomes[0].part
    if kind not in ("filled", "randperm", "empty") and view.operands and view.operands[0].dtype != result.dtype:
        kind = "like-shape" if kind == "like" else "filled"
    own: dict[str, str | int] = {"count": result.size, "dtype": result.dtype}
    try:
        if (steps := creation.steps(view.call)) is not None:
            own |= dict(zip(("start", "end", "step"), map(number, steps), strict=True))
        elif kind == "sample" and (drawn := creation.sample(view.call)) is not None:
            own |= {"mean": number(drawn.mean), "deviation": number(drawn.deviation)}
            own["family"] = "each"
            if drawn.first is not None:
                own |= {"family": drawn.family, "first": number(drawn.first), "second": number(drawn.second)}
    except NoEntryMap:
        return
    if kind != "sample" or "family" in own:
        yield kind, own


def _describe_asked(view: OperationView, operation: Operation) -> Sentences:
    """Yield the message from torch's answer, for an operation without a subject."""
    if (reading := view.outcomes[0].reading) is not None:
        yield {"copy": "taken", "sum": "added-up"}.get(reading.rule, "depends"), {}
        if (
            reading.rule == "copy"
            and np.max([reads.max(1, initial=-1) for reads in reading.reads], 0).min(initial=0) < 0
        ):
            yield "filled-rest", {}


def _are_transposes(view: OperationView) -> bool:
    """Return whether the operands are a matrix and its transpose."""
    words = [part.word for part in view.operands]
    return len(words) == 2 and any(f"{words[k]}{t}" == words[1 - k] for k in (0, 1) for t in (".T", ".mT", ".t()"))


def _describe_loss(view: OperationView, operation: Operation) -> Sentences:
    if (reading := view.outcomes[0].reading) is not None:
        result = "mean" if dict(reading.constants)["mean"] else "none" if view.outcomes[0].part.shape else "sum"
        yield "cross-entropy", {"scores": view.operands[0].word or "·", "reduction": result}


_PYTHON = {"bool": "bool", "int64": "int", "float32": "float"}  # Python's name for a number's dtype
_DESCRIBE = {
    "shape": _describe_move,
    "pick": _describe_pick,
    "products": _describe_product,
    "windows": _describe_window,
    "losses": _describe_loss,
    "create": _describe_creation,
    "reduce": _describe_reduction,
    "each": _describe_pairs,
    "": _describe_asked,
}
