"""Syntax errors: brackets, colons, indents, quotes, characters of another keyboard."""

import re

from explorer.analysis.errors.expressions import shown
from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.rule import Explanation, Rule, rule
from explorer.analysis.errors.source_words import closing
from explorer.analysis.errors.text_edits import replaced

ASCII = str.maketrans("（），：；［］｛｝“”‘’＝＋－＊／＜＞．！、。　【】《》", "(),:;[]{}\"\"''=+-*/<>.!,. []<>")
PAIRS = {"(": ")", "[": "]", "{": "}"}
KEYWORDS = """False None True and as assert async await break class continue def del elif else except finally for from
global if import in is lambda nonlocal not or pass raise return try while with yield""".split()
STATEMENT = r"\s*(?:\w+\s*=(?!=)|(?:import|from|for|while|if|def|class|with|print|return)\b|[\w.]+\(|$)"
ERRORS = "SyntaxError|IndentationError|TabError"


def _line(stopped: Stopped) -> str:
    return stopped.source.split("\n")[stopped.span.line - 1] if stopped.span else ""


def _with_line(stopped: Stopped, new: str) -> str:
    lines = stopped.source.split("\n")
    lines[stopped.span.line - 1] = new
    return "\n".join(lines)


def _explanation(stopped: Stopped, kind: str, mended: str = "", **values: str | int) -> Explanation | None:
    if stopped.span is None:
        return None
    facts: dict[str, str | int] = {"line": stopped.span.line, "code": shown(_line(stopped).strip())}
    return Explanation(kind, facts | values, mended, stopped.place)


