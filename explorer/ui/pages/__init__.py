"""One folder per page, each with a `page(lang)`.

Belongs here: the content of one page. Does not belong here: parts that pages share (panels, components), pictures
(drawing).
"""
