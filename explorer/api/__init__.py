"""What `import explorer` returns to a script: a recording that answers, saved runs, the picture of a training.

`answers.py` has the questions, `recording.py` what `record()` returns, `saved.py` saving and loading,
`pictures.py` `trace.training()`. How an answer is found belongs to `analysis`.
"""
