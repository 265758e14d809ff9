"""A server for strangers: required confinement, and the log."""

import json
import time
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from explorer.cli.main import main
from explorer.program import read_text
from explorer.sandbox import Cancelled, Confinement, Runner, default_runner, hosting
from explorer.trace import Options
from tests.patience import PATIENT, eventually
from tests.sandbox.processes import ENDLESS

APP = Path(__file__).parents[2] / "app.py"
WEAK = Confinement(rlimits=True, no_new_privs=True, undumpable=True, descriptors=True, environment=True)
STRONG = Confinement(rlimits=True, no_new_privs=True, descriptors=True, environment=True, user=True, seccomp=True)


@pytest.fixture
def open_to_strangers(monkeypatch):
    default_runner()  # create the shared runner as in local use
    monkeypatch.setenv("EXPLORER_HOSTED", "1")


@pytest.fixture
def weak(monkeypatch):
    monkeypatch.setattr(hosting, "probe", lambda: WEAK)


def test_seccomp_and_limits_are_enough():
    assert hosting.problem(STRONG) is None


def test_missing_mechanisms_are_named():
    assert hosting.problem(WEAK) == hosting.UnfitMachine(
        "limits", "seccomp and limits", ["user", "namespaces", "landlock", "seccomp"]
    )
    assert hosting.problem(Confinement()).level == "none"


@pytest.mark.parametrize(
    "word, strangers",
    [("1", True), ("true", True), (" Yes ", True), ("ON", True), ("0", False), ("off", False), ("", False)],
)
def test_common_words_for_yes_and_no_are_accepted(monkeypatch, word, strangers):
    monkeypatch.setenv("EXPLORER_HOSTED", word)
    assert hosting.hosted() is strangers
    assert hosting.check() is None


@pytest.mark.parametrize("word, strangers", [(None, True), ("", True), ("1", True), ("0", False)])
def test_a_space_serves_strangers_unless_its_owner_disables_it(monkeypatch, word, strangers):
    monkeypatch.setenv("SPACE_ID", "ada/explorer")
    monkeypatch.delenv("EXPLORER_HOSTED", raising=False)
    if word is not None:
        monkeypatch.setenv("EXPLORER_HOSTED", word)
    assert hosting.hosted() is strangers


def test_an_app_at_streamlit_community_cloud_is_open_to_strangers(monkeypatch):
    monkeypatch.delenv("EXPLORER_HOSTED", raising=False)
    monkeypatch.setattr(hosting, "__file__", "/mount/src/explorer/explorer/sandbox/hosting.py")
    assert hosting.hosted()


@pytest.mark.thorough
def test_other_words_are_refused(monkeypatch, capsys):
    default_runner()
    monkeypatch.setenv("EXPLORER_HOSTED", "ture")
    assert hosting.hosted()
    app = AppTest.from_file(str(APP)).run(timeout=PATIENT)
    assert "“ture”, which is neither yes (1 true yes on) nor no (0 false no off)" in app.error[0].value
    assert main(["doctor"]) == 1
    assert "“ture”" in capsys.readouterr().out


def test_visitors_are_addresses_and_a_household_is_one():
    assert hosting.visitor("192.0.2.7") == hosting.visitor("::ffff:192.0.2.7") == "192.0.2.7"
    assert hosting.visitor("2001:db8::1") == hosting.visitor("2001:db8::ffff:1") != hosting.visitor("2001:db8:0:1::1")
    assert hosting.visitor(None) == hosting.visitor("no address") == ""


def test_this_machine_may_be_open_to_strangers(open_to_strangers):
    assert hosting.check() is None


def test_at_home_any_machine_is_fit(weak, monkeypatch):
    monkeypatch.delenv("EXPLORER_HOSTED", raising=False)
    assert hosting.check() is None


def test_the_app_runs_nothing_on_a_machine_that_is_not_fit(open_to_strangers, weak, capsys):
    app = AppTest.from_file(str(APP)).run(timeout=PATIENT)
    assert "at least “seccomp and limits” is required" in app.error[0].value
    assert not app.text_area and not app.exception
    assert "seccomp" in capsys.readouterr().err


@pytest.mark.thorough
def test_doctor_reports_weak_confinement_and_fails(open_to_strangers, weak, capsys):
    assert main(["doctor"]) == 1
    assert "Missing: user, namespaces, landlock, seccomp." in capsys.readouterr().out


@pytest.mark.thorough
def test_the_log_has_a_line_per_run_without_its_text(capsys):
    runner = Runner("plain_child", at_once=1, log=hosting.log)
    runner.submit(read_text("answer = 'my secret'"), session="ada").result(PATIENT)
    long = runner.submit(read_text(ENDLESS), Options(time_limit=0.5), session="ada")
    runner.submit(read_text("secret = 1"), session="bob").cancel()
    long.result(PATIENT)
    runner.submit(read_text("import os\nos._exit(1)"), session="ada").result(PATIENT)
    runner.close()
    written = capsys.readouterr().err
    lines = [json.loads(line) for line in written.splitlines()]
    assert [(line["status"], line["limits"]) for line in lines] == [
        ("ok", []),
        ("cancelled", []),
        ("limited", ["time"]),
        ("limited", ["crash"]),
    ]
    assert lines[2]["seconds"] > 0.2 and lines[0]["at"] > 1_700_000_000
    assert all(set(line) == {"event", "at", "status", "limits", "seconds", "waited"} for line in lines)
    assert "secret" not in written and "ada" not in written


def test_the_log_separates_waiting_and_running_time(capsys):
    runner = Runner("plain_child", at_once=1, log=hosting.log)
    asked = time.monotonic()
    first = runner.submit(read_text(ENDLESS), Options(time_limit=PATIENT))
    assert eventually(lambda: first.seconds > 0)
    most = time.monotonic() - asked  # the longest that the first has waited
    second = runner.submit(read_text("x = 1"))
    time.sleep(most + 0.4)
    first.cancel()
    second.result(PATIENT)
    with pytest.raises(Cancelled):
        runner.close()
        runner.submit(read_text("x = 1")).result(PATIENT)
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert lines[0]["seconds"] >= 0.4 and lines[1]["waited"] >= 0.4 and lines[1]["waited"] > lines[0]["waited"]
