"""Join JavaScript modules into one script, for saved pages and Streamlit components.

A module imports by name, `import { make, mount as play } from "./paint.js";`, and exports by `export function` or
`export const`. Each keeps its own scope and is otherwise unchanged.
"""

from functools import cache
from pathlib import Path

from explorer.safe_regex import plain

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
