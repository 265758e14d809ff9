"""What went wrong in a run, with the changes that were run and mend it."""

import streamlit as st

from explorer.explained import proven
from explorer.program import GivenFile, Unusable
from explorer.sandbox.hosted import visitor
from explorer.trace import Trace
from explorer.ui.panels.problems import Problem, problems

PATIENCE = 3.0  # seconds that the changes of a program that stopped may run while the next edit waits


def tried_problems(result: Trace | Unusable, files: tuple[GivenFile, ...], lang: str) -> list[Problem]:
    """The problems of a run; `files` are what the program found in its folder."""
    if isinstance(result, Unusable):
        return problems(result, lang)
    return problems(result, lang, proven(result, files, visitor=visitor(st.context.ip_address), patience=PATIENCE))
