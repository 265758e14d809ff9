"""A lesson's text in one language: Markdown with a section per question."""

from collections import Counter
from dataclasses import dataclass, field

from explorer.lessons.flaws import Flaw
from explorer.safe_regex import plain

LANGUAGES = ("en", "zh")
MOST_TEXT = 60_000  # bytes of one language
_FORMULA_OR_CODE = plain(r"`[^`\n]++`|\$\$[^$]++\$\$|\$[^$\n]++\$")
_HTML = plain(r"<(?:[A-Za-z/][^>\n]{0,200}+>|!--)")
_PICTURE = plain(r"!\[")
_TEXT_IN_FORMULA = plain(r"\\text\{[^{}]*+\}")
_CHOICE = plain(r"[-*] ([a-h])[).] ++(.*)")


@dataclass(frozen=True)
class AskText:
    """Texts of one question.

    Attributes:
        question: Markdown. choices: letter and Markdown of each choice.
        hints: hints in order. right: reply to the right answer. wrong: replies by name.
        line: line of its heading.
    """

    question: str
    choices: tuple[tuple[str, str], ...] = ()
    hints: tuple[str, ...] = ()
    right: str = ""
    wrong: dict[str, str] = field(default_factory=dict)
    line: int = 1


@dataclass(frozen=True)
class LessonText:
    """The text of a lesson.

    Attributes:
        title: plain text with code spans. intro: Markdown before the first question.
        asks: by id, in order. parts: question ids and Markdown between them, in order (kind "ask" or "text").
    """

    title: str
    intro: str
    asks: dict[str, AskText]
    parts: tuple[tuple[str, str], ...]


@dataclass
class _Section:
    """Lines under a heading. Attributes: line: of the heading, from 1."""

    heading: str
    line: int
    lines: list[str]

    @property
    def text(self) -> str:
        return "\n".join(self.lines).strip("\n")


def read_text(file: str, text: str) -> tuple[LessonText, list[Flaw]]:
    """Read a lesson's text and its formal faults."""
    flaws = _forbidden(file, text)
    top, *sections = _sections(text, "## ")
    titles = _sections("\n".join(top.lines), "# ")[1:]
    title = titles[0] if titles else None
    if title is None or not title.heading or len(titles) > 1:
        flaws.append(Flaw(file, 1, "title"))
    asks: dict[str, AskText] = {}
    parts: list[tuple[str, str]] = []
    for section in sections:
        word, _, name = section.heading.partition(" ")
        name = name.strip()
        if word == "text":
            parts.append(("text", section.text))
        elif word != "ask" or not name:
            flaws.append(Flaw(file, section.line, "heading", {"heading": f"## {section.heading}"}))
        elif name in asks:
            flaws.append(Flaw(file, section.line, "twice", {"name": name}))
        else:
            asks[name] = _ask(file, section, flaws)
            parts.append(("ask", name))
    lesson_text = LessonText(title.heading if title else "", title.text if title else "", asks, tuple(parts))
    return lesson_text, flaws


def _ask(file: str, section: _Section, flaws: list[Flaw]) -> AskText:
    question, *below = _sections("\n".join(section.lines), "### ", section.line)
    lines = question.text.split("\n")
    choices = [(match[1], match[2]) for line in lines if (match := _CHOICE.match(line))]
    words = "\n".join(line for line in lines if not _CHOICE.match(line)).strip("\n")
    if not words.strip():
        flaws.append(Flaw(file, section.line, "no-question", {"name": section.heading}))
    hints, right, wrong = [], "", {}
    for part in below:
        word, _, name = part.heading.partition(" ")
        name = name.strip()
        if not part.text.strip():
            flaws.append(Flaw(file, part.line, "empty", {"heading": f"### {part.heading}"}))
        if word == "hint" and not name:
            hints.append(part.text)
        elif word == "right" and not name and not right:
            right = part.text
        elif word == "wrong" and name and name not in wrong:
            wrong[name] = part.text
        else:
            flaws.append(Flaw(file, part.line, "heading", {"heading": f"### {part.heading}"}))
    if not right:
        flaws.append(Flaw(file, section.line, "no-right", {"name": section.heading}))
    return AskText(words, tuple(choices), tuple(hints), right, wrong, section.line)


