"""Draw a question's input fields and the reply."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import streamlit as st
from msgspec.structs import replace

from explorer.drawing.marks import message_html, quoted
from explorer.lessons.answers import failing, judge, judge_make, nearness, right_answer, stretched
from explorer.lessons.asks import Ask, AxesAsk, CardAsk, ChoiceAsk, Fact, MakeAsk, NumberAsk, PrintsAsk, ShapeAsk
from explorer.lessons.drawing.course_map import choices_html, prose_html
from explorer.lessons.facts import LessonRun, answer_text, describe_failed_check
from explorer.lessons.lesson import Lesson
from explorer.lessons.texts import AskText
from explorer.text import say
from explorer.text.numbers import number
from explorer.ui.components.linked_html import linked, pressed
from explorer.ui.pages.lessons.learner import TRIES, Answered, answered, key_of, put, shown, take
from explorer.ui.session.given_files import unmarked

ANSWERED = "_lesson_said"  # session state: the last answered question that was not judged yet, and the answer
MOST_AXES = 3  # most axes that can be marked
MAX_FAILED_CHECKS = 3  # most failed checks described
SHOWN_FACTS = frozenset({"value", "gradient", "shape", "dtype", "prints", "shares", "grad_fn"})  # shown if right


@dataclass(frozen=True)
class Given:
    """Answer to judge. Attributes: text: as typed. axes: marked axes of each tensor."""

    text: str = ""
    axes: tuple[tuple[int, ...], ...] = ()


def field(lesson: Lesson, ask: Ask, lang: str) -> None:
    """Draw a question's answer field."""
    now, key = answered(lesson, ask), key_of(lesson, ask)
    over = now.state != "open"
    match ask:
        case ChoiceAsk():
            _choices(lesson, ask, now, lang)
        case _ if over:
            return
        case NumberAsk() | ShapeAsk() | PrintsAsk():
            _typed(ask, key, lang)
        case AxesAsk():
            _axes(ask, key, lang)
        case CardAsk():
            st.html(f'<p class="lesson-how">{quoted(say(lang, "lessons-how-card"))}</p>')
        case MakeAsk():
            st.html(f'<p class="lesson-how">{quoted(say(lang, "lessons-how-make"))}</p>')


def _choices(lesson: Lesson, ask: ChoiceAsk, now: Answered, lang: str) -> None:
    key, over = key_of(lesson, ask), now.state != "open"
    choices = lesson.text(lang).asks[ask.id].choices
    html = choices_html(choices, now.gone, now.answer, ask.right if over else "")
    linked(html, f"lesson_choices_{key}", key)
    if (letter := pressed(f"lesson_choices_{key}", key)) is not None and not over:
        st.session_state[ANSWERED] = (key, Given(letter))


def _typed(ask: NumberAsk | ShapeAsk | PrintsAsk, key: str, lang: str) -> None:
    kind = ask.__struct_config__.tag
    form = st.form(f"lesson_form_{key}", border=False)
    with form, st.container(key="lesson_answer", horizontal=True, vertical_alignment="bottom"):
        label, hint = say(lang, f"lessons-answer-{kind}"), say(lang, f"lessons-answer-{kind}.example")
        if isinstance(ask, PrintsAsk):
            text = st.text_area(label, key=f"lesson_field_{key}", height=84, max_chars=2_000)
        else:
            text = st.text_input(label, key=f"lesson_field_{key}", placeholder=hint, max_chars=60)
        if st.form_submit_button(say(lang, "lessons-check"), type="primary", key=f"lesson_check_{key}"):
            st.session_state[ANSWERED] = (key, Given(text))


