"""Formulas in Markdown as MathML, which browsers draw themselves."""

from functools import lru_cache
from html import unescape
from itertools import pairwise
from xml.etree import ElementTree

from explorer.safe_regex import linear, plain

_PLACES = linear(r'(?s)<span class="math">(.*?)</span>|<div class="math">(.*?)</div>')
_MARKS = (("$$", "$$"), ("$", "$"), (r"\(", r"\)"), (r"\[", r"\]"))
_ROWS = plain(r"\\(begin|end)\{(align|aligned|alignat|split|eqnarray)\*?\}")
_WHOLE = plain(
    r"\\(?:begin|end)\{(?:equation|gather|gathered|displaymath|math)\*?\}|\\(?:label|tag)\{[^{}]*\}|\\nonumber"
)
_FENCES = set("()[]{}|‖∥")
_TAGS = set(
    "math mrow mi mn mo mtext mspace msup msub msubsup mfrac msqrt mroot mover munder munderover mtable mtr mtd mstyle "
    "mpadded mphantom menclose mmultiscripts".split()
)
_ATTRIBUTES = set(
    "display mathvariant stretchy fence form accent lspace rspace linethickness columnalign rowspacing columnspacing "
    "scriptlevel displaystyle minsize maxsize separator movablelimits largeop symmetric width height depth".split()
)


def with_formulas(html: str) -> str:
    """The HTML of `markdown_html` with its formulas as MathML; unreadable ones stay as written.

    >>> with_formulas('<span class="math">$x$</span>')
    '<math display="inline"><mrow><mi>x</mi></mrow></math>'
    """
    return _PLACES.sub(
        lambda found: mathml(unescape(found[1] or found[2] or ""), found[2] is not None) or found[0], html
    )


@lru_cache(maxsize=2000)
def mathml(formula: str, block: bool = False) -> str:
    """A TeX formula with its delimiters as MathML of harmless elements; "" if it cannot be read."""
    from latex2mathml.converter import convert_to_element  # its tables are read only where a formula is

    tex = formula.strip()
    for begin, end in _MARKS:
        if tex.startswith(begin) and tex.endswith(end) and len(tex) > len(begin) + len(end):
            tex, block = tex[len(begin) : -len(end)], block or begin in ("$$", r"\[")
            break
    tex = _ROWS.sub(
        lambda found: rf"\{found[1]}{{array}}" + ("{rl}" if found[1] == "begin" else ""), _WHOLE.sub("", tex)
    )
    try:
        made = convert_to_element(tex, display="block" if block else "inline")
    except (Exception, RecursionError):  # the library raises arbitrary errors for invalid TeX
        return ""
    for element in made.iter():
        element.tag = element.tag if element.tag in _TAGS else "mrow"
        element.attrib = {name: value for name, value in element.attrib.items() if name in _ATTRIBUTES}
        element.text = None if element.text is None else unescape(element.text)
        element.tail = None
    for element in made.iter():
        for before, after in pairwise(element):  # a browser takes a bracket in the midst of a row for one that stays
            if before.tag == "mo" and before.text in _FENCES and after.tag == "mtable":
                before.attrib |= {"form": "prefix", "stretchy": "true"}
            elif after.tag == "mo" and after.text in _FENCES and before.tag == "mtable":
                after.attrib |= {"form": "postfix", "stretchy": "true"}
    return ElementTree.tostring(made, encoding="unicode")
