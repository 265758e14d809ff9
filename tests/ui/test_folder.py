"""A folder of this machine in the pages: only for the user's own programs, only at home."""

import pytest

from explorer.program.permalink import to_fragment
from explorer.sandbox import CannotOpen
from explorer.sandbox.access import environment_access, possible
from explorer.trace import Trace
from explorer.ui.session import folder as here
from explorer.ui.session.document import Document, edited, opened
from explorer.ui.session.program_run import session_runs
from explorer.ui.session.saved_run import document_of
from tests.ui.pages import editor, open_file, type_program, words
from tests.ui.test_odd_states import named, send

pytestmark = pytest.mark.skipif(not possible(), reason="this machine cannot open a folder")
READS = "print('found', open('notes.txt').read())"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "notes.txt").write_text("seven")
    monkeypatch.setattr(here, "_own", {})
    monkeypatch.setenv("EXPLORER_FOLDER", str(tmp_path))
    return tmp_path


def brought(app, text: str, count: int = 9, framed: bool = False):
    """Open a program from a link in the current page."""
    fragment = to_fragment({"program": text})
    came = {"count": count, "page": "autograd", "query": {}, "fragment": fragment, "framed": framed}
    app.session_state["link"] = {"came": came}
    app = app.run()
    return type_program(app, *[cell["text"] for cell in editor(app)["cells"]], count=count)  # Run


def reads(app) -> bool:
    """Return whether the program read the file, in a run that has ended."""
    shown = app.session_state[session_runs.key].shown
    assert shown.texts == (READS,) and isinstance(shown.result, Trace)
    return shown.result.status == "ok"


def test_a_typed_program_and_an_opened_file_read_the_folder(folder, app):
    app = type_program(app, READS)
    assert reads(app) and "found seven" in words(app)
    assert "own" not in {one.key for one in app.button}
    app = open_file(app, "mine.py", READS, count=2)
    assert reads(app)


def test_a_linked_program_reads_nothing_until_its_reader_takes_ownership(folder, app):
    app = brought(app, READS)
    assert not reads(app) and str(folder) not in words(app)
    app = type_program(app, READS + " ", count=10)  # an edited program is still a stranger's
    assert app.session_state[session_runs.key].shown.result.status == "error"
    app = type_program(app, READS, count=11)
    app = app.button(key="own").click().run()
    assert reads(app)
    assert reads(brought(brought(app, "0", 12), READS, 13))  # the same text again, as after a reload


def test_a_framed_page_and_a_hosted_one_read_nothing(folder, app, monkeypatch):
    assert not reads(brought(app, READS, framed=True)) and "own" not in {one.key for one in app.button}
    monkeypatch.setenv("EXPLORER_HOSTED", "1")
    assert here.held() == here.NOTHING
    with pytest.raises(CannotOpen):
        environment_access()


def test_an_embedded_page_reads_nothing(folder, app):
    app.context["is_embedded"] = True
    assert not reads(type_program(app.run(), READS))


def test_saved_runs_and_linked_programs_are_foreign(folder, app):
    app = type_program(app, READS)
    assert document_of(app.session_state[session_runs.key].shown.result, "run.py").foreign
    assert opened(Document(("",), (0,)), "program.py", b"1", may_run=True, foreign=True).foreign
    assert edited(Document(("a",), (0,), foreign=True), [(0, "b")], None).foreign


@pytest.mark.thorough
def test_the_menu_opens_a_folder_and_shows_the_access(folder, app, monkeypatch):
    monkeypatch.delenv("EXPLORER_FOLDER")
    app.session_state["menu_settings"] = True
    app = type_program(app.run(), READS)
    assert not reads(app) and "This program can't read files on this machine. It has no network access." in words(app)
    app = app.text_input(key="reach_folder").input(f" {folder} ").run()
    assert reads(app) and f"This program may read {folder}." in words(app)
    app = app.toggle(key="reach_write").set_value(True).run()
    assert f"This program may read and write {folder}." in words(app)
    app = app.text_input(key="reach_folder").input(str(folder / "nothing")).run()
    assert f"The folder {folder / 'nothing'} does not exist." in words(app) and reads(app)
    app = app.text_input(key="reach_folder").input("").run()
    assert not reads(app)


def test_text_typed_while_the_menu_closes_is_processed(folder, app, monkeypatch):
    monkeypatch.delenv("EXPLORER_FOLDER")
    app.session_state["menu_settings"] = True
    field = named(app.run(), "reach_folder")
    for name in ("write", "network"):
        del app.session_state[f"reach_{name}"]
    send(app, lambda widget: setattr(widget, "string_value", str(folder)), field)
    assert reads(type_program(app, READS))


def test_the_menu_does_not_promise_confinement_on_other_systems(monkeypatch, app):
    monkeypatch.setattr(here, "confines", lambda: False)  # as on macOS and Windows
    app.session_state["menu_settings"] = True
    app = app.run()
    assert "Only Linux confines programs" in words(app) and "may read no file" not in words(app)
