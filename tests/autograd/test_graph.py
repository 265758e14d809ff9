"""The graph view: small programs in, cards and wires out."""

from textwrap import dedent

import pytest
from msgspec import structs

from explorer.analysis.autograd import graph_view
from explorer.trace import Trace
from tests.measured import grows_in_proportion
from tests.programs import TWICE
from tests.traces import trace_of


def view_of(source, **how):
    """The view of a program; torch, nn and F are there."""
    return graph_view(trace_of("import torch\nfrom torch import nn\nF = nn.functional\n" + dedent(source)), **how)


def by_title(view):
    return {card.title: card for card in view.cards}


def one(value):
    return None if value is None else value.entries[0]


def wires(view):
    """(title of source, title of target, port) of every wire."""
    title = {card.id: card.title for card in view.cards}
    return [(title[wire.source], title[wire.target], wire.port) for wire in view.wires]


def test_cards_say_what_the_program_says():
    view = view_of(TWICE)
    assert {(c.title, c.kind, c.torch, one(c.value), one(c.gradient)) for c in view.cards} == {
        ("w", "leaf", "", 1.0, 5.0),
        ("x", "leaf", "", 2.0, 2.0),
        ("a = w + x", "op", "AddBackward0", 3.0, 2.0),
        ("b = w + 1", "op", "AddBackward0", 2.0, 3.0),
        ("y = a * b", "out", "MulBackward0", 6.0, 1.0),
    }
    assert view.kind == "backward"


def test_wires_enter_in_argument_order_and_say_what_they_add():
    view = view_of(TWICE)
    assert sorted(wires(view)) == [
        ("a = w + x", "y = a * b", 0),
        ("b = w + 1", "y = a * b", 1),
        ("w", "a = w + x", 0),
        ("w", "b = w + 1", 0),
        ("x", "a = w + x", 1),
    ]
    leaf = by_title(view)["w"].id
    assert [one(wire.contribution) for wire in view.wires if wire.source == leaf] == [2.0, 3.0]


def test_equal_programs_give_equal_views():
    assert view_of(TWICE) == view_of(TWICE)


def test_saved_tensors_have_the_programs_names():
    card = by_title(view_of(TWICE))["y = a * b"]
    assert [(tag.text, one(tag.value)) for tag in card.saved] == [("a", 3.0), ("b", 2.0)]


def test_an_input_that_asks_for_no_gradient_is_data():
    view = view_of("""
        X = torch.ones(2, 3)
        W = torch.ones(3, 1, requires_grad=True)
        (X @ W).sum().backward()
    """)
    data = by_title(view)["X"]
    assert data.kind == "data" and data.gradient is None
    assert ("X", "X @ W", 0) in wires(view) and ("W", "X @ W", 1) in wires(view)


def test_one_call_that_makes_several_nodes_is_one_card():
    view = view_of("""
        z = torch.zeros(2, 3, requires_grad=True)
        loss = F.cross_entropy(z, torch.tensor([0, 2]))
        loss.backward()
    """)
    assert [card.torch for card in view.cards if card.kind != "leaf"] == ["LogSoftmax + NllLoss"]


def test_layers_called_on_one_line_go_by_their_paths():
    view = view_of("""
        net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
        loss = net(torch.ones(4, 2)).sum()
        loss.backward()
    """)
    titles = [card.title for card in view.cards if card.kind == "op"]
    assert titles == ["net.0(…)", "net.1(…)", "net.2(…)"]
    assert {card.title for card in view.cards if card.kind == "leaf"} == {
        "net.0.weight",
        "net.0.bias",
        "net.2.weight",
        "net.2.bias",
    }


def test_a_leaf_shows_the_value_the_graph_used_not_a_later_one():
    view = view_of("""
        w = torch.tensor(1., requires_grad=True)
        for step in range(3):
            w.grad = None
            loss = w * 2
            loss.backward()
            with torch.no_grad():
                w -= 1
    """)
    assert one(by_title(view)["w"].value) == -1.0


def test_a_loop_is_one_card_with_its_values_and_gradients():
    view = view_of("""
        a = torch.tensor([1.0], requires_grad=True)
        b = a * 2
        while b.norm() < 1000:
            b = b * 2
        b.sum().backward()
    """)
    card = by_title(view)["b = b * 2"]
    assert (card.fold.count, card.fold.loop) == (9, True)
    assert [one(value) for value in card.fold.values] == [4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0]
    assert [one(value) for value in card.fold.gradients] == [256.0, 128.0, 64.0, 32.0, 16.0, 8.0, 4.0, 2.0, 1.0]
    assert (one(card.value), one(card.gradient)) == (1024.0, 1.0)


