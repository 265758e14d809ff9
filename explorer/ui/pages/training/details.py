"""One click away: a parameter's entries as lines and bands, learning rates, a table."""

import streamlit as st

from explorer.analysis.diagnose.faults.optimizer_audit import audit
from explorer.analysis.diagnose.health.report_text import optimizers_text
from explorer.analysis.views.training.training_view import ParameterSteps, TrainingView, nearest
from explorer.drawing.marks import quoted
from explorer.drawing.training.loss import Earlier
from explorer.drawing.training.plots import MOST_LINES, bands_plot, entries_plot, rates_plot
from explorer.drawing.training.step import MOST_LINES as MOST_ROWS
from explorer.drawing.training.step import step_html, table_html
from explorer.text import say
from explorer.text.numbers import number
from explorer.trace import Trace
from explorer.ui.components.choice import segments
from explorer.ui.pages.training.film import STATE
from explorer.ui.panels.plots import figure
from explorer.ui.session.memo import memoize

KINDS = ("entries", "bands", "rates", "optimizers", "table")


def details(trace: Trace, view: TrainingView, earlier: Earlier | None, lang: str) -> None:
    """Draw the choice and the chosen view."""
    st.segmented_control(
        say(lang, "training-more"),
        KINDS,
        format_func=lambda choice: say(lang, f"training-more.{choice}"),
        key=STATE.field("more"),
        label_visibility="collapsed",
    )
    dark = st.context.theme.type == "dark"
    at = nearest(view.steps, STATE["step"]) if STATE["step"] else -1
    with st.container(key="tr_more_body"):
        match STATE["more"]:
            case "entries" | "bands":
                _parameter(view, earlier, at, dark, lang)
            case "rates":
                _rates(view, earlier, at, dark, lang)
            case "optimizers":
                _optimizers(trace, lang)
            case "table":
                _table(view, at, lang)


def _optimizers(trace: Trace, lang: str) -> None:
    """Draw each optimizer's parameters, and the mode at each backward."""
    text = memoize("optimizers", trace, lambda: optimizers_text(audit(trace), lang), lang)
    if not text:
        return _quiet([say(lang, "training-rates-none")])
    items = "".join(f"<li>{quoted(line)}</li>" for line in text)
    st.html(f'<ul class="tr-optimizers">{items}</ul>')
    return None


def _parameter(view: TrainingView, earlier: Earlier | None, at: int, dark: bool, lang: str) -> None:
    names = [parameter.name for parameter in view.parameters]
    if not names:
        return
    place = names.index(STATE["parameter"]) if STATE["parameter"] in names else 0
    st.session_state[f"tr_parameter_{place}"] = place  # always: the browser keeps the previous program's names
    with st.container(key="tr_parameter_fields", horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox(
            say(lang, "training-parameter"),
            range(len(names)),
            format_func=lambda number: names[number],
            key=f"tr_parameter_{place}",
            on_change=lambda: STATE.put(parameter=names[st.session_state[f"tr_parameter_{place}"]]),
            width=260,
        )
        labels = {of: say(lang, f"training-of-{of}") for of in ("values", "gradients")}
        segments(say(lang, "training-parameter"), STATE.field("of"), labels)
    steps, gradients = view.parameters[chosen], STATE["of"] == "gradients"
    if not steps.values.shape[1]:
        return _quiet([say(lang, "training-no-entries")])
    _quiet(_omitted(steps, STATE["more"], lang))
    if STATE["more"] == "bands":
        drawn = bands_plot(view, steps, gradients, dark, lang, at)
    else:
        past = earlier.view if earlier else None
        same = next((p for p in past.parameters if p.name == steps.name), None) if past else None
        drawn = entries_plot(view, steps, gradients, dark, lang, at, (past, same) if past and same else None)
    figure(drawn, say(lang, f"training-more.{STATE['more']}"), f"tr_plot_{STATE['more']}", lang)
    return None


def _omitted(steps: ParameterSteps, kind: str, lang: str) -> list[str]:
    """Return a sentence about entries a plot omits."""
    count, every = steps.values.shape[1], steps.size
    if kind == "bands":
        lines = [say(lang, "training-bands-text")]
        return lines + ([say(lang, "training-bands-sample", kept=count, all=every)] if steps.sampled else [])
    if steps.sampled:
        return [say(lang, "training-entries-sample", kept=count, all=every)]
    return [say(lang, "training-entries-some", shown=MOST_LINES, all=count)] if count > MOST_LINES else []


def _quiet(texts: list[str]) -> None:
    if texts:
        st.html(f'<p class="quiet">{quoted(" ".join(texts))}</p>')


def _rates(view: TrainingView, earlier: Earlier | None, at: int, dark: bool, lang: str) -> None:
    if not view.rates:
        return _quiet([say(lang, "training-rates-none")])
    if all((rates == rates[0]).all() for rates in view.rates.values()):
        return _quiet(
            [
                say(lang, "training-rates-flat", name=name, rate=number(float(rates[0])))
                for name, rates in view.rates.items()
            ]
        )
    drawn = rates_plot(view, earlier.view if earlier else None, dark, lang, at)
    figure(drawn, say(lang, "training-more.rates"), "tr_plot_rates", lang)
    return None


def _table(view: TrainingView, at: int, lang: str) -> None:
    """Draw the chosen step's numbers, and one measure over all steps."""
    measure = STATE["measure"]
    if at >= 0:
        title = quoted(say(lang, "training-numbers-of-step", step=int(view.steps[at])))
        st.html(f"<h3>{title}</h3>" + memoize("training step", view, lambda: step_html(view, at, lang), at, lang))
    if len(view.steps) > MOST_ROWS:
        _quiet([say(lang, "training-table-some", shown=MOST_ROWS, all=len(view.steps))])
    st.html(memoize("training table", view, lambda: table_html(view, measure, lang), measure, lang))
