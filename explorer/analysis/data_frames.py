"""pandas, for the tables that a user's script asks for."""

from typing import Any

from explorer.text import say


def pandas() -> Any:
    """The library. Raises ImportError with the command that installs it."""
    try:
        import pandas
    except ImportError as missing:
        raise ImportError(say("en", "api-pandas"), name="pandas") from missing
    return pandas
