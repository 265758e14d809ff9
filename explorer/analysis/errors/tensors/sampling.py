"""Distributions and samples: parameters that a distribution does not have, values that it never takes."""

import re

from explorer.analysis.errors.explanations import explanation, known
from explorer.analysis.errors.expressions import shown
from explorer.analysis.errors.failure_facts import Stopped
from explorer.analysis.errors.rule import Explanation, Rule, rule

_KINDS = {"GreaterThan": "positive", "GreaterThanEq": "nonnegative", "Simplex": "simplex", "Interval": "interval"}
_KINDS |= {"Real": "real", "PositiveDefinite": "definite", "Boolean": "boolean", "IntegerInterval": "whole"}


@rule(
    "ValueError",
    r"Expected parameter (\w+) \(Tensor of shape (\(.*?\))\) of distribution (\w+)\(.*?"
    r"to satisfy the constraint (.*?), but found invalid values:\s*(.*)",
)
def parameter(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """A scale that is negative, probabilities that do not sum to 1, NaN."""
    name, shape, distribution, constraint, given = found.groups()
    kind, low, high = _constraint(constraint)
    if "nan" in given:
        return explanation(stopped, "distribution-of-nan", parameter=name, distribution=distribution, shape=shape)
    values = {"parameter": name, "distribution": distribution, "wanted": kind, "low": low, "high": high}
    return explanation(stopped, "distribution-parameter", given=_first_line(given), **values)


@rule(
    "ValueError",
    r"Expected value argument \(Tensor of shape (\(.*?\))\) to be within the support \((.*?)\) of the distribution "
    r"(\w+)\(.*?but found invalid values:\s*(.*)",
)
def value(stopped: Stopped, found: re.Match[str]) -> Explanation | None:
    """log_prob of a value that the distribution never takes."""
    kind, low, high = _constraint(found[2])
    if "nan" in found[4]:
        return explanation(stopped, "distribution-of-nan", parameter="value", distribution=found[3], shape=found[1])
    values = {"distribution": found[3], "wanted": kind, "low": low, "high": high}
    return explanation(stopped, "distribution-value", given=_first_line(found[4]), **values)


def _constraint(text: str) -> tuple[str, str, str]:
    """torch's constraint on a number: a kind and its bounds; "other" with torch's own words."""
    name = re.search(r"(?:IndependentConstraint\()?(\w+)\(", text)
    bounds = re.findall(r"(?:lower|upper)_bound=([^,)]+)", text)
    kind = _KINDS.get(name[1], "other") if name else "other"
    low = bounds[0] if bounds else ""
    if kind in ("positive", "nonnegative") and low not in ("0", "0.0"):
        kind = "other"
    return kind, low if kind != "other" else shown(text), bounds[-1] if bounds else ""


def _first_line(text: str) -> str:
    """The values as torch prints them, in one line."""
    return shown(re.sub(r"^tensor\((.*)\)$", r"\1", re.sub(r"\s+", " ", text.strip())).split(", grad_fn")[0])


RULES: tuple[Rule, ...] = (
    parameter,
    value,
    known("RuntimeError", r"probability tensor contains either", "sample-of-no-weights"),
    known("RuntimeError", r"Expected p_in >= 0 && p_in <= 1", "sample-of-no-probability"),
    known("RuntimeError", r"invalid multinomial distribution \(sum of probabilities <= 0\)", "sample-of-zeros"),
    known("RuntimeError", r"cannot sample n_sample > prob_dist\.size\(-1\)", "sample-too-large"),
    known("RuntimeError", r"(?P<function>multinomial|bernoulli\w*) only supports floating-point", "sample-of-integers"),
    known("RuntimeError", r"normal expects std >= 0\.0, but found std (?P<given>\S+)", "sample-of-negative-spread"),
)
