"""Draw one call with its sentences, and list pictured operations."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from explorer.analysis.explain.entries.entry_arithmetic import back_words, entry_words, place_words, result_word
from explorer.analysis.explain.entries.entry_sentences import back_sentence, promotion, sentences
from explorer.analysis.explain.entries.operation_view import OperationView, losses_of_rows, terms
from explorer.analysis.run.operations import ALL, operation_of
from explorer.analysis.run.operations.call import CallPart
from explorer.analysis.run.operations.record import SUBJECTS, Subject
from explorer.drawing.color import Scale, largest
from explorer.drawing.marks import quoted
from explorer.drawing.operations.squares import (
    DrawnTensor,
    Label,
    TensorWindow,
    kept_entries,
    plain_html,
    sampled_shapes,
    tensor_html,
    top_of,
    window,
)
from explorer.text import say
from explorer.text.numbers import digits_of, holds, number, read
from explorer.trace import Number


def known_html(lang: str) -> str:
    """List all operations with a picture by subject, folded."""
    rows = "".join(_row(say(lang, f"operations-group.{subject}"), _pictured(subject)) for subject in SUBJECTS)
    title = quoted(say(lang, "operations-known-title"))
    return f'<details class="op-known"><summary>{title}</summary><dl>{rows}</dl></details>'


def _pictured(subject: Subject) -> list[str]:
    """Return the callable names of a subject's operations, without operators."""
    names = {name for operation in ALL if operation.subject == subject for name in operation.names}
    return sorted(name for name in names if not name.startswith("_"))


def _row(title: str, names: Sequence[str]) -> str:
    codes = " ".join(f"<code>{quoted(name)}</code>" for name in names)
    return f"<div><dt>{quoted(title)}</dt><dd>{codes}</dd></div>"


OPERANDS = 5  # drawn operands; cat and stack may have many


def operation_html(view: OperationView, lang: str) -> str:
    """Render one call's picture and sentences, with escaped program text."""
    scale = _scale(view)
    shown = view.operands[:OPERANDS]
    operands = [_operand(view, k, lang) for k in range(len(shown))]
    results = [_result(view, k, operands, lang) for k in range(len(view.outcomes))]
    single = max((top_of(drawn.part.numbers) for drawn in (*operands, *results) if drawn.part.size == 1), default=0.0)
    left, right = ([tensor_html(tensor, single, scale, lang) for tensor in side] for side in (operands, results))
    if _sign(view):
        left[1] = f'<div class="op-signed"><span class="op-sign">{quoted(_sign(view))}</span>{left[1]}</div>'
    arrow = '<span class="op-arrow" aria-hidden="true"></span>' if left else ""
    more = f'<span class="op-more">… +{len(view.operands) - OPERANDS}</span>' if len(view.operands) > OPERANDS else ""
    given = f'<div class="op-side">{"".join(left)}{more}</div>' if left else ""
    row = given + (f'<div class="op-to">{arrow}<div class="op-side">{"".join(right)}</div></div>' if right else "")
    place = {0: " below", 1: " beside", None: ""}.get(view.collapsed, "")
    sample = _example(view)
    text = " ".join(sentences(view, lang))
    back = quoted(back_sentence(view, lang))
    toggle = ""
    if scale is not None:
        forward, backward = (say(lang, f"operations-{word}") for word in ("forward", "backward"))
        toggle = (
            f'<div class="op-ways" role="group"><button type="button" data-way="forward" aria-pressed="true">'
            f'{quoted(forward)}</button><button type="button" data-way="back" aria-pressed="false">{quoted(backward)}'
            "</button></div>"
        )
    within = view.call.name not in view.text and not view.call.name.startswith("_") and not _sign(view)
    named = f" <small>{quoted(view.call.name)}</small>" if within else ""  # such as a layer's function
    line = f'<p class="op-line"><code>{quoted(" ".join(view.text.split()))}</code>{named}</p>'
    rest = f'data-rest="{quoted(sample)}" data-rest-back="{quoted(_example_back(view))}"'
    return (
        f'<figure class="operation"><div class="op-head">{line}{toggle}</div>'
        f'<p class="op-about forward">{quoted(text)}</p><p class="op-about back">{back}</p>'
        f'<div class="op-scroll"><div class="op-row{place}">{row}</div></div>'
        f'<p class="op-entry" aria-live="polite" {rest}>{quoted(sample)}</p>{_notes(view, lang)}{_types(view, lang)}'
        f"{_losses(view, lang)}{_terms(view, lang)}{_beside(view, lang)}{_legend(view, scale, lang)}</figure>"
    )


