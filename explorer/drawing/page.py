"""A drawing in a page of its own, for `draw -o graph.html`: nothing is loaded from anywhere."""

from explorer.drawing.marks import quoted
from explorer.drawing.svg import style

_PAGE = (
    "html,body{margin:0;background:var(--bg);color:var(--ink)}"
    "main{padding:var(--s5);display:flex;flex-direction:column;gap:var(--s4);align-items:flex-start}"
    "p{font:400 var(--t-body)/var(--lh-body) var(--font-ui);margin:0}"
)


def html_page(svg: str, lang: str, title: str = "Autograd Explorer", legend: str = "", sentence: str = "") -> str:
    """An HTML page with the SVG, light or dark as the reader's system is.

    Args:
        svg, legend: as `to_svg` and `legend` made them; they are put in as they are.
        title, sentence: plain text, escaped here.
    """
    words = f"<p>{quoted(sentence)}</p>" if sentence else ""
    return (
        f'<!doctype html><html lang="{quoted(lang)}"><head><meta charset="utf-8"><title>{quoted(title)}</title>'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<style>{style()}{_PAGE}</style></head><body><main>{words}{svg}{legend}</main></body></html>\n"
    )
