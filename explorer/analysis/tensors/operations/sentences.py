"""Sentences about one call with its numbers, and about its gradients."""

import math

import numpy as np

from explorer.analysis.operations import creation, operation_of_call
from explorer.analysis.operations.call import CallPart, NoEntryMap
from explorer.analysis.operations.record import Operation
from explorer.analysis.operations.reductions import order_position
from explorer.analysis.operations.rules import RULES, function_of
from explorer.analysis.tensors.operations.view import OperationView
from explorer.text import say
from explorer.text.numbers import number, shape_text


def sentences(view: OperationView, lang: str) -> list[str]:
    """What the call does; then changes of dtype, and why no entry is traced."""
    said = [_about(view, lang)]
    if (types := promotion(view)) is not None:
        said.append(say(lang, "operations-promotion", types=", ".join(types[:-1]), result=types[-1]))
    if view.missing:
        said.append(say(lang, f"operations-missing-{view.missing}"))
    return [sentence for sentence in said if sentence]


def promotion(view: OperationView) -> tuple[str, ...] | None:
    """The dtypes of the operands, then the result's, if they are not all one; otherwise None."""
    reading = view.outcomes[0].reading if view.outcomes else None
    if reading is None or len(operation_of_call(view.call).operands) != 2:
        return None
    types = [part.dtype if part.tensor >= 0 else _python_type(part) for part in view.operands[:2]]
    result = view.outcomes[0].part.dtype
    tensors = {part.dtype for part in view.operands[:2] if part.tensor >= 0}
    return (*types, result) if tensors != {result} and result != "bool" else None


def back_sentence(view: OperationView, lang: str) -> str:
    """Where the gradient of each entry of the result goes; "" without a gradient."""
    if view.back is None:
        return ""
    reading = view.outcomes[0].reading
    if reading is None:
        return say(lang, "operations-back-plain")
    rule, operation = reading.rule, operation_of_call(view.call)
    if rule == "products" and operation.name in ("mm", "matmul") and len(view.operands[0].shape) == 2:
        a, b = (part.word or "·" for part in view.operands[:2])
        return say(lang, "operations-back-mm", a=a, b=b)
    if rule == "mean":
        return say(lang, "operations-back-mean", count=int((reading.reads[0] >= 0).sum(1).max(initial=0)))
    if operation.back != "plain":  # `scaled` is an operation of its own here
        return say(lang, f"operations-back-{function_of(rule).back if operation.forward else operation.back}")
    kind = _copied_back(view) if rule == "copy" else RULES[rule].back if rule in RULES else "plain"
    return say(lang, f"operations-back-{kind}")


def _copied_back(view: OperationView) -> str:
    """Whether entries were left out, read more than once, or each once."""
    for k in view.outcomes[0].reading.sources:
        reads = view.outcomes[0].reading.reads[k]
        counts = np.bincount(reads[reads >= 0], minlength=view.operands[k].size)
        if counts.max(initial=0) > 1:
            return "scatter"
        if counts.min(initial=1) == 0:
            return "zeros"
    return "moved"


def _about(view: OperationView, lang: str) -> str:
    operation = operation_of_call(view.call)
    if not view.outcomes or not operation.subject:
        return ""
    if operation.sentence == "svd":
        return say(lang, "operations-svd")
    if operation.subject == "create":
        return _created(view, operation, lang)
    if not view.operands:
        return ""
    first, result = view.operands[0], view.outcomes[0].part
    known: dict[str, str | int] = {
        "word": first.word or "·",
        "from": _shape(first),
        "to": _shape(result),
        "count": first.size,
    }
    if operation.subject == "shape":
        return _moved(view, operation, known, lang)
    if operation.subject == "pick":
        return _picked(view, operation, known, lang)
    if operation.subject == "reduce" and len(view.operands) == 1:
        return _combined(view, operation, known, lang)
    if operation.subject == "products":
        return _multiplied(view, operation, _shape(result), lang)
    if len(operation.operands) == 1:
        return say(lang, "operations-function", count=first.size)
    if operation.name in ("eq", "ne") and _transposed(view):
        return _symmetry(view, operation, lang)
    told = say(lang, "operations-pairs", count=result.size)
    stretched = [part for part in view.operands if part.tensor >= 0 and part.shape != result.shape]
    if stretched:
        shapes = ", ".join(f"{part.word or '·'} {_shape(part)}" for part in stretched)
        told += " " + say(lang, "operations-stretched", shapes=shapes, to=known["to"])
    if operation.name == "eq" and result.numbers is not None:
        told += " " + say(lang, "operations-equal", equal=int((result.numbers != 0).sum()), count=result.size)
    return told


