# 训练循环的逐步回放：图上方的时间线，以及只留下记录的那些步所显示的内容。

film-label = 训练循环的各步
film-step = 步
film-play = 逐步播放
film-pause = 暂停
film-loss = 损失
film-log = 对数坐标
film-at = 第 { $step } 步，共 { $count } 步
film-steps = { $count } 步
film-to-step = 第 { $step } 步
film-none = 现在显示的是另一张图
film-hint = 拖动；← → 移动一步，Page Up、Page Down 移动十步，Home、End 到首尾，空格键播放
film-thinned = 记录了 { $all } 步中的 { $count } 步
film-counted = 第 { $step } 步，共 { $count } 步：叶子和损失是这一步的；中间各运算的数值没有保存。
inspect-counted = 选择一张卡片查看它的数值。
reason-not-kept = 这一步没有保存：长循环的中间部分只记录叶子和损失。
graph-not-kept = 未保存
