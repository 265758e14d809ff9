"""A page that plays a run without a server: its content, and that nothing of the program runs in it."""

import json
import re
import zlib
from base64 import b64decode
from html.parser import HTMLParser

import pytest

from explorer.drawing.offline import run_data
from explorer.drawing.picture import picture
from tests.drawing.test_moments import told
from tests.programs import traced
from tests.timeline.programs import LOOP

SMALL = """w = torch.tensor(1., requires_grad=True)
a = w * 3
print("a is", a.item())
a.backward()
"""
BREAKS = "</script></style><img src=x onerror=ran()><!-- ]]> '\" &lt;"
HOSTILE = f'''# {BREAKS}
text = """{BREAKS}"""
w = torch.tensor(1., requires_grad=True)
d = {{text: w * 2}}
y = d["""{BREAKS}"""] * 3
print(text)
y.backward()
raise ValueError(text)
'''


class Seen(HTMLParser):
    """The elements of a page with their attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))


def page(program: str, lang: str = "en", **options) -> str:
    return picture(traced(program, statements=True, **options), lang).html()


def carried(text: str) -> dict:
    return json.loads(re.search(r'<script type="application/json" id="page-data">(.*?)</script>', text, re.S)[1])


def test_a_page_contains_program_outputs_and_chapters():
    text = page(SMALL)
    chapters = [(one["kind"], one["count"]) for one in carried(text)["player"]["chapters"]]
    assert chapters == [("forward", 3), ("backward", 2)]
    assert "print(&quot;a is&quot;, a.item())" in text and '<pre class="stdout">a is 3.0</pre>' in text
    [cell] = carried(text)["cells"]
    assert [(one[0], one[2], one[4]) for one in cell["ghosts"]] == [(1, "1", "+3"), (2, "3", "+1")]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_program_text_never_becomes_an_element_of_the_page(lang):
    text = page(HOSTILE, lang)
    assert [tag for tag, _ in Seen(text).elements].count("script") == 4
    html = "".join(texts(line_of(text)))
    assert "onerror" in html
    for tag, attributes in Seen(text).elements + Seen(html).elements:
        assert tag != "img" and not any(name.startswith("on") for name in attributes)


def line_of(text: str) -> dict:
    """Return the line that a page carries."""
    return json.loads(zlib.decompress(b64decode(re.search(r'id="line">([^<]*)<', text)[1])))


def texts(told: object):
    """Yield all texts of plain data."""
    if isinstance(told, str):
        yield told
    elif isinstance(told, list | dict):
        for part in told.values() if isinstance(told, dict) else told:
            yield from texts(part)


def test_a_page_without_statements_plays_operations_with_a_note():
    text = picture(traced(SMALL)).html()
    assert [one["count"] for one in carried(text)["player"]["chapters"]] and "were not recorded" in text


def test_a_picture_that_hides_gradients_plays_nothing():
    text = picture(traced(SMALL, statements=True)).html(plays=False)
    assert carried(text)["player"] is None and "a.item" not in text


def test_a_page_without_a_server_offers_no_entry_to_follow():
    text = page("x = torch.arange(4., requires_grad=True)\n(x * x).sum().backward()\n")
    assert ' class="heat numbered"' in text
    assert not [tag for tag, has in Seen(text).elements if tag == "span" and has.get("role") == "button"]


def test_a_program_without_a_graph_has_a_page():
    assert carried(page("n = 3\nprint(n)\n"))["player"]["chapters"] == [
        {"kind": "forward", "count": 2, "round": -1, "backward": -1}
    ]


def test_a_long_run_is_not_played(monkeypatch):
    whole = len(told(LOOP)["moments"])
    monkeypatch.setattr(run_data, "MOST_MOMENTS", 12)
    text = page(LOOP)
    assert carried(text)["player"]["chapters"] == [] and "program code-editor" in text
    assert f"it has {whole} steps, more than 12" in text
