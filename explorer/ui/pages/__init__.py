"""One folder per page, each with a `page(lang)`; `PAGES` in `ui/session/links.py` names them in the order of the head.

Belongs here: what one page alone shows. Does not belong here: what two pages share (panels, components), drawing
(drawing).
"""
