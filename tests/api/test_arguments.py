"""Wrong arguments of the public API raise the right error with a helpful message."""

import builtins
from pathlib import Path

import pytest
import torch
from torch import nn

import explorer
from explorer.testing import assert_finite, assert_gradients_flow, assert_sound


@pytest.fixture(scope="module")
def trace():
    net = nn.Linear(3, 2)
    with explorer.record() as trace:
        loss = net(torch.ones(4, 3)).sum()
        loss.backward()
    return trace


WRONG = {
    "explorer.draw(None)": (TypeError, r"draw\(model, x\), or a tensor"),
    "explorer.draw(torch.ones(2, requires_grad=True))": (TypeError, "that was computed with gradients"),
    "explorer.draw(torch.ones(2), 1)": (TypeError, "not torch.Tensor"),
    "explorer.load('missing')": (FileNotFoundError, "missing"),
    "explorer.load('.')": (ValueError, "a saved run ends in .trace"),
    "explorer.draw(nn.Linear(1, 1))": (TypeError, "not torch.nn.modules.linear.Linear"),
    "explorer.draw(trace, lang='de')": (ValueError, "'de'"),
    "explorer.draw(trace, backward=7)": (IndexError, "calls backward once"),
    "explorer.draw(trace, backward=0)": (IndexError, "calls backward once"),
    "explorer.draw(trace, backward='1')": (TypeError, "from 1"),
    "explorer.draw(trace, open=3)": (TypeError, "paths of modules"),
    "explorer.draw(trace, open='nett')": (LookupError, "nett"),
    "explorer.why(None, 'loss')": (TypeError, "needs a Trace"),
    "explorer.why(trace, 1)": (TypeError, "name from the program"),
    "explorer.why(trace, 'lost')": (LookupError, "Did you mean loss"),
    "explorer.why(trace, 'net.weight[9, 9]')": (LookupError, r"\(2, 3\)"),
    "trace.why(1)": (TypeError, "name from the program"),
    "trace.why('loss', lang='de')": (ValueError, "'de'"),
    "trace.why('loss', backward=True)": (TypeError, "from 1"),
    "trace.cells[9]": (IndexError, "Index 9 is out of range"),
    "trace.backwards[3]": (IndexError, "the only index is 0"),
    "trace[1]": (TypeError, "name from the program"),
    "trace['lost']": (KeyError, "Did you mean loss"),
    "trace.tensor(None)": (TypeError, "name from the program"),
    "trace.gradient('loss', backward=5)": (IndexError, "calls backward once"),
    "trace.gradient(3)": (TypeError, "name from the program"),
    "trace.report(lang=None)": (ValueError, "None"),
    "trace.report(backward=2)": (IndexError, "calls backward once"),
    "trace.report(allow=3)": (TypeError, "kinds and names"),
    "trace.gradients()[99]": (IndexError, "from 0 to"),
    "trace.gradients()['lost']": (KeyError, "Did you mean loss"),
    "trace.gradients()[None]": (TypeError, "name from the program"),
    "trace.training(place='x')": (TypeError, "integer"),
    "trace.training(measure='x')": (ValueError, "there are gradient"),
    "trace.steps.entries('w')": (KeyError, "no training steps"),
    "list(trace)": (TypeError, "trace.nodes"),
    "trace.nodes[999]": (IndexError, "from 0 to"),
    "trace.operations['x']": (TypeError, "where"),
    "explorer.compare(trace, None)": (TypeError, "needs a Trace"),
    "explorer.compare(trace, trace, rtol='a')": (TypeError, "at least 0"),
    "explorer.compare(trace, trace, atol=-1)": (ValueError, "at least 0"),
    "explorer.save(None, 'x.trace')": (TypeError, "needs a Trace"),
    "explorer.save(trace, 5)": (TypeError, "file name"),
    "explorer.save(trace, 'x.txt')": (ValueError, "ends in .trace"),
    "explorer.load(5)": (TypeError, "file name"),
    "explorer.run(None)": (TypeError, "text of a program"),
    "explorer.run('x = 1', sed=1)": (TypeError, "Options: seed"),
    "explorer.run('x = 1', detail='most')": (TypeError, "detail"),
    "explorer.run(Path('nothing.py'))": (Exception, "not found: nothing.py"),
    "explorer.record(detail='most')": (ValueError, "complete"),
    "explorer.record(max_bytes=-1)": (ValueError, "max_bytes"),
    "explorer.record(full=3)": (TypeError, "full is True"),
    "explorer.record(len)": (TypeError, r"@explorer.record\(\)"),
    "explorer.record()(3)": (TypeError, "records functions"),
    "explorer.record().report()": (RuntimeError, "Nothing is recorded yet"),
    "assert_gradients_flow(None, lambda: 1)": (TypeError, "a model"),
    "assert_finite(None)": (TypeError, "needs a Trace"),
    "assert_sound(None)": (TypeError, "needs a Trace"),
    "assert_sound(trace, allow=3)": (TypeError, "kinds and names"),
}
NAMES = {
    "torch": torch,
    **{"explorer": explorer, "nn": nn, "Path": Path},
    **{"assert_finite": assert_finite, "assert_gradients_flow": assert_gradients_flow, "assert_sound": assert_sound},
}


@pytest.mark.parametrize("call", WRONG)
def test_a_wrong_argument_is_answered_with_a_sentence(call, trace):
    kind, words = WRONG[call]
    with pytest.raises(kind, match=words):
        eval(call, {**NAMES, "trace": trace})


def test_drawing_a_run_from_json_names_the_format_to_save(trace, tmp_path):
    explorer.save(trace, tmp_path / "run.json")
    with pytest.raises(TypeError, match=r"Save it as \.trace"):
        explorer.draw(explorer.load(tmp_path / "run.json"))


def test_to_pandas_without_pandas_shows_the_install_command(trace, monkeypatch):
    real = builtins.__import__

    def without_pandas(name, *args):
        if name == "pandas":
            raise ModuleNotFoundError(name, name="pandas")
        return real(name, *args)

    monkeypatch.setattr(builtins, "__import__", without_pandas)
    for table in (trace.gradients(), trace.steps):
        with pytest.raises(ImportError, match="pip install pandas"):
            table.to_pandas()
