"""The words of a program's code: without comments and texts, read in one pass and never parsed."""

from explorer.safe_regex import plain

_BEGIN = plain(r"#|'''|\"\"\"|'|\"")
_WORD = plain(r"[^\W\d]\w*+")


def words_of(text: str) -> tuple[frozenset[str], str]:
    r"""The names and keywords of a program, and its code without comments and texts.

    >>> words, code = words_of("y = x.detach()  # for\nprint('while')")
    >>> sorted(words), code
    (['detach', 'print', 'x', 'y'], 'y = x.detach()  \nprint()')
    """
    kept, at = [], 0
    while begin := _BEGIN.search(text, at):
        kept.append(text[at : begin.start()])
        at = _after(text, begin[0], begin.end())
    kept.append(text[at:])
    code = "".join(kept)
    return frozenset(_WORD.findall(code)), code


def _after(text: str, mark: str, at: int) -> int:
    """Where a comment or a text that begins with this mark ends."""
    if mark == "#":
        end = text.find("\n", at)
        return end if end >= 0 else len(text)
    if len(mark) == 3:
        end = text.find(mark, at)
        return end + 3 if end >= 0 else len(text)
    while at < len(text) and text[at] not in (mark, "\n"):
        at = min(len(text), at + (2 if text[at] == "\\" else 1))
    return at + (text[at : at + 1] == mark)
