"""The `d2l` library of *Dive into Deep Learning*, if none is installed.

Belongs here: definitions that the chapters on tensors, gradients, linear models and multilayer perceptrons save for
later chapters, in both editions, written from the book's description. Does not belong here: what later chapters save,
which an installed `d2l` has, and data sets, which a program would have to download.
"""

from explorer.runtime.book.module import book_modules