def _sign(view: OperationView) -> str:
    """Return the operator between two operands, "" if arguments change its meaning."""
    operation = operation_of(view.call.name)
    other = view.call.plain(-1, "alpha", default=1) != 1 or view.call.plain(-1, "rounding_mode", default=None)
    turned = view.missing and operation.names.get(view.call.name)
    if not operation.operator or len(view.operands) != 2 or other or turned:
        return ""
    return operation.offer.symbol if operation.offer else operation.operator


def _seen(view: OperationView, part: CallPart) -> TensorWindow:
    """Return the drawn part of a tensor, empty if unknown."""
    if view.missing and part.numbers is None:
        return TensorWindow((), ())
    collapsed = view.collapsed if any(part is outcome.part for outcome in view.outcomes) else None
    parts = [*view.operands, *(outcome.part for outcome in view.outcomes)]
    return window(part.shape, collapsed, sampled_shapes(parts))


def _operand(view: OperationView, k: int, lang: str) -> DrawnTensor:
    part, seen = view.operands[k], _seen(view, view.operands[k])
    gradient = view.back.operands[k] if view.back else None
    labels, kept = {}, kept_entries(gradient, seen.places() if part.size else [])
    for place in seen.places():
        labels[place] = Label(_label(part, place), back=back_words(view, k, place) or _slope(part, kept, place))
    title = say(lang, "operations-operand", word=part.word or "·")
    moment = say(lang, "operations-before") if view.call.in_place and k == 0 else ""
    word, back = part.word or "·", ""
    if view.back is not None and gradient is not None:
        back = say(lang, "operations-gradient-of" if view.back.shared[k] else "operations-gradient-sent", word=word)
    blank = part.uninitialised
    return DrawnTensor(part, gradient, f"o{k}", word, title, seen, labels, blank, moment=moment, back=back)


def _result(view: OperationView, k: int, operands: list[DrawnTensor], lang: str) -> DrawnTensor:
    """Draw a result. A matrix reduction is aligned with its removed axis."""
    outcome = view.outcomes[k]
    part, reading = outcome.part, outcome.reading
    seen = _seen(view, part)
    drawn = [set(operand.window.places()) for operand in operands]
    labels, word = {}, result_word(view, k)
    gradient = view.back.result if view.back and k == 0 else None
    kept = kept_entries(gradient, seen.places() if part.size else [])
    for place in seen.places() if part.size else []:
        reads = []
        if reading is not None:
            for operand, places in enumerate(reading.reads[: len(drawn)]):
                entries = {int(entry) for entry in places[place] if entry >= 0} & drawn[operand]
                reads += [f"o{operand}.{entry}" for entry in sorted(entries)]
        labels[place] = Label(entry_words(view, k, place), " ".join(reads), _slope(part, kept, place, word))
    title = say(lang, "operations-result", word=part.word)
    like = operands[0] if view.collapsed is not None else None
    upright = view.collapsed == 1 and len(part.shape) == 1
    moment = say(lang, "operations-after") if view.call.in_place else ""
    back, blank = say(lang, "operations-gradient-of", word=word) if gradient is not None else "", part.uninitialised
    return DrawnTensor(part, gradient, f"r{k}", word, title, seen, labels, blank, upright, like, moment, back)


def _slope(part: CallPart, kept: Mapping[int, Number], place: int, word: str = "") -> str:
    return f"∂/∂{place_words(part, place, word)} = {number(kept[place], True)}" if place in kept else ""


def _label(part: CallPart, place: int) -> str:
    if part.value is None or part.value.data is None or not part.size or part.uninitialised:
        return place_words(part, place)
    value = number(part.value.data[place])
    return value if part.tensor < 0 and not part.shape else f"{place_words(part, place)} = {value}"


def _scale(view: OperationView) -> Scale | None:
    """Return one scale for all gradients of the picture, None without entries."""
    if view.back is None:
        return None
    values = [value for value in (view.back.result, *view.back.operands) if value is not None]
    if not any(value.entries for value in values):
        return None
    return Scale(max((size for value in values if (size := largest(value)) > 0), default=1.0))


def _example(view: OperationView) -> str:
    """Return the default entry to explain: written, reading most, nonzero if possible."""
    if not view.outcomes or not view.outcomes[0].part.size:
        return ""
    reading = view.outcomes[0].reading
    if reading is None:
        return ""
    sources = reading.sources or range(len(reading.reads))
    width = sum((reading.reads[k] >= 0).sum(1) for k in sources)
    numbers = view.outcomes[0].part.numbers
    drawn = _seen(view, view.outcomes[0].part).places() or [0]
    telling = np.ones(len(width), bool) if numbers is None else numbers != 0
    writes = operation_of(view.call.name).writes
    stays = reading.reads[0].max(1, initial=-1) >= 0 if writes else np.zeros(len(width), bool)
    best = max(drawn, key=lambda place: (not stays[place], int(width[place]), bool(telling[place]), -place))
    return entry_words(view, 0, best)


