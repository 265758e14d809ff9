# 检视栏：用文字说明的局部导数，以及关于一张卡片的说明。

formula-where = { $condition } 处为 { $then }，其余为 { $otherwise }
formula-larger = { $to } 是较大者处为 1，两者相等处为 ½，其余为 0
formula-smaller = { $to } 是较小者处为 1，两者相等处为 ½，其余为 0
formula-largest = 最大元素处为 1（有几个相等时平分），其余为 0
formula-smallest = 最小元素处为 1（有几个相等时平分），其余为 0
formula-median = 中位数处为 1（有几个元素等于它时平分），其余为 0
formula-chosen = 这次调用返回的那个元素处为 1（相等的元素中只有它），其余为 0
formula-chosen-often = 给调用返回的元素；同一元素返回多次时相加；其余为 0
formula-sorted = 梯度移回各元素排序前的位置
formula-winner = 每个窗口的梯度传给窗口内最大的元素（相等的元素中只传给一个），其余为 0
formula-farthest = 绝对值最大的元素的符号（有几个相等时平分），其余为 0
formula-nearest = 绝对值最小的元素的符号（有几个相等时平分），其余为 0
formula-others = 其他元素的乘积
formula-running-product = 每个元素得到：从它的位置起，各处的梯度 · 那里其他因子的乘积，再求和
formula-gelu = Φ(x) + x · φ(x)，其中 x = { $self }，Φ、φ 为正态分布的分布函数和密度
formula-gelu-tanh = (1 + tanh u) / 2 + x · (1 − tanh² u) · u′ / 2，其中 x = { $self }，u = √(2/π) · (x + 0.044715 · x³)
formula-hardswish = x ≤ −3 处为 0，−3 与 3 之间为 x / 3 + ½，x ≥ 3 处为 1，其中 x = { $self }
formula-nll = 每个标签处为{ $weighted ->
    [yes] { $reduction ->
        [mean] {" "}−weight[标签] /（各标签权重之和）
       *[other] {" "}−weight[标签]
    }
   *[no] { $reduction ->
        [mean] {" "}−1 /（标签个数）
       *[other] {" "}−1
    }
}，其余为 0{ $ignored ->
    [no] {""}
   *[other] ；标签 { $ignored } 被忽略：该处为 0，也不计入个数
}
formula-normalised-layer = (g − mean(g) − x̂ · mean(g · x̂)) / σ，其中 g = 梯度{ $weighted ->
    [yes] {" "}· { $weight }
   *[no] {""}
}，x̂ = (x − mean(x)) / σ，x = { $input }；均值和 σ 都在归一化的轴上求
formula-normalised-batch = (g − mean(g) − x̂ · mean(g · x̂)) / σ，其中 g = 梯度{ $weighted ->
    [yes] {" "}· { $weight }
   *[no] {""}
}，x̂ = (x − mean(x)) / σ，x = { $input }；均值和 σ 是每个通道在整个批次上的
formula-normalised-group = (g − mean(g) − x̂ · mean(g · x̂)) / σ，其中 g = 梯度{ $weighted ->
    [yes] {" "}· { $weight }
   *[no] {""}
}，x̂ = (x − mean(x)) / σ，x = { $input }；均值和 σ 是每个组的
formula-normalised-eval = 梯度{ $weighted ->
    [yes] {" "}· { $weight }
   *[no] {""}
} / √(running_var + eps)：eval 模式下均值和方差是常数
formula-scale = 梯度 · 归一化后的输入 x̂，在 { $to } 没有的所有轴上求和
formula-scale-eval = 梯度 · (x − running_mean) / √(running_var + eps)，其中 x = { $input }，在 { $to } 没有的所有轴上求和
formula-bias = 梯度在 { $to } 没有的所有轴上求和
formula-convolution = 梯度与 { $weight } 的转置卷积
formula-turned-convolution = 梯度与 { $weight } 的卷积
formula-kernel = 卷积核的每个元素得到：它参与相乘的所有位置上 输入 · 梯度 之和
formula-pool = 每个窗口把它的梯度平均分给窗口内的各个元素
formula-embedding = { $to } 的每一行得到查过它的各处梯度之和{ $counted ->
    [yes] ，再除以次数
   *[no] {""}
}；第 { $padding } 行（padding_idx）得到 0
formula-embedding-all = { $to } 的每一行得到查过它的各处梯度之和{ $counted ->
    [yes] ，再除以次数
   *[no] {""}
}
formula-attention = 得分的梯度为 S · (dP − sum(dP · S))，其中 S = 得分的 softmax，dP = 梯度 @ valueᵀ；再 @ 另一个矩阵，乘以缩放系数
formula-attention-value = Sᵀ @ 梯度，其中 S = 得分的 softmax
formula-dropout = 保留的元素处为 1 / (1 − p)，丢弃的为 0
formula-cumulative = 每个元素得到{ $axis ->
    [no] {""}
   *[other] 沿第 { $axis } 轴
}从它的位置起所有梯度之和
formula-summed = 沿轴 { $axes } 求和
formula-stretched = 沿 { $to } 被扩展的轴求和
formula-slices = 被覆盖的部分梯度清零；写入的部分得到那一段
formula-shape = 同样的数，恢复成 { $to } 的形状
formula-axes = 同样的数，放回 { $to } 中原来的位置
formula-taken = 传给被取出的元素，其余为 0
formula-looked-up = 传给被取出的元素，取出多次时求和；其余为 0
formula-part = { $to } 得到自己的那一段
formula-joined = 各部分重新拼在一起
formula-own = 由程序自己的 backward 计算
formula-torch = torch 的公式
formula-torch-alone = 由 torch 自己的 backward 计算
formula-changed = 单看这次调用，它传递的应是{ $amount ->
    [none] 别的数
   *[other]  { $amount }
}；它被改动过：或是被钩子，或是因为它保存的内容后来被改写

