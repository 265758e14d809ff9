forms-equal = 梯度逐位相同：{ $count } 个梯度，各 2 步。
    .word = 逐位相同
forms-rounding = 梯度在舍入范围内相同：{ $count } 个中有 { $differing } 个有差别，但都不超过舍入误差。
    .word = 舍入范围内
forms-different = { $count } 个梯度中有 { $differing } 个不同。
    .word = 不同
forms-unsteady = { $unsteady ->
    [A] 第一个模块
   *[B] 第 1 步的梯度都相同，但第二个模块
}从相同的状态和随机数出发，两次的梯度却不同，无法对比。
    .word = 不可重复
forms-raised = 第二个模块引发了 { $error }
    .word = 引发异常
forms-first = 最早不同的梯度：{ $name }{ $place }{ $step ->
    [1] {""}
   *[other] ，第 { $step } 步
}：{ $kind ->
    [entry] 在 { $index } 处，A 为 { $left }，B 为 { $right }。
    [norm] 范数在 A 中为 { $left }，在 B 中为 { $right }。
   *[number] A 为 { $left }，B 为 { $right }。
}
forms-unknown = 没有哪一个 Function、钩子、模式或常量能单独解释这个差别。
forms-or = 原因是下列之一，只看梯度无法确定是哪一个：{ $causes }
forms-cause =
    .hook = { $kind ->
            [backward-hook] { $name } 的反向钩子（第 { $line } 行）
            [forward-hook] { $name } 的前向钩子（第 { $line } 行）
            [parameter-hook] { $name } 的钩子（第 { $line } 行）
           *[tensor-hook] 第 { $line } 行的钩子
        }在 B 中不运行。
    .function = B 中没有 { $name } 的 backward（第 { $line } 行）：autograd 改为对它的 forward 求导。
    .function-cut = { $name }（第 { $line } 行）在 B 中不传递梯度：它的 forward 在 B 中没有计算图。
    .graph-off = 从第 { $line } 行的 { $name } 起，B 都在 no_grad 下运行。
    .mode = 第 { $line } 行只在 A 中处于 { $kind } 下。
    .training = { $name } 在 A 中是{ $kind ->
            [eval] 训练模式，在 B 中按预测
           *[train] 预测模式，在 B 中按训练
        }模式运行。
    .frozen = { $name } 在 B 中 requires_grad=False。
    .missing = B 没有参数 { $name }。
    .constant = { $name } 在 B 中是常量，保留上一步写入的内容；A 在每次 forward 时都新建一个张量{ $placed ->
        [no] {""}
       *[yes] （第 { $line } 行）
    }。
    .random = A 会抽取随机数{ $placed ->
        [no] {""}
       *[yes] （第 { $line } 行）
    }，而这些数在 B 中是常量。
    .dtype = 第 { $line } 行的结果在 B 中是另一种数据类型：{ $name }。
