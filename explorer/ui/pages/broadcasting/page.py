"""The Broadcasting page: operands, their alignment, and the gradients that flow back."""

from dataclasses import dataclass
from typing import Any

import streamlit as st

from explorer.analysis.views.broadcasting.alignment import MAX_RANK, Fix, fixes
from explorer.analysis.views.broadcasting.operation import (
    Broadcast,
    BroadcastLine,
    broadcasts,
    of_operation,
    of_program,
    unfloating,
    untensored,
)
from explorer.analysis.views.broadcasting.question import (
    MAX_ENTRIES,
    MAX_OPERANDS,
    NAMES,
    OPERATORS,
    BroadcastQuestion,
    Start,
    broadcast_program,
    field_of,
    fixed,
    floated,
    operand,
    too_large,
)
from explorer.drawing.broadcasting.alignment import place_text
from explorer.drawing.marks import quoted
from explorer.drawing.notebook.placeholders import skeleton_html
from explorer.program import CellSource, Program, Unusable, read_text, write_program
from explorer.text import say
from explorer.trace import Failure, Options, Trace
from explorer.ui.components.choice import choice
from explorer.ui.pages.broadcasting.parts import STATE, ShownBroadcast, chosen, explain, picture
from explorer.ui.panels.lesson import gallery_line
from explorer.ui.panels.problems import Problem, as_field_problem, problems, problems_html, where
from explorer.ui.session.links import from_address
from explorer.ui.session.memo import memoize
from explorer.ui.session.program_button import open_as_program
from explorer.ui.session.program_run import computed, may_autorun
from explorer.ui.session.startup import wait_until_ready
from explorer.ui.session.state import document

TABLE = "[[1., 2., 3.], [4., 5., 6.]]"
SQUARE = "[[1., 2., 3.], [4., 5., 6.], [7., 8., 10.]]"


@dataclass(frozen=True)
class BroadcastExample:
    """Example. Attributes: name: of its messages. operands: texts. operator, start: as in Question."""

    name: str
    operands: tuple[str, ...]
    operator: str = "add"
    start: Start = "ones"


EXAMPLES = (
    BroadcastExample("outer", ("3, 1", "1, 2")),
    BroadcastExample("product", ("3, 1", "1, 2"), "mul"),
    BroadcastExample("mse", ("3, 1", "3"), "square", "mean"),
    BroadcastExample("centre", (TABLE, "a.mean(1)"), "sub"),
    BroadcastExample("silent", (SQUARE, "a.mean(1)"), "sub"),
    BroadcastExample("rows", (TABLE, "a.sum(1)"), "div"),
    BroadcastExample("keepdim", (TABLE, "a.sum(1, keepdim=True)"), "div"),
    BroadcastExample("scalar", ("2, 3", "2.5"), "mul"),
    BroadcastExample("empty", ("3, 1", "1, 0")),
    BroadcastExample("flat", ("2, 1", "1, 3")),
    BroadcastExample("box", ("2, 3, 1", "4"), "mul"),
    BroadcastExample("three", ("4, 1", "3", "2, 1, 1")),
    BroadcastExample("deep", ("8, 1, 6, 1", "7, 1, 5")),
)


FULL = Options(full=("*",))
STARTS = ("ones", "mean", "given")
ASKED = "_bc_asked"  # session state: the program whose run was requested


def page(lang: str) -> None:
    """Draw the page, each part in its own container so that it redraws independently."""
    with st.container(key="broadcasting"):
        with st.container(key="bc_top", horizontal=True, vertical_alignment="top"):
            lede = quoted(say(lang, "bc-lede"))
            st.html(f'<h2 class="page-title">{quoted(say(lang, "nav-broadcasting"))}</h2><p class="lede">{lede}</p>')
            program = st.container(key="bc_program", horizontal=True, width="content")
        wait_until_ready(lang, skeleton_html("chart"))
        source, typed, running, trouble, halves = (
            st.container(key=f"bc_{name}") for name in ("source", "typed", "running", "problems", "halves")
        )
        STATE.read_address()
        gallery_line(STATE, lang)
        if (chose := chosen()) is not None:
            STATE["at"] = chose
        with running:
            trace, places = _followed(lang)
        with source:
            place = _place(places, trace is not None and len(trace.cells) > 1, lang)
        if place is not None:
            text = write_program(Program([CellSource(cell.source) for cell in trace.cells]), "py")
            message = _failure(trace, place) if place.result is None else ""
            shown = ShownBroadcast(
                memoize("broadcast", trace, lambda: of_operation(trace, place), place), message=message
            )
        else:
            with program:
                _examples(lang)
            with typed:
                question = _question(lang)
                _teaches(question, lang)
            text = broadcast_program(question) if not any(operand.trouble for operand in question.operands) else ""
            shown, text = _own(question, text, running, trouble, lang)
        with halves:
            left, right = st.columns([35, 65], gap="large")
            if shown is not None:
                with right:  # above on a phone
                    picture(shown, STATE["at"], lang)
                with left:
                    explain(shown, STATE["at"], lang)
        if text:
            with program:
                open_as_program(text, lang, "bc_open", "broadcasting.py")
    STATE.write_address(lang, program=text if place is not None else "")


