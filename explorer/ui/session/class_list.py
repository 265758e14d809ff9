"""The list of a class: lines that a user wrote, as links into this app and nowhere else."""

from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from msgspec import Struct
from msgspec.structs import replace

from explorer.lessons.course import Course
from explorer.program.permalink import MAX_FRAGMENT, is_fragment
from explorer.text import say
from explorer.text.numbers import shorten
from explorer.ui.session.links import PAGES, path_of

MOST = 60  # links of one list
MOST_LABEL = 200  # characters
MOST_QUERY = 4_000  # characters
MOST_FIELDS = 60  # of a query
SHOWN = 48  # cells of a line that is told to be wrong


class ClassLink(Struct, frozen=True):
    """One link of a list.

    Attributes:
        address: relative to a page of the app; it leads to no other site.
        page: the name of that page.
    """

    label: str
    address: str
    page: str


class WrongLine(Struct, frozen=True):
    """A line that is no link. Attributes: line: from 1; kind: names the sentence; text: the line, shortened."""

    line: int
    kind: str
    text: str


def read_list(text: str, host: str, course: Course, lang: str) -> tuple[list[ClassLink], list[WrongLine]]:
    """The links of a list and the lines that are none.

    A line is an address of this app or the id of a lesson, such as autograd/leaf, after a name and a | if it has one.
    Empty lines count for nothing.

    Args:
        host: of the app's own address, with its port.
    """
    links: list[ClassLink] = []
    wrong: list[WrongLine] = []
    for number, line in lines_of(text):
        label, bar, where = line.rpartition("|")
        label, where = label.strip() if bar else "", where.strip()
        if len(links) + len(wrong) >= MOST:
            wrong.append(WrongLine(number, "many", shorten(line, SHOWN)))
            break
        link = _lesson(where, course, lang) or _address(where, host, course, lang)
        if isinstance(link, str):
            wrong.append(WrongLine(number, link, shorten(line, SHOWN)))
        else:
            links.append(replace(link, label=shorten(label or link.label, MOST_LABEL)))
    return links, wrong


def lines_of(text: str) -> list[tuple[int, str]]:
    """The lines of a list that are not empty, each with its number from 1."""
    return [(number, line.strip()) for number, line in enumerate(text.split("\n"), 1) if line.strip()]


def moved(text: str, begin: int, end: int) -> str:
    """The list with its line at `begin` moved to the place `end`, both from 0; −1 takes it out.

    >>> moved("a\\nb\\nc", 2, 0), moved("a\\nb\\nc", 1, -1)
    ('c\\na\\nb\\n', 'a\\nc\\n')
    """
    lines = [line for _, line in lines_of(text)]
    if not 0 <= begin < len(lines):
        return text
    line = lines.pop(begin)
    if end >= 0:
        lines.insert(end, line)
    return "".join(f"{line}\n" for line in lines)


def added(text: str, *lines: str) -> str:
    """The list with further lines at its end."""
    return "".join(f"{line}\n" for line in (*(line for _, line in lines_of(text)), *lines))


def _lesson(id: str, course: Course, lang: str) -> ClassLink | None:
    if id not in course.lessons:
        return None
    title = course.lessons[id].text(lang).title.replace("`", "")
    return ClassLink(title, f"lessons?lesson={quote(id, safe='')}", "lessons")


def _address(said: str, host: str, course: Course, lang: str) -> ClassLink | str:
    """An address of the app, made again of its parts; or why it is none: other, page, large, unread."""
    try:
        parts = urlsplit(said)
        if len(parts.query) > MOST_QUERY or len(parts.fragment) > MAX_FRAGMENT:
            return "large"
        query = parse_qsl(parts.query, max_num_fields=MOST_FIELDS)
    except ValueError:
        return "unread"
    if parts.scheme not in ("", "http", "https") or (parts.netloc and parts.netloc != host):
        return "other"
    if not parts.netloc and not said.startswith(("/", "?", "#")):
        return "unread"
    last = parts.path.rstrip("/").rpartition("/")[2]
    page = next((page for page in PAGES if path_of(page.name) == last), PAGES[0] if not last else None)
    if page is None:
        return "page"
    if not is_fragment(parts.fragment):
        return "unread"
    lesson = course.lessons.get(dict(query).get("lesson", "")) if page.name == "lessons" else None
    fields = [(name, value) for name, value in query if name != "lang"]  # each reader has a language of his own
    address = "./" if page is PAGES[0] else path_of(page.name)
    address += (f"?{urlencode(fields)}" if fields else "") + (f"#{parts.fragment}" if parts.fragment else "")
    label = lesson.text(lang).title.replace("`", "") if lesson is not None else say(lang, f"nav-{page.name}")
    return ClassLink(label, address, page.name)