def _example_back(view: OperationView) -> str:
    if view.back is None:
        return ""
    sent = (k for k, value in enumerate(view.back.operands) if value is not None and view.operands[k].size)
    return next(filter(None, (back_words(view, k, 0) for k in sent)), "")


def _notes(view: OperationView, lang: str) -> str:
    parts = [*view.operands, *(outcome.part for outcome in view.outcomes)]
    unread = any(part.value is None for part in parts)
    return f'<p class="op-cut">{quoted(say(lang, "operations-unreadable"))}</p>' if unread else ""


def _types(view: OperationView, lang: str) -> str:
    """Render the dtypes of two operands and the result if they differ."""
    if (types := promotion(view)) is None:
        return ""
    heads = [part.word or "·" for part in view.operands[:2]] + [say(lang, "operations-promotion-result")]
    head = "".join(f"<th>{quoted(word)}</th>" for word in heads)
    body = "".join(f"<td>{quoted(type_)}</td>" for type_ in types)
    title = quoted(say(lang, "operations-promotion-title"))
    return f'<div class="rows op-types"><table><caption>{title}</caption><tr>{head}</tr><tr>{body}</tr></table></div>'


def _losses(view: OperationView, lang: str) -> str:
    """Render a cross entropy's rows: label, its softmax, and −log of it."""
    if not (rows := losses_of_rows(view)):
        return ""
    scores, lines = view.operands[0], []
    for k, row in enumerate(rows[: len(_seen(view, scores).slices[0].rows)]):
        digits, sign = digits_of(_minus_log, [row.share], row.loss)
        share, loss = number(row.share, digits=digits), number(row.loss)
        written = np.array([read(number(score)) for score in row.scores])  # as in its squares
        raised = np.exp(written - written.max())
        again = row.share > 0 and holds(float(raised[row.label] / raised.sum()), row.share, digits)
        name = place_words(scores, k * scores.shape[1]).removesuffix(", 0]") + "]"
        made = f"−log {share} {sign} {loss}" if sign else loss
        cells = (name, str(row.label), f"{'=' if again else '≈'} {share}", made)
        lines.append("<tr>" + "".join(f"<td>{quoted(cell)}</td>" for cell in cells) + "</tr>")
    heads = [say(lang, f"operations-loss.{word}") for word in ("row", "label", "softmax", "loss")]
    head = "".join(f"<th>{quoted(word)}</th>" for word in heads)
    return f'<div class="rows op-types"><table><tr>{head}</tr>{"".join(lines)}</table></div>'


def _minus_log(share: list[Number]) -> float:
    return -math.log(share[0]) if isinstance(share[0], float) and share[0] > 0 else math.inf


def _terms(view: OperationView, lang: str) -> str:
    """Render a decomposition's rank-1 terms and partial sums."""
    products = terms(view)
    if not products:
        return ""
    columns = []
    for k, term in enumerate(products, 1):
        heads = (
            say(lang, "operations-svd-term", k=k, sigma=number(term.sigma)),
            say(lang, "operations-svd-sum", k=k, left=number(term.left if term.left > 1e-6 else 0.0)),
        )
        columns += [
            f'<div class="op-term"><p>{quoted(head)}</p>{plain_html(part, head)}</div>'
            for head, part in zip(heads, (term.matrix, term.until), strict=True)
        ]
    return (
        f'<div class="op-scroll"><div class="op-terms" style="--terms:{len(products)}">{"".join(columns)}</div></div>'
    )


def _beside(view: OperationView, lang: str) -> str:
    """Render the other product of the same two matrices."""
    if view.beside is None:
        return ""
    kind, part = view.beside
    words = say(lang, "operations-beside", kind=kind)
    return (
        f'<div class="op-beside"><p>{quoted(words)}</p><div class="op-name"><code>{quoted(part.word)}</code></div>'
        f"{plain_html(part, part.word)}</div>"
    )


def _legend(view: OperationView, scale: Scale | None, lang: str) -> str:
    traced = any(outcome.reading is not None for outcome in view.outcomes)
    kinds = (("value", "k forward"), *((("chosen", "k"), ("reads", "k")) if traced else ()))
    marks = [
        f'<span class="{kind}"><i class="lg op-{mark}"></i>{quoted(say(lang, f"operations-legend-{mark}"))}</span>'
        for mark, kind in kinds
    ]
    if scale is not None:
        top = number(scale.largest)
        ramp = f'<b>−{top}</b><i class="ramp"></i><b>+{top}</b>'
        marks.append(f'<span class="k scale back">{quoted(say(lang, "graph-gradient"))}&#8194;{ramp}</span>')
    hint = f'<p class="op-hint">{quoted(say(lang, "operations-hint"))}</p>' if traced else ""
    return f'{hint}<div class="legend">{"".join(marks)}</div>'
