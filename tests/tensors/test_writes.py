"""Effects of lines on names and memory: the same object, a view, a copy, or a new version."""

from explorer.analysis.views.tensors.memory import sharing
from explorer.analysis.views.tensors.tensor_list import writes
from tests.corpus import facts_beside
from tests.traces import trace_of


def facts(source: str) -> dict[str, tuple]:
    """Per expression: kind, same object, same storage, version before and after."""
    found = writes(trace_of(source))
    return {one.text: (one.kind, one.same_object, one.same_storage, one.before, one.after) for one in found}


test_facts = facts_beside(__file__, globals(), sharing=sharing)
