"""A comparison of two runs that displays itself."""

from explorer.analysis.comparison.comparison_text import comparison_html, comparison_plain, comparison_text
from explorer.analysis.comparison.differences import Compared, Sides, bounded
from explorer.analysis.comparison.gradients import gradient_pairs
from explorer.trace import Trace


class Comparison(Compared):
    """The result of `explorer.compare`: `str()` is text, it displays itself in Jupyter, `.to_json()` is plain data."""

    def __repr__(self) -> str:
        differing = f"{len(self.values)} values and {len(self.gradients)} gradients differ"
        return f"<Comparison: {'the runs agree' if self.same else differing}>"

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
    """Compare two runs: where they first differ, in values and in gradients.

    Operations are paired by name and module in their order, leaves by name. For tensors with only a sample, the
    sample, least, largest and norm are compared.

    Args:
        rtol, atol: entries agree within atol + rtol · |right|; None: the default of torch.testing.assert_close for the
            coarser dtype. 0 and 0 ask for equal bits.
        lang: language of its text.
    """
    sides = Sides(left, right, rtol, atol)
    values = bounded(sides.given()) + bounded(sides.values())
    gradients = bounded(sides.gradients())
    calls = tuple(sum(call.inside < 0 for call in trace.backwards) for trace in (left, right))
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
        gradient_pairs(left, right, rtol, atol),
        lang,
    )
