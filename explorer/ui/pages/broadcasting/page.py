"""The Broadcasting page: operands in; their alignment, the picture, and the gradients' way back out."""

from typing import Any

import streamlit as st

from explorer.broadcasting import (
    MAX_ENTRIES,
    MAX_OPERANDS,
    MAX_RANK,
    NAMES,
    OPERATORS,
    Broadcast,
    BroadcastLine,
    BroadcastQuestion,
    broadcast_program,
    broadcasts,
    of_operation,
    of_program,
    operand,
    unfloating,
    untensored,
)
from explorer.broadcasting.asking import field_of, floated, too_large
from explorer.drawing.broadcasting.alignment import place_text
from explorer.drawing.marks import quoted
from explorer.program import CellSource, Program, Unusable, read_text, write_program
from explorer.text import say
from explorer.trace import Failure, Options, Trace
from explorer.ui.components.choice import choice
from explorer.ui.pages.broadcasting.examples import EXAMPLES
from explorer.ui.pages.broadcasting.parts import AT, ShownBroadcast, chosen, explain, picture
from explorer.ui.panels.fields import told_of_field, where
from explorer.ui.panels.problems import Problem, problems, problems_html
from explorer.ui.session.links import arrived, brought, keep, show
from explorer.ui.session.opening import open_as_program
from explorer.ui.session.running import computed, trusted
from explorer.ui.session.state import document
from explorer.ui.session.waiting import wait_until_ready

PAGE = "broadcasting"
FULL = Options(full=("*",))
STARTS = ("ones", "mean", "given")
# Session state: how many operands there are, a program that came with a link, the program
# whose run was asked for, what one Trace said about one operation, and the operations of one that broadcast.
COUNT, LINKED, ASKED, READ, PLACES = "_bc_count", "_bc_program", "_bc_asked", "_bc_read", "_bc_places"
# What the widgets say, also those that are not drawn now: Streamlit forgets their own state.
TYPED, WIDGETS = "_bc_typed", ("a", "b", "c", "d", "operator", "start", "given")
PLACE = "bc_place"


def page(lang: str) -> None:
    """Draw the page. Every part has its own container, so that none is drawn anew because another one came or went."""
    with st.container(key="broadcasting"):
        with st.container(key="bc_top", horizontal=True, vertical_alignment="top"):
            lede = quoted(say(lang, "bc-lede"))
            st.html(f'<h2 class="page-title">{quoted(say(lang, "bc-title"))}</h2><p class="lede">{lede}</p>')
            program = st.container(key="bc_program", horizontal=True, width="content")
        wait_until_ready(lang)
        source, typed, running, told, halves = (
            st.container(key=f"bc_{name}") for name in ("source", "typed", "running", "problems", "halves")
        )
        if (came := arrived(PAGE)) is not None:
            _seed(came)
        if (chose := chosen()) is not None:
            st.session_state[AT] = chose
        with running:
            trace, places = _followed(lang)
        with source:
            place = _place(places, trace is not None and len(trace.cells) > 1, lang)
        if place is not None:
            text = write_program(Program([CellSource(cell.source) for cell in trace.cells]), "py")
            message = _failure(trace, place) if place.result is None else ""
            shown = ShownBroadcast(_read(trace, place, lambda: of_operation(trace, place)), message=message)
        else:
            with program:
                _examples(lang)
            with typed:
                question = _question(lang)
                keep(PAGE, _state("", 0))  # the page may be left before the run that follows has ended
                _teaches(question, lang)
            text = broadcast_program(question) if not any(one.trouble for one in question.operands) else ""
            shown, text = _own(question, text, running, told, lang)
        with halves:
            left, right = st.columns([35, 65], gap="large")
            if shown is not None:
                with left:
                    explain(shown, st.session_state[AT], lang)
                with right:
                    picture(shown, st.session_state[AT], lang)
        if text:
            with program:
                open_as_program(text, lang, "bc_open", "broadcasting.py")
    _tell(text if place is not None else "", places.index(place) + 1 if place is not None else 0, lang)


