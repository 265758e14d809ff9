"""docs/schema.json: it is what the types say, and what a run's JSON fits."""

import json
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest

import explorer
from explorer.io.export import to_json, unusable_json
from explorer.io.json_values import dumps
from explorer.io.schema import Run, json_schema
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


def unknown_fields(found: Any, kind: Any, at: str = "") -> list[str]:
    """The fields of an object that its type does not have."""
    if isinstance(found, list):
        inner = [part for part in get_args(kind) if part is not type(None)]
        of = next((part for part in inner if getattr(part, "__struct_fields__", None)), inner[0] if inner else None)
        return [name for item in found for name in unknown_fields(item, of, at)]
    struct = next((part for part in (kind, *get_args(kind)) if hasattr(part, "__struct_encode_fields__")), None)
    if not isinstance(found, dict) or struct is None:
        lists = [part for part in get_args(kind) if getattr(part, "__origin__", None) is list]
        return unknown_fields(found, lists[0], at) if lists and isinstance(found, list) else []
    fields = {field.encode_name: field.type for field in msgspec.structs.fields(struct)}
    unknown = [f"{at}.{name}" for name in found if name not in fields]
    return unknown + [name for key in found if key in fields for name in unknown_fields(found[key], fields[key], key)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_json_of_a_run_fits_the_schema(name):
    trace = explorer.run(PROGRAMS[name])
    found = json.loads(dumps(to_json(trace, "program.py", "en", diagnoses=diagnoses_of(trace))))
    msgspec.convert(found, Run)
    assert unknown_fields(found, Run) == []


def test_a_file_that_could_not_be_run_fits_too():
    msgspec.convert(unusable_json("x.py", "There is no file x.py.", 0, "complete"), Run)


def test_the_published_schema_is_the_one_of_this_version():
    page = Path(__file__).parents[2] / "docs" / "schema.json"
    assert json.loads(page.read_text(encoding="utf-8")) == json_schema(), "run: python -m tools.json_schema"
