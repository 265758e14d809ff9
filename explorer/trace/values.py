"""Numbers of tensors: their layout in a Trace's blob, and a decoded `Value`."""

import math
from collections.abc import Sequence

import numpy as np
from msgspec import Struct

FULL = 64  # up to this many entries, a value is kept in full
WHOLE = 65_536  # up to this many entries, a tensor in Options.full is kept whole
STRIDED = 4_096  # entries kept in addition to the sample of a large tensor
AXES = 64  # NumPy's maximum; tensors with more axes are not recorded
GRID = 8  # rows and columns of the sample of a larger value

Number = int | float | complex | bool

# Storage of each torch dtype: numpy's little-endian format. Dtypes that numpy lacks are widened, keeping their name.
STORED = {
    "float64": "<f8",
    "float32": "<f4",
    "float16": "<f2",
    "bfloat16": "<f4",
    "int64": "<i8",
    "int32": "<i4",
    "int16": "<i2",
    "int8": "<i1",
    "uint8": "<u1",
    "bool": "|b1",
    "complex64": "<c8",
    "complex128": "<c16",
}


# torch's dtype name → bytes of an entry (c10::elementSize).
SIZES = {
    **dict.fromkeys(("float64", "int64", "complex64", "uint64"), 8),
    **dict.fromkeys(("float32", "int32", "uint32", "complex32", "qint32"), 4),
    **dict.fromkeys(("float16", "bfloat16", "int16", "uint16"), 2),
    **dict.fromkeys(("int8", "uint8", "bool", "float8_e4m3fn", "float8_e5m2", "qint8", "quint8"), 1),
    "complex128": 16,
}


def real(entry: Number) -> float:
    """Return an ordered entry. Raises TypeError for a complex number."""
    if isinstance(entry, complex):
        raise TypeError(f"{entry} is no real number")
    return entry


class Value(Struct, frozen=True):
    """Recorded entries of a tensor at one moment.

    Attributes:
        shape, dtype: as torch names them.
        data: all entries in row-major order, or None.
        sample: entries of a strided grid (sample_shape) if there are more than FULL.
        minimum, maximum, mean, finite_norm: over the finite entries, None if there are none. The first three are None
            for complex dtypes too.
        nonfinite: number of NaN or infinite entries.
        nans: number of NaN among them.
        sampled: number of entries behind minimum, maximum and mean, 0 for all. At detail "light" a large tensor
            is sampled in evenly spaced runs. The norm covers all entries, to 1 part in 10 000.
        asked: further requested entries with their row-major positions (Options.asked).
    """

    shape: tuple[int, ...]
    dtype: str
    data: tuple[Number, ...] | None
    sample: tuple[Number, ...]
    minimum: float | None
    maximum: float | None
    mean: float | None
    finite_norm: float | None
    nonfinite: int
    nans: int = 0
    sampled: int = 0
    asked: tuple[tuple[int, Number], ...] = ()

    def __repr__(self) -> str:
        if self.data is not None and len(self.data) == 1:
            return f"<Value: {self.dtype} {self.shape}, {self.data[0]:.7g}>"
        norm = "" if self.norm is None else f", norm {self.norm:.4g}"
        return f"<Value: {self.dtype} {self.shape}{norm}>"

    @property
    def norm(self) -> float | None:
        """Norm of all entries, NaN or ∞ if they occur, or None if unreadable."""
        return math.nan if self.nans else math.inf if self.nonfinite else self.finite_norm

    @property
    def entries(self) -> tuple[Number, ...]:
        """Recorded entries: all, or the sample."""
        return self.sample if self.data is None else self.data

    @property
    def is_zero(self) -> bool:
        """Return whether every entry is known to be 0."""
        if self.data is None and not (self.minimum == self.maximum == 0 and self.nonfinite == 0):
            return False
        return len(self.entries) > 0 and not any(self.entries)

    def array(self, dtype: type | None = None) -> np.ndarray | None:
        """Return all entries in their shape, or None if sampled or unreadable.

        In an empty tensor, sizes too large for NumPy become 0.
        """
        if self.data is None:
            return None
        fits = math.prod(filter(None, self.shape)) < 1 << 56
        return np.array(self.data, dtype).reshape(self.shape if fits else (0,) * len(self.shape))

    def numpy(self) -> np.ndarray:
        """Return all entries with shape and dtype. bfloat16 becomes float32.

        Raises ValueError if only a sample was recorded (see `sample`), or nothing could be read.
        """
        array = self.array(np.dtype(STORED[self.dtype]).type) if self.dtype in STORED else self.array()
        if array is None:
            words = (
                f"a sample of {len(self.sample)} entries is kept (.sample)" if self.sample else "its entries are not"
            )
            raise ValueError(f"{words} of a {self.dtype} tensor of shape {self.shape}; up to {FULL} entries all are")
        return array

    def item(self) -> Number:
        """Return the only entry. Raises ValueError if there are several or it was unreadable."""
        if self.data is None or len(self.data) != 1:
            raise ValueError(f"item() is for one entry; this is a {self.dtype} tensor of shape {self.shape}")
        return self.data[0]


