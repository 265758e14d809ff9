"""A run's process may answer anything: unfitting answers are dropped, and another process answers."""

import tracemalloc
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import msgspec
import pytest

import explorer
from explorer.analysis.diagnose.gradcheck.subjects import CheckedLeaf, subjects
from explorer.analysis.explain.entries.operation_view import operation_view
from explorer.drawing.graph.cards import boxes_of
from explorer.drawing.graph.place import place
from explorer.drawing.picture import picture
from explorer.sandbox.calls import Answer
from explorer.trace import MAX_BYTES, ProbeReading, Trace, decode, encode
from explorer.workers import gradcheck
from explorer.workers.diagnoses import diagnoses_of
from explorer.workers.explanations import explanations_of
from explorer.workers.gradcheck import check_gradients, repeated_curve

DEEP = b"\x91" * 1_000_000  # deeply nested lists
JUNK = b"\x81\xa4junk" + DEEP  # an object with an unknown field
MANY = b"\xdd\x00\x30\x00\x00" + b"\x80" * 0x300000  # three million empty objects
PLACE = {"kind": "truncated", "place": [0, 1, 0, 1, 1]}
WIDE = {f"{number}": 1 for number in range(200_000)}
PROGRAM = """\
import torch
w = torch.tensor([2.0, 3.0], requires_grad=True)
parts = torch.stack([w, w * 2])
loss = parts.square().sum()
loss.backward()
"""
FAULTY = "import torch\nweights = torch.tensor([1, 2])\nweights[0] = 0.7\n"
STOPPED = "import torch\ntorch.ones(2, 3) @ torch.ones(2, 3)\n"


class Forger(NamedTuple):
    """A process that always gives the same answer."""

    reply: bytes

    def ask(self, request: bytes, most: int) -> Answer:
        return Answer("reply", self.reply)


@cache
def recording(program: str) -> bytes:
    return encode(explorer.run(program))


def diagnosed(trace: Trace) -> object:
    return [(one.kind, one.values) for one in diagnoses_of(trace)]


def explained(trace: Trace) -> object:
    return [(place, one.kind) for place, one in explanations_of(trace).found.items()]


def curve(trace: Trace) -> object:
    leaf = next(one for one in subjects(trace, only=(trace.bound("w"), 0)) if isinstance(one, CheckedLeaf))
    found = repeated_curve(trace, leaf, 1.0, 3.0)
    return None if found is None else found.points


def entries(trace: Trace) -> object:
    stacked = next(k for k, name in enumerate(trace.operations.name) if trace.strings[name] == "stack")
    (outcome,) = operation_view(trace, stacked).outcomes
    return [reads.tolist() for reads in outcome.reading.reads]


ENTRIES = [b"\1\0\0\0" * 4, 1, "copy", 0.0, {}]
FORGED = {
    "deep diagnoses": (diagnosed, b"\x91" + JUNK),
    "many diagnoses": (diagnosed, MANY),
    "diagnoses with many values": (diagnosed, [{**PLACE, "values": WIDE}]),
    "deep explanations": (explained, b"\x91\x93\0\0" + JUNK),
    "many explanations": (explained, MANY),
    "explanations with many values": (explained, [[0, 0, {**PLACE, "values": WIDE}]]),
    "a deep curve": (curve, b"\x91\x94\x90\x90\x90" + DEEP),
    "a long curve": (curve, [[[1.0] * 400_000, [1.0]]]),
    "many curves": (curve, [[[1.0], [1.0]]] * 10_000),
    "deep entries": (entries, b"\x91\x96\xc4\0\1\xa4copy\0\x80" + DEEP),
    "entries of a larger result": (entries, [[b"\0\0\0\0" * 250_000, 1, "copy", 0.0, {}]]),
    "entries of many results": (entries, [ENTRIES] * 3_000),
    "entries of no operand": (entries, [[b"\7\7\7\0" * 4, *ENTRIES[1:]]]),
    "many operands": (entries, [[*ENTRIES[:4], {k: ENTRIES[0] for k in range(900)}]]),
}


@pytest.mark.parametrize(("asked", "reply"), FORGED.values(), ids=FORGED)
def test_a_forged_reply_is_replaced_by_another_process(asked: Callable, reply):
    forged = reply if isinstance(reply, bytes) else msgspec.msgpack.encode(reply)
    ran = recording({diagnosed: FAULTY, explained: STOPPED}.get(asked, PROGRAM))
    trace = decode(ran)
    trace.__dict__["answering"] = Forger(forged)
    tracemalloc.start()
    try:
        found = asked(trace)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000 + len(forged)
    finally:
        tracemalloc.stop()
    assert found and found == asked(decode(ran))


@pytest.mark.parametrize("values", [(), (1.0,), (1.0, 2.0, 3.0), (1.0,) * 400])
def test_readings_of_a_check_that_do_not_fit_its_probes_check_nothing(monkeypatch, values):
    trace = explorer.run("import torch\nw = torch.tensor(2.0, requires_grad=True)\n(w * w).backward()")

    forgery = ProbeReading(values, (1.0,) * 8, (1.0,) * 8)

    def forged(program, options, *_):
        return msgspec.structs.replace(trace, readings=[forgery] * len(options.probes))

    monkeypatch.setattr(gradcheck, "run_of", forged)
    assert [check.verdict for check in check_gradients(trace)] == ["unchecked"]


LAID = '{"bb":"0,0,1,1","objects":[%s],"edges":[%s]}'


@pytest.mark.parametrize(
    "layout",
    [
        "[" * 1_000_000,
        LAID % (",".join(['{"name":"x"}'] * 100_000), ""),
        LAID % ("", '{"id":"e1","pos":"%s"}' % ("1,1 " * (MAX_BYTES // 10))),
    ],
    ids=["deep", "many cards", "a long edge"],
)
def test_a_layout_of_another_graph_is_not_drawn(layout):
    drawn = picture(explorer.run("import torch\nw = torch.tensor(2.0, requires_grad=True)\n(w * w).backward()"))
    boxes = boxes_of(drawn.view, "en")
    tracemalloc.start()
    try:
        assert place(drawn.view, boxes, layout).by_rank
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()
