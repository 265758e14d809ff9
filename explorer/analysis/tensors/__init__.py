"""What a Trace says about tensors and their memory: pure functions to plain records.

Here belong the list of a program's tensors, a tensor in full (entries, facts, versions, how its print is read), the map
of storages and views, and what each line rebinds, writes and shares; `operations/` has what operations do with entries.
Here do not belong: HTML and SVG (drawing), the words of sentences (text; `operations/sentences.py` picks which one is
said with which numbers, as autograd's do), gradients and graphs (autograd), torch.
"""
