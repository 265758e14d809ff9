"""The catalogues' format: read as Fluent reads it."""

import random

import pytest
from fluent.runtime import FluentBundle, FluentResource

from explorer.text import LANGUAGES, _entries
from explorer.text.fluent import Choice, Pattern, Variable, read_message, written

FILES = """files = { $count ->
    [0] Nothing
    [one] One file
   *[other] { $count } files
} in { $place }.
    .kind = { $kind ->
        [new] {" "}a new one
       *[old] an old one
    }
    .lines =
        first
          indented { NUMBER($line, useGrouping: 0) }
"""


def said(attribute: str = "", lang: str = "en", **values) -> str:
    return written(read_message(FILES)[attribute], values, lang)


def test_a_choice_takes_the_number_itself_then_its_plural():
    assert [said(count=count, place="x") for count in (0, 1, 1234)] == [
        "Nothing in x.",
        "One file in x.",
        "1,234 files in x.",
    ]
    assert said(lang="zh", count=1, place="x") == "1 files in x."


def test_a_choice_by_a_word_and_what_no_text_is_for():
    assert said("kind", kind="new") == " a new one" and said("kind", kind="other") == "an old one"


def test_lines_keep_what_they_are_indented_more_than_the_others():
    assert said("lines", line=1234) == "first\n  indented 1234"


def variables(pattern: Pattern) -> dict[str, set[str]]:
    """The variables of a text, with the keys by which they choose."""
    found: dict[str, set[str]] = {}
    for part in pattern:
        if isinstance(part, Variable):
            found.setdefault(part.name, set())
        elif isinstance(part, Choice):
            found.setdefault(part.name, set()).update(part.texts)
            for text in part.texts.values():
                for name, keys in variables(text).items():
                    found.setdefault(name, set()).update(keys)
    return found


def value(keys: set[str], choices: random.Random) -> str | int | float:
    """A number, a text, or what a choice is made by. Of words that are plurals Fluent has a meaning of its own."""
    words = sorted(key for key in keys if not key.isdigit() and key not in ("one", "other"))
    numbers = [int(key) for key in keys if key.isdigit()]
    return choices.choice([0, 1, 2, 1234, 1234567, -5, 1.0, 0.12345, 12345.6789, *words, *words, *numbers])


@pytest.mark.thorough
@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_message_is_what_the_library_of_fluent_makes_of_it(lang):
    bundle = FluentBundle([lang], use_isolating=False)
    choices = random.Random(0)
    for name, entry in _entries(lang).items():
        bundle.add_resource(FluentResource(entry))
        message, ours = bundle.get_message(name), read_message(entry)
        theirs = {"": message.value, **message.attributes}
        assert {key for key, pattern in theirs.items() if pattern is not None} == ours.keys(), name
        for attribute, pattern in ours.items():
            for _ in range(10):
                values = {name: value(keys, choices) for name, keys in variables(pattern).items()}
                text, problems = bundle.format_pattern(theirs[attribute], values)
                assert problems or written(pattern, values, lang) == text, (name, values)
