# 图：卡片上的词、图例、图下的说明，以及说明梯度由来的一句话。

graph-label = 图：{ $cards } 张卡片，值向前流动
graph-value = 值
graph-sample = 部分元素
graph-gradient = 梯度
graph-leaf-gradient = .grad
gradient-exact-zero = 理论值为 0：{ $code } { $kind ->
    [norm] 会减去均值，这一项也随之抵消
   *[softmax] 不受影响：所有元素只是同加了一个数
}{ $rest ->
    [none] {"。"}
   *[other] {"。"}范数 { $rest } 只是舍入误差。
}
gradient-zero = 梯度为 0：{ $why }。
graph-gradient-short = 梯度
graph-no-gradient = 不求梯度
graph-nothing-arrived = 梯度还没有到达
graph-hidden = 梯度暂不显示
graph-times = { $kind ->
    [loop] 循环 ×{ $count }
    [chain] { $count } 个运算
   *[calls] ×{ $count }
}
graph-uses = 使用 ×{ $count }
graph-kind-op = 运算
graph-kind-leaf = 叶子
graph-kind-data = 数据
graph-kind-out = 输出
graph-starts = { $what } 从这里开始{ $at ->
    [yes] ：{ $place }
   *[no] { "" }
}

graph-asked = 显示的是 { $of } 的梯度。程序自己的 .grad 不变。
graph-left-out = 有 { $count } 张卡片没有显示。
graph-dropped = 有 { $count } 个节点只计数，没有保存。
graph-lost = 有 { $count } 步没能记录：这是记录器的故障，与程序无关。
graph-by-rank = 布局用时过长，已改为按层次排列。
graph-empty = 没有可画的内容：程序没有做任何张量运算。

legend = 图例
legend-leaf = 叶子
legend-operation = 运算
legend-output = 输出
legend-data = 不求梯度
legend-saved = 为反向保存
legend-cut = 梯度被切断
legend-implicit = 没有执行 backward()

# 张量为什么没有梯度：卡片、表格、句子和推导中的说明。
reason = { $kind ->
    [capped] { $why }
    [not_kept] { $why }
   *[other] 无：{ $why }
}
reason-not-on-path = { $to ->
    [output] 反向传播没有经过它
   *[root] { $root } 不依赖它
}
reason-not-taken = 没有执行 backward()
reason-no-grad = requires_grad=False
reason-cut = 在到{ $to ->
    [output] 输出
   *[root] {" "}{ $root }{" "}
}的途中被切断
reason-left = 它最多以数值的形式{ $line ->
    [0] {""}
   *[other] 、经第 { $line } 行的 { $code }{" "}
}影响{ $to ->
    [output] 输出
   *[root] {" "}{ $root }
}
reason-gradient-taken = 第 { $line } 行的 { $code } 没有设置 create_graph
reason-detach-at = 被第 { $line } 行的 { $code } 切断
reason-no-grad-at = 第 { $line } 行执行时关闭了梯度记录
reason-number-at = 第 { $line } 行的 { $code } 把它转成了数值
reason-made-at = 用它的元素新建了张量（第 { $line } 行）
reason-derivative-at = 第 { $line } 行的 { $code } 没有导数
reason-unasked-at = 第 { $line } 行用到它时，它的 requires_grad 还是 False
reason-switched-off-at = 第 { $line } 行把 requires_grad 设为 False
reason-backward-at = 第 { $line } 行的 { $code } 在反向传播中没有把梯度传给它
reason-passed-none = 反向传播没有把梯度传给它
reason-pruned-by-inputs = inputs= 只列出了别的张量
reason-capped = 未保存：记录已满
reason-empty = 运行结束时它的 .grad 为空
reason-returned = torch.autograd.grad 返回了梯度，但没有存入 .grad
reason-emptied = 梯度已到达，但在 backward() 返回之前被清除
reason-stopped = 这次运算出错了
reason-failed = 反向传播在此之前就停止了
reason-unknown = 没有梯度到达

graph-added = 已累加到 .grad

