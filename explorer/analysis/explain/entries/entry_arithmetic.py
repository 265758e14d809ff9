"""Write an entry in numbers, `out[0] = 1·5 + 2·7 = 19`."""

import math
from collections.abc import Sequence

import numpy as np

from explorer.analysis.explain.autograd.entry_texts import index_text
from explorer.analysis.explain.autograd.node_formulas import atom
from explorer.analysis.explain.entries.operation_view import OperationView
from explorer.analysis.run.operations import operation_of_call
from explorer.analysis.run.operations.call import CallPart, Reading
from explorer.analysis.run.operations.rules import NEVER_ZERO, RULES, applied, function_of
from explorer.text.numbers import DIGITS, Write, are_exact, chain, digits_of, digits_of_all, number, rounded, vanishes
from explorer.trace import Number, index_at, real

TERMS = 8  # most terms of a sum written out


def result_word(view: OperationView, outcome: int) -> str:
    """Return a result's name, or a name that no operand has."""
    taken = any(part.word == "result" for part in view.operands)
    return view.outcomes[outcome].part.word or ("out" if taken else "result")


def place_words(part: CallPart, place: int, word: str = "") -> str:
    """Write a[1, 0], or only the word for a scalar."""
    name = word or part.word
    return (atom(name) if name else "·") + index_text(index_at(place, part.shape))


def entry_words(view: OperationView, outcome: int, entry: int) -> str:
    """Write an entry in numbers: `h[0] = 1 + 5 = 6`."""
    made = view.outcomes[outcome]
    numbers = made.part.numbers
    target = place_words(made.part, entry, result_word(view, outcome))
    is_now = "" if numbers is None else number(numbers[entry].item())
    if made.reading is None or operation_of_call(view.call).subject == "losses":  # a table's rows are drawn instead
        return f"{target} = {is_now}" if is_now else target
    from_where, in_numbers, sign = made_words(view, outcome, entry)
    if made.reading.rule in ("position", "depends"):
        return f"{target} = {is_now}" + (f" ← {from_where}" if from_where else "")
    parts = [target, from_where, in_numbers, is_now]
    shown = [part for i, part in enumerate(parts) if part and part not in parts[:i]]
    return chain([*shown[:-1], f"{sign} {shown[-1]}" if in_numbers and sign == "≈" else shown[-1]])


def made_words(view: OperationView, outcome: int, entry: int) -> tuple[str, str, str]:
    """Write one result entry as places, numbers and sign: ("a[0] · b[0]", "2·3", "=").

    The sign is = or ≈, "" if the written numbers disagree with the entry. Texts are "" if unknown.
    """
    reading = view.outcomes[outcome].reading
    if reading is None:
        return "", "", "="
    digits, sign, write = entry_precision(view, reading, entry)
    in_numbers = _in_numbers(view, reading, entry, digits, write) if sign else ""
    if sign == "=" and is_too_small(view, outcome, entry):
        sign = "≈"
    return _from_places(view, reading, entry), in_numbers, sign


def is_too_small(view: OperationView, outcome: int, entry: int) -> bool:
    """Return whether an entry underflowed: a product, quotient or power of finite nonzero numbers."""
    made = view.outcomes[outcome]
    numbers = made.part.numbers
    if made.reading is None or made.reading.rule not in NEVER_ZERO or numbers is None or numbers.dtype.kind not in "fc":
        return False
    held = [(view.operands[k].numbers, at) for term in _read(made.reading, entry) for k, at in term]
    return vanishes([math.nan if flat is None else flat[at].item() for flat, at in held], numbers[entry])


