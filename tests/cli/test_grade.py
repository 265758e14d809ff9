"""Submissions are judged by the facts of their runs: wrong, cheating and crashing ones earn what they did."""

import csv
import json

import pytest

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
    table, results, otter = tmp_path / "table.csv", tmp_path / "results", tmp_path / "final_grades.csv"
    arguments = [str(tmp_path / "in"), str(tmp_path / "checks.toml"), "--csv", str(table), "--results", str(results)]
    assert main(["grade", *arguments, "--otter", str(otter)]) == 0
    earned = {row["submission"]: row["gradient"] + row["one backward"] for row in csv.DictReader(table.open())}
    assert earned == {name: "00" for name in SUBMISSIONS} | {"ada/answer.py": "21", "wrong.py": "01"}
    ada = json.loads((results / "ada/answer.py.json").read_text())
    assert (ada["score"], ada["tests"][0]["max_score"], ada["tests"][0]["status"]) == (4, 2, "passed")
    wrong = json.loads((results / "wrong.py.json").read_text())["tests"][0]
    assert wrong["score"] == 0 and "6" in wrong["output"]
    assert "ada/answer.py: 4 of 4" in capsys.readouterr().out
    possible, *rows = csv.DictReader(otter.open())
    assert possible == {
        "file": "points-per-question", "gradient": "2", "one backward": "1", "no fault": "1",
        "total_points_earned": "4", "percent_correct": "1", "grading_status": "--",
    }  # fmt: skip
    graded = {row["file"]: (row["total_points_earned"], row["percent_correct"], row["grading_status"]) for row in rows}
    assert graded["ada/answer.py"] == ("4", "1", "Completed")
    assert graded["unreadable.ipynb"][0] == "0" and "notebook" in graded["unreadable.ipynb"][2]


@pytest.mark.parametrize(
    ("checks", "told"),
    [
        ('[[check]]\ngradient = "w"\n', "checks.toml:1"),
        ('[[check]]\nerror = "none"\n\n[[check]]\ngradeint = "w"\nequals = 5\n', "checks.toml:4: "),
        ("check = [1]\n", "checks.toml:1"),
        ("[[check]\n", "line 1"),
        ("", r"no [[check]]"),
    ],
)
def test_checks_that_are_wrong_grade_nothing_and_are_named_with_their_line(checks, told, tmp_path, capsys):
    (tmp_path / "checks.toml").write_text(checks)
    assert main(["grade", str(tmp_path), str(tmp_path / "checks.toml")]) == 2
    assert told in capsys.readouterr().err


FIT = """
[[check]]
name = "w is near 3"
value = "w"
equals = 3
near = 0.1

[[check]]
name = "by gradients"
backwards = 20

[[check]]
name = "the last one is small"
gradient = "w"
least = -0.5
most = 0.5
"""
FITTED = """
w = torch.tensor(0., requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for _ in range(20):
    opt.zero_grad()
    loss = (w * 2 - 6).pow(2)
    loss.backward()
    opt.step()
"""
FROZEN = """
[[check]]
gradient = "head.weight"
equals = [[1, 1]]

[[check]]
requires_grad = "base.weight"
equals = false
"""
HEAD = """
base, head = torch.nn.Linear(2, 2), torch.nn.Linear(2, 1)
torch.nn.init.eye_(base.weight)
torch.nn.init.zeros_(base.bias)
base.requires_grad_(False)
head(base(torch.ones(1, 2))).sum().backward()
"""
KEPT = """
import torch
w = torch.tensor(3.0, requires_grad=True)
h = w * w
h.retain_grad()
(2 * h).backward()
print(w.grad)
print(h.grad)
"""
# The checks, and what each submission earns of their points.
TASKS = {
    "a fit": (
        FIT,
        {
            FITTED: 3,
            FITTED.replace("range(20)", "range(2)").replace("0.1", "0.01"): 0,
            "w = torch.tensor(3.)": 1,
            "import os\nos._exit(0)": 0,
        },
    ),
    "a frozen part": (
        FROZEN,
        {
            HEAD: 2,
            HEAD.replace("base.requires_grad_(False)\n", ""): 1,
            HEAD.replace("head(base(torch.ones(1, 2))).sum().backward()", "head.weight.grad = torch.ones(1, 2)"): 1,
            HEAD.replace("torch.ones(1, 2)", "torch.ones(1, 3)"): 1,
        },
    ),
    "autograd/leaf#keep": (
        "",
        {
            KEPT: 1,
            KEPT.replace("h.retain_grad()\n", ""): 0,
            "raise SystemExit": 0,
        },
    ),
}


@pytest.mark.thorough
@pytest.mark.parametrize("task", TASKS)
def test_the_tasks_of_three_teachers(task, tmp_path):
    checks, submissions = TASKS[task]
    (tmp_path / "checks.toml").write_text(checks)
    (tmp_path / "in").mkdir()
    for number, text in enumerate(submissions):
        (tmp_path / "in" / f"{number}.py").write_text(text)
    table = tmp_path / "table.csv"
    judged_by = str(tmp_path / "checks.toml") if checks else task
    assert main(["grade", str(tmp_path / "in"), judged_by, "--csv", str(table)]) == 0
    assert [float(row["earned"]) for row in csv.DictReader(table.open())] == [*submissions.values()]
