"""The app in Streamlit, with a folder for each page.

Belongs here: widgets, session state, and HTML that is shown inside Streamlit. Does not belong here: anything that
computes. Programs run in `sandbox`, facts come from `analysis`, pictures from `drawing`. Program output is escaped and
never read as Markdown.
"""