def back_words(view: OperationView, operand: int, entry: int) -> str:
    """Write an entry's gradient: `(+1)·2 + (+1)·7 = +9`, or ""."""
    back, part = view.back, view.operands[operand]
    if back is None or back.operands[operand] is None or back.operands[operand].data is None:
        return ""
    amount = back.operands[operand].data[entry]
    total, target = number(amount, True), f"∂/∂{place_words(part, entry)}"
    factor, reading = back.factors[operand], view.outcomes[0].reading
    if factor is None or reading is None:
        return f"{target} = {total}"
    entries, terms = np.nonzero(reading.reads[operand] == entry)
    pairs = [(e, t) for e, t in zip(entries.tolist(), terms.tolist(), strict=True) if factor[e, t] != 0]
    over = result_word(view, 0) == part.word  # the overwritten tensor has the same name
    if len(pairs) == 1 and not over:  # a single entry's name is clearer than a one-term sum
        e, t = pairs[0]
        source = f"∂/∂{place_words(view.outcomes[0].part, e, result_word(view, 0))}"
        if factor[e, t] == 1:
            return f"{target} = {source} = {total}"
        return f"{target} = {source} · {_bracket(number(float(factor[e, t])))} = {total}"
    if not pairs or (len(pairs) == 1 and factor[pairs[0]] == 1):
        return f"{target} = {total}"
    factors = [(real(back.result.data[e]), float(factor[e, t])) for e, t in pairs]
    digits, sign = digits_of(_products, [each for pair in factors for each in pair], amount)
    if not sign:  # cancelled terms leave only rounding
        return f"{target} = {total}"
    shares = [
        number(gradient, True, digits)
        if factor == 1
        else f"({number(gradient, True, digits)})·{_bracket(number(factor, digits=digits))}"
        for gradient, factor in factors
    ]
    return f"{target} = {_sum(shares)} {sign} {total}"


def _products(factors: Sequence[Number]) -> Number:
    """Sum the products of consecutive pairs."""
    return sum(one * other for one, other in zip(factors[::2], factors[1::2], strict=True))


def _sum(terms: list[str], sign: str = " + ") -> str:
    """Join terms. If there are many, keep the first and the last, which may be a bias."""
    shown = [terms[0], *map(_bracket, terms[1:])]
    return sign.join(shown if len(shown) <= TERMS else [*shown[: TERMS - 2], "…", shown[-1]])


def _bracket(words: str) -> str:
    return f"({words})" if words.startswith(("−", "+")) else _factor(words)


def _factor(words: str) -> str:
    """Write a factor, with brackets for complex numbers."""
    return f"({words})" if words.endswith("j") else words


def _read(reading: Reading, entry: int) -> list[list[tuple[int, int]]]:
    """Return the (operand, place) pairs in each term."""
    width = reading.reads[0].shape[1] if reading.reads else 0
    return [pairs for term in range(width) if (pairs := _term(reading, entry, term))]


def _term(reading: Reading, entry: int, term: int) -> list[tuple[int, int]]:
    sources = reading.sources or range(len(reading.reads))
    return [(k, int(reading.reads[k][entry, term])) for k in sources if reading.reads[k][entry, term] >= 0]


def _from_places(view: OperationView, reading: Reading, entry: int) -> str:
    """Write the entries read, if short: a[1, 0], or a[0, 1] · b[1, 0]."""
    terms = _read(reading, entry)
    if reading.rule == "depends":
        named = [_name_entry(view, k, place) for term in terms for k, place in term]
        return ", ".join(named if len(named) <= TERMS else [*named[: TERMS - 2], "…", named[-1]])
    if len(terms) > 1 and any(view.operands[k].numbers is None for k, _ in terms[0]):
        return _of_unknown(view, reading, terms)
    if len(terms) != 1 or (reading.rule in RULES and RULES[reading.rule].named):
        return ""
    named = [_name_entry(view, k, place) for k, place in terms[0]]
    if pattern := _pattern(view, reading):
        return pattern.format(*named)
    return " · ".join(named)


def _pattern(view: OperationView, reading: Reading) -> str:
    """Return a function's notation, in the order of the program's `2 * x`."""
    function = function_of(reading.rule)
    pattern = function.notation
    for name, value in reading.constants:
        pattern = pattern.replace(f"{{{name}}}", number(value))
    if function.commutes and pattern.startswith("{0}") and view.operands[1].tensor < 0 <= view.operands[0].tensor:
        sentence, word = view.text.strip(), view.operands[0].word
        if (sentence.endswith(word) and not sentence.startswith(word)) or sentence[:1].isdigit():
            return pattern.replace("{0}", "{x}").replace("{1}", "{0}").replace("{x}", "{1}")
    return pattern


