import matplotlib.pyplot as plt
import torch

x = torch.linspace(0, 3, 4)
curve = x ** 2
line = 2 * x

plt.plot(x, curve, label="curve")
plt.plot(x, line, label="line")
plt.legend()
plt.show()
