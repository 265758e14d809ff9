# 数据页：表格、程序对它做的事、由它得到的张量、权重的梯度。

nav-data = 数据
data-title = 数据
data-lead = 从一个文件到一个权重的梯度。每个操作都会把对应的 pandas 代码加进程序。
data-view = 视图
data-view-table = 表格
data-view-tensors = 张量
data-view-gradient = 梯度
data-source = 表格
data-example-own = 你的程序
data-example-houses = 房屋
data-example-tiny = 四套房屋（书中的例子）
data-example-flowers = 三种花
data-example-series = 一段时间的气温
data-own = 打开或粘贴
data-file = 文件：CSV、TSV、Excel 或 JSON，最大 { $most } MB
data-file-hint = 文件只在受限进程中读取。Parquet 请先另存为 CSV。
data-paste = 或粘贴一个表格
data-paste-take = 读取
data-undo = 撤销
data-save = 保存
data-not-run = 这个程序来自链接，尚未运行。
data-no-table = 这个程序里没有表格。请把表格读入一个变量，例如 data = pd.read_csv("file.csv")。
data-steps = 改变表格的语句

# 文件是怎样读取的
data-notes = 关于这个文件的 { $count } 点说明
data-note-encoding = 文件编码是 { $encoding }。
data-note-skipped = 表格前面的 { $count } 行已跳过。
data-note-headless = 第一行看起来是数据而不是列名。各列命名为 c0、c1……
data-note-no-rows = 文件只有列名，没有数据行。
data-note-numbers = 读取数字时以“{ $decimal }”为小数点{ $thousands ->
    [none] 。
   *[other] ，以“{ $thousands }”为千位分隔符。
}
data-note-unclear = { $text } 里的逗号可能是千位分隔符，也可能是小数点。请检查读取文件的那一行，必要时修改。
data-note-missing = 在数字列中，下列写法按缺失值读取：{ $words }
data-note-truths = 若一列只含下列词，则按真和假读取：{ $words }
data-note-short = 有 { $many } 行的单元格少于表头（{ $width } 个），首先是第 { $line } 行，只有 { $count } 个：缺少的单元格按缺失值处理。
data-note-labelled = 每行都比表头多一个单元格。第一个单元格是行名。
data-note-twice = 列名“{ $name }”出现了两次，pandas 会给后一个加编号。
data-note-unnamed = 有 { $many } 列没有列名，首先是第 { $place } 列，pandas 称之为“Unnamed”。
data-note-mixed = “{ $name }”列是数字，但第 { $row } 行是“{ $text }”（这样的单元格共 { $many } 个），因此整列都成了文本。把类型改为“数字”，这些单元格就会成为缺失值。
data-note-mixed-cells = “{ $name }”列是数字，但第 { $row } 行是“{ $text }”（这样的单元格共 { $many } 个）。把类型改为“数字”，这些单元格就会成为缺失值。
data-note-sheets = 工作簿有 { $count } 个工作表：{ $sheets }。这里读取的是“{ $sheet }”。要看别的工作表，请修改 sheet_name。
data-note-dates = “{ $name }”中的日期可按 { $one } 读，也可按 { $other } 读。转换为日期时请选择。
data-note-formulas = 有 { $many } 个单元格以 = 开头，首先在第 { $line } 行第 { $column } 列。它们在这里只是文本，不会被计算。

# 文件为什么没有读取
data-not-looked = 无法查看 { $name }：用时过长，或占用内存过多。
data-too-much-file = { $name } 有 { $size } MB，单个文件最大 { $most } MB。请先去掉一些行或列。
data-too-much-all = 加上 { $name }，文件总共有 { $size } MB，最多可放 { $most } MB。请在自动微分页的“文件”菜单中移除一个。
data-too-much-count = 加上 { $name } 就有 { $size } 个文件，最多 { $most } 个。请在自动微分页的“文件”菜单中移除一个。
data-dropped-large = { $name } 太大，不能拖放到这里。请用“打开或粘贴”。
data-is-empty = { $name } 是空文件。
data-is-zip = 不管文件名怎么写，{ $name } 是 zip 压缩包。请先解压，再给出其中的表格。
data-is-gzip = { $name } 用 gzip 压缩过。请先解压。
data-is-bzip2 = { $name } 用 bzip2 压缩过。请先解压。
data-is-xz = { $name } 用 xz 压缩过。请先解压。
data-is-broken = { $name } 的开头像 Excel 工作簿，但无法读取：文件已损坏、设有密码，或者不是工作簿。请把工作表另存为 CSV。
data-is-parquet = { $name } 是 Parquet 文件。请先写成 CSV：pd.read_parquet(…).to_csv(…)。
data-is-image = 不管文件名怎么写，{ $name } 是图片。
data-is-pdf = { $name } 是 PDF。请把其中的表格复制出来，粘贴到这里。
data-is-pickle = { $name } 是 pickle 文件，读取时可能运行代码。请把表格写成 CSV。
data-is-html = { $name } 是网页。请把其中的表格复制出来，粘贴到这里。
data-is-json = { $name } 是单个 JSON 值。请改为由对象组成的列表，或每行一个对象（JSON Lines）：对象的键会成为列名。
data-is-binary = { $name } 不是文本：第 { $at } 个字节不属于这里支持的任何编码。
data-unclosed = { $name } 的第 { $line } 行有一个引号，之后没有闭合。
data-ragged = { $name } 中有 { $many } 行的单元格多于表头（{ $width } 个），首先是第 { $line } 行，有 { $count } 个。
data-way-skip = 去掉这 { $count } 行
data-way-wide = 为这 { $count } 行多出的单元格添加列
data-way-quotes = 把引号当作普通字符

