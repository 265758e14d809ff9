"""The Tensors page: a program and its tensors by name and line, one of them in full or the memory of them all."""

import streamlit as st

from explorer.analysis.tensors.backward_memory import memory_curve
from explorer.analysis.tensors.flops import flops
from explorer.analysis.tensors.memory import memory_map
from explorer.analysis.tensors.names import value_of
from explorer.analysis.tensors.program_lines import branches_not_run
from explorer.analysis.tensors.sharing import sharing
from explorer.analysis.tensors.tensor_list import ListedTensor, tensor_list
from explorer.analysis.tensors.writes import writes
from explorer.drawing.marks import quoted
from explorer.drawing.notebook import placeholders
from explorer.drawing.tensors.backward_memory import memory_html
from explorer.drawing.tensors.changes import sharing_html, writes_html
from explorer.drawing.tensors.flops import flops_html
from explorer.drawing.tensors.memory import alone_html, storage_svg
from explorer.drawing.tensors.tensor_list import list_html, program_html, tensor_word
from explorer.program import Program, Unusable, read_text
from explorer.program.writer import write_program
from explorer.text import say
from explorer.trace import Limit, Options, Output, Trace
from explorer.ui.components.linked_html import chosen, linked
from explorer.ui.components.script import component
from explorer.ui.components.segments import segments
from explorer.ui.components.session_values import LastGood
from explorer.ui.pages.tensors.examples import EXAMPLES, FIRST_EXAMPLE
from explorer.ui.pages.tensors.panel import tensor_panel
from explorer.ui.panels.gallery import gallery_line
from explorer.ui.panels.lesson import lesson
from explorer.ui.panels.problems import Problem, problems, problems_html
from explorer.ui.session.examples import FIRST_SIGHT
from explorer.ui.session.lessons import begin, begun
from explorer.ui.session.links import from_address
from explorer.ui.session.memo import memoize
from explorer.ui.session.page_state import PageState
from explorer.ui.session.program_button import open_as_program
from explorer.ui.session.program_run import computed, may_autorun
from explorer.ui.session.startup import wait_until_ready
from explorer.ui.session.state import document

PAGE = "tensors"
FULL = Options(full=("*",))
OWN = ""  # in place of an example's name: the session's program
VIEWS = ("tensor", "memory")
MOST_PROBLEMS = 20  # that are told
MOST_STRIPS = 16  # storages that are drawn
SMALL = 64  # entries up to which a tensor is shown first
SHOWN_EXAMPLE = "_tn_example"  # session state: the example at the last look
_last_good: LastGood[tuple[str, Trace]] = LastGood("_tn_good")  # with the program
OFFERED = "_tn_offered"  # session state: whether the example was chosen for want of a program of the user's own
LIST = "tn_list"
STATE = PageState(PAGE, {"example": "tn_source", "view": "tn_view"})

_moved = component("explorer_moved", "", "frame/moved.js")


def page(lang: str) -> None:
    """Draw the page."""
    with st.container(key="tensors"):
        lead = quoted(say(lang, "tensors-lead"))
        st.html(f'<h2 class="page-title">{quoted(say(lang, "tensors-title"))}</h2><p class="lede">{lead}</p>')
        coming = (EXAMPLES[FIRST_EXAMPLE],) if document().texts == (FIRST_SIGHT,) else document().texts
        code = placeholders.program_html(coming)
        wait_until_ready(lang, placeholders.beside_html(code, placeholders.skeleton_html("chart")))
        if STATE.arrive() and STATE["view"] == "operations":  # an old address: operations were on this page
            STATE["view"] = VIEWS[0]
            return _moved(data={"page": "operations"}, key="tn_moved")
        _offer_matrices()
        source, view = _controls(lang)
        _lesson(source, lang)
        if source == OWN:
            gallery_line(STATE, lang)
        program = _program(source)
        if program is None:
            st.html(f'<p class="notice">{quoted(say(lang, "tensors-not-run"))}</p>')
            return STATE.tell(lang, tensor="", program="")
        text = _text(program)
        with st.container(key="tn_running"):  # always there: what follows keeps its place, and with it the focus
            result = computed(program, lang, FULL) if isinstance(program, Program) else program
        trace, stale = _good(result, source)
        _troubles(result, stale, lang)
        key = ""
        if trace is not None:
            with st.container(key="tn_stale" if stale else "tn_body"):
                key = _body(trace, view, lang)
        elif not problems(result, lang):
            st.html(f'<p class="notice">{quoted(say(lang, "tensors-none"))}</p>')
    STATE.tell(lang, tensor=key, program="" if source != OWN else text)


