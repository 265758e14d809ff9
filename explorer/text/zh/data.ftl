# 数据页：表格、程序对它做的事、由它得到的张量、权重的梯度。

nav-data = 数据
data-view =
    .table = 表格
    .tensors = 张量
    .gradient = 梯度
data-source = 表格
data-example =
    .own = 你的程序
    .houses = 房屋
    .tiny = 四套房屋（书中的例子）
    .flowers = 三种花
data-own = 打开或粘贴
data-file = 文件：CSV、TSV、Excel 或 JSON，最大 { $most } MB
data-file-hint = 文件只在受限进程中读取。Parquet 请先另存为 CSV。
data-paste = 或粘贴一个表格
data-paste-take = 读取
data-not-run = 这个程序来自链接，尚未运行。
data-no-table = 这个程序里没有表格。请把表格读入一个变量，例如 data = pd.read_csv("file.csv")。

# 文件为什么没有读取
data-no-program = 无法把 { $name } 当作程序读取。
data-dropped-large = { $name } 太大，不能拖放到这里。请用“打开或粘贴”。

# 表格
data-row = 行
data-caption = { $name }：{ $rows } 行，{ $columns } 列
data-missing = 缺失 { $count } 个
data-mean = 均值 { $mean }
data-distinct = { $count } 种取值
missing = 缺失
data-column = 列
data-first = 显示全部 { $all } { $what ->
        [columns] 列
       *[rows] 行
    }中的前 { $shown } { $what ->
        [columns] 列
       *[rows] 行
    }。

# 可以做什么
data-do =
    .fill-mean = 用均值填补
    .fill-median = 用中位数填补
    .fill-mode = 用众数填补
    .fill-constant = 填补为
    .drop-rows = 删除缺失的行
    .scale-standard = 标准化：均值 0，标准差 1
    .scale-range = 缩放到 0 … 1
    .one-hot = 独热编码：{ $count } 列
    .retype-codes = 给每个取值编号
    .retype-number = 转为数字
    .retype-date = 转为日期
    .retype-days = 距最早日期的天数
    .drop-columns = 删除
data-all =
    .fill-mean = 各数字列用均值填补
    .fill-median = 各数字列用中位数填补
    .fill-mode = 各列用众数填补
    .fill-constant = 填补为
    .drop-rows = 删除有缺失值的行
    .drop-columns = 删除有缺失值的列
    .scale-standard = 标准化所有数字列
    .scale-range = 所有数字列缩放到 0 … 1
    .one-hot = 所有文本列独热编码
data-several = { $count } 列
data-several-hint = 按住 Ctrl 点击列名，可以同时处理几列。

# 张量
data-target = 目标
data-inputs = 输入
data-make = 转为张量
data-no-tensors = 请选择输入和目标，再转为张量。
data-would-not = 按表格现在的样子：
data-why =
    .text = 是文本：torch.tensor 只接受数字。独热编码或每个取值一个编号都能把它变成数字。
    .date = 是日期：请先转为数字，例如 (dates - dates.min()).dt.days。
    .mixed = 含有多种类型的值（{ $dtype }）：请先统一类型。
    .other = 的类型不是张量的数据类型（{ $dtype }）。
    .missing = 有 { $count } 个缺失值：读入张量后是 NaN，损失和梯度也随之变成 NaN。
data-tensor = { $name }：形状 { $shape }，{ $dtype }，各列依次取自 { $table }
data-more-rows = 还有 { $count } 行

# 梯度
data-model = 模型
    .linear = 线性回归
    .logistic = 逻辑回归
data-rate = 学习率
data-model-add = 加上一步训练
data-model-needs = 梯度来自模型，模型需要张量。先选择输入和目标，转为张量；再在这里加上一步训练，就能看到损失和每个权重的梯度。
data-to-tensors = 下一步：转为张量
data-to-gradient = 下一步：权重的梯度
data-no-gradient = 程序中还没有带梯度的权重。请选择模型并加上一步训练，就能看到损失和每个权重的梯度。
data-weights = 每个权重的梯度
data-weight = 权重
data-gradient = 梯度
data-predicted = 预测
data-given = 目标
data-pull = 对梯度的贡献
data-pulls = 各行对 { $name } 的梯度的贡献：{ $all } 行中最大的 { $rows } 行
data-adds-up = 全部 { $rows } 行加起来等于 { $gradient }。
data-loss = 损失 { $loss }
    .less = 损失 { $loss }；更新一步之后是 { $after }。
    .more = 损失 { $loss }；更新一步之后是 { $after }：步长太大。请缩放各列，或减小学习率。
    .nan = 损失是 NaN 或无穷。请在转为张量之前填补或去掉缺失值。
