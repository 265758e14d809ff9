"""A session's files reach its programs; skipped lines are grey notes among the outputs."""

from explorer.program import with_file
from explorer.program.given_files import HOSTED_ALL, HOSTED_FILE, MAX_ALL, MAX_FILE
from explorer.ui.session.given_files import FILES, bounds
from tests.ui.pages import html, new_page, type_program

READS = "print(open('../data/names.txt').read())"


def test_a_program_opens_the_files_of_its_session(app):
    app.session_state[FILES] = with_file((), "names.txt", b"ann & bob")
    app = type_program(app, READS)
    assert "ann &amp; bob" in html(app)


def test_a_program_of_another_session_does_not(app):
    app.session_state[FILES] = with_file((), "names.txt", b"ann & bob")
    other = new_page().run()
    assert "ann &amp; bob" in html(type_program(app, READS))
    assert "FileNotFoundError" in html(type_program(other, READS))


def test_a_skipped_line_is_a_note_and_not_a_problem(app):
    app = type_program(app, "!pip install '<b>'\n!nvidia-smi\nprint('on')")
    assert '<p class="skipped">not run here: !nvidia-smi</p>' in html(app)
    assert "&lt;b&gt;" in html(app) and "<b>'" not in html(app) and 'class="problem' not in html(app)


def test_files_are_smaller_for_strangers(monkeypatch):
    monkeypatch.delenv("EXPLORER_HOSTED", raising=False)
    assert bounds() == (MAX_FILE, MAX_ALL)
    monkeypatch.setenv("EXPLORER_HOSTED", "1")
    assert bounds() == (HOSTED_FILE, HOSTED_ALL)