def _axes(ask: AxesAsk, key: str, lang: str) -> None:
    marked = []
    for name in ask.tensors:
        axes = st.pills(
            unmarked(say(lang, "lessons-axes", name=name)),
            range(-MOST_AXES, 0),
            selection_mode="multi",
            format_func=lambda axis: str(axis).replace("-", "−"),
            key=f"lesson_axes_{key}_{name}",
        )
        marked.append(tuple(sorted(axes or ())))
    if st.button(say(lang, "lessons-check"), type="primary", key=f"lesson_check_{key}"):
        st.session_state[ANSWERED] = (key, Given(axes=tuple(marked)))


def judged(lesson: Lesson, ask: Ask, shown_run: LessonRun | None, own: LessonRun | None, card: Sequence[int]) -> bool:
    """Judge the answer. Return whether to redraw the page.

    Args:
        shown_run: the program as it was first shown. own: the learner's.
        card: the nodes of the card that is selected.
    """
    if answered(lesson, ask).state != "open":
        return False
    key = key_of(lesson, ask)
    of, given = st.session_state.get(ANSWERED, ("", Given()))
    answer = given if of == key else None
    reply = None
    match ask:
        case NumberAsk() | ShapeAsk() | PrintsAsk() | AxesAsk() if answer is not None and shown_run is not None:
            reply = judge(ask, answer.axes if isinstance(ask, AxesAsk) else answer.text, shown_run)
        case ChoiceAsk() if answer is not None:
            reply = judge(ask, answer.text)
        case CardAsk() if card and own is not None:
            if str(list(card)) == answered(lesson, ask).answer:
                return False
            reply, answer = judge(ask, card, own), Given(str(list(card)))
        case MakeAsk() if own is not None:
            if (reply := judge_make(ask, own)).right is not True:
                return False
            answer = Given()
    if reply is None or answer is None:
        return False
    st.session_state.pop(ANSWERED, None)
    take(lesson, ask, answer.text, reply)
    return True


def feedback(
    lesson: Lesson, ask: Ask, shown_run: LessonRun | None, own: LessonRun | None, changed: bool, lang: str
) -> None:
    """Draw the reply to the last answer, the requested hints, and the ways on.

    Args:
        changed: whether the learner changed the program.
    """
    now, text = answered(lesson, ask), lesson.text(lang).asks[ask.id]
    if now.state != "open":
        linked(_over(lesson, ask, now, shown_run, own, changed, lang), "lesson_verdict")
        return
    parts = []
    if now.unread:
        kind = ask.__struct_config__.tag
        words = f"lessons-answer-{kind}.unread" if kind in ("number", "shape", "prints") else "lessons-unread"
        parts.append(f'<p class="lesson-reply is-unread">{quoted(say(lang, words))}</p>')
    elif isinstance(ask, MakeAsk):
        parts += _made(lesson, ask, own, changed, lang)
    elif now.tries:
        words = say(lang, "lessons-not-yet", how=nearness(ask, now.answer, shown_run))
        parts.append(_wrong(ask, now, text, f"<p>{quoted(words)}</p>"))
    for hint in text.hints[: now.hints]:
        parts.append(f'<div class="lesson-hint"><b>{quoted(say(lang, "lessons-hint"))}</b>{prose_html(hint)}</div>')
    if parts:
        linked(f'<div role="status">{"".join(parts)}</div>', "lesson_verdict")
    key = key_of(lesson, ask)
    with st.container(key="lesson_ways", horizontal=True, gap="small"):
        if now.hints < len(text.hints):
            words = say(lang, "lessons-hint-more" if now.hints else "lessons-hint")
            st.button(words, key=f"lesson_hint_{key}", type="tertiary", on_click=_hint, args=(lesson, ask))
        words = say(lang, "lessons-show" if now.tries >= TRIES or isinstance(ask, MakeAsk) else "lessons-skip")
        st.button(words, key=f"lesson_skip_{key}", type="tertiary", on_click=shown, args=(lesson, ask))


