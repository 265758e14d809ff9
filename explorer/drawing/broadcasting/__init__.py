"""The picture of a broadcast: shapes lined up, operands with what is read again, the result and the way back.

Does not belong here: how shapes are aligned (broadcasting).
"""
