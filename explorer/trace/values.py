"""The numbers of tensors: their layout in a Trace's blob, and one of them decoded (`Value`)."""

import math
from collections.abc import Sequence

import numpy as np
from msgspec import Struct

FULL = 64  # entries up to which a value is kept in full
WHOLE = 65_536  # entries up to which a tensor in Options.full is kept whole
STRIDED = 4_096  # entries kept beside the sample of a larger one
AXES = 64  # NumPy's maximum; entries of tensors with more axes are not recorded
GRID = 8  # rows and columns of the sample of a larger value

Number = int | float | complex | bool

# How a torch dtype lies in the blob: numpy's little-endian format. What numpy lacks is widened, keeping its name.
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


def real(entry: Number) -> float:
    """An entry of a dtype with an order. Raises TypeError for a complex one."""
    if isinstance(entry, complex):
        raise TypeError(f"{entry} is no real number")
    return entry


class Value(Struct, frozen=True):
    """The recorded entries of a tensor at one moment.

    Attributes:
        shape, dtype: as torch names them.
        data: all entries in row-major order, or None.
        sample: the entries of a strided grid (sample_shape) when there are more than FULL.
        minimum, maximum, mean, finite_norm: over the finite entries, None when there are none; the first three also
            where the dtype has no order.
        nonfinite: how many entries are NaN or infinite.
        nans: how many of those are NaN.
        sampled: of how many entries minimum, maximum and mean are; 0: of all. At detail "light" those of a large tensor
            are of runs at equal distances, whose entries are not all equal. The norm is that of all, to a part
            in 10 000.
        asked: further entries, each with its row-major position, that the run was asked for (Options.asked).
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
        """The norm of all entries: NaN with a NaN among them, ∞ with an infinity; None if they could not be read."""
        return math.nan if self.nans else math.inf if self.nonfinite else self.finite_norm

    @property
    def entries(self) -> tuple[Number, ...]:
        """The recorded entries: all, otherwise the sample."""
        return self.sample if self.data is None else self.data

    @property
    def is_zero(self) -> bool:
        """Whether every entry is known to be 0; a sample of zeros alone does not show it."""
        if self.data is None and not (self.minimum == self.maximum == 0 and self.nonfinite == 0):
            return False
        return len(self.entries) > 0 and not any(self.entries)

    def array(self, dtype: type | None = None) -> np.ndarray | None:
        """All entries in their shape; None if only a sample was recorded or nothing could be read.

        In an empty tensor, sizes too large for NumPy become 0 as well.
        """
        if self.data is None:
            return None
        fits = math.prod(filter(None, self.shape)) < 1 << 56
        return np.array(self.data, dtype).reshape(self.shape if fits else (0,) * len(self.shape))

    def numpy(self) -> np.ndarray:
        """All entries in their shape and dtype; bfloat16, which NumPy lacks, as float32.

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
        """The only entry. Raises ValueError if there are several, or if it could not be read."""
        if self.data is None or len(self.data) != 1:
            raise ValueError(f"item() is for one entry; this is a {self.dtype} tensor of shape {self.shape}")
        return self.data[0]


def sample_shape(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The shape of the grid that samples a large value: a strided pick of its last two axes, or of its only axis.

    >>> sample_shape((3, 100, 5))
    (8, 5)
    """
    if len(shape) < 2:
        return tuple(min(FULL, size) for size in shape)
    return tuple(min(GRID, size) for size in shape[-2:])


def sample_steps(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of that grid along the same axes."""
    return tuple(max(1, size // picks) for size, picks in zip(shape[-2:], sample_shape(shape), strict=True))


def index_at(place: int, shape: Sequence[int]) -> tuple[int, ...]:
    """The multi-index of the entry with this row-major number.

    >>> index_at(5, (2, 3))
    (1, 2)
    """
    indices = []
    for size in reversed(shape):
        place, index = divmod(place, max(size, 1))  # a Trace may say that an empty tensor had an entry
        indices.append(index)
    return tuple(reversed(indices))


def statistics(flat: np.ndarray) -> tuple[float | None, float | None, float | None, float | None, int, int]:
    """Least, largest, mean and norm of the finite numbers (None if there are none); how many are not finite, how many
    NaN.
    """
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
        if not math.isfinite(low - high):  # then some may not be finite
            finite = numbers[np.isfinite(numbers)]
            nonfinite, nans = numbers.size - finite.size, int(np.isnan(numbers).sum())
            if not finite.size:
                return None, None, None, None, nonfinite, nans
            low, high = np.minimum.reduce(finite), np.maximum.reduce(finite)
        norm = math.sqrt(np.add.reduce(finite * finite))
        return float(low), float(high), float(np.add.reduce(finite)) / finite.size, norm, nonfinite, nans
