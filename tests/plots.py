"""Figures of plotly's in HTML."""

import json
import re
from html import unescape
from typing import Any


def figure_in(html: str) -> dict[str, Any]:
    """Return the first figure in HTML, as data, layout and frames."""
    found = re.search(r'data-plot="([^"]*)"', html)
    assert found is not None, html
    return json.loads(unescape(found[1]))["figure"]
