"""The app where strangers type: it does not start on a machine that could not hold their programs."""

from explorer.sandbox import hosted
from explorer.ui.session.preferred import refuse


def refused() -> bool:
    """Whether the app must not run here; then the page and the server's log have said why."""
    unfit = hosted.check()
    if unfit is None:
        return False
    sentence, values = unfit.said()
    refuse(sentence, **values)
    return True
