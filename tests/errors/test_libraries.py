"""What is said of modules that are not here is true of them, and never the name of another library."""

from importlib.util import find_spec

import pytest

from explorer.analysis.errors.language.names import EXTRAS, HERE, OTHERS, kind_of_module
from explorer.text import say
from tests.errors.told import told


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("import res", "module-of-a-file"),
        ("from helper_functions import plot_predictions", "module-of-a-file"),
        ("import utils", "module-of-a-file"),
        ("from my_model import Net", "module-of-a-file"),
        ("import torchtext", "module-to-install"),
        ("import torchaudio", "module-to-install"),
        ("import pytorch_lightning as pl", "module-to-install"),
        ("import scipy.stats", "module-to-install"),
        ("import transformers", "module-to-install"),
        ("import cv2", "module-to-install"),
        ("import wandb", "module-to-install"),
        ("import gymnasium as gym", "module-to-install"),
        ("from d2l import mxnet as d2l", "book-in-torch"),
        ("from d2l.torch import MySpecialNet", "book-lacks-name"),
        ("from d2l import torch as d2l\nd2l.MySpecialNet()", "book-lacks-name"),
    ],
)
def test_a_module_that_is_not_here(source, kind):
    if find_spec(source.replace(".", " ").split()[1]) and kind == "module-to-install":
        pytest.skip("this library is installed here")
    found = told(source)
    assert (found.kind, found.repaired_source) == (kind, "")


@pytest.mark.parametrize(
    ("source", "right"),
    [("import nunpy as np", "numpy"), ("import pnadas as pd", "pandas"), ("from troch import nn", "torch")],
)
def test_a_slip_is_still_seen(source, right):
    found = told(source)
    assert (found.kind, found.values["right"]) == ("module-near", right)


def test_no_library_is_taken_for_a_slip():
    for name in {*EXTRAS, *(name for names in OTHERS.values() for name in names.split())}:
        assert name not in HERE
        assert kind_of_module(f"{name}.part")[0] == "module-to-install", name


@pytest.mark.parametrize("name", ["scipy", "cv2", "apex", "wandb", "bokeh"])
def test_how_to_install_it_is_said_in_both_languages(name):
    kind, values = kind_of_module(name)
    texts = [say(lang, f"error-{kind}.repair", name=name, **values) for lang in ("en", "zh")]
    assert texts[0] != texts[1] and all(("pip install" in text) == (name != "apex") for text in texts)
