"""The app in Streamlit: frame, session, editor, panels, components, and a folder for each page.

Belongs here: widgets, what a session keeps, and HTML that is shown inside Streamlit. Does not belong here: anything
that computes. Programs run in `sandbox`, what a Trace says comes from `autograd` and its neighbours, pictures from
`drawing`. Whatever the program wrote is escaped; none of it is ever read as Markdown.
"""
