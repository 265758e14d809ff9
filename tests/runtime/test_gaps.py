"""Long loops: the middle is only counted, and the kept part equals a complete record."""

import signal
import time

import pytest

from explorer.analysis.explain.autograd import graph_view
from explorer.analysis.explain.why import answer
from explorer.api.answers import answering
from explorer.program import read_program
from explorer.runtime.execute import execute
from explorer.runtime.limits import HOLDS
from explorer.runtime.recorder.nodes import NodeBook
from explorer.runtime.recorder.recorder import Recorder
from explorer.runtime.recorder.rows import TensorRows
from explorer.text.numbers import number
from explorer.trace import Options, decode, encode
from tests.programs import failure, grad, near, operation_names, printed, texts, unattributed, value

CAP = 400
TRAINING = """
torch.manual_seed(0)
x, y = torch.randn(8, 3), torch.randn(8, 1)
net = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), 0.1)
for step in range(300):
    loss = ((net(x) - y) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item(), step)
"""


def run(source: str, cap: int | None = CAP):
    return execute(read_program("-", source.encode()), Options(), operation_cap=cap).check()


def counted(trace, kind: str) -> int:
    return sum(bound.count for bound in trace.limits if bound.kind == kind)


def iterations(trace) -> list[tuple[int, ...]]:
    starts, items = trace.operations.iteration.starts, trace.operations.iteration.items
    return [tuple(items[starts[i] : starts[i + 1]]) for i in range(len(trace.operations))]


def test_the_middle_is_hardly_recorded(monkeypatch):
    begun, begin = [], Recorder.begin
    monkeypatch.setattr(Recorder, "begin", lambda *given: (begun.append(1), begin(*given))[1])
    for rounds in (2_000, 8_000):
        begun.clear()
        trace = run(f"x = torch.ones(2)\nfor i in range({rounds}):\n    x = x * 0.9 + 1")
        assert len(trace.operations) + counted(trace, "operations") == 2 * rounds + 1
        assert len(begun) < 7 * CAP


@pytest.mark.thorough
@pytest.mark.parametrize("before", range(9))  # so that a gap begins at each operation of a round
def test_a_long_training_is_shortened_wherever_its_gap_begins(before, monkeypatch):
    begun, begin = [], Recorder.begin
    monkeypatch.setattr(Recorder, "begin", lambda *given: (begun.append(1), begin(*given))[1])
    run("x = torch.ones(2)\n" + "x = x + 1\n" * before + TRAINING.replace("300", "1_500"))
    assert len(begun) < 1_500 * 9 / 2


def rows(trace) -> list[tuple]:
    """Text, iteration and results of each operation."""
    told = trace.operations
    states = [[trace.versions_of(tensor)[0] for tensor in told.outputs[i]] for i in range(len(told))]
    values = [[trace.value(trace.versions.value[state]) for state in made] for made in states]
    results = [[value and value.data for value in made] for made in values]
    return list(zip(texts(trace), iterations(trace), map(str, results), strict=True))


