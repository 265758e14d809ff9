"""Distributions and samples: parameters that a distribution does not have, values that it never takes."""

import re

from explorer.analysis.errors.explanation import Explanation
from explorer.analysis.errors.failure_context import FailureContext
from explorer.analysis.errors.rule import Rules
from explorer.analysis.source import shorten_code

_KINDS = {"GreaterThan": "positive", "GreaterThanEq": "nonnegative", "Simplex": "simplex", "Interval": "interval"}
_KINDS |= {"Real": "real", "PositiveDefinite": "definite", "Boolean": "boolean", "IntegerInterval": "whole"}

RULES = Rules()


@RULES.rule(
    "ValueError",
    r"Expected parameter (?P<parameter>\w+) \(Tensor of shape (?P<shape>\(.*?\))\) of "
    r"distribution (?P<distribution>\w+)\(.*?to satisfy the constraint (?P<constraint>.*?), "
    r"but found invalid values:\s*(?P<values>.*)",
)
def parameter(at: FailureContext) -> Explanation:
    """A scale that is negative, probabilities that do not sum to 1, NaN."""
    return _invalid(at, "distribution-parameter", at["parameter"])


@RULES.rule(
    "ValueError",
    r"Expected value argument \(Tensor of shape (?P<shape>\(.*?\))\) to be within the support \((?P<constraint>.*?)\) "
    r"of the distribution (?P<distribution>\w+)\(.*?but found invalid values:\s*(?P<values>.*)",
)
def value(at: FailureContext) -> Explanation:
    """log_prob of a value that the distribution never takes."""
    return _invalid(at, "distribution-value", "value")


def _invalid(at: FailureContext, kind: str, parameter: str) -> Explanation:
    """NaN, or numbers that torch's constraint excludes: a kind and its bounds, "other" with torch's own words."""
    if "nan" in at["values"]:
        return at.explain("distribution-of-nan", parameter=parameter)
    text = at["constraint"]
    name = re.search(r"(?:IndependentConstraint\()?(\w+)\(", text)
    bounds = re.findall(r"(?:lower|upper)_bound=([^,)]+)", text)
    wanted = _KINDS.get(name[1], "other") if name else "other"
    low = bounds[0] if bounds else ""
    if wanted in ("positive", "nonnegative") and low not in ("0", "0.0"):
        wanted = "other"
    one_line = re.sub(r"\s+", " ", at["values"].strip())
    given = shorten_code(re.sub(r"^tensor\((.*)\)$", r"\1", one_line).split(", grad_fn")[0])
    limits = {"low": low if wanted != "other" else shorten_code(text), "high": bounds[-1] if bounds else ""}
    return at.explain(kind, parameter=parameter, wanted=wanted, given=given, **limits)


RULES.message_rule("RuntimeError", r"probability tensor contains either", "sample-of-no-weights")
RULES.message_rule("RuntimeError", r"Expected p_in >= 0 && p_in <= 1", "sample-of-no-probability")
RULES.message_rule("RuntimeError", r"invalid multinomial distribution \(sum of probabilities <= 0\)", "sample-of-zeros")
RULES.message_rule("RuntimeError", r"cannot sample n_sample > prob_dist\.size\(-1\)", "sample-too-large")
RULES.message_rule(
    "RuntimeError", r"(?P<function>multinomial|bernoulli\w*) only supports floating-point", "sample-of-integers"
)
RULES.message_rule(
    "RuntimeError", r"normal expects std >= 0\.0, but found std (?P<given>\S+)", "sample-of-negative-spread"
)
