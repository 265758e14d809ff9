"""Example tables and the programs that create them."""

from explorer.analysis.views.data.data_steps import START

_TINY = """import os
import pandas as pd
import torch

os.makedirs(os.path.join('..', 'data'), exist_ok=True)
data_file = os.path.join('..', 'data', 'house_tiny.csv')
with open(data_file, 'w') as f:
    f.write('NumRooms,Alley,Price\\n')  # names of the columns
    f.write('NA,Pave,127500\\n')  # each line is an example
    f.write('2,NA,106000\\n')
    f.write('4,NA,178100\\n')
    f.write('NA,NA,140000\\n')

data = pd.read_csv(data_file)
inputs, outputs = data.iloc[:, 0:2], data.iloc[:, 2]
inputs = inputs.fillna(inputs.mean())
inputs = pd.get_dummies(inputs, dummy_na=True)
X = torch.tensor(inputs.values)
y = torch.tensor(outputs.values)
"""

_HOUSES = f"""{START}rows = torch.Generator().manual_seed(1)
area = 60 + 90 * torch.rand(40, generator=rows)
rooms = (area / 25 + torch.rand(40, generator=rows)).round()
price = 900 * area + 12_000 * rooms + 9_000 * torch.randn(40, generator=rows)
price[7] = 720_000  # one house costs far more than the others
data = pd.DataFrame({{'area': area.round(decimals=1), 'rooms': rooms, 'price': price.round()}})
data['garden'] = ['yes', 'no', None, 'yes', 'no'] * 8
data['city'] = ['Oslo', 'Lima', 'Oslo', 'Rome'] * 10
data.loc[[3, 11, 12, 25, 31], 'rooms'] = None
data = data[['area', 'rooms', 'garden', 'city', 'price']]
"""

_FLOWERS = f"""{START}rows = torch.Generator().manual_seed(2)
centres = torch.tensor([[5.0, 3.4, 1.5, 0.2], [5.9, 2.8, 4.3, 1.3], [6.6, 3.0, 5.6, 2.0]])
spread = torch.tensor([[0.35, 0.38, 0.17, 0.10], [0.52, 0.31, 0.47, 0.20], [0.64, 0.32, 0.55, 0.27]])
parts = (centres.repeat_interleave(50, 0) + spread.repeat_interleave(50, 0) * torch.randn(150, 4, generator=rows)).abs()
data = pd.DataFrame(parts.numpy().round(1), columns=['sepal length', 'sepal width', 'petal length', 'petal width'])
data['kind'] = ['red'] * 50 + ['blue'] * 50 + ['white'] * 50
"""

EXAMPLES = {"houses": _HOUSES, "tiny": _TINY, "flowers": _FLOWERS}
FIRST = "houses"
