"""A program with its module in another form, to compare both."""

from collections.abc import Sequence

from explorer.program.scanner import bound_names, scan, words_of
from explorer.safe_regex import linear

MADE = linear(r"^([A-Za-z_]\w*)[ \t]*=[ \t]*([\w.]*\.)?(\w+)\(")
CLASS = linear(r"^class[ \t]+(\w+)[ \t]*\([^)\n]*Module")
CALLED = linear(r"\b([A-Za-z_]\w*)\(([^()\n]*)\)")

# Form → the line that replaces the module `given` by it.
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
    r"""Insert a line that replaces a module by its form, unchanged without a module.

    Forms that read the inputs go before the module's first call, others after its creation.

    >>> with_form(["net = nn.Linear(3, 1)\nloss = net(x).sum()"], "fx")[0].split("\n")[1]
    'net = torch.fx.symbolic_trace(net)'
    """
    own = {match[1] for text in texts for line in text.split("\n") if (match := CLASS.search(line))}
    reads, made, known, earlier = "{given}" in FORMS[form], dict[str, tuple[int, int]](), "", ""
    for cell, text in enumerate(texts):
        lines, start = scan(text), 0
        for at, line in enumerate(lines):
            if not (line.continues or line.indent or line.empty):
                start, known = at, earlier  # for a statement at the margin, and the code before it
            earlier += line.code + "\n"
            for name, given in CALLED.findall(line.code):
                if name in made and (not reads or (given.strip() and words_of(given) <= bound_names(known))):
                    of, before = (cell, start) if reads else made[name]
                    there = texts[of].split("\n")
                    there.insert(before, FORMS[form].format(net=name, given=given.strip()))
                    return (*texts[:of], "\n".join(there), *texts[of + 1 :])
            match = MADE.search(line.code)
            if match and not match[3].endswith("Loss") and (match[3] in own or (match[2] or "").endswith("nn.")):
                after = next((i for i in range(at + 1, len(lines)) if not lines[i].continues), len(lines))
                made[match[1]] = cell, after
    return tuple(texts)
