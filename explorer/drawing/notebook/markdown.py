"""Markdown between cells as harmless HTML: no HTML of its own, no link, no picture, no network."""

from html import escape

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

from explorer.safe_regex import plain

LONGEST = 20_000  # characters rendered as Markdown; time grows with the square of hostile text
_NESTING = 20

_INLINE = plain(
    r"(?s)\$\$(?!\s*\$).{1,1000}?\$\$|\$(?![\s$])[^$]{1,1000}?(?<![\s\\])\$(?!\d)|\\\(.{1,1000}?\\\)|\\\[.{1,1000}?\\\]",
    longest=LONGEST,
)
_BEGIN = plain(r"\\begin\{(\w+\*?)\}")
_MOST_LINES = 100  # of a formula
_BLOCK_ENDS = {"$$": "$$", r"\[": r"\]"}  # a formula that stands in lines of its own


def markdown_html(text: str) -> str:
    r"""Markdown as HTML: headings, lists, tables, quotations, code, emphasis.

    HTML in it is escaped; links and pictures are their text. Formulas ($…$, $$…$$, \(…\), \[…\] and
    \begin{…}…\end{…}) stand as they were written, marks included, in `<span class="math">` or
    `<div class="math">` for the page to render. A text above LONGEST characters is shown as it was written.

    >>> markdown_html("Let $x<1$.")
    '<p>Let <span class="math">$x&lt;1$</span>.</p>\n'
    """
    if len(text) > LONGEST:
        return f"<pre>{escape(text)}</pre>\n"
    return _markdown.render(text)


def _math_inline(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] not in "$\\":
        return False
    found = _INLINE.match(state.src, state.pos, state.posMax)
    if not found:
        return False
    if not silent:
        state.push("math_inline", "", 0).content = found[0]
    state.pos = found.end()
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
    if rest[rest.index(close) + len(close) :].strip(" .,;。，"):  # text goes on: a formula within a paragraph
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
    # It is meant to be replaced so; a link is never more than its text.
    parser.validateLink = lambda url: True  # type: ignore[method-assign]
    parser.renderer.rules.update(rules)  # type: ignore[attr-defined] # the HTML renderer's, which the protocol lacks
    return parser


_markdown = _parser()