LOOPS = {
    "over a range": "for i in range(4_000):\n    x = x * 0.9 + i",
    "in a function": "def f(x, n):\n    for i in range(n):\n        x = x * 0.9 + 1\n    return x\nx = f(x, 4_000)",
    "numbered": "items = ['a'] * 4_000\nfor i, item in enumerate(items):\n    x = x * 0.9 + i",
    "over a tensor": "rows = torch.arange(4_000.0)\nfor row in rows:\n    x = x * 0.9 + row",
    "in a loop": "for i in range(3):\n    for j in range(1_400):\n        x = x * 0.9 + j",
    "around a loop": "for i in range(300):\n    x = x + i\n    for j in range(20): x = x * 0.9 + j",
    "around a while": "for i in range(600):\n    j = 0\n    while j < 10:\n        x, j = x * 0.9 + j, j + 1",
    "while a number climbs": "while i < 4_000:\n    x = x * 0.9\n    i += 1\n    x = x + i",
    "a while in a loop": "for k in range(3):\n    j = 0\n    while j < 1_400:\n        x = x * 0.9 + j\n        j += 1",
    "one after another": "for i in range(2_900):\n    x = x * 0.9 + 1\nfor i in range(2_900):\n    x = x * 0.8 + 1",
    "of a comprehension": "x = [x * v for v in range(1, 8_000)][-1]",
    "break": "while {test}:\n    x = x * 0.9 + i\n    i += 1\n    if i == 4_000: break",
    "continue": "while {test}:\n    i += 1\n    if i % 2: continue\n    x = x * 0.9 + i",
    "bound moved": "while {test}:\n    x = x * 0.9 + i\n    i += 1\n    if i == 4_000: n = 0",
    "break of a for": "for i in range(99_000):\n    x = x * 0.9 + i\n    if not ({test} and i < 4_000): break",
    "raise": "try:\n    for i in range(99_000):\n        x = x * 0.9 + i\n"
    "        assert i < 4_000\nexcept AssertionError: pass",
    "return": "def f(x):\n    while True:\n        x = x * 0.9 + 1\n        if x[0] < 0 or len(seen) > 4_000:\n"
    "            return x\n        seen.append(0)\nseen = []\nx = f(x)",
    "generator": "def numbers():\n    yield from range(4_000)\nfor i in numbers():\n    x = x * 0.9 + i",
    "function called": "def step(x):\n    return x * 0.9 + 1\nwhile i < n and True:\n    x = step(x)\n    i += 1",
    "only a loop in it": "while i < n and True:\n    for j in range(10):\n        x = x * 0.9 + j\n    i += 10",
    "generator around a loop": "for v in (k for k in range(600)):\n    for j in range(10):\n        x = x * 0.9 + j",
}


TESTED = {  # loops with their own condition count twice, others once
    name + f", {test}" * ("{test}" in loop): loop.format(test=test)
    for name, loop in LOOPS.items()
    for test in ("i < n", "i < n and True")
}


