"""What plotting calls return: marks as data, and objects that take everything and draw nothing."""

from explorer.runtime.plotting.data import Series, numbers


class Anything:
    """What an object that is not drawn offers: every attribute and call, without effect."""

    def __init__(self, *args, **options) -> None:
        pass

    def __getattr__(self, name: str) -> "Anything":
        if name.startswith("__"):
            raise AttributeError(name)
        return Anything()

    def __call__(self, *args, **options) -> "Anything":
        return Anything()

    def __getitem__(self, key) -> "Anything":
        return Anything()

    def __setitem__(self, key, value) -> None:
        pass

    def __iter__(self):
        return iter(())


class Artist(Anything):
    """A mark of a figure, as plotting calls return it. Attributes: series: what it stands for."""

    def __init__(self, series: Series, shown: str = "") -> None:
        self.series, self._shown = series, shown

    def __repr__(self) -> str:
        return self._shown or f"<matplotlib.artist.Artist at {id(self):#x}>"

    def set_label(self, label: object) -> None:
        self.series["label"] = str(label)[:500]

    def set_data(self, x, y) -> None:
        self.series["x"], self.series["y"] = numbers(x)[0], numbers(y)[0]


class Container(tuple):
    """Several marks of one call."""

    def __new__(cls, artists, shown: str) -> "Container":
        made = super().__new__(cls, artists)
        made.shown = shown
        return made

    def __repr__(self) -> str:
        return self.shown
