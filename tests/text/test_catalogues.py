"""Both languages have the same messages, code uses only existing messages, and every message is used."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest
from fluent.syntax import FluentParser
from fluent.syntax import ast as ftl
from fluent.syntax.visitor import Visitor

from explorer.text import LANGUAGES, LONGEST, marked, say
from explorer.trace import LineNumber

ROOT = Path(__file__).parents[2]
SOURCES = [ROOT / "app.py", *ROOT.glob("pages/*.py"), *ROOT.glob("explorer/**/*.py")]


@cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


class Variables(Visitor):
    def __init__(self):
        self.names = set()

    def visit_VariableReference(self, node):
        self.names.add(node.id.name)


@cache
def entries(lang: str) -> list[tuple[str, ftl.EntryType]]:
    """Return every entry of a language, and its file."""
    paths = sorted((ROOT / "explorer/text" / lang).glob("*.ftl"))
    return [(path.name, one) for path in paths for one in FluentParser().parse(path.read_text(encoding="utf-8")).body]


@cache
def messages(lang: str) -> dict[str, set[str]]:
    """Return the variables of every message of a language."""
    found = {}
    for file, entry in entries(lang):
        assert not isinstance(entry, ftl.Junk), f"{file}: {entry.content}"
        if isinstance(entry, ftl.Message):
            assert entry.id.name not in found, f"{file}: {entry.id.name} stands twice"
            variables = Variables()
            variables.visit(entry)
            found[entry.id.name] = variables.names
    return found


def texts(lang: str) -> list[str]:
    """Return every message with a value, and every attribute except cause and repair, which `Message.part` names."""
    found = []
    for _, entry in entries(lang):
        if isinstance(entry, ftl.Message):
            found += [entry.id.name] * (entry.value is not None)
            found += [f"{entry.id.name}.{part.id.name}" for part in entry.attributes]
    return [text for text in found if not text.endswith((".cause", ".repair"))]


def asked() -> tuple[set[str], list[re.Pattern]]:
    """Return the message ids that code names, and patterns for those it puts together: f"limit-{kind}" is limit-.+"""
    names, patterns = set(), []
    for path in SOURCES:
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                names.add(node.value)
                if re.fullmatch(r"[a-z-]+[-.]", node.value):  # the prefix of an exception's messages
                    patterns.append(re.compile(re.escape(node.value) + ".+"))
            elif isinstance(node, ast.JoinedStr) and isinstance(node.values[0], ast.Constant):
                parts = [re.escape(v.value) if isinstance(v, ast.Constant) else ".+" for v in node.values]
                if re.search("[-.]", str(node.values[0].value)):
                    patterns.append(re.compile("".join(parts)))
    return names, patterns


def said_directly() -> list[tuple[str, str]]:
    """Return every literal id in a call of say(), and its file."""
    found = []
    for path in SOURCES:
        for node in ast.walk(parsed(path)) if "say(" in path.read_text(encoding="utf-8") else ():
            if isinstance(node, ast.Call) and getattr(node.func, "id", None) == "say":
                for literal in ast.walk(node.args[1]) if len(node.args) > 1 else ():
                    if isinstance(literal, ast.Constant) and isinstance(literal.value, str) and literal is node.args[1]:
                        found.append((literal.value, path.name))
    return found


def test_messages_exist_in_both_languages():
    assert say("en", "status-stopped", line=3) == "stopped at line 3"
    assert say("zh", "status-stopped", line=3) == "停在第 3 行"


def test_an_unknown_language_falls_back_to_english():
    assert say("fr", "problems") == say("en", "problems")


def test_an_unknown_message_and_a_missing_variable_are_errors():
    with pytest.raises(KeyError):
        say("en", "no-such-message")
    with pytest.raises(ValueError, match="line"):
        say("en", "status-stopped")


def test_variables_have_no_isolation_marks():
    assert "\u2068" not in say("zh", "status-stopped", line=3)


def test_a_long_value_keeps_both_ends():
    said = say("en", "no-such-name", name="first" + "x" * 100_000 + "last")
    assert len(said) < 2 * LONGEST and "firstx" in said and "x…x" in said and "xlast" in said


def test_every_folder_of_the_catalogues_is_a_language():
    folders = {path.parent.name for path in ROOT.glob("explorer/text/*/*.ftl")}
    assert folders == set(LANGUAGES)


@pytest.mark.parametrize("lang", LANGUAGES[1:])
def test_every_language_has_the_same_messages_with_the_same_variables(lang):
    assert messages(lang) == messages(LANGUAGES[0])
    assert sorted(texts(lang)) == sorted(texts(LANGUAGES[0]))


def test_every_message_used_in_code_exists():
    known = set(texts(LANGUAGES[0]))
    assert [(name, path) for name, path in said_directly() if name.removesuffix(".repair") not in known] == []


@pytest.mark.thorough
def test_no_message_is_unused():
    names, patterns = asked()
    of_attributes = [p for p in patterns if r"\." in p.pattern]
    unused = [
        text
        for text in texts(LANGUAGES[0])
        if text not in names and not any(p.fullmatch(text) for p in (of_attributes if "." in text else patterns))
    ]
    assert unused == []


def test_nouns_agree_with_their_count_and_ordinals_have_endings():
    for count, told in ((1, "1 byte"), ("1", "1 byte"), (2, "2 bytes"), (12345, "12,345 bytes")):
        assert say("en", "inspect-kept", bytes=count) == f"kept for backward: {told}"
    places = [say("en", "apart.place", place=place, word="x") for place in (1, 3, 4, 11, 22, 23, 113)]
    assert [told.split()[1] for told in places] == ["first", "third", "4th", "11th", "22nd", "23rd", "113th"]
    assert "1 entry" in marked("en", "root-does-not-fit", asked=3, of="y", entries=1)


def test_a_line_in_a_file_follows_each_languages_order():
    line = LineNumber(24, "models.py")
    assert say("en", "line", line=line) == "line models.py:24"
    assert say("zh", "line", line=line) == "models.py 第 24 行" and say("zh", "line", line=24) == "第 24 行"
    assert say("zh", "repair-goes-on", line=line) == "这样修改后可继续运行；之后 models.py 第 24 行因其他原因停止"