def _wrong(ask: Ask, now: Answered, text: AskText, otherwise: str) -> str:
    """Return the last wrong answer, and its reply or the default one."""
    words = prose_html(text.wrong[now.reply]) if now.reply in text.wrong else otherwise
    answer = f"<b>{quoted(now.answer)}</b>" if isinstance(ask, NumberAsk | ShapeAsk) else ""
    return f'<div class="lesson-reply is-wrong">{answer}{words}</div>' if answer or words else ""


def _hint(lesson: Lesson, ask: Ask) -> None:
    now = answered(lesson, ask)
    put(lesson, ask, replace(now, hints=now.hints + 1))


def _made(lesson: Lesson, ask: MakeAsk, own: LessonRun | None, changed: bool, lang: str) -> list[str]:
    """Describe what the learner's program did instead, with the reply to a common edit."""
    if not changed or own is None:
        return []
    reply = judge_make(ask, own)
    text = lesson.text(lang).asks[ask.id]
    parts = []
    if did := _did(failing(ask, own), own, lang):
        parts.append(did)
    if reply.known in text.wrong:
        parts.append(f'<div class="lesson-reply is-wrong">{prose_html(text.wrong[reply.known])}</div>')
    return parts


def _did(facts: list[Fact], own: LessonRun, lang: str) -> str:
    """Describe what a program did instead of the first fact, or ""."""
    sentences = [sentence for fact in facts[:MAX_FAILED_CHECKS] for sentence in describe_failed_check(fact, own)]
    unique = list({(sentence.id, str(sentence.values)): sentence for sentence in sentences}.values())
    rows = "".join(f"<li>{message_html(lang, fact.id, **fact.values)}</li>" for fact in unique)
    return f'<div class="lesson-reply is-did"><ul>{rows}</ul></div>' if rows else ""


def answer_of(ask: Ask, shown_run: LessonRun) -> str:
    """Return the right answer if the run yields it, or ""."""
    match ask:
        case NumberAsk() | ShapeAsk():
            return answer_text(right_answer(ask, shown_run), isinstance(ask, ShapeAsk))
        case PrintsAsk():
            return str(right_answer(ask, shown_run))
        case AxesAsk():
            axes = stretched(ask, shown_run) or []
            named = zip(ask.tensors, axes, strict=False)
            return "; ".join(f"{name}: {', '.join(map(number, marked)) or '–'}" for name, marked in named)
    return ""


def _over(
    lesson: Lesson,
    ask: Ask,
    now: Answered,
    shown_run: LessonRun | None,
    own: LessonRun | None,
    changed: bool,
    lang: str,
) -> str:
    """Render the learner's answer, then the right answer and its explanation."""
    text = lesson.text(lang).asks[ask.id]
    head = say(lang, "lessons-right" if now.state == "right" else "lessons-shown")
    answer = "" if shown_run is None else answer_of(ask, shown_run)
    if isinstance(ask, MakeAsk) and now.state == "shown":
        answer = ask.solution.strip("\n")
    state = "is-right" if now.state == "right" else "is-shown"
    inline, block = (f"<code>{escape(answer)}</code>", "") if answer else ("", "")
    if "\n" in answer:
        inline, block = "", f"<pre>{escape(answer)}</pre>"
    verdict = f'<p class="verdict"><b>{quoted(head)}</b> {inline}</p>{block}'
    did = tried = ""
    if now.state == "shown":
        tried = "".join(_made(lesson, ask, own, changed, lang)) if isinstance(ask, MakeAsk) else ""
        own_answer = isinstance(ask, NumberAsk | ShapeAsk)
        yours = f"<p>{quoted(say(lang, 'lessons-was-yours'))}</p>" if own_answer else ""
        tried += _wrong(ask, now, text, yours) if now.tries else ""
    if isinstance(ask, MakeAsk) and now.state == "right" and own is not None and judge_make(ask, own).right:
        did = _did([fact for fact in ask.check if fact.subject in SHOWN_FACTS and not fact.first], own, lang)
    return f'<div class="lesson-over {state}" role="status">{tried}{verdict}{did}{prose_html(text.right)}</div>'
