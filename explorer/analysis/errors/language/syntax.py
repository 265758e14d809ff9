"""Syntax errors: brackets, colons, indents, quotes, characters of another keyboard."""

import re

from explorer.analysis.errors.rule import Explanation, FailureContext, Rules
from explorer.analysis.source.code import Repair, indent_of
from explorer.analysis.source.expressions import shorten_code

ASCII = str.maketrans("（），：；［］｛｝“”‘’＝＋－＊／＜＞．！、。　【】《》", "(),:;[]{}\"\"''=+-*/<>.!,. []<>")
PAIRS = {"(": ")", "[": "]", "{": "}"}
OPENINGS = {closed: opened for opened, closed in PAIRS.items()}
KEYWORDS = """False None True and as assert async await break class continue def del elif else except finally for from
global if import in is lambda nonlocal not or pass raise return try while with yield""".split()
ASSIGNS = r"(?<![=!<>:])=(?!=)"
QUOTED = r"\"[^\"]*\"|'[^']*'"
FOREIGN = {"===": "==", "&&": "and", "||": "or", "<>": "!=", "else if": "elif"}

RULES = Rules()


def _explain(at: FailureContext, kind: str, repair: Repair | None = None, /, **values: str | int) -> Explanation:
    """An explanation that shows the whole line."""
    return at.explain(kind, repair, **{"code": shorten_code(at.here.whole_line.strip())} | values)


def _line(at: FailureContext, line: str) -> Repair:
    """The program with another text of the failing line."""
    return at.here.replace_lines(line, first=at.here.line, last=at.here.line)


@RULES.rule(r"SyntaxError: expected ':'")
def colon_missing(at: FailureContext) -> Explanation:
    line, repair = at.here.whole_line, None
    code, hash_, comment = line.partition("#")
    head = re.match(r"\s*(if|elif|else|for|while|def|class|with|try|except|finally)\b", line)
    if head and at.here.span.column >= len(code.rstrip()) and not code.rstrip().endswith(("(", ",", ":")):
        repair = _line(at, f"{code.rstrip()}:{'  ' if hash_ else ''}{hash_}{comment}")
    return _explain(at, "colon-missing", repair, word=line.strip().split(" ")[0].split("(")[0])


@RULES.rule(r"SyntaxError: Missing parentheses in call to '(?P<name>\w+)'")
def python_two(at: FailureContext) -> Explanation:
    words = re.fullmatch(r"(\s*)print +([^#;]+)", at.here.whole_line.rstrip()) if at["name"] == "print" else None
    fits = words and "%" not in words[2] and not words[2].endswith(",")
    return _explain(at, "print-without-brackets", _line(at, f"{words[1]}print({words[2].rstrip()})") if fits else None)


@RULES.rule(r"SyntaxError: invalid (?:non-printable )?character '?(?P<given>.)(?:.*?\(?U\+(?P<point>[0-9A-F]{4,6}))?")
def foreign_character(at: FailureContext) -> Explanation:
    """A full-width or typographic character where Python expects its own."""
    character = chr(min(int(at["point"], 16), 0x10FFFF)) if at["point"] else at["given"]
    right = character.translate(ASCII)
    if right == character:
        return _explain(at, "character-unknown", character=character)
    repair = at.here.with_source("\n".join(map(_ascii_outside_quotes, at.here.lines)))
    return _explain(at, "character-of-another-keyboard", repair, character=character, right=right)


def _ascii_outside_quotes(line: str) -> str:
    """A line with its full-width characters outside strings and comments replaced.

    >>> _ascii_outside_quotes("print（'a，b'）  # 好，")
    "print('a，b')  # 好，"
    """
    out, end = [], 0
    for match in re.finditer(rf"{QUOTED}|“[^”]*”|‘[^’]*’|#.*", line):
        text = match[0]
        if text[0] in "“‘" and '"' not in text:
            text = f'"{text[1:-1]}"'
        out += [line[end : match.start()].translate(ASCII), text]
        end = match.end()
    return "".join([*out, line[end:].translate(ASCII)])


@RULES.rule(
    r"SyntaxError: Maybe you meant '==' or ':=' instead of '='|cannot assign to (?:.* here\. Maybe you "
    r"meant '=='|literal"
    r"|expression|True|False|None|function call|operator|comparison|f-string)"
)
def assigned_to_no_name(at: FailureContext) -> Explanation:
    """`=` where a comparison is meant, or a value on the left of `=`."""
    line = at.here.whole_line
    if "Maybe you meant" in at.found[0] and re.match(r"\s*(if|elif|while)\b", line):
        once = len(re.findall(ASSIGNS, line)) == 1 and not re.search(r"[\"'#]", line)
        return _explain(at, "equals-in-condition", _line(at, re.sub(ASSIGNS, "==", line)) if once else None)
    return _explain(at, "target-is-no-name", target=shorten_code(line.partition("=")[0].strip()))


@RULES.rule(r"SyntaxError: [Pp]erhaps you forgot a comma")
def comma_missing(at: FailureContext) -> Explanation | None:
    """Two values side by side in a bracket."""
    if not at.code:
        return None
    either = re.fullmatch(r"(['\"]\w*['\"]) +([\w.]+)", at.code)
    return _explain(at, "colon-or-comma-missing" if either else "comma-missing", piece=shorten_code(at.code))


