"""Render Markdown notes as safe HTML and formulas as MathML."""

from functools import lru_cache
from html import escape, unescape
from itertools import pairwise
from xml.etree import ElementTree

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

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
    """Convert formulas in `markdown_html` output to MathML. Invalid formulas stay unchanged.

    >>> with_formulas('<span class="math">$x$</span>')
    '<math display="inline"><mrow><mi>x</mi></mrow></math>'
    """
    return _PLACES.sub(
        lambda match: mathml(unescape(match[1] or match[2] or ""), match[2] is not None) or match[0], html
    )


@lru_cache(maxsize=2000)
def mathml(formula: str, block: bool = False) -> str:
    """Convert a delimited TeX formula to safe MathML, "" if unreadable."""
    from latex2mathml.converter import convert_to_element  # loaded only for a formula

    tex = formula.strip()
    for begin, end in _MARKS:
        if tex.startswith(begin) and tex.endswith(end) and len(tex) > len(begin) + len(end):
            tex, block = tex[len(begin) : -len(end)], block or begin in ("$$", r"\[")
            break
    tex = _ROWS.sub(
        lambda match: rf"\{match[1]}{{array}}" + ("{rl}" if match[1] == "begin" else ""), _WHOLE.sub("", tex)
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
        for before, after in pairwise(element):  # browsers do not stretch a bracket inside a row
            if before.tag == "mo" and before.text in _FENCES and after.tag == "mtable":
                before.attrib |= {"form": "prefix", "stretchy": "true"}
            elif after.tag == "mo" and after.text in _FENCES and before.tag == "mtable":
                after.attrib |= {"form": "postfix", "stretchy": "true"}
    return ElementTree.tostring(made, encoding="unicode")


LONGEST = 20_000  # characters rendered as Markdown; hostile text takes quadratic time
_NESTING = 20

_INLINE = plain(
    r"(?s)\$\$(?!\s*\$).{1,1000}?\$\$|\$(?![\s$])[^$]{1,1000}?(?<![\s\\])\$(?!\d)|\\\(.{1,1000}?\\\)|\\\[.{1,1000}?\\\]"
)
_BEGIN = plain(r"\\begin\{(\w+\*?)\}")
_MOST_LINES = 100  # lines of a formula
_BLOCK_ENDS = {"$$": "$$", r"\[": r"\]"}  # delimiters of a formula on its own lines


def markdown_html(text: str) -> str:
    r"""Render Markdown: headings, lists, tables, quotations, code, emphasis.

    HTML is escaped, links and images become text. Formulas ($…$, $$…$$, \(…\), \[…\] and \begin{…}…\end{…}) are kept as
    written, with delimiters, in `<span class="math">` or `<div class="math">` for the page to render. Text beyond
    LONGEST characters is shown as is.

    >>> markdown_html("Let $x<1$.")
    '<p>Let <span class="math">$x&lt;1$</span>.</p>\n'
    """
    if len(text) > LONGEST:
        return f"<pre>{escape(text)}</pre>\n"
    return _markdown.render(text)


def _math_inline(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] not in "$\\":
        return False
    match = _INLINE.match(state.src, state.pos, state.posMax)
    if not match:
        return False
    if not silent:
        state.push("math_inline", "", 0).content = match[0]
    state.pos = match.end()
    return True


def _math_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    if state.is_code_block(start):
        return False
    first = _line(state, start)
    environment = _BEGIN.match(first)
    begin = environment[0] if environment else first[:2]
    close = rf"\end{{{environment[1]}}}" if environment else _BLOCK_ENDS.get(begin)
    if close is None:
        return False
    line, rest = start, first[len(begin) :]
    while close not in rest:
        line += 1
        if line >= min(end, start + _MOST_LINES) or state.sCount[line] < state.blkIndent:
            return False
        rest = _line(state, line)
    if rest[rest.index(close) + len(close) :].strip(" .,;。，"):  # more text follows: a formula within a paragraph
        return False
    if not silent:
        token = state.push("math_block", "", 0)
        token.block, token.map = True, [start, line + 1]
        token.content = "\n".join(_line(state, number) for number in range(start, line + 1))
        state.line = line + 1
    return True


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "maxNesting": _NESTING}).enable(["table", "strikethrough"])
    parser.inline.ruler.before("escape", "math", _math_inline)
    parser.block.ruler.before("fence", "math", _math_block, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    rules = {
        "link_open": lambda tokens, at, *_: '<span class="link">',
        "link_close": lambda tokens, at, *_: "</span>",
        "image": lambda tokens, at, *_: f'<span class="image">{escape(tokens[at].content)}</span>',
        "math_inline": lambda tokens, at, *_: f'<span class="math">{escape(tokens[at].content)}</span>',
        "math_block": lambda tokens, at, *_: f'<div class="math">{escape(tokens[at].content)}</div>\n',
    }
    # Meant to be overridden: links are rendered as their text only.
    parser.validateLink = lambda url: True  # type: ignore[method-assign]
    parser.renderer.rules.update(rules)  # type: ignore[attr-defined] # the HTML renderer's, which the protocol lacks
    return parser


_markdown = _parser()
