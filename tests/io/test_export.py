"""A run as the JSON that other programs read."""

import json
import math

import pytest
import torch

import explorer
from explorer.io.export import to_json
from explorer.io.json_values import dumps, value_json
from explorer.program.cells import CellSource, Program
from explorer.runtime.execute import execute
from explorer.text.numbers import json_number
from explorer.trace import Options, Value
from explorer.workers.explanations import explain_with_verified_fixes
from tests.programs import TWICE
from tests.traces import trace_of


def exported(source: str, **asked):
    trace = explorer.run(source)
    return json.loads(dumps(to_json(trace, "p.py", explanations=explain_with_verified_fixes(trace), **asked)))


def named(obj: dict, name: str) -> dict:
    return next(t for t in obj["tensors"] if any(binding["name"] == name for binding in t["names"]))


def value(*data, shape=None, dtype="float32") -> Value:
    return Value((len(data),) if shape is None else shape, dtype, data, (), None, None, None, None, 0)


def test_the_export_describes_the_run():
    obj = exported(TWICE)
    assert (obj["path"], obj["schema"], obj["seed"], obj["detail"], obj["status"]) == ("p.py", 1, 0, "complete", "ok")
    assert obj["torch"] == torch.__version__
    assert obj["cells"] == [{"source": TWICE, "outputs": []}]


def test_an_exported_tensor_has_names_value_and_gradient():
    w = named(exported(TWICE), "w")
    assert (w["shape"], w["dtype"], w["is_leaf"], w["requires_grad"]) == ([], "float32", True, True)
    assert (w["value"]["data"], w["gradient"]["data"], w["grad"]["data"], w["reason"]) == (1.0, 5.0, 5.0, None)
    assert (w["names"][0]["cell"], w["names"][0]["span"][0]) == (0, 1)


def test_an_exported_tensor_without_gradient_has_a_reason():
    c = named(exported(TWICE + "c = torch.ones(2)\n"), "c")
    assert (c["gradient"], c["reason"]) == (None, "no_grad")


def test_nodes_and_edges_match_torchs():
    obj = exported(TWICE)
    root = obj["nodes"][obj["backwards"][0]["roots"][0]]
    assert (root["name"], root["text"], root["span"]) == ("MulBackward0", "a * b", [5, 4, 5, 9])
    assert (root["value"]["data"], root["gradient"]["data"]) == (6.0, 1.0)
    below = [obj["nodes"][edge["node"]] for edge in root["edges"]]
    assert [(n["text"], n["gradient"]["data"]) for n in below] == [("w + x", 2.0), ("w + 1", 3.0)]
    assert [len(n["edges"]) for n in below] == [2, 1]  # + 1 adds no edge


def test_steps_list_contributions_and_their_sources():
    obj = exported(TWICE)
    steps = {
        obj["nodes"][s["node"]]["name"] + str(obj["nodes"][s["node"]]["variable"]): s
        for s in obj["backwards"][0]["steps"]
    }
    root = steps["MulBackward0None"]
    assert [(a["from"], a["value"]["data"]) for a in root["arriving"]] == [(None, 1.0)]
    assert sorted(left["value"]["data"] for left in root["leaving"]) == [2.0, 3.0]
    w = steps["AccumulateGrad" + str(named(obj, "w")["id"])]
    assert sorted(a["value"]["data"] for a in w["arriving"]) == [2.0, 3.0]
    assert w["sum"]["data"] == 5.0


def test_grad_is_exported_before_and_after_accumulation():
    (x, *_) = exported("x = torch.tensor(3., requires_grad=True)\n(x * x).backward()\n(x * x).backward()\n")[
        "backwards"
    ][1]["accumulations"]
    assert (x["before"]["data"], x["after"]["data"]) == (6.0, 12.0)


def test_an_earlier_backward_can_be_chosen():
    source = "x = torch.tensor(3., requires_grad=True)\n(x * 2).backward()\n(x * 5).backward()\n"
    assert named(exported(source, backward=1), "x")["gradient"]["data"] == 2.0
    assert named(exported(source), "x")["gradient"]["data"] == 5.0
    with pytest.raises(IndexError):
        exported(source, backward=3)