def _of_unknown(view: OperationView, reading: Reading, terms: list[list[tuple[int, int]]]) -> str:
    """Write the entries read, without recorded numbers."""
    named = ["·".join(_name_entry(view, k, place) for k, place in term) for term in [*terms[:2], *terms[2:][-1:]]]
    joined = (RULES[reading.rule].joined if reading.rule in RULES else "") or ", "
    text = joined.join([*named[:2], *["…"] * (len(terms) > 3), *named[2:]])
    return text if joined != ", " else f"{reading.rule}({text})"


def _name_entry(view: OperationView, operand: int, place: int) -> str:
    part = view.operands[operand]
    if part.tensor >= 0:
        return place_words(part, place)
    return number(part.numbers[place].item()) if part.numbers is not None else part.word


def _in_numbers(view: OperationView, reading: Reading, entry: int, digits: int, write: Write) -> str:
    """Write the arithmetic with recorded numbers, "" if they were not kept."""
    numbers = [part.numbers for part in view.operands]
    terms = _read(reading, entry)
    if any(numbers[k] is None for term in terms for k, _ in term):
        return ""
    texts = [[write(numbers[k][place].item(), False, digits) for k, place in term] for term in terms]
    pattern = _pattern(view, reading)
    if pattern and texts:
        plain = (pattern.startswith(("{0}", "{1}")) or "({0}" in pattern or "|{0}" in pattern) and not {"^", "²"} & set(
            pattern
        )
        binary = len(texts[0]) > 1
        first = pattern.find("{0}") < pattern.find("{1}") or not binary
        words = [
            (_factor(word) if binary else word) if plain and (i == 0) == first else _bracket(word)
            for i, word in enumerate(texts[0])
        ]
        return pattern.format(*words)
    if reading.rule == "products":
        return _sum([_product(term) for term in texts]) if texts else "0"
    if reading.rule == "cross":
        return _sum([_product(term) for term in texts], " − ")
    flat = [words for term in texts for words in term]
    return _of_many(reading, flat, _sizes(view, terms), digits)


def entry_precision(view: OperationView, reading: Reading, entry: int) -> tuple[int, str, Write]:
    """Find digits that yield the result, = or ≈, and the function that writes the numbers: of a sum all alike."""
    numbers, result = [part.numbers for part in view.operands], view.outcomes[0].part.numbers
    made = next((outcome.part.numbers for outcome in view.outcomes if outcome.reading is reading), result)
    has_rule = reading.rule in RULES or bool(function_of(reading.rule).forward)
    if made is None or not has_rule or any(flat is None for flat in numbers) or reading.rule in ("argmax", "argmin"):
        return DIGITS, "=", number
    if any(flat.dtype.kind not in "fiu" for flat in numbers) or not np.isfinite(expected := float(made[entry])):
        return DIGITS, "=", number
    picked, flats = reading.picked(np.array([entry])), [flat.astype(float) for flat in numbers]
    places = sorted({(k, at) for k, read in enumerate(picked.reads) for at in read.reshape(-1).tolist() if at >= 0})

    def compute(entries: Sequence[Number]) -> float:
        for (k, place), written in zip(places, entries, strict=True):
            flats[k][place] = written
        return float(applied(picked, flats)[0])

    with np.errstate(all="ignore"):
        operands = [flats[k][place].item() for k, place in places]
        is_exact = not _is_sum(reading) or are_exact([*operands, expected])
        case = compute, operands, expected
        return *digits_of_all([case], exact=[is_exact] * len(operands)), number if is_exact else rounded


def _is_sum(reading: Reading) -> bool:
    return reading.rule in ("sum", "nansum", "mean") or function_of(reading.rule).notation in ("{0} + {1}", "{0} − {1}")


def summands(
    view: OperationView, outcome: int, entry: int, written: tuple[int, Write] | None = None
) -> list[tuple[str, float]] | None:
    """Return an entry's summands, as text and number, None for another call. Args: written: digits, how to write."""
    reading, numbers = view.outcomes[outcome].reading, [part.numbers for part in view.operands]
    if reading is None or reading.rule not in ("sum", "products", "mean"):
        return None
    terms = _read(reading, entry)
    if any(numbers[k] is None or numbers[k].dtype.kind == "c" for term in terms for k, _ in term):
        return None
    digits, write = written or entry_precision(view, reading, entry)[::2]
    texts = [[write(numbers[k][place].item(), False, digits) for k, place in term] for term in terms]
    return list(zip((_product(term) for term in texts), _sizes(view, terms), strict=True))