def test_without_folding_every_round_stands_alone():
    source = "h = torch.ones(1, requires_grad=True)\nfor i in range(5):\n    h = h * 2\nh.backward()"
    assert len(view_of(source).cards) == 2
    assert len(view_of(source, fold=False).cards) == 6


def test_a_leaf_used_often_is_copied_once_per_use():
    view = view_of("""
        w = torch.tensor(2., requires_grad=True)
        y = w*1 + w*2 + w*3 + w*4 + w*5 + w*6 + w*7
        y.backward()
    """)
    copies = [card for card in view.cards if card.kind == "leaf"]
    assert len(copies) == 7 and {card.copies for card in copies} == {7}
    assert {one(card.gradient) for card in copies} == {28.0}


@pytest.mark.parametrize(
    ("cut", "kind", "reason"),
    [
        ("u = v.detach()", "detach", "cut"),
        ("u = v.data", "data_attribute", "cut"),
        ("with torch.no_grad():\n    u = v * 2", "no_grad", "no_grad"),
        ("u = v.item()", "item", "cut"),
    ],
)
def test_where_a_gradient_is_cut_off_the_cut_is_drawn(cut, kind, reason):
    start = "w = torch.tensor(1., requires_grad=True)\nv = torch.tensor(3., requires_grad=True)\n"
    view = view_of(start + cut + "\ny = u * w\ny.backward()")
    kinds = {wire.kind: (wire.source, wire.target) for wire in view.wires}
    assert by_title(view)["v"].id == kinds[kind][0]
    assert by_title(view)["v"].reason == reason


def test_a_program_without_backward_shows_an_implicit_one():
    view = view_of("x = torch.tensor(3., requires_grad=True)\ny = 3 * x**2 - 4 * x")
    assert view.kind == "implicit"
    assert one(by_title(view)["x"].gradient) == 14.0


def test_a_program_without_gradients_shows_its_operations():
    view = view_of("a = torch.ones(2)\nb = a + 1\nc = b.sum()")
    assert view.kind == "none"
    assert {card.title: card.kind for card in view.cards} == {"a": "data", "b = a + 1": "data", "c = b.sum()": "data"}
    assert [(s, t) for s, t, _ in wires(view)] == [("a", "b = a + 1"), ("b = a + 1", "c = b.sum()")]


def test_nan_is_shown_where_it_starts():
    view = view_of("""
        x = torch.tensor([0., 1., 4.], requires_grad=True)
        y = torch.where(x > 0, torch.sqrt(x), x).sum()
        y.backward()
    """)
    notes = {card.title: card.notes for card in view.cards if card.notes}
    assert [(title, note[0].place, note[0].product) for title, note in notes.items()] == [
        ("torch.sqrt(x)", "x[0]", True)
    ]


@pytest.mark.parametrize(
    ("program", "starts"),
    [
        ("s.masked_fill(mask, -torch.inf).softmax(-1)", {}),  # a causal mask is what the program wrote
        ("(s + torch.full((9, 9), -torch.inf).triu(1)).softmax(-1)", {}),
        (
            "s.masked_fill(mask | True, -torch.inf).softmax(-1)",
            {"a = s.masked_fill(mask | True, -torch.inf).softmax(-1)": "nan"},
        ),
        ("(1000 + s).exp()", {"a = (1000 + s).exp()": "inf"}),
        ("(s * 1000).exp() / (s * 1000).exp().sum()", {"(s * 1000).exp()": "inf"}),
        ("torch.where(s < 0, s / torch.zeros(9, 9), s)", {}),  # never reaches the result
    ],
)
def test_nan_starts_where_it_was_made_and_reaches_the_result(program, starts):
    view = view_of(f"""
        s = torch.arange(81.).view(9, 9).requires_grad_()
        mask = torch.ones(9, 9).triu(1).bool()
        a = {program}
        a.sum().backward()
    """)
    assert {
        card.title: card.notes[0].kind for card in view.cards if card.notes and not card.notes[0].backward
    } == starts


def test_what_layers_made_for_themselves_is_no_card():
    view = view_of("x = torch.ones(2, 3)\nnet = nn.Sequential(nn.Linear(4, 4), nn.LayerNorm(4))\nnet(x)")
    assert [card.title for card in view.cards] == ["x"]


def test_a_second_backward_that_failed_marks_its_card():
    view = view_of("a = torch.tensor(2., requires_grad=True)\ny = a * a\ny.backward()\ny.backward()")
    assert [card.title for card in view.cards if card.failed] == ["y = a * a"]
    assert one(by_title(view)["a"].gradient) == 4.0


def test_grad_that_was_there_before_is_told():
    view = view_of("w = torch.tensor(1., requires_grad=True)\nfor i in range(2):\n    (3 * w).backward()")
    before, after = by_title(view)["w"].stored
    assert (one(before), one(after)) == (3.0, 6.0)


