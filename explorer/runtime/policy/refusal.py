"""The exception of a refusal."""


class Refused(Exception):
    """The policy does not allow something.

    Attributes:
        what: how the program would name it: `os.system`, `Tensor.data_ptr`, `async def`.
        reason: id of the sentence that says why and what to use instead (see `table.WHY`, `text/*/policy.ftl`).
        place: (line, end line, column, end column) as Python counts them, None when only the running frame knows it.
    """

    def __init__(self, what: str, reason: str, place: tuple[int, int, int, int] | None = None) -> None:
        super().__init__(f"{what} is not allowed here")
        self.what, self.reason, self.place = what, reason, place