def _moved(view: OperationView, operation: Operation, known: dict, lang: str) -> str:
    kind, name = operation.sentence, view.call.name
    if kind == "reshape" and view.operands[0].dtype != view.outcomes[0].part.dtype:
        word = "reinterpreted" if name == "view" else "cast"
        return say(lang, f"operations-{word}", before=view.operands[0].dtype, after=view.outcomes[0].part.dtype)
    if kind == "repeat" and view.outcomes[0].reading is None:
        return ""
    if kind == "triangle" and name.startswith("diag"):
        before, after = (len(part.shape) for part in (view.operands[0], view.outcomes[0].part))
        kind = "diagonal" if after < before else "on-diagonal"
    known["parts"] = len(view.outcomes) if kind == "split" else len(view.operands)
    known["times"] = number(view.outcomes[0].part.size / max(1, known["count"]))
    return say(lang, f"operations-{kind}", **known)


def _picked(view: OperationView, operation: Operation, known: dict, lang: str) -> str:
    kind, name = operation.sentence, view.call.name
    reading, result = view.outcomes[0].reading, view.outcomes[0].part
    if kind == "gather" or kind == "scatter-add":
        axis = view.call.plain(1, "dim", default=0)
        axis = axis % max(1, len(view.operands[0].shape)) if isinstance(axis, int) else 0
        letters = "ijklmn"[: max(1, len(view.operands[0].shape))]
        index = (view.operands[1].word if len(view.operands) > 1 else "") or "index"
        own = "".join(f"[{letter}]" for letter in letters)
        looked = "".join(f"[{index}{own}]" if k == axis else f"[{letter}]" for k, letter in enumerate(letters))
        if name == "index_add":
            looked = "".join(f"[{index}[{letter}]]" if k == axis else f"[{letter}]" for k, letter in enumerate(letters))
        source = view.operands[-1].word or "src"
        formula = f"out{own} = {known['word']}{looked}" if kind == "gather" else f"out{looked} += {source}{own}"
        return say(lang, f"operations-{kind}", formula=formula)
    if kind == "where" and len(view.operands) == 1:
        kind = "nonzero"
    if kind == "nonzero" and (name == "where" or len(result.shape) == 1):
        kind = "nonzero-axes"
    if kind == "write" and reading is None:
        return ""
    if kind == "write":
        kept = int((reading.reads[0] >= 0).sum()) if 0 in reading.sources else 0
        written = result.size - kept
        where = "write" if view.call.in_place or name == "__setitem__" else "write-copy"
        return say(lang, f"operations-{where}", written=written, kept=result.size - written)
    mask = kind == "index" and [(p.dtype, p.shape) for p in view.operands[1:]] == [("bool", view.operands[0].shape)]
    picked = {"picked": result.size, "count": known["count"], "to": known["to"]}
    return say(lang, f"operations-{'mask' if mask else kind}", **picked)


def _multiplied(view: OperationView, operation: Operation, to: str, lang: str) -> str:
    """The terms of an entry: products, entries of one operand, or products and a bias."""
    name, reading = operation.name, view.outcomes[0].reading
    if name == "cross":
        return say(lang, "operations-cross")
    if reading is None:
        return ""
    width, sizes = reading.reads[0].shape[1], [part.size for part in view.operands]
    if name == "trace":
        kind = "trace"
    elif len(sizes) == 1:
        kind = "entry" if width == 1 else "addends"
    elif name == "linear" and len(sizes) == 3:
        kind, width = "products-bias", width - 1
    elif width == 1:
        kind = "outer" if len(sizes) == 2 and math.prod(sizes) == view.outcomes[0].part.size else "product"
    else:
        kind = "products"
    return say(lang, f"operations-{kind}", width=width, to=to)


