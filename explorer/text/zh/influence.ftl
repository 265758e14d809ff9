# 哪些内容有作用，哪些没有

influence-idle = 第 { $line } 行：没有任何结果依赖 { $name }{ $where }。改动这些元素后，{ $rounds ->
        [1] 损失
       *[other] 全部 { $rounds } 个损失
    }完全不变。
influence-order = 第 { $line } 行：{ $name } 沿第 { $axis } 轴的 { $size } 个元素的顺序不起作用。在进入第一个权重之前把它反过来，{ $rounds ->
        [1] 损失
       *[other] 全部 { $rounds } 个损失
    }不变。
influence-mixed = 第 { $line } 行：{ $code } 把 { $name } 的 { $rows } 行混在一起。只改动其中一行，结果中的其他行也会变化。
influence-halves = 第 { $line } 行：第一个损失为 { $loss }，而 { $name } 的两半各自损失的平均值为 { $mean }，两者不相等。因此，在小批量上累积梯度并不等同于在大批量上更新一次。
influence-uncalled = 第 { $line } 行：{ $name } 从未被调用，尽管第 { $named } 行提到了它。
influence-unread = 第 { $line } 行：{ $function } 从未读取参数 { $name }。
influence-measured = 已测量：{ $parts }。
influence-unmeasured = 未测量：{ $parts }。
influence-part-results = 哪些结果被用到
influence-part-functions = 哪些函数被调用
influence-part-entries = { $count ->
    [0] 数据的哪些元素有作用
   *[other] { $count } 个张量的哪些元素有作用
}
influence-limits = 损失、数据和指标是否符合你的本意，无法通过测量得知。
influence-unused = 第 { $line } 行：{ $rounds ->
        [1] 这次运行中没有任何地方用到 { $name }。
       *[other] 没有任何地方用到 { $name }（{ $rounds } 轮中有 { $unused } 轮）。
    }
influence-nothing = 没有发现不起作用的内容。
influence-grey = 编辑器中的灰色部分：这次运行中没有用到的结果、从未被调用的函数，以及从未读取的参数。
influence-data = 损失依赖于什么
influence-zeros = { $zeros ->
    [0] 它的 { $count } 个元素都会影响损失。
   *[other] { $count } 个元素中有 { $zeros } 个在所有反向传播中的斜率都是 0。
}
influence-dependents = { $names ->
    [none] 没有有名字的结果依赖它。
   *[other] { $losses ->
        [none] 依赖它的有：{ $names }。
       *[other] 依赖它的有：{ $names }；反向传播从 { $losses } 开始。
    }
}