def _followed(lang: str) -> tuple[Trace | None, tuple[BroadcastLine, ...]]:
    """Return the Trace and broadcasts of the program open on the Autograd page."""
    linked = STATE["program"]
    stranger = bool(linked) and from_address()
    if (stranger and not may_autorun()) or not (linked or document().may_run):
        return None, ()
    try:
        program: Program = read_text(linked) if linked else document().program()
    except Unusable:
        return None, ()
    result = computed(program, lang, FULL)
    if not isinstance(result, Trace):
        return None, ()
    return result, memoize("broadcasts", result, lambda: broadcasts(result))


def _place(places: tuple[BroadcastLine, ...], many: bool, lang: str) -> BroadcastLine | None:
    """Return the shown operation, None for typed operands."""
    if not 0 <= STATE["place"] <= len(places):
        STATE["place"] = 0
    if not places:
        return None

    def label(number: int) -> str:
        if number == 0:
            return say(lang, "bc-source-own")
        return say(lang, "bc-source-program", place=place_text(places[number - 1], many, lang))

    key = STATE.field("place", again=True)
    # The index is used if the browser still answers for the last program.
    number = st.selectbox(say(lang, "bc-source"), range(len(places) + 1), STATE["place"], label, key, width=520)
    return places[number - 1] if number else None


def _own(
    question: BroadcastQuestion, text: str, running: Any, trouble: Any, lang: str
) -> tuple[ShownBroadcast | None, str]:
    """Return the result of the page's program, and that program, or None.

    Args:
        text: the program, "" if none is written.
        running, trouble: places for the notice that it runs, and for what went wrong.
    """
    if (count := too_large(question)) or not text:
        return ShownBroadcast(None, question, trouble=_trouble(question, count, lang)), text
    with trouble:
        if _must_ask(question) and st.session_state.get(ASKED) != text:
            if st.button(say(lang, "run"), key="bc_run"):
                st.session_state[ASKED] = text
                st.rerun()
            return None, text
    note = ""
    with running:
        trace = computed(text, lang, FULL)
        if isinstance(trace, Trace) and (names := unfloating(trace, question)):
            question = floated(question, names)
            text = broadcast_program(question)
            trace = computed(text, lang, FULL)
            note = say(lang, "bc-floated", names=", ".join(names))
        names = untensored(trace, question) if isinstance(trace, Trace) else ()
        if names:
            note = say(lang, "bc-not-tensor", names=", ".join(names))
    broadcast = _of_question(trace, question) if isinstance(trace, Trace) else None
    clash = broadcast is not None and bool(broadcast.alignment.clashes)
    # torch's message would be about a line that the page wrote, so the note replaces it.
    if not names and (not isinstance(trace, Trace) or (trace.end != "ok" and not clash)):
        with trouble:
            st.html(problems_html([_of_its_field(problem, question, lang) for problem in problems(trace, lang)], lang))
    message = _failure(trace) if clash and isinstance(trace, Trace) else ""
    repaired = None
    if clash:
        with running:
            repaired = _repaired(broadcast, question, lang)
    return ShownBroadcast(broadcast, question, note=note, message=message, repaired=repaired), text


def _repaired(clashing: Broadcast, question: BroadcastQuestion, lang: str) -> tuple[Fix, Broadcast] | None:
    """Return the likeliest repair and its result, or None."""
    texts = [operand.text for operand in question.operands]
    for fix in fixes(clashing.alignment.shapes, texts)[:1]:
        tried = fixed(question, fix.operand, fix.code, fix.shape)
        trace = None if too_large(tried) else computed(broadcast_program(tried), lang, FULL)
        made = _of_question(trace, tried) if isinstance(trace, Trace) and trace.end == "ok" else None
        if made is not None and made.values is not None:
            return fix, made
    return None


def _of_question(trace: Trace, question: BroadcastQuestion) -> Broadcast | None:
    return memoize("broadcast", trace, lambda: of_program(trace, question), question)


