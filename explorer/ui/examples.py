"""The programs a page begins with."""

# w is used twice, so that its gradient is a sum: 2 through a and 3 through b.
FIRST_SIGHT = """\
w = torch.tensor(1., requires_grad=True)
x = torch.tensor(2., requires_grad=True)
a = w + x
b = w + 1
y = a * b
y.backward()
"""
