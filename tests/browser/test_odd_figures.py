"""A stranger's outputs in Chromium without the policy of our headers: nothing in them runs, opens or asks elsewhere."""

import json
from pathlib import Path

import pytest

from explorer.program.permalink import to_fragment
from tests.browser.measures import wait_until

AWAY = "https://elsewhere.example/"
RUNS = "window.ran = true"
LINK = f"<a href='{AWAY}link'>link</a>"
POINT = {"type": "scatter", "x": [1, 2], "y": [1, 2], "mode": "markers+text"}
PICTURE = {"source": f"{AWAY}picture.png", "x": 0, "y": 1, "sizex": 1, "sizey": 1, "xref": "paper", "yref": "paper"}
GLOBE = {"type": "scattergeo", "lon": [1], "lat": [2]}


def of(*data: dict, **layout: object) -> dict:
    return {"data": [*data], "layout": layout}


def text(words: object) -> dict:
    """Return a point with a text that plotly draws at once."""
    return of({**POINT, "text": [words, words]})


def pressed(*arguments: object, method: str = "relayout", **more: object) -> list:
    return [{"type": "buttons", "buttons": [{"label": "press", "method": method, "args": [*arguments], **more}]}]


FIGURES = {
    "plain": text("seen"),
    "picture in the layout": of(POINT, images=[PICTURE]),
    "picture in a template": of(POINT, template={"layout": {"images": [PICTURE]}}),
    "default of pictures in a template": of(POINT, template={"layout": {"imagedefaults": PICTURE}}, images=[{}]),
    "image trace": of({"type": "image", "source": f"{AWAY}trace.png"}),
    "image trace in a template": of(POINT, template={"data": {"image": [{"type": "image", "source": AWAY}]}}),
    "scatter that is an image": of({**POINT, "source": f"{AWAY}a.png"}, source=f"{AWAY}b.png"),
    "borders": of(GLOBE),
    "borders of a scope": of(GLOBE, geo={"scope": "europe", "showcountries": True}),
    "choropleth": of({"type": "choropleth", "locations": ["FRA"], "z": [1]}),
    "places at an address": of({"type": "choropleth", "geojson": f"{AWAY}geo.json", "locations": ["a"], "z": [1]}),
    "tiles": of({"type": "scattermap", "lon": [1], "lat": [1]}, map={"style": f"{AWAY}style.json"}),
    "tiles of old": of({"type": "scattermapbox", "lon": [1], "lat": [1]}, mapbox={"style": "open-street-map"}),
    "layers": of(POINT, map={"layers": [{"sourcetype": "raster", "source": [f"{AWAY}{{z}}"]}]}),
    "density": of({"type": "densitymap", "lon": [1], "lat": [1], "z": [1]}),
    "link": text(LINK),
    "link in capitals": text(f'<A HREF="{AWAY}">link</A>'),
    "link after a tab": text(f"<a\thref='{AWAY}'>link</a>"),
    "link in two lines": text(f"<a \n href='{AWAY}' target='_top'>link</a>"),
    "link that runs": text("<a href='javascript:window.ran=true'>link</a>"),
    "link that opens": text(f"<a href='{AWAY}' popup='width=1'>link</a>"),
    "link of entities": text(f"&lt;a href='{AWAY}'&gt;link&lt;/a&gt; &#60;img src=x onerror={RUNS}&#62;"),
    "link in the title": of(POINT, title={"text": LINK}, xaxis={"title": LINK}, yaxis={"title": {"text": LINK}}),
    "link in an annotation": of(POINT, annotations=[{"text": LINK, "x": 1, "y": 1}, {"text": "a", "hovertext": LINK}]),
    "link in ticks": of(POINT, xaxis={"tickvals": [1, 2], "ticktext": [LINK, "b"], "ticksuffix": LINK}),
    "link in the legend": of({**POINT, "name": LINK}, {**POINT, "legendgrouptitle": {"text": LINK}}, showlegend=True),
    "link in a colour bar": of({"type": "heatmap", "z": [[1, 2]], "colorbar": {"title": {"text": LINK}}}),
    "link in a shape": of(POINT, shapes=[{"x0": 1, "x1": 2, "y0": 1, "y1": 2, "label": {"text": LINK}}]),
    "link in a pie": of({"type": "pie", "labels": [LINK, "b"], "values": [1, 2], "title": LINK}),
    "link in a table": of({"type": "table", "header": {"values": [LINK]}, "cells": {"values": [[LINK]]}}),
    "link in a tree": of({"type": "treemap", "labels": [LINK, "b"], "parents": ["", LINK], "text": [LINK, LINK]}),
    "link in a flow": of(
        {"type": "sankey", "node": {"label": [LINK, "b"]}, "link": {"source": [0], "target": [1], "value": [1]}}
    ),
    "link in a gauge": of({"type": "indicator", "value": 1, "title": {"text": LINK}, "number": {"suffix": LINK}}),
    "link in a template": of(POINT, template={"layout": {"title": LINK}, "data": {"scatter": [{"text": LINK}]}}),
    "link put together": of({**POINT, "texttemplate": "<%{customdata}", "customdata": [f"a href='{AWAY}'>x"] * 2}),
    "link in a hover": of({**POINT, "hovertemplate": f"{LINK}<extra>{LINK}</extra>", "hovertext": LINK}),
    "link in meta": of({**POINT, "meta": [LINK], "texttemplate": "%{meta[0]}"}, meta=[LINK], title="%{meta[0]}"),
    "style with an address": text(f"<span style='cursor:url({AWAY}c.png);fill:url({AWAY}f#a)'>a</span>"),
    "style in quotes": text(f'<span style="color:red;background-image:url({AWAY}b.png)">style</span>'),
    "style put together": of(
        {**POINT, "texttemplate": "<span style='%{customdata}'>x", "customdata": [f"filter:url({AWAY}f.svg#f)"] * 2}
    ),
    "style of escapes": text(f"<span style='mask:\\75rl({AWAY}m.svg#m)'>style</span>"),
    "markup": text(f"<img src='{AWAY}i.png' onerror='{RUNS}'><script>{RUNS}</script><svg onload='{RUNS}'>"),
    "foreign object": text(f"<foreignObject><iframe src='{AWAY}'></foreignObject><image href='{AWAY}'/>"),
    "formula": text(f"$\\href{{{AWAY}}}{{x}}$"),
    "font": of(POINT, font={"family": f"x;src:url({AWAY}f)", "shadow": f"url({AWAY})", "color": f"url({AWAY}#p)"}),
    "colour": of(
        {**POINT, "marker": {"color": f"url({AWAY}#p)", "symbol": f"url({AWAY}#s)"}}, paper_bgcolor=f"url({AWAY})"
    ),
    "paths": of(
        POINT, shapes=[{"type": "path", "path": f"M 0 0 L 1 1' onclick='{RUNS}'", "fillcolor": f"url({AWAY}#p)"}]
    ),
    "names in the page": of(
        {**POINT, "uid": f"'),url({AWAY}u#", "legendgroup": f'" onload="{RUNS}', "ids": [f"<img src={AWAY}>", "b"]}
    ),
    "button for a picture": of(POINT, updatemenus=pressed({"images[0]": PICTURE})),
    "button for a map": of(POINT, updatemenus=pressed({"type": ["scattergeo"]}, method="restyle")),
    "button in a template": of(POINT, template={"layout": {"updatemenus": pressed({"images[0]": PICTURE})}}),
    "slider": of(
        POINT, sliders=[{"steps": [{"label": "a", "method": "relayout", "args": ["images[0]", PICTURE]}, {}]}]
    ),
    "bar of buttons": of(POINT, modebar={"add": ["sendDataToCloud", "editInChartStudio"]}),
    "configuration": {**of(POINT), "config": {"plotlyServerURL": AWAY, "showSendToCloud": True, "topojsonURL": AWAY}},
    "frames": {**of(POINT), "frames": [{"layout": {"images": [PICTURE]}, "data": [GLOBE]}]},
    "prototype": of(
        {**POINT, "__proto__": {"type": "scattergeo"}, "constructor": {"prototype": {"ran": True}}},
        **{"__proto__": {"images": [PICTURE]}, "constructor": {"prototype": {"ran": True}}},
    ),
    "dotted names": of(
        {**POINT, "marker.line": 1}, **{"images[0].source": PICTURE["source"], "images[0]": PICTURE, "title.text": LINK}
    ),
    "stream": of({**POINT, "stream": {"token": AWAY, "maxpoints": 5}, "transforms": [{"type": AWAY}]}),
}

