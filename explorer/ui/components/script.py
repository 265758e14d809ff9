"""Components with a script of their own: modules of explorer/ui that export `mount(page)`.

Streamlit calls a component's script again at every change of its data, and what it returned, the way to undo it, only
at the component's end: so the call before is undone here. Streamlit also sends the script with the data at every rerun
of the page. A large one is therefore a component of its own whose message never changes: of such a message only a
digest is sent. What changes is then a message with the data and a few lines that call the script.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from explorer.drawing.scripts import linked

UI = Path(__file__).parents[1]
DIGESTED = 10_000  # bytes from which on Streamlit sends a digest of a message that it has sent before

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


def told_by(key: str, name: str) -> Any:
    """What the browser told last, under this name, of the component with this key; None for nothing yet.

    It comes from outside: whoever uses it looks at what it is.
    """
    state = st.session_state.get(key)
    return None if state is None else state.get(name)


def component(name: str, html: str, module: str) -> Callable[..., Any]:
    """A component as `st.components.v2.component` makes it, styles not isolated.

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
