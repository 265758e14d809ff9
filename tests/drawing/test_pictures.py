"""A program's drawings on a page: images without active content, plotly figures without external resources."""

import json
import re
from base64 import b64decode

import plotly.graph_objects as go
import pytest

from explorer.drawing.plots.programs import picture_html, plotly_figure
from explorer.sandbox import graph_svg
from explorer.trace import Figure
from explorer.trace.outputs import faulty_figure
from tests.measured import grows_in_proportion

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"


def test_a_picture_is_an_image_with_alt_text():
    svg = Figure("svg", b"<svg onload='alert(1)'/>", 300, 200, 'loss & "epoch"')
    html = picture_html(svg, "en")
    assert html.startswith('<img class="picture" src="data:image/svg+xml;base64,') and "onload" not in html
    assert 'width="300" height="200"' in html and "loss &amp; &quot;epoch&quot;" in html
    assert "损失" in picture_html(Figure("png", PNG, 1, 1, "损失"), "zh")
    assert "<img" not in picture_html(Figure(), "en")


def test_a_graph_is_drawn_as_an_image():
    html = picture_html(Figure("dot", b"digraph { layout=neato; a -> b }"), "en")
    size = re.fullmatch(
        r'<img class="picture" src="data:image/svg\+xml;base64,(.*?)" width="\d+" height="\d+" .*>', html
    )
    assert b">a</text>" in b64decode(size[1])


def test_a_strangers_graph_cannot_load_files(tmp_path):
    secret = tmp_path / "secret.svg"
    secret.write_text('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text>SECRET</text></svg>')
    for attribute in ("image", "shapefile"):
        dot = f'digraph {{ a [{attribute}="{secret}" label="x" URL="javascript:alert(1)"] }}'
        html = picture_html(Figure("dot", dot.encode()), "en")
        assert html.startswith("<img ") and html.count("<") == 1 and "javascript" not in html
        svg = b64decode(html.split("base64,")[1].split('"')[0])
        assert b">x</text>" in svg and b"SECRET" not in svg and b"<image" not in svg


def test_a_graph_that_cannot_be_drawn_is_shown_as_dot():
    html = picture_html(Figure("dot", b"digraph {\n a -> <script>\n"), "en")
    assert "<img" not in html and "<script" not in html and ">digraph {\n a -&gt; &lt;script&gt;</pre>" in html


def test_a_graph_with_too_large_a_picture_is_shown_as_dot(monkeypatch):
    monkeypatch.setitem(graph_svg.__globals__, "MOST_SVG", 100)
    assert picture_html(Figure("dot", b"digraph { large }"), "en").endswith(">digraph { large }</pre>")


@pytest.mark.parametrize(
    "figure",
    [
        Figure("svg", b"<svg/>"),  # without a size
        Figure("svg", b"\xff", 1, 1),
        Figure("svg", b" " * 300_000, 1, 1),
        Figure("png", b"<svg/>", 1, 1),
        Figure("png", PNG + (60_000).to_bytes(4) + (60_000).to_bytes(4), 1, 1),
        Figure("png", PNG + (1).to_bytes(4) + (0).to_bytes(4), 1, 1),
        Figure("dot", b"\xff"),
        Figure("dot", b"graph {" + b" " * 100_000),
        Figure("", b"content"),
    ],
)
def test_unsafe_figures_are_rejected(figure):
    assert faulty_figure(figure)


def made(**parts) -> Figure:
    return Figure("plotly", json.dumps(parts).encode())


