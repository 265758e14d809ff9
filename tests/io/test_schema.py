"""docs/schema.json is the contract: the JSON of a run fits it and has no field that it does not declare."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import explorer
from explorer.io.export import to_json, unusable_json
from explorer.io.json_values import dumps
from explorer.workers.diagnoses import diagnoses_of

PROGRAMS = {
    "a step": "w = torch.tensor([1.0, 2.0], requires_grad=True)\n(w * w).sum().backward()\nprint(w.grad)\nw.grad",
    "an error": "x = torch.ones(2) @ torch.ones(3)",
    "a figure": "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()",
    "no numbers": "v = torch.tensor([0.0, 1.0], requires_grad=True)\nv.log().sum().backward()",
    "complex": "c = torch.tensor(1 + 2j, requires_grad=True)\nabs(c).backward()",
    "a warning": "import warnings\nwarnings.warn('mind')",
    "a training": (
        "net = torch.nn.Linear(9, 9)\noptimizer = torch.optim.SGD(net.parameters(), 0.1)\n"
        "for step in range(12):\n    loss = net(torch.ones(2, 9)).square().mean()\n    loss.backward()\n"
        "    optimizer.step()\n"
    ),
    "a cut": (
        "net = torch.nn.Linear(9, 9)\nhead = torch.nn.Linear(9, 1)\n"
        "optimizer = torch.optim.SGD([*net.parameters(), *head.parameters()], 0.1)\n"
        "loss = head(net(torch.ones(2, 9)).detach()).sum()\nloss.backward()\noptimizer.step()\n"
    ),
}


def strict(part: Any) -> Any:
    """Forbid fields that the schema does not declare, which readers may ignore."""
    if isinstance(part, list):
        return [strict(inside) for inside in part]
    if not isinstance(part, dict):
        return part
    closed = {"additionalProperties": False} if isinstance(part.get("properties"), dict) else {}
    return {name: strict(inside) for name, inside in part.items()} | closed


PAGE = Path(__file__).parents[2] / "docs" / "schema.json"
SCHEMA = Draft202012Validator(strict(json.loads(PAGE.read_text(encoding="utf-8"))))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_json_of_a_run_matches_the_schema(name):
    trace = explorer.run(PROGRAMS[name])
    SCHEMA.validate(json.loads(dumps(to_json(trace, "program.py", "en", diagnoses=diagnoses_of(trace)))))


def test_the_json_of_a_long_run_is_short_and_lists_omissions():
    trace = explorer.run(PROGRAMS["a training"].replace("range(12)", "range(60)"))
    short, whole = (to_json(trace, diagnoses=diagnoses_of(trace), full=full) for full in (False, True))
    SCHEMA.validate(json.loads(dumps(short)))
    assert len(dumps(short)) < len(dumps(whole)) / 8
    told = {tensor["id"]: tensor for tensor in short["tensors"]}
    names = {named["name"] for tensor in told.values() for named in tensor["names"]}
    assert names >= {"net.weight", "net.bias", "loss"}
    for id, tensor in told.items():
        assert {name: tensor[name] for name in ("shape", "value", "grad", "gradient")} == {
            name: whole["tensors"][id][name] for name in ("shape", "value", "grad", "gradient")
        }
    assert short["left_out"] == {
        "operations": len(whole["operations"]),
        "nodes": len(whole["nodes"]),
        "tensors": len(whole["tensors"]) - len(told),
        "steps_of_backwards": sum(len(call["steps"]) for call in whole["backwards"]),
    }
    assert len(short["backwards"]) == 60 and short["diagnoses"] == whole["diagnoses"] and whole["left_out"] is None


def test_a_short_run_is_always_complete():
    trace = explorer.run(PROGRAMS["a training"])
    assert to_json(trace, full=False) == to_json(trace)


def test_an_unusable_files_json_matches_the_schema():
    SCHEMA.validate(unusable_json("x.py", "There is no file x.py.", 0, "complete"))


@pytest.mark.parametrize("change", [{"status": "well"}, {"seed": None}, {"cells": [{"source": "x"}]}, {"new": 1}])
def test_another_form_does_not_match_the_schema(change):
    assert not SCHEMA.is_valid({**unusable_json("x.py", "", 0, "complete"), **change})
