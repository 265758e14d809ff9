# 一次运行的报告：它的梯度如何。

verdict-faults = { $count ->
    [0] 没有发现问题
   *[other] 发现 { $count } 个问题
}{ $places ->
    [none] {""}
   *[other] ：{ $places }
}
    .badge = { $count } 个问题
verdict-notes = { $count } 条提示
verdict-checked =
    .agrees = 梯度与数值差分一致
    .meant = 除程序有意离开计算图之处，梯度与数值差分一致
    .intended = 只在程序有意为之处，梯度与数值差分不同
    .differs = 有梯度与数值差分不一致
    .depends = 缺少梯度
    .padding = 结果依赖于填充
    .target = 分数依赖于自己的目标
    .unchecked = 梯度无法与数值差分比较
list-of-clauses = ；
report-status =
    .error = 代码因错误而中断
    .refused = 代码中有不允许的部分，没有运行
    .limited = 运行因达到限制而中断
report-unfinished = 没有来得及检查：{ $names }。
report-undiagnosed = 没有来得及检查是否有问题
report-gradients = { $count ->
    [1] { $name } { $implicit ->
        [yes] 会
       *[no] {""}
    }{ $finite ->
        [0] 没有
       *[other] 有
    }有限的梯度
   *[other] { $count } 个参数中有 { $finite } 个{ $implicit ->
        [yes] 会有
       *[no] 有
    }有限的梯度
}{ $least ->
    [none] {""}
   *[other] （{ $one ->
        [yes] 范数 { $most }
       *[no] 范数 { $least } 到 { $most }
    }）
}{ $frozen ->
    [0] {""}
   *[other] ，{ $frozen } 个已冻结
}
report-idle = { $name }（{ $kind }{ $line ->
    [0] {""}
   *[other] ，第 { $line } 行
}）没有更新过参数。
report-losses-more = 另有 { $count } 处调用 backward
finding-head = { $place }，{ $level }：{ $title } [{ $kind }]
finding-advice = 改法：{ $text }
finding-fix = 改法，已试运行{ $proof ->
    [none] {""}
   *[other] （{ $proof }）
}：
finding-follows = 由此引起：{ $text }
finding-starts = { $when ->
    [before] 在此之前：
    [after] 随后：
   *[also] 非有限值始于：
}{ $places }
finding-rows =
    .none = 同样没有梯度（{ $count } 个）：{ $names }
    .zero = 同样全为零（{ $count } 个）：{ $names }
    .nonfinite = 梯度含 NaN 或无穷：{ $names }
    .unread = 同样无法读取（{ $count } 个）：{ $names }
finding-unplaced = { $level ->
    [fault] 问题
   *[note] 提示
}：{ $text }
finding-more = 每个 [种类] 的说明见 docs/faults.md。{ $noted ->
    [yes] 如果提示中的写法是有意的，请在该行写 # fine: 和它的种类。
   *[no] {""}
}
origin-short = { $phase ->
    [backward] { $code } 的反向传播中的 { $what }
    [hook] { $code } 的钩子中的 { $what }
   *[other] { $code } 中的 { $what }
}{ $line ->
    [0] {""}
   *[other] （第 { $line } 行）
}
warning-head = { $place ->
    [none] {""}
   *[other] { $place }，
}警告：{ $text }
report-root-inside = { $code } 内部的一个结果
report-loss = { $name } = { $value }{ $line ->
    [0] {""}
   *[other] （backward 在第 { $line } 行）
}
report-losses = { $name }：{ $first } → { $value }，{ $line ->
    [0] {""}
   *[other] 第 { $line } 行
}共调用 backward { $count } 次{ $ended ->
    [no] （后一个值来自最后一次有记录的调用）
   *[yes] {""}
}
report-losses-apart = { $name }：{ $parts }，{ $line ->
    [0] {""}
   *[other] 第 { $line } 行
}共调用 backward { $count } 次，{ $of ->
    [models] 训练的模型没有共用的参数
   *[leaves] 各自的叶子不同
}{ $ended ->
    [no] （取各自最先和最后有记录的调用）
   *[yes] {""}
}
report-implicit-failed = 没有运行过 backward。对 { $of } 调用 backward 会失败：需要的张量已释放或已原地修改。
report-no-backward = { $limited ->
    [yes] 没有记录到反向传播。
   *[no] 没有运行反向传播。
}
report-no-parameters = 记录到的张量都不需要梯度。
report-twice = { $name } 持有 { $count } 个参数，其中 { $twice } 个列了两次：{ $names }
report-optimizer = { $alone ->
    [yes] {""}
   *[no] { $name }：
}{ $kind }{ $line ->
        [0] {""}
       *[other] （第 { $line } 行）
    }，学习率 { $rate }，持有 { $count } 个参数{ $twice ->
        [0] {""}
       *[other] ，其中 { $twice } 个列了两次
    }{ $did ->
        [nothing] ，从未更新
        [still] ，更新没有改变任何一个
       *[moved] {""}
    }{ $frozen ->
        [none] {""}
       *[other] ；冻结：{ $frozen }
    }{ $idle ->
        [none] {""}
       *[other] ；没有梯度：{ $idle }
    }{ $unknown ->
        [0] {""}
       *[other] ；{ $unknown } 个未知：所在的各轮只计数，没有记录
    }{ $times ->
        [1] {""}
       *[other] （这里创建的 { $times } 个中的最后一个）
    }