def test_a_plotly_figure_is_drawn_without_external_resources():
    drawn = plotly_figure(
        made(
            data=[
                {
                    "type": "scatter",
                    "y": [1, 2],
                    "text": '<a href="https://x.example">here</a> <b>bold</b>',
                    "no": "a:b",
                },
                {"type": "scattergeo", "lon": [1], "lat": [1]},
                {"type": "image", "source": "https://x.example/a.png"},
                {"type": "heatmap", "z": [[1, 2]], "__proto__": {"a": 1}},
            ],
            layout={
                "images": [{"source": "https://x.example/a.png"}],
                "geo": {},
                "updatemenus": [{"buttons": [{"args": ["images[0].source", "https://x.example/a.png"]}]}],
                "title": {"text": "t"},
                "height": 9e9,
            },
            frames=[{}],
        )
    )
    assert [one["type"] for one in drawn["data"]] == ["scatter", "heatmap"]
    assert drawn["data"][0]["text"] == '&lt;a href="https://x.example">here&lt;/a> <b>bold</b>'
    assert drawn["data"][0]["no"] == "" and drawn["data"][1].keys() == {"type", "z"}
    assert drawn["layout"] == {"title": {"text": "t"}, "height": 1_200}


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("a < b & <b>c</b><br>d<sub>e</sub>", "a &lt; b & <b>c</b><br>d<sub>e</sub>"),
        ("%{y:.2f}<extra>%{x}</extra>", "%{y:.2f}<extra>%{x}</extra>"),
        ('<span style="color: red; font-size: 9px">a</span>', '<span style="color: red; font-size: 9px">a</span>'),
        ("<span style='color:url(x)'>a</span>", "&lt;span style='color:url(x)'>a</span>"),
        ("<span style='cursor:b'>a", "&lt;span style='cursor:b'>a"),
        ("<span style='%{customdata}'>a", "&lt;span style='%{customdata}'>a"),
        ("<%{customdata}>", "&lt;%{customdata}>"),
        ("<b onclick=a>", "&lt;b onclick=a>"),
        ("\0<a>", "&lt;a>"),
    ],
)
def test_plotly_texts_keep_only_allowed_tags(text, read):
    assert plotly_figure(made(data=[{"text": text}]))["data"] == [{"text": read}]


def test_an_ordinary_figure_is_unchanged():
    figure = go.Figure(go.Bar(x=["a: b", "c"], y=[1, 2], marker={"color": "rgb(1, 2, 3)", "pattern": {"shape": "/"}}))
    figure.update_layout(
        template="plotly_dark", xaxis={"title": {"text": "<b>x</b>"}, "tickformat": "$,.0f"}, xaxis2={}
    )
    figure.add_shape(type="path", path="M 0 0 L 1 1 Z").add_annotation(
        text="a", x="c", y=1, font={"family": "Open Sans"}
    )
    own = json.loads(figure.to_json())
    drawn = plotly_figure(made(**own))
    assert drawn["data"] == own["data"]
    kinds = own["layout"]["template"]["data"]
    kinds = {kind: of for kind, of in kinds.items() if not any(word in kind for word in ("geo", "map", "choro"))}
    kinds["heatmap"], parts = own["layout"]["template"]["data"]["heatmap"], own["layout"]["template"]["layout"]
    parts = {
        key: part
        for key, part in parts.items()
        if key not in ("geo", "mapbox", "map", "sliderdefaults", "updatemenudefaults")
    }
    template = {"data": kinds, "layout": parts}
    assert drawn["layout"] == {**own["layout"], "template": template, "height": 450}


@pytest.mark.parametrize(
    "of",
    [
        lambda n: {"text": "<" * n},
        lambda n: {"text": "<span style='color:" * (n // 20)},
        lambda n: {f"unknown{i}": 1 for i in range(n // 20)},
        lambda n: {"_" * n: 1},
        lambda n: {"marker_" * (n // 7): 1},
        lambda n: {"marker": {"color": ["rgb(1,"] * (n // 10)}},
    ],
)
def test_the_time_for_a_figure_grows_with_its_length(of):
    figures = {size: made(data=[of(size)]) for size in (100_000, 800_000)}
    assert grows_in_proportion(lambda size: plotly_figure(figures[size]), 100_000)


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"{}", b'{"data": 1}', b'{"data": [1]}', b'{"data": [], "layout": 3}', b"[" * 5_000]
)
def test_invalid_plotly_data_is_rejected(data):
    assert plotly_figure(Figure("plotly", data)) is None
