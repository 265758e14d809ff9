"""Influence as plain data, for JSON."""

from dataclasses import asdict

from explorer.analysis.influence.view import Influence
from explorer.text.numbers import json_number


def influence_plain(known: Influence) -> dict[str, object]:
    """Return what has no effect as plain data. `unused` is null if part of the run is unknown."""
    idle = [{key: value for key, value in asdict(one).items() if key != "block"} for one in known.idle]
    return {
        "measured": {"results": known.unused is not None, "functions": known.is_called, "entries": known.is_moved},
        "unused": None if known.unused is None else [asdict(one) for one in known.unused],
        "idle": idle,
        "orders": [asdict(one) for one in known.orders],
        "batch": None if known.batch is None else asdict(known.batch),
        "uncalled": [asdict(one) for one in known.uncalled],
        "unread": [asdict(one) for one in known.unread],
        "data": [
            {"name": one.name, "shape": list(one.shape), "slopes": [*map(json_number, one.slopes)]}
            for one in known.data
        ],
    }
