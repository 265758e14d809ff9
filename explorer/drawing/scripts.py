"""Join JavaScript modules into one script, for Streamlit components and pages without a server.

A module imports by name, `import { make, mount as play } from "./paint.js";`, and exports by `export function` or
`export const`. Each keeps its own scope and is otherwise unchanged.
"""

import json
from base64 import b64encode
from functools import cache
from hashlib import sha256
from html import escape
from pathlib import Path

from explorer.drawing.marks import quoted
from explorer.safe_regex import plain
from explorer.text import KNOWN

_IMPORT = plain(r'(?m)^import \{([^}]*+)\} from "(\.[^"]*+)";$')
_EXPORT = plain(r"(?m)^export (?=(?:async )?(?:function|const) (\w++))")
_OTHER = plain(r"(?m)^(?:import|export)\b.*+$")


@cache
def linked(path: Path) -> str:
    """Return a script that only defines a module's exports.

    Raises:
        ValueError: circular imports, or an unsupported import or export form.
    """
    texts: dict[Path, str] = {}
    path = path.resolve()
    _add(path, texts, ())
    given = ", ".join(_EXPORT.findall(path.read_text(encoding="utf-8")))
    names = {path: number for number, path in enumerate(texts)}
    return (
        f"const {{ {given} }} = (() => {{\nconst modules = [];\n"
        + "".join(_module(text, path, names) for path, text in texts.items())
        + f"return modules[{names[path]}];\n}})();\n"
    )


def _add(path: Path, texts: dict[Path, str], above: tuple[Path, ...]) -> None:
    """Add a module after everything that it imports."""
    if path in above:
        raise ValueError(f"{' → '.join(module.name for module in (*above, path))}: a circle of imports")
    if path in texts:
        return
    text = path.read_text(encoding="utf-8")
    if other := _OTHER.search(_EXPORT.sub("", _IMPORT.sub("", text))):
        raise ValueError(f"{path.name}: imports and exports are written as in explorer/drawing/scripts.py: {other[0]}")
    for _, source in _IMPORT.findall(text):
        _add((path.parent / source).resolve(), texts, (*above, path))
    texts[path] = text


def _module(text: str, path: Path, names: dict[Path, int]) -> str:
    given = ", ".join(_EXPORT.findall(text))
    taken = _IMPORT.sub(lambda match: _taken(match[1], names[(path.parent / match[2]).resolve()]), text)
    return f"modules.push((() => {{\n{_EXPORT.sub('', taken)}\nreturn {{ {given} }};\n}})());\n"


def _taken(wanted: str, module: int) -> str:
    """Return the destructuring for an import: `mount as play` becomes `mount: play`."""
    return f"const {{{wanted.replace(' as ', ': ')}}} = modules[{module}];"


def saved_page(script: Path, title: str, lang: str, css: str, body: str, data: object) -> str:
    """Build a page that runs only its script with `data`.

    Args:
        body: trusted HTML, from its `<body>` tag on. title: plain text, escaped here.
    """
    code = linked(script)
    digest = b64encode(sha256(code.encode("utf-8")).digest()).decode("ascii")
    policy = f"default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    text = json.dumps(data).replace("<", "\\u003c")  # nothing in it can close its element
    return (
        f'<!doctype html><html lang="{quoted(KNOWN[lang].tag)}"><head><meta charset="utf-8">'
        f'<title>{quoted(title)}</title><meta name="viewport" content="width=device-width,initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}"><style>{css}</style></head>{body}'
        f'<script type="application/json" id="page-data">{text}</script>'
        f'<script type="module">{code}</script></body></html>\n'
    )


def page_frame(page: str, title: str, height: int) -> str:
    """Embed a page as an iframe, isolated from the notebook around it."""
    return (
        f'<iframe title="{quoted(title)}" srcdoc="{escape(page, quote=True)}" sandbox="allow-scripts" '
        f'style="width:100%;height:{height}px;border:1px solid rgba(128,128,128,.35);border-radius:8px"></iframe>'
    )