def _offer_matrices() -> None:
    """Begin with an example of matrices, as long as nobody has written a program or chosen another one."""
    untouched = not STATE["program"] and document().texts == (FIRST_SIGHT,)
    if OFFERED not in st.session_state:
        st.session_state[OFFERED] = untouched and STATE["example"] == OWN
        if st.session_state[OFFERED]:
            STATE["example"] = FIRST_EXAMPLE
    elif st.session_state[OFFERED] and not untouched:
        st.session_state[OFFERED] = False
        if STATE["example"] == FIRST_EXAMPLE:
            STATE["example"] = OWN


def _controls(lang: str) -> tuple[str, str]:
    """Which program, and which view of it."""
    own = say(lang, "tensors-source-own", name=document().name)
    words = {OWN: own} | {name: say(lang, f"tensors-example-{name}") for name in EXAMPLES}
    with st.container(key="tn_controls", horizontal=True, vertical_alignment="bottom"):
        source = st.selectbox(
            say(lang, "tensors-source"),
            words,
            format_func=words.get,
            key=STATE.field("example"),
            on_change=lambda: STATE.put(tensor=""),  # it was one of another program
            width=300,
        )
        if source != OWN:
            open_as_program(EXAMPLES[source], lang, "tn_open", f"{source}.py")
        labels = {name: say(lang, f"tensors-view-{name}") for name in VIEWS}
        view = segments(say(lang, "tensors-view"), STATE.field("view"), labels)
    return source, view


def _lesson(source: str, lang: str) -> None:
    """What to see and to think about in an example, until its line is closed or another one is chosen."""
    if source != st.session_state.get(SHOWN_EXAMPLE, OWN):
        st.session_state[SHOWN_EXAMPLE] = source
        begin(PAGE, source)
    if source in EXAMPLES and begun(PAGE) == source:
        lesson(PAGE, say(lang, f"tensors-see-{source}"), say(lang, f"tensors-ask-{source}"), lang)


def _program(source: str) -> Program | Unusable | None:
    """The program to run; None for a program that must not run unasked."""
    try:
        if source != OWN:
            return read_text(EXAMPLES[source])
        if STATE["program"]:
            return read_text(STATE["program"]) if may_autorun() or not from_address() else None
        return document().program() if document().may_run else None
    except Unusable as problem:
        return problem


def _text(program: Program | Unusable) -> str:
    return write_program(program, "py") if isinstance(program, Program) else ""


def _good(result: Trace | Unusable, source: str) -> tuple[Trace | None, bool]:
    """The Trace that is drawn, and whether it is that of an earlier program, as this one made no tensor."""
    good = _last_good.get()
    if isinstance(result, Trace) and (len(result.tensors) or result.status == "ok"):
        _last_good.keep((source, result))
        return (result, False) if _listed(result) else (None, False)
    return (good[1], True) if good is not None and good[0] == source else (None, True)


def _troubles(result: Trace | Unusable, stale: bool, lang: str) -> None:
    """What went wrong, in torch's words, and what mends it."""
    found = problems(result, lang)
    if not found:
        return
    full = isinstance(result, Trace) and any(_is_memory(output) for cell in result.cells for output in cell.outputs)
    cards = [_trouble(problem, full, lang) for problem in found[:MOST_PROBLEMS]]
    more = quoted(say(lang, "tensors-problems", count=len(found) - 1))
    rest = f"<details><summary>{more}</summary>{''.join(cards[1:])}</details>" if len(found) > 1 else ""
    st.html(f'<div class="tn-problems">{cards[0]}{rest}</div>')
    words = say(lang, "tensors-last" if stale else "tensors-stopped")
    st.html(f'<p class="quiet">{quoted(words)}</p>')


def _is_memory(output: Output) -> bool:
    return isinstance(output, Limit) and output.limit == "memory"


