"""Components with a script of their own: modules of explorer/ui that export `mount(page)`.

Streamlit calls a component's script again at every change of its data, but its undo function only at the component's
end, so this file undoes the previous call. Streamlit also sends the script with the data at every rerun of the page. A
large script is therefore a component of its own whose message never changes, so only its digest is sent again; the
changing message has the data and a few lines that call the script.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from explorer.drawing.scripts import linked

UI = Path(__file__).parents[1]
DIGESTED = 10_000  # bytes from which on Streamlit sends only a digest of a repeated message

_ONCE = """
export default function (page) {
  const here = page.parentElement;
  here.explorerStop?.();
  here.explorerStop = mount(page);
  return () => here.explorerStop?.(true);
}
"""
_READY = "globalThis.explorerScripts ??= {{}};\nexplorerScripts.{name} = mount;\n"
_TOLD = 'export default function () {\n  document.dispatchEvent(new Event("explorer:script"));\n}\n'


def component_state(key: str, name: str) -> Any:
    """The latest state that the browser sent, under this name, for the component with this key; None for nothing yet.

    It is untrusted: callers must check it.
    """
    state = st.session_state.get(key)
    return state.get(name) if isinstance(state, Mapping) else None


def component(name: str, html: str, module: str) -> Callable[..., Any]:
    """A component from `st.components.v2.component`, without style isolation.

    Args:
        name: an identifier in Python and JavaScript.
        module: a file, named from explorer/ui, with all that it imports.
            Its `mount` is called as a component's default export would be, and may return a
            function that undoes it, which is told whether this is the component's end.
    """
    script = linked(UI / module)
    if len(script.encode()) < DIGESTED:
        return st.components.v2.component(name, html=html, js=script + _ONCE, isolate_styles=False)
    code = st.components.v2.component(
        f"{name}_script", html="", js=script + _READY.format(name=name) + _TOLD, isolate_styles=False
    )
    caller = linked(UI / "components/script.js").replace("NAME", name)
    shown = st.components.v2.component(name, html=html, js=caller + _ONCE, isolate_styles=False)

    def draw(*, key: str, **more: Any) -> Any:
        code(key=f"script_{key}")
        return shown(key=key, **more)

    return draw
