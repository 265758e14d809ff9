"""Large models as modules: cards, stacks, opening and closing."""

import math
import re

import pytest
import torch
from torch import nn

import explorer
from explorer.analysis.explain.autograd import NOTHING_OPENED, graph_view, sentence
from explorer.analysis.explain.autograd.backward_steps import steps
from explorer.analysis.explain.autograd.frames import module_frames
from explorer.analysis.explain.autograd.inspection import inspection
from explorer.analysis.explain.autograd.outline import module_path
from explorer.drawing.graph.badges import legend
from explorer.drawing.picture import picture
from tests.programs import gradient, traced

GPT = """
import torch
from torch import nn

class Attention(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.qkv, self.proj = nn.Linear(d, 3 * d), nn.Linear(d, d)
    def forward(self, x):
        q, k, v = (each.view(2, 5, 2, 4).transpose(1, 2) for each in self.qkv(x).chunk(3, -1))
        shares = (q @ k.transpose(-2, -1) / 2).softmax(-1)
        return self.proj((shares @ v).transpose(1, 2).reshape(x.shape))

class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.ln1, self.attn, self.ln2 = nn.LayerNorm(d), Attention(d), nn.LayerNorm(d)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))
    def forward(self, x):
        x = x + self.attn(self.ln1(x))
        return x + self.mlp(self.ln2(x))

class GPT(nn.Module):
    def __init__(self, d=8):
        super().__init__()
        self.tok, self.pos = nn.Embedding(11, d), nn.Embedding(5, d)
        self.blocks = nn.ModuleList(Block(d) for _ in range(6))
        self.ln_f, self.head = nn.LayerNorm(d), nn.Linear(d, 11)
    def forward(self, i):
        x = self.tok(i) + self.pos(torch.arange(5))
        for block in self.blocks:
            x = block(x)
        return self.head(self.ln_f(x))

model = GPT()
i = torch.randint(11, (2, 5))
loss = nn.functional.cross_entropy(model(i).flatten(0, 1), i.flatten())
loss.backward()
"""


@pytest.fixture(scope="module")
def gpt():
    return traced(GPT)


def titles(view):
    return [card.title for card in view.cards]


def test_a_gpt_is_drawn_by_modules_with_its_blocks_as_one_stack(gpt):
    view = graph_view(gpt)
    closed = {card.title: card for card in view.cards if card.module}
    assert list(closed) == ["model.tok", "model.pos", "model.blocks.0 … 5", "model.ln_f", "model.head"]
    assert len(view.cards) <= 12 and not any(edge.again for edge in view.edges)
    blocks = closed["model.blocks.0 … 5"]
    assert blocks.module.path == "model.blocks.*" and blocks.fold.count == 6 and blocks.fold.kind == "calls"
    assert (blocks.module.inputs, blocks.shape) == (((2, 5, 8),), (2, 5, 8))
    assert blocks.module.parameters == 6 * (4 * 8 + 24 * 8 + 24 + 64 + 8 + 256 + 32 + 256 + 8)
    assert len(graph_view(gpt, fold=False).cards) > 100


def test_a_closed_module_shows_the_norm_over_its_parameters(gpt):
    head = next(card for card in graph_view(gpt).cards if card.title == "model.head")
    weight = gpt.value(gpt.tensors.grad[gpt.bound("model.head.weight")])
    whole = math.hypot(weight.norm, *gradient(gpt, "model.head.bias"))
    assert head.module.norm == pytest.approx(whole) and head.module.leaves == head.module.gradients == 2
    assert "model.head has the largest gradient norm" in sentence(graph_view(gpt), "en")


def test_a_stack_has_every_block_in_the_inspector_and_in_the_steps(gpt):
    view = graph_view(gpt)
    stack = next(card for card in view.cards if card.fold)
    first = inspection(gpt, view, stack.id, "en", 0)
    assert first.module == "model.blocks.0" and "model.blocks.0.attn.qkv.weight" in dict(first.parameters)
    told = [step.sentence for step in steps(gpt, view, "en").steps if step.card == stack.id]
    assert len(told) == 6 and "`model.blocks.5` has gradient" in told[0] and "and to `model.blocks.4`" in told[0]


