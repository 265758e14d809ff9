"""What a program drew, as a page shows it: images in which nothing runs, plotly's figures without what loads."""

import json

import pytest

from explorer.drawing.plots.pictures import picture_html
from explorer.drawing.plots.programs import plotly_figure
from explorer.trace import Figure
from explorer.trace.pictures import faulty

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"


def test_a_picture_is_an_image_with_its_words():
    svg = Figure("svg", b"<svg onload='alert(1)'/>", 300, 200, 'loss & "epoch"')
    html = picture_html(svg, "en")
    assert html.startswith('<img class="picture" src="data:image/svg+xml;base64,') and "onload" not in html
    assert 'width="300" height="200"' in html and "loss &amp; &quot;epoch&quot;" in html
    assert "损失" in picture_html(Figure("png", PNG, 1, 1, "损失"), "zh")
    assert "<img" not in picture_html(Figure(), "en")


@pytest.mark.parametrize(
    "figure",
    [
        Figure("svg", b"<svg/>"),  # without a size
        Figure("svg", b"\xff", 1, 1),
        Figure("svg", b" " * 300_000, 1, 1),
        Figure("png", b"<svg/>", 1, 1),
        Figure("png", PNG + (60_000).to_bytes(4) + (60_000).to_bytes(4), 1, 1),
        Figure("png", PNG + (1).to_bytes(4) + (0).to_bytes(4), 1, 1),
        Figure("gif", b"GIF89a" + b"\xff\xff\xff\xff", 1, 1),
        Figure("gif", b"GIF89a", 1, 1),
        Figure("", b"content"),
    ],
)
def test_what_no_browser_shall_get(figure):
    assert faulty(figure)


def made(**parts) -> Figure:
    return Figure("plotly", json.dumps(parts).encode())


def test_a_plotly_figure_is_drawn_by_ours_without_what_loads():
    drawn = plotly_figure(
        made(
            data=[
                {"type": "scatter", "y": [1, 2], "text": '<a href="https://x.example">here</a> <b>bold</b>', "no": 1},
                {"type": "scattergeo", "lon": [1], "lat": [1]},
                {"type": "image", "source": "https://x.example/a.png"},
                {"type": "heatmap", "z": [[1, 2]]},
            ],
            layout={
                "images": [{"source": "https://x.example/a.png"}],
                "geo": {},
                "title": {"text": "t"},
                "height": 9e9,
            },
            frames=[{}],
        )
    )
    text = drawn.to_json().replace("\\u003c", "<").replace("\\u003e", ">")
    assert [one.type for one in drawn.data] == ["scatter", "heatmap"] and drawn.layout.height == 1_200
    assert "x.example/a.png" not in text and "<a " not in text and "<b>bold" in text


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"{}", b'{"data": 1}', b'{"data": [1]}', b'{"data": [], "layout": 3}', b"[" * 5_000]
)
def test_what_is_no_plotly_figure(data):
    assert plotly_figure(Figure("plotly", data)) is None
