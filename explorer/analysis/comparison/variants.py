"""Variants of a program for a comparison: another seed, another dtype, its module in another form."""

from collections.abc import Sequence
from itertools import takewhile

from explorer.program.scanner import bound_names, scan, words_of
from explorer.safe_regex import linear

SEED = linear(r"(\b(?:manual_seed|seed)\(\s*)([0-9]{1,18})(\s*\))")
IMPORT = linear(r"^import[ \t]+torch[ \t]*(?:$|[#,;])")
FIRST = linear(r"^(?:%%|from[ \t]+__future__\b)")  # must stay the first line
DRAWS = linear(r"\b(?:nn|rand\w*|normal|uniform|bernoulli|multinomial|dropout|\w+_like|normal_|uniform_)\b")

MADE = linear(r"^([A-Za-z_]\w*)[ \t]*=[ \t]*([\w.]*\.)?(\w+)\(")
CLASS = linear(r"^class[ \t]+(\w+)[ \t]*\([^)\n]*Module")
CALLED = linear(r"\b([A-Za-z_]\w*)\(([^()\n]*)\)")

# By the name of a form the line that puts it in the place of a module, which is called with `given`.
FORMS = {
    "export": "{net} = torch.export.export({net}, ({given},)).module()",
    "fx": "{net} = torch.fx.symbolic_trace({net})",
    "jit.trace": "{net} = torch.jit.trace({net}, ({given},))",
    "compile eager": '{net} = torch.compile({net}, backend="eager")',
    "compile aot_eager": '{net} = torch.compile({net}, backend="aot_eager")',
    "deepcopy": "import copy; {net} = copy.deepcopy({net})",
    "channels_last": "{net} = {net}.to(memory_format=torch.channels_last)",
    "eval": "{net}.eval()",
}


def with_form(texts: Sequence[str], form: str) -> tuple[str, ...]:
    """The cells with a line that puts a module's form in its place; the same cells where no module is found.

    What reads the inputs stands before the statement that first calls the module, the others after it was made.

    >>> with_form(["net = nn.Linear(3, 1)\\nloss = net(x).sum()"], "fx")[0].split("\\n")[1]
    'net = torch.fx.symbolic_trace(net)'
    """
    own = {match[1] for text in texts for line in text.split("\n") if (match := CLASS.search(line))}
    reads, made, known, earlier = "{given}" in FORMS[form], dict[str, tuple[int, int]](), "", ""
    for cell, text in enumerate(texts):
        lines, start = scan(text), 0
        for at, line in enumerate(lines):
            if not (line.continues or line.indent or line.empty):
                start, known = at, earlier  # of a statement at the margin, and the code before it
            earlier += line.code + "\n"
            for name, given in CALLED.findall(line.code):
                if name in made and (not reads or (given.strip() and words_of(given) <= bound_names(known))):
                    of, before = (cell, start) if reads else made[name]
                    there = texts[of].split("\n")
                    there.insert(before, FORMS[form].format(net=name, given=given.strip()))
                    return _with_cell(texts, of, there)
            match = MADE.search(line.code)
            if match and not match[3].endswith("Loss") and (match[3] in own or (match[2] or "").endswith("nn.")):
                after = next((i for i in range(at + 1, len(lines)) if not lines[i].continues), len(lines))
                made[match[1]] = cell, after
    return tuple(texts)


def with_other_seed(texts: Sequence[str]) -> tuple[str, ...]:
    """The cells with every literal seed increased by one; with seed 1 if there is none.

    >>> with_other_seed(["import torch\\ntorch.manual_seed(4)"])
    ('import torch\\ntorch.manual_seed(5)',)
    >>> with_other_seed(["import torch\\nx = torch.rand(2)"])
    ('import torch\\ntorch.manual_seed(1)\\nx = torch.rand(2)',)
    """
    changed = tuple(SEED.sub(lambda match: f"{match[1]}{int(match[2]) + 1}{match[3]}", text) for text in texts)
    return changed if changed != tuple(texts) else after_import(texts, "torch.manual_seed(1)")


def seeds(texts: Sequence[str]) -> list[int]:
    """The literal seeds of a program, each once.

    >>> seeds(["import torch\\ntorch.manual_seed(4)"])
    [4]
    """
    return list(dict.fromkeys(int(match[2]) for text in texts for match in SEED.finditer(text)))


def with_bfloat16(texts: Sequence[str]) -> tuple[str, ...]:
    """The cells in bfloat16.

    A program that draws random numbers gets torch's autocast, since another dtype would draw other numbers: then
    products of matrices are in bfloat16. Any other program gets bfloat16 in place of float32.
    """
    if any(DRAWS.search(text) for text in texts):
        return after_import(texts, 'torch.set_autocast_enabled("cpu", True)')
    return after_import(texts, "torch.set_default_dtype(torch.bfloat16)")


def after_import(texts: Sequence[str], line: str) -> tuple[str, ...]:
    """The cells with a line after the first import of torch; with an import at the start if there is none."""
    for cell, text in enumerate(texts):
        lines = text.split("\n")
        at = next((i for i, source_line in enumerate(lines) if IMPORT.search(source_line)), None)
        if at is not None:
            return _with_cell(texts, cell, [*lines[: at + 1], line, *lines[at + 1 :]])
    cell = next((i for i, text in enumerate(texts) if not text.startswith("%%")), len(texts))
    lines = texts[cell].split("\n") if cell < len(texts) else []
    begin = sum(1 for _ in takewhile(FIRST.search, lines))
    return _with_cell(texts, cell, [*lines[:begin], "import torch", line, *lines[begin:]])


def _with_cell(texts: Sequence[str], cell: int, lines: Sequence[str]) -> tuple[str, ...]:
    return (*texts[:cell], "\n".join(lines), *texts[cell + 1 :])
