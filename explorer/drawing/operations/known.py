"""Which operations have a picture, which have none, and why, in HTML."""

from collections.abc import Sequence

from explorer.analysis.operations.record import SUBJECTS, WHYS, Subject
from explorer.analysis.operations.table import ALL, why_unpictured
from explorer.analysis.tensors.operations.call_list import ListedCall
from explorer.drawing.marks import quoted
from explorer.text import say
from explorer.text.numbers import shorten

NAMED = 4  # calls of a program without a picture that are named
SUCH_AS = {  # operations that each reason holds for
    "composed": ("cross_entropy", "mse_loss", "layer_norm", "scaled_dot_product_attention"),
    "window": ("conv2d", "max_pool2d", "interpolate"),
    "whole": ("linalg.inv", "linalg.eigh", "fft.fft"),
    "chance": ("dropout", "bernoulli", "multinomial"),
    "unknown": ("unique", "bincount", "searchsorted"),
}


def unpictured_html(calls: Sequence[ListedCall], lang: str) -> str:
    """The calls of a program that have no picture, each with the reason; "" without any."""
    if not calls:
        return ""
    rows = "".join(
        f"<li><code>{quoted(shorten(call.text, 50))}</code> {quoted(say(lang, 'line', line=call.line))} · "
        f"{quoted(say(lang, f'operations-why-{why_unpictured(call.name)}'))}</li>"
        for call in calls[:NAMED]
    )
    more = len(calls) - NAMED
    rest = f"<li>{quoted(say(lang, 'operations-unpictured-more', count=more))}</li>" if more > 0 else ""
    title = quoted(say(lang, "operations-unpictured"))
    return f'<details class="op-without"><summary>{title}</summary><ul>{rows}{rest}</ul></details>'


def known_html(lang: str) -> str:
    """All operations that have a picture by subject, and the reasons why others have none; folded."""
    pictured = "".join(_row(say(lang, f"operations-group-{subject}"), _pictured(subject), "") for subject in SUBJECTS)
    others = "".join(_row(say(lang, f"operations-why-{why}"), SUCH_AS[why], "…") for why in WHYS)
    titles = [quoted(say(lang, f"operations-known-{part}")) for part in ("title", "pictured", "others")]
    return (
        f'<details class="op-known"><summary>{titles[0]}</summary><h4>{titles[1]}</h4><dl>{pictured}</dl>'
        f"<h4>{titles[2]}</h4><dl>{others}</dl></details>"
    )


def _pictured(subject: Subject) -> list[str]:
    """The names of its operations that a program calls: without those of operators."""
    names = {name for operation in ALL if operation.subject == subject for name in operation.names}
    return sorted(name for name in names if not name.startswith("_"))


def _row(title: str, names: Sequence[str], rest: str) -> str:
    codes = " ".join(f"<code>{quoted(name)}</code>" for name in names)
    return f"<div><dt>{quoted(title)}</dt><dd>{codes} {rest}</dd></div>"
