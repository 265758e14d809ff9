"""Write forward steps for Predict, with a question before each."""

from msgspec import Struct
from msgspec.structs import replace

from explorer.analysis.explain.autograd.gradient_questions import Question, about_value, in_few_rounds
from explorer.analysis.explain.autograd.view_records import GraphView
from explorer.analysis.run.operations import operation_of
from explorer.analysis.views.timeline.narrator import Narrator
from explorer.analysis.views.timeline.records import Moment
from explorer.analysis.views.timeline.run_moments import Births, timeline
from explorer.analysis.views.timeline.sentence_parts import CELLS, amount, listed, value_before
from explorer.text import code, say
from explorer.text.numbers import shape_text, shorten
from explorer.trace import Failure, Trace

MOST = 300  # most steps; a longer forward pass shows only its values


class ForwardStep(Struct, frozen=True):
    """One step of the forward pass."""

    card: str
    sentence: str
    question: Question | None
    operation: int
    span: int


class ForwardSteps(Struct, frozen=True):
    """The forward pass of a picture from its first question on.

    Attributes:
        born: for each card the number of steps after which it exists.
        settled: for a folded card the number of steps after which all its executions have run.
    """

    steps: tuple[ForwardStep, ...] = ()
    born: dict[str, int] = {}
    settled: dict[str, int] = {}


def forward_steps(trace: Trace, view: GraphView, lang: str) -> ForwardSteps:
    """Return the forward pass up to a view's backward, or nothing."""
    if any(isinstance(output, Failure) for cell in trace.cells for output in cell.outputs):
        return ForwardSteps()
    line = timeline(trace, view)
    backward = -1 if view.backward is None else view.backward
    part = next((one for one in line.chapters if one.kind == "forward" and one.backward == backward), None)
    if part is None or part.end - part.start > MOST:
        return ForwardSteps()
    asker = _Asker(trace, line, view, lang)
    pairs = [asker.ask(i, moment, i >= part.start) for i, moment in enumerate(line.moments[: part.end])]
    asked = in_few_rounds([(moment.span, q) for moment, (_, q) in zip(line.moments, pairs, strict=False)])
    start = next((i for i, question in enumerate(asked) if question is not None), part.end)
    lives = Births(trace, line).of(view)
    made = {life.made: card for card, life in lives.items()}
    steps = tuple(
        ForwardStep(made.get(i + 1, ""), pairs[i][0], asked[i], moment.first, moment.span)
        for i, moment in enumerate(line.moments[start : part.end], start)
    )
    born = {card: max(0, life.made - start) for card, life in lives.items()}
    settled = {card: max(0, life.settled - start) for card, life in lives.items() if life.settled > life.made}
    return ForwardSteps(steps, born, settled)


class _Asker(Narrator):
    """Writes the sentence of each moment, and the question about it."""

    def ask(self, at: int, moment: Moment, asks: bool) -> tuple[str, Question | None]:
        """Return a moment's sentence and question. Call it for moments in order."""
        pair = (self.describe(at, moment), self._question(moment)) if asks else ("", None)
        self.apply(moment)
        return pair

    def _question(self, moment: Moment) -> Question | None:
        trace, o = self.trace, self.trace.operations
        operation = self.main(moment)
        if moment.kind not in ("operation", "write") or operation < 0 or self.parameters(moment):
            return None
        ran = [operation_of(trace.strings[o.name[index]]) for index in range(moment.first, moment.operations)]
        if any(what.draws for what in ran) or ran[-1].fills or ran[-1].sentence in ("like", "new", "empty"):
            return None  # a coincidence, or nothing is computed
        result, inputs = self.result(operation, moment), o.inputs[operation]
        before = [value_before(trace, tensor, operation) for tensor in inputs]
        values = [value for value in before if value is not None]
        if result is None or not values or len(values) < len(before):
            return None
        runs = " ".join(self.line_of(moment).split())
        name = self._name(moment, operation)
        question = about_value(name or shorten(runs, CELLS), result, values, self.lang)
        if question is None:
            return None
        text = say(self.lang, "step-ask-next", what=self.what(moment, operation), question=question.text)
        return replace(question, text=text if name else question.text, hint=self._hint(operation, moment, question))

    def _name(self, moment: Moment, operation: int) -> str:
        """Return the name of the result, or ""."""
        outputs = self.trace.operations.outputs[operation]
        if moment.kind == "write":
            return self.word(outputs[0], moment)
        return next((one.name for one in moment.names if one.tensor in outputs and one.name != "return"), "")

    def _hint(self, operation: int, moment: Moment, question: Question) -> str:
        """Describe the operands' values or shapes."""
        parts = []
        for tensor in dict.fromkeys(self.trace.operations.inputs[operation]):
            value, word = value_before(self.trace, tensor, operation), self.operand(tensor, operation, moment)
            if word and value is not None:
                text = shape_text(value.shape) if isinstance(question.answer, tuple) else f"= {amount(value)}"
                parts.append(code(f"{word} {text}"))
        return say(self.lang, "hint-operands", values=listed(parts, self.lang)) if parts else ""