inspect-refused = 反向传播没能从 { $card } 开始。
inspect-choose-card = 选择一张卡片查看它的数值。
inspect-value-of = { $name } 的值
inspect-gradient-of = { $name } 的梯度
inspect-root-implicit = 若执行 { $call }，会从 { $card } 开始。
inspect-root-stopped = 反向传播从 { $card } 开始，中途停止。
inspect-root = 反向传播从 { $card } 开始。
inspect-forward-mode = 前向模式：计算的是切向量，不是梯度。
inspect-plain = 没有对任何张量求导。
inspect-arrived = 梯度：到达的各项与总和
inspect-from = 来自
inspect-from-round = 第 { $round } 轮
inspect-from-execution = 第 { $round } 次
inspect-from-line = 第 { $line } 行
inspect-choose = 选择一个元素，沿求和逐项跟踪它。
inspect-start = 初始梯度 v
inspect-sum = 总和
inspect-hooked = 钩子处理之后
inspect-sum-entry = { $entry } 处的总和
inspect-passes = 向后传递：梯度 × 局部导数
inspect-conjugated = 复数：torch 乘的是导数的共轭（Wirtinger 导数）；若 z 的结果 r 是实数，则乘以 2·∂r/∂z̄。
inspect-passes-through = 经 { $node }
inspect-value-inside = 没有记录 { $names } 的值：它们在 { $call } 内部产生，没有返回。
inspect-value-light = 没有记录 { $names } 的值：在 light 级别只记录 { $call } 返回的结果。
inspect-saved = 前向时保存
inspect-freed = 已保存，被第 { $line } 行释放
inspect-freed-later = 已保存，反向传播后释放
inspect-packed = { $name }：由钩子打包
inspect-recomputed = { $name }：反向时重新计算
inspect-version = 版本 { $version }
inspect-changed = 版本 { $version }，现在是 { $now }：之后被改写
inspect-stored-from = { $leaf }.grad：之前 { $before }，之后 { $after }
inspect-module = 模块 { $module }
inspect-parameters = 参数
inspect-kept = 为反向保存：{ $bytes } 字节
inspect-rounds = 各轮
inspect-round = { $kept ->
    [some] 被记录的第
   *[all] 第
} { $round } 轮，共 { $count } 轮
inspect-execution = 第 { $round } 次，共 { $count } 次
inspect-equal = 每个元素都是 { $entry }，‖·‖ { $norm }
inspect-range = { $low } … { $high }，均值 { $mean }，‖·‖ { $norm }
inspect-sample = 样本：{ $count } 个元素中的 { $shown } 个
inspect-nonfinite = { $count } 个元素不是有限数

# 图上方的工具条。
graph-search = 查找卡片
graph-fit-word = 全图
graph-search-word = 查找
graph-full = 全屏
graph-full-hint = 全屏（F）
graph-inspect = 详情
graph-inspect-hint = 程序的来龙去脉，以及所选卡片的数值
inspector-close = 关闭详情（Escape）
pane-split = 移动程序与图之间的分隔线：拖动，或按 ← 和 →；按 Enter 复位
graph-unfold = 展开
graph-fold = 折叠
graph-more = { $seen } / { $all } 张卡片
graph-contributions = 贡献
graph-made-by = 由 backward { $number } 创建

# 在图中选中的一条连线。
wire-label = 从 { $source } 到 { $target } 的连线
wire-detach = ✂ 切断
wire-scale = × 0.5
wire-with = 第 { $line } 行改为 { $code }，再运行程序
wire-times = 第 { $line } 行运行 { $count } 次，每次都会改变。
wire-running = 正在用 { $code } 运行……
wire-changed = 改为 { $code }：{ $count ->
    [0] 没有梯度改变
   *[other] { $count } 个梯度改变
}
wire-stops = 改为 { $code } 后程序停止：{ $error }
wire-other = 改为 { $code } 后，程序的 backward 调用不同。
wire-late = 改为 { $code } 后，程序没有及时结束。
wire-apply = 写入代码
wire-written = 已写入：{ $code }
wire-back = 还原
wire-close = 关闭 (Escape)
wire-none = 无
legend-layer = 由反向传播创建（create_graph）

# 术语，在首次出现处用两行解释。

term-leaf = 叶子张量（leaf）：你自己用 requires_grad=True 创建的张量。只有叶子会把到达的梯度存进 .grad。
term-operation = 运算（operation）：autograd 记录下的一次调用。下方小字是 torch 的名称，即它的 grad_fn。
term-output = 输出（output）：被求导的张量。梯度从这里出发，沿连线反向传播。
term-data = 参与计算但不要求梯度，因此没有梯度传回给它。
term-saved = 保存张量（saved tensor）：求导需要，因此在前向中保存，反向之后释放。
term-gradient = 梯度（gradient）：该元素变化一个单位时输出变化多少。橙色为正，蓝色为负。
term-cut = 切断（cut）：detach、.data、.item() 或 no_grad 使计算图在此结束，梯度不再通过。
term-implicit = 程序没有调用 backward()：这里是若调用会得到的梯度，没有写入任何 .grad。
term-layer = 使用 create_graph=True 时反向过程也会被记录，因此可以再次求导。
term-nan = NaN：不是数，例如 0 · ∞ 或 ∞ − ∞。它会传染给所有依赖它的结果。
term-arrived = 上游梯度（upstream gradient）：每个使用者送来一项，多项到达时相加。
term-passes = 局部导数（local derivative）：只看这一个运算。梯度乘以局部导数就是向量-雅可比积（VJP）。
