"""Libraries that a host may have installed beside what the app needs: which are here, and how a parent imports them.

scikit-learn, torchvision, einops and Pillow (`requirements-extra.txt`). A fork may start neither threads nor processes,
and may not be able to open a file, so the parent imports all of them, told to work on one thread.
"""

import contextlib
import importlib
import importlib.util
import os
import sys
import types
from functools import cache

from explorer.runtime.policy.table_extras import EXTRA_LIBRARIES, EXTRA_MODULES

_TYPES_OF_ARROW = ("Table", "RecordBatch", "Array", "ChunkedArray")  # what scikit-learn asks every array for


@cache
def installed(name: str) -> bool:
    """Whether one of these libraries is here, and can be imported."""
    try:
        if name == "sklearn":
            os.environ["JOBLIB_MULTIPROCESSING"] = "0"  # `n_jobs` is then one
            _without_arrow()
        if name == "torchvision":
            _without_native_operators()
        importlib.import_module(name)
        if name == "sklearn":
            importlib.import_module("sklearn.utils.parallel")._get_threadpool_controller()  # it reads /proc, once
    except Exception:  # not there, or built for another torch
        return False
    return True


def preload_extras() -> None:
    """Import what is here of them, with every module that a program may use."""
    for name in EXTRA_MODULES:
        if installed(name.partition(".")[0]):
            with contextlib.suppress(ImportError):
                importlib.import_module(name)


def is_extra(name: str) -> bool:
    """Whether a module belongs to one of these libraries."""
    return name.partition(".")[0] in EXTRA_LIBRARIES


def _without_arrow() -> None:
    """pyarrow is kept out of the parent; scikit-learn takes what stands for it by its types."""
    if "pyarrow" in sys.modules and sys.modules["pyarrow"] is None:
        stub = types.ModuleType("pyarrow")
        vars(stub).update({name: type(name, (), {}) for name in _TYPES_OF_ARROW})
        sys.modules["pyarrow"] = stub


def _without_native_operators() -> None:
    """A torchvision built for another torch has its Python part still, once the operators it describes are declared."""
    import torch

    native = importlib.util.find_spec("torchvision")
    if native is None or hasattr(torch.ops.torchvision, "nms"):
        return
    with contextlib.suppress(OSError, RuntimeError):
        torch.ops.load_library(os.path.join(os.path.dirname(native.origin), "_C.so"))
    if not hasattr(torch.ops.torchvision, "nms"):
        _LIBRARIES.append(library := torch.library.Library("torchvision", "FRAGMENT"))
        library.define("nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        library.define("qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")


_LIBRARIES: list = []  # what is declared lasts as long as these