def _of_its_field(problem: Problem, question: BroadcastQuestion, lang: str) -> Problem:
    """Assign a problem to its field or operation."""
    if not problem.line:
        return problem
    name, column = field_of(question, problem.line, problem.span[1] if problem.span else -1)
    if not name:
        return as_field_problem(problem, where(question.expression, lang), "", lang)
    label = say(lang, "inspect-start") if name == "given" else name
    text = question.given if name == "given" else question.operands[question.names.index(name)].text
    return as_field_problem(problem, where(label, lang, 0, column), text, lang)


def _question(lang: str) -> BroadcastQuestion:
    """Draw the operands' fields. Return their question."""
    count = STATE["count"]
    names = NAMES[:count]
    with st.container(key="bc_inputs", horizontal=True, vertical_alignment="bottom"):
        for position, name in enumerate(names):
            st.text_input(
                say(lang, "bc-operand", name=name),
                key=STATE.field(name),
                help=say(lang, "bc-operand-hint") if not position else None,
                width=180,
            )
            if not position:
                kinds = [key for key, operator in OPERATORS.items() if operator.chained or count == 2]
                if STATE["operator"] not in kinds:
                    STATE["operator"] = kinds[0]
                st.selectbox(
                    say(lang, "bc-operator"),
                    kinds,
                    format_func=lambda key: OPERATORS[key].text.format("a", "b").removeprefix("torch."),
                    key=STATE.field("operator"),
                    width=150,
                )
        st.selectbox(
            say(lang, "bc-start"),
            STARTS,
            format_func=lambda start: say(lang, f"bc-start.{start}"),
            key=STATE.field("start"),
            width=160,
        )
        if STATE["start"] == "given":
            st.text_input(
                say(lang, "inspect-start"), key=STATE.field("given"), help=say(lang, "bc-given-hint"), width=210
            )
        if count < MAX_OPERANDS:
            st.button(say(lang, "bc-more"), key="bc_more", on_click=_count, args=(count + 1,))
        if count > 2:
            st.button(say(lang, "bc-fewer"), key="bc_fewer", on_click=_count, args=(count - 1,))
    typed = {name: STATE[name].replace("\0", "") for name in (*names, "given")}  # invisible, and invalid in Python
    return BroadcastQuestion(
        tuple(operand(typed[name]) for name in names), STATE["operator"], STATE["start"], typed["given"]
    )


def _count(count: int) -> None:
    STATE.put(count=count, at="")


def _examples(lang: str) -> None:
    """Draw the menu of examples."""
    labels = {example.name: say(lang, f"bc-example-{example.name}") for example in EXAMPLES}
    choice(say(lang, "examples"), "bc_examples", labels, _load)


def _teaches(question: BroadcastQuestion, lang: str) -> None:
    """Write what the shown example teaches."""
    for example in EXAMPLES:
        asked = BroadcastQuestion(tuple(map(operand, example.operands)), example.operator, example.start)
        if asked.operands == question.operands and (asked.operator, asked.start) == (question.operator, question.start):
            see, ask = (quoted(say(lang, f"bc-example-{example.name}.{word}")) for word in ("see", "ask"))
            st.html(f'<p class="bc-about">{see} <em>{ask}</em></p>')


def _load(name: str) -> None:
    example = next(one for one in EXAMPLES if one.name == name)
    STATE.put(operator=example.operator, start=example.start, **dict(zip(NAMES, example.operands, strict=False)))
    _count(len(example.operands))


def _must_ask(question: BroadcastQuestion) -> bool:
    """Return whether code from elsewhere needs the user's consent."""
    foreign = any(operand.kind == "expression" for operand in question.operands) or question.start == "given"
    return foreign and from_address() and not may_autorun()


def _trouble(question: BroadcastQuestion, count: int, lang: str) -> str:
    """Explain why these operands make no program."""
    sentences = []
    for name, asked in zip(question.names, question.operands, strict=True):
        if asked.trouble and asked.trouble != "large":
            sentences.append(say(lang, f"bc-trouble.{asked.trouble}", **_values(asked.trouble, name, asked.text)))
    if not sentences or count:
        sentences.append(say(lang, "bc-trouble.large", count=count, most=MAX_ENTRIES))
    return " ".join(sentences)


def _values(trouble: str, name: str, text: str) -> dict[str, str | int]:
    values: dict[str, str | int] = {"name": name, "text": text[:60]}
    return values | ({"most": MAX_RANK} if trouble == "rank" else {})


def _failure(trace: Trace, place: BroadcastLine | None = None) -> str:
    """Render torch's error message, with its place if known."""
    for number, cell in enumerate(trace.cells):
        for output in cell.outputs:
            if not isinstance(output, Failure):
                continue
            if place is None or (
                output.span >= 0 and (number, trace.spans[output.span].line) == (place.cell, place.line)
            ):
                return f"{output.type}: {output.text}"
    return ""