@RULES.rule(r"IndentationError: expected an indented block(?: after .* on line (?P<head_line>\d+))?")
def block_missing(at: FailureContext) -> Explanation | None:
    lines = at.here.lines
    head = min(int(at["head_line"]), len(lines)) - 1 if at["head_line"] else max(at.line - 2, 0)
    if not 0 <= head < at.line:
        return None
    return _explain(at, "block-missing", head=shorten_code(lines[head].strip()), where=head + 1)


@RULES.rule(r"IndentationError: unindent does not match")
def unindent(at: FailureContext) -> Explanation:
    levels = sorted({len(indent_of(line)) for line in at.here.lines[: at.line - 1] if line.strip()})
    return _explain(at, "indent-between", levels=", ".join(map(str, levels[:6])), own=len(at.here.indent))


@RULES.rule(r"SyntaxError: '(?P<word>return|yield|await|break|continue)'(?: not in loop| outside| not properly)")
def outside(at: FailureContext) -> Explanation:
    loop = at["word"] in ("break", "continue")
    return _explain(at, "break-outside-loop" if loop else "return-outside-function")


@RULES.rule(r"SyntaxError: ^invalid (?:syntax|decimal literal)")
def module_by_number(at: FailureContext) -> Explanation | None:
    """A layer of a Sequential by the name that torch prints: net.0(x)."""
    match = re.search(r"(?<![\w.])([A-Za-z_][\w.]*)\.(\d+)(?=[.\[(]|\s*$)", at.here.whole_line)
    if not match:
        return None
    right = f"{match[1]}[{match[2]}]"
    repair = _line(at, at.here.whole_line.replace(match[0], right, 1))
    return _explain(at, "module-by-number", repair, piece=match[0], right=right)


@RULES.rule(r"SyntaxError: invalid decimal literal|invalid imaginary literal|(?P<zeros>leading zeros)")
def number_malformed(at: FailureContext) -> Explanation | None:
    """A number that runs into a name, or begins with zeros."""
    if at["zeros"]:
        return _explain(at, "number-with-zeros")
    if name := re.search(r"(?<![\w.])(\d+[A-Za-z_]\w*)\s*=(?!=)", at.here.whole_line):
        return _explain(at, "name-begins-with-digit", piece=name[1])
    glued = re.search(r"(?<![\w.])(\d+\.?\d*)([A-Za-z_]\w*)", at.here.whole_line)
    return _explain(at, "product-without-sign", piece=glued[0], right=f"{glued[1]} * {glued[2]}") if glued else None


@RULES.rule(r"SyntaxError: ^invalid syntax")
def invalid(at: FailureContext) -> Explanation:
    """What Python only calls invalid."""
    line = at.here.whole_line
    if (word := re.match(r"\s*(\w+)\s*=(?!=)", line)) and word[1] in KEYWORDS:
        return _explain(at, "keyword-as-name", word=word[1], right=f"{word[1]}_")
    if step := re.fullmatch(r"(\s*)([\w.]+)\s*(\+\+|--);?\s*", line):
        return _explain(at, "increment", sign=step[3], right=f"{step[2]} {step[3][0]}= 1")
    for sign, right in FOREIGN.items():
        if sign in line and (sign != "else if" or line.lstrip().startswith(sign)):
            return _explain(at, "sign-of-another-language", sign=sign, right=right)
    if re.match(r"\s*(else|elif|except|finally)\b", line):
        return _explain(at, "branch-without-start", word=line.split()[0].rstrip(":"))
    return syntax_other(at)


def syntax_other(at: FailureContext) -> Explanation:
    """Any other text that is not Python."""
    return _explain(at, "syntax-unknown", at=at.here.span.column + 1)


RULES.message_rules(
    {
        r"SyntaxError: f-string: (?:expecting|unmatched|single|empty|invalid|valid|unterminated|"
        r"expected)": "f-string-braces",
        r"TabError|IndentationError: inconsistent use of tabs": "tabs-and-spaces",
        r"IndentationError: unexpected indent": "indent-unexpected",
        r"SyntaxError: positional argument follows keyword argument": "positional-after-keyword",
        r"SyntaxError: keyword argument repeated: (?P<name>\w+)": "keyword-twice",
        r"SyntaxError: '(?P<bracket>[(\[{])' was never closed": lambda at: _explain(
            at, "bracket-open", closing=PAIRS[at["bracket"]]
        ),
        r"SyntaxError: closing parenthesis '(?P<closing>.)' does not match opening parenthesis "
        r"'(?P<bracket>[(\[{])'": lambda at: _explain(at, "bracket-of-another-kind", right=PAIRS[at["bracket"]]),
        r"SyntaxError: unmatched '(?P<bracket>.)'": lambda at: _explain(
            at, "bracket-too-many", opening=OPENINGS.get(at["bracket"], at["bracket"])
        ),
        r"SyntaxError: unterminated (?:triple-quoted )?(?:f-)?string literal|EOL while scanning": lambda at: _explain(
            at, "text-open", quote=at.code[-1:] if at.code.endswith(("'", '"')) else '"'
        ),
        r"SyntaxError|IndentationError|TabError: ": syntax_other,  # the last
    },
    _explain,
)