def _seed(came: dict[str, Any]) -> None:
    """Put what an address or an earlier visit says into the widgets."""
    st.session_state[TYPED] = {name: came[name] for name in WIDGETS}
    for name in WIDGETS:
        st.session_state[f"bc_{name}"] = came[name]
    st.session_state[COUNT], st.session_state[AT] = came["count"], came["at"]
    st.session_state[LINKED] = came["program"] if brought() else ""
    st.session_state[PLACE] = came["place"]


def _tell(program: str, place: int, lang: str) -> None:
    """Put the page's state into the address."""
    show(PAGE, _state(program, place), lang)


def _state(program: str, place: int) -> dict[str, Any]:
    more = {"count": st.session_state[COUNT], "at": st.session_state[AT], "place": place, "program": program}
    return st.session_state[TYPED] | more


def _followed(lang: str) -> tuple[Trace | None, tuple[BroadcastLine, ...]]:
    """The Trace of the program that is open on the Autograd page (or came with a link), and where it broadcast."""
    linked = st.session_state.get(LINKED)
    stranger = bool(linked) and brought()
    if (stranger and not trusted()) or not (linked or document().asked):
        return None, ()
    try:
        program: Program = read_text(linked) if linked else document().program()
    except Unusable:
        return None, ()
    result = computed(program, lang, FULL)
    if not isinstance(result, Trace):
        return None, ()
    known = st.session_state.get(PLACES)
    if known is None or known[0] is not result:
        known = (result, broadcasts(result))
        st.session_state[PLACES] = known
    return known


def _place(places: tuple[BroadcastLine, ...], many: bool, lang: str) -> BroadcastLine | None:
    """The operation of the program that is shown, None for the operands typed on this page."""
    if not places:
        return None
    if not 0 <= st.session_state.get(PLACE, 0) <= len(places):
        st.session_state[PLACE] = 0

    def label(number: int) -> str:
        if number == 0:
            return say(lang, "bc-source-own")
        return say(lang, "bc-source-program", place=place_text(places[number - 1], many, lang))

    number = st.selectbox(say(lang, "bc-source"), range(len(places) + 1), format_func=label, key=PLACE, width=520)
    return places[number - 1] if number else None


def _own(
    question: BroadcastQuestion, text: str, running: Any, told: Any, lang: str
) -> tuple[ShownBroadcast | None, str]:
    """What the page's own program leaves, and that program; None where nothing is to be shown.

    Args:
        text: the program, "" where none is written.
        running, told: where it is said that it runs, and what went wrong.
    """
    if (count := too_large(question)) or not text:
        return ShownBroadcast(None, question, trouble=_trouble(question, count, lang)), text
    with told:
        if _must_ask(question) and st.session_state.get(ASKED) != text:
            if st.button(say(lang, "bc-run"), key="bc_run"):
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
    found = _read(trace, question, lambda: of_program(trace, question)) if isinstance(trace, Trace) else None
    clash = found is not None and bool(found.alignment.clashes)
    # Where the note says what is wrong, torch's words would speak of a line that only the page wrote.
    if not names and (not isinstance(trace, Trace) or (trace.status != "ok" and not clash)):
        with told:
            st.html(problems_html([_of_its_field(one, question, lang) for one in problems(trace, lang)], lang))
    return ShownBroadcast(found, question, note=note, message=_failure(trace) if clash else ""), text


def _of_its_field(one: Problem, question: BroadcastQuestion, lang: str) -> Problem:
    """A problem of the page's program as one of the field whose text it is, or of the operation."""
    if not one.line:
        return one
    name, column = field_of(question, one.line, one.span[1])
    if not name:
        return told_of_field(one, where(question.expression, lang), "", lang)
    label = say(lang, "bc-given") if name == "given" else name
    text = question.given if name == "given" else question.operands[question.names.index(name)].text
    return told_of_field(one, where(label, lang, 0, column), text, lang)


