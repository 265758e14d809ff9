"""One folder per page, each with a `page(lang)`. `PAGES` in `ui/session/addresses.py` lists them in order.

Belongs here: the content of one page. Does not belong here: parts that pages share (panels, components), pictures
(drawing).
"""
