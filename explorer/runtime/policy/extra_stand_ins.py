"""Functions that stand in for those of libraries beside torch, numpy and pandas: the same, but checked."""

import sys

from explorer.runtime.policy.syntax import is_special
from explorer.runtime.policy.table import OPERATORS
from explorer.runtime.policy.table_extras import MODELS

_WEIGHTS = ("weights", "pretrained", "weights_backbone", "pretrained_backbone")


def extra_functions(guards) -> dict[tuple[str, str], object]:
    """What stands in for functions of these libraries, by the module's name and the function's."""
    return {
        ("d2l.torch", "add_to_class"): _add_to_class(guards),
        ("PIL.Image", "fromarray"): _fromarray,
        ("sklearn.pipeline", "Pipeline"): _pipeline,
        ("sklearn.pipeline", "make_pipeline"): _make_pipeline,
        **{("torchvision.models", name): _model(guards, name) for name in MODELS.split()},
    }


def extra_methods(guards) -> dict[tuple[str, str], object]:
    """What stands in for methods of these libraries, by the type's full name and the method's."""
    return {("PIL.Image.Image", "show"): _show}


def _show(self, *arguments, **keywords) -> None:
    """Below the cell, as a notebook does; Pillow would look for a program that shows pictures."""
    sys.modules["IPython.display"].display(self)


def _add_to_class(guards):
    """A class of the program gets what its body may define; one of the book's, public names."""
    from explorer.runtime.book import CLASSES

    def add_to_class(Class):
        if not isinstance(Class, type) or not (Class in guards.own or Class in CLASSES):
            guards.refuse(f"d2l.add_to_class({guards.said(Class)})", "write")

        def wrapper(obj):
            if not guards.is_own_function(obj):
                guards.refuse(f"d2l.add_to_class(...)({guards.said(obj)})", "write")
            name = obj.__name__
            if is_special(name):
                allowed = name in OPERATORS
            else:
                allowed = Class not in CLASSES or name not in guards.private(Class)
                if Class in guards.own:
                    guards.write(Class, name)
            if not allowed:
                guards.refuse(f"{Class.__name__}.{name}", "definition")
            setattr(Class, name, obj)
            guards.changed()

        return wrapper

    return add_to_class


def _fromarray(obj, mode=None):
    """A picture of an array; of anything else Pillow would ask for its memory."""
    import numpy
    from PIL import Image

    if type(obj) is not numpy.ndarray:
        raise TypeError(f"an array is wanted, not {type(obj).__name__}")
    array = numpy.ascontiguousarray(obj)
    return Image.fromarray(array) if mode is None else Image.fromarray(array).convert(mode)


def _pipeline(steps, *, verbose=False):
    """Without `memory`, which would write files."""
    from sklearn.pipeline import Pipeline

    return Pipeline(steps, verbose=verbose)


def _make_pipeline(*steps, verbose=False):
    from sklearn.pipeline import make_pipeline

    return make_pipeline(*steps, verbose=verbose)


def _model(guards, name: str):
    """A network without trained weights, which would have to be downloaded."""

    def build(*arguments, **keywords):
        from torchvision import models

        if any(arguments) or any(keywords.get(one) for one in _WEIGHTS):
            guards.refuse(f"torchvision.models.{name}(weights=...)", "weights")
        keywords = {key: value for key, value in keywords.items() if key not in _WEIGHTS}
        return getattr(models, name)(**keywords)

    build.__name__ = name
    return build
