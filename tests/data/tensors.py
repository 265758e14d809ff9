# %%
import torch
import pandas as pd
import os
# %%
row = torch.arange(10)
row
# %%
row.shape, row.numel(), len(row)
# %%
grid = row.reshape(2, -1)  # the second size follows from the first
print(grid.size())
grid
# %%
torch.zeros(2, 3), torch.ones((3, 2), dtype=torch.long)
# %%
torch.empty(2, 2)
# %%
torch.manual_seed(3)
noise = torch.randn(2, 5)
noise
# %%
table = torch.tensor([[4.5, -1, 0], [2, 8, 3.25]])
print(table.dtype)
table
# %%
like = torch.rand_like(table, dtype=torch.float64)
steps = torch.linspace(-1, 1, 5)
steps
# %%
a = torch.tensor([1.0, 3, 9])
b = torch.tensor([2, 2, 2])
a + b, a - b, a * b, a / b, a ** b
# %%
torch.exp(a), a.log()
# %%
wide = torch.cat((table, table * 2), dim=1)
tall = torch.cat((table, table))
wide, tall.shape
# %%
table > 1
# %%
table.sum(), table.mean(dim=0), table.sum(dim=1, keepdim=True), table.cumsum(0)
# %%
column = torch.arange(3).reshape(3, 1)
line = torch.arange(2).reshape(1, 2)

column + line
# %%
total = table.sum(1, keepdim=True)
table / total
# %%
square = torch.eye(3) + 1
torch.mm(table, square), torch.mv(square, a), torch.dot(a, a), a.norm()
# %%
table[-1], table[0:1, 1:]
# %%
first = table[0]
first += 10
table
# %%
table[:, 0] = 7
table[1, 2] = -1

table
# %%
flat = table.view(6)
kept = table.clone().view(6)
# %%
table *= 2
print(flat)
print(kept)
# %%
before = id(wide)
wide = wide + 1
print(id(wide) == before)
before = id(tall)
tall[:] = tall + 1
tall.add_(1)
print(id(tall) == before)
# %%
square.T, square.t().is_contiguous()
# %%
numbers = table.numpy()
numbers[0, 0] = 100
again = torch.from_numpy(numbers)
copied = torch.tensor(numbers)
type(numbers), table, copied
# %%
chosen = torch.tensor([0, 2])
torch.index_select(table, 1, chosen), torch.masked_select(table, table > 0), torch.nonzero(table < 0)
# %%
order = torch.tensor([[2, 0], [1, 1]])
table.gather(1, order)
# %%
torch.triu(square), torch.diag(square), torch.trace(square)
# %%
one = torch.tensor([3.5])
one, one.item(), float(one), int(one)
# %%
os.makedirs('rooms', exist_ok=True)
path = os.path.join('rooms', 'prices.csv')
with open(path, 'w') as file:
    file.write('rooms,street,price\n')
    file.write('2,Mill Lane,90\n')
    file.write(',Mill Lane,120\n')
    file.write('5,,200\n')
# %%
prices = pd.read_csv(path)
print(prices)
# %%
inputs, outputs = prices.iloc[:, 0:2], prices.iloc[:, 2]
inputs = inputs.fillna({'rooms': inputs['rooms'].mean()})
inputs = pd.get_dummies(inputs, dummy_na=True, dtype=float)
inputs
# %%
X, y = torch.tensor(inputs.values), torch.tensor(outputs.values)
X, y
# %%
print(torch.cuda.is_available())
if torch.cuda.is_available():
    X = X.to('cuda')
    print(X)
