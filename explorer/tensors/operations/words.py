"""One entry in numbers: `out[0] = 1·5 + 2·7 = 19`, and what flows back into one entry. Arithmetic, the same in all
languages; sentences are in `sentences`."""

import numpy as np

from explorer.patterns import linear, plain
from explorer.tensors.operations.call import CallPart
from explorer.tensors.operations.elementwise import BINARY, UNARY
from explorer.tensors.operations.reading import Reading
from explorer.tensors.operations.view import OperationView
from explorer.text.numbers import number
from explorer.trace import index_at, real

TERMS = 8  # of a sum that are written out
_OPERATOR, _BRACKETS = plain(r"[-+*/@<>=&|% ]"), linear(r"\(.*\)|\[.*\]")
_JOINED = {"sum": " + ", "prod": " · ", "nansum": " + "}
# Rules that make another number even of a single one.
_NUMBERED = "max min argmax argmin any all count median var std norm logsumexp".split()


def place_words(part: CallPart, place: int, word: str = "") -> str:
    """a[1, 0]; the word alone for a tensor without axes."""
    name = word or part.word or "out"
    name = f"({name})" if _OPERATOR.search(_BRACKETS.sub("", name)) else name
    return name if not part.shape else f"{name}[{', '.join(map(str, index_of(part.shape, place)))}]"


def index_of(shape: tuple[int, ...], place: int) -> tuple[int, ...]:
    """The index of a place in row-major order."""
    return index_at(place, shape)


def entry_words(view: OperationView, outcome: int, entry: int) -> str:
    """Where one entry of a result comes from, in numbers: `h[0] = 1 + 5 + 9 = 15`."""
    made = view.outcomes[outcome]
    numbers = made.part.numbers
    target = place_words(made.part, entry, "" if made.part.word else "out")
    is_now = "" if numbers is None else number(numbers[entry].item())
    if made.reading is None:
        return f"{target} = {is_now}" if is_now else target
    from_where, in_numbers = made_words(view, outcome, entry)
    parts = [target, from_where, in_numbers, is_now]
    if made.reading.rule == "position":
        return f"{target} = {is_now} ← {from_where}"
    shown = [part for i, part in enumerate(parts) if part and part not in parts[:i]]
    return " = ".join(shown)


def made_words(view: OperationView, outcome: int, entry: int) -> tuple[str, str]:
    """What one entry of a result was made from, as places and in numbers: ("a[0] · b[0]", "2·3"); "" where not told."""
    reading = view.outcomes[outcome].reading
    return ("", "") if reading is None else (_from_places(view, reading, entry), _in_numbers(view, reading, entry))


def back_words(view: OperationView, operand: int, entry: int) -> str:
    """What flowed back into one entry of an operand: `(+1)·2 + (+1)·7 = +9`; "" when nothing is told."""
    back, part = view.back, view.operands[operand]
    if back is None or back.operands[operand] is None or back.operands[operand].data is None:
        return ""
    total = number(back.operands[operand].data[entry], True)
    target = f"∂/∂{place_words(part, entry)}"
    factor, reading = back.factors[operand], view.outcomes[0].reading
    if factor is None or reading is None:
        return f"{target} = {total}"
    entries, terms = np.nonzero(reading.reads[operand] == entry)
    pairs = [(e, t) for e, t in zip(entries.tolist(), terms.tolist(), strict=True) if factor[e, t] != 0]
    if len(pairs) == 1:  # then the name of the one entry it came from says more than a sum of one
        e, t = pairs[0]
        source = f"∂/∂{place_words(view.outcomes[0].part, e)}"
        if factor[e, t] == 1:
            return f"{target} = {source} = {total}"
        return f"{target} = {source} · {_bracketed(number(float(factor[e, t])))} = {total}"
    shares = [_share(real(back.result.data[e]), factor[e, t]) for e, t in pairs]
    return f"{target} = {_sum(shares)} = {total}" if shares else f"{target} = {total}"


def _share(gradient: float, factor: float) -> str:
    arrived = number(gradient, True)
    if factor == 1:
        return arrived
    return f"({arrived})·{_bracketed(number(float(factor)))}"


def _sum(terms: list[str], sign: str = " + ") -> str:
    """Terms joined, the middle of many left out."""
    shown = [terms[0], *(_bracketed(term) for term in terms[1:])]
    if len(shown) > TERMS:
        shown = [*shown[:4], "…", *shown[-2:]]
    return sign.join(shown)


def _bracketed(words: str) -> str:
    return f"({words})" if words.startswith(("−", "+")) else _factor(words)


