"""The picture: real programs laid out by Graphviz, drawn, and read back as XML."""

import re
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace

from explorer.analysis.explain.autograd import Card, DrawnEdge, GraphView, graph_view
from explorer.drawing.graph.badges import legend
from explorer.drawing.graph.cards import boxes_of, measure
from explorer.drawing.graph.dot import to_dot
from explorer.drawing.graph.dotfile import labelled_graph
from explorer.drawing.graph.place import by_rank, place
from explorer.drawing.offline.page import html_page
from explorer.drawing.picture import Picture
from explorer.sandbox import layout
from explorer.trace import Bound
from tests.svg import to_svg
from tests.traces import trace_of

SVG = "{http://www.w3.org/2000/svg}"
OURS = {"svg", "g", "rect", "text", "path", "line", "circle", "title", "clipPath", "defs", "pattern", "style"}

PROGRAMS = {
    "two paths": "w = torch.tensor(1., requires_grad=True)\nx = torch.tensor(2., requires_grad=True)\n"
    "a = w + x\nb = w + 1\ny = a * b\ny.backward()",
    "vector": "x = torch.arange(4., requires_grad=True)\ny = 2 * torch.dot(x, x)\ny.backward()",
    "layers": "net = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))\n"
    "loss = net(torch.ones(5, 3)).sum()\nloss.backward()",
    "loop": "w = torch.tensor(.9, requires_grad=True)\nh = torch.tensor(1.)\nfor i in range(12):\n"
    "    h = torch.tanh(h * w) + w\nh.backward()",
    "nan": "x = torch.tensor([0., 1., 4.], requires_grad=True)\ntorch.where(x > 0, torch.sqrt(x), x).sum().backward()",
    "cut": "w = torch.tensor(2., requires_grad=True)\nv = torch.tensor(5., requires_grad=True)\n"
    "y = w * v.item() + v.detach() * w\ny.backward()",
    "implicit": "x = torch.tensor(3., requires_grad=True)\ny = x**2",
    "no gradient": "a = torch.arange(3.).reshape(3, 1)\nb = torch.arange(2.)\nc = a + b",
    "odd values": "z = torch.ones(2, 2, dtype=torch.complex64, requires_grad=True)\n"
    "e = torch.ones(0, requires_grad=True)\n"
    "y = (z * z).abs().sum() + e.sum() + torch.ones(2, 3, 4, 5, requires_grad=True).mean()\ny.backward()",
    "several results": "q = torch.tensor([4., 1.], requires_grad=True)\nu, v = q.unbind()\n(u * v).backward()",
    "more results than lines": "parts = torch.ones(6, 2, requires_grad=True).unbind()\n"
    "sum((part * part).sum() for part in parts).backward()",
    "empty": "print(1)",
}


def view_of(source):
    return graph_view(trace_of("import torch\n" + source))


def laid_out(dot):
    """Return Graphviz's JSON from the layout's own child."""
    laid = layout(dot)
    assert laid is not None
    return laid


def drawn(view, lang="en"):
    """Return the SVG of a view with a layout by Graphviz."""
    return to_svg(view, laid_out(to_dot(view)), lang)


def parsed(svg):
    """Return an SVG's root after checking that it has only our elements, and no attribute that runs or loads code."""
    root = ElementTree.fromstring(svg)
    for element in root.iter():
        assert element.tag.removeprefix(SVG) in OURS
        for name, value in element.attrib.items():
            assert not name.startswith("on") and "href" not in name
            assert "url(" not in value or value.startswith("url(#")
    return root


def of_class(root, name):
    return [element for element in root.iter() if name in element.get("class", "").split()]


def texts(root):
    return [element.text for element in root.iter(f"{SVG}text")]


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_card_and_edge_is_drawn_with_its_id(name):
    view = view_of(PROGRAMS[name])
    root = parsed(drawn(view))
    assert sorted(card.get("data-id") for card in of_class(root, "node")) == sorted(card.id for card in view.cards)
    assert [edge.get("data-id") for edge in of_class(root, "edge")] == [edge.id for edge in view.edges]
    for card in of_class(root, "node"):
        assert (card.get("tabindex"), card.get("role")) == ("0", "button") and card.get("aria-label")


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("layout", ["graphviz", "by rank"])
def test_cards_do_not_overlap(name, layout):
    view = view_of(PROGRAMS[name])
    boxes = [measure(card, "en") for card in view.cards]
    laid = laid_out(to_dot(view)) if layout == "graphviz" else None
    corners = place(view, boxes, laid).corners
    frames = [(*corners[box.card.id], box.width, box.height) for box in boxes]
    for i, (ax, ay, aw, ah) in enumerate(frames):
        for bx, by, bw, bh in frames[i + 1 :]:
            assert ax + aw <= bx or bx + bw <= ax or ay + ah <= by or by + bh <= ay


