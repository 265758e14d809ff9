"""Every pattern over a stranger's text takes time in proportion to the text, whatever the text."""

import ast
import importlib
import itertools
import re
import re._constants as kinds
import re._parser as parser
import sys
from pathlib import Path

import pytest

from explorer import safe_regex
from tests.measured import cost, unit

ROOT = Path(__file__).parents[1]
CHILDREN = (
    "analysis/faults",
    "analysis/errors",
    "analysis/source",
    "runtime",
)  # rooms whose code runs where it can be killed
SOURCES = [
    path
    for path in sorted([*ROOT.glob("app.py"), *ROOT.glob("pages/*.py"), *ROOT.glob("explorer/**/*.py")])
    if not any(path.is_relative_to(ROOT / "explorer" / room) for room in CHILDREN) and path.name != "safe_regex.py"
]


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


for path in SOURCES:
    if "explorer.safe_regex" in path.read_text(encoding="utf-8"):
        importlib.import_module(module_of(path))


def pumps(pattern: str) -> set[tuple[str, str]]:
    """What to attack a pattern with: what stands before a repetition, and what is repeated there.

    Beside what each repetition itself repeats: every character that the pattern names, and pairs of neighbours.
    """
    found: set[tuple[str, str]] = set()
    letters: set[str] = set()

    def sample(items, prefix: str) -> str:
        """A short text that these items match; notes their repetitions on the way."""
        for kind, value in items:
            if kind in (kinds.LITERAL, kinds.NOT_LITERAL):
                letters.add(chr(value))
                prefix += chr(value) if kind is kinds.LITERAL else "a"
            elif kind is kinds.ANY:
                prefix += "a"
            elif kind is kinds.IN:
                own = members(value)
                letters.update(own[:12])
                prefix += own[0]
            elif kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT, kinds.POSSESSIVE_REPEAT):
                least, most, body = value
                one = sample(body, prefix)[len(prefix) :]
                if most > 10:
                    found.add((prefix, one))
                    own = members(body[0][1])[:8] if len(body) == 1 and body[0][0] is kinds.IN else []
                    found.update((prefix, other) for other in own)
                prefix += one * max(1, min(least, 3))
            elif kind is kinds.SUBPATTERN:
                prefix = sample(value[-1], prefix)
            elif kind is kinds.ATOMIC_GROUP:
                prefix = sample(value, prefix)
            elif kind is kinds.BRANCH:
                prefix = max([sample(branch, prefix) for branch in value[1]], key=len)
            elif kind in (kinds.ASSERT, kinds.ASSERT_NOT):
                sample(value[1], prefix)
        return prefix

    whole = sample(list(parser.parse(pattern)), "")
    found.add(("", whole))
    found.update(("", letter) for letter in letters | set(" \n(\"'\\"))
    found.update(("", one + other) for one, other in itertools.pairwise(sorted(letters)))
    found.update(("", one + " ") for one in sorted(letters)[:8])
    return {(before, pump) for before, pump in found if pump}


def members(items) -> list[str]:
    """Some characters of a class."""
    sets = {
        kinds.CATEGORY_WORD: "a1_变",
        kinds.CATEGORY_DIGIT: "12",
        kinds.CATEGORY_SPACE: " \n\t",
        kinds.CATEGORY_NOT_DIGIT: "a ",
        kinds.CATEGORY_NOT_SPACE: "a(",
        kinds.CATEGORY_NOT_WORD: " .",
    }
    own = ""
    for kind, value in items:
        if kind is kinds.LITERAL:
            own += chr(value)
        elif kind is kinds.RANGE:
            own += chr(value[0])
        elif kind is kinds.CATEGORY:
            own += sets[value]
    if items and items[0][0] is kinds.NEGATE:
        own = "".join(one for one in 'a 1.(变\n"' if one not in own)
    return list(dict.fromkeys(own)) or ["a"]