report-mode = { $line ->
    [0] {""}
   *[other] 第 { $line } 行的
} { $count } 次 backward 时的模式：{ $modes }
report-modes-more = 另有 { $count } 条这样的模式未列出。
report-in-none = 有梯度却不在任何优化器里（{ $count } 个）：{ $names }
report-in-several = 同时在多个优化器里（{ $count } 个）：{ $names }
report-frozen = 已冻结：requires_grad 为 False
report-moved = ；此后仍改变了 { $count } 次
report-zero = 每个元素都是 0
report-since = ，因为{ $why }
gradient-zero-since = { $kind ->
    [underflow] { $code } 传出的数太小，超出 { $dtype } 能表示的范围
    [infinite] { $code } 在这里不是有限值
    [factor] { $code } 把它乘以{ $of ->
        [number] {" "}
        [one] 值为 0 的{" "}
       *[several] 全为 0 的{" "}
    }{ $factor }
    [slope] { $code } 在这里的斜率是 0
    [empty] { $code } 得到的批次没有元素
    [hook] { $code ->
        [none] 某个钩子把它变成了 0
       *[other] 钩子 { $code } 把它变成了 0
    }
    [own] { $code } 的 backward 返回 0
    [drawn] { $code } 的结果是随机抽取的，torch 传给参数的梯度是 0
    [summed] 传到 { $code } 的梯度在求和时相互抵消
   *[cancelled] 沿各条路径传到 { $code } 的梯度相互抵消
}
report-subnormal = ；这样小的数 { $dtype } 只能保留几位
report-unread = 有梯度，但无法读取其中的元素
report-bad = { $nans ->
    [0] {""}
   *[other] { $nans } 个 NaN
}{ $both ->
    [yes] ，
   *[no] {""}
}{ $infinite ->
    [0] {""}
   *[other] { $infinite } 个无穷
}
report-flows = 范数 { $norm }，最大 { $largest }
report-likewise = ；{ $module } 的另外 { $count } 个也是这样
report-last-of = （同名的 { $count } 个中的最后一个）
report-held = ；累加到范数为 { $norm } 的 .grad 上
report-altered = ；.grad 现在的范数为 { $norm }，{ $how ->
    [later] 来自之后一次没有记录的调用
    [again] 其间经过了第 { $line } 行的反向传播
    [clipped] 在第 { $line } 行裁剪过
   *[changed] 在反向传播之后改变过
}
report-counted = ，取自运行结束时的 .grad：这次反向传播只计数，没有记录
report-reduced = ；backward 返回时 .grad 的范数为 { $norm }，经过了归约（例如 DistributedDataParallel 的）或钩子
report-inside = （在 { $place } 调用）
report-unreached = ；它不影响任何损失
report-limit = { $kind ->
    [threads] 启动了 { $count } 个线程；torch 在这些线程中的运算没有记录。
    [elsewhere] torch 在另一个线程中运行了反向传播，没有记录，无法判断是否正确。
    [operations] 运行的中间部分只计数：{ $all } 个运算中的{ $about ->
        [yes] 大约{" "}
       *[no] {""}
    }{ $count } 个。
    [backwards] { $all } 次 backward 调用中有 { $count } 次只计数。
    [steps] 循环共有 { $all } 步，均匀地省略了其中 { $count } 步。
    [calls] 省略了之后的 { $count } 次反向传播、优化器、调度器、钩子和裁剪的调用。
    [full] 有 { $count } 个完整的张量太大，没有放进记录。
    [files] 程序有 { $count } 个文件因太长或太多而不显示其中的行。
   *[other] 有 { $count } 处无法记录。
}
report-stop-at = （第 { $line } 行）
report-stop-in = （第 { $line } 行，{ $code }）
start-forward = { $what } 始于 { $code }
start-unsure = { $what } 最早见于 { $code }
start-backward = { $what } 始于 { $code } 的反向传播
start-given = { $code } 在首次记录时就已含有 { $what }
start-gradient = { $what } 来自 { $code }
start-hook = { $hook ->
    [none] 一个钩子
   *[other] 钩子 { $hook }{" "}
}使 { $code } 的梯度变成 { $what }
start-unnamed = 一个没有名字的张量
start-place = ，在 { $place } 处
start-why = { $kind ->
    [zero] ：值为 0 的梯度乘以了无穷大或 NaN 的导数
    [overflow] ：乘积超出了 dtype 的表示范围
    [slope] ：导数在这里不是有限值
    [tied] ：有两个奇异值或特征值相等
    [gradient] ，由之前的一次反向传播产生
    [forward] { $what ->
        [NaN] ：输入中没有 NaN
       *[other] ：输入都是有限值
    }
   *[other] ：传来的梯度是有限值
}
report-at-line = ，第 { $line } 行
report-in-module = ，在 { $module } 中
report-entries = ：{ $entries } 个元素中有 { $count } 个
report-first-at = ，第一个在 { $index }
report-divides = 。这个导数要除以 { $code }，它在那里等于 0。请改为对它的平方求导，或者在根号下加一个很小的数。

