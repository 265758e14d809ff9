import torch
x = torch.linspace(0, 1, 8)
y = 3 * x + 2
w = torch.zeros(1, requires_grad=True)
b = torch.zeros(1, requires_grad=True)
opt = torch.optim.SGD([w], lr=0.1)
for k in range(20):
    loss = ((w * x + b - y) ** 2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
print(w, b)
