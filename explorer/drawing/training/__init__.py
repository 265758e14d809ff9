"""Render a training: loss curve, heat strip for each parameter, step numbers, plots.

Belongs here: pure functions from `training.view` to HTML, SVG and plotly figures, and the cursor's script. Does not
belong here: analysis of the steps (training), Streamlit (ui).
"""
