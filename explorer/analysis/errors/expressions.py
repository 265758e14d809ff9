"""Names that explorer.analysis.faults still uses; new code takes them from explorer.analysis.source."""

from explorer.analysis.source.expressions import Call as WrittenCall
from explorer.analysis.source.expressions import bracketed
from explorer.analysis.source.expressions import parse_binary as operated
from explorer.analysis.source.expressions import parse_call as called
from explorer.analysis.source.expressions import shorten_code as shown
from explorer.analysis.source.expressions import with_suffix as postfixed

__all__ = ["WrittenCall", "bracketed", "called", "operated", "postfixed", "shown"]