def _sections(text: str, mark: str, above: int = 0) -> list[_Section]:
    """Split into the text before the first heading and every section, ignoring code."""
    sections = [_Section("", above, [])]
    fence = ""
    for number, line in enumerate(text.split("\n"), above + 1):
        if line.lstrip().startswith(("```", "~~~")):
            fence = "" if fence == line.lstrip()[:3] else fence or line.lstrip()[:3]
        if not fence and line.startswith(mark):
            sections.append(_Section(line[len(mark) :].strip(), number, []))
        else:
            sections[-1].lines.append(line)
    return sections


def _forbidden(file: str, text: str) -> list[Flaw]:
    """Find HTML and pictures, which would appear as plain text."""
    flaws, fenced = [], False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif not fenced:
            bare = _FORMULA_OR_CODE.sub("", line[:5_000])
            if html := _HTML.search(bare):
                flaws.append(Flaw(file, number, "html", {"found": html[0][:40]}))
            if _PICTURE.search(bare):
                flaws.append(Flaw(file, number, "picture"))
    return flaws


def differences(reference: tuple[str, LessonText], other: tuple[str, LessonText]) -> list[Flaw]:
    """Find differences between two languages: questions, choices, hints, replies, formulas, code."""
    (_, first), (file, second) = reference, other
    if [name for kind, name in first.parts if kind == "ask"] != [name for kind, name in second.parts if kind == "ask"]:
        asks = {"what": "questions", "found": ", ".join(second.asks) or "–", "other": ", ".join(first.asks) or "–"}
        return [Flaw(file, 1, "languages-differ", asks)]
    if [kind for kind, _ in first.parts] != [kind for kind, _ in second.parts]:
        return [Flaw(file, 1, "texts-differ")]
    flaws = _formulas(file, 1, first.intro, second.intro)
    for (kind, content), (_, other_text) in zip(first.parts, second.parts, strict=True):
        if kind == "text":
            flaws += _formulas(file, 1, content, other_text)
            continue
        here, there = second.asks[content], first.asks[content]
        counts = {"choices": (len(there.choices), len(here.choices)), "hints": (len(there.hints), len(here.hints))}
        flaws += [
            Flaw(file, here.line, "counts-differ", {"what": what, "name": content, "found": count, "other": wanted})
            for what, (wanted, count) in counts.items()
            if wanted != count
        ]
        if here.wrong.keys() != there.wrong.keys():
            names = {"found": ", ".join(here.wrong) or "–", "other": ", ".join(there.wrong) or "–"}
            flaws.append(Flaw(file, here.line, "replies-differ", {"name": content, **names}))
            continue
        pairs = [(there.question, here.question), (there.right, here.right)]
        pairs += list(zip(there.hints, here.hints, strict=False))
        pairs += [(there.wrong[name], here.wrong[name]) for name in there.wrong]
        pairs += [(a, b) for (_, a), (_, b) in zip(there.choices, here.choices, strict=False)]
        for a, b in pairs:
            flaws += _formulas(file, here.line, a, b)
    return flaws


def _formulas(file: str, line: int, reference: str, other: str) -> list[Flaw]:
    """Find formulas and code spans that occur in only one of two texts."""
    first, second = _count_marks(reference), _count_marks(other)
    more = first - second
    if not more and not second - first:
        return []
    names = {"what": "formulas", "found": next(iter(second - first), "–"), "other": next(iter(more), "–")}
    return [Flaw(file, line, "languages-differ", names)]


def _count_marks(text: str) -> Counter[str]:
    marks = _FORMULA_OR_CODE.findall(text)
    return Counter(_TEXT_IN_FORMULA.sub(r"\\text{}", mark) if mark.startswith("$") else mark for mark in marks)
