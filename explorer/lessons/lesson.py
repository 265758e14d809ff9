"""Read a lesson's files within limits. Report faults with file and line."""

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import msgspec

from explorer.lessons.asks import Ask, ChoiceAsk, Fact, LessonData, MakeAsk, NumberAsk, PrintsAsk, ShapeAsk
from explorer.lessons.flaws import Flaw, line_of
from explorer.lessons.texts import LANGUAGES, MOST_TEXT, LessonText, differences, read_text
from explorer.program import Program, Unusable, read_program
from explorer.program.reader import decoded
from explorer.safe_regex import plain

TOML, PROGRAM = "lesson.toml", "program.py"
MOST_TEXTS = 8  # languages of a lesson
MOST_TOML = 100_000  # total bytes
MOST_PROGRAM = 20_000  # bytes
MOST_DOTS = 100  # in one line of TOML: reading a dotted name takes quadratic time
_AT_LINE = plain(r"at line (\d++)")
_AT_PATH = plain(r" - at `([^`]*+)`$")
_TEXT_FILE = plain(r"[a-z]{2,3}\.md")


@dataclass(frozen=True)
class Lesson:
    """A lesson.

    Attributes:
        id: chapter and folder, such as autograd/leaf, "" for a standalone lesson.
        data: its lesson.toml. texts: by language. program: as first shown.
        files: file texts by name.
    """

    id: str
    data: LessonData
    texts: Mapping[str, LessonText]
    program: str
    files: Mapping[str, str] = field(repr=False, default_factory=dict)

    def text(self, lang: str) -> LessonText:
        """Return its text in a language, otherwise in its first one."""
        return self.texts.get(lang) or next(iter(self.texts.values()))

    def program_of(self, ask: Ask) -> str:
        """Return the program of a question, as first shown."""
        return self.program if ask.program is None else ask.program


def read_lesson(files: Mapping[str, bytes], id: str = "") -> tuple[Lesson | None, list[Flaw]]:
    """Read a lesson and its faults, None if it is unusable."""
    flaws: list[Flaw] = []
    names = (TOML, PROGRAM, *text_files(files))
    texts = {name: text for name in names if (text := _text(name, files, flaws)) is not None}
    if TOML not in texts:
        return None, flaws or [Flaw(TOML, 0, "missing")]
    data = _data(texts[TOML], flaws)
    if data is None:
        return None, flaws
    missing = [] if PROGRAM in texts else [PROGRAM]
    missing += [] if text_files(texts) else [f"{LANGUAGES[0]}.md"]
    flaws += [Flaw(name, 0, "missing") for name in missing if not any(flaw.file == name for flaw in flaws)]
    readings: dict[str, LessonText] = {}
    for name in text_files(texts):
        readings[name.partition(".")[0]], wrong = read_text(name, texts[name])
        flaws += wrong
    program = texts.get(PROGRAM, "")
    if PROGRAM in texts and not program.strip():
        flaws.append(Flaw(PROGRAM, 1, "empty-program"))
    if len(readings) == 0 or PROGRAM not in texts:
        return None, flaws
    lesson = Lesson(id, data, readings, program, texts)
    flaws += _matches(lesson)
    first, *others = readings.items()
    for lang, other in others:
        flaws += differences((f"{first[0]}.md", first[1]), (f"{lang}.md", other))
    showable = all(ask.id in each.asks for each in readings.values() for ask in data.ask)
    return (lesson if showable else None), flaws


def text_files(names: Iterable[str]) -> list[str]:
    """Select text files such as `de.md`: the app's languages first, at most MOST_TEXTS."""
    own = [f"{lang}.md" for lang in LANGUAGES]
    texts = {name for name in names if _TEXT_FILE.fullmatch(name)}
    return sorted(texts, key=lambda name: (own.index(name) if name in own else len(own), name))[:MOST_TEXTS]


def program_of(text: str) -> Program:
    """Return the cells of a lesson's program. Raises Unusable."""
    return read_program(PROGRAM, text.encode("utf-8", "surrogatepass"))


def _text(name: str, files: Mapping[str, bytes], flaws: list[Flaw]) -> str | None:
    if name not in files:
        return None
    most = {TOML: MOST_TOML, PROGRAM: MOST_PROGRAM}.get(name, MOST_TEXT)
    try:
        return decoded(name, files[name], most)
    except Unusable as problem:
        values: dict[str, str | int] = {"size": len(files[name]), "most": most}
        kind = "too-large" if problem.kind == "too-large" else "no-text"
        flaws.append(Flaw(name, int(problem.values.get("line", 0)), kind, values))
        return None


