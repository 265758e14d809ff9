import torch

w = torch.tensor(1.0, requires_grad=True)
rate = 0.1
for step in range(20):
    loss = w * w
    loss.backward()
    with torch.no_grad():
        w -= rate * w.grad
    w.grad = None
    print(step, w.item())
