"""The public API: recordings with questions, saved runs, pictures of trainings.

`answers.py` has the questions, `recording.py` what `record()` returns, `saved_files.py` saving and loading,
`pictures.py` `trace.training()`. How an answer is found belongs to `analysis`.
"""