def test_text_stays_inside_its_card():
    for source in PROGRAMS.values():
        for card in of_class(parsed(drawn(view_of(source))), "node"):
            width = float(of_class(card, "face")[0].get("width"))
            for text in card.iter(f"{SVG}text"):
                if text.get("class") in ("expr", "name", "op", "val", "grad") and text.get("text-anchor") == "start":
                    assert float(text.get("x")) + len(text.text) * 0.6 * 10.5 <= width


def test_a_card_shows_value_and_gradient():
    root = parsed(drawn(view_of(PROGRAMS["two paths"])))
    card = next(card for card in of_class(root, "leaf") if "w" in texts(card))
    assert texts(card) == ["value", "1", ".grad", "+5", "·", "w"]
    assert card.get("aria-label") == "w, leaf, line 2, value 1, gradient +5"


def test_a_card_with_several_results_shows_value_and_gradient_of_each():
    root = parsed(drawn(view_of(PROGRAMS["several results"])))
    card = next(card for card in of_class(root, "op") if "u, v = q.unbind()" in texts(card))
    assert texts(card)[:10] == ["value", "gradient", "u", "4", "+1", "·", "v", "1", "+4", "·"]
    assert "u: value 4, gradient +1, v: value 1, gradient +4" in card.get("aria-label")


def test_contributions_are_shown_on_the_edges_of_a_shared_leaf():
    root = parsed(drawn(view_of(PROGRAMS["two paths"])))
    assert [texts(pill)[0] for pill in of_class(root, "several")] == ["+2", "+3"]


def test_a_folded_edge_omits_the_contribution_of_a_single_round():
    loop = "w = torch.tensor(2., requires_grad=True)\nh = torch.tensor(1.)\n" \
           "for _ in range(5):\n    h = h * w\n"  # fmt: skip
    assert of_class(parsed(drawn(view_of(f"{loop}h.backward()"))), "contribution") == []
    [beside] = of_class(parsed(drawn(view_of(f"{loop}y = h.sin() + 3 * w\ny.backward()"))), "contribution")[:1]
    assert texts(beside) == ["+0.834"]  # of y to h, which is cos(32)


def test_focus_moves_from_top_to_bottom_then_left_to_right():
    root = parsed(drawn(view_of(PROGRAMS["layers"])))
    places = [re.findall(r"[-\d.]+", card.get("transform")) for card in of_class(root, "node")]
    corners = [(float(y), float(x)) for x, y in places]
    assert corners == sorted(corners)


def test_a_missing_gradient_is_a_dot_and_never_zero():
    view = view_of("v = torch.tensor(5., requires_grad=True)\nw = torch.tensor(2., requires_grad=True)\n"
                   "y = v.detach() * w\ny.backward()")  # fmt: skip
    card = next(card for card in of_class(parsed(drawn(view)), "leaf") if "v" in texts(card))
    assert texts(card) == ["value", "5", "gradient", "·", "v"]


def test_an_implicit_gradient_is_hatched_and_labelled():
    root = parsed(drawn(view_of(PROGRAMS["implicit"])))
    assert "implicit" in root.get("class").split()
    assert "No backward() ran: these are the gradients that it would compute." in texts(root)


def test_cuts_are_named_on_their_edges():
    root = parsed(drawn(view_of(PROGRAMS["cut"])))
    assert sorted(texts(mark)[0] for mark in of_class(root, "cutmark")) == [".item()", "detach()"]


def test_translated_pictures_have_the_same_layout():
    view = view_of(PROGRAMS["two paths"])
    assert "梯度" in texts(parsed(drawn(view, lang="zh")))
    assert [(b.width, b.height) for b in (measure(c, "en") for c in view.cards)] == [
        (b.width, b.height) for b in (measure(c, "zh") for c in view.cards)
    ]


@pytest.mark.parametrize(
    "rest", ["", "w.requires_grad_()\nfor i in range(12):\n    w = torch.tanh(w * 2)\nw.backward()"]
)
def test_a_folded_card_fits_its_bars(rest):
    view = view_of("h, w = torch.tensor(1.), torch.tensor(1.)\nfor i in range(12):\n    h = torch.tanh(h * 2)\n" + rest)
    for box in boxes_of(view, "en"):
        if box.card.fold:
            [card] = [one for one in of_class(parsed(drawn(view)), "node") if one.get("data-id") == box.card.id]
            bars = [one for one in card.iter(f"{SVG}rect") if one.get("rx") == "1"]
            assert len(bars) >= 12
            assert 0 <= box.height - max(float(one.get("y")) + float(one.get("height")) for one in bars) < 14