def uses() -> dict[int, set[str]]:
    """The methods that are called on every pattern, by the pattern's number."""
    called: dict[tuple[str, str], set[str]] = {}  # by module and name
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                called.setdefault((module_of(path), node.value.id), set()).add(node.attr)
    known = {id(one.compiled) for one in safe_regex.made}
    found: dict[int, set[str]] = {}
    for path in SOURCES:
        for name, one in vars(sys.modules.get(module_of(path), safe_regex)).items():
            if id(one) in known:
                found.setdefault(id(one), set()).update(called.get((module_of(path), name), set()) & set(METHODS))
    return found


METHODS = {
    "match": lambda one, text: one.match(text),
    "fullmatch": lambda one, text: one.fullmatch(text),
    "search": lambda one, text: one.search(text),
    **dict.fromkeys(
        ("sub", "split", "findall", "finditer"),  # each find costs something: that is no fault
        lambda one, text: list(itertools.islice(one.finditer(text), 2_000)),
    ),
}


def attack(one: safe_regex.MadePattern, text: str | bytes, methods: set[str]) -> float:
    """What a text costs in the worst of a pattern's uses."""
    asked = [METHODS[method] for method in methods or {"match", "fullmatch"}]
    return max(cost(lambda use=use: use(one.compiled, text)) for use in asked)


MUCH, MOST = 2, 60  # units: of a short text and of the longest; what takes a power of its text takes several times that
STEPS = (18, 400, 4_000)  # characters: what is exponential, cubic or quadratic is found at one of these


def slow(one: safe_regex.MadePattern, methods: set[str]) -> str | None:
    """A text that costs a pattern more than its length; None when none of its pumps is one."""
    as_text = one.text if isinstance(one.text, str) else one.text.decode("latin-1")
    in_python = re.sub(r"\\x\{(\w+)\}", lambda found: chr(int(found[1], 16)), as_text)
    worst, fixed = (0.0, ""), unit()
    for before, pump in sorted(pumps(in_python)):
        for size, end in itertools.product(STEPS, ("\0", "")):
            text = pumped(one, before, pump, end, min(size, one.longest))
            took = attack(one, text, methods)
            if took > MUCH * fixed and min(attack(one, text, methods) for _ in range(4)) > MUCH * fixed:
                return f"{as_text}: {before!r}, {pump!r} repeated, {end!r}"
        worst = max(worst, (took, before, pump))
    for end in ("\0", ""):
        if attack(one, pumped(one, *worst[1:], end, one.longest), methods) > MOST * fixed:
            return f"{as_text}: {worst[1:]}"
    return None


def pumped(one: safe_regex.MadePattern, before: str, pump: str, end: str, size: int) -> str | bytes:
    text = before + pump * (size // len(pump) + 1) + end
    return text if isinstance(one.text, str) else text.encode("utf-8", "replace")


@pytest.mark.thorough
def test_every_plain_pattern_takes_time_in_proportion_to_its_text():
    """Those of RE2 do whatever they are."""
    methods = uses()
    plain = [one for one in safe_regex.made if isinstance(one.compiled, re.Pattern)]
    assert len(plain) > 10
    assert [told for one in plain if (told := slow(one, methods.get(id(one.compiled), set())))] == []


@pytest.mark.thorough
@pytest.mark.parametrize(
    "pattern",
    [
        r"-?(\d+\.?\d*(e[+-]?\d+)?|inf|nan)|\((-?\d+,? ?)*\)",
        r"[\w.\[\], :]+\s*(\+|-)?=(?!=)",
        r"\s*(?:(def|class)\b|\(?[\w.,*: ]*?\)?\s?=(?!=))",
        r"^\s*(?:[\w\s,*()]*,)?\s*x\s*(?:,[\w\s,*]*)?=(?!=)",
    ],
)
def test_the_pump_finds_what_is_not_linear(pattern):
    assert slow(safe_regex.MadePattern(pattern, re.compile(pattern), safe_regex.LONGEST), {"match"}) is not None
