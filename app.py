"""Autograd Explorer in the browser: `streamlit run app.py`. Navigation only; pages are in pages/."""

from explorer.ui.shell import navigate

navigate()
