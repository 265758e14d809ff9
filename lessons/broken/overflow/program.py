import torch
z = torch.tensor([1000.0, 999.0], requires_grad=True)
p = torch.exp(z) / torch.exp(z).sum()
p[0].backward()
print(p, z.grad)
