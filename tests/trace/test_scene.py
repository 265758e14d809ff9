"""A scene from an untrusted process: bounded, typed, and each part inside an earlier one."""

import msgspec
import pytest

from explorer.trace import Failure, InvalidTrace, decode, encode
from explorer.trace.scene import MOST_PARTS
from tests.traces import trace_of

PROGRAM = "import torch\nnet = torch.nn.Linear(2, 2)\nx = (torch.ones(2), 1)\nnet(x)"


@pytest.fixture(scope="module")
def trace():
    return trace_of(PROGRAM)


def forged(trace, change):
    """Return the Trace's bytes with another scene."""
    plain = msgspec.msgpack.decode(encode(trace))
    waiting = [plain]
    for one in waiting:
        if isinstance(one, dict) and one.get("scene"):
            change(one["scene"])
        waiting += one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
    return msgspec.msgpack.encode(plain)


def test_the_scene_names_what_each_part_was(trace):
    (scene,) = [one.scene for _, _, one in trace.shown(Failure)]
    seen = {trace.text(part.span): (part.role, part.thing) for part in scene.parts}
    assert seen["net"][0] == "callee" and seen["net"][1].is_a("torch.nn.modules.module.Module")
    assert (seen["x"][0], seen["x"][1].entries, seen["x"][1].count) == ("argument", ["(2,)", "int"], 2)
    assert decode(encode(trace)).shown(Failure)[0][2].scene == scene


CHANGES = {
    "a part inside a later one": lambda scene: scene["parts"][1].update(within=2),
    "a part inside itself": lambda scene: scene["parts"][0].update(within=0),
    "two outermost parts": lambda scene: scene["parts"][1].update(within=-1),
    "a place outside the table": lambda scene: scene["parts"][0].update(span=10**9),
    "a function outside the table": lambda scene: scene["parts"][0]["thing"].update(function=10**9),
    "too many parts": lambda scene: scene.update(parts=scene["parts"][:1] * (MOST_PARTS + 1)),
    "no parts": lambda scene: scene.update(parts=[]),
    "an unknown role": lambda scene: scene["parts"][0].update(role="owner"),
    "a type that is no text": lambda scene: scene["parts"][0]["thing"].update(type=7),
    "a long type": lambda scene: scene["parts"][0]["thing"].update(type="x" * 101),
    "many bases": lambda scene: scene["parts"][0]["thing"].update(bases=["x"] * 100_000),
    "a negative size": lambda scene: scene["parts"][0]["thing"].update(shape=[-1]),
    "many axes": lambda scene: scene["parts"][0]["thing"].update(shape=[1] * 65),
    "a huge count": lambda scene: scene["parts"][0]["thing"].update(count=1 << 63),
    "a part as a list": lambda scene: scene.update(parts=[[[[[[]]]]]] * 3),
    "a crowded stack": lambda scene: scene.update(running=[{}] * 21),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_forged_scene_is_rejected(trace, what):
    with pytest.raises((InvalidTrace, msgspec.ValidationError)):
        decode(forged(trace, CHANGES[what]))


def test_a_trace_without_a_scene_is_read(trace):
    data = msgspec.msgpack.encode(msgspec.msgpack.decode(encode(trace)))
    assert decode(data).shown(Failure)[0][2].scene is not None
    assert decode(encode(trace_of("1 / 1"))).shown(Failure) == []
