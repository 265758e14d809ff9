"""The timeline of a run: its moments in order.

Pure functions of a Trace. `timeline` lists the changes of each moment, `Births` finds when a picture's cards appear,
`sentences` describes moments in words.

Belongs here: the order of events. Does not belong here: their display (drawing, ui).
"""

from explorer.analysis.views.timeline.narrator import sentences
from explorer.analysis.views.timeline.records import (
    Change,
    FunctionCall,
    GradState,
    Life,
    Moment,
    Timeline,
    TimelineChapter,
)
from explorer.analysis.views.timeline.run_moments import Births, timeline
