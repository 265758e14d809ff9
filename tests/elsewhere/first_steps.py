"""A user's first steps, as JSON: record, and run a program into a limit. Runs in a mode of this folder."""

import json
import os
import tempfile

import torch

import explorer
from explorer.program import CellSource, Program
from explorer.runtime.execute import execute_encoded
from explorer.sandbox.calls import Executor
from explorer.sandbox.protocol import ChildLimits
from explorer.sandbox.runner import executor
from explorer.trace import Limit, Options, decode

RUN = """
import asyncio, os
from pathlib import Path
await asyncio.sleep(0.01)
_ = Path("a.txt").write_text("text")
print(os.path.exists("a.txt"), Path("a.txt").read_text())
while True: pass
"""


def recorded() -> list:
    with explorer.record() as trace:
        w = torch.tensor(2.0, requires_grad=True)
        (w * w).backward()
    return [trace.gradient("w").item(), "w * w" in explorer.draw(trace).svg()]


def limited() -> list:
    options = Options(time_limit=0.2)
    os.chdir(tempfile.mkdtemp())  # like a child's working folder
    trace = decode(execute_encoded(Program([CellSource(RUN)]), options, True, 8_000_000, 1000))
    outputs = trace.cells[0].outputs
    return [outputs[0].text, [output.limit for output in outputs if isinstance(output, Limit)]]


def answers() -> list[str]:
    """Return how processes without torch end: normally, over time, over memory."""
    processes = executor("endless")
    try:
        return [_answer(processes, *case) for case in ((b"answer", 300.0), (b"wait", 0.2), (b"grow", 300.0))]
    finally:
        processes.close()


def _answer(processes: Executor, request: bytes, lasting: float) -> str:
    answer = processes.call(request, ChildLimits(seconds=60.0, lasting=lasting, memory_mb=50.0), 1000).wait()
    return answer.reply.decode() or answer.outcome


print(json.dumps({"recorded": recorded(), "limited": limited(), "answers": answers()}))
