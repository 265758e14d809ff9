"""Hide errors from the program: the recorder's own, and errors of objects it reads."""

import os

from explorer.runtime.signals import raised_by_handler

STRICT = bool(os.environ.get("EXPLORER_STRICT"))  # set by the tests
_RUNTIME = os.path.dirname(os.path.dirname(__file__))
_OF_TORCH = (RuntimeError, MemoryError)  # torch's errors, raised in the calling line from Python's perspective


class Fault(Exception):
    """Raised for an error of the recorder itself, in strict mode."""


def reraise_recorder_error(problem: BaseException) -> None:
    """Accept an error of the program's objects or of torch.

    In strict mode an error of the recorder raises Fault. Errors of the program's signal handlers are not the recorder's
    and propagate. Every `except Exception` of the recorder ends here. An error is the recorder's own if it was raised
    in its code.
    """
    if raised_by_handler(problem):
        raise problem
    if STRICT and not isinstance(problem, _OF_TORCH) and _raised_in(problem).startswith(_RUNTIME):
        raise Fault(repr(problem)) from problem


def _raised_in(problem: BaseException) -> str:
    """Return the file that raised an error."""
    traceback, file = problem.__traceback__, ""
    while traceback is not None:
        file, traceback = traceback.tb_frame.f_code.co_filename, traceback.tb_next
    return file
