import torch
x = torch.tensor([1.0, 2.0, 3.0])
w = torch.tensor([1.0, 1.0, 1.0], requires_grad=True)
y = (x * w).sum()
x.requires_grad_()
y.backward()
print(x.grad, w.grad)
