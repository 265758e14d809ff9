# 时间线：程序运行的每一刻发生什么。程序的文字和数字在反引号之间。

timeline-and = { $some } 和 { $last }
timeline-separator = 、
timeline-more = { $some } 及另外 { $count } 项
timeline-object = { $name } 是 { $kind } 类的对象。
timeline-continue = `continue`：跳过本轮余下的语句。
timeline-break = `break`：循环到此结束。
timeline-pass = `pass` 不做任何操作。
timeline-class = 定义了类 { $name }。
timeline-ran = 执行 { $what }。
timeline-imported = { $what }：此后程序就可以使用了。
timeline-defined = 定义了 { $name }，调用时才会执行。
timeline-gone = { $name } 已经不存在了。

timeline-remembers = PyTorch { $count ->
    [0] 为反向传播记下 { $nodes }。
   *[other] 记下 { $nodes }，因为 { $names } 需要梯度。
}
timeline-keeps = 同时保存 { $names }，供反向传播使用。
timeline-parameters = { $what } 创建了参数：{ $names }。
timeline-leaf = { $name } 是叶子张量：反向传播会把梯度存入 { $gradient }。
timeline-no-grad = 梯度关闭，没有记录。
timeline-detached = { $what } 数值相同，但没有计算历史，所以梯度不会从这里往回传。

timeline-at-entry = { $index } 处的 { $value }
timeline-written = { $what }：{ $before } 原地变为 { $after }{ $seen ->
    [yes] ；版本 { $version }。
    [no] 。版本仍是 { $version }：自动微分没有察觉。
   *[unknown] 。
}
timeline-written-large = { $what } 原地修改了 { $name }；版本 { $version }。
timeline-written-hidden = { $name } 也随之改变，但它的版本仍是 { $version }：自动微分没有察觉。
timeline-written-same = { $what } 原地写入 { $name }，数值不变；版本 { $version }。
timeline-written-also = { $names } { $count ->
   *[other] 共用同一块内存，也随之改变。
}
timeline-found = { $name } 的数值因共用内存而改变：{ $before } 变为 { $after }。

timeline-update = { $kind } { $rate ->
    [none] {""}
   *[other] 以学习率 { $rate }{" "}
}更新
timeline-cleared-all = { $names } 现在都是 None。
timeline-cleared-empty = { $what }：没有梯度需要清除。

timeline-backward = { $what } 沿计算图反向传播
timeline-backward-failed = { $what } 失败：反向传播中止。

timeline-round = { $what }：下一轮，{ $values }。
timeline-round-first = { $what }：第一轮，{ $values }。
timeline-truth = { $what } { $truth ->
    [yes] 成立
   *[no] 不成立
}{ $values ->
    [none] {""}
   *[other] （{ $values }）
}
timeline-another-round = 再来一轮
timeline-loop-ends = 循环结束
timeline-skipped = 跳过它的代码块
timeline-no-grad-begins = { $what }：在这个代码块结束之前，PyTorch 不做记录。
timeline-with = { $what }：代码块开始。
timeline-with-ends = { $what }：代码块结束。
timeline-enter = 调用 { $name }
timeline-goes-on = { $name } 从 yield 之后继续。
timeline-leave = { $name } 结束。
timeline-leave-with = { $name } 返回 { $value }。
timeline-yield = { $name } 产出 { $value } 并等待。
timeline-raise = { $what } 引发 { $type }。
timeline-shows = { $name } 打印 { $value }。
timeline-shown = { $name } 的结果显示在单元格下方。
