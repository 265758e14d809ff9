"""Every pattern over a stranger's text takes time in proportion to the text, whatever the text."""

import ast
import importlib
import itertools
import re
import re._constants as kinds
import re._parser as parser
import time
from pathlib import Path

import pytest

from explorer import patterns

ROOT = Path(__file__).parents[1]
CHILDREN = ("explain", "runtime")  # rooms whose code runs where it can be killed
SOURCES = [
    path
    for path in sorted([*ROOT.glob("app.py"), *ROOT.glob("pages/*.py"), *ROOT.glob("explorer/**/*.py")])
    if path.relative_to(ROOT).parts[1:2] not in [(room,) for room in CHILDREN] and path.name != "patterns.py"
]
OWN_TEXTS = "explorer/ui/style.py"

for path in SOURCES:
    if "patterns import" in path.read_text(encoding="utf-8"):
        importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"))


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_the_server_takes_its_patterns_from_one_place(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            assert not {alias.name for alias in node.names} & {"re", "re2", "regex", "fnmatch"}, node.lineno
        elif isinstance(node, ast.ImportFrom) and node.module == "re":
            raise AssertionError(node.lineno)


def test_patterns_are_made_once():
    """None is made of a program's own words: each is a literal at the margin of its module."""
    for path in SOURCES:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
        inside = {
            node for function in ast.walk(tree) if isinstance(function, ast.FunctionDef) for node in ast.walk(function)
        }
        made = [node for node in calls if getattr(node.func, "id", "") in ("linear", "plain")]
        assert not inside & set(made), path


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
                one = sample(body, "")
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


def cpu(act, *arguments) -> float:
    begin = time.process_time()
    act(*arguments)
    return time.process_time() - begin


def attack(one: patterns.Made, text: str | bytes) -> float:
    """CPU seconds that a text costs in the worst of a pattern's uses."""
    return max(cpu(one.compiled.match, text), cpu(one.compiled.fullmatch, text), cpu(searched, one, text))


def searched(one: patterns.Made, text: str | bytes) -> None:
    for _ in itertools.islice(one.compiled.finditer(text), 2_000):  # each find costs something: that is no fault
        pass


SMALL, MUCH = 4_000, 0.02  # characters, CPU seconds: what takes the square of its text takes several times that


def test_every_pattern_is_pumped():
    slow = []
    for one in patterns.made:
        as_text = one.text if isinstance(one.text, str) else one.text.decode("latin-1")
        python = re.sub(r"\\x\{(\w+)\}", lambda found: chr(int(found[1], 16)), as_text)
        for before, pump in pumps(python):
            for end in ("\0", ""):
                text = before + pump * (min(SMALL, one.longest) // len(pump)) + end
                text = text if isinstance(one.text, str) else text.encode("utf-8", "replace")
                if attack(one, text) > MUCH and attack(one, text) > MUCH:
                    slow.append((as_text[:60], before[-20:], pump[:20], end))
    assert slow == []