def test_opening_a_module_shows_its_contents_and_closing_undoes_it(gpt):
    opened = NOTHING_OPENED.open("model.blocks.0.attn")
    shown = titles(graph_view(gpt, opened=opened))
    assert {"model.blocks.0.attn.qkv", "model.blocks.0.mlp", "model.blocks.1 … 5"} <= set(shown)
    assert sum("transpose" in title for title in shown) >= 4  # views of q, k and v are not one card
    assert titles(graph_view(gpt, opened=opened.close("model.blocks.0"))) != shown
    apart = titles(graph_view(gpt, opened=NOTHING_OPENED.open("model.blocks.*")))
    assert [title for title in apart if ".blocks" in title] == [f"model.blocks.{n}" for n in range(6)]
    assert titles(graph_view(gpt, opened=NOTHING_OPENED.close("model")))[1] == "model"


def test_consecutive_views_are_one_card_that_opens(gpt):
    attention = NOTHING_OPENED.open("model.blocks.0.attn")
    view = graph_view(gpt, opened=attention)
    heads, joined = (card for card in view.cards if card.module and card.module.shaping)
    assert heads.title == "v = each.view(2, 5, 2, 4).transpose(1, 2)" and heads.fold.count == 3
    assert joined.title == "(shares @ v).transpose(1, 2).reshape(x.shape)"
    assert (joined.module.inputs, joined.shape) == (((2, 2, 5, 4),), (2, 5, 8))
    found = inspection(gpt, view, joined.id, "en")
    assert found.module == "model.blocks.0.attn" and found.value.shape == found.gradient.shape == (2, 5, 8)
    inside = graph_view(gpt, opened=attention.open(joined.module.path))
    titles = ["(shares @ v).transpose(1, 2)", "(shares @ v).transpose(1, 2).reshape(x.shape)"]
    assert [card.title for card in inside.cards if card.within == joined.module.path] == titles
    assert "transpose → reshape" in picture(gpt, opened=attention.open(joined.module.path)).svg()


def test_views_used_twice_or_of_leaves_or_roots_stay_cards(gpt):
    program = GPT.replace("loss = nn", "w = model.head.weight.t().reshape(-1)\nlogits = nn").replace(
        "loss.backward()", "loss = (logits + w.sum()).view(1).squeeze()\nloss.backward()"
    )
    view = graph_view(traced(program))
    assert {"w = model.head.weight.t().reshape(-1)", "model.head.weight.t()"} <= {card.title for card in view.cards}
    assert [card.title for card in view.cards if card.kind == "out"] == ["loss = (logits + w.sum()).view(1).squeeze()"]
    assert not any(card.module and card.module.shaping for card in view.cards)


def test_a_card_omits_its_frames_path(gpt):
    svg = picture(gpt, opened=NOTHING_OPENED.open("model.blocks.0")).svg()
    shown = re.findall(r'class="expr"[^>]*>([^<]+)<', svg)
    assert {"ln1", "attn", "mlp", "blocks.1 … 5"} <= set(shown)


def test_a_path_may_start_inside_the_model_and_a_wrong_path_lists_alternatives(gpt):
    assert module_path(gpt, "blocks.0.attn") == "model.blocks.0.attn"
    assert module_path(gpt, "blocks.*") == "model.blocks.*"
    with pytest.raises(LookupError, match=r"no module 'blocks\.0\.atn' ran; there are model\.blocks\.0\.attn"):
        explorer.draw(gpt, open="blocks.0.atn")
    with pytest.raises(LookupError, match="module of several"):
        explorer.draw(gpt, open="attn")


@pytest.mark.thorough
def test_the_picture_fits_a_screen_and_its_page_opens_modules(gpt):
    drawn = explorer.draw(gpt)
    width, height = map(float, re.search(r'width="(\d+)" height="(\d+)"', drawn.svg()).groups())
    assert width < 1400 and height < 1100
    assert repr(drawn) == f"<Picture of loss: {len(drawn.view.cards)} cards, 5 of them closed modules>"
    page = drawn.html()
    assert 'data-module="model.blocks.*"' in page and len(page) < 2_000_000
    assert re.search(r'id="openings">[A-Za-z0-9+/=]{1000,}<', page)
    assert "logarithmic" in legend(drawn.view, "en")  # the root's gradient is 1, the others are a hundredth of it


