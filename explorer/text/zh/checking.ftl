# 用数值检查梯度：对叶子张量说什么、为什么不说，以及元素增大时结果怎样变化。

check-numbers = 数值检查
check-hint = 让所有叶子张量沿一个随机方向略微移动后重新运行程序，用斜率核对梯度
check-agrees = 梯度就是程序的斜率。
    .badge = 数值检查：一致
check-none = 没有梯度传到这里，这是正确的：在这一点，结果不依赖于它。
check-kink = 这一点不可导：左侧斜率为 { $left }，右侧斜率为 { $right }；梯度 { $gradient } 只是其中一种取值。
    .badge = 数值检查：不可导点
check-differs = { $side ->
        [along] 沿一个随机方向，按梯度应为
       *[other] 梯度为
    } { $gradient }，而程序的实际斜率{ $side ->
        [kink] 左侧为 { $left }，右侧为 { $right }
       *[other] 为 { $slope }
    }。
    .badge = 数值检查：不一致
check-depends = 没有梯度传到这里，但结果依赖于它：斜率为 { $slope }。
    .badge = 数值检查：没有梯度，但结果依赖于它
check-running = 正在做数值检查……
check-nonfinite = 含有无穷大或 NaN，斜率没有意义。
check-unchecked = 未检查：{ $why ->
        [counted] 运行太长，中间部分没有保留。
        [dtype] 不检查这种 dtype。
        [changed] 它在两次使用之间被修改过。
        [late] 它在需要梯度之前就被使用过，反向传播把这些使用当作常量。
        [drawn] 它决定了一次 Gamma 或 Dirichlet 分布的抽样，而 torch 为抽样推导的梯度无法靠重复抽样来测量。
        [unread] 没有记录到读取它的运算。
        [kept] 它的元素没有保留。
        [inside] 这次反向传播在另一次反向传播之内。
        [work] 程序的计算量太大，再次运行会太久。
        [time] 再次运行时达到了时间上限。
        [branch] 移动后程序走了另一条路径。
        [undefined] 把它略微移动后，结果为 NaN 或无穷。
        [unsteady] 这一点不可导或有跳跃，或者斜率随步长而变。
        [elsewhere] 用 float64 运行时，程序的结果不同。
        [rounding] 斜率太小，小于结果的舍入误差。
        [tied] 有几个元素同样大，torch 可以把梯度给其中任何一个：只移动其中一个，无法得出结论。
        [shared] 另一个张量位于同一块内存中，会随它一起改变。
       *[path] 程序两次运行的结果不同。
    }
check-reason =
    .cut = { $code } 脱离了计算图：经过它的部分不计入梯度。
    .derivative = { $code } 脱离了计算图：经过它的部分不计入梯度。要计入这部分，请写成 { $repair }。
    .no-grad = { $code } 在不记录梯度的状态下运行：经过它的部分不计入梯度。
    .function = 请检查 { $code } 自己定义的反向传播。
    .hook = 有钩子改变了梯度。
    .overwritten = 反向传播所需的数值被覆盖了。
    .surrogate = { $code } 做了取整或比较，斜率处处为 0；它自己定义的反向传播返回替代梯度。
    .padding = 这些元素稍有变化，结果就会改变。若非有意，请用掩码、长度或 ignore_index 排除它们。
    .target = 每个目标就是下一个输入，而该位置的分数会随它变化。若非有意，请不要让较早的位置看到后面的位置，例如使用因果掩码。
    .identity = { $code } 原样返回输入，只用自己定义的反向传播改变梯度。
    .straight = { $code } 返回硬样本，梯度却取自软样本。
    .recomputed = { $code } 在反向传播中重新计算，可能用了不同的随机数或已改变的值。请保持 preserve_rng_state=True。
    .number = { $code } 从 torch 中取出了数值，由它们算出的部分不计入梯度。如果这是有意的，请写 .detach() 表明；否则请用 torch 计算。
    .made = { $code } 用它的元素创建了新的张量，新张量不属于计算图。请直接使用原张量，或使用 torch.stack。
checked-verified = { $of ->
        [one] {""}
       *[other] { $calls ->
            [one] 其中一次反向传播的
           *[other] 首次和末次反向传播的
        }
    }梯度与数值差分一致。
checked-left-out = { $some ->
        [yes] 部分梯度未检查
       *[no] 梯度未检查
    }：{ $why ->
        [work] 程序的计算量太大，再次运行会太久。
       *[time] 再次运行时达到了时间上限。
    }
checked-meant = 结果还在计算图之外依赖于 { $names }。
checked-differs = { $names } 的梯度与数值差分不一致。
checked-depends = 结果依赖于 { $names }，但没有梯度传到那里。
checked-padding = 结果依赖于 { $names } 中的填充。
checked-target = 分数通过 { $names } 依赖于自己的目标。
checked-mark = 梯度已核对
    .left-out = 梯度未核对
    .meant = 梯度已核对，{ $names } 除外
    .differs = { $place ->
        [none] { "" }
       *[other] { $place }：
    }{ $names } 的梯度与数值差分不一致
    .depends = { $place ->
        [none] { "" }
       *[other] { $place }：
    }没有梯度传到 { $names }
    .padding = { $place }：结果依赖于填充
    .target = { $place }：分数依赖于自己的目标
check-at = { $name }，第 { $backward } 次反向传播：{ $what }
plot-slope = 斜率
plot-gradient = torch 的梯度
plot-no-tangent = 以 torch 的梯度 { $gradient } 为斜率的直线不是切线。
plot-computed = { $finite ->
        [yes] 这条直线的斜率就是 { $name } 的梯度。
       *[no] 这里的梯度是 { $gradient }，画不出直线。
    }{ $drags ->
        [yes] 拖动这个点，代码里的数也随之改变。
       *[no] { "" }
    }
plot-title = { $root } 随 { $name } 的变化。在 { $name } = { $at } 处{ $finite ->
        [yes] 有一条斜率为 { $gradient } 的直线
       *[no] 梯度是 { $gradient }
    }。
plot-sum = { $root } 的和
