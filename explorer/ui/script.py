"""Components with a large script. Streamlit sends a component's script with its data at every rerun of the page.

Here the script is a component of its own whose message never changes: Streamlit then sends its digest only (from 10 KB
on). What changes is a message with the data and a few lines that call the script.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

HERE = Path(__file__).parent
_READY = "globalThis.explorerScripts ??= {{}};\nexplorerScripts.{name} = mount;\n"
_TOLD = 'export default function () {\n  document.dispatchEvent(new Event("explorer:script"));\n}\n'


def component(name: str, html: str, *parts: str) -> Callable[..., Any]:
    """A component as `st.components.v2.component` makes it, styles not isolated.

    Args:
        name: an identifier in Python and JavaScript.
        parts: files of this folder that make one script; it defines `mount`, which is called as a component's default
            export would be.
    """
    script = "\n".join((HERE / part).read_text(encoding="utf-8") for part in parts)
    code = st.components.v2.component(
        f"{name}_script", html="", js=script + _READY.format(name=name) + _TOLD, isolate_styles=False
    )
    caller = (HERE / "script.js").read_text(encoding="utf-8").replace("NAME", name)
    shown = st.components.v2.component(name, html=html, js=caller, isolate_styles=False)

    def draw(*, key: str, **more: Any) -> Any:
        code(key=f"script_{key}")
        return shown(key=key, **more)

    return draw
