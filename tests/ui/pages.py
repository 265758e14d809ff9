"""Pages of the app without a browser: reading them, and typing programs."""

import base64
import json
import re
from html import unescape
from pathlib import Path

from streamlit.testing.v1 import AppTest

from explorer.sandbox import default_runner
from explorer.ui.session.document import DOCUMENT, Document
from tests.patience import PATIENT

ROOT = Path(__file__).parents[2]


def new_page(name: str = "", **address: str) -> AppTest:
    """Return an undrawn page, by default the first; `address` has its properties."""
    start_programs()
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENT)
    app.query_params.update(address)
    return app.switch_page(f"pages/{name}.py") if name else app


def start_programs() -> None:
    """Wait until programs can run."""
    default_runner().start()
    assert default_runner().ready(PATIENT)


def told(app: AppTest, name: str) -> list[dict]:
    """Return the arguments of each component with this name."""
    assert not app.exception
    shown = [one.proto for one in app.get("bidi_component") if one.proto.component_name == f"explorer_{name}"]
    return [json.loads(one.bytes) for one in shown]


def component(app: AppTest, name: str) -> dict:
    """Return the arguments of the first component with this name."""
    return told(app, name)[0]


def editor(app: AppTest) -> dict:
    """Return the editor's arguments."""
    return component(app, "editor")


def html(app: AppTest) -> str:
    """Return the page's own HTML, without its styles."""
    assert not app.exception
    bodies = [one.proto.body for one in app.get("html")]
    return "\n".join(body for body in bodies if not body.startswith("<style>"))


def linked(app: AppTest) -> str:
    """Return the HTML of the linked parts."""
    return "\n".join(one["html"] for one in told(app, "linked"))


def words(app: AppTest, *more: str) -> str:
    """Return the visible text of the page's HTML, and of additional HTML."""
    return unescape(re.sub(r"<[^>]+>", " ", " ".join([html(app), *more])))


def open_file(app: AppTest, name: str, text: str, count: int = 1) -> AppTest:
    """Open a file in the editor, and run it."""
    data = base64.b64encode(text.encode()).decode()
    app = type_program(app, count=count, act={"do": "open", "name": name, "size": len(text.encode()), "data": data})
    return type_program(app, *[cell["text"] for cell in editor(app)["cells"]], count=count + 1)


def put_program(app: AppTest, text: str) -> AppTest:
    """Replace the session's program, and draw the page."""
    app.session_state[DOCUMENT] = Document((text,), (0,))
    return app.run()


def type_program(app: AppTest, *cells: str, count: int = 1, cell: int | None = None, **more) -> AppTest:
    """Type a program into the editor and run it, like the browser."""
    document = component(app, "editor")
    ids = [one["id"] for one in document["cells"]]
    edit = {"count": count, "revision": document["revision"], "cells": list(zip(ids, cells, strict=False)), "have": []}
    app.session_state["code"] = {"edit": edit | more, "cell": cell}
    return app.run()
