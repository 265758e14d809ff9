import numpy as np
import torch
a = np.array([1.0, 2.0, 3.0])
x = torch.from_numpy(a)
w = torch.ones(3, dtype=torch.float64, requires_grad=True)
loss = (w * x).sum()
a[0] = 100.0
loss.backward()
print(w.grad)
