"""What the Tensors page costs: view and figure of a tensor of 10⁶ entries against `x.sum()` on it.

usage: python benchmarks/tensors.py   (from the project's root)

- figure: the tensor's view, its grid, range and distribution as HTML; goal: at most 20 times `x.sum()` on one thread
- panel: all that the page shows of it but torch's print: the same, its title, its facts, its row in the list
"""

import sys
import time
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[1]))

from explorer.analysis.tensors.sheets import histogram, sheet
from explorer.analysis.tensors.tensor_list import ListedTensor, tensor_list
from explorer.analysis.tensors.views import tensor_view
from explorer.drawing.tensors.arrays import histogram_html, numbers_html, sheet_html
from explorer.drawing.tensors.tensor_list import facts_html, list_html, title_html
from explorer.program import read_text
from explorer.runtime.execute import execute
from explorer.trace import Options, Trace, decode, encode

ROUNDS = 200


def best_ms(work) -> float:
    """The median of many rounds, in ms."""
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return sorted(times)[ROUNDS // 2] * 1e3


def figure(trace: Trace, one: ListedTensor) -> str:
    """View, grid, range and distribution."""
    view = tensor_view(trace, one.tensor, one.version)
    counts = histogram(view.value, view.picked)
    entries = sheet_html(sheet(view.value), None, "en", "Values") + numbers_html(view.value, "en")
    return entries + histogram_html(counts, view.entries, "en")


def panel(trace: Trace) -> str:
    """Everything that the page shows of the tensor but torch's print of it."""
    (one,) = tensor_list(trace)
    view = tensor_view(trace, one.tensor, one.version)
    facts = title_html(one, view, "en") + facts_html(view, (), "en")
    return figure(trace, one) + facts + list_html(trace, (one,), one.key, (), "en")


def main() -> None:
    torch.set_num_threads(1)
    x = torch.randn(1000, 1000)
    program = read_text("x = torch.randn(1000, 1000)")
    trace = decode(encode(execute(program, Options(full=("*",)))))
    (one,) = tensor_list(trace)
    summed, drawn, whole = best_ms(x.sum), best_ms(lambda: figure(trace, one)), best_ms(lambda: panel(trace))
    print(f"x.sum() of 10⁶ entries   {summed:.3f} ms")
    print(f"view and figure of them  {drawn:.3f} ms, {drawn / summed:.1f} times as long (goal: at most 20)")
    print(f"the whole panel          {whole:.3f} ms, {len(panel(trace)) / 1e3:.1f} KB of HTML")


if __name__ == "__main__":
    main()
