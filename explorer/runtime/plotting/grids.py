"""Places of axes in a figure: matplotlib's GridSpec, and the colour maps that programs ask for single colours."""

from dataclasses import dataclass

import numpy as np

from explorer.runtime.plotting.artists import Anything

# Red, green and blue of a few maps at even steps; every other map is grey.
_MAPS = {
    "viridis": ((68, 1, 84), (59, 82, 139), (33, 145, 140), (94, 201, 98), (253, 231, 37)),
    "plasma": ((13, 8, 135), (126, 3, 168), (204, 71, 120), (248, 149, 64), (240, 249, 33)),
    "coolwarm": ((59, 76, 192), (141, 176, 254), (221, 221, 221), (244, 152, 122), (180, 4, 38)),
    "jet": ((0, 0, 128), (0, 128, 255), (128, 255, 128), (255, 128, 0), (128, 0, 0)),
    "tab10": ((31, 119, 180), (44, 160, 44), (148, 103, 189), (227, 119, 194), (23, 190, 207)),
    "gray": ((0, 0, 0), (255, 255, 255)),
}


@dataclass(frozen=True)
class Slot:
    """Cells of a grid. Attributes: place: rows, columns and the number of the first, as `add_subplot` takes them."""

    place: tuple[int, int, int]


class GridSpec(Anything):
    """matplotlib's GridSpec: `grid[row, column]` is a slot."""

    def __init__(self, nrows=1, ncols=1, *args, **options) -> None:
        self.nrows, self.ncols = int(nrows), int(ncols)

    def __getitem__(self, key) -> Slot:
        rows, wide = self.nrows, self.ncols
        if not isinstance(key, tuple):
            key = (key, slice(None)) if wide == 1 else (slice(None), key) if rows == 1 else divmod(key, wide)
        first = [
            range(size)[part][0] if isinstance(part, slice) else range(size)[part]
            for part, size in zip(key, (rows, wide), strict=True)
        ]
        return Slot((rows, wide, first[0] * wide + first[1] + 1))


class Colormap(Anything):
    """A map from shares to colours. Attributes: name, N."""

    def __init__(self, name="viridis", *args, **options) -> None:
        self.name, self.N = str(name), 256

    def __call__(self, X, alpha=None, bytes=False):
        """Red, green, blue and alpha of one share, or of every entry."""
        anchors = np.array(_MAPS.get(self.name.removesuffix("_r"), _MAPS["gray"])) / 255
        anchors = anchors[::-1] if self.name.endswith("_r") else anchors
        values = np.asarray(X)
        shares = np.clip(values / (self.N - 1) if values.dtype.kind in "iu" else values, 0, 1)
        places = np.linspace(0, 1, len(anchors))
        parts = [np.interp(shares, places, anchors[:, i]) for i in range(3)]
        found = np.stack([*parts, np.full_like(parts[0], 1.0 if alpha is None else alpha)], -1)
        return tuple(np.float64(one) for one in found) if values.ndim == 0 else found


class Colormaps(Anything):
    """The maps by name, as `cm.viridis` and `colormaps["viridis"]`."""

    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        return Colormap if name == "get_cmap" else Colormap(name)

    def __getitem__(self, name) -> Colormap:
        return Colormap(name)
