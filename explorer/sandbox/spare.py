"""A warm spare process, where forking is not safe: preloads, waits for one request, answers it, ends.

Started by exec (explorer.sandbox.spares). Its standard input brings the order and the request, its standard output
takes the word that it is ready and the reply, its standard error where it stands when it crashes or takes too long.
"""

import importlib
import os
from collections.abc import Collection

from explorer.sandbox.answering import answer
from explorer.sandbox.confine import Level, settle
from explorer.sandbox.wire import BEGUN, ORDER, READY, Order, read_exactly, write_all


def main(module_name: str, least: Level, without: Collection[str]) -> None:
    """Preloads, says so, and handles one request; ends without one when standard input closes."""
    requests, replies, emergency = (os.dup(stream) for stream in range(3))
    os.dup2(2, 1)  # what a library prints while it is imported is no reply
    module = importlib.import_module(module_name)
    module.preload()
    write_all(replies, READY)
    try:
        order = Order.unpacked(read_exactly(requests, ORDER.size))
    except EOFError:
        return
    write_all(replies, BEGUN)
    null = os.open(os.devnull, os.O_RDWR)
    settled = settle(without, serving=False)
    answer(settled, least, requests, replies, emergency, null, order, module.handle)
