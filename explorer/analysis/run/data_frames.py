"""Import pandas for the tables that a user's script requests."""

from typing import Any

from explorer.text import say


def pandas() -> Any:
    """Import pandas. Raises ImportError with the install command."""
    try:
        import pandas
    except ImportError as missing:
        raise ImportError(say("en", "api-pandas"), name="pandas") from missing
    return pandas
