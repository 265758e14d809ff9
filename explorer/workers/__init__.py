"""Work of confined children for the server: explanations, diagnoses, checks, trials, lessons.

The parent without torch preloads `service.py`; with `requests.py` the server asks one of its children.
"""