def sample_shape(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape of a large value's sample grid.

    >>> sample_shape((3, 100, 5))
    (8, 5)
    """
    if len(shape) < 2:
        return tuple(min(FULL, size) for size in shape)
    return tuple(min(GRID, size) for size in shape[-2:])


def sample_steps(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the strides of that grid along the same axes."""
    return tuple(max(1, size // picks) for size, picks in zip(shape[-2:], sample_shape(shape), strict=True))


def thinned(size: int, most: int) -> tuple[int, ...]:
    """Pick at most `most` evenly spaced indices, including the first and last.

    >>> thinned(9, 3)
    (0, 4, 8)
    """
    if size <= most:
        return tuple(range(size))
    return tuple(round(i * (size - 1) / (most - 1)) for i in range(most))


def index_at(place: int, shape: Sequence[int]) -> tuple[int, ...]:
    """Return the multi-index for a row-major index.

    >>> index_at(5, (2, 3))
    (1, 2)
    """
    indices = []
    for size in reversed(shape):
        place, index = divmod(place, max(size, 1))  # a Trace may claim that an empty tensor had an entry
        indices.append(index)
    return tuple(reversed(indices))


def statistics(flat: np.ndarray) -> tuple[float | None, float | None, float | None, float | None, int, int]:
    """Return statistics of finite numbers, and counts of the others."""
    if flat.dtype.kind == "c":
        finite = np.isfinite(flat)
        with np.errstate(over="ignore", under="ignore"):
            norm = float(np.linalg.norm(flat[finite])) if finite.any() else None
        return None, None, None, norm, int((~finite).sum()), int(np.isnan(flat).sum())
    if flat.size == 1 and math.isfinite(number := float(flat[0])):
        return number, number, number, abs(number), 0, 0
    # torch.empty may return a signalling NaN, and the norm of very large numbers is inf.
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        numbers = flat.astype(np.float64)
        finite, nonfinite, nans = numbers, 0, 0
        low, high = (np.minimum.reduce(numbers), np.maximum.reduce(numbers)) if numbers.size else (math.nan, math.nan)
        if not math.isfinite(low - high):  # some entry may be NaN or infinite
            finite = numbers[np.isfinite(numbers)]
            nonfinite, nans = numbers.size - finite.size, int(np.isnan(numbers).sum())
            if not finite.size:
                return None, None, None, None, nonfinite, nans
            low, high = np.minimum.reduce(finite), np.maximum.reduce(finite)
        norm = math.sqrt(np.add.reduce(finite * finite))
        return float(low), float(high), float(np.add.reduce(finite)) / finite.size, norm, nonfinite, nans
