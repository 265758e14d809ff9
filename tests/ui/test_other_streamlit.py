"""With a later Streamlit the app starts without its changes to Streamlit, and `doctor` reports that."""

import pytest

from explorer.cli.commands import doctor
from tests.visitor import Visitor, server


@pytest.fixture
def later(tmp_path, monkeypatch):
    """Return a folder with a package that claims to be a later Streamlit."""
    described = tmp_path / "streamlit-99.0.0.dist-info"
    described.mkdir()
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: streamlit\nVersion: 99.0.0\n")
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def test_doctor_reports_a_streamlit_that_is_not_changed(later):
    assert doctor._version("streamlit", "en").startswith("99.0.0 (the app changes private parts of Streamlit 1.67 only")


def test_doctor_says_no_more_about_the_streamlit_that_is_changed():
    assert "(" not in doctor._version("streamlit", "en")


@pytest.mark.thorough
def test_a_program_runs_without_the_changes(later):
    with server(PYTHONPATH=str(later)) as (_, port):
        visitor = Visitor(port)
        assert visitor.ready()
        assert visitor.type("print('it is ' + str(6 * 7))", "it is 42") is not None
        assert visitor.exceptions == []
        visitor.close()