def read_toml(file: str, text: str, flaws: list[Flaw]) -> dict | None:
    """Parse TOML. Returns None and a flaw if it is invalid."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > MOST_DOTS:
            flaws.append(Flaw(file, number, "dots", {"most": MOST_DOTS}))
            return None
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        at = _AT_LINE.search(str(problem))
        flaws.append(Flaw(file, int(at[1]) if at else text.count("\n") + 1, "toml", {"words": str(problem)}))
    except RecursionError:
        flaws.append(Flaw(file, 0, "nested"))
    return None


def converted(file: str, text: str, kind: type, flaws: list[Flaw]):
    """Convert TOML to a record, or None and a flaw."""
    raw = read_toml(file, text, flaws)
    if raw is None:
        return None
    try:
        return msgspec.convert(raw, kind)
    except (msgspec.ValidationError, RecursionError) as problem:
        words = str(problem)
        path = _AT_PATH.search(words)
        line = line_of(text, path[1]) if path else 1
        flaws.append(Flaw(file, line, "field", {"words": words}))
        return None


def _data(text: str, flaws: list[Flaw]) -> LessonData | None:
    data = converted(TOML, text, LessonData, flaws)
    if data is None:
        return None
    for number, ask in enumerate(data.ask):
        for name, fact, checks in _facts(ask):
            if not fact.subject:
                flaws.append(Flaw(TOML, line_of(text, f"$.ask[{number}].{name}"), "subject", {"name": ask.id}))
            elif checks and not fact.requires:
                where = line_of(text, f"$.ask[{number}].{name}")
                flaws.append(Flaw(TOML, where, "requires-nothing", {"name": ask.id, "subject": fact.subject}))
    return data


def _facts(ask: Ask) -> list[tuple[str, Fact, bool]]:
    """Return a question's facts: key, fact, and whether a requirement is needed."""
    if isinstance(ask, MakeAsk):
        return [("check", fact, True) for fact in ask.check] + [("wrong", tried.when, True) for tried in ask.wrong]
    return [("expect", ask.expect, False)] if isinstance(ask, NumberAsk | ShapeAsk | PrintsAsk) else []


def _matches(lesson: Lesson) -> list[Flaw]:
    """Find mismatches of questions, replies and choices between lesson.toml and texts."""
    flaws: list[Flaw] = []
    toml = lesson.files[TOML]
    ids = [ask.id for ask in lesson.data.ask]
    for number, id in enumerate(ids):
        if id in ids[:number]:
            flaws.append(Flaw(TOML, line_of(toml, f"$.ask[{number}].id"), "twice", {"name": id}))
    for lang, lesson_text in lesson.texts.items():
        file = f"{lang}.md"
        if [*lesson_text.asks] != ids:
            wanted = {"found": ", ".join(lesson_text.asks) or "–", "other": ", ".join(ids) or "–"}
            flaws.append(Flaw(file, 1, "asks-unlike-toml", wanted))
        for number, ask in enumerate(lesson.data.ask):
            if ask.id not in lesson_text.asks:
                continue
            text, line = lesson_text.asks[ask.id], lesson_text.asks[ask.id].line
            replies = {wrong.reply for wrong in getattr(ask, "wrong", ())}
            for name in sorted(replies - text.wrong.keys()):
                flaws.append(Flaw(file, line, "no-reply", {"name": ask.id, "reply": name}))
            for name in sorted(text.wrong.keys() - replies):
                flaws.append(Flaw(file, line, "reply-unused", {"name": ask.id, "reply": name}))
            letters = [letter for letter, _ in text.choices]
            if not isinstance(ask, ChoiceAsk):
                if letters:
                    flaws.append(Flaw(file, line, "choices-unasked", {"name": ask.id}))
                continue
            named = [ask.right, *(text.says for text in ask.wrong)]
            if letters != [chr(97 + at) for at in range(len(letters))] or len(letters) < 2:
                flaws.append(Flaw(file, line, "choices", {"name": ask.id}))
            elif strange := [letter for letter in named if letter not in letters]:
                where = line_of(toml, f"$.ask[{number}].right")
                flaws.append(Flaw(TOML, where, "choice-unknown", {"name": ask.id, "letter": strange[0]}))
    return flaws
