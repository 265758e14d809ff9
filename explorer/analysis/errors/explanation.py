"""What an error is explained by."""

from explorer.analysis.findings import Finding
from explorer.analysis.levels import Level
from explorer.text import Message, Part


class Explanation(Finding, frozen=True):
    """Why a program stopped. Its sentences are error-<kind>; of its values program texts are verbatim."""

    @property
    def level(self) -> Level:
        """An error is certain."""
        return "fault"

    def messages(self, part: Part) -> tuple[Message]:
        """What is said of it."""
        return (Message(f"error-{self.kind}", self.values).part(part),)
