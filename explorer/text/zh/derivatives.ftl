# “导数”页面。

derivatives-lede =
    .one = 把第二个点移向第一个点，割线的斜率会趋于一个数：导数（derivative）。
    .two = 梯度（gradient）垂直于等高线，指向上坡；长度就是切平面的陡峭程度。
derivatives-f = f({ $names })
derivatives-at = 在 x =
derivatives-low = x 从
derivatives-high = 到
derivatives-try-first = 选择一个函数
derivatives-def = 写成 def
derivatives-def-hint = 用多行的函数来写 f，可以有循环和 if
derivatives-line = 写成表达式
derivatives-ctrl-enter = 按 Ctrl+Enter 作图
derivatives-run = 作图
derivatives-run-hint = 这个函数来自链接。按“作图”运行它。
derivatives-by-autograd = 用 autograd 求出
derivatives-autograd-answers = autograd 的结果是 { $slope }
derivatives-no-slope = { $name }′({ $at }) 不存在

derivatives-picture = { $text } 的图像及其在 { $at } 处的切线和割线
derivatives-point = 曲线上的点；用方向键移动
derivatives-slider = 第二个点的距离 h
derivatives-secant = 割线
derivatives-tangent = 切线
derivatives-quotients = 差商（difference quotient）
derivatives-quotients-lede = { $at } 与 { $at } { $way } h 之间的纵向变化除以横向变化。
derivatives-quotient = 差商
derivatives-from-left = 左侧差商
derivatives-from-right = 右侧差商

derivatives-note =
    .constant = 这是常数：差商全是 0，所以导数处处为 0。
    .kink = { $at } 处不可导：左侧的差商趋于 { $left }，右侧的差商趋于 { $right }。
    .vertical = { $at } 处不可导：两侧的差商都趋于 { $left }，切线是竖直的。
    .answer = autograd 按约定取 { $slope }。
    .differs = 差商趋于 { $limit }，autograd 的结果却是 { $slope }：autograd 对每个运算各用一条规则，而 detach、不可导点的约定或自己写的 backward 都可能让结果偏离。
    .restless = { $at } 处不可导：h 越来越小时，差商不停地来回摆动。
    .jump = { $at } 处不可导：f 在此跳跃。{ $finite ->
            [yes] 从左侧趋于 { $left }，从右侧趋于 { $right }，而 f({ $at }) = { $value }。
           *[no] {""}
        }
    .pole = f 在 { $at } { $side ->
            [left] 左侧无界：趋于 { $left }。
            [right] 右侧无界：趋于 { $right }。
           *[both] 附近无界：从左侧趋于 { $left }，从右侧趋于 { $right }。
        }
    .hole = f({ $at }) 是 { $value }，但从两侧 f 都趋于 { $limit }：只缺这一个点。
    .end = f 的定义域{ $side ->
            [left] 到 { $at } 为止：只有左侧
           *[right] 从 { $at } 开始：只有右侧
        }的差商，趋于 { $slope }。
    .nan = f({ $at }) = { $value } 是有限值，但 autograd 求出的斜率是 NaN：计算中出现了 0 乘以 ∞ 或 NaN，也可能是在 where 未选中的分支里。
    .domain = f({ $at }) 是 { $value }：该点在 f 的定义域之外。
    .infinite = f({ $at }) 是 { $value }：要么 f 在这里无界，要么函数值超出了 float64 的范围。
    .pointwise = f 不能同时接受许多 x：已对 { $count } 个点逐个调用。
    .trouble = { $count ->
            [1] 在 x = { $where } 处没有值
           *[other] 有 { $count } 类点没有值，最先在 x = { $where }
        }：{ $why }

derivatives-python = Python 写法：
derivatives-variables = 变量个数
    .one = 一个变量
    .two = 两个变量


derivatives-precision-title = h 取多小合适？
derivatives-precision = { $course ->
    [both] 误差随 h 减小，直到舍入误差占主导：这时 f(x + h) 与 f(x) 的大部分数位相同。
    [falls] 误差随 h 减小。
    [small] h 较小时差商没有误差。
    [rounding] 这里只有舍入误差。
    [exact] 这里每个差商都没有误差。
   *[none] 差商与 autograd 在这里的斜率不一致，无法画出误差。
}
derivatives-errors-picture = 三种 dtype 下差商的误差随 h 的变化
derivatives-error-axis = |差商 − { $slope }|

derivatives-two-at = 在 ({ $names }) =
derivatives-two-x = { $name } 从，到
derivatives-rate = 学习率
derivatives-steps = 步数
derivatives-step = 第几步
derivatives-two-sides = { $kind ->
        [differs] 沿 { $name } 的差商趋于 { $left }，autograd 的结果却是 { $slope }。
        [kink] 此处沿 { $name } 不可导：差商从下方趋于 { $left }，从上方趋于 { $right }。autograd 的结果是 { $slope }。
       *[none] 此处沿 { $name } 不可导。autograd 的结果是 { $slope }。
    }
