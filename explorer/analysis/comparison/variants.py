"""Variants of a program for a comparison: another seed, another dtype."""

from collections.abc import Sequence
from itertools import takewhile

from explorer.safe_regex import linear

SEED = linear(r"(\b(?:manual_seed|seed)\(\s*)([0-9]{1,18})(\s*\))")
IMPORT = linear(r"^import[ \t]+torch[ \t]*(?:$|[#,;])")
FIRST = linear(r"^(?:%%|from[ \t]+__future__\b)")  # must stay the first line
DRAWS = linear(r"\b(?:nn|rand\w*|normal|uniform|bernoulli|multinomial|dropout|\w+_like|normal_|uniform_)\b")


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
