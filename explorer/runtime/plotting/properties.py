"""What axes are called, how far they reach, and where their ticks are, under matplotlib's method names."""

from collections.abc import Callable
from typing import Any

import numpy as np

from explorer.runtime.plotting.artists import Artist, Said, artist
from explorer.runtime.plotting.data import Series


class Properties:
    """What Axes derives from for labels, limits, scales, ticks and the legend."""

    properties: Series
    series: list[Series]
    figure: Any
    _numbers: Callable[..., list[float]]

    def _name(self, key: str, text, shown: str):
        if text is None or not str(text):
            self.properties.pop(key, None)
        else:
            self.properties[key] = str(text)[:500]
        return Said(
            {"text": "" if text is None else str(text)}, f"Text({shown}, {'' if text is None else str(text)!r})"
        )

    def set_xlabel(self, text="", *args, **options):
        return self._name("xlabel", text, "0.5, 0")

    def set_ylabel(self, text="", *args, **options):
        return self._name("ylabel", text, "0, 0.5")

    def set_zlabel(self, text="", *args, **options):
        return self._name("zlabel", text, "0.5, 0")

    def set_title(self, text="", *args, **options):
        return self._name("title", text, "0.5, 1.0")

    def get_title(self, *args) -> str:
        return self.properties.get("title", "")

    def get_xlabel(self) -> str:
        return self.properties.get("xlabel", "")

    def get_ylabel(self) -> str:
        return self.properties.get("ylabel", "")

    def set_xlim(self, left=None, right=None, **options) -> tuple[float, float]:
        return self._limit("x", options.get("xmin", left), options.get("xmax", right))

    def set_ylim(self, bottom=None, top=None, **options) -> tuple[float, float]:
        return self._limit("y", options.get("ymin", bottom), options.get("ymax", top))

    def get_xlim(self) -> tuple[float, float]:
        return self._limits("x")

    def get_ylim(self) -> tuple[float, float]:
        return self._limits("y")

    def _limit(self, axis: str, low, high) -> tuple[float, float]:
        if low is not None and np.ndim(low):
            low, high = low
        if low is not None or high is not None:
            now = self._limits(axis)
            ends = (
                end if given is None else self._numbers(given)[0] for given, end in zip((low, high), now, strict=True)
            )
            self.properties[f"{axis}lim"] = [float(end) for end in ends]
        left, right = self._limits(axis)
        return float(left), float(right)

    def _limits(self, axis: str) -> tuple[np.float64, np.float64]:
        if f"{axis}lim" in self.properties:
            low, high = self.properties[f"{axis}lim"]
            return np.float64(low), np.float64(high)
        given = [one[axis] for one in self.series if isinstance(one.get(axis), list)]
        entries = [entry for numbers in given for entry in numbers if np.isfinite(entry)]
        if not entries:
            return np.float64(0), np.float64(1)
        margin = 0.05 * (max(entries) - min(entries)) or 0.05
        return np.float64(min(entries) - margin), np.float64(max(entries) + margin)

    def set_xscale(self, scale="linear", *args, **options) -> None:
        self.properties["xscale"] = str(scale)[:40]

    def set_yscale(self, scale="linear", *args, **options) -> None:
        self.properties["yscale"] = str(scale)[:40]

    def set_xticks(self, ticks=None, labels=None, *args, **options) -> list:
        return self._ticks("x", ticks, labels)

    def set_yticks(self, ticks=None, labels=None, *args, **options) -> list:
        return self._ticks("y", ticks, labels)

    def set_xticklabels(self, labels, *args, **options) -> list:
        return self._ticks("x", None, labels)

    def set_yticklabels(self, labels, *args, **options) -> list:
        return self._ticks("y", None, labels)

    def _ticks(self, axis: str, ticks, labels) -> list:
        if ticks is not None:
            self.properties[f"{axis}ticks"] = self._numbers(ticks)
        if labels is not None:
            self.properties[f"{axis}ticklabels"] = "\n".join(str(label).replace("\n", " ") for label in labels)[:20_000]
        return []

    def legend(self, *args, **options):
        """Names for the curves: those given, else their labels."""
        handles = [one for one in args if isinstance(one, list | tuple) and one and isinstance(one[0], Artist)]
        labels = next((one for one in args if isinstance(one, list | tuple) and one and isinstance(one[0], str)), None)
        labels = options.get("labels", labels)
        named = [one.series for one in handles[0]] if handles else self.series
        named = [one for one in named if one.get("kind") not in ("text", "hline", "vline") or handles]
        for series, label in zip(named, labels or (), strict=False):
            series["label"] = str(label)[:500]
        self.properties["legend"] = 1.0
        return artist("legend", {})

    def grid(self, visible=True, *args, **options) -> None:
        """Lines at the ticks."""
        self.properties["grid"] = float(bool(visible) or visible is None)

    def axis(self, setting=None, *args, **options):
        """Limits, or one of "off", "equal", ...; returns the limits."""
        if setting in ("off", False):
            self.properties["off"] = 1.0
        elif setting in ("equal", "square", "scaled", "image"):
            self.properties["equal"] = 1.0
        elif setting is not None and not isinstance(setting, str | bool):
            low, high, bottom, top = self._numbers(setting)
            self.properties["xlim"], self.properties["ylim"] = [low, high], [bottom, top]
        return (*self._limits("x"), *self._limits("y"))

    def set_axis_off(self) -> None:
        self.properties["off"] = 1.0

    def invert_xaxis(self) -> None:
        low, high = self._limits("x")
        self.properties["xlim"] = [high, low]

    def label_outer(self, *args, **options) -> None:
        """Labels at the edges of the figure alone."""

    def invert_yaxis(self) -> None:
        low, high = self._limits("y")
        self.properties["ylim"] = [high, low]

    def set(self, **settings) -> list:
        """Several properties at once."""
        return [getattr(self, f"set_{name}")(entry) for name, entry in settings.items()]

    def cla(self) -> None:
        """Empty the axes."""
        self.series.clear()
        self.properties.clear()

    clear = cla

    def twinx(self):
        """These axes again: there is one scale."""
        return self

    twiny = twinx

    def get_figure(self, *args):
        return self.figure

    def get_legend_handles_labels(self) -> tuple[list, list]:
        named = [one for one in self.series if "label" in one]
        return [artist(str(one["kind"]), one) for one in named], [one["label"] for one in named]
