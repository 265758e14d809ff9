"""Errors of a DataLoader about what a dataset returns."""

import re

from explorer.analysis.errors.explanation import Explanation
from explorer.analysis.errors.failure_context import FailureContext
from explorer.analysis.errors.rule import Rules

_LOOP = re.compile(r"(?:async )?for\b.*\bin\b|next\(|list\(|iter\(|\[?.*\bfor\b.*\bin\b", re.DOTALL)

RULES = Rules()


@RULES.rule(
    "TypeError",
    r"object of type 'NoneType' has no len\(\)|default_collate: batch must contain .*NoneType"
    r"|'NoneType' object is not (?:iterable|subscriptable)",
)
def example_is_none(at: FailureContext) -> Explanation | None:
    """`__getitem__` returns None for some index."""
    classes = re.findall(r"^class (\w+)\b(?:(?!\nclass )[\s\S])*?def __getitem__\(", at.sources, re.MULTILINE)
    if len(classes) != 1 or "DataLoader(" not in at.sources or not _LOOP.match(at.code):
        return None
    return at.explain("example-is-none", **{"class": classes[0]})
