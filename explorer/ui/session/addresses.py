"""The pages, and the properties their addresses keep.

View and language are in the query, texts in the fragment, which browsers never send to a server.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from explorer.analysis.views.training.strips import MEASURES


@dataclass(frozen=True)
class Property:
    """A property of a page in its address.

    Attributes:
        kind: text (in the fragment), word, choice, whole, number or flag (in the query).
        default: value if the address omits it.
        choices: of a choice. least, most: of a number. For a text or word `most` is its length in characters.
    """

    kind: Literal["text", "word", "choice", "whole", "number", "flag"]
    default: Any
    choices: tuple[str, ...] = ()
    least: float = -1e300
    most: float = 1e300

    def read(self, text: str) -> Any:
        """Return the value in an address, the default if it is invalid."""
        match self.kind:
            case "text" | "word":
                return text if len(text) <= self.most else self.default
            case "choice":
                return text if text in self.choices else self.default
            case "flag":
                return {"1": True, "0": False}.get(text, self.default)
        try:
            value = (int if self.kind == "whole" else float)(text[:40])
        except ValueError:
            return self.default
        return value if self.least <= value <= self.most else self.default

    def written(self, value: Any) -> str:
        """Return the value for an address."""
        return str(int(value)) if self.kind == "flag" else str(value)


@dataclass(frozen=True)
class Page:
    """A page of the app.

    Attributes:
        name: of its folder in `ui/pages`, its file in `pages/`, its address and its message `nav-<name>`. Style sheets
            in a folder or a file of that name are its own.
        sheets: style sheets shared with some other pages.
        place: the navigation place it belongs to. A place opens its first page.
        listed: whether it is listed next to the places. Pages opened by an action of another page are not.
        edited: whether its address texts are in its editor, which sends them to every session.
    """

    name: str
    place: Literal["program", "training", "data", "learn"]
    sheets: tuple[str, ...] = ()
    edited: bool = False
    listed: bool = True


EMBED_VIEWS = ("graph", "both", "code")  # parts of the first page when embedded
# In navigation order; the first is at /.
PAGES = (
    Page("autograd", "program", sheets=("operations", "player", "tensors"), edited=True),
    Page("compare", "program", sheets=("bench", "training"), listed=False),
    Page("training", "training", sheets=("bench", "split", "present", "lens"), edited=True),
    Page("data", "data"),
    Page(
        "lessons",
        "learn",
        sheets=("bench", "broadcasting", "derivatives", "found", "operations", "player", "tensors", "thumbnails"),
        edited=True,
    ),
    Page("gallery", "learn", sheets=("thumbnails", "found")),
    Page("operations", "learn", sheets=("bench", "split", "present", "lens"), edited=True),
    Page("broadcasting", "learn"),
    Page("derivatives", "learn"),
)
OWN_LANGUAGE = "explorer:lang"  # key in the browser's storage for the user's language
# Pages that are now parts of others, and what their addresses show there.
MOVED: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "runs": ("training", {}),
    "histogram": ("autograd", {"seen": "values", "values": "histogram"}),
    "tensors": ("autograd", {"seen": "values"}),
}
# Current page and values by an old address's page and `view`.
MOVED_VIEWS: Mapping[tuple[str, str], tuple[str, Mapping[str, str]]] = {
    ("tensors", "histogram"): MOVED["histogram"],
    ("tensors", "memory"): ("autograd", {"seen": "memory"}),
    ("tensors", "operations"): ("operations", {}),
}


def _choice(*choices: str) -> Property:
    """Return a property that is one of these, by default the first."""
    return Property("choice", choices[0], choices)


PROGRAM = {"program": Property("text", "", most=200_000), "name": Property("text", "program.py", most=200)}
EXAMPLES = ("", "first", "views", "kinds", "ranks", "numpy", "wrong")  # programs that old addresses name
# Address parameters by page and name.
PROPERTIES: Mapping[str, Mapping[str, Property]] = {
    "autograd": {
        **PROGRAM,
        "of": Property("text", "", most=200),
        "start": Property("text", "", most=2_000),
        "backward": Property("whole", 0, least=0, most=100_000),
        "step": Property("whole", 0, least=0, most=10**12),
        "fold": Property("flag", True),
        "example": _choice(*EXAMPLES),
        "seen": _choice("", "graph", "values", "memory", "influence"),
        "values": _choice("", "operation", "tensor", "histogram"),
        "tensor": Property("text", "", most=300),
        "hide": _choice("", "grad", "all"),
        "predict": Property("whole", 0, least=0, most=100_000),
        "entry": Property("text", "", most=60),
        "why": Property("text", "", most=60),
    },
    "training": {
        **PROGRAM,
        "place": Property("text", "", most=4),
        "measure": _choice(*MEASURES),
        "step": Property("whole", 0, least=0, most=10**9),
        "parameter": Property("text", "", most=300),
        "more": Property("choice", "", ("entries", "bands", "rates", "optimizers", "table")),
        "of": _choice("values", "gradients"),
    },
    "broadcasting": {
        "a": Property("text", "3, 1", most=2_000),
        "b": Property("text", "1, 2", most=2_000),
        "c": Property("text", "2, 1, 1", most=2_000),
        "d": Property("text", "1", most=2_000),
        "given": Property("text", "", most=2_000),
        "program": Property("text", "", most=200_000),
        "count": Property("whole", 2, least=2, most=4),
        "operator": _choice("add", "sub", "mul", "div", "pow", "maximum", "minimum", "square"),
        "start": _choice("ones", "mean", "given"),
        "place": Property("whole", 0, least=0, most=200),
        "at": Property("text", "", most=60),
    },
    "operations": {
        **PROGRAM,
        "example": _choice(*EXAMPLES),
        "typed": Property("text", "", most=4_000),
        "operation": Property("word", "", most=6),
    },
    "compare": {**PROGRAM, "other": Property("text", "", most=200_000), "other_name": Property("text", "", most=200)},
    "data": {"text": Property("text", "", most=200_000), "view": _choice("table", "tensors", "gradient")},
    "derivatives": {
        "f": Property("text", "3*x**2 - 4*x", most=4_000),
        "at": Property("number", 1.0),
        "low": Property("number", -0.5),
        "high": Property("number", 2.5),
        "second": Property("whole", 40, least=0, most=100),
        "more": _choice("one", "two"),  # variables
        "g": Property("text", "x**2 + 3*y**2", most=4_000),
        "g_at": Property("text", "1.5, 1", most=200),
        "g_x": Property("text", "-2, 2", most=200),
        "g_y": Property("text", "-2, 2", most=200),
        "rate": Property("number", 0.05, least=-1000000, most=1000000),
        "steps": Property("whole", 30, least=0, most=200),
    },
    "lessons": {
        "lesson": Property("word", "", most=120),
        "at": Property("whole", 0, least=0, most=20),
        "path": Property("word", "", most=40),
    },
    "gallery": {
        "subject": _choice(
            "", "surprising", "tensors", "algebra", "calculus", "autograd", "training", "training-steps", "techniques"
        )
    },
}