# 梯度为什么是这个值：图下的一句话。
list-separator = ，
why-gradient = { $leaf } 的梯度
why-input = { $card } 的{ $role }
why-large = { $of } 的形状是 { $shape }（{ $about }）。
why-rows = torch.func 一次算出了 { $leaf } 的 { $count } 个梯度，每个的形状是 { $shape }（{ $about }）。
why-inner = 图中只是 { $code } 的内层一步，它还要再求一次导。这个二阶导数没有画出。
why-call = 图中是第 { $call } 次反向调用，共 { $calls } 次。之后的调用没有记录。
why-implicit = 程序没有执行 backward()。图中是 { $root } 的梯度。
why-failed-at = backward() 停在 { $card }。
why-refused = 反向传播没能从 { $card } 开始，所以没有计算梯度。
why-stopped = 程序停在 { $card }，所以没有计算梯度。
why-failed = backward() 还没有传到任何梯度就停止了。
why-no-graph = 这里没有张量设置 requires_grad=True，因此 autograd 不做记录。
why-limited = 程序达到限制而结束，此前还没有记录任何运算。
why-not-recorded = 有张量设置了 requires_grad=True，但没有记录到对它的运算。
why-not-recorded-here = 程序中有张量设置了 requires_grad=True，但这里没有记录到对它们的运算。
why-forward-mode = 前向模式：每个值与切向量一起计算，不记录计算图。卡片上显示的是值。
why-no-backward = 没有执行 backward()，所以还没有梯度。
why-no-leaf = 没有叶子张量有梯度。
why-none = { $kind ->
    [capped] { $leaf } 的梯度没有保存：记录已满。
   *[other] { $leaf } 没有梯度：{ $why }。
}
why-altered = { $by ->
    [function] 这次反向传播有一部分由程序自己定义
    [hook] 有钩子改变了梯度
   *[write] 反向传播要读取的张量在 torch 没有察觉的情况下被改写了
}，所以梯度不一定等于导数。
why-partial = 这不是完整的导数：{ $root } 还经由{ $earlier ->
    [yes] 更早一轮中
   *[no] {""}
}第 { $line } 行的 { $code } 依赖 { $leaf }，而这一部分被当作常数。
why-held = 程序结束时 { $leaf } = { $held }。

# 同一个名字有几个值，或同一个张量在一次调用里出现几次。
apart =
    .before = 旧的 { $word }
    .after = 新的 { $word }
    .round = 第 { $round } 轮的 { $word }
    .round-within = 第 { $round } 轮（外层第 { $outer } 轮）的 { $word }
    .written = 第 { $line } 行之后的 { $word }
    .read = 第 { $line } 行读出的 { $word }
    .inside = { $call } 内部的 { $word }
    .outside = 循环之前的 { $word }
    .line = 第 { $line } 行的 { $word }
    .place = 第 { $place } 个 { $word }
role =
    .factor = { $place ->
        [1] 第一个因子
        [2] 第二个因子
       *[other] 第 { $place } 个因子
    }
    .summand = { $place ->
        [1] 第一个加数
        [2] 第二个加数
       *[other] 第 { $place } 个加数
    }
    .minuend = 被减数
    .subtrahend = 减数
    .numerator = 分子
    .denominator = 分母
    .base = 底数
    .exponent = 指数
    .input = { $place ->
        [1] 第一个输入
        [2] 第二个输入
        [3] 第三个输入
       *[other] 第 { $place } 个输入
    }
    .of = { $role } { $word }

# 收起的模块
graph-module-parameters = { NUMBER($count) } 个参数{ $gradients ->
    [yes] ，梯度范数
   *[no] {""}
}
graph-module-open = 展开 { $module }（o）
graph-module-close = 收起 { $module }
graph-modules-close-all = 收起全部模块
legend-module = 模块
term-module = 模块内部的全部运算合为一张卡片，按 + 展开。卡片上的梯度是模块输出的梯度，下面一行是所有参数的梯度的范数。
legend-logarithmic = 对数色阶，最淡为 ±{ $least }
term-logarithmic = 这里大多数梯度远小于最大的那个：每小一个数量级，颜色就淡一级，这样小的梯度也看得见。零不着色。
graph-module-missing = 这个文件中没有 { $module } 内部的图。绘制时请写 open="{ $module }"。
why-modules = { $count ->
    [one] { $most } 的参数梯度的范数为 { $largest }。展开模块可以看到内部。
   *[other] 在收起的模块中，{ $most } 的梯度最大（范数 { $largest }），{ $least } 的最小（{ $smallest }）。
}
why-modules-missed = { $count ->
    [one] { $card } 中有参数没有梯度。
   *[other] 包括 { $card } 在内，有 { NUMBER($count) } 个模块中有参数没有梯度。
}

# 图中颜色表示什么

# Above the derivations of what each leaf of a small graph gets.
story = 这个程序的来龙去脉

layers-title = 各层的梯度
layers-summary = 均方根，对数刻度。最小：{ $least }（{ $small }）。最大：{ $most }（{ $large }）。
layers-none = 没有任何层有梯度。
layers-no-gradient = 没有梯度
layers-nonfinite = NaN 或无穷大
