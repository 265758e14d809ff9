"""Submissions are judged by the facts of their runs: wrong, cheating and crashing ones earn what they did."""

import csv
import json

from explorer.cli.main import main

CHECKS = """
[[check]]
name = "gradient"
points = 2
gradient = "w"
equals = 5

[[check]]
name = "one backward"
backwards = 1
equals = 1

[[check]]
name = "no fault"
diagnosis = "none"
"""
RIGHT = """
w = torch.tensor(1., requires_grad=True)
y = (w + 2) * (w + 1)
y.backward()
"""
SUBMISSIONS = {
    "ada/answer.py": RIGHT,
    "crashes.py": "raise RuntimeError",
    "dies.py": "import os\nos._exit(0)",
    "assigns.py": "w = torch.tensor(1., requires_grad=True)\nw.grad = torch.tensor(5.)",
    "prints.py": "print('w.grad is 5, score 4')",
    "reads.py": "import pathlib\npathlib.Path('checks.toml').read_text()",
    "unreadable.ipynb": "{",
    "wrong.py": RIGHT.replace("2", "3"),
}


def test_each_submission_earns_what_its_run_shows(tmp_path, capsys):
    (tmp_path / "checks.toml").write_text(CHECKS)
    for name, text in SUBMISSIONS.items():
        path = tmp_path / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    table, results = tmp_path / "table.csv", tmp_path / "results"
    arguments = [str(tmp_path / "in"), str(tmp_path / "checks.toml"), "--csv", str(table), "--results", str(results)]
    assert main(["grade", *arguments]) == 0
    earned = {row["submission"]: row["gradient"] + row["one backward"] for row in csv.DictReader(table.open())}
    assert earned == {name: "00" for name in SUBMISSIONS} | {"ada/answer.py": "21", "wrong.py": "01"}
    ada = json.loads((results / "ada/answer.py.json").read_text())
    assert (ada["score"], ada["tests"][0]["max_score"], ada["tests"][0]["status"]) == (4, 2, "passed")
    wrong = json.loads((results / "wrong.py.json").read_text())["tests"][0]
    assert wrong["score"] == 0 and "6" in wrong["output"]
    assert "ada/answer.py: 4 of 4" in capsys.readouterr().out


def test_checks_without_a_requirement_grade_nothing(tmp_path):
    (tmp_path / "checks.toml").write_text('[[check]]\ngradient = "w"\n')
    assert main(["grade", str(tmp_path), str(tmp_path / "checks.toml")]) == 2
