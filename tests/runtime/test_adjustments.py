"""Features replaced in a single-threaded process: the result is as requested, and a grey line notes it."""

import pytest

from explorer.program import CellSource, Program
from explorer.sandbox import default_runner
from explorer.trace import Echo, Options, Printed, Skipped
from tests.patience import PATIENT

ASKED = [  # a cell, the reasons on its grey lines, its echo
    ("import torch\nfrom torch.utils.data import DataLoader", [], None),
    ("[int(b) for b in DataLoader(range(3), num_workers=4, prefetch_factor=2)]", ["workers"], "[0, 1, 2]"),
    ("loader = DataLoader(range(3), 2, True, None, None, 2, timeout=9)\nloader.num_workers", ["workers"], "0"),
    ("len(list(DataLoader(range(3), pin_memory=True)))", [], "3"),
    ("torch.set_num_threads(4)\ntorch.set_num_threads(1)\ntorch.get_num_threads()", ["threads"], "1"),
    ("torch.set_num_interop_threads(2)", ["threads"], None),
    ("f = torch.compile(lambda x: x * 2)\nf(torch.ones(1))", ["compiler"], "tensor([2.])"),
    ("@torch.compile(mode='default')\ndef g(x):\n    return x + 1\ng(torch.ones(1))", ["compiler"], "tensor([2.])"),
    ("net = torch.nn.Linear(2, 1)\nnet.compile()\nnet(torch.ones(2)).shape", ["compiler"], "torch.Size([1])"),
    ("net = torch.nn.Linear(2, 1)\nfast = torch.compile(net)\ny = fast(torch.ones(2))\n"
     "fast._orig_mod is net, list(fast.state_dict())", ["compiler"],
     "(True, ['_orig_mod.weight', '_orig_mod.bias'])"),
    ("x = torch.ones(2, requires_grad=True)\nh = torch.compile(lambda x: (x * 2).sin(), backend='eager')\n"
     "h(x).sum().backward()\nx.grad", [], "tensor([-0.8323, -0.8323])"),
    ("(torch.ones(200, 200) @ torch.ones(200, 200)).sum()", [], "tensor(8000000.)"),
    ("import os\n'nn' in os.listdir(os.path.dirname(torch.__file__))", [], "True"),
    ("import inspect\nlen(inspect.getsource(torch.nn.Linear)) > 99", [], "True"),
    ("import importlib.resources as r\n(r.files('torch') / 'version.py').read_text()[:8] != ''", [], "True"),
    ("from pathlib import Path\nany(Path(torch.__file__).parent.glob('nn/*.py'))", [],
     "True"),
    ("scripted = torch.jit.script(torch.nn.Linear(2, 1))\ntorch.jit.save(scripted, 'a.pt')\n"
     "torch.jit.load('a.pt')(torch.ones(2)).shape", [], "torch.Size([1])"),
    ("import numpy as np\nnp.arange(6.).reshape(2, 3) @ np.ones(3)", [], "array([ 3., 12.])"),
    ("with torch.profiler.profile(record_shapes=True) as p:\n    _ = torch.ones(2, 2) @ torch.ones(2, 2)\n"
     "{one.key for one in p.key_averages()} >= {'aten::ones', 'aten::mm'}", [], "True"),
    ("p.export_chrome_trace('trace.json')\nimport json\n"
     "any(e.get('name') == 'aten::mm' for e in json.load(open('trace.json'))['traceEvents'])", [], "True"),
    ("with torch.autograd.profiler.profile() as p:\n    with torch.profiler.record_function('mine'):\n"
     "        _ = torch.ones(2) + 1\n[e.count for e in p.key_averages() if e.key == 'mine']", [], "[1]"),
    ("%tensorboard --logdir runs", ["server"], None),
    ("import timeit\ntimeit.timeit('y + 1', setup='y = 1', number=10) >= 0", [], "True"),
    ("import torch.utils.benchmark as b\nb.Timer('x + 1', globals={'x': x}).timeit(5).number_per_run", [], "5"),
    ("import argparse\nargparse.ArgumentParser().parse_args()", [], "Namespace()"),
    ("import asyncio\nasync def f():\n    await asyncio.gather(asyncio.sleep(0), asyncio.sleep(.01))\n    return 3\n"
     "asyncio.run(f())", [], "3"),
    ("breakpoint()\n1", ["answer"], "1"),
    ("import asyncio\nasync def five():\n    await asyncio.sleep(0)\n    return 5\nawait five()", [], "5"),
    ("asyncio.run(asyncio.wait_for(five(), 1))", [], "5"),
    ("import sys\nsys.argv, sys.stdin.read()", [], "(['program.py'], '')"),
]  # fmt: skip


def test_tensorboard_events_are_written_without_a_thread():
    pytest.importorskip("tensorboard")
    written = (
        "from torch.utils.tensorboard import SummaryWriter\nwith SummaryWriter('runs') as writer:\n"
        "    for i in range(30):\n        writer.add_scalar('loss', i, i)"
    )
    read = (
        "from tensorboard.backend.event_processing.event_accumulator import EventAccumulator\n"
        "events = EventAccumulator('runs').Reload()\nsum(one.value for one in events.Scalars('loss'))"
    )
    cells = [CellSource(text) for text in (written, read, "%load_ext tensorboard", "%tensorboard --logdir runs")]
    trace = default_runner().submit(Program(cells), Options(time_limit=60)).result(PATIENT)
    assert trace.status == "ok" and Echo("435.0") in trace.cells[1].outputs
    assert [one.reason for one in trace.cells[3].outputs if isinstance(one, Skipped)] == ["server"]


def test_unavailable_commands_are_replaced_with_a_note():
    program = Program([CellSource(source) for source, _, _ in ASKED])
    trace = default_runner().submit(program, Options(time_limit=60)).result(PATIENT)
    for (source, reasons, echo), cell in zip(ASKED, trace.cells, strict=True):
        rest = [one for one in cell.outputs if not isinstance(one, Skipped | Printed)]
        assert [one.reason for one in cell.outputs if isinstance(one, Skipped)] == reasons, (source, cell.outputs)
        assert rest == ([] if echo is None else [Echo(echo)]), (source, rest)
