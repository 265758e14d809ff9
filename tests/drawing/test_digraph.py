"""A graph that the program made with graphviz, drawn by us."""

import json
import xml.etree.ElementTree as ElementTree

import pytest

from explorer.drawing.plots.digraph import digraph_svg
from explorer.sandbox import layout


def drawn(source: str) -> ElementTree.Element:
    return ElementTree.fromstring(digraph_svg(layout(source), source))


def shapes(svg: ElementTree.Element) -> list[str]:
    return [element.tag.rpartition("}")[2] for element in svg]


def test_nodes_edges_and_words():
    svg = drawn('digraph { a [label="x + 1", shape=box]; a -> b [label="w"] }')
    assert shapes(svg) == ["rect", "polygon", "text", "ellipse", "text", "path", "polygon", "text"]
    assert [element.text for element in svg if element.text] == ["x + 1", "b", "w"]


def test_records_clusters_and_dashes():
    svg = drawn('digraph { subgraph cluster_0 { r [shape=record, label="{p|q}"] } r -> s [style=dashed] }')
    assert "polyline" in shapes(svg)
    assert any(element.get("stroke-dasharray") for element in svg)


def test_words_of_the_program_are_no_markup():
    source = 'digraph { a [label="<script>alert(1)</script>", URL="javascript:alert(1)", image="x.png"] }'
    text = digraph_svg(layout(source), source)
    assert "&lt;script&gt;" in text
    assert "<script" not in text and "javascript" not in text and "x.png" not in text and "href" not in text


@pytest.mark.parametrize(
    "laid", [None, "", "{}", "[]", "nonsense", json.dumps({"bb": "0,0,1,1", "objects": [{"_draw_": [{"op": "P"}]}]})]
)
def test_without_a_layout_the_source_is_shown(laid):
    assert digraph_svg(laid, "digraph { a -> b }") == '<pre class="digraph">digraph { a -&gt; b }</pre>'


def test_colours_that_are_none_become_ink():
    laid = {
        "bb": "0,0,1,1",
        "objects": [{"_draw_": [{"op": "c", "color": "url(#x)"}, {"op": "e", "rect": [0, 0, 1, 1]}]}],
    }
    assert 'stroke="#1a212b"' in digraph_svg(json.dumps(laid), "")
