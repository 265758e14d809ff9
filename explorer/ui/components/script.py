"""Components with their own script: modules of explorer/ui that export `mount(page)`.

Streamlit sends a component's script with its data at every drawing, and computes a digest of both. So all scripts are
one message in the page's head, which fragments do not redraw. A component's own message has its data and a few lines
that call its script.
"""

import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from explorer.drawing.scripts import linked

UI = Path(__file__).parents[1]

_modules: dict[str, str] = {}  # name of a component → its module


def component_state(key: str, name: str) -> Any:
    """Return the browser's latest state under this name for a component, or None.

    It is untrusted, so callers must check it.
    """
    state = st.session_state.get(key)
    return state.get(name) if isinstance(state, Mapping) else None


def component(name: str, html: str, module: str) -> Callable[..., Any]:
    """Create an `st.components.v2.component` without style isolation.

    Args:
        name: an identifier in Python and JavaScript.
        module: file relative to explorer/ui, linked with its imports. Its `mount` is called like a component's
            default export, and may return a cleanup function, whose argument says whether the component ends.

    Each state in `default` makes the page draw again when it changes, even without a function for `on_…_change`. `data`
    is sent as the bytes of its JSON: Streamlit would search it for tables, and write it once more to compare it.
    """
    _modules[name] = module

    @cache
    def made() -> Callable[..., Any]:  # created when drawn; before that, no server may accept components
        js = linked(UI / "components/script.js").replace("NAME", name) + "export default draw;\n"
        return st.components.v2.component(name, html=html, js=js, isolate_styles=False)

    def drawn(data: Any = None, **how: Any) -> Any:
        heard = {f"on_{state}_change": lambda: None for state in how.get("default", ())}
        return made()(data=None if data is None else json.dumps(data).encode(), **heard | how)

    return drawn


def scripts() -> None:
    """Draw the scripts of all components, once for a page."""
    _scripts(tuple(_modules.items()))(key="script_all")


@cache
def _scripts(modules: tuple[tuple[str, str], ...]) -> Callable[..., Any]:
    # `??=`, because a page sends them again when another page has added its own.
    ready = "".join(f"{{\n{linked(UI / module)}scripts.{name} ??= mount;\n}}\n" for name, module in modules)
    js = f"""const scripts = (globalThis.explorerScripts ??= {{}});
{ready}export default () => void document.dispatchEvent(new Event("explorer:script"));
"""
    return st.components.v2.component(f"explorer_scripts_{len(modules)}", html="", js=js, isolate_styles=False)