@rule("SyntaxError", r"invalid (?:non-printable )?character '?(.)")
def foreign_character(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A full-width or typographic character where Python expects its own."""
    line = _line(stopped)
    wrong = re.search(r"\(?U\+([0-9A-F]{4,6})", stopped.failure.text)
    character = chr(min(int(wrong[1], 16), 0x10FFFF)) if wrong else found[1]
    right = character.translate(ASCII)
    if right == character:
        return _explanation(stopped, "character-unknown", character=character)
    changed = _ascii_outside_quotes(line)
    return _explanation(stopped, "character-of-another-keyboard", _everywhere(stopped) if changed else "",
                 character=character, right=right)  # fmt: skip


def _everywhere(stopped: Stopped) -> str:
    return "\n".join(_ascii_outside_quotes(line) for line in stopped.source.split("\n"))


def _ascii_outside_quotes(line: str) -> str:
    """A line with its full-width characters outside strings and comments replaced.

    >>> _ascii_outside_quotes("print（'a，b'）  # 好，")
    "print('a，b')  # 好，"
    """
    pattern = r"\"[^\"]*\"|'[^']*'|“[^”]*”|‘[^’]*’|#.*"
    out, at = [], 0
    for found in re.finditer(pattern, line):
        kept = found[0]
        if kept[0] in "“‘" and '"' not in kept:
            kept = f'"{kept[1:-1]}"'
        out += [line[at : found.start()].translate(ASCII), kept]
        at = found.end()
    return "".join([*out, line[at:].translate(ASCII)])


@rule("SyntaxError", r"'([(\[{])' was never closed")
def never_closed(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A bracket opens and no line closes it."""
    opening = found[1]
    lines, span = stopped.source.split("\n"), stopped.span
    if span is None:
        return None
    mended = ""
    rest = lines[span.line - 1][span.column :].rstrip()
    below = lines[span.line] if span.line < len(lines) else ""
    if "#" not in rest and re.match(STATEMENT, below) and rest != opening and closing(rest, 0) < 0:
        closed = "".join(reversed([PAIRS[bracket] for bracket in _open(rest)]))
        body, colon = (rest[:-1], ":") if rest.endswith(":") else (rest, "")
        lines[span.line - 1] = lines[span.line - 1][: span.column] + body.rstrip(" ,") + closed + colon
        mended = "\n".join(lines)
    return _explanation(stopped, "bracket-open", mended, bracket=opening, closing=PAIRS[opening])


def _open(text: str) -> list[str]:
    """The brackets that part of a line leaves open, outermost first."""
    left: list[str] = []
    for found in re.finditer(r"\"[^\"]*\"|'[^']*'|[()\[\]{}]", text):
        if found[0] in PAIRS:
            left.append(found[0])
        elif left and found[0] == PAIRS[left[-1]]:
            left.pop()
    return left


@rule("SyntaxError", r"closing parenthesis '(.)' does not match opening parenthesis '(.)'")
def wrong_closing(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A bracket is closed by a bracket of another kind."""
    if stopped.span is None or found[2] not in PAIRS:
        return None
    right = PAIRS[found[2]]
    mended = ""
    line = _line(stopped)
    if stopped.code == found[1]:
        changed = line[: stopped.span.column] + right + line[stopped.span.column + 1 :]
        added = line[: stopped.span.column] + right + line[stopped.span.column :]
        fitting = [candidate for candidate in (added, changed) if _balanced(candidate)]
        mended = _with_line(stopped, fitting[0]) if fitting else ""
    return _explanation(stopped, "bracket-of-another-kind", mended, closing=found[1], right=right, bracket=found[2])


def _balanced(line: str) -> bool:
    outside = re.sub(r"\"[^\"]*\"|'[^']*'", "", line)
    return not _open(line) and all(outside.count(opening) == outside.count(other) for opening, other in PAIRS.items())


def _opening(bracket: str) -> str:
    return next((opening for opening, other in PAIRS.items() if other == bracket), bracket)


@rule("SyntaxError", r"unmatched '(.)'")
def unmatched(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A closing bracket that nothing opened."""
    span, mended = stopped.span, ""
    if span and stopped.code == found[1]:
        mended = replaced(stopped.source, span, "")
    return _explanation(stopped, "bracket-too-many", mended, bracket=found[1], opening=_opening(found[1]))


@rule("SyntaxError", r"expected ':'")
def colon_missing(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A compound statement without its colon."""
    line = _line(stopped)
    head = line.strip().split(" ")[0].split("(")[0]
    mended = ""
    if stopped.span and re.match(r"\s*(if|elif|else|for|while|def|class|with|try|except|finally)\b", line):
        code, hash_, comment = line.partition("#")
        if stopped.span.column >= len(code.rstrip()) and not code.rstrip().endswith(("(", ",", ":")):
            gap = "  " if hash_ else ""
            mended = _with_line(stopped, code.rstrip() + ":" + gap + hash_ + comment)
    return _explanation(stopped, "colon-missing", mended, word=head)


@rule("SyntaxError", r"Maybe you meant '==' or ':=' instead of '='|cannot assign to .* here\. Maybe you meant '=='")
def assigned_in_condition(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """`=` where a comparison is meant, or a target that is no name."""
    line = _line(stopped)
    if re.match(r"\s*(if|elif|while)\b", line) and stopped.span:
        changed = re.sub(r"(?<![=!<>:])=(?!=)", "==", line)
        once = len(re.findall(r"(?<![=!<>:])=(?!=)", line)) == 1 and not re.search(r"[\"'#]", line)
        return _explanation(stopped, "equals-in-condition", _with_line(stopped, changed) if once else "")
    return _explanation(stopped, "target-is-no-name", target=shown(line.partition("=")[0].strip()))


@rule(
    "SyntaxError", r"cannot assign to (?:literal|expression|True|False|None|function call|operator|comparison|f-string)"
)
def target_no_name(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A value or a call on the left of `=`."""
    return _explanation(stopped, "target-is-no-name", target=shown(_line(stopped).partition("=")[0].strip()))


@rule("SyntaxError", r"Missing parentheses in call to '(\w+)'")
def python_two(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """print as it was in Python 2."""
    line = _line(stopped)
    words = re.fullmatch(rf"(\s*){re.escape(found[1])} +([^#;]+)", line.rstrip())
    fits = words and found[1] == "print" and "%" not in words[2] and not words[2].endswith(",")
    mended = _with_line(stopped, f"{words[1]}print({words[2].rstrip()})") if fits else ""
    return _explanation(stopped, "print-without-brackets", mended, name=found[1])


@rule("SyntaxError", r"[Pp]erhaps you forgot a comma")
def comma_missing(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """Two values side by side in a bracket."""
    code, span, mended = stopped.code, stopped.span, ""
    line = _line(stopped)
    if not span or not code:
        return None
    numbers = r"(?<=[\d.])[ ]+(?=[-\d.])"
    if key := re.fullmatch(r"(['\"]\w*['\"]) +([\w.]+)", code):
        kind = "colon-or-comma-missing"
        if line[: span.column].rstrip().endswith("{") and ":" not in line[: span.column]:
            mended = replaced(stopped.source, span, f"{key[1]}: {key[2]}")
        return _explanation(stopped, kind, mended, piece=shown(code))
    if re.fullmatch(r"[-\d. ]+", code) and not re.search(r"[\"'#]", line):
        mended = _with_line(stopped, re.sub(numbers, ", ", line))
    else:
        value = r"[\w.]+|[\w.]*\[[^\[\]()]*\]"
        pair = re.fullmatch(rf"({value}|\"[^\"]*\"|'[^']*')[ ]+({value})", code)
        if pair and line.count(code) == 1:
            mended = _with_line(stopped, line.replace(code, f"{pair[1]}, {pair[2]}"))
    return _explanation(stopped, "comma-missing", mended, piece=shown(code))


@rule("SyntaxError", r"unterminated (?:triple-quoted )?(?:f-)?string literal|EOL while scanning")
def quote_open(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A text that is not closed."""
    line, span, mended = _line(stopped), stopped.span, ""
    quote = stopped.code[-1:] if stopped.code.endswith(("'", '"')) else '"'
    if span and "triple" not in found[0]:
        rest = line[span.column :].rstrip()
        if rest.endswith(")") and line.count("(") == line.count(")") == 1 and quote not in line[: span.column]:
            mended = _with_line(stopped, line.rstrip()[:-1] + quote + ")")
        elif "(" not in line and quote not in line[: span.column]:
            mended = _with_line(stopped, line.rstrip() + quote)
    return _explanation(stopped, "text-open", mended, quote=quote)


@rule("SyntaxError", r"f-string: (?:expecting|unmatched|single|empty|invalid|valid|unterminated|expected)")
def f_string(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """Braces of an f-string that do not fit."""
    line = _line(stopped)
    once = line.count("{") == 1 and line.count("}") == 0 and "expecting '}'" in stopped.failure.text
    closed = re.sub(r"(\{[\w.]+(?::[\w.]+)?)(?=[\"'])", r"\1}", line)
    mended = _with_line(stopped, closed) if once and closed != line and stopped.span else ""
    return _explanation(stopped, "f-string-braces", mended)


@rule("IndentationError", r"unexpected indent")
def indent_unexpected(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A line is indented further than the one above without a reason."""
    if stopped.span is None:
        return None
    lines, at = stopped.source.split("\n"), stopped.span.line - 1
    above = next((line for line in reversed(lines[:at]) if line.strip()), "")
    indent = above[: len(above) - len(above.lstrip())]
    below = next((line for line in lines[at + 1 :] if line.strip()), "")
    alone = len(below) - len(below.lstrip()) <= len(indent)
    mended = _with_line(stopped, indent + lines[at].lstrip()) if alone and not above.rstrip().endswith(":") else ""
    return _explanation(stopped, "indent-unexpected", mended)


@rule("IndentationError", r"expected an indented block(?: after (.*) on line (\d+))?")
def block_missing(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A colon, and no indented line below it."""
    if stopped.span is None:
        return None
    lines, at = stopped.source.split("\n"), stopped.span.line - 1
    head = min(int(found[2]), len(lines)) - 1 if found[2] else max(at - 1, 0)
    if head < 0 or head > at:
        return None
    above = lines[head]
    indent = above[: len(above) - len(above.lstrip())] + "    "
    level = len(lines[at]) - len(lines[at].lstrip()) if at < len(lines) else 0
    below = next((line for line in lines[at + 1 :] if line.strip()), "")
    mended = ""
    loose = len(above) - len(above.lstrip()) == level and lines[at].strip()
    if loose and (not below.strip() or len(below) - len(below.lstrip()) < level or _only_line(lines, at)):
        mended = _with_line(stopped, indent + lines[at].lstrip())
    return _explanation(stopped, "block-missing", mended, head=shown(above.strip()), where=head + 1)


def _only_line(lines: list[str], at: int) -> bool:
    return not any(line.strip() for line in lines[at + 1 :])


@rule("IndentationError", r"unindent does not match")
def unindent(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A line's indentation lies between two levels."""
    if stopped.span is None:
        return None
    lines, at = stopped.source.split("\n"), stopped.span.line - 1
    own = len(lines[at]) - len(lines[at].lstrip())
    levels = sorted({len(line) - len(line.lstrip()) for line in lines[:at] if line.strip()})
    above = len(lines[at - 1]) - len(lines[at - 1].lstrip()) if at else 0
    mended = ""
    if above - own == 1 and above in levels:
        mended = _with_line(stopped, " " * above + lines[at].lstrip())
    return _explanation(stopped, "indent-between", mended, levels=", ".join(map(str, levels[:6])), own=own)


@rule("TabError|IndentationError", r"inconsistent use of tabs")
def tabs(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """Tabs and spaces in one block."""
    lines = [re.sub(r"^[ \t]+", lambda indent: indent[0].replace("\t", "    "), line)
             for line in stopped.source.split("\n")]  # fmt: skip
    return _explanation(stopped, "tabs-and-spaces", "\n".join(lines))


@rule("SyntaxError", r"'(return|yield|await|break|continue)'(?: not in loop| outside| not properly)")
def outside(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """return outside a function, break outside a loop."""
    if found[1] in ("return", "yield", "await"):
        return _explanation(stopped, "return-outside-function", word=found[1])
    return _explanation(stopped, "break-outside-loop", word=found[1])


@rule("SyntaxError", r"invalid decimal literal|invalid imaginary literal|leading zeros")
def number_malformed(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A number that runs into a name, or begins with zeros."""
    line = _line(stopped)
    if "leading zeros" in found[0]:
        return _explanation(stopped, "number-with-zeros")
    if glued := re.search(r"(?<![\w.])(\d+)([A-Za-z_]\w*)\s*=(?!=)", line):
        return _explanation(stopped, "name-begins-with-digit", piece=glued[1] + glued[2])
    glued = re.search(r"(?<![\w.])(\d+\.?\d*)([A-Za-z_]\w*)", line)
    if not glued:
        return None
    new = f"{glued[1]} * {glued[2]}"
    once = line.count(glued[0]) == 1
    mended = _with_line(stopped, line.replace(glued[0], new)) if once else ""
    return _explanation(stopped, "product-without-sign", mended, piece=glued[0], right=new)


@rule("SyntaxError", r"positional argument follows keyword argument")
def positional_after_keyword(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A value without a name after one with a name."""
    return _explanation(stopped, "positional-after-keyword")


@rule("SyntaxError", r"keyword argument repeated: (\w+)")
def keyword_twice(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """An argument given twice by name."""
    return _explanation(stopped, "keyword-twice", name=found[1])


@rule("SyntaxError", r"^invalid syntax")
def invalid(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """What Python only calls invalid."""
    line, span = _line(stopped), stopped.span
    if span is None:
        return None
    if (word := re.match(r"\s*(\w+)\s*=(?!=)", line)) and word[1] in KEYWORDS:
        new = re.sub(rf"(?<![\w.]){word[1]}(?=\s*=)", f"{word[1]}_", line, count=1)
        others = len(re.findall(rf"\b{word[1]}\b", stopped.source))
        mended = _with_line(stopped, new) if others == 1 else ""
        return _explanation(stopped, "keyword-as-name", mended, word=word[1], right=f"{word[1]}_")
    if step := re.fullmatch(r"(\s*)([\w.]+)\s*(\+\+|--);?\s*", line):
        right = f"{step[2]} {step[3][0]}= 1"
        return _explanation(stopped, "increment", _with_line(stopped, step[1] + right), sign=step[3], right=right)
    if "===" in line:
        return _explanation(stopped, "sign-of-another-language", _sign(stopped, "===", "=="), sign="===", right="==")
    for sign, right in (("&&", "and"), ("||", "or"), ("<>", "!=")):
        if sign in line:
            return _explanation(
                stopped, "sign-of-another-language", _sign(stopped, sign, right), sign=sign, right=right
            )
    if re.match(r"\s*else if\b", line):
        mended = _with_line(stopped, re.sub(r"else if\b", "elif", line, count=1))
        return _explanation(stopped, "sign-of-another-language", mended, sign="else if", right="elif")
    if re.match(r"\s*(else|elif|except|finally)\b", line):
        return _explanation(stopped, "branch-without-start", word=line.split()[0].rstrip(":"))
    return _explanation(stopped, "syntax-unknown", at=span.column + 1)


def _sign(stopped: Stopped, sign: str, right: str) -> str:
    line = _line(stopped)
    if re.search(r"[\"'#]", line):
        return ""
    gap = right if right in ("==", "!=") else f" {right} "
    return _with_line(stopped, re.sub(r"\s*" + re.escape(sign) + r"\s*", f" {gap.strip()} ", line))


@rule(ERRORS, r"")
def syntax_other(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """Any other text that is not Python."""
    return _explanation(stopped, "syntax-unknown", at=stopped.span.column + 1) if stopped.span else None


RULES: tuple[Rule, ...] = (
    foreign_character,
    never_closed,
    wrong_closing,
    unmatched,
    colon_missing,
    assigned_in_condition,
    target_no_name,
    python_two,
    comma_missing,
    quote_open,
    f_string,
    indent_unexpected,
    block_missing,
    unindent,
    tabs,
    outside,
    number_malformed,
    positional_after_keyword,
    keyword_twice,
    invalid,
    syntax_other,
)
