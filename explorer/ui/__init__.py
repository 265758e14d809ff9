"""What pages share in Streamlit: the shell of the page, the editor, the graph component, problems, output and tables.

Here belong widgets, what a session keeps, and HTML that is shown inside Streamlit. Here does not belong anything that
computes: programs run in `sandbox`, what a Trace says comes from `autograd` and its neighbours, pictures from
`drawing`. Whatever the program wrote is escaped; none of it is ever read as Markdown.
"""