def _factor(words: str) -> str:
    """A complex number is a sum: as a factor it stands in brackets."""
    return f"({words})" if words.endswith("j") else words


def _read(reading: Reading, entry: int) -> list[list[tuple[int, int]]]:
    """Per term the (operand, place) pairs that stand in it."""
    width = reading.reads[0].shape[1] if reading.reads else 0
    return [pairs for term in range(width) if (pairs := _term(reading, entry, term))]


def _term(reading: Reading, entry: int, term: int) -> list[tuple[int, int]]:
    sources = reading.sources or range(len(reading.reads))
    return [(k, int(reading.reads[k][entry, term])) for k in sources if reading.reads[k][entry, term] >= 0]


def _from_places(view: OperationView, reading: Reading, entry: int) -> str:
    """Which entries are read, where that is short enough to say: a[1, 0], or a[0, 1] · b[1, 0]."""
    terms = _read(reading, entry)
    if len(terms) > 1 and any(view.operands[k].numbers is None for k, _ in terms[0]):
        return _of_unknown(view, reading, terms)
    if len(terms) != 1 or reading.rule in _NUMBERED:
        return ""
    named = [_named(view, k, place) for k, place in terms[0]]
    function = UNARY.get(reading.rule) or BINARY.get(reading.rule)
    if function:
        return function.written.format(*named)
    return " · ".join(named)


def _of_unknown(view: OperationView, reading: Reading, terms: list[list[tuple[int, int]]]) -> str:
    """Which entries are read, their numbers not being at hand."""
    named = ["·".join(_named(view, k, place) for k, place in term) for term in terms[:2]]
    joined = _JOINED.get(reading.rule) or (" + " if reading.rule == "products" else ", ")
    told = joined.join([*named, *(["…"] if len(terms) > 2 else [])])
    return told if joined != ", " else f"{reading.rule}({told})"


def _named(view: OperationView, operand: int, place: int) -> str:
    part = view.operands[operand]
    if part.tensor >= 0:
        return place_words(part, place)
    return number(part.numbers[place].item()) if part.numbers is not None else part.word


def _in_numbers(view: OperationView, reading: Reading, entry: int) -> str:
    """The arithmetic with the numbers that were read; "" where they were not kept."""
    numbers = [part.numbers for part in view.operands]
    terms = _read(reading, entry)
    if any(numbers[k] is None for term in terms for k, _ in term):
        return ""
    said = [[number(numbers[k][place].item()) for k, place in term] for term in terms]
    function = UNARY.get(reading.rule) or BINARY.get(reading.rule)
    if function and said:
        first, *others = said[0]
        plain = function.written.find("{0}") == 0 or "({0}" in function.written or "|{0}" in function.written
        return function.written.format(
            (_factor(first) if others else first) if plain and "^" not in function.written else _bracketed(first),
            *map(_bracketed, others),
        )
    if reading.rule == "products":
        return _sum([_product(term) for term in said]) if said else "0"
    if reading.rule == "cross":
        return _sum([_product(term) for term in said], " − ")
    flat = [words for term in said for words in term]
    return _of_many(reading, flat)


def _product(factors: list[str]) -> str:
    first, *others = factors
    return "·".join([_factor(first) if others else first, *map(_bracketed, others)])


def _of_many(reading: Reading, flat: list[str]) -> str:
    """A rule that makes one number of many."""
    if not flat:
        return ""
    constants = dict(reading.constants)
    many = ", ".join(flat if len(flat) <= TERMS else [*flat[:4], "…", *flat[-2:]])
    match reading.rule:
        case "copy":
            return ""
        case "sum" | "prod" | "nansum":
            return _sum(flat, _JOINED[reading.rule])
        case "mean":
            return f"({_sum(flat)}) / {len(flat)}"
        case "norm" if constants["p"] == 2:
            return f"√({_sum([f'{_bracketed(one)}²' for one in flat])})"
        case "norm" if constants["p"] == 1:
            return _sum([f"|{one}|" for one in flat])
        case "norm":
            return f"‖{many}‖ₚ, p = {number(constants['p'])}"
        case "softmax" | "log_softmax":
            share = f"e^{_bracketed(flat[0])} / ({_sum([f'e^{_bracketed(one)}' for one in flat[1:]])})"
            return share if reading.rule == "softmax" else f"log({share})"
        case "logsumexp":
            return f"log({_sum([f'e^{_bracketed(one)}' for one in flat])})"
    return f"{reading.rule}({many})"
