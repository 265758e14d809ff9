# 反向传播播放器：每一步发生什么，以及它的控件。

# 运算怎样把梯度传下去：播放器和“运算”页面共用。
rule-add = 加法把梯度原样传下去
rule-same = 梯度原样传下去
rule-sub = 减法把梯度传下去，传给减数时变号
rule-mul = 乘法把梯度乘以另一个因子，再传下去
rule-sum = 求和把整个梯度传给每个元素
rule-mean = 求均值把梯度平均分给每个元素
rule-moved = 每个梯度回到对应元素原来的位置
rule-relu = relu 让 { $name } > 0 处的梯度通过，其余位置不通过
rule-stretched = 梯度沿被拉伸的轴求和

# 把文字写成句子，可以附带各部分。
sentence = { $text }。
sentence-parts = { $text }：{ $parts }。

step-start = { $call } 从梯度 { $seed } 开始。
step-start-implicit = 如果执行 { $call }，就从梯度 { $seed } 开始。
step-start-asked = 你从梯度 { $seed } 开始。
step-hooked = 钩子改变了梯度。
step-hooked-from = 钩子{ $hook ->
    [none] {""}
   *[other] {" "}{ $hook }{" "}
}把梯度从 { $before } 变成了 { $after }。
step-has = { $card } 的梯度是 { $gradient }。
step-relu-one = { $open ->
    [yes] { $name } > 0，relu 把梯度原样传给 { $to }。
   *[other] { $name } 是 0，梯度不能通过 relu。
}
step-relu-count = { $count } 个元素中有 { $open } 个通过，传给 { $to }
step-matmul = { $card } 的梯度是 { $gradient }，传出：{ $parts }。
step-upstream = { $gradient } 是传到这里的梯度。
step-inside = { $card } 传出：{ $parts }。
step-own = { $card } 由程序自己的 backward 传出：{ $parts }。
step-other = 乘以局部导数：{ $parts }。
step-conjugated = 乘以局部导数的共轭：{ $parts }。
step-nothing = { $card } 不再往回传。
step-rounds = 梯度反向经过 { $card } { $kept ->
    [some] 已记录的
   *[all] 的全部
} { $count } 轮。
step-to-summed = { $amount } 传给 { $to }（沿轴 { $axes } 求和）
step-entropy = 交叉熵传出 { $factor }（one-hot 即独热标签）：{ $parts }。{ $ignored ->
    [no] {""}
   *[other] 标签为 { $ignored } 的行会忽略，梯度为 0。
}
step-to = { $amount } 传给 { $to }
step-to-role = { $amount } 传给 { $to }（{ $role }）
step-more = 另有 { $count } 项
step-freed = 它保存的张量已释放：{ $names }。
step-leaf-added = { $total } 累积到 { $name }。
step-leaf-kept = `.grad` 不变。
step-ask = { $card } 传给 { $to } 的梯度是多少？
step-ask-leaf = 这一步之后 { $name } 是多少？
step-ask-entry = { $card } 传给 { $to } 的梯度在 { $entry } 处是多少？
step-ask-several = 从 { $card } 到 { $to } 有 { $count } 条线，一共传去多少梯度？
step-ask-several-entry = 从 { $card } 到 { $to } 有 { $count } 条线，在 { $entry } 处一共传去多少梯度？
step-ask-shape = { $card } 传给 { $to } 的梯度是什么形状？
step-ask-result = 传到 { $name } 的梯度一共是多少？
step-ask-result-shape = 传到 { $name } 的梯度是什么形状？
step-ask-value = { $name } 会是多少？
step-ask-value-shape = { $name } 会是什么形状？
step-ask-next = 接下来运行 { $what }。{ $question }
hint-operands = 此时 { $values }。
hint-unchanged = { $card } 把梯度原样传下去。
hint-arrived = 传到 { $card } 的梯度是 { $gradient }。
hint-local = 乘以局部导数：{ $rules }。
hint-whole = 梯度为 { $gradient } 时，传下去的是 { $rules }。
hint-other = 乘以 { $card } 对 { $to } 的局部导数。
hint-words = 这里的规则：{ $rule }。
hint-summed = { $to } 被拉伸过：传给每个元素的梯度要沿被拉伸的轴求和。
hint-added = 再把沿这 { $count } 条线传来的梯度相加。
hint-sum = 把传来的各项全部相加
hint-held = { $name } 原来不为空，也要算进去。
hint-shape = 梯度与张量的形状相同：看 { $to } 的形状。

player = 逐步运行
player-play = 播放
player-pause = 暂停
player-first = 回到开头
player-back = 后退一步
player-next = 前进一步
player-last = 到最后
player-step = 第 { $step } 步，共 { $count } 步
player-speed = 速度
player-keys = 拖动，或按 ← → 走一步，Shift+← → 走一行，Page Up、Page Down 走一段，Home、End 到两端；空格播放，L 到光标所在的行
player-end = 运行结束
player-forward = 前向
player-backward = 反向
player-update = 更新
player-after = 之后
player-round = 第 { $round } 轮
player-loss = 损失
player-log = 对数坐标
player-version = 版本 { $before } → { $after }
player-predict = 预测
player-check = 核对
player-answer = 你的答案
player-right = 对：{ $answer }。
player-wrong = 不是 { $guess }，是 { $answer }。
player-hint = 不是 { $guess }。
player-unread = 请输入一个数，例如 4、−0.5、1/3 或 2e-3：“{ $guess }”不是数。
player-unread-shape = 请输入一个形状，例如 (2, 3)，单个数写 ()：“{ $guess }”不是形状。
player-predicting = 先猜每个梯度，再看答案。按 H 全部显示。
uncover-show = 显示这个梯度
player-predicting-all = 先猜每个值，再猜每个梯度，然后看答案。按 Page Down 显示所有值，按 H 全部显示。
player-elsewhere = 此刻的数值显示在卡片上。
player-ready = 共 { $count } 步

# 穿过收起的模块的一步
step-module = { $parameters ->
    [0] { $given ->
        [0] 梯度反向穿过模块内部的全部运算。
       *[other] 梯度反向穿过模块内部的全部运算，传给 { $to }。
    }
   *[other] { $given ->
        [0] 梯度反向穿过模块内部的全部运算，传给其中的参数。
       *[other] 梯度反向穿过模块内部的全部运算，传给其中的参数和 { $to }。
    }
}