def test_a_program_without_tensors_is_an_empty_view():
    assert view_of("print(1)").cards == ()


@pytest.mark.thorough
def test_many_layers_fold_until_they_fit_in_time_that_grows_with_them():
    def deep(layers: int) -> Trace:
        return trace_of(f"""
            import torch
            x = torch.ones(1, requires_grad=True)
            w = torch.ones(1, requires_grad=True)
            s = x
            def layer(h):
                return torch.tanh(h * w)
            def ten(h):
                for _ in range(10):
                    h = layer(h)
                return h
            for i in range({layers}):
                s = s + ten(x)
            s.backward()
        """)

    def look(layers: int) -> None:
        graph_view(structs.replace(traces[layers])), graph_view(structs.replace(traces[layers]), fold=False)

    traces = {layers: deep(layers) for layers in (25, 200)}
    assert len(traces[200].nodes) > 4000
    view, flat = graph_view(traces[200]), graph_view(traces[200], fold=False)
    assert len(view.cards) < 20 and view.left_out == 0
    assert len(flat.cards) <= 200 and len(flat.wires) <= 400 and flat.left_out > 3000
    assert grows_in_proportion(look, 25)


def test_the_root_goes_by_the_name_that_asks_for_its_gradient():
    view = view_of("""
        def f(a):
            b = a * 2
            return b
        a = torch.tensor(3., requires_grad=True)
        d = f(a)
        d.backward()
    """)
    assert view.of == "d"
    assert [card.title for card in view.cards if card.id in view.roots] == ["b = a * 2"]


def test_a_wire_into_the_next_round_of_a_loop_says_so():
    view = view_of("""
        w = torch.tensor(.9, requires_grad=True)
        h = torch.tensor(1.)
        for i in range(4):
            h = torch.tanh(h * w)
        h.backward()
    """)
    title = {card.id: card.title for card in view.cards}
    again = [(title[wire.source], title[wire.target], wire.count) for wire in view.wires if wire.again]
    assert again == [("h = torch.tanh(h * w)", "h * w", 3)]


def test_a_function_called_twice_shows_both_calls_in_its_own_words():
    view = view_of("""
        def f(x):
            return torch.sin(x) + x
        w = torch.tensor(1., requires_grad=True)
        z = f(w) * f(w * 2)
        z.backward()
    """)
    titles = [card.title for card in view.cards if card.kind == "op"]
    assert titles.count("torch.sin(x)") == 2 and titles.count("torch.sin(x) + x") == 2


def test_a_custom_function_shows_value_and_gradient():
    view = view_of("""
        class Square(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * x
            @staticmethod
            def backward(ctx, gradient):
                x, = ctx.saved_tensors
                return 2 * gradient * x
        x = torch.tensor(3., requires_grad=True)
        y = Square.apply(x)
        y.backward()
    """)
    card = by_title(view)["y = Square.apply(x)"]
    assert (one(card.value), one(card.gradient)) == (9.0, 1.0)
    assert one(by_title(view)["x"].gradient) == 6.0


def test_what_a_backward_made_with_create_graph_is_a_layer_of_its_own():
    view = view_of("""
        x = torch.tensor(2., requires_grad=True)
        y = x ** 3
        g, = torch.autograd.grad(y, x, create_graph=True)
        z = g * 2
        z.backward()
    """)
    layers = {card.title: card.layer for card in view.cards}
    assert layers.pop("z = g * 2") == layers.pop("x") == 0
    assert set(layers.values()) == {1}


def test_a_leaf_that_one_call_reads_every_step_is_drawn_once_with_all_it_brings():
    view = view_of("""
        rnn = torch.nn.RNN(1, 4)
        out, h = rnn(torch.ones(10, 1))
        out.sum().backward()
    """)
    weight = [card for card in view.cards if card.name == "rnn.weight_hh_l0"]
    assert len(weight) == 1 and weight[0].copies == 1
    (wire,) = [wire for wire in view.wires if wire.source == weight[0].id]
    assert wire.count == 10 and wire.contribution == weight[0].gradient


def test_what_was_detached_is_joined_to_what_it_came_from():
    view = view_of("""
        x = torch.arange(4., requires_grad=True)
        y = (x + 1) * x
        u = y.detach()
        (u * x).sum().backward()
    """)
    drawn = wires(view)
    assert (
        ("x", "y = (x + 1) * x", 1) in drawn and ("x + 1", "y = (x + 1) * x", 0) in drawn and ("x", "x + 1", 0) in drawn
    )
    assert ("y = (x + 1) * x", "u = y.detach()", 0) in drawn
    assert by_title(view)["y = (x + 1) * x"].gradient is None
