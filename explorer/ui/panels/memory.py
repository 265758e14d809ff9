"""Show memory: names sharing a storage after each line."""

from explorer.analysis.views.tensors.backward_memory import backward_memory
from explorer.analysis.views.tensors.line_picture import line_picture, moment_of
from explorer.analysis.views.tensors.memory import memory_map, sharing
from explorer.analysis.views.tensors.program_lines import ProgramLine, place_of_operation
from explorer.analysis.views.tensors.tensor_list import tensor_list, writes
from explorer.drawing.marks import quoted
from explorer.drawing.tensors.memory import (
    alone_html,
    sharing_html,
    sharing_sentence,
    storage_svg,
    write_sentence,
    writes_html,
)
from explorer.drawing.tensors.tensor_list import folded_html, tensor_word, where
from explorer.text import say
from explorer.trace import Trace
from explorer.ui.components.linked_html import linked
from explorer.ui.session.memo import memoize

MOST_STRIPS = 16  # storages drawn


def memory_panel(trace: Trace, cell: int, line: int, lang: str) -> None:
    """Draw storages after a line: those it used, then others with several names."""
    html = memoize("memory", trace, lambda: _line_html(trace, ProgramLine(cell, line), lang), cell, line, lang)
    linked(html, "tn_strips")
    linked(memoize("changes", trace, lambda: _every_line_html(trace, lang), lang), "tn_changes")


def _line_html(trace: Trace, place: ProgramLine, lang: str) -> str:
    after = moment_of(trace, place)
    maps = memory_map(trace, after)
    focus, used = _used(trace, place)
    own = [part for part in maps if part.number in used]
    shared = [part for part in maps if part.shared and part not in own]
    lead = "memory-shared-lead" if any(part.shared for part in maps) else "memory-nothing-shared"
    when = where(place, len(trace.own_cells) > 1, lang)
    title = say(lang, "memory-at-end") if after is None else say(lang, "memory-at-line", line=when)
    lit: dict[int, str] = {}
    for number, listed in enumerate(tensor_list(trace)):
        lit[listed.tensor] = f"{lit.get(listed.tensor, '')} {tensor_word(number)}".strip()
    texts = [write_sentence(write, lang) for write in writes(trace) if write.place == place]
    texts += [sharing_sentence(each, lang) for each in sharing(trace) if each.place == place]
    text = "".join(f"<p>{quoted(sentence)}</p>" for sentence in dict.fromkeys(texts))
    strips = "".join(storage_svg(part, lang, focus, lit) for part in (own + shared)[:MOST_STRIPS])
    head = f'<h2 class="tn-section">{quoted(title)}</h2><div class="tn-kept">{text}</div>'
    return f'{head}<p class="quiet">{quoted(say(lang, lead))}</p>{strips}{alone_html(maps, lang)}'


def _used(trace: Trace, place: ProgramLine) -> tuple[int, set[int]]:
    """Return a line's tensor, or -1, and the storages of all its tensors."""
    shown = line_picture(trace, place.cell, place.line)
    operations, last = trace.operations, moment_of(trace, place)
    tensors = {listed.tensor for listed in tensor_list(trace) if listed.place == place}
    if last is not None and place_of_operation(trace, last) == place:
        tensors |= {*operations.inputs[last], *operations.outputs[last]}
    focus = -1
    if shown is not None and shown.line == place.line:
        if shown.tensor is not None:
            focus = shown.tensor.tensor
        elif shown.call is not None and (made := operations.outputs[shown.call.operation]):
            focus = made[0]
    return focus, {trace.tensors.storage[tensor] for tensor in tensors | {focus} if tensor >= 0}


def _every_line_html(trace: Trace, lang: str) -> str:
    """Render each line's effects on names and storages, and backward's memory, behind a click."""
    many, kept = len(trace.own_cells) > 1, backward_memory(trace)
    html = _title("memory-writes", lang) + writes_html(writes(trace), many, lang)
    html += _title("memory-sharing", lang) + sharing_html(sharing(trace), many, lang)
    if kept is not None:
        sentence = "".join(f"<p>{quoted(line)}</p>" for line in kept.text(lang).split("\n"))
        lead = f'<p class="quiet">{quoted(say(lang, "memory-what"))}</p>'
        html += f'<div class="tn-kept">{_title("memory-title", lang)}{lead}{sentence}</div>'
    return folded_html("memory", say(lang, "memory-every-line"), f'<div class="tn-changes">{html}</div>')


def _title(message: str, lang: str) -> str:
    return f'<h2 class="tn-section">{quoted(say(lang, message))}</h2>'
