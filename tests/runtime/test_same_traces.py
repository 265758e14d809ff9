"""Models' recordings are stable: every table of their Traces except the numbers equals the stored one.

After an intended change `python -m tests.runtime.test_same_traces` writes the file of digests.
`benchmarks/same_traces.py` shows in which table two versions differ.
"""

import hashlib
import json
import platform
import re
import sys
from pathlib import Path

import msgspec
import pytest
import torch

from explorer.trace import Trace
from tests import zoo
from tests.traces import trace_of
from tests.zoo import ZOO

MODELS = Path(zoo.__file__).read_text()
KEPT = Path(__file__).parents[1] / "data" / "recorded_models.json"
HERE = f"torch {torch.__version__.partition('+')[0]}, Python {sys.version_info.major}.{sys.version_info.minor}, "
HERE += f"{sys.platform} {platform.machine()}"  # nodes and positions depend on the platform
_NUMBERS = {"grad", "value", "values", "seeds", "arrived", "contribution_value", "before", "after", "storage"}
_LEFT_OUT = {"values", "cells", "spans", "steps", "torch", "losses", "slopes", "options"}
_LINE = re.compile(r":\d+ ")


def recorded(name: str, detail: str) -> Trace:
    """Return the Trace of a model's forward, loss and backward, as a program."""
    return trace_of(
        f"{MODELS}\nmodel, inputs = {name}()\nloss = loss_of(model(*inputs))\nloss.backward()", detail=detail
    )


def digest(trace: Trace) -> str:
    """Return a digest of the nonempty tables: columns without value ids, places as text, strings without
    line numbers.
    """
    tables = {name: table for name, table in msgspec.to_builtins(trace).items() if table and name not in _LEFT_OUT}
    tables["texts"] = [trace.text(span) for span in range(len(trace.spans))]
    tables["strings"] = [_LINE.sub(": ", text) for text in tables["strings"]]
    for table in (tables["tensors"], tables["versions"], tables["nodes"], tables["saved"], *tables["backwards"]):
        for column in _NUMBERS & table.keys():
            del table[column]
    return hashlib.sha256(repr(tables).encode()).hexdigest()[:12]


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", ZOO)
def test_the_tables_match_the_stored_digests(name):
    kept = json.loads(KEPT.read_text())
    if kept["of"] != HERE:
        pytest.skip(f"kept with {kept['of']}")
    for detail in ("light", "complete"):
        assert digest(recorded(name, detail)) == kept[f"{name}, {detail}"]


if __name__ == "__main__":
    found = {f"{name}, {detail}": digest(recorded(name, detail)) for name in ZOO for detail in ("light", "complete")}
    KEPT.write_text(json.dumps({"of": HERE, **found}, indent=1) + "\n")
