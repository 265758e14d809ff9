nav-compare = 对比
comparing-copy = 把 A 复制到 B
comparing-copied = B 是 A 的副本。修改 B 的任意一行，这里会指出最早不同的值和梯度。
comparing-file = 从文件打开 B
comparing-upload = 程序或已保存的运行（.py、.ipynb、.md、.trace，不超过 { $file } MB）
comparing-refused = 没有打开 { $name }：{ $reason }
comparing-side = { $side } · { $name }
comparing-b-made = { $kind ->
    [copy] B · { $name } 的副本
   *[other] B · { $name } 的副本，有修改
}
comparing-edit = 把 { $side } 作为程序打开
comparing-saved = 这是保存的运行记录。修改程序后才会运行。链接中只有程序文本，没有数值。
comparing-not-run = 这两个程序来自链接。请在“程序”页打开，阅读后再运行。
comparing-asleep = 程序还没有运行。请先在“程序”页运行它。
comparing-one-missing = 其中一个程序没有运行，暂时无法对比。
comparing-stopped = { $side } 提前停止，只对比停止之前的部分。
comparing-limits = { $side } 有一部分只计数，没有对比。
comparing-same = 每一位都相同
comparing-same-recorded = 记录下来的数全部相同
comparing-same-all = { $operations } 个运算和 { $gradients } 个梯度全部一致。
comparing-sampled = 超过 64 个元素的张量只对比了一部分元素，以及最小值、最大值和范数。
comparing-nothing = 没有可对比的内容：两次运行都没有 torch 运算
comparing-rounding = 除舍入误差外相同
comparing-rounding-all = 所有差别都在数据类型的舍入误差之内。下面是最早出现差别的位置。
comparing-programs = 两个程序不同，但共同的部分一致
comparing-alone = 它的输入在两次运行中相同。
comparing-given = 在任何运算之前就已经不同：{ $names }{ $count ->
    [one] 。
   *[other] （共 { $count } 个张量）。
  }
comparing-made = 此后 { $all } 个运算中有 { $count } 个不同。
comparing-no-gradients = 两次运行都没有梯度。
comparing-gradients-same = { $count } 个梯度全部一致。
comparing-backward = 在第 { $number } 次反向传播中。
comparing-module = 在模块 { $module } 中：{ $code }。
comparing-dtype = 数据类型：A 中 { $left }，B 中 { $right }
comparing-parameters = 参数的梯度
column-name = 参数
column-shape = 形状
comparing-column =
    .norm-a = A 的梯度范数
    .norm-b = B 的梯度范数
    .cosine = 余弦
    .apart = 最大差值
    .stored-a = A 的 .grad 范数
    .stored-b = B 的 .grad 范数
comparing-parameters-sampled = ≈：只用了一部分元素。
comparing-unequal = 不同
comparing-nonfinite = { $count } 个元素为 NaN 或 ∞
comparing-losses = 两边的损失
comparing-only = 只在 { $side } 的图中
comparing-none = 无
comparing-row = { $kind ->
    [gradient] 梯度
   *[value] 值
}{ $what ->
    [entry] {" "}{ $entry }
    [norm] （范数）
    [shape] （形状）
    [dtype] （数据类型）
   *[other] {""}
}
comparing-inside = { $values ->
    [0] {""}
   *[other] { $values } 个值{" "}
}{ $gradients ->
    [0] {""}
   *[other] { $gradients } 个梯度{" "}
}不同
comparing-count = { $what ->
    [both] { $count } 处不同
   *[side] 只在 { $what } 的图中：{ $count }
}
comparing-no-picture = 没有图：没有记录到任何运算。
comparing-first = { $kind ->
    [gradient] 所有值一致，最早不同的是 { $name } 的梯度
    [later] { $name } 的梯度也不同
    [alone] 输入相同、结果最早不同的是 { $name }
   *[value] 最早不同的是 { $name }
}{ $what ->
    [entry] ：元素 { $entry } 在 A 中为 { $left }，在 B 中为 { $right }
   *[number] ：在 A 中为 { $left }，在 B 中为 { $right }
    [norm] ：其最小值、最大值或范数在 A 中为 { $left }，在 B 中为 { $right }
    [shape] ：形状在 A 中为 { $left }，在 B 中为 { $right }
    [dtype] ：数据类型在 A 中为 { $left }，在 B 中为 { $right }
    [only-a] ：在 A 中为 { $left }，在 B 中没有
    [only-b] ：在 A 中没有，在 B 中为 { $right }
}{ $kind ->
    [later] 。
    [alone] { $lines }。
   *[other] { $lines }
}
comparing-pairs = 两个程序
comparing-own = 你的程序（{ $name }）及其副本
comparing-pair-relu = ReLU 与 leaky ReLU
    .see = ReLU 把 z 的负元素变为 0，梯度也无法通过，所以 w[1] 永远学不到东西。leaky ReLU 会让十分之一的梯度通过。
comparing-pair-detach = 有无 detach()
    .see = detach() 不改变任何值，但 b 不再有梯度，w 也就少了经过 b 传来的那一份。
comparing-pair-sum = 损失取 mean() 与 sum()
    .see = 四个误差之和是其均值的四倍，每个梯度也是：适合其中一个的学习率并不适合另一个。
comparing-pair-zero-grad = 梯度清零与不清零
    .see = 没有 w.grad = None，第二次反向传播的梯度会累积到第一次的梯度上，第二步就太大了。
comparing-pair-broadcast = 形状相同与广播
    .see = 形状为 (3,) 的目标与 (3, 1) 相减时发生了广播：误差从三个变成九个，梯度是错的，却没有报错。
comparing-pair-overflow = logsumexp 与先 exp 后 log
    .see = exp(100) 超出 float32 的范围，变成 ∞，梯度变成 NaN。logsumexp 计算同一个式子，却不会溢出。
comparing-some = 一个梯度
comparing-two-names = { $name }（B 中为 { $other }）

# 同一次分布式训练的各个进程。$what：gradient、value，或 unread（梯度未知的值）。
ranks-title = 进程 { $ranks }
ranks-agree = 各副本一致：在 { $steps } 步中的每一步之后，{ $parameters } 个参数{ $gradients ->
    [0] 逐位相等。没有记录它们的梯度。
   *[other] 及其梯度逐位相等。
}{ $sampled ->
    [yes] 对大张量比较的是抽样元素，以及全部元素的统计量。
   *[no] {""}
}
ranks-left-out = 未比较 { $count } 个参数：并非每个进程都持有其全部元素，例如使用 fully_shard 时。
ranks-differ = { $step ->
    [0] 进程 { $rank } 的初始参数与进程 { $first } 不同：{ $name }
   *[other] { $what ->
        [gradient] 进程 { $rank } 与进程 { $first } 从第 { $step } 步起不同，首先是 { $name } 的梯度，更新之前就已不同
        [unread] 进程 { $rank } 与进程 { $first } 在第 { $step } 步之后不同，首先是 { $name }。没有记录它在这一步的梯度，因此梯度也可能不同
       *[value] 进程 { $rank } 与进程 { $first } 在第 { $step } 步之后不同，首先是 { $name }，而已记录的梯度都相等
    }
}{ $missing ->
    [yes] （只有其中一个进程有它）。
   *[no] （范数分别为 { $left } 和 { $right }）。
}
ranks-steps = 进程 { $rank } 更新了 { $steps } 步，进程 { $first } 更新了 { $all } 步。
ranks-batches = 进程 { $one } 和 { $other } 在 { $count } 步中读取了相同的批量：第 { $steps } 步。
