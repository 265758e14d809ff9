"""The files of a session reach its programs; lines that were passed by stand as quiet lines among the outputs."""

from explorer.program import with_file
from explorer.ui.session.given import FILES
from tests.ui.test_page import app, html, write  # noqa: F401 (a fixture)


def test_a_program_opens_the_files_of_its_session(app):  # noqa: F811
    app.session_state[FILES] = with_file((), "names.txt", b"ann & bob")
    app = write(app, "print(open('../data/names.txt').read())")
    assert "ann &amp; bob" in html(app)


def test_a_line_that_was_passed_by_is_one_quiet_line_and_no_problem(app):  # noqa: F811
    app = write(app, "!pip install '<b>'\n!nvidia-smi\nprint('on')")
    assert '<p class="skipped">not run here: !nvidia-smi</p>' in html(app)
    assert "&lt;b&gt;" in html(app) and "<b>'" not in html(app) and 'class="problem' not in html(app)