def _question(lang: str) -> BroadcastQuestion:
    """The widgets of the operands."""
    typed = st.session_state[TYPED]
    for name in WIDGETS:
        st.session_state.setdefault(f"bc_{name}", typed[name])
    count = st.session_state[COUNT]
    names = NAMES[:count]
    with st.container(key="bc_inputs", horizontal=True, vertical_alignment="bottom"):
        for position, name in enumerate(names):
            st.text_input(
                say(lang, "bc-operand", name=name),
                key=f"bc_{name}",
                help=say(lang, "bc-operand-hint") if not position else None,
                width=210,
            )
            if not position:
                kinds = [key for key, one in OPERATORS.items() if one.chained or count == 2]
                if st.session_state.get("bc_operator") not in kinds:
                    st.session_state["bc_operator"] = kinds[0]
                st.selectbox(
                    say(lang, "bc-operator"),
                    kinds,
                    format_func=lambda key: OPERATORS[key].text.format("a", "b").removeprefix("torch."),
                    key="bc_operator",
                    width=190,
                )
        st.selectbox(
            say(lang, "bc-start"),
            STARTS,
            format_func=lambda start: say(lang, f"bc-start-{start}"),
            key="bc_start",
            width=190,
        )
        if st.session_state["bc_start"] == "given":
            st.text_input(say(lang, "bc-given"), key="bc_given", help=say(lang, "bc-given-hint"), width=210)
        if count < MAX_OPERANDS:
            st.button(say(lang, "bc-more"), key="bc_more", on_click=_count, args=(count + 1,))
        if count > 2:
            st.button(say(lang, "bc-fewer"), key="bc_fewer", on_click=_count, args=(count - 1,))
    typed |= {name: st.session_state[f"bc_{name}"] for name in WIDGETS}
    operands = tuple(operand(typed[name]) for name in names)
    return BroadcastQuestion(operands, typed["operator"], typed["start"], typed["given"])


def _count(count: int) -> None:
    st.session_state[COUNT] = count
    st.session_state[AT] = ""


def _examples(lang: str) -> None:
    """The menu of examples."""
    labels = {example: say(lang, f"bc-example-{example.name}") for example in EXAMPLES}
    things = {f"bc_example_{example.name}": (example, labels[example]) for example in EXAMPLES}
    choice(say(lang, "examples"), "bc_examples", things, _load)


def _teaches(question: BroadcastQuestion, lang: str) -> None:
    """What the example that is shown teaches."""
    for example in EXAMPLES:
        asked = BroadcastQuestion(tuple(map(operand, example.operands)), example.operator, example.start)
        if asked.operands == question.operands and (asked.operator, asked.start) == (question.operator, question.start):
            see, ask = (quoted(say(lang, f"bc-{word}-{example.name}")) for word in ("about", "ask"))
            st.html(f'<p class="bc-about">{see} <em>{ask}</em></p>')


def _load(example) -> None:
    for name, text in zip(NAMES, example.operands, strict=False):
        st.session_state[f"bc_{name}"] = text
    st.session_state["bc_operator"], st.session_state["bc_start"] = example.operator, example.start
    _count(len(example.operands))


def _must_ask(question: BroadcastQuestion) -> bool:
    """Whether this holds code from elsewhere that may not run before its reader asks."""
    foreign = any(one.kind == "expression" for one in question.operands) or question.start == "given"
    return foreign and brought() and not trusted()


def _trouble(question: BroadcastQuestion, count: int, lang: str) -> str:
    """Why no program is written of these operands."""
    told = []
    for name, one in zip(question.names, question.operands, strict=True):
        if one.trouble and one.trouble != "large":
            told.append(say(lang, f"bc-trouble-{one.trouble}", **_values(one.trouble, name, one.text)))
    if not told or count:
        told.append(say(lang, "bc-trouble-large", count=count, most=MAX_ENTRIES))
    return " ".join(told)


def _values(trouble: str, name: str, text: str) -> dict[str, str | int]:
    values: dict[str, str | int] = {"name": name, "text": text[:60]}
    return values | ({"most": MAX_RANK} if trouble == "rank" else {})


def _failure(trace: Trace, place: BroadcastLine | None = None) -> str:
    """torch's own words for what went wrong, at a place or at all."""
    for number, cell in enumerate(trace.cells):
        for output in cell.outputs:
            if not isinstance(output, Failure):
                continue
            if place is None or (
                output.span >= 0 and (number, trace.spans[output.span].line) == (place.cell, place.line)
            ):
                return f"{output.type}: {output.text}"
    return ""


def _read(trace: Trace, about: object, read) -> Broadcast | None:
    """What a Trace says, read once for as long as it is shown."""
    known = st.session_state.get(READ)
    if known is None or known[0] is not trace or known[1] != about:
        known = (trace, about, read())
        st.session_state[READ] = known
    return known[2]