derivatives-at-point = 在该点
derivatives-hessian = 黑塞矩阵（Hessian）
derivatives-surface = 曲面与切平面
derivatives-contours = 等高线、梯度、梯度下降
derivatives-descent = 梯度下降{ $diverges ->
        [yes] 发散
       *[no] {""}
    }：学习率 { $rate }，{ $steps } 步，f 从 { $first } 到 { $last }。
derivatives-descent-nan = 梯度下降停止：{ $step } 步之后梯度不再是有限值。
derivatives-descent-limit = 如果函数是具有这个黑塞矩阵的二次函数，学习率低于 { $limit } = 2 / 最大特征值时收敛。


derivatives-try-parabola = 3x² − 4x，在 1
    .see = 在 1 处斜率是 2：h 越小，差商越接近它。
    .ask = 斜率在哪里为 0？
derivatives-try-pole = x³ − 1/x，在 1
    .see = 只要函数有定义，斜率就是正的，在 x = 1 处是 4。
    .ask = 那么曲线处处上升吗？
derivatives-try-mixed = log(x²) · sin x + 1/x，在 1
    .see = 一行里用到乘法、链式和除法法则：在 1 处斜率是 2 · sin 1 − 1。
    .ask = 导数的三项中，哪一项在 x = 1 处为零？
derivatives-try-cubic = x³，在 2
    .see = 斜率是 3 · x²：在 2 处是 12，处处不为负。
    .ask = 在 0 处斜率为 0，那里是极小值吗？
derivatives-try-relu = relu 的尖点
    .see = 左侧斜率是 0，右侧是 1：在 0 处不可导，自动微分的结果是 0。
    .ask = 换成 0 到 1 之间的另一个数可以吗？
derivatives-try-maximum = 相等时的 maximum：½
    .see = 曲线与 relu 相同，但两者相等时，自动微分让它们各占一半，所以在 0 处的斜率是 ½。
    .ask = 同一个函数，两种写法，两个答案：有一个是错的吗？
derivatives-try-abs = |x|，在 0
    .see = 左侧斜率是 −1，右侧是 1：在 0 处不可导，自动微分的结果是 0。
    .ask = 过 0 点的哪些直线始终在曲线下方？
derivatives-try-branch = Python 的 if
    .see = 自动微分只看实际执行的分支；在 1 处执行的是 x，斜率为 1。
    .ask = 在 0 处执行哪个分支，斜率是多少？
derivatives-try-root = 平方根，在 0
    .see = 曲线在 0 处是竖直的：斜率为无穷。
    .ask = 梯度 0 乘以它会变成什么？
derivatives-try-root-of-square = √x² 在 0 处：NaN
    .see = 曲线就是 |x|，但链式法则在 0 处要算 0 乘以无穷：NaN。
    .ask = 换哪种写法可以避免？
derivatives-try-where = where 产生 NaN
    .see = 在 −1 处曲线的斜率是 1，自动微分的结果却是 NaN：没有选中的分支也会求导。
    .ask = 那个分支乘以 0，为什么还是没有用？
derivatives-try-where-mended = 修改后的 where
    .see = 只要 x 不为正，里面的 where 就把 1 传给 sqrt，所以在 −1 处斜率是 1。
    .ask = 为什么里面的 where 必须放在 sqrt 里面，不能放在外面？
derivatives-try-round = round：斜率 0
    .see = 两次跳跃之间曲线是平的：只要可导，斜率就是 0。
    .ask = 梯度下降在上面能走多远？
derivatives-try-straight-through = round 的直通估计
    .see = 值是 round(x) 的值；对自动微分来说 detach 的部分是常数，所以斜率是 1。
    .ask = 差商是 0，自动微分的结果是 1：网络训练用的是哪一个？
derivatives-try-reversed = 梯度反转
    .see = 函数是 x²，但它自己的 backward 把符号反了过来：差商是 6，自动微分的结果是 −6。
    .ask = 梯度下降会走向哪里？
derivatives-try-sigmoids = 十层 sigmoid
    .see = 每个 sigmoid 最多把斜率乘以 ¼：十个之后只剩 0.0000004。
    .ask = 二十个之后大约还剩多少？
derivatives-try-residual = 十层残差 sigmoid
    .see = 每一轮都加上 x，斜率不会低于 1：十轮之后是 2.24。
    .ask = 为什么没有哪一轮能让它变小？
derivatives-try-power = x²⁰
    .see = 在 0.5 处斜率是 0.00004，在 1 处是 20。
    .ask = 对于一个从 0 附近开始的权重，这意味着什么？
