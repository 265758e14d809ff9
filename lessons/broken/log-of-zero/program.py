import torch
z = torch.tensor([0.0, 200.0], requires_grad=True)
p = torch.softmax(z, 0)
y = torch.tensor([0.0, 1.0])
nll = -(y * torch.log(p)).sum()
nll.backward()
print(nll, z.grad)
