# 时间线上的训练循环，以及只留下记录的那些步所显示的内容。

film-at = 训练第 { $step } 步，共 { $count } 步
film-steps = { $count } 个训练步
film-to-step = 训练第 { $step } 步
film-thinned = 记录了 { $all } 个训练步中的 { $count } 个
film-counted = 训练第 { $step } 步，共 { $count } 步：叶子和损失是这一步的；中间各运算的数值没有保存。
reason-not-kept = 训练的这一步没有保存：长循环的中间部分只记录叶子和损失。
graph-not-kept = 未保存