# 模块的表格。

summary-module = 模块
summary-output = 输出
summary-parameters = 参数
summary-gradient = 梯度范数
summary-parts = { $norm }（之前 { $before }，新增 { $added }）
summary-clipped = 裁剪后
summary-update = 更新 / 权重
summary-forward = 前向
summary-backward = 反向
summary-flops = 前向 FLOPs
summary-memory = 占用内存
summary-cost-gone = 无法再次调用 { $module }：它或其最后一次调用的某个参数已不存在。请在调用 summary(cost=True) 之前保留它们。
summary-cost-failed = 再次调用 { $module } 失败：{ $error }
summary-cost-none = 没有运行任何模块。
summary-cost-ranks = 分布式训练中，单个进程无法独自再次调用模型。
summary-cost-elsewhere = 只能在同一进程内测量 explorer.record() 的记录：其他运行的模块已不存在。
summary-tied = （与 { $names } 共享）
summary-total = 参数共 { $parameters } 个，其中 { $trained } 个需要梯度；共享的只计一次。
summary-empty = 没有运行任何模块，也没有张量需要梯度。

# 两次运行的差别。

compare-same = 两次运行一致：{ $operations } 个运算，{ $gradients } 个梯度。
compare-codes = A 中为 { $left }，B 中为 { $right }。
compare-origin = { $name } 的赋值不同：A 第 { $line } 行为 { $left }，B 第 { $other } 行为 { $right }。
compare-stored = 最后一次的梯度一致，但运行结束时有 { $count } 个参数的 .grad 不同。{ $name }.grad 的范数在 A 中为 { $left }，在 B 中为 { $right }。
compare-gradient-only = 只在 { $side } 中得到梯度：{ $names }
compare-only = 只在 { $side } 中有（{ $count } 个）：{ $texts }
compare-calls = A 调用 backward { $left } 次，B 调用 { $right } 次。
compare-module = { $module }：{ $values } 个值和 { $gradients } 个梯度不同

# 模型的测试给出的说明。

flow-wrong = { $all } 个参数中有 { $count } 个没有可用的梯度：
flow-none = 无：损失不依赖它
flow-function = 想知道是哪一行切断了梯度，请传入函数：assert_gradients_flow(model, lambda: …)
gold-pair = { $name }：范数 { $left } → { $right }
gold-apart = ，某一分量相差 { $apart }
gold-missing = { $path } 不存在。请用 pytest --update-gold 创建。
gold-differs = { $all ->
    [0] 没有参数得到梯度，无法与 { $path } 比较。
   *[other] { $all } 个梯度中有 { $count } 个与 { $path } 不同（预期 → 现在）：
}

# record() 给出的警告，以及只记录了采样时的说明。

allow-idle = allow 中的 { $patterns } 既不是问题的种类，也不符合这里的任何名字。是不是写错了？
full-idle = full 中的 { $patterns } 不符合任何记录到的张量，因此没有为它保留数据。是不是写错了？名字就是程序中的名字，例如 { $names }。
full-not-kept = { $name }（形状 { $shape }）只记录了 { $count } 个元素的采样。{ $left_out ->
    [0] 用 record(full=["{ $name }"]) 可保留全部元素。
   *[other] 完整张量的空间（1 GB）已满：请在 record(full=[…]) 里少列一些名字。
}
full-unreadable = 无法读取 { $name } 的元素（{ $dtype }）。

record-threads = 在 record() 内启动了 { $count } 个线程，而 record() 只记录它自己所在的线程。{ $empty ->
    [yes] 什么也没有记录到。
   *[no] 其他线程里 torch 的运算没有记录。
}请在线程所运行的函数里调用 record()。
