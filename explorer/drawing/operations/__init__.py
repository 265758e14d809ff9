"""Draw single operations as HTML and plotly.

Belongs here: rendering an `OperationView`. Does not belong here: effects of operations
(explorer.analysis.explain.entries), pointer interaction (ui).
"""

from explorer.drawing.operations.charts import curve_chart
from explorer.drawing.operations.picture import operation_html
