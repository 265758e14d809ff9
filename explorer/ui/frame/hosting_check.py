"""On a hosted site, refuse to start on a machine that cannot confine programs."""

from explorer.sandbox import hosting
from explorer.ui.session.preferred_language import refuse


def refused() -> bool:
    """Whether the app must not run here; if so, the page and the log have said why."""
    unfit = hosting.check()
    if unfit is None:
        return False
    sentence, values = unfit.said()
    refuse(sentence, **values)
    return True