# 表格
data-before = 之前
data-after = 之后
data-row = 行
data-caption = { $name }：{ $rows } 行，{ $columns } 列
data-sort = 按 { $name } 排序
data-missing = 缺失 { $count } 个
data-distinct = { $count } 种取值
data-state-changed = 改变了 { $count } 个单元格
data-state-new = 新列
data-state-retyped = 类型改变
data-frequent = 最常见：{ $values }
data-range = 从 { $low } 到 { $high }{ $mean ->
    [none] {""}
   *[other] ，均值 { $mean }
}
data-none = 缺失
data-gone = 这一步去掉了
data-not-yet = 这时还没有
data-compare = 与之前的表格并排
data-filter = 筛选
data-filter-on = 显示这些行
data-filter-off = 显示所有行
data-filter-changed = 只看这一步改变的行
data-filtered-missing = { $column } 缺失
data-filtered-equal = { $column } = { $value }
data-filtered-less = { $column } < { $value }
data-filtered-more = { $column } > { $value }
data-filtered-contains = { $column } 包含 { $value }
data-filtered-changed = 改变的行
data-test = 条件
data-test-missing = 缺失
data-test-equal = 等于
data-test-less = 小于
data-test-more = 大于
data-test-contains = 包含
data-value = 值
data-column = 列
data-rows = 第 { $first } 到 { $last } 行，共 { $all } 行
data-columns = 第 { $first } 到 { $last } 列，共 { $all } 列
data-matching = { $all } 行中的 { $count } 行
data-go = 转到行
data-previous-rows = 前面的行
data-next-rows = 后面的行
data-previous-columns = 前面的列
data-next-columns = 后面的列
data-did-change = 改变了 { $rows } 行{ $cells ->
    [0] 。
   *[other] ，共 { $cells } 个单元格。
}
data-changed-first = 改变的列排在前面。
data-did-drop = 去掉了 { $rows } 行。
data-did-add = 新增了 { $rows } 行。
data-did-lose = 去掉了 { $count } 列：{ $columns }
data-did-gain = 新增了 { $count } 列：{ $columns }

# 可以做什么
data-of-table = 变量
data-columns-of = 列
data-all-columns = 所有列
data-do = 操作
data-do-fill = 填充缺失值
data-do-drop-rows = 删除有缺失值的行
data-do-drop-columns = 删除列
data-do-one-hot = 独热编码：每个取值一列
data-do-retype = 改变类型
data-do-scale = 缩放数字
data-do-dates = 文本转为日期
data-do-date-numbers = 日期转为数字
data-do-sort = 给各行排序
data-do-duplicates = 删除重复的行
data-do-shuffle = 打乱各行
data-do-split = 划分训练集和测试集
data-add = 加进程序
data-line = 要加的代码
data-no-line = 没有可缩放的数字列。
data-with = 填充为
data-to = 改为
data-fill-mean = 均值
data-fill-median = 中位数
data-fill-mode = 众数
data-fill-constant = 指定的值
data-fill-previous = 前一个值
data-fill-next = 后一个值
data-type-number = 数字
data-type-whole = 整数
data-type-text = 文本
data-type-truth = 真或假
data-type-codes = 每个取值一个编号
data-scale-standard = 均值 0、标准差 1
data-scale-range = 0 到 1
data-dtype = 数据类型
data-dummy-na = 缺失值也占一列
data-format = 格式
data-format-each = 逐个识别
data-part = 数字
data-part-days = 距第一天的天数
data-part-year = 年
data-part-month = 月
data-part-day = 日
data-part-weekday = 星期几
data-descending = 从大到小
data-share = 训练集比例
data-seed = 随机种子

# 张量
data-target = 目标
data-inputs = 输入
data-make = 转为张量
data-no-tensors = 请选择输入和目标，再转为张量。
data-would-not = 按表格现在的样子：
data-why-text = 是文本：torch.tensor 只接受数字。独热编码或每个取值一个编号都能把它变成数字。
data-why-date = 是日期：请先转为数字，例如距第一天的天数。
data-why-mixed = 含有多种类型的值（{ $dtype }）：请先统一类型。
data-why-other = 的类型不是张量的数据类型（{ $dtype }）。
data-why-missing = 有 { $count } 个缺失值：它们会变成 NaN，损失和梯度也会变成 NaN。
data-tensor = { $name }：形状 { $shape }，{ $dtype }，各列依次来自 { $table }
data-more-rows = 还有 { $count } 行

# 梯度
data-model = 模型
data-model-linear = 线性回归
data-model-logistic = 逻辑回归
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
data-loss-less = 损失 { $loss }；走一步之后 { $after }。
data-loss-more = 损失 { $loss }；走一步之后 { $after }：步子太大。请缩放各列，或减小学习率。
data-scale-columns = 缩放各列
data-loss-nan = 损失不是有限的数。请在转为张量之前填充或去掉缺失值。