def test_an_exported_error_has_its_place():
    (cell,) = exported("a = torch.ones(2)\nb = a + torch.ones(3)\n")["cells"]
    (error,) = cell["outputs"]
    assert (error["kind"], error["type"], error["cell"], error["span"][0]) == ("error", "RuntimeError", 0, 2)
    assert "must match the size" in error["text"]
    assert "a (2,) has 2 and torch.ones(3) (3,) has 3" in error["cause"] and "equal" in error["repair"]
    assert error["repaired_source"] is None  # the intended size is unknown
    ((unknown,),) = [cell["outputs"] for cell in exported("raise ValueError('of their own')\n")["cells"]]
    assert unknown["cause"] is unknown["repair"] is unknown["repaired_source"] is None


def test_printed_text_is_verbatim():
    (cell,) = exported("print('a\u2028b')\n")["cells"]
    assert cell["outputs"] == [{"kind": "stdout", "text": "a\u2028b\n"}]


def test_a_saved_tensor_carries_its_value():
    saved = exported(TWICE)["nodes"]
    mul = next(node for node in saved if node["name"] == "MulBackward0")
    assert {(s["name"], s["value"]["data"]) for s in mul["saved"]} == {("self", 3.0), ("other", 2.0)}


def test_equal_text_produces_equal_json():
    assert dumps(exported(TWICE)) == dumps(exported(TWICE))


def test_data_is_nested_by_its_shape():
    assert value_json(value(1, 2, 3, 4, shape=(2, 2)))["data"] == [[1, 2], [3, 4]]
    assert value_json(value(7, shape=()))["data"] == 7
    assert value_json(value(shape=(2, 0)))["data"] == [[], []]


def test_empty_values_of_any_shape_stay_small():
    assert value_json(value(shape=(10**12, 0)))["data"] is None


def test_numbers_outside_json_are_encoded():
    assert value_json(value(math.nan, math.inf, -math.inf))["data"] == ["nan", "inf", "-inf"]
    assert [json_number(1 + 2j), json_number(True), json_number(7)] == ["1+2j", True, 7]


def test_the_json_is_always_one_ascii_line():
    line = dumps({"text": "中\u2028\ud800\U0001f600\\ud800\n"})
    assert line.isascii() and "\n" not in line
    assert json.loads(line)["text"] == "中\u2028\ufffd\U0001f600\\ud800\n"


def test_a_run_survives_save_and_load(tmp_path):
    explorer.save(explorer.run(TWICE), tmp_path / "t.json")
    loaded = explorer.load(tmp_path / "t.json")
    assert (loaded.status, len(loaded.nodes), loaded["y"]["data"], loaded.gradient("w")["data"]) == ("ok", 5, 6.0, 5.0)
    with pytest.raises(KeyError):
        loaded["nothing"]


def test_an_unrelated_file_is_not_loaded(tmp_path):
    (tmp_path / "other.json").write_text("[1, 2]")
    with pytest.raises(ValueError, match="saved run"):
        explorer.load(tmp_path / "other.json")


def test_a_program_of_several_cells_is_fixed_as_one_file():
    cells = exported("# %%\nx = torch.ones(2, 3)\n\n# %%\ny = x @ x\n")["cells"]
    (error,) = cells[1]["outputs"]
    assert error["repaired_source"] == "# %%\nx = torch.ones(2, 3)\n\n# %%\ny = x @ x.T\n"


def test_fixed_files_have_a_common_limit(monkeypatch):
    monkeypatch.setattr("explorer.io.export.MOST_MENDED", 20)
    cells = [CellSource("torch.ones(2, 3) @ torch.ones(2, 3)")] * 3
    trace = execute(Program(cells), Options())
    saved = to_json(trace, explanations=explain_with_verified_fixes(trace))["cells"]
    assert [cell["outputs"][0]["repaired_source"] is None for cell in saved] == [False, True, True]
    assert all(".T" in cell["outputs"][0]["repair"] for cell in saved)


def test_long_repeated_expressions_are_cut(monkeypatch):
    monkeypatch.setattr("explorer.io.json_values.MOST_TEXT", 1000)
    trace = trace_of(f"for i in range(4):\n    torch.ones(2) + ({' + '.join(['1'] * 100)})")
    texts = [one["text"] for one in to_json(trace)["operations"] if one["name"] == "add"]
    assert len(texts[0]) > 400 and [len(text) for text in texts[2:]] == [120, 120]