derivatives-try-tan = tan x 与它的极点
    .see = 在 0 处斜率是 1；越靠近极点越大，没有上界。
    .ask = 有没有哪个 x 处斜率小于 1？
derivatives-try-bowl = 碗形
    .see = 负梯度与等高线垂直，是下降最快的方向。
    .ask = 它指向最小值点吗？
derivatives-try-saddle = 鞍点
    .see = 沿 y 向下，沿 x 向上：在 0 处梯度为 0，却不是极小值。
    .ask = 从 (1, 0) 出发的梯度下降停在哪里？
derivatives-try-rosenbrock = Rosenbrock 山谷的最小值处
    .see = 在最小值点梯度为 0；山谷在这里横向很陡，纵向几乎是平的。
    .ask = 为什么它需要这么小的学习率？
derivatives-try-line = 拟合直线：学习率 .1 收敛
    .see = 平面上每个点都是一条直线 w · x + b；w = 2、b = 1 时它经过全部四个点。
    .ask = 为什么等高线是斜的？
derivatives-try-line-diverges = 拟合直线：学习率 .13 发散
    .see = 学习率为 0.13 时，每一步都落到山谷的另一侧，而且越来越远。
    .ask = 哪个数决定了可用的最大学习率？
derivatives-try-norm = 手写的距离，在 0：NaN
    .see = 在 0 处平方根是竖直的，而与它相乘的是 0：梯度是 NaN。
    .ask = 在这一点，合理的答案应该是什么？
derivatives-try-logsumexp = 指数之和的对数：上溢
    .see = exp(1000) 在 32 位浮点数中是无穷大，所以没有可用的梯度。
    .ask = 可以先从两个数中减去什么，最后再加回来？
derivatives-try-logaddexp = 改用 logaddexp
    .see = 同一个函数，计算中不出现大数：两个方向的梯度都是 ½。
    .ask = 为什么两者之和总是 1？

derivatives-problem =
    .empty = 还没有函数。请写一个关于 { $names } 的表达式，例如 x**2。
    .stopped = 你停止了运行。按“运行”可以重新开始；换一个函数也会重新运行。
    .long = 函数太长：最多 { $most } 个字符。
    .statement = 这里不止一个表达式。请只写一个，或写成多行的 def。
    .syntax = Python 语法有误。
    .fails = f 因错误而停止。
    .no-tensor = f 必须返回用 { $names } 算出的张量，但返回的不是。
    .vector = f 必须返回一个数，但返回了形状为 { $shape } 的张量。
    .complex = f 必须返回实数，但返回了复数。
    .dtype = f 必须返回浮点数，但返回了 { $dtype }，它没有导数。
    .cut = f 随 { $names } 变化，但 autograd 找不到反向传播的路径：detach、item、math 或普通的 Python 数把它切断了。
    .random = f 是随机的：在同一点调用两次，结果分别是 { $first } 和 { $second }。
    .nowhere = f 在 { $low } 与 { $high } 之间没有有限值。
    .nowhere-2 = f 在这个窗口中没有有限值。
    .limit-time = f 没有在 { $bound } 秒内结束。
    .limit = f 超出了一次运行的限制（{ $limit }）。
    .refused = { $what } 不在程序可用的范围内。
    .window-number = 窗口需要两个数。
    .window-reversed = 窗口的终点在起点之前：从 { $low } 到 { $high }。请交换两者。
    .window-empty = 窗口没有宽度：起点和终点都是 { $low }。
    .window-narrow = 从 { $low } 到 { $high } 的窗口太窄：曲线上各点只在最后几位上不同。
    .point-number = 点必须是一个数。
    .number = “{ $found }” 不是数。{ $field } 需要一个数，例如 0.5 或 1e-3。
    .numbers = “{ $found }” 不是一列数。{ $field } 需要用逗号分隔的数，例如 1, 0.5。
    .count = { $field } 需要两个数，这里有 { $found } 个。
    .steps = 梯度下降的步数可以是 0 到 200，这里是 { $found }。

derivatives-hint =
    .right-side = 只写等号右边的部分。
    .number = torch 的函数接受张量：普通的 Python 数请写 2**0.5 或 math.sqrt(2)。
    .bars = 绝对值写作 abs(x)。
    .numpy = 请直接用 torch 的函数，不写 np：sin(x)、exp(x) 等。
    .call = 函数的参数要放在括号里：写 sin(x)，不要写 sinx。
    .name = 这里可用的名字有：f 的变量，以及 torch 的函数，例如 sin、exp、relu。
    .ln = 自然对数写作 log(x)。
    .no-rule = torch 没有这个运算的导数。整除 a // b 请写成 floor(a / b)。
    .scalar = max、min 和 if 只能处理单个数；对张量请用 maximum、minimum 和 where。
    .torch = math 模块的函数返回普通的 Python 数，autograd 无法追踪：请改用 sqrt(x)、sin(x) 等。
