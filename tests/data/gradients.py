# %%
%matplotlib inline
import torch
import matplotlib.pyplot as plt
# %%
x = torch.tensor([0.5, -1.0, 2.0], requires_grad=True)
print(x.grad, x.is_leaf, x.grad_fn)
# %%
y = x * x + 1
z = y.mean()
print(y.grad_fn)
z
# %%
z.backward()
x.grad
# %%
x.grad == 2 * x / 3
# %%
x.grad.zero_()
y = 3 * x
y.backward(torch.tensor([1.0, 0.1, 0.01]))
print(x.grad)
# %%
x.grad.zero_()
u = (x * x).detach()
(u * x).sum().backward()
x.grad == u
# %%
w = torch.tensor(2.0, requires_grad=True)
with torch.no_grad():
    cube = w ** 3
result = w ** 2 + cube
print(cube.requires_grad, result.requires_grad)
result.backward()
w.grad
# %%
v = torch.ones(2)
print(v.requires_grad)
v.requires_grad_(True)
keep = (v * v).sum()
keep.backward(retain_graph=True)
keep.backward()
print(v.grad)
# %%
v.data *= 10  # not recorded
print(v, v.grad)
# %%
def longer(start):
    grown = start * 2
    while grown.norm() < 100:
        grown = grown * 2
    return grown if grown.sum() > 0 else grown * 10


s = torch.tensor(1.5, requires_grad=True)
end = longer(s)
end.backward()
s.grad == end / s
# %%
h = 0.1
for i in range(4):
    print(f'{h:.4f} {(((1 + h) ** 3 - 1) / h):.4f}')
    h *= 0.1
# %%
at = torch.arange(-1, 1.5, 0.5)
plt.plot(at, at ** 3, 'b-', label='f')
plt.plot(at, 3 * at - 2, 'r--', label='tangent')
plt.legend()
plt.show()
