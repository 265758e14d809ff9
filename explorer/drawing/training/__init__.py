"""How a training is drawn: the loss over its steps, a heat strip for each parameter, numbers of a step, plots.

Belongs here: pure functions from `training.view` to HTML, SVG and plotly figures, and the cursor's script. Does not
belong here: what the steps say (training), Streamlit (ui).
"""
