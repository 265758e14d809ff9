"""A name that explorer.analysis.faults still uses; new code takes it from explorer.analysis.source."""

from explorer.analysis.source.edits import replace_span as replaced

__all__ = ["replaced"]
