"""Pictures of single operations as HTML and plotly: squares for entries, curves, densities, arrows. Pure.

Belongs here: how an `OperationView` looks. Does not belong here: what an operation did
(explorer.analysis.tensors.operations), what happens when a user points at an entry (ui).
"""

from explorer.drawing.operations.charts import charts
from explorer.drawing.operations.picture import operation_html