def factors_of(view: OperationView, outcome: int, entry: int) -> list[list[float]]:
    """Return the factors of each of an entry's summands. They must be known, as for `summands`."""
    reading, numbers = view.outcomes[outcome].reading, [part.numbers for part in view.operands]
    assert reading is not None, "the entry has summands"
    return [[float(numbers[k][place]) for k, place in term] for term in _read(reading, entry)]


def _sizes(view: OperationView, terms: list[list[tuple[int, int]]]) -> list[float]:
    """Return each term's number: the product of its factors."""
    numbers = [part.numbers for part in view.operands]
    products = [np.prod([numbers[k][place] for k, place in term]) for term in terms]
    return [abs(product.item()) if product.dtype.kind == "c" else float(product) for product in products]


def _product(factors: list[str]) -> str:
    first, *others = factors
    return "·".join([_factor(first) if others else first, *map(_bracket, others)])


def _of_many(reading: Reading, flat: list[str], sizes: list[float], digits: int) -> str:
    """Write a rule that combines many numbers into one."""
    if not flat:
        return ""
    constants = dict(reading.constants)
    if len(sizes) != len(flat):
        sizes = []
    many = ", ".join(flat if len(flat) <= TERMS else [*flat[:4], "…", *flat[-2:]])
    match reading.rule:
        case "copy":
            return ""
        case "nansum":
            return _sum([word for word in flat if word != "NaN"] or ["0"])
        case "sum":
            return _sum(flat)
        case "prod":
            return _sum([_factor(flat[0]), *flat[1:]], RULES[reading.rule].joined)
        case "mean":
            return f"({_sum(flat)}) / {len(flat)}"
        case "norm":
            return _norm_words(flat, constants["p"], sizes)
        case "var" | "std" if sizes and len(sizes) >= constants["correction"]:  # with fewer entries torch divides by 0
            return _spread_words(reading.rule, flat, sizes, constants["correction"], digits)
        case "softmax" | "log_softmax":
            share = f"e^{_bracket(flat[0])} / ({_sum([f'e^{_bracket(word)}' for word in flat[1:]])})"
            return share if reading.rule == "softmax" else f"log({share})"
        case "logsumexp":
            return f"log({_sum([f'e^{_bracket(word)}' for word in flat])})"
    return f"{reading.rule}({many})"


def _norm_words(flat: list[str], order: float, sizes: list[float]) -> str:
    """Write √(3² + 4²), |3| + |−4|, max(|3|, |−4|) or (|3|^3 + |−4|^3)^(1/3)."""
    if order == 2:
        return f"√({_sum([f'{_bracket(word)}²' for word in flat])})"
    within = [f"|{word}|" for word in flat]
    if abs(order) == np.inf:
        shown = within if len(within) <= TERMS else [within[i] for i in largest(sizes, TERMS - 1, order > 0)] + ["…"]
        return f"{'max' if order > 0 else 'min'}({', '.join(shown)})"
    if order == 1:
        return _sum(within)
    if order == 0:
        return _sum([f"({word} ≠ 0)" for word in flat])
    power = _bracket(number(order))
    return f"({_sum([f'{word}^{power}' for word in within])})^(1/{power})"


def _spread_words(rule: str, flat: list[str], sizes: list[float], correction: float, digits: int) -> str:
    """Write a variance: ((1 − 0.5)² + (0 − 0.5)²) / (2 − 1)."""
    mean = sum(sizes) / len(sizes)
    middle = _bracket(number(mean, digits=digits))
    squares = [f"({word} − {middle})²" for word in flat]
    divisor = f"({len(flat)} − {number(correction)})" if correction else f"{len(flat)}"
    text = f"({_sum(squares)}) / {divisor}"
    return text if rule == "var" else f"√({text})"


def largest(sizes: list[float], count: int, first: bool = True) -> list[int]:
    """Return the positions of the largest (or smallest) magnitudes, in order."""
    ordered = sorted(range(len(sizes)), key=lambda i: -abs(sizes[i]) if first else abs(sizes[i]))
    return sorted(ordered[:count])