@pytest.mark.parametrize("layout", [None, "", "{}", "[1, 2]", '{"bb": "0,0,1,1"}', "not json"])
def test_cards_are_placed_by_rank_with_a_note_if_the_layout_fails(layout):
    root = parsed(to_svg(view_of(PROGRAMS["layers"]), layout, "en"))
    assert "Placed by rank because the layout took too long." in texts(root)
    assert len(of_class(root, "node")) == 8


def test_a_placement_by_rank_follows_the_edges():
    view = view_of(PROGRAMS["loop"])
    corners = by_rank(view, [measure(card, "en") for card in view.cards]).corners
    for edge in view.edges:
        assert edge.again or corners[edge.source][1] < corners[edge.target][1]


HOSTILE = [
    "</text></svg><script>alert(1)</script>",
    "\"' onload='x' x=\"",
    "{a|b}<i0>\\N\\l",
    "]]><!-- & --><![CDATA[",
    "\0\x01\x1b\x7f",
    "a\u202eb\u2066c\u200fd",
    "\ud800 \udfff \ufffe",
    "名前 = '梯度'",
    "&lt;svg onload=alert(1)&gt;",
]


def hostile_view(text):
    """Return a view in which all program texts are the same."""
    leaf = Card("t0", "leaf", text, "")
    root = Card("n0", "out", text, text, torch=text, reason="failed", line=3)
    return GraphView((leaf, root), (DrawnEdge("t0-n0-0", "t0", "n0", 0),), ("n0",), 0, "backward")


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_of_a_program_breaks_the_picture_or_its_page(text):
    view = hostile_view(text)
    dot = to_dot(view)
    assert text not in dot and re.sub(r"[\d.]+", "0", dot) == re.sub(r"[\d.]+", "0", to_dot(hostile_view("x")))
    svg = to_svg(view, laid_out(dot), "en", standalone=True)
    root = parsed(svg)
    svg.encode("utf-8")
    assert len(of_class(root, "node")) == 2
    page = html_page(svg, "en", title=text, legend=legend(view, "en"), sentence=text)
    plain = html_page(to_svg(hostile_view("x"), None, "en"), "en", title="x", legend=legend(view, "en"), sentence="x")
    assert page.count("<script") == plain.count("<script") and page.count("</svg>") == plain.count("</svg>")
    assert re.findall(r"script-src '[^']+'", page) == re.findall(r"script-src '[^']+'", plain)


def test_a_file_contains_its_light_and_dark_style():
    svg = to_svg(view_of(PROGRAMS["two paths"]), None, "en", standalone=True)
    style = next(parsed(svg).iter(f"{SVG}style")).text
    assert "prefers-color-scheme: dark" in style and ":root" not in style
    assert "@import" not in style and "url(#" in style and "http" not in style


@pytest.mark.parametrize("lang, said", [("en", "2 steps could not be recorded"), ("zh", "有 2 步没能记录")])
def test_operations_lost_by_the_recorder_are_reported(lang, said):
    trace = trace_of("x = torch.ones(2, requires_grad=True)\n(x * 2).sum().backward()")
    assert said not in Picture(trace, graph_view(trace), None, lang).svg()
    trace = replace(trace, limits=[Bound("lost", 2)])
    assert said in Picture(trace, graph_view(trace), None, lang).svg()


def test_an_exported_dot_file_has_the_cards_text():
    view = view_of('w = torch.tensor(2., requires_grad=True)\ny = w * float("3")\ny.backward()')
    dot = labelled_graph(view, "en").source
    assert '"y = w * float(\\"3\\")\\lMulBackward0\\lvalue 6\\lgradient +1\\l"' in dot and 'label="+3\\l"' in dot
    assert laid_out(dot) is not None


def test_a_models_layers_form_one_column_with_parameters_next_to_them():
    layers = ", ".join("torch.nn.Linear(8, 8), torch.nn.ReLU()" for _ in range(3))
    view = view_of(f"net = torch.nn.Sequential({layers})\nnet(torch.ones(5, 8)).sum().backward()")
    boxes = boxes_of(view, "en")
    corners = place(view, boxes, laid_out(to_dot(view))).corners
    middles = [corners[box.card.id][0] + box.width / 2 for box in boxes if box.card.kind in ("op", "out")]
    assert len(middles) == 7 and max(middles) - min(middles) < 2
    right = max(corners[box.card.id][0] + box.width for box in boxes)
    assert right < 3 * max(box.width for box in boxes)
