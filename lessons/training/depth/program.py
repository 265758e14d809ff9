import torch

x = torch.tensor(0.0, requires_grad=True)
h = x
for layer in range(10):
    h = torch.sigmoid(h)
h.backward()
print(x.grad)
