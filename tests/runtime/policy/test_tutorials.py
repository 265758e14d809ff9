"""The language ring is not noticed by programs as tutorials write them: nothing refused, and the same Trace."""

import re
from pathlib import Path

import pytest

from explorer.export import dumps, to_json
from explorer.program import read_program
from explorer.runtime.execute import execute
from explorer.trace import Options, Refusal, Trace
from tests.notebooks import PROGRAMS
from tests.runtime.everyday_programs import EVERYDAY
from tests.runtime.policy.tutorials import TUTORIALS
from tests.traces import trace_of

GALLERY = re.findall(
    r'(?:traced|trace_of)\(\s*f?"""(.*?)"""', Path("tests/test_gallery.py").read_text("utf-8"), re.DOTALL
)


def refused(trace: Trace) -> list[str]:
    """What was refused."""
    return [output.what for cell in trace.cells for output in cell.outputs if isinstance(output, Refusal)]


def told(trace: Trace) -> tuple:
    """Operations with their places, names and nodes; without values, which uninitialised memory makes differ."""
    fields = to_json(trace)
    names = [tensor["names"] for tensor in fields["tensors"]]
    nodes = [(node["name"], node["operation"], node["span"], node["edges"]) for node in fields["nodes"]]
    errors = [[part for part in cell["outputs"] if part["kind"] == "error"] for cell in fields["cells"]]
    return tuple(map(dumps, (fields["operations"], names, nodes, errors, len(fields["backwards"]))))


@pytest.mark.parametrize("source", TUTORIALS.values(), ids=TUTORIALS)
def test_what_tutorials_write_runs(source):
    trace = trace_of(source)
    assert (trace.status, refused(trace)) == ("ok", [])
    assert told(trace) == told(trace_of(source, language_ring=False))


BY_HAND = {"quantized", "resize", "resizing what was seen in views", "set_", "strides"}  # reach memory: refused


@pytest.mark.parametrize("source", [*(EVERYDAY[name] for name in EVERYDAY if name not in BY_HAND), *GALLERY])
def test_the_ring_changes_no_operation_place_or_name(source):
    assert told(trace_of(source)) == told(trace_of(source, language_ring=False))


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.name)
def test_the_ring_changes_nothing_in_a_notebook(path):
    program = read_program(path.name, path.read_bytes())
    traces = [execute(program, Options(), language_ring=ring) for ring in (True, False)]
    assert refused(traces[0]) == [] and told(traces[0]) == told(traces[1])
