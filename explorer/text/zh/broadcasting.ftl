# “广播”页面上的文字。

bc-lede = 形状从右边对齐（广播机制，broadcasting）。大小为 1 的一方，元素会反复读取，并不复制。
bc-operand = { $name }：形状或张量
bc-operand-hint = 形状，如 3, 1（依次填入 0, 1, 2, …）；数，如 [[1., 2.]]；或表达式，如 torch.arange(3.)。后面的操作数可以使用前面的。
bc-operator = 运算
bc-start = 结果的梯度（v）
    .ones = v 全为 1
    .mean = 结果的均值
    .given = 给定 v
bc-given-hint = 与结果形状相同，例如 [[1., 10.], [0., 1.], [0., 0.]]。
bc-more = 增加操作数
bc-fewer = 去掉最后一个
bc-source = 显示
bc-source-own = 下面输入的操作数
bc-source-program = 来自你的程序：{ $place }

bc-line-up = 对齐形状
bc-line-up-note = 逐列看：大小相等则匹配，1 会拉伸，缺少的轴当作 1，其他情况都是错误。
bc-table = 从右边对齐的形状
bc-scalar = 没有轴
bc-stretched = 唯一的元素读取 { $count } 次
bc-clash-cell = 这些大小不匹配
bc-clashes = 冲突
bc-backward = 反向
bc-backward-note = 被多次读取的元素会收到多个梯度，相加后的形状与操作数相同。
bc-read = { $name } 沿轴 { $dim } 读取了 { $count } 次。
bc-read-along = { $name } 读取了 { $count } 次：{ $dims }。
bc-along = 轴 { $dim } 上 { $count } 次
bc-read-nothing = { $name } 没有元素。
bc-read-once = { $name } 的每个元素只读取一次，不用求和。
bc-every = { $grad } 的每个元素都是
bc-terms = 共 { $count } 项
bc-no-gradient = requires_grad=False，或没有梯度传来。
bc-read-from = { $entry } 是用 { $sources } 算出的。
bc-loss = 反向从一个数开始：{ $loss }。
bc-share = 各自的一份
bc-per-reading = 每次读取一个
bc-upstream = { $name } 处的梯度
bc-summed = 沿轴 { $dims } 求和
bc-not-summed = 不用求和
bc-no-entries = 没有元素
bc-grid = { $name }，形状 { $shape }
bc-axis = 轴 { $dim }
bc-part = 显示 { $count } 个元素中的 { $shown } 个，用滑块选择。
bc-key-stored = 已存储
bc-key-ghost = 再次读取，没有存储
bc-key-chosen = 点击一个元素，或用方向键移动：算出它所用的元素会高亮显示。
bc-key-share = 这个运算传回的梯度；如果其他运算也有贡献，.grad 会更大；不是叶子张量则没有 .grad

bc-stale-of = 这是 { $expression } 的图，{ $shapes }。
bc-clash = 轴 { $dims } 冲突：{ $sizes }。大小必须相等，或其中一个为 1。
bc-clash-sizes = { $first } 对 { $second }
bc-repaired = 改为 { $code } 后形状匹配。图中是这样运行的结果。
bc-fix = 点一下即可修改
bc-fix-program = 修改建议
bc-fix-silent = 如果本意是逐个配对
bc-fix-silent-note = 每个操作数都被拉伸，一方的每个元素都与另一方的每个元素配对：共 { $count } 个结果，而且不报错。
bc-fix-axis-note = 形状匹配，但剩下的轴对齐到了另一个轴上：不会报错。
bc-fix-gives = { $code } 的形状是 { $shape }，结果是 { $result }

bc-trouble =
    .empty = { $name } 是空的。请写形状，如 3, 1；标量写 ()。
    .negative = { $name } 中有负的大小：{ $text }。大小至少为 0。
    .rank = { $name } 的轴太多：这里最多 { $most } 个。
    .large = 共 { $count } 个元素，这里最多计算 { $most } 个。表格仍会说明形状。
    .brackets = { $name }：{ $text } 中的括号不成对。
    .ragged = { $name } 不整齐：{ $text } 各行长度不同。张量的各行长度相同。
bc-floated = { $names } 是整数或布尔值，没有梯度：已加上 .float()。
bc-not-tensor = { $names }：不是张量。请写成 torch.tensor(…)。
bc-opaque = { $names } 的元素没有显示：{ $why ->
    [sparse] 稀疏张量并不是每个位置都有元素；用 .to_dense() 可转成稠密张量。
    [many] 一次运行中每个张量最多保留 { $most } 个元素。
   *[other] 这次运行没有保留它们。
  }
bc-complex = 复数：数值和梯度直接取自 torch，不再写出求和过程。
bc-nothing-broadcast = 所有形状相同：没有任何拉伸。

bc-example-outer = (3, 1) + (1, 2)
    .see = 一列加一行得到一张表。每个梯度都是和：a 读取两次，b 读取三次。
    .ask = 改变 a 的一个元素，结果中哪些元素会变？
bc-example-product = a × b
    .see = 同样的表，这次是乘积。每次读取传回的是另一个因子：a.grad 为 1，b.grad 为 3。
    .ask = 哪些数加起来是 1，哪些加起来是 3？
bc-example-mse = 均方误差，(3, 1) 对 (3,)
    .see = 预测 (3, 1) 与标签 (3,) 没有逐个配对：差的形状是 (3, 3)。预测与标签完全一致，损失本应为 0，却是 1.3333，而且梯度还在拉动两端的预测。
    .ask = 目标应该是什么形状，损失才会是 0？
bc-example-centre = 中心化，轴错了
    .see = a.mean(1) 每行一个元素，而 a 的最后一个轴数的是列：2 对 3，报错。
    .ask = mean 的哪个参数能让形状对上？
bc-example-silent = 同上，方阵
    .see = 形状为 (3, 3) 时，错误的轴也能匹配：各列减去了行的均值，却没有任何警告。
    .ask = 没有任何报错，你怎样才能发现？
bc-example-rows = a / a.sum(1)
    .see = 本想让每行之和为 1。求和时丢掉了一个轴，于是 2 对上了 3，无法广播。
    .ask = 这些和应该是什么形状，才能让每行除以自己的和？
bc-example-keepdim = 加上 keepdim
    .see = keepdim=True 留下大小为 1 的轴，它沿着行拉伸。
    .ask = 结果的每一行加起来是多少？
bc-example-scalar = 标量
    .see = 标量没有轴，沿所有轴拉伸。它的梯度是全部之和。
    .ask = 标量的梯度由多少个数相加而成？
bc-example-empty = 大小 0
    .see = 1 也会拉伸成 0：没有读取任何元素，结果是空的，梯度是空和。
    .ask = 没有任何项的和是多少？
bc-example-flat = (2, 1) + (1, 3)
    .see = 两者都被拉伸，各沿对方的轴。
    .ask = a 的梯度沿哪个轴求和，b 的呢？
bc-example-deep = (8, 1, 6, 1) 与 (7, 1, 5)
    .see = 四个轴，沿每个轴都有一方被拉伸。用滑块选择切片。
    .ask = b 的一个元素被读取多少次？
bc-example-box = (2, 3, 1) × (4,)
    .see = 一组列乘以一行。
    .ask = 那一行的梯度沿哪些轴求和？
bc-example-three = 三个操作数
    .see = 规则适用于任意多个操作数：逐列判断。
    .ask = 操作数的先后顺序会影响结果的形状吗？
