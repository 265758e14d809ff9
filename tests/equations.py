"""Find equations in texts and recompute them from the printed numbers, as with a pocket calculator.

`2 · (−3) = −6` in a sentence, a sum in a table, parts that arrive "in total": whatever a text says of numbers that can
be computed again. What cannot (names, functions that are not listed, "…") is left alone.
"""

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import unescape

import numpy as np

NUMBER = r"[+−-]?(?:\d+(?:\.\d+)?(?:e[−-]?\d+)?)"
_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[−-]?\d+)?|∞|NaN|½")
_POWERS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_FUNCTIONS: dict[str, Callable] = {
    **{name: getattr(np, name) for name in ("exp", "log", "sin", "cos", "tan", "tanh", "sqrt", "log2", "log10")},
    **{"abs": np.abs, "√": np.sqrt, "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "σ": lambda x: 1 / (1 + np.exp(-x))},
    "relu": lambda x: np.maximum(x, 0),
    "square": np.square,
    "reciprocal": lambda x: 1 / x,
    "max": lambda *xs: np.maximum.reduce(xs),
    "min": lambda *xs: np.minimum.reduce(xs),
    "sum": np.sum,
    "mean": np.mean,
}
_NAMED = re.compile("|".join(sorted(map(re.escape, _FUNCTIONS), key=len, reverse=True)))
LARGEST = 700  # power of e that a calculator can compute
NEAR = 0.02  # relative difference up to which ≈ is allowed


class _Unread(Exception):
    """A text that is no expression of numbers."""


@dataclass(frozen=True)
class Side:
    """One side of an equation. Attributes: text; value; plain: whether it is one number or list and no operation."""

    text: str
    value: np.ndarray
    plain: bool
    largest: float


@dataclass(frozen=True)
class Equation:
    """An equation in a text: the computed side, = or ≈, and the stated side."""

    computed: Side
    sign: str
    told: Side

    @property
    def text(self) -> str:
        """The equation as it is written."""
        return f"{self.computed.text} {self.sign} {self.told.text}"

    @property
    def holds(self) -> bool:
        """Return whether the stated numbers follow from the printed operands, up to the shown digits."""
        try:
            found = np.broadcast_to(self.computed.value, self.told.value.shape).reshape(-1)
        except ValueError:
            return self.computed.value.size == self.told.value.size == 1
        texts = re.findall(rf"{NUMBER}|[+−-]?∞|NaN", self.told.text)
        told = self.told.value.reshape(-1)
        if len(texts) != len(told):
            texts = [""] * len(told)
        return all(map(lambda one, text, value: _holds(one, text, value, self), found, texts, told))


def _holds(found: float, text: str, told: float, of: Equation) -> bool:
    if not (math.isfinite(found) and math.isfinite(told)):
        return bool(found == told or (math.isnan(found) and math.isnan(told)))
    scale = max(of.computed.largest, abs(told))
    if of.sign == "≈":
        return abs(found - told) <= max(NEAR * abs(told), 1e-6 * scale)
    mantissa, _, power = text.lstrip("+−-").partition("e")
    if "." not in mantissa and not power:  # an integer shows that it is exact
        return abs(found - told) <= 1e-7 * (abs(told) or scale)
    places = len(mantissa.partition(".")[2]) - int(power.replace("−", "-") or 0)
    least = 2 - math.floor(math.log10(abs(told))) if told else places  # 0.3 means 0.300
    return abs(found - told) <= 0.5000001 * 10.0 ** -max(places, least)


class _Reader:
    """Reads one expression from a place of a text."""

    def __init__(self, text: str, at: int) -> None:
        self.text, self.at, self.operations, self.largest = text, at, 0, 0.0
        self.noted: list[Equation] = []

    def skip(self) -> None:
        while self.text[self.at : self.at + 1] == " ":
            self.at += 1

    def took(self, *marks: str) -> str:
        self.skip()
        for mark in marks:
            if self.text.startswith(mark, self.at):
                self.at += len(mark)
                return mark
        return ""

    def sum(self) -> np.ndarray:
        value = self.product()
        while mark := self.spaced("+", "−", "-"):
            other = self.product()
            self.operations += 1
            value = value + other if mark == "+" else value - other
        return value

    def spaced(self, *marks: str) -> str:
        """Return an operator of a sum, with a space on both sides or on none."""
        at = self.at
        self.skip()
        gap = self.at - at
        for mark in marks:
            if self.text.startswith(mark, self.at):
                after = self.text[self.at + 1 : self.at + 2]
                if (gap and after == " ") or (not gap and after != " "):
                    self.at += 1
                    return mark
        self.at = at
        return ""

    def product(self) -> np.ndarray:
        value = self.signed()
        while True:
            at = self.at
            mark = self.took("·", "**", "* ", "/", "@")
            if mark in ("", "**"):
                self.at = at
                return value
            other = self.signed()
            self.operations += 1
            value = value / other if mark == "/" else value @ other if mark == "@" else value * other

    def signed(self) -> np.ndarray:
        mark = self.took("−", "+", "-")
        return -self.power() if mark in ("−", "-") else self.power()

    def power(self) -> np.ndarray:
        value = self.atom()
        if found := re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+").match(self.text, self.at):
            self.at = found.end()
            self.operations += 1
            value = np.power(value, float(found[0].translate(_POWERS)))
        at = self.at
        if self.took("**", "^"):
            self.operations += 1
            return np.power(value, self.signed())
        self.at = at
        return value

    def atom(self) -> np.ndarray:
        self.skip()
        if found := _NUMBER.match(self.text, self.at):
            after = self.text[found.end() : found.end() + 1]
            if after.isalpha() or after == "_" or (after == "." and self.text[found.end() + 1 :][:1].isdigit()):
                raise _Unread
            self.at = found.end()
            value = {"∞": math.inf, "NaN": math.nan, "½": 0.5}.get(found[0])
            value = float(found[0].replace("−", "-")) if value is None else value
            if math.isfinite(value):
                self.largest = max(self.largest, abs(value))
            minus = (
                self.text[found.start() - 1 : found.start()] == "−" and self.text[found.end() : found.end() + 1] == " "
            )
            self.note(-value if minus else value, f"−{found[0]}" if minus else found[0])
            return np.array(value)
        if self.took("("):
            begun = self.at
            value = self.closed(self.sum(), ")")
            if re.fullmatch(NUMBER, inner := self.text[begun : self.at - 1].strip()):
                self.note(float(value), inner)
            return value
        if self.took("|"):
            value = self.sum()
            self.operations += 1
            return np.abs(self.closed(value, "|"))
        if self.took("["):
            parts = [self.sum()]
            while self.took(","):
                parts.append(self.sum())
            value = self.closed(np.array(parts), "]")
            self.note(math.nan, "")
            return value
        if self.text.startswith("e^", self.at):
            self.at += 2
            self.operations += 1
            power = self.signed()
            if np.max(power) > LARGEST:
                raise _Unread
            return np.exp(power)
        if found := _NAMED.match(self.text, self.at):
            self.at = found.end()
            if self.took("("):
                parts = [self.sum()]
                while self.took(","):
                    parts.append(self.sum())
                value = self.closed(np.array(0.0), ")")
                self.operations += 1
                return np.asarray(_FUNCTIONS[found[0]](*parts))
        raise _Unread

    def closed(self, value: np.ndarray, mark: str) -> np.ndarray:
        if not self.took(mark):
            raise _Unread
        return value

    def note(self, value: float, text: str) -> None:
        """Handle brackets after a number: the product in `2 (via a: 1 · 2)` is a separate equation."""
        found = re.compile(r" \((?=[^()]*[A-Za-z])").match(self.text, self.at)
        if not found or not re.match(
            r" \((?:via|line|starting|was|from before|\d+ (?:contributions|more)|one more|a backward)",
            self.text[self.at :],
        ):
            return
        depth, at = 0, self.at
        for at in range(self.at + 1, len(self.text)):
            depth += {"(": 1, ")": -1}.get(self.text[at], 0)
            if not depth:
                break
        inner = self.text[self.at + 2 : at]
        self.at = at + 1
        place = inner.rfind(": ")
        if place < 0:
            return
        sign = "≈" if inner[place + 2 :].startswith("≈ ") else "="
        begun = place + 2 + 2 * (sign == "≈")
        side = _side(inner, begun)
        if side and not side[0].plain:
            self.noted.append(Equation(side[0], sign, Side(text, np.array(value), True, abs(value))))


def _side(text: str, at: int) -> tuple[Side, int, list[Equation]] | None:
    reader = _Reader(text, at)
    reader.skip()
    begun = reader.at
    try:
        with np.errstate(all="ignore"):
            value = np.asarray(reader.sum(), float)
    except (_Unread, ValueError, TypeError, IndexError):
        return None
    after = text[reader.at : reader.at + 1]
    if after and (after.isalnum() or after in "([_@·*^"):
        return None
    side = Side(text[begun : reader.at].strip(), value, not reader.operations, reader.largest)
    return side, reader.at, reader.noted


_JOINT = re.compile(r" ?([=≈]) ")


def equations(text: str) -> Iterator[Equation]:
    """Yield the equations in one line of text."""
    sides: list[tuple[str, Side | None]] = []
    for found in _JOINT.finditer(text):
        side = _side(text, found.end())
        before = _before(text, found.start())
        sides.append((found[1], side[0] if side else None))
        if side:
            yield from side[2]
        if side and before:
            yield from _between(before, found[1], side[0])


def _between(one: Side, sign: str, other: Side) -> Iterator[Equation]:
    if not one.plain and other.plain:
        yield Equation(one, sign, other)
    elif one.plain and not other.plain:
        yield Equation(other, sign, one)
    elif one.plain and other.plain and one.value.shape == other.value.shape:
        yield Equation(one, sign, other)


def _before(text: str, end: int) -> Side | None:
    """Return the expression that ends right before a sign: from the sign, colon or backtick before it."""
    begins = [found.end() for found in re.finditer(r"(?:^|: |(?<![*+/-])[=≈] |`|→ )(?=[^ ])", text[:end])]
    for at in begins:
        side = _side(text, at)
        if side and side[1] == end:
            return side[0]
    return None


def sums(text: str) -> Iterator[Equation]:
    """Return a sentence's sums with amounts in backticks: `w.grad` = `5` = `2` (via `a`) + `3` (via `b`)."""
    if "` (" in text or "`) (" in text:
        yield from equations(text.replace("`", ""))


def _sum(parts: list[str], total: str) -> Iterator[Equation]:
    sides = [_side(part, 0) for part in parts]
    told = _side(total.removeprefix("≈ "), 0)
    if len(parts) < 2 or told is None or any(side is None for side in sides):
        return
    values = [side[0].value for side in sides if side]
    with np.errstate(all="ignore"):
        computed = Side(
            " + ".join(parts), np.asarray(sum(values)), False, max(side[0].largest for side in sides if side)
        )
    yield Equation(computed, "≈" if total.startswith("≈") else "=", told[0])


_ROW = re.compile(r"<tr( class=\"total\")?>(.*?)</tr>")
_CELL = re.compile(r"<td[^>]*>(.*?)</td>")


def tables(html: str) -> Iterator[Equation]:
    """Yield the sums of the tables of contributions: their rows and the total."""
    for table in re.findall(r'<table class="sum">(.*?)</table>', html):
        rows = [(bool(total), [_plain(cell) for cell in _CELL.findall(row)]) for total, row in _ROW.findall(table)]
        amounts = [cells[-1] for total, cells in rows if not total and len(cells) == 2]
        last = next((cells for total, cells in rows if total), None)
        if last is None or "hook" in last[0] or " · " in "".join(amounts) or last[0] in ("parameters", "参数"):
            continue
        if "≈" in last[0]:
            last = [last[0], f"≈ {last[1]}"]
        columns = [amount.split(" ") for amount in amounts]
        totals = last[1].removeprefix("≈ ").split(" ")
        if any(len(column) != len(totals) for column in columns) or "(" in last[1]:
            continue
        mark = "≈ " if last[1].startswith("≈") else ""
        for k, total in enumerate(totals):
            yield from _sum([column[k] for column in columns], mark + total)


def _plain(html: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", html)).strip()


def lines_of(html: str) -> list[str]:
    """Return the lines of a piece of HTML as text."""
    broken = re.sub(r"</(?:div|p|li|tr|h4|h3|summary|figure)>|<br>|<(?:ul|li|details)[^>]*>", "\n", html)
    return [line for line in map(_plain, broken.split("\n")) if line]


_BRACKETS = (  # in a sum's notes, the words of reasoning.ftl
    ("（经由 ", " (via "),
    ("（第 ", " (line "),
    ("（初始梯度", " (starting gradient"),
    ("（原有的值", " (from before"),
    ("（一次反向传播", " (a backward"),
    (r"（(\d+) 项之和", r" (\1 contributions"),
    ("（", " (was "),
    ("）", ")"),
    ("：", ": "),
)


def _with_brackets(line: str) -> str:
    """Return a line of a Chinese text with the brackets and colons of an English one."""
    for written, read in _BRACKETS:
        line = re.sub(written, read, line)
    return line


def all_in(text: str) -> Iterator[Equation]:
    """Yield all equations of a text or of HTML."""
    if "<" in text and "</" in text:
        yield from tables(text)
        for line in lines_of(text):
            yield from equations(line)
            yield from sums(line)
        return
    for line in map(_with_brackets, text.split("\n")):
        if "…" in line and "(via" in line:  # a shortened name may have lost brackets
            continue
        for part in [line, *re.findall(r"`([^`]*)`", line)] if "`" in line else [line]:
            yield from equations(part)
        yield from sums(line)