def _combined(view: OperationView, operation: Operation, known: dict, lang: str) -> str:
    name, call, result = operation.name, view.call, view.outcomes[0].part
    reading, kind = view.outcomes[0].reading, operation.sentence
    if reading is None:
        return ""
    if kind != "reduced":
        axis = call.plain(order_position(name), "dim", "axis", default=-1)
        rank = max(1, len(call.operands[0].shape))  # the picture counts its axes from 0
        counted: dict[str, str | int] = {"axis": str(axis % rank) if isinstance(axis, int) else "·", "name": name}
        if name == "topk" and result.shape and isinstance(axis, int):
            kind = "largest" if call.plain(3, "largest", default=True) else "smallest"
            counted["count"] = result.shape[axis]
        return say(lang, f"operations-{kind}", **counted)
    width = reading.reads[0].shape[1]
    order, counts = dict(reading.constants).get("p"), {"width": width, "results": result.size}
    if order is None:
        told = say(lang, "operations-reduced", name=reading.rule, **counts, **known)
    else:
        told = say(lang, "operations-norm", order=f"L{number(order)}", **counts, **known)
    if order == 2 and len(call.operands[0].shape) == 2 and not result.shape:
        told += " " + say(lang, "operations-frobenius")
    if result.shape and len(result.shape) == len(call.operands[0].shape):
        told += " " + say(lang, "operations-keepdim")
    return told


def _created(view: OperationView, operation: Operation, lang: str) -> str:
    kind, result = operation.sentence, view.outcomes[0].part
    if kind in ("randperm", "empty"):
        return say(lang, f"operations-{kind}", count=result.size)
    try:
        if (found := creation.steps(view.call)) is not None:
            bounds = {"start": number(found.start), "end": number(found.end), "step": number(found.step)}
            return say(lang, f"operations-{kind}", count=result.size, **bounds)
        if kind == "sample":
            return _sampled(view, lang)
    except NoEntryMap:
        return ""
    if kind != "filled" and view.operands and view.operands[0].dtype != result.dtype:
        kind = "like-shape" if kind == "like" else "filled"
    return say(lang, f"operations-{kind}", to=_shape(result), dtype=result.dtype)


def _sampled(view: OperationView, lang: str) -> str:
    if (drawn := creation.sample(view.call)) is None:
        return ""
    about = {"mean": number(drawn.mean), "deviation": number(drawn.deviation)}
    count = view.outcomes[0].part.size
    if drawn.first is None:
        return say(lang, "operations-sample-each", count=count, **about)
    bounds = {"first": number(drawn.first), "second": number(drawn.second)}
    return say(lang, f"operations-sample-{drawn.family}", count=count, **about, **bounds)


def _transposed(view: OperationView) -> bool:
    """Whether the two operands are a matrix and its transpose."""
    words = [part.word for part in view.operands]
    return len(words) == 2 and any(f"{words[k]}{t}" == words[1 - k] for k in (0, 1) for t in (".T", ".mT", ".t()"))


def _symmetry(view: OperationView, operation: Operation, lang: str) -> str:
    numbers = view.outcomes[0].part.numbers
    if numbers is None:
        return ""
    equal = int((numbers != 0).sum()) if operation.name != "ne" else int((numbers == 0).sum())
    word = min((part.word for part in view.operands), key=len)
    different = math.prod(view.outcomes[0].part.shape) - equal
    return say(lang, "operations-symmetric" if not different else "operations-asymmetric", word=word, count=different)


def _python_type(part: CallPart) -> str:
    return {"bool": "bool", "int64": "int", "float32": "float"}[part.dtype]


def _shape(part: CallPart) -> str:
    return shape_text(part.shape) or "()"
