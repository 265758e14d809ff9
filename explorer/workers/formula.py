"""The formula of a gradient: SymPy works in a confined process that is killed when it takes too long."""

from explorer.analysis.gradcheck.formula import GradientFormula, formula_answer, formula_question
from explorer.analysis.gradcheck.subjects import Subject, subjects
from explorer.program import CellSource, Program
from explorer.sandbox import Runner
from explorer.trace import Options, Trace
from explorer.workers.second_run import run_of

SECONDS = 6.0  # of the process


def gradient_formula(
    trace: Trace, leaf: int, backward: int | None = None, runner: Runner | None = None, visitor: str = ""
) -> GradientFormula | None:
    """The closed form of the gradient of a scalar leaf, checked against autograd's; None if none is known."""
    asked = [one for one in subjects(trace, backward, only=(leaf, 0)) if isinstance(one, Subject)]
    question = formula_question(trace, asked[0]) if asked else None
    if question is None:
        return None
    options = Options(time_limit=SECONDS, detail="light")
    found = run_of(Program([CellSource(question.program)]), options, SECONDS + 10, runner, visitor)
    return None if found is None else formula_answer(question, found)
