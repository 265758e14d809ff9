import torch
w = torch.randn(3, requires_grad=True) * 0.01
x = torch.tensor([1.0, 2.0, 3.0])
loss = (w * x).sum()
loss.backward()
print(w.grad)
