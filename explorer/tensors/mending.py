"""What torch says when a tensor cannot be made or read, and which advice mends it."""

import re

# Words of torch, and the id of the advice that follows from them. The first that is found counts.
_ADVICE = tuple(
    (re.compile(pattern), advice)
    for pattern, advice in (
        (r"expected sequence of length \d+ at dim \d+ \(got \d+\)|only one element tensors can be converted", "ragged"),
        (r"negative dimension|non-negative|size is negative|Trying to create tensor with negative", "negative"),
        (r"too many dimensions 'str'|invalid data type 'str'|could not convert string|data type of type str", "words"),
        (r"numpy\.object_|type numpy\.(str|bytes)_", "objects"),
        (r"shape '\[.*\]' is invalid for input of size|size mismatch, got", "count"),
        (r"can't allocate memory|out of memory|Storage size calculation overflowed|MemoryError", "memory"),
        (r"Only Tensors of floating point and complex dtype can require gradients", "whole-gradient"),
        (r"view size is not compatible", "view"),
        (r"Can't call numpy\(\) on Tensor that requires grad", "numpy-gradient"),
        (r"Got unsupported ScalarType|type BFloat16", "numpy-type"),
        (r"leaf Variable that requires grad", "leaf"),
        (r"index -?\d+ is out of bounds|out of range", "index"),
        (r"[Tt]orch not compiled with CUDA|No CUDA|NVIDIA driver", "cuda"),
        (r"a Tensor with \d+ elements cannot be converted to Scalar", "item"),
        (r"sparse|Sparse", "sparse"),
    )
)


def advice(message: str) -> str | None:
    """The id of what mends an error with these words, None where torch's own words are all there is.

    >>> advice("ValueError: expected sequence of length 2 at dim 1 (got 1)")
    'ragged'
    """
    return next((told for pattern, told in _ADVICE if pattern.search(message)), None)
