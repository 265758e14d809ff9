# 训练的各步说明了什么。$step、$earlier、$best 是某一步，例如 “第 48 步（epoch = 3, i = 17）”。

remarks = 从各步看出
remark-call = 第 { $number } 步
remark-round-and-call = 第 { $number } 步（{ $rounds }）

remark-loss-nonfinite-on = 从 { $step } 起，损失是 { $what }。
remark-loss-nonfinite-at = 在 { $step }，损失是 { $what }。
remark-loss-nan-then = 从 { $step } 起变成 NaN。
remark-because-line = 在 { $step }，第 { $line } 行的 { $code } 由有限的数算出了 { $what }。
remark-because-update = { $step } 之后的更新使 { $name } 超出了数的范围。
remark-because-gradient = { $step } 之后的更新用到了 { $name } 的梯度，其中有 NaN 或无穷。
remark-loss-grows-on = 从 { $step } 起，损失每一步都在增大：{ $first } → { $last }。
remark-loss-grows-always = 损失每一步都在增大：{ $first } → { $last }。
remark-step-length = { $step } 之后的更新是全部权重大小的 { $ratio } 倍：步子太大。

remark-gradient-nonfinite = 在 { $step }，损失还是 { $loss }，但 { $names }{ $leaves ->
    [1] {" "}
   *[other] {" "}等 { $leaves } 个参数
}的梯度中已有 NaN 或无穷。

remark-vanishing = 从 { $step } 起，{ $name } 的梯度小于 1e−7，最后是 { $norm }；更靠近损失的 { $other } 的梯度约为 { $large }。
remark-vanishing-always = 在每一步，{ $name } 的梯度都小于 1e−7，最后是 { $norm }；更靠近损失的 { $other } 的梯度约为 { $large }。
remark-vanishing-unmoved = 它从未改变。
remark-vanishing-rounded = 它从未改变：优化器加上的量在舍入中丢失了。
remark-vanishing-also = { $names }{ $leaves ->
    [1] {" "}
   *[other] {" "}等 { $leaves } 个参数
}的梯度也消失了。
remark-zero = 从 { $step } 起，{ $names }{ $leaves ->
    [1] {" "}
   *[other] {" "}等 { $leaves } 个参数
}的梯度恰好是 0。
remark-zero-always = 在每一步，{ $names }{ $leaves ->
    [1] {" "}
   *[other] {" "}等 { $leaves } 个参数
}的梯度都恰好是 0。
remark-zero-every = 从 { $step } 起，所有梯度恰好都是 0：什么也学不到了。
remark-zero-later = 后来 { $names }{ $leaves ->
    [1] {" "}
   *[other] {" "}等 { $leaves } 个参数
}的梯度也变成 0。
remark-because-flat = 第 { $line } 行的 { $code } 对它的每个输入斜率都是 0，梯度无法通过。
remark-loss-stays = 损失在 { $best } 曾是 { $least }，此后不再低于 { $now }。
remark-dead-units = 从 { $step } 起，{ $name } 的 { $units } 个单元中有 { $dead } 个得不到梯度。
remark-dead-units-always = { $name } 的 { $units } 个单元中有 { $dead } 个在任何一步都得不到梯度。

remark-rate-zero = 从 { $step } 起学习率是 0，之前是 { $rate }：此后什么也学不到。
remark-unmoved = { $names }{ $leaves ->
    [1] {" "}
   *[other] {" "}等 { $leaves } 个参数
}从未改变，尽管梯度不是 0。
remark-unmoved-all = 什么也没有改变：到最后，{ $leaves } 个参数仍是原来的值。
remark-because-rate = 学习率是 0。
remark-because-nothing = 没有优化器的更新改变过{ $leaves ->
    [one] 它
   *[other] 它们
}。
remark-thinned = 这个循环每 { $stride } 步只保留一步：实际开始可能略早。
