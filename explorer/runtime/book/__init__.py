"""The library of *Dive into Deep Learning* as a program sees it: `from d2l import torch as d2l`.

In here: what the chapters of both editions keep for later ones and that needs no download, written anew from what the
book says it does. Not in here: data sets, which a program would have to download (`policy.table_extras` names them),
and how a figure is kept (the room `plotting`).
"""

from explorer.runtime.book.module import CLASSES, book_modules

__all__ = ["CLASSES", "book_modules"]
