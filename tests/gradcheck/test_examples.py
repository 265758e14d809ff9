"""Examples of a batch that meet where they should not, found by following one result back, and operations that mix them
on purpose.
"""

import pytest

import explorer
from explorer.analysis.messages import mixed_text
from explorer.io.graph_json import mixed_json
from explorer.text import LANGUAGES
from explorer.workers.gradcheck import mixed_examples

MODEL = """import torch
from torch import nn
torch.manual_seed(0)
a, norm, b = nn.Linear(6, 8), nn.BatchNorm1d(8), nn.Linear(8, 1)
words = nn.Embedding(9, 6)
x, y, ids = torch.randn(4, 5, 6), torch.randn(4, 1), torch.randint(9, (4, 5))
opt = torch.optim.SGD([*a.parameters(), *norm.parameters(), *b.parameters()], 0.1)
for _ in range(2):
    {}
    loss = nn.functional.mse_loss(b(h), y)
    opt.zero_grad(); loss.backward(); opt.step()
"""


def mixed(lines):
    """The text of what mixes examples, and which."""
    trace = explorer.run(MODEL.format(lines))
    assert trace.status == "ok", lines
    found = mixed_examples(trace)
    return found and (found.code, found.others)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("lines", "code"),
    [
        ("h = a(x).view(5, 4, 8).mean(0)", "a(x).view(5, 4, 8)"),
        ("h = a(x).permute(2, 1, 0).reshape(4, 5, 8).mean(1)", "a(x).permute(2, 1, 0).reshape(4, 5, 8)"),
        ("h = norm(a(x).transpose(1, 2)).permute(1, 2, 0).reshape(4, 5, 8).mean(1)", None),
        ("h = a(x.transpose(0, 1)).view(4, 5, 8)[:, 2]", "a(x.transpose(0, 1)).view(4, 5, 8)"),
        ("h = a(x.transpose(0, 1)).view(4, 5, 8)[:, 1]", "a(x.transpose(0, 1)).view(4, 5, 8)"),
        ("z = x.reshape(5, 4, 6)\n    h = a(z).mean(0)", "x.reshape(5, 4, 6)"),
        ("h = a(words(ids).view(5, 4, 6)).relu().mean(0)", "words(ids).view(5, 4, 6)"),
        ("h = norm(a(x[:, 0])).unsqueeze(1).expand(4, 5, 8).reshape(5, 4, 8).amax(0)", None),
    ],
)
def test_the_first_operation_that_mixes_examples_is_named(lines, code):
    told = mixed(lines)
    assert told is not None and told[1] and set(told[1]) <= {0, 1, 2, 3}
    assert code is None or told[0] == code


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "lines",
    [
        "h = a(x).mean(1)",
        "h = a(x).transpose(0, 1).mean(0)",
        "h = a(x.view(20, 6)).view(4, 5, 8).mean(1)",
        "h = a(x.transpose(0, 1).reshape(20, 6)).view(5, 4, 8).mean(0)",
        "h = a(x).view(4, 5, 2, 4).transpose(1, 2).reshape(4, 2, 20)[..., :8].mean(1)",
        "h = norm(a(x[:, 0]))",  # what mixes on purpose
        "h = a(x).mean(1)\n    h = h - h.mean(0)",
        "h = a(x).mean(1)\n    h = torch.softmax(h @ h.T, -1) @ h",
        "h = a(x).mean(1)\n    h = h + h[torch.tensor([1, 2, 3, 0])]",
        "h = a(x).mean(1)\n    h = 0.5 * (h + h.flip(0))",
        "h = a(words(ids)).mean(1)",
    ],
)
def test_examples_that_stay_apart_or_meet_on_purpose_are_not_told(lines):
    assert mixed(lines) is None


def test_a_vector_is_no_batch():
    trace = explorer.run(
        "import torch\nw = torch.nn.Linear(16, 4)\nx = torch.randn(4, 4)\n"
        "torch.nn.functional.mse_loss(w(x.reshape(16)), torch.ones(4)).backward()\n"
    )
    assert mixed_examples(trace) is None


def test_it_is_said_with_its_line_in_both_languages_and_is_plain_data():
    trace = explorer.run(MODEL.format("h = a(x).view(5, 4, 8).mean(0)"))
    found = mixed_examples(trace)
    plain = mixed_json(trace, found, "en")
    assert (plain["span"][0], plain["example"], plain["others"]) == (9, 3, [0, 1, 2])
    for lang in LANGUAGES:
        assert found.code in mixed_text(lang, found) and "9" in mixed_text(lang, found)
