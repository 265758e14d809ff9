"""Errors of a DataLoader about what a dataset returns."""

import re

from explorer.analysis.errors.explanations import explanation
from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.rule import Explanation, Rule, rule

_LOOP = re.compile(r"(?:async )?for\b.*\bin\b|next\(|list\(|iter\(|\[?.*\bfor\b.*\bin\b", re.DOTALL)


@rule("TypeError", r"object of type 'NoneType' has no len\(\)|default_collate: batch must contain .*NoneType"
      r"|'NoneType' object is not (?:iterable|subscriptable)")  # fmt: skip
def example_is_none(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """`__getitem__` returns None for some index."""
    sources = "\n".join(cell.source for cell in stopped.trace.cells)[:100_000]
    classes = re.findall(r"^class (\w+)\b(?:(?!\nclass )[\s\S])*?def __getitem__\(", sources, re.MULTILINE)
    if len(classes) != 1 or "DataLoader(" not in sources or not _LOOP.match(stopped.code):
        return None
    return explanation(stopped, "example-is-none", **{"class": classes[0]})


RULES: tuple[Rule, ...] = (example_is_none,)
