"""Loss and strips in a page of their own, for a notebook or a file: it loads nothing from anywhere."""

import base64
import hashlib
import json
from collections.abc import Mapping
from html import escape
from pathlib import Path

from explorer.drawing.graph.svg import style
from explorer.drawing.marks import quoted
from explorer.drawing.scripts import linked
from explorer.drawing.style import sheet
from explorer.text import KNOWN

HERE = Path(__file__).parent
ROW, AROUND = 29, 330  # px of a strip with its gap, and of everything else
_PAGE = "body{margin:0;padding:16px 20px;background:var(--bg);color:var(--ink)}"


def training_page(film: str, told: Mapping[str, object], lang: str, title: str, said: str = "") -> str:
    """An HTML page, light or dark as the user's system is.

    Args:
        film, told: as `film_html` and `film_data` made them; the HTML is put in as it is.
        title, said: plain text, escaped here; `said` stands above the curves.
    """
    script = linked(HERE / "page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    data = json.dumps({"film": told}).replace("<", "\\u003c")  # nothing in it ends the element it stands in
    words = f'<p class="told">{quoted(said)}</p>' if said else ""
    return (
        f'<!doctype html><html lang="{quoted(KNOWN[lang].tag)}"><head><meta charset="utf-8">'
        f"<title>{quoted(title)}</title>"
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f"<style>{style()}{sheet('training')}{_PAGE}</style></head><body>"
        f'{words}<div class="film-root">{film}</div>'
        f'<script type="application/json" id="told">{data}</script>'
        f'<script type="module">{script}</script></body></html>\n'
    )


def training_frame(page: str, title: str, rows: int) -> str:
    """The page inside of another page, as a notebook shows it, as high as its strips need."""
    height = AROUND + ROW * rows
    return (
        f'<iframe title="{quoted(title)}" srcdoc="{escape(page, quote=True)}" sandbox="allow-scripts" '
        f'style="width:100%;height:{height}px;border:1px solid rgba(128,128,128,.35);border-radius:8px"></iframe>'
    )