def _trouble(problem: Problem, full: bool, lang: str) -> str:
    """A problem and what mends it; `full`: the run used its memory up, which torch has no words for."""
    told = f'<p class="mend">{quoted(say(lang, "tensors-mend-memory"))}</p>' if full and not problem.message else ""
    return f'<div class="tn-problem">{problems_html([problem], lang)}{told}</div>'


def _body(trace: Trace, view: str, lang: str) -> str:
    """One view of the tensors; the key of the one that is selected."""
    tensors = _listed(trace)
    run = str(hash(tuple(cell.source for cell in trace.cells)))
    tensor = _selected(trace, tensors, run)
    code = program_html(trace, tensors, tensor.key, lang)
    left, right = st.columns([34, 66] if view == "memory" else [46, 54], gap="medium")
    with left, st.container(key="tn_left"):
        listed = "" if view == "memory" else list_html(trace, tensors, tensor.key, branches_not_run(trace), lang)
        linked(f'<div class="tn-source">{code}{listed}</div>', LIST, run)
    with right, st.container(key="tn_right"):
        if view == "memory":
            _memory(trace, tensor, tensors, lang)
        else:
            tensor_panel(trace, tensor, tensors, lang)
    if view == "memory":
        _changes(trace, lang)
    return tensor.key


def _listed(trace: Trace) -> tuple[ListedTensor, ...]:
    """The list of a Trace, made once for as long as it is shown."""
    return memoize("tensors", trace, lambda: tensor_list(trace))


def _selected(trace: Trace, tensors: tuple[ListedTensor, ...], run: str) -> ListedTensor:
    """The tensor that was pressed, or asked for by an address, or the one that shows most at first sight."""
    by_key = {tensor.key: tensor for tensor in tensors}
    if (pressed := chosen(LIST, run)) in by_key:
        STATE["tensor"] = pressed
    if STATE["tensor"] in by_key:
        return by_key[STATE["tensor"]]
    failed = {
        tensor
        for operation in range(len(trace.operations))
        if trace.operations.error[operation] >= 0
        for tensor in trace.operations.inputs[operation]
    }

    def weight(number: int) -> tuple:
        tensor = tensors[number]
        entries = value_of(trace, tensor.version).data or ()
        fits = len(entries) if len(entries) <= SMALL else 0
        graded = trace.tensors.grad[tensor.tensor] >= 0 or trace.tensors.requires_grad[tensor.tensor]
        return tensor.tensor in failed, tensor.named, len(tensor.shape) > 1 and fits > 1, min(fits, 6), graded, number

    return tensors[max(range(len(tensors)), key=weight)]


def _memory(trace: Trace, current: ListedTensor, tensors: tuple[ListedTensor, ...], lang: str) -> None:
    """Storages with their views."""
    curve = memory_curve(trace)
    if curve is not None:
        linked(memoize("memory curve", trace, lambda: memory_html(curve, lang), lang), "tn_curve")
    counted = flops(trace)
    if counted.rows or counted.uncounted:
        linked(memoize("flops", trace, lambda: flops_html(counted, lang), lang), "tn_flops")
    maps = memory_map(trace)
    words: dict[int, list[str]] = {}
    for number, listed in enumerate(tensors):
        words.setdefault(listed.tensor, []).append(tensor_word(number))
    own = [part for part in maps if current.tensor in {view.tensor for view in part.views}]
    shared = [part for part in maps if part.shared and part not in own]
    any_shared = any(part.shared for part in maps)
    st.html(_section("memory-storages", "memory-shared-lead" if any_shared else "memory-nothing-shared", lang))
    lit = {tensor: " ".join(many) for tensor, many in words.items()}
    strips = "".join(storage_svg(part, lang, current.tensor, lit) for part in (own + shared)[:MOST_STRIPS])
    linked(strips + alone_html(maps, lang), "tn_strips")


def _changes(trace: Trace, lang: str) -> None:
    """What each line does to names and memory."""
    many = len(trace.cells) > 1
    told = _section("memory-writes", "memory-writes-lead", lang) + writes_html(writes(trace), many, lang)
    told += _section("memory-sharing", "memory-sharing-lead", lang) + sharing_html(sharing(trace), many, lang)
    linked(f'<div class="tn-changes">{told}</div>', "tn_changes")


def _section(title: str, lead: str, lang: str) -> str:
    return f'<h3 class="tn-section">{quoted(say(lang, title))}</h3><p class="quiet">{quoted(say(lang, lead))}</p>'
