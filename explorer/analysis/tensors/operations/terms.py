"""The singular value decomposition as a sum of rank-1 terms."""

from dataclasses import dataclass

import numpy as np

from explorer.analysis.operations.call import CallPart
from explorer.analysis.tensors.operations.view import OperationView
from explorer.trace import Value

MOST = 6  # terms drawn


@dataclass(frozen=True)
class RankOneTerm:
    """One σ·u·vᵀ. Attributes: sigma; matrix: the term itself; until: the sum up to this term; left: ‖A − until‖."""

    sigma: float
    matrix: CallPart
    until: CallPart
    left: float


def terms(view: OperationView) -> tuple[RankOneTerm, ...]:
    """The first terms of A = Σ σᵢ·uᵢ·vᵢᵀ; () for a call that is no decomposition of one matrix kept in full."""
    if view.call.name not in ("linalg_svd", "svd") or len(view.outcomes) != 3 or len(view.operands) != 1:
        return ()
    matrix, (u, s, v) = view.operands[0], (outcome.part for outcome in view.outcomes)
    if len(matrix.shape) != 2 or any(part.numbers is None for part in (matrix, u, s, v)):
        return ()
    left, right = u.numbers.reshape(u.shape), v.numbers.reshape(v.shape)
    if view.call.name == "svd":  # the older call returns V, the newer one Vᵀ
        right = right.conj().T
    whole, until, found = matrix.numbers.reshape(matrix.shape), np.zeros(matrix.shape), []
    for k, sigma in enumerate(s.numbers.tolist()[:MOST]):
        term = sigma * np.outer(left[:, k], right[k])
        until = until + term
        found.append(
            RankOneTerm(sigma, _part(term, matrix), _part(until, matrix), float(np.linalg.norm(whole - until)))
        )
    return tuple(found)


def _part(made: np.ndarray, like: CallPart) -> CallPart:
    # a zero after rounding is a zero
    flat = np.where(np.abs(made) < 1e-6 * max(1e-30, np.abs(like.numbers).max()), 0.0, made).reshape(-1)
    value = Value(like.shape, like.dtype, tuple(flat.tolist()), (), None, None, None, None, 0)
    return CallPart("", -1, like.shape, like.dtype, value)
