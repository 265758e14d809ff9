"""Autograd Explorer in the browser: `streamlit run app.py`. Navigation only; pages are in pages/.

Streamlit imports this file once, for the server, and runs it as the main program for every drawing of a page.
"""

if __name__ == "__main__":
    from explorer.ui.frame.server import until_loaded

    until_loaded()
    from explorer.ui.frame.shell import navigate

    navigate()
else:
    import gc

    gc.disable()  # until the first page is loaded

    import streamlit as st

    from explorer.ui.frame.server import lifespan, middleware

    app = st.App(__file__, middleware=middleware(), lifespan=lifespan)