@pytest.mark.sampled(18)
@pytest.mark.parametrize("loop", TESTED.values(), ids=TESTED)
def test_recorded_rounds_of_a_long_loop_match_a_complete_record(loop):
    source = f"x, i, n = torch.ones(2), 0, 6_000\n{loop}\nend = x.sum()\nprint(end)"
    short, whole = run(source), run(source, None)
    assert printed(short) == printed(whole) and near(value(short, "x"), value(whole, "x"))
    there = len(short.operations) + counted(short, "operations")
    assert abs(there - len(whole.operations)) <= counted(short, "about") / 100
    kept, complete = rows(short), rows(whole)
    assert kept[: CAP // 4] == complete[: CAP // 4] and set(kept) <= set(complete) and kept[-1] == complete[-1]
    assert len(kept) < len(complete) / 3 and len(complete) - complete.index(kept[-4]) < 6_500
    assert decode(encode(short)) == short


WHOLE = {
    "of no known end": "while True:\n    x = x * 0.9 + 1\n    i += 1\n    if i == 1_400: break",
    "of a known end": "for i in range(1_400):\n    x = x * 0.9 + 1",
    "after another": "for i in range(1_400): x = x * 0.9 + 1\nfor v in (k for k in range(1_400)):\n    x = x * 0.9 + v",
}


@pytest.mark.parametrize("loop", WHOLE.values(), ids=WHOLE)
def test_a_loop_of_some_thousand_operations_is_recorded_completely(loop):
    trace = run(f"x, i = torch.ones(2), 0\n{loop}", 8_000)
    assert not counted(trace, "operations") and len(trace.operations) > 2_800


def test_a_run_of_thousands_of_operations_keeps_its_end_and_drops_its_middle():
    trace = run("x = torch.ones(2)\nfor i in range(1_000):\n    x = x * 0.9 + 1")
    assert not counted(trace, "about") and len(trace.operations) + counted(trace, "operations") == 2_001
    assert iterations(trace)[-4:] == [(998,), (998,), (999,), (999,)]


@pytest.mark.skipif(not HOLDS, reason="Windows has no masks of signals")
def test_a_stop_while_the_middle_is_dropped_leaves_no_half_of_it(monkeypatch):
    measure = NodeBook.measure_depths

    def stopped_here(nodes):
        signal.raise_signal(signal.SIGINT)
        time.sleep(0.05)  # the stop comes a thousandth of a second later
        measure(nodes)

    monkeypatch.setattr(NodeBook, "measure_depths", stopped_here)
    endless = b"x = torch.tensor(1., requires_grad=True)\nwhile True:\n    y = x + 1"
    trace = execute(read_program("-", endless), Options(), limited=True, operation_cap=CAP).check()
    assert len(graph_view(trace).cards) == 2


def test_a_longer_run_is_sampled():
    trace = run("x, i = torch.ones(2), 0\nwhile True:\n    x = x * 0.9 + 1\n    i += 1\n    if i == 8_000: break")
    assert len(trace.operations) <= CAP and counted(trace, "about") > 10_000
    assert abs(len(trace.operations) + counted(trace, "operations") - 16_001) <= 4


def test_a_training_that_stops_early_has_its_steps_and_true_ends():
    source = TRAINING.replace("range(300)", "range(100_000)").replace(
        "    optimizer.step()", "    optimizer.step()\n    if step == 299: break"
    )
    short, whole = run(source), run(source, None)
    assert printed(short) == printed(whole)
    assert len(short.backwards) + counted(short, "backwards") == 300
    for name in ("net.weight", "net.bias", "loss"):
        assert near(value(short, name), value(whole, name))
    assert near(grad(short, "net.weight"), grad(whole, "net.weight"))
    assert short.steps.loss == whole.steps.loss and unattributed(short) == []
    assert len(short.backwards[-1].accumulated) == 2 and max(iterations(short)) > (150,)
    # The picture names its round, and the loss is the last one.
    call, calls = graph_view(short).call
    assert call < calls == 300 and graph_view(whole).call == (0, 0)
    assert f" → {number(value(short, 'loss').item())} over 300 " in str(answering(short).report())
    assert answer(short, "loss").derivation.step.noted == "unmade"


def test_a_backward_that_raised_is_recorded():
    trace = run("""
w = torch.ones(2, requires_grad=True)
for i in range(20):
    loss = (w * w).sum()
    loss.backward(torch.ones(3) if i == 15 else None)
""")
    assert failure(trace)[0] == "RuntimeError" and graph_view(trace).call == (0, 0)
    assert len(trace.backwards) == 16 and "over 15 " in str(answering(trace).report())  # the finished rounds


FAILING = ("w @ w", "w.view(4, -1)", "torch.cat([w, w.T])", "F.mse_loss(w, w[0, :2])", "net(w)")


@pytest.mark.parametrize("line", FAILING)
def test_a_failure_in_the_dropped_part_has_its_line(line):
    trace = run(f"""
import torch.nn.functional as F
w, net = torch.ones(2, 3), torch.nn.Linear(2, 1)
for i in range(2_000):
    y = w * i
    if i == 1_000:
        {line}
""")
    kind, _, where = failure(trace)
    assert kind == "RuntimeError" and where == line and value(trace, "y").tolist() == [[1_000] * 3] * 2


AWAY = """
def train(rounds):
    w = torch.zeros(2, requires_grad=True)
    optimizer = torch.optim.SGD([w], 0.001)
    for i in range(rounds):
        loss = ((w - 1) ** 2).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        {line}
    return w
w = train(500)
end = (w * 2).sum()
end.backward()
"""


ENDINGS = ("pass", "if i == 400: break", "try: assert i % 7\n        except AssertionError: pass", "list(map(abs, w))")


@pytest.mark.sampled(4)
@pytest.mark.parametrize("line", ENDINGS)
def test_recording_resumes_after_a_training_inside_a_function(line):
    source = AWAY.format(line=line)
    short, whole = run(source), run(source, None)
    assert texts(short)[-2:] == texts(whole)[-2:] == ["w * 2", "(w * 2).sum()"]
    assert near(value(short, "end"), value(whole, "end")) and near(grad(short, "w"), grad(whole, "w"))
    assert len(short.backwards) + counted(short, "backwards") == len(whole.backwards)
    assert iterations(short)[-1] == iterations(whole)[-1]


def test_a_gradient_that_reaches_into_rounds_without_a_record_is_drawn_without_them():
    trace = run("""
w = torch.ones(2, requires_grad=True)
h = w
for i in range(2_000):
    h = h * 0.999 + 0.001
h.sum().backward()
""")
    assert counted(trace, "nodes") > 2_000 and counted(trace, "about") > 1_000
    assert near(grad(trace, "w"), [0.999**2_000] * 2)


def test_the_programs_own_tracing_is_kept():
    trace = run("""
import sys
def trace(frame, event, argument): return None
sys.settrace(trace)
h = torch.ones(2)
for i in range(2_000):
    h = h * 0.999 + 0.001
print(sys.gettrace() is trace)
sys.settrace(None)
""")
    assert printed(trace) == "True\n" and not counted(trace, "about")


def test_recording_resumes_after_a_failed_loop():
    failing = b"# %%\nx = torch.ones(2)\nfor i in range(2_000):\n    x = x + 1\n    assert i < 1_000\n"
    program = failing + b"# %%\ny = x * 2\nz = y.sum()"
    trace = execute(read_program("cells.py", program), Options(), operation_cap=CAP).check()
    assert texts(trace)[-2:] == ["x * 2", "y.sum()"] and value(trace, "z") == 4008


def test_values_of_rows_written_in_a_loop_are_current_at_the_end():
    trace = run("""
x = torch.zeros(300, 2)
rows = [row for row in x]
for i, row in enumerate(rows):
    row += i
last = rows[-1]
first = rows[0] + 1
""")
    assert value(trace, "last").tolist() == [299, 299] and value(trace, "first").tolist() == [1, 1]
    assert trace["x"].maximum == 299


def test_a_long_unrecorded_chain_is_not_traversed():
    trace = run("""
w = torch.ones(1, requires_grad=True)
total = w * 1
for i in range(3_000):
    total = total + w
total.backward()
print(w.grad)
""")
    assert printed(trace) == "tensor([3001.])\n" and len(trace.nodes) < 3 * CAP
    assert grad(trace, "w").tolist() == [3001]


WATCHED = """
w = torch.ones(2, requires_grad=True)
i = 0
while i < {rounds}:
    i += 1
    v = torch.ones(2, requires_grad=True)
    loss = (w * v * i).sum()
    loss.backward()
"""


@pytest.mark.thorough
def test_the_recorders_memory_does_not_grow_with_the_run(monkeypatch):
    held, close = [], Recorder.close

    def measured(recorder):
        nodes, rows = recorder.nodes, recorder.rows
        books = (nodes.starts, nodes._by_sequence, nodes._leaves, nodes._by_variable, recorder.tensors.known)
        held.append([len(book) for book in (*books, recorder.values.rows, rows.bindings, rows.nodes, rows.tensors)])
        close(recorder)

    monkeypatch.setattr(Recorder, "close", measured)
    for rounds in (500, 2_000):
        trace = run(WATCHED.format(rounds=rounds))
        assert grad(trace, "v").tolist() == [rounds, rounds]
        assert grad(trace, "w").tolist() == [rounds * (rounds + 1) / 2] * 2
    assert all(after <= 2 * before + 50 for before, after in zip(*held, strict=True))


def test_iterating_a_tensor_inspects_each_row_a_few_times(monkeypatch):
    looked, living = [], TensorRows.all_living
    monkeypatch.setattr(TensorRows, "all_living", lambda book, seen: (looked.append(len(seen)), living(book, seen))[1])
    counts = []
    for rows in (300, 1_200):
        looked.clear()
        run(f"x = torch.arange({rows}.0)\ny = [v ** 2 for v in x]\nfor v in x:\n    v += 1", None)
        counts.append(sum(looked))
    assert counts[1] < 6 * counts[0]


def test_a_dropped_operations_error_is_not_attributed_to_another():
    trace = run(
        """\
class Long(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        left = 900
        while left:
            x = x * 0.9
            left = left - 1 if left % 2 else left - 1
        raise ValueError("at its end")
    @staticmethod
    def backward(ctx, gradient):
        return gradient
x = torch.ones(2)
for i in range(CAP):
    x = x + 1
try:
    Long.apply(x)
except ValueError as problem:
    print(problem)
y = torch.ones(3) * 2
""".replace("CAP", str(CAP))
    )
    assert printed(trace) == "at its end\n" and "Long.apply" not in operation_names(trace)
    assert set(trace.operations.error) == {-1}
