"""The server keeps only as much text as a legitimate process may show."""

import msgspec

from explorer.program import CellSource, Program
from explorer.sandbox import default_runner
from explorer.sandbox.partial_traces import bounded, limited_trace
from explorer.trace import Cell, Echo, Limit, Options, Printed, Result
from tests.patience import PATIENT

PROGRAM = Program([CellSource("a"), CellSource("b")])


def traced(*cells: list):
    trace = limited_trace(PROGRAM, Options(), "crash", 0)
    return msgspec.structs.replace(trace, cells=[Cell("a", outputs) for outputs in cells], spans=[])


def test_text_beyond_the_limit_is_cut_and_counted():
    trace = bounded(traced([Printed("stdout", "x" * 200_000)], [Echo("y" * 10), Result(-1, "z" * 300_000)]), Options())
    assert sum(len(one.text) for cell in trace.cells for one in cell.outputs if not isinstance(one, Limit)) < 200_000
    assert [one.limit for cell in trace.cells for one in cell.outputs if isinstance(one, Limit)] == ["output", "output"]
    assert trace.cells[0].outputs[1].count == 200_000 - 66 * 1024 + 48


def test_valid_output_is_passed_on_unchanged():
    trace = traced([Printed("stdout", "x" * 65_536)], [Printed("stderr", "y" * 1_000)])
    assert bounded(trace, Options()) is trace


def test_a_forged_answer_is_cut_too():
    forging = (
        "from explorer.runtime.kernel.outputs import Outputs\nOutputs.fit = lambda self, text: text\n"
        "import explorer.runtime.kernel.outputs as o\n"
        "def write(self, stream, text): self._pieces.append(text)\nOutputs.write = write\nprint('x' * 250_000)"
    )
    trace = default_runner().submit(Program([CellSource(forging)]), Options()).result(PATIENT)
    printed = sum(len(one.text) for one in trace.cells[0].outputs if isinstance(one, Printed))
    assert 0 < printed <= 64 * 1024 + 1_000 and trace.status == "limited"
