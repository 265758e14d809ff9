# 训练页：各步的损失、每个参数的色带、一步的数值、各种图。

training-first = 小网络拟合一条波形
lens-awaited = 程序正在运行，结果会显示在这里。
training-place = 哪一处 backward
training-measure = 色带显示
training-measure-gradient = 梯度的大小
    .short = 梯度
    .column = ‖梯度‖
training-measure-value = 参数值的大小
    .short = 值
    .column = ‖值‖
training-measure-update = 更新量的大小
    .short = 更新量
    .column = ‖更新量‖
training-measure-ratio = 更新量 / 参数值
    .short = 更新量 / 值
    .column = 更新量 / 值
training-measure-zeros = 梯度中零的比例
    .short = 零的比例
    .column = 梯度中零的比例
training-measure-units = 所有权重的梯度都恰好为 0 的单元所占比例
    .short = 失活单元
    .column = 无梯度单元的比例

training-loss = 损失
training-log = 对数刻度
training-step = 步
training-at-step = 训练第 { $step } 步
training-mark-lowest = 最低损失
training-mark-rate = 学习率 { $before } → { $after }
training-name-now = 现在
training-loss-ends = { $name }：第 { $step } 步为 { $loss }
training-loss-text = { $count } 步的损失，从 { $first } 到 { $last }
training-strip = { $name }：{ $measure }，从 { $first } 到 { $last }。{ $remark }
training-more-rows = 另有 { $count } 个参数没有画出色带。
training-legend =
    .zero = 恰为 0
    .missing = 没有数值
    .bad = NaN 或 ∞

training-remark =
    .nan = 从第 { $step } 步起为 NaN
    .infinite = 从第 { $step } 步起为 ∞
    .none = 从未有过梯度
    .dead = 从第 { $step } 步起梯度为 0
    .frozen = 从未改变
    .rounding = 除舍入误差外为 0
    .vanishing = 从第 { $step } 步起小于 1e−7
    .exploding = 增大到 { $amount } 倍

training-thinned = 共 { $called } 步，均匀保留其中 { $kept } 步，包括第一步和最后一步。
training-ended = 程序{ $end ->
        [limited] 达到限制而结束
       *[stopped] 中途停止
    }，这里显示到那时为止的训练过程。
training-empty-title = 没有可显示的训练过程

training-empty = { $end ->
        [ok] 这个程序没有调用 backward。
       *[stopped] 程序停止时还没有调用过 backward。
    }训练循环的每一轮都会调用一次：
training-empty-grads = 本页至少需要两轮。这个程序在同一处只调用了 { $count } 次 backward()，请在循环中调用。
training-empty-killed = 程序在一次无法中断的调用中达到限制，已记录的内容因此丢失。只要每次调用都按时结束，各步就会保留。训练循环的每一轮都会调用一次 backward：
training-empty-try = 或者先看一个示例：

training-before = 细线：修改之前
training-before-dismiss = 不再显示
training-before-hint = 下一次修改将与这次运行比较
training-changed-lines = 第 { $first } 至 { $last } 行

training-numbers-of-step = 第 { $step } 步
training-open-step = 这一步的图
training-rate = 学习率
training-rate-of = { $name } 的学习率
training-loops = 循环
training-parameters = 这一步的各个参数

training-more = 更多
    .entries = 元素
    .bands = 分布
    .rates = 学习率
    .table = 表格
    .optimizers = 优化器与模式
training-parameter = 参数
training-of-values = 值
training-of-gradients = 梯度
training-entries-some = 共 { $all } 个元素，画出其中 { $shown } 个。
training-entries-sample = 共 { $all } 个元素，抽样保留了其中 { $kept } 个。
training-bands-text = 一半的元素落在内带里，90 % 落在外带里；中间的线是中位数。
training-bands-sample = 色带是用 { $all } 个元素中抽样的 { $kept } 个算出的。
training-no-entries = 没有保留这个参数的各个元素。
training-rates-none = 这里没有用 torch 的优化器更新，因此学习率未知。
training-rates-flat = { $name } 的学习率在记录的每一步都是 { $rate }。
training-table-some = 共保留 { $all } 步，均匀列出其中 { $shown } 步。
training-table-caption = 各步的损失与{ $measure }

# 记录下来的训练。$last：步的编号。

# explorer.watch 测量的训练，由 app --watch 显示。
watched-title = 训练 { $name }
watched-missing = { $path } 已不存在。文件再次出现后，这里会立即显示。
watched-waiting = { $path } 中还没有任何一步。训练完成第一步后，这里就会显示。
watched-foreign = { $path } 不是 explorer.watch 写出的，或者已经损坏。
watched-steps = { $steps } 步，{ $layers } 层，{ $events } 个事件。
watched-stride = 每 { $stride } 步显示一步。
watched-some = 共 { $layers } 层：曲线显示其中 { $curves } 层，热图显示 { $rows } 层。
watched-left-out = 标出了前 { $shown } 个事件，另外还有 { $more } 个。
watched-more = 已读取 { $read } MB，最多读取 { $most } MB。
watch-happened = { $kind ->
    [loss] 损失为 { $first }
    [jump] 损失为 { $first }，此前的中位数为 { $second }
    [gradients] { $second } 个梯度中有 { $first } 个含非有限值
    [said] { $first }
   *[other] 事件
}
watch-happened-and = {"；"}
watched-event = 第 { $step } 步：{ $event }
watched-no-trace = 没有记录
watched-open = 打开 { $name }
watched-alt = { $layers } 层的梯度范数和损失，共 { $steps } 步
watched-norm = 梯度范数
watched-layers = 层
