"""Names inspected after a statement: cost is not quadratic, and the Trace equals full inspection."""

import pytest

from explorer.program import read_program
from explorer.runtime.execute import execute
from explorer.runtime.kernel import name_watcher
from explorer.runtime.kernel.name_watcher import NameWatcher
from explorer.trace import Options

FILLER = "".join(f"n{i} = {i}\n" for i in range(300))


def trace(source: str):
    program = read_program("-", source.encode())
    return execute(program, Options()).check()


def names(found) -> set[tuple]:
    """Return which name referred to which tensor, from when to when."""
    return {(row.name, row.start, row.until) for row in [*found.bindings, *found.arrays]}


def looked_at(statements: int) -> int:
    known, namespace, total = NameWatcher(), {}, 0
    for i in range(statements):
        code = compile(f"a{i} = 1", "-", "exec")
        exec(code, namespace)
        total += len(known.after(code, namespace))
    return total


def test_inspections_grow_linearly_with_statements():
    assert looked_at(2000) < 2.5 * looked_at(1000)


def test_a_short_program_is_inspected_completely_after_each_statement():
    assert NameWatcher().after(compile("a = 1", "-", "exec"), {"a": 1, "b": 2}) == ["a", "b"]


@pytest.mark.parametrize(
    "source",
    [
        "x = torch.Tensor([1.])\ny = x\nx = y * 2\nx, y = y, x",
        "def f():\n    global g\n    g = torch.Tensor([2.])\nn0 = 1\nf()\nf()\nh = g * 2",
        "w = torch.ones(2, requires_grad=True)\nb = w * 2\nb.sum().backward()\ng = w.grad\n(w * 3).sum().backward()\ng",
        "arr = np.ones(3)\nt = torch.from_numpy(arr)\narr[0] = 5\narr = t * 2\ndel arr",
        "q0 = torch.Tensor([2.])\nif True:\n    for q in [torch.Tensor([1.]), q0]: pass\nr = q.view(1)",
    ],
)
def test_a_long_program_is_recorded_like_with_full_inspection(source, monkeypatch):
    source = "import numpy as np\n" + FILLER + source
    some = names(trace(source))
    monkeypatch.setattr(name_watcher, "_NAMES_A_STATEMENT", 10**6)
    assert some == names(trace(source))


def test_a_tensor_added_through_globals_has_its_name_at_the_end():
    found = trace(FILLER + "globals()['hidden'] = torch.Tensor([3.])\nn0 = 1")
    assert "hidden" in {row.name for row in found.bindings}
