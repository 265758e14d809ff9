"""The library of *Dive into Deep Learning* for `from d2l import torch as d2l`, if none is installed.

Belongs here: functions and classes that chapters of both editions save for later ones, written from the book's
description. Does not belong here: data sets, which a program would have to download.
"""

from explorer.runtime.book.module import book_modules

__all__ = ["book_modules"]
