"""A warm spare process, where forking is not safe: it preloads, waits for one request, answers it, and exits.

Started by exec (explorer.sandbox.spares). Standard input brings the order and the request. It writes readiness and the
reply to standard output, and its place in the program on a crash or timeout to standard error.
"""

import importlib
import os
from collections.abc import Collection

from explorer.sandbox.child_process import answer
from explorer.sandbox.confine import Level, settle
from explorer.sandbox.wire import BEGUN, ORDER, READY, Order, read_exactly, write_all


def main(module_name: str, least: Level, without: Collection[str], parts: Collection[str] | None = None) -> None:
    """Preload, report readiness, and handle one request; exit without one when standard input closes.

    `parts`: what is preloaded, None for all of it.
    """
    requests, replies, emergency = (os.dup(stream) for stream in range(3))
    os.dup2(2, 1)  # output of an import is no reply
    module = importlib.import_module(module_name)
    module.preload(parts)
    write_all(replies, READY)
    try:
        order = Order.unpacked(read_exactly(requests, ORDER.size))
    except EOFError:
        return
    write_all(replies, BEGUN)
    null = os.open(os.devnull, os.O_RDWR)
    settled = settle(without, serving=False)
    answer(settled, least, requests, replies, emergency, null, order, module.handle)
