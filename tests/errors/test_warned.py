"""Explained warnings: every kind has a program that makes torch or NumPy print it."""

import pytest
import torch

import explorer
from explorer.analysis.diagnose.errors.replies import explain
from explorer.analysis.diagnose.errors.warning_causes import _KNOWN, warned
from explorer.analysis.diagnose.health.report import report
from explorer.analysis.diagnose.messages import finding_text
from explorer.drawing.notebook.outputs import output_html
from explorer.runtime.recorder.engine import MOST_WARNINGS
from explorer.text import LANGUAGES
from explorer.trace import Failure, Printed
from tests.traces import trace_of

START = "import torch\nimport numpy as np\nimport torch.nn.functional as F\n"
STEPPED = "w = torch.nn.Parameter(torch.ones(2))\no = torch.optim.SGD([w], lr=0.1)\n"
STEPPED += "s = torch.optim.lr_scheduler.StepLR(o, 1)\n"

SAYS = {
    "grad-of-result": "x = torch.tensor(2., requires_grad=True)\ny = x * x\ny.backward()\ny.grad",
    "scheduler-first": STEPPED + "s.step()\no.step()",
    "scheduler-epoch": STEPPED + "o.step()\ns.step(3)",
    "rate-asked": STEPPED + "s.get_lr()",
    "tensor-of-tensor": "torch.tensor(torch.ones(3))",
    "loss-broadcasts": "F.mse_loss(torch.ones(3, 1), torch.ones(3))",
    "hook-in-part": (
        "m = torch.nn.Linear(2, 1)\nm.register_backward_hook(lambda *a: None)\nm(torch.ones(2)).sum().backward()"
    ),
    "hook-without-inputs": (
        "m = torch.nn.Linear(2, 1)\nm.register_full_backward_hook(lambda *a: None)\nm(torch.ones(2)).sum().backward()"
    ),
    "imaginary-dropped": "torch.ones(2, dtype=torch.complex64).to(torch.float32)",
    "turned-around": "torch.ones(2, 3, 4).T",
    "deviation-of-one": "torch.ones(1).std()",
    "number-with-gradient": "float(torch.ones(1, requires_grad=True))",
    "dim-implied": "F.softmax(torch.ones(3))",
    "dropout-of-one-layer": "torch.nn.LSTM(2, 2, dropout=0.5)",
    "reduction-renamed": "torch.nn.CrossEntropyLoss(size_average=False)",
    "kl-mean": "F.kl_div(torch.ones(3), torch.ones(3))",
    "meshgrid-indexing": "torch.meshgrid(torch.ones(2), torch.ones(3))",
    "arrays-in-list": "torch.tensor([np.ones(2), np.ones(2)])",
    "gradient-with-graph": "x = torch.tensor(1., requires_grad=True)\nx.exp().backward(create_graph=True)",
    "result-resized": "torch.add(torch.ones(3), 1, out=torch.zeros(2))",
    "range-inclusive": "torch.range(0, 3)",
    "cross-axis": "torch.cross(torch.ones(3, 3), torch.ones(3, 3))",
    "mask-of-bytes": "torch.ones(2)[torch.ones(2).byte()]",
    "parameter-twice": "w = torch.nn.Parameter(torch.ones(2))\ntorch.optim.SGD([w, w], lr=0.1)",
    "checkpoint-of-data": "torch.utils.checkpoint.checkpoint(torch.sin, torch.ones(2), use_reentrant=True)",
    "renamed": "torch.nn.init.xavier_uniform(torch.ones(2, 2))",
    "divided-by-zero": "np.array([1.]) / 0",
    "no-number": "np.sqrt(np.array([-1.]))",
}


@pytest.fixture(autouse=True)
def _every_time():
    """Torch prints most warnings once per process."""
    torch.set_warn_always(True)
    yield
    torch.set_warn_always(False)


def kinds(program: str) -> list[str]:
    outputs = trace_of(START + program).cells[0].outputs
    said = "".join(one.text for one in outputs if isinstance(one, Printed) and one.stream == "warning")
    return [one.kind for one in warned(said)]


def test_every_kind_has_its_program():
    assert set(SAYS) == set(_KNOWN)


@pytest.mark.parametrize("kind", SAYS)
def test_torch_prints_the_warning(kind):
    assert kind in kinds(SAYS[kind])


def test_a_warning_is_explained_in_both_languages():
    shapes = "UserWarning: Using a target size (torch.Size([3])) that is different to the input size (torch.Size([]))."
    [one] = warned(shapes)
    for lang in LANGUAGES:
        said = [finding_text(lang, one, part) for part in ("title", "cause", "repair")]
        assert all(said) and "(3,)" in said[1] and "()" in said[1]


def test_the_programs_own_warnings_are_unchanged():
    text = "UserWarning: mine\nover two lines\nUserWarning: that is different to the input size\n"
    assert [(one.kind, one.words) for one in warned(text)] == [
        ("", "UserWarning: mine\nover two lines\n"),
        ("", "UserWarning: that is different to the input size\n"),
    ]
    assert warned("") == []


def test_the_page_explains_a_warning_and_folds_torchs_text():
    html = output_html(trace_of(START + SAYS["grad-of-result"]), 0, "en", True)
    assert "<b>.grad of a result is None</b>" in html and "Call retain_grad()" in html
    assert html.index("<details>") < html.index("not a leaf Tensor")


def test_each_warning_is_at_its_line_on_the_page_and_in_the_report():
    """Neighbouring outputs of one stream are merged, but a warning is separate."""
    trace = trace_of(
        "import torch, torch.nn.functional as F\nx = torch.ones(4, 1)\nF.mse_loss(x, x[:, 0])\nF.softmax(x)"
    )
    at = [trace.line(one.span) for one in trace.cells[0].outputs if isinstance(one, Printed)]
    assert at == [3, 4] and [one["line"] for one in report(trace).to_json()["warnings"]] == at
    assert '<span class="no">3</span><div class="warned">' in output_html(trace, 0, "en", True)
    assert "Warning, line 4: softmax without dim" in str(report(trace))


def test_an_endlessly_warning_program_keeps_the_first_places():
    trace = trace_of("import warnings\nfor i in range(3000):\n    warnings.warn(f'no. {i}')", output_limit=1000)
    warnings = [one for one in trace.cells[0].outputs if isinstance(one, Printed)]
    assert "no. 2999" in warnings[-1].text and len(warnings) == MOST_WARNINGS + 1
    assert [trace.line(one.span) for one in warnings] == [3] * MOST_WARNINGS + [0]


def test_a_recording_keeps_the_warnings_of_its_lines_too():
    with pytest.warns(UserWarning), explorer.record() as trace:
        torch.nn.functional.l1_loss(torch.ones(3, 1), torch.ones(3))
    (told,) = trace.report().warnings
    assert "target size" in told.text and "l1_loss" in trace.cells[0].lines[told.line - 1] and told.cause


def test_a_warning_that_an_explained_error_repeats_has_no_advice_of_its_own():
    """retain_grad() would not repair a step that replaces the leaf."""
    trace = trace_of(
        "import torch\nw = torch.ones(2, requires_grad=True)\nfor _ in range(2):\n"
        "    (w * w).sum().backward()\n    w = w - 0.1 * w.grad"
    )
    ((place, failure),) = [(at, one) for at, one in enumerate(trace.cells[0].outputs) if isinstance(one, Failure)]
    told = str(report(trace, explanations={(0, place): explain(trace, 0, failure)}))
    assert "Change the leaf itself" in told and "retain_grad()" not in told
