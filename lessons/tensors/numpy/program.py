import numpy as np
import torch

a = np.ones(3)
shared = torch.from_numpy(a)
copied = torch.tensor(a)

a += 1
a = a + 10
