"""The problems of a run, with repairs that were run."""

import streamlit as st

from explorer.program import GivenFile, Unusable
from explorer.sandbox.hosting import visitor
from explorer.trace import Trace
from explorer.ui.panels.problems import Problem, problems
from explorer.workers.explanations import explain_with_verified_fixes

PATIENCE = 3.0  # seconds that the changes of a stopped program may run while the next edit waits


def tried_problems(result: Trace | Unusable, files: tuple[GivenFile, ...], lang: str) -> list[Problem]:
    """The problems of a run; `files` are the files in the program's folder."""
    if isinstance(result, Unusable):
        return problems(result, lang)
    return problems(
        result,
        lang,
        explain_with_verified_fixes(result, files, visitor=visitor(st.context.ip_address), patience=PATIENCE),
    )
