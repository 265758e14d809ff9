"""Diagnoses from a child: its answers, what remains if it hangs or lies, and the command line."""

import json
import re

import pytest

import explorer
from explorer.analysis.diagnose.faults.diagnosis import Search, diagnose
from explorer.analysis.diagnose.health.report import report
from explorer.cli.main import main
from explorer.trace import decode, encode
from explorer.workers import diagnoses as diagnosing
from explorer.workers.diagnoses import diagnose_with_verified_fixes, diagnoses_in_time, diagnoses_of, patient_search
from tests.workers.test_explanations import failed

TRUNCATED = "import torch\nweights = torch.tensor([1, 2])\nweights[0] = 0.7\n"


def test_the_child_diagnoses_like_the_rules():
    trace = explorer.run(TRUNCATED)
    found = diagnoses_of(trace)
    assert [(one.kind, one.place, one.values) for one in found] == [
        (one.kind, one.place, one.values) for one in diagnose(trace)
    ]
    assert [one.kind for one in found] == ["truncated"]


LIES = ("another kind", "a value missing", "no such line", "no such cell", "no such tensor", "no such node")


@pytest.mark.thorough
@pytest.mark.parametrize("source", ["hang", "nonsense", "repairs nothing", "too many", *LIES])
def test_a_hanging_or_invalid_child_reports_no_diagnosis(stuck, source):
    assert diagnoses_of(failed(source), stuck) == ()


def test_an_undiagnosed_program_is_not_called_sound(stuck):
    assert diagnoses_in_time(failed("nonsense"), stuck) is None
    told = report(explorer.run("import torch\nw = torch.ones(2, requires_grad=True)\nw.sum().backward()\n"), None)
    assert told.sound is None and "unknown" in repr(told)


def test_an_unanswered_search_is_repeated_later(stuck, monkeypatch):
    trace = decode(encode(explorer.run(TRUNCATED)))
    for unanswered in (diagnoses_in_time, diagnose_with_verified_fixes):
        unanswered(trace, *([stuck] if unanswered is diagnoses_in_time else []))
    assert diagnoses_of(trace) == diagnose_with_verified_fixes(trace) == ()  # the process is not asked repeatedly
    monkeypatch.setattr("explorer.trace.index.time.monotonic", lambda: 1e12)
    assert [one.kind for one in diagnoses_of(trace)] == ["truncated"]
    assert [one.kind for one in diagnose_with_verified_fixes(trace)] == ["truncated"]


def test_the_command_line_reports_an_unfinished_search(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("explorer.workers.diagnoses.ask_child", lambda *_: None)
    path = tmp_path / "program.py"
    path.write_text(TRUNCATED)
    assert main(["run", str(path)]) == 0
    assert "did not finish" in capsys.readouterr().err


@pytest.fixture
def short(monkeypatch):
    """Let the first search time out before a rule finds anything."""
    whole = diagnosing.ask_child

    def ask(kind, trace, read, runner=None, asked=b"", longer=1.0):
        return whole(kind, trace, read, runner, asked, longer) if asked else Search((), ("truncations",))

    monkeypatch.setattr(diagnosing, "ask_child", ask)


def test_a_report_keeps_what_only_the_longer_search_found(tmp_path, capsys, short):
    path = tmp_path / "program.py"
    path.write_text(TRUNCATED)
    assert main(["report", str(path)]) == 0
    assert re.match(r"1 fault: line 3\.\nFault, line 3: .* \[truncated\]", capsys.readouterr().out)


def test_a_fix_counts_only_if_the_search_of_the_changed_program_finished(short):
    trace = explorer.run(TRUNCATED)
    [found] = diagnosing.with_verified_fixes(trace, patient_search(trace).findings)
    assert found.kind == "truncated" and found.offered is None


def test_a_program_is_diagnosed_once(stuck):
    trace = failed("true")
    assert len(diagnoses_of(trace, stuck)) == 1
    assert diagnoses_of(trace, stuck) is diagnoses_of(trace, stuck)


@pytest.mark.parametrize(
    ("lang", "said"),
    [("en", "Fault, line 3: Fractions are cut off [truncated]\n  weights[0] = 0.7 puts"), ("zh", "第 3 行")],
)
def test_the_command_line_prints_diagnoses_after_the_outputs(tmp_path, capsys, lang, said):
    path = tmp_path / "program.py"
    path.write_text(TRUNCATED + "print('done')\n")
    assert main(["run", str(path), "--lang", lang]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("done\n") and said in printed


def test_the_json_has_diagnoses_with_evidence(tmp_path, capsys):
    path = tmp_path / "program.py"
    path.write_text(TRUNCATED)
    assert main(["run", str(path), "--json"]) == 0
    (told,) = json.loads(capsys.readouterr().out)["diagnoses"]
    assert (told["kind"], told["level"], told["cell"], told["span"][0]) == ("truncated", "fault", 0, 3)
    assert told["evidence"] == {"code": "weights[0] = 0.7", "lost": "0.7", "dtype": "int64"}
    assert "0.7" in told["text"] and told["repair"]
