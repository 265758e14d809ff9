"""Shift-Tab's information about a call: torch's own words."""

import json
from importlib import import_module
from pathlib import Path

import pytest
import torch

import explorer.analysis.run.operations.signatures
from explorer.analysis.run.operations.signatures import Signature, find_signature


def test_a_torch_function_has_its_signature():
    assert find_signature("torch.add") == Signature(
        "(input, other, *, alpha=1, out=None) -> Tensor", "Adds other, scaled by alpha, to input."
    )


def test_a_layer_shows_its_constructor():
    known = find_signature("torch.nn.Linear")
    assert known.signature == "(in_features, out_features, bias=True, device=None, dtype=None)"
    assert known.sentence.startswith("Applies an affine linear transformation")


def test_an_unknown_objects_method_defaults_to_the_tensors():
    assert find_signature(".view").signature == "(*shape) -> Tensor"
    assert find_signature(".parameters").sentence == "Return an iterator over module parameters."
    assert "optimization step" in find_signature(".step").sentence


def test_references_to_torch_functions_are_resolved():
    assert find_signature("torch.Tensor.max").sentence == find_signature("torch.max").sentence


@pytest.mark.parametrize("name", ["", ".", "torch", "nothing", ".nothing", "torch.nothing", "__import__"])
def test_other_names_have_no_signature(name):
    assert find_signature(name) is None


def test_signatures_omit_linter_comments():
    told = json.loads(
        (Path(explorer.analysis.run.operations.signatures.__file__).parent / "signatures.json").read_text("utf-8")
    )
    assert not [name for name, (signature, _) in told.items() if "#" in signature]


def test_every_signature_name_exists_in_the_installed_torch():
    path = Path(explorer.analysis.run.operations.signatures.__file__).with_name("signatures.json")
    for name, (signature, sentence) in json.loads(path.read_text(encoding="utf-8")).items():
        thing = torch if name.startswith("torch.") else __builtins__
        for part in name.split(".")[name.startswith("torch.") :]:
            thing = thing[part] if isinstance(thing, dict) else getattr(thing, part)
        assert callable(thing) and (signature or sentence), name
        assert len(signature) <= 600 and len(sentence) <= 300 and "`" not in sentence, name


PINNED = "2.13."  # requirements.txt


@pytest.mark.skipif(not torch.__version__.startswith(PINNED), reason="the tables are those of the pinned torch")
@pytest.mark.parametrize("made", ["signatures", pytest.param("formulas", marks=pytest.mark.thorough)])
def test_a_table_of_torchs_texts_is_what_its_tool_writes(made):
    if made == "formulas":
        pytest.importorskip("yaml")
    tool = import_module(f"tools.generate_{made}")
    table = json.loads(tool.TARGET.read_text(encoding="utf-8"))
    now = json.loads(json.dumps(getattr(tool, made)()))
    python = {name for name in {*table, *now} if made == "signatures" and not name.startswith("torch.")}
    different = {name for name in {*table, *now} - python if table.get(name) != now.get(name)}
    assert not different, f"run python tools/generate_{made}.py"
