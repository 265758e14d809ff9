"""What confined children compute for the server: explanations, diagnoses, gradient checks, trials, lessons.

The parent without torch preloads `service.py`; with `requests.py` the server asks one of its children.
"""
