import torch
x = torch.tensor([1.0, 2.0])
w = torch.tensor([0.5, 0.5], requires_grad=True)
b = torch.tensor(0.0, requires_grad=True)
loss = (w.data * x).sum() + b
loss.backward()
print(w.grad, b.grad)