def test_encoder_layers_form_one_stack_even_if_the_input_requires_no_grad():
    trace = traced(
        "import torch\nlayer = torch.nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)\n"
        "model = torch.nn.TransformerEncoder(layer, 5)\nmodel(torch.randn(2, 3, 8)).sum().backward()"
    )
    assert [card.fold.count for card in graph_view(trace).cards if card.module] == [5]


RESNET = """
import torch
from torch import nn

class Block(nn.Module):
    def __init__(self, a, b):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b)
        self.conv2, self.bn2 = nn.Conv2d(b, b, 3, padding=1), nn.BatchNorm2d(b)
        self.relu, self.down = nn.ReLU(), nn.Conv2d(a, b, 1)
    def forward(self, x):
        y = self.bn2(self.conv2(self.relu(self.bn1(self.conv1(x)))))
        return self.relu(y + self.down(x))

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 2, 3)
        self.layer1, self.layer2 = (nn.Sequential(Block(n, n + 2), Block(n + 2, n + 2)) for n in (2, 4))
        self.fc = nn.Linear(6, 5)
    def forward(self, x):
        return self.fc(self.layer2(self.layer1(self.stem(x))).mean((2, 3)))

net = Net()
net(torch.ones(2, 3, 6, 6)).sum().backward()
"""


@pytest.fixture(scope="module")
def resnet():
    return traced(RESNET)


def test_buffers_are_drawn_inside_their_module(resnet):
    view = graph_view(resnet)
    assert not any("running" in title or "num_batches" in title for title in titles(view))
    block = next(card for card in view.cards if card.title == "net.layer1.0")
    assert block.module.inputs == ((2, 2, 4, 4),) and block.shape == (2, 4, 4, 4)


def test_open_modules_have_nested_frames(resnet):
    first, second = module_frames(graph_view(resnet))  # not of the net, whose name is in every card
    assert (first.path, second.path, second.inside) == ("net.layer1", "net.layer2", ())
    view = graph_view(resnet, opened=NOTHING_OPENED.open("net.layer2.1"))
    second = module_frames(view)[1]
    [inner] = second.inside
    cards = {card.id: card.title for card in view.cards}
    assert [cards[one] for one in second.cards] == ["net.layer2.0"] and inner.path == "net.layer2.1"
    assert "net.layer2.1.conv1" in {cards[one] for one in inner.cards}
    assert inner.inside == ()  # relu is called twice, with something between
    drawn = explorer.draw(resnet, open="layer2.1").svg()
    assert 'class="frame" data-open="net.layer2.1"' in drawn and "Close net.layer2.1" in drawn


def test_the_models_inputs_are_drawn_outside_its_frames():
    program = (
        "class Block(nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.layer = nn.Linear(4, 4)\n"
        "        self.scale = nn.Parameter(torch.ones(4))\n"
        "    def forward(self, x):\n"
        "        return self.layer(x).relu() * self.scale\n"
        "net = nn.Sequential(Block(), Block(), Block())\n"
        "x = torch.ones(2, 4)\n"
        "net(x).sum().backward()\n"
    )
    view = graph_view(traced("import torch\nfrom torch import nn\n" + program), opened=NOTHING_OPENED.open("net.0"))
    cards = {card.id: card.title for card in view.cards}
    framed = [cards[one] for frame in module_frames(view) for one in frame.cards]
    assert "x" in cards.values() and "x" not in framed
    assert {"net.0.layer", "net.0.scale"} <= set(framed)


def test_closing_a_module_again_leaves_its_parents_open(resnet):
    opened = NOTHING_OPENED.open("net.layer2.1").close("net.layer2.1")
    assert {"net.layer2.0", "net.layer2.1"} <= set(titles(graph_view(resnet, opened=opened)))


def test_closing_a_list_of_equal_blocks_restores_their_stack(gpt):
    opened = NOTHING_OPENED.open("model.blocks.*").close("model.blocks")
    assert titles(graph_view(gpt, opened=opened)) == titles(graph_view(gpt))


def test_a_closed_modules_card_names_its_contents(gpt):
    view = graph_view(gpt)
    stack = next(card for card in view.cards if card.fold)
    assert {"attn", "attn.qkv", "attn.qkv.weight", "mlp.2.bias"} <= set(stack.module.inside)
    assert 'data-inside="ln1 attn attn.qkv' in picture(gpt).svg()


