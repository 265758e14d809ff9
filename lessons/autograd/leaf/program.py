import torch

w = torch.tensor(3.0, requires_grad=True)
h = w * w
y = 2 * h
y.backward()
print(w.grad)
print(h.grad)
