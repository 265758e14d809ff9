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
    """Returns when programs can run."""
    default_runner().start()
    assert default_runner().ready(PATIENT)


def told(app: AppTest, name: str) -> list[dict]:
    """What each component of this name was given."""
    assert not app.exception
    shown = [one.proto for one in app.get("bidi_component") if one.proto.component_name == f"explorer_{name}"]
    return [json.loads(one.bytes) for one in shown]


def component(app: AppTest, name: str) -> dict:
    """What the first component of this name was given."""
    return told(app, name)[0]


def editor(app: AppTest) -> dict:
    """What the editor was given."""
    return component(app, "editor")


def html(app: AppTest) -> str:
    """The page's own HTML, without its styles."""
    assert not app.exception
    bodies = [one.proto.body for one in app.get("html")]
    return "\n".join(body for body in bodies if not body.startswith("<style>"))


def linked(app: AppTest) -> str:
    """The HTML of the parts that light each other."""
    return "\n".join(one["html"] for one in told(app, "linked"))


def words(app: AppTest, *more: str) -> str:
    """What a person reads in the page's HTML, and in more of it."""
    return unescape(re.sub(r"<[^>]+>", " ", " ".join([html(app), *more])))


def open_file(app: AppTest, name: str, text: str, count: int = 1) -> AppTest:
    """Open a file in the editor, and run it."""
    data = base64.b64encode(text.encode()).decode()
    app = type_program(app, count=count, act={"do": "open", "name": name, "size": len(text.encode()), "data": data})
    return type_program(app, *[cell["text"] for cell in editor(app)["cells"]], count=count + 1)


def put_program(app: AppTest, text: str) -> AppTest:
    """Put a program in the place of the session's own, and draw the page."""
    app.session_state[DOCUMENT] = Document((text,), (0,))
    return app.run()


def type_program(app: AppTest, *cells: str, count: int = 1, cell: int | None = None, **more) -> AppTest:
    """Type a program into the editor and run it, like the browser."""
    document = component(app, "editor")
    ids = [one["id"] for one in document["cells"]]
    edit = {"count": count, "revision": document["revision"], "cells": list(zip(ids, cells, strict=False)), "have": []}
    app.session_state["code"] = {"edit": edit | more, "cell": cell}
    return app.run()
