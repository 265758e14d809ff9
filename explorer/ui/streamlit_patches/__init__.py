"""Changes to Streamlit that this app needs, one file each.

Each file names the private parts of Streamlit that it replaces, and why.
"""