SHOWN = f"""
from plotly.basedatatypes import BaseFigure

class Odd(BaseFigure):
    def __init__(self, text):
        self._text = text
    layout = type("", (), {{"title": type("", (), {{"text": ""}})}})
    def to_json(self):
        return self._text

for text in {[json.dumps(figure) for figure in FIGURES.values()]!r}:
    display(Odd(text))
"""

# Attributes in outputs that run, load or open something, or name the other site outside of text.
STRAY = r"""() => {
  const loads = /^((xlink:)?href|src|srcset|data|action)$/, ours = /^(data:|blob:|#|\/media\/)/;
  const words = /^(data-.*|aria-.*|alt|title)$/;
  const stray = ({ name, value }) => name.startsWith('on') || (loads.test(name) && !ours.test(value)) ||
    (!words.test(name) && value.includes('elsewhere.example'));
  return [...document.querySelectorAll('.st-key-program *, .st-key-output *, .js-plotly-plot *')].flatMap((one) =>
    [...one.attributes].filter(stray).map((at) => `${one.tagName} ${at.name}=${at.value.slice(0, 200)}`)); }"""
FIGURES_DRAWN = """count => document.querySelectorAll('[class*=st-key-figure-]').length >= count &&
  document.querySelector('.js-plotly-plot .main-svg')"""