def test_a_shared_weight_shows_both_names():
    trace = traced(
        GPT.replace(
            "    def forward(self, i):", "        self.head.weight = self.tok.weight\n    def forward(self, i):"
        )
    )
    leaf = next(card for card in graph_view(trace).cards if card.name == "model.tok.weight")
    assert leaf.also == ("model.head.weight",)
    assert "= model.head.weight" in picture(trace).svg()


def test_a_recurrent_layer_stays_closed_and_opened_has_each_weight_once():
    trace = traced(
        "import torch\nnet = torch.nn.ModuleDict({'rnn': torch.nn.LSTM(3, 2, 2, bidirectional=True)})\n"
        "packed = torch.nn.utils.rnn.pack_padded_sequence(torch.ones(4, 2, 3), torch.tensor([4, 2]))\n"
        "y, _ = net['rnn'](packed)\ny.data.sum().backward()"
    )
    view = graph_view(trace)
    [closed] = [card for card in view.cards if card.module]
    assert closed.module.leaves == 16 and len(view.cards) <= 4
    opened = explorer.draw(trace, open=closed.module.path)
    assert sum(card.kind == "leaf" for card in opened.view.cards) == 16
    width = float(re.search(r'width="(\d+)"', opened.svg()).group(1))
    assert width < 2_600  # arranged in rows, not all side by side


def test_layers_of_different_sizes_form_no_stack():
    layers = ", ".join(f"torch.nn.Linear({n}, {n + 1}), torch.nn.Tanh()" for n in range(2, 30))
    view = graph_view(
        traced(f"import torch\nnet = torch.nn.Sequential({layers})\nnet(torch.ones(1, 2)).sum().backward()")
    )
    assert not any(card.fold for card in view.cards)


def sequential(*layers):
    """Return a picture of layers in sequence."""
    source = f"import torch\nfrom torch import nn\nnet = nn.Sequential({', '.join(layers)})\n"
    return picture(traced(source + "net(torch.ones(2, 3)).sum().backward()"))


def test_a_model_is_drawn_by_layers_if_they_fit_one_screen():
    drawn = sequential(*["nn.Linear(3, 3)", "nn.ReLU()"] * 4)
    closed = [card.title for card in drawn.view.cards if card.module]
    assert closed == ["net.0", "net.2", "net.4", "net.6"] and not any(card.kind == "leaf" for card in drawn.view.cards)
    halves = "nn.Sequential(" + ", ".join(["nn.Linear(3, 3)", "nn.Tanh()", "nn.BatchNorm1d(3)"] * 3) + ")"
    drawn = sequential(halves, halves)
    assert [card.title for card in drawn.view.cards if card.module] == ["net.0", "net.1"]
    inside = picture(drawn.trace, opened=NOTHING_OPENED.open("net.1")).view
    titles = [card.title for card in inside.cards if card.module]
    assert titles == ["net.0", *(f"net.1.{layer}" for layer in (0, 2, 3, 5, 6, 8))]


def test_a_small_model_is_drawn_operation_by_operation():
    drawn = sequential(*["nn.Linear(3, 3)", "nn.ReLU()"] * 3)
    assert not any(card.module for card in drawn.view.cards) and "opener" not in drawn.svg()
    assert sum(card.kind == "leaf" for card in drawn.view.cards) == 6 and "logarithmic" not in drawn.legend()


def test_nan_inside_a_closed_module_is_marked_on_its_card():
    trace = traced(GPT.replace("return self.proj(", "return self.proj((x - x.detach()).sqrt() + "))
    view = graph_view(trace)
    bad = next(card for card in view.cards if card.module and card.module.path == "model.blocks.*")
    assert bad.module.nonfinite and bad.notes
    assert "NaN" in picture(trace).svg()


def test_a_model_with_inputs_made_before_the_recording_is_drawn():
    net = nn.Sequential(*[nn.Sequential(nn.Linear(3, 3), nn.ReLU()) for _ in range(20)])
    w = torch.ones(3, requires_grad=True)
    x = w * 2
    with explorer.record() as trace:
        net(x).sum().backward()
    view = graph_view(trace._finished())
    assert any(card.module for card in view.cards) and "w" in titles(view)
