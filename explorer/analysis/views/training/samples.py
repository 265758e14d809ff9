"""Find the samples of a batch that a loss comes from."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from explorer.analysis.run.model import Run, run_of
from explorer.analysis.run.objects import Call
from explorer.text import say
from explorer.text.numbers import number
from explorer.trace import Trace

_MOST = 3  # samples named in a text
_FAR = 3  # a term of fewer times the mean is an ordinary one
_REDUCTIONS = frozenset({"mean", "sum"})


@dataclass(frozen=True)
class SampleTerm:
    """The largest term of a loss from one sample.

    Attributes:
        row: its row in the unreduced loss, from 0. A batch of sequences whose axes were flattened has a row per token.
        rows: number of rows.
        sample: its index in the data, None if it is not known.
        term: sum of its entries, or of those that were recorded.
        whole: whether all of them were.
        share: share of the sum of all terms. None if the terms have both signs, or their sum is 0 or not finite.
    """

    row: int
    rows: int
    sample: int | None
    term: float
    whole: bool
    share: float | None


def sample_terms(trace: Trace, batch: Sequence[int]) -> list[SampleTerm]:
    """Return the samples with the largest terms of the last reduced loss, NaN first.

    Args:
        batch: indices of the batch's samples, in its order. Used if the first axis of the loss has as many entries.
    """
    shape, total, terms = _terms(trace)
    if not shape or not shape[0]:
        return []
    size = math.prod(shape[1:])
    known = batch if len(batch) == shape[0] else []
    shares = bool(total) and math.isfinite(total) and all(term * total >= 0 for _, term in terms)
    whole = size == 1 or len(terms) == math.prod(shape)
    rows: dict[int, float] = {}
    for place, term in terms:
        rows[place // size] = rows.get(place // size, 0.0) + term
    return [
        SampleTerm(row, shape[0], known[row] if known else None, term, whole, term / total if shares else None)
        for row, term in _ranked(rows.items())
    ]


def _terms(trace: Trace) -> tuple[Sequence[int], float, list[tuple[int, float]]]:
    """Return the shape, sum and largest terms (position, term) of the first loss that isn't finite, or of the last."""
    losses, run = trace.losses, run_of(trace)
    small = [call for call in run.rooted(_REDUCTIONS) if call.outputs and not call.outputs[0].shape and call.inputs]
    bad = next((call for call in small if _is_not_finite(run, call)), None)
    asked = max(losses.operation, default=-1)
    if small and (bad is not None or small[-1].time > asked):
        call = bad or small[-1]
        entries = run.entries(call.inputs[0].value(call.time))
        return _of_entries(entries) if entries is not None else ((), 0.0, [])
    if asked < 0:
        return (), 0.0, []
    row = losses.operation.index(asked)
    begin = sum(losses.listed[:row])
    listed = slice(begin, begin + losses.listed[row])
    terms = list(zip(losses.place[listed], losses.term[listed], strict=True))
    return trace.shapes[losses.shape[row]], losses.total[row], _ranked(terms)


def _is_not_finite(run: Run, call: Call) -> bool:
    entries = run.entries(call.inputs[0].value(call.time))
    return entries is not None and not np.isfinite(entries).all()


def _of_entries(entries: np.ndarray) -> tuple[Sequence[int], float, list[tuple[int, float]]]:
    flat = entries.astype(float).ravel()
    return entries.shape, float(flat.sum()), _ranked(enumerate(flat.tolist()))


def _ranked(terms: Iterable[tuple[int, float]]) -> list[tuple[int, float]]:
    return sorted(terms, key=lambda term: -math.inf if math.isnan(term[1]) else -abs(term[1]))


def sample_lines(trace: Trace, batch: Sequence[int], lang: str) -> list[str]:
    """Return a line for each sample that adds far more than others to the loss."""
    terms = sample_terms(trace, batch)
    far = [one for one in terms if one.share is None or one.share * one.rows >= _FAR]
    if terms and terms[0].whole and not far:
        return [say(lang, "sample-terms-alike", share=f"{terms[0].share or 0:.0%}", rows=str(terms[0].rows))]
    return [
        say(
            lang,
            "sample-term" if one.sample is None else "sample-term-known",
            row=str(one.row),
            rows=str(one.rows),
            sample=str(one.sample),
            term=number(one.term),
            shares="none" if one.share is None else "whole" if one.whole else "part",
            share=f"{one.share or 0:.0%}",
        )
        for one in far[:_MOST]
    ]
