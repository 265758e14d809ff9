"""The picture of a run that the page shows, and the last one of a program that ended well."""

from dataclasses import dataclass, replace

from explorer.analysis.autograd import selected_backward, stopped_backward, stopped_cards, stopped_operation
from explorer.analysis.autograd.cells import backward_of_cell, records_gradients
from explorer.analysis.training.film import film_at
from explorer.drawing.picture import Picture, film_pictures, picture
from explorer.program import Unusable
from explorer.trace import Trace, goes_wrong
from explorer.ui.components.session_values import LastGood
from explorer.ui.session.memo import memoize
from explorer.ui.session.program_run import RunResult

MOST_PICTURES = 8  # kept of one run, so that chips switch at once


@dataclass(frozen=True)
class ShownPicture:
    """The picture that the page shows.

    Attributes:
        picture: None if the page has no picture to show.
        stale: whether it is that of an earlier program, because this one stopped before its first operation.
        backward: the index of its backward in the run's Trace, None when it shows none of them.
        failed: ids of the cards where the program stopped.
        partial: whether it is this program's own, as far as that got.
    """

    picture: Picture | None
    stale: bool = False
    backward: int | None = None
    failed: tuple[str, ...] = ()
    partial: bool = False


@dataclass(frozen=True)
class GoodPicture:
    """The last picture of a program, or of a cell, that ended well; cell is None when the cursor was in none."""

    picture: Picture
    cell: int | None


last_good: LastGood[GoodPicture] = LastGood("_good")


def picture_of(
    shown: RunResult, cell: int | None, asked: int | None, unfinished: bool, lang: str, position: int = -1
) -> ShownPicture:
    """The picture that belongs to a cell (None: to the program), or that of the backward that was asked for.

    Args:
        asked: index of a backward of this run that was chosen by hand.
        position: of the step that was chosen in the film of that backward, -1: its own.
        unfinished: whether the program only failed where the user is typing: then the last picture is still good.
    """
    good = last_good.get()
    if isinstance(shown.result, Unusable):
        return ShownPicture(_in_language(good.picture, lang), True) if good else ShownPicture(None)
    trace = shown.result
    failed = [i for i, cell in enumerate(trace.cells) if any(map(goes_wrong, cell.outputs))]
    alone = len(trace.own_cells) == 1
    here = 0 if alone else cell
    began = len(trace.operations) > 0 or len(trace.nodes) > 0
    if asked is None and here in failed and good is not None and good.cell == here and (unfinished or not began):
        return ShownPicture(_in_language(good.picture, lang), not unfinished)
    own = alone or bool(trace.options.of)
    chosen = asked if asked is not None else None if here is None or own else backward_of_cell(trace, here)
    at = here if here in failed else None
    if failed and here is None and selected_backward(trace) is None:
        at = failed[-1]
    if at is None or asked is not None or unfinished:
        drawn = _drawn(shown, trace, chosen, -1, lang, position)
    else:
        good_one = selected_backward(trace) if chosen is None else chosen
        ended = stopped_backward(trace, at, good_one)
        drawn = _drawn(shown, trace, chosen if ended == good_one else ended, stopped_operation(trace, at), lang)
    if here not in failed:
        last_good.keep(GoodPicture(drawn, here) if drawn else None)
    backward = None if drawn is None else drawn.view.backward
    if drawn is None or at is None or unfinished:
        return ShownPicture(drawn, False, backward)
    return ShownPicture(drawn, False, backward, stopped_cards(drawn.view, trace, at), partial=True)


def lists_tensors(shown: RunResult, cell: int | None, asked: int | None) -> bool:
    """Whether a cell's tensors are shown in place of a picture: one of several, and autograd had no part in it."""
    if cell is None or asked is not None or isinstance(shown.result, Unusable):
        return False
    return 1 < len(shown.result.own_cells) > cell and not records_gradients(shown.result, cell)


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
