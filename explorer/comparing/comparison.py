"""Two runs compared, as what shows itself."""

from explorer.comparing.differences import Compared, Sides, bounded
from explorer.comparing.gradients import gradient_pairs
from explorer.comparing.words import comparison_html, comparison_plain, comparison_text
from explorer.trace import Trace


class Comparison(Compared):
    """What `explorer.compare` gives: its `str()` is text, in Jupyter it shows itself, `.to_json()` is plain data."""

    def __str__(self) -> str:
        return comparison_text(self)

    def _repr_html_(self) -> str:
        return comparison_html(self)

    def to_json(self) -> dict:
        """The same as dictionaries, lists, texts and numbers; NaN and infinities as texts."""
        return comparison_plain(self)


def compare(
    left: Trace, right: Trace, rtol: float | None = None, atol: float | None = None, lang: str = "en"
) -> Comparison:
    """Where two runs first differ, in values and in gradients.

    Operations are paired by name and module in their order, leaves by name. Of tensors of which only a sample is kept,
    sample, least, largest and norm are compared.

    Args:
        rtol, atol: entries agree within atol + rtol · |right|; None: what the coarser dtype of both accounts for, as
            in torch.testing.assert_close. 0 and 0 ask for equal bits.
        lang: of its words.
    """
    sides = Sides(left, right, rtol, atol)
    values = bounded(sides.given()) + bounded(sides.values())
    gradients = bounded(sides.gradients())
    calls = tuple(sum(call.inside < 0 for call in one.backwards) for one in (left, right))
    return Comparison(
        tuple(values),
        tuple(gradients),
        sides.unpaired(),
        sides.only(),
        len(sides.pairs),
        sides.arrived,
        (calls[0], calls[1]),
        rtol,
        atol,
        sides.sampled,
        gradient_pairs(left, right),
        lang,
    )
