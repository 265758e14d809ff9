"""The page's picture of a run, and the last one of a successful program."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from explorer.analysis.explain.autograd import selected_backward, stopped_backward, stopped_cards, stopped_operation
from explorer.analysis.explain.autograd.cells import backward_of_cell, own_backward
from explorer.analysis.views.training.film import film_at
from explorer.drawing.picture import Picture, film_pictures, picture
from explorer.program import Unusable
from explorer.trace import Trace, ends_cell
from explorer.ui.components.session_values import SessionValue
from explorer.ui.session.memo import memoize
from explorer.ui.session.program_run import RunResult

MOST_PICTURES = 8  # most kept pictures of a run, so that chips switch immediately


@dataclass(frozen=True)
class ShownPicture:
    """The page's picture.

    Attributes:
        picture: None without a picture.
        stale: whether it is an earlier program's, because this one stopped before its first operation.
        backward: index of its backward in the run's Trace, or None.
        failed: ids of cards where the program stopped.
        partial: whether it is this program's own, up to where it stopped.
    """

    picture: Picture | None
    stale: bool = False
    backward: int | None = None
    failed: tuple[str, ...] = ()
    partial: bool = False


@dataclass(frozen=True)
class GoodPicture:
    """The last picture of a successful program, or of a cell if there is a cursor."""

    picture: Picture
    cell: int | None


last_good = SessionValue[GoodPicture | None]("_good")


def picture_of(shown: RunResult, cell: int | None, asked: int | None, lang: str, position: int = -1) -> ShownPicture:
    """Return the picture of a cell (None: the program) or of a chosen backward.

    Args:
        asked: index of a manually chosen backward of this run.
        position: chosen step in that backward's film, -1: its own.
    """
    good = last_good.get()
    if good is not None and not _is_edited(good, shown.texts):
        good = None
    if isinstance(shown.result, Unusable):
        return ShownPicture(_in_language(good.picture, lang), True) if good else ShownPicture(None)
    trace = shown.result
    here = 0 if len(trace.own_cells) == 1 else cell
    failed = [number for number, cell in enumerate(trace.cells) if any(map(ends_cell, cell.outputs))]
    began = len(trace.operations) > 0 or len(trace.nodes) > 0
    if asked is None and here in failed and good is not None and good.cell == here and not began:
        return ShownPicture(_in_language(good.picture, lang), True)
    stopped = _stopped_cell(trace, here, failed)
    backward = _backward(trace, here) if asked is None else asked
    if stopped is None or asked is not None:
        drawn = _drawn(shown, trace, backward, -1, lang, position)
    else:
        whole = selected_backward(trace) if backward is None else backward
        ended = stopped_backward(trace, stopped, whole)
        drawn = _drawn(shown, trace, backward if ended == whole else ended, stopped_operation(trace, stopped), lang)
    if here not in failed:
        last_good.put(GoodPicture(drawn, here) if drawn else None)
    if drawn is None or stopped is None:
        return ShownPicture(drawn, backward=drawn.view.backward if drawn else None)
    return ShownPicture(drawn, False, drawn.view.backward, stopped_cards(drawn.view, trace, stopped), partial=True)


def _is_edited(good: GoodPicture, texts: Sequence[str]) -> bool:
    """Return whether a program is an edited version of a picture's program."""
    one, other = "\n".join(cell.source for cell in good.picture.trace.own_cells), "\n".join(texts)
    begin = _alike(one, other)
    end = _alike(one[begin:][::-1], other[begin:][::-1])
    return 2 * (begin + end) >= min(len(one), len(other)) > 0


def _alike(one: str, other: str) -> int:
    """Return how many leading characters two texts share."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))


def _stopped_cell(trace: Trace, here: int | None, failed: Sequence[int]) -> int | None:
    """Return the cell whose error to show."""
    if here is None and failed and selected_backward(trace) is None:
        return failed[-1]
    return here if here in failed else None


def _backward(trace: Trace, here: int | None) -> int | None:
    """Return a cell's backward, None for the whole program's."""
    whole = here is None or len(trace.own_cells) == 1 or bool(trace.options.of)
    return None if here is None or whole else backward_of_cell(trace, here)


def has_no_gradient(shown: RunResult, cell: int, asked: int | None) -> bool:
    """Return whether no successful backward reaches a cell and no operation ended it.

    Then no graph is its picture. A program's only cell has a graph if it ends with an error or a tensor requires grad.
    """
    trace = shown.result
    if asked is not None or isinstance(trace, Unusable) or len(trace.own_cells) <= cell:
        return False
    failed = any(map(ends_cell, trace.cells[cell].outputs))
    if len(trace.own_cells) == 1 and (failed or True in trace.tensors.requires_grad):
        return False
    own = own_backward(trace, cell)
    if own is None:
        return not (failed and stopped_operation(trace, cell) >= 0)
    return not failed and own != backward_of_cell(trace, cell)  # its error was caught: not this picture


def _drawn(
    shown: RunResult, trace: Trace, chosen: int | None, stopped: int, lang: str, position: int = -1
) -> Picture | None:
    key = chosen, stopped, position
    if key not in shown.pictures:
        if len(shown.pictures) >= MOST_PICTURES:
            shown.pictures.pop(next(iter(shown.pictures)))
        shown.pictures[key] = _made(trace, chosen, stopped, lang, position)
    drawn = shown.pictures[key]
    return _in_language(drawn, lang) if drawn is not None and drawn.view.cards else None


def _made(trace: Trace, chosen: int | None, stopped: int, lang: str, position: int) -> Picture:
    backward = selected_backward(trace) if chosen is None else chosen
    filmed = film_at(trace, backward) if backward is not None and stopped < 0 else None
    if filmed is None:
        return picture(trace, lang, chosen, stopped=stopped)
    film, own = filmed
    pictures = memoize("film", trace, lambda: film_pictures(trace, lang, film), film.place, lang)
    return pictures.at(position if position >= 0 else own)


def _in_language(drawn: Picture | None, lang: str) -> Picture | None:
    if drawn is None or drawn.lang == lang:
        return drawn
    if drawn.film is None:
        return replace(drawn, lang=lang)
    return replace(drawn, lang=lang, film=(replace(drawn.film[0], lang=lang), drawn.film[1]))