OTHERS_DRAWN = """() => ['[role=alert]', 'img.picture', 'img[alt="Graph"]'].every(
  (one) => document.querySelector(one))"""
TOUCHED = ".point, .slice, .updatemenu-button, .slider-grip-rect, .annotation, .legendtoggle, a"


@pytest.fixture
def unguarded(chromium, address):
    """Open a program in a browser that ignores our Content-Security-Policy; collect its requests."""
    window = chromium.new_context(bypass_csp=True, viewport={"width": 1400, "height": 900}, locale="en-GB")
    window.add_init_script("window.opened = []; window.open = (...given) => { opened.push(given); return null }")
    page, own = window.new_page(), (address, address.replace("http", "ws", 1), "data:", "blob:")
    asked: list[str] = []
    window.on("request", lambda request: request.url.startswith(own) or asked.append(request.url))
    window.route(lambda url: not url.startswith(own), lambda route: route.abort())

    def shown(program: str):
        page.goto(f"{address}/#{to_fragment({'program': program})}")
        return page

    yield shown, asked
    window.close()


def test_odd_plotly_figures_are_drawn_safely(unguarded):
    shown, asked = unguarded
    page = shown(SHOWN)
    wait_until(page, FIGURES_DRAWN, len(FIGURES))
    plots = page.locator(".js-plotly-plot")
    assert plots.count() >= len(FIGURES) - 1
    for plot in plots.all():
        plot.scroll_into_view_if_needed()
        plot.locator(".main-svg").first.wait_for()
        for touched in plot.locator(TOUCHED).all():
            touched.hover(force=True)
            touched.dispatch_event("click")
    plots.first.locator("text=seen").first.wait_for(state="attached")
    page.wait_for_timeout(1_000)  # long enough for a click to take effect
    assert (page.evaluate(STRAY), asked) == ([], [])
    assert not page.evaluate("window.ran || ({}).ran || ({}).images || opened.length")


def test_other_odd_outputs_are_shown_safely(unguarded):
    shown, asked = unguarded
    page = shown((Path(__file__).parent / "odd_outputs.py.txt").read_text(encoding="utf-8"))
    wait_until(page, OTHERS_DRAWN)
    page.wait_for_timeout(1_000)
    assert (page.evaluate(STRAY), asked) == ([], [])
    assert not page.evaluate("window.ran || opened.length")
    assert page.locator(".st-key-program").locator("script, iframe, style, audio, video").count() == 0
