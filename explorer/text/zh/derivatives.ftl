# “导数”页面。

derivatives-title = 导数
derivatives-lede = 把第二个点移向第一个点，割线的斜率会趋于一个数：导数（derivative）。
derivatives-f = f({ $names })
derivatives-at = 在 x =
derivatives-low = x 从
derivatives-high = 到
derivatives-try = 示例
derivatives-try-first = 选择一个函数
derivatives-def = { $of ->
    [g] 把 f(x, y) 写成 def
    [outputs] 把各个输出写成 def
   *[other] 写成 def
}
derivatives-def-hint = 用多行的函数来写 f，可以有循环和 if
derivatives-line = { $of ->
    [g] 把 f(x, y) 写成表达式
    [outputs] 把各个输出写成表达式
   *[other] 写成表达式
}
derivatives-ctrl-enter = 按 Ctrl+Enter 作图
derivatives-run = 作图
derivatives-run-hint = 这个函数来自链接，经你同意后才运行。
derivatives-by-autograd = 用 autograd 求出
derivatives-autograd-answers = autograd 的结果是 { $slope }
derivatives-no-slope = { $name }′({ $at }) 不存在
derivatives-tangent-line = 切线

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

derivatives-note-constant = 这是常数：差商全是 0，所以导数处处为 0。
derivatives-note-kink = { $at } 处不可导：左侧的差商趋于 { $left }，右侧的差商趋于 { $right }。
derivatives-note-vertical = { $at } 处不可导：两侧的差商都趋于 { $left }，切线是竖直的。
derivatives-note-answer = autograd 按约定取 { $slope }。
derivatives-note-differs = 差商趋于 { $limit }，autograd 的结果却是 { $slope }：autograd 对每个运算各用一条规则，而 detach、不可导点的约定或自己写的 backward 都可能让结果偏离。
derivatives-note-restless = { $at } 处不可导：h 越来越小时，差商不停地来回摆动。
derivatives-note-jump = { $at } 处不可导：f 在此跳跃。从左侧趋于 { $left }，从右侧趋于 { $right }；f({ $at }) = { $value }。
derivatives-note-jumps = { $at } 处不可导：f 在此跳跃。
derivatives-note-pole = f 在 { $at } 附近无界：从左侧趋于 { $left }，从右侧趋于 { $right }。
derivatives-note-pole-left = f 在 { $at } 左侧无界：趋于 { $left }。
derivatives-note-pole-right = f 在 { $at } 右侧无界：趋于 { $right }。
derivatives-note-hole = f({ $at }) 是 { $value }，但从两侧 f 都趋于 { $limit }：只缺这一个点。
derivatives-note-end-left = f 的定义域到 { $at } 为止：只有左侧的差商，趋于 { $slope }。
derivatives-note-end-right = f 的定义域从 { $at } 开始：只有右侧的差商，趋于 { $slope }。
derivatives-note-nan = f({ $at }) = { $value } 是有限值，但 autograd 求出的斜率是 NaN：计算中出现了 0 乘以 ∞ 或 NaN，也可能是在 where 未选中的分支里。
derivatives-note-domain = f({ $at }) 是 { $value }：该点在 f 的定义域之外。
derivatives-note-infinite = f({ $at }) 是 { $value }：要么 f 在这里无界，要么函数值超出了 float64 的范围。
derivatives-note-pointwise = f 不能同时接受许多 x：已对 { $count } 个点逐个调用。
derivatives-note-trouble = 在 x = { $where } 处没有值：{ $why }
derivatives-note-trouble-more = 有 { $count } 类点没有值，最先在 x = { $where }：{ $why }

derivatives-python = Python 写法：
derivatives-open-two = 把 f(x, y) 作为程序打开
derivatives-open-vector = 把雅可比矩阵作为程序打开
derivatives-more = 更多
derivatives-more-orders = f′、f″ …
derivatives-more-two = 两个变量
derivatives-more-vector = 向量函数

derivatives-orders-lede = 每一阶导数都是对前一阶导数再做一次自动微分（create_graph=True）。橙色在零以上，蓝色在零以下。
derivatives-orders-picture = f 与前四阶导数，上下排列

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

derivatives-two-lede = 梯度（gradient）垂直于等高线，指向上坡；长度就是切平面的陡峭程度。
derivatives-two-at = 在 ({ $names }) =
derivatives-two-x = { $name } 从，到
derivatives-rate = 学习率
derivatives-steps = 步数
derivatives-step = 第几步
derivatives-two-kink = 此处沿 { $name } 不可导：差商从下方趋于 { $left }，从上方趋于 { $right }。autograd 的结果是 { $slope }。
derivatives-two-none = 此处沿 { $name } 不可导。autograd 的结果是 { $slope }。
derivatives-two-differs = 沿 { $name } 的差商趋于 { $left }，autograd 的结果却是 { $slope }。
derivatives-at-point = 在该点
derivatives-hessian = 黑塞矩阵（Hessian）
derivatives-surface = 曲面与切平面
derivatives-contours = 等高线、梯度、梯度下降
derivatives-descent = 梯度下降：学习率 { $rate }，{ $steps } 步，f 从 { $first } 到 { $last }。
derivatives-descent-diverges = 梯度下降发散：学习率 { $rate }，{ $steps } 步，f 从 { $first } 到 { $last }。
derivatives-descent-nan = 梯度下降停止：{ $step } 步之后梯度不再是有限值。
derivatives-descent-limit = 如果函数是具有这个黑塞矩阵的抛物面，学习率低于 { $limit } = 2 / 最大特征值时收敛。

derivatives-vector-lede = 雅可比矩阵（Jacobian）的第 i 行是第 i 个输出的梯度。backward 从不构造这个矩阵，只计算它与一个向量的乘积。
derivatives-vector-field = 各个输出
derivatives-vector-f = 各个输出，用逗号分隔
derivatives-vector-at = 在 ({ $names }) =
derivatives-vector-v = v，每个输出一个数
derivatives-vector-u = u，每个输入一个数
derivatives-jacobian = 雅可比矩阵
derivatives-vjp = 向量-雅可比积 v · J
derivatives-jvp = 雅可比-向量积 J · u
derivatives-vjp-cost = 一次反向传播。整个雅可比矩阵需要 { $rows } 次：每行一次。
derivatives-jvp-cost = 一次前向传播。整个雅可比矩阵需要 { $columns } 次：每列一次。

derivatives-try-parabola = 3x² − 4x，在 1
derivatives-try-pole = x³ − 1/x，在 1
derivatives-try-mixed = log(x²) · sin x + 1/x，在 1
derivatives-try-cubic = x³，在 2
derivatives-try-relu = relu 的尖点
derivatives-try-maximum = 相等时的 maximum：½
derivatives-try-abs = |x|，在 0
derivatives-try-branch = Python 的 if
derivatives-try-root = 平方根，在 0
derivatives-try-root-of-square = √x² 在 0 处：NaN
derivatives-try-where = where 产生 NaN
derivatives-try-where-mended = 修改后的 where
derivatives-try-round = round：斜率 0
derivatives-try-straight-through = round 的直通估计
derivatives-try-reversed = 梯度反转
derivatives-try-sigmoids = 十层 sigmoid
derivatives-try-residual = 十层残差 sigmoid
derivatives-try-power = x²⁰
derivatives-try-tan = tan x 与它的极点
derivatives-try-bowl = 碗形
derivatives-try-saddle = 鞍点
derivatives-try-rosenbrock = Rosenbrock 山谷的最小值处
derivatives-try-line = 拟合直线：学习率 .1 收敛
derivatives-try-line-diverges = 拟合直线：学习率 .13 发散
derivatives-try-norm = 手写的距离，在 0：NaN
derivatives-try-logsumexp = 指数之和的对数：上溢
derivatives-try-logaddexp = 改用 logaddexp
derivatives-try-two-by-two = (x²y, 5x + sin y)
derivatives-try-polar = 极坐标
derivatives-try-softmax = 三个数的 softmax
derivatives-try-wide = 一个输出，四个输入

derivatives-stale = 上一次成功的图。
derivatives-place-line = 第 { $line } 行
derivatives-problem-empty = 还没有函数。请写一个关于 { $names } 的表达式，例如 x**2。
derivatives-problem-stopped = 你停止了运行。按“运行”可以重新开始；换一个函数也会重新运行。
derivatives-problem-long = 函数太长：最多 { $most } 个字符。
derivatives-problem-statement = 这里不止一个表达式。请只写一个，或写成多行的 def。
derivatives-problem-syntax = Python 语法有误。
derivatives-problem-fails = f 因错误而停止。
derivatives-problem-no-tensor = f 必须返回用 { $names } 算出的张量，但返回的不是。
derivatives-problem-vector = f 必须返回一个数，但返回了形状为 { $shape } 的张量。
derivatives-problem-no-vector = f 必须返回一个向量或几个数，但返回了形状为 { $shape } 的张量。
derivatives-problem-complex = f 必须返回实数，但返回了复数。
derivatives-problem-dtype = f 必须返回浮点数，但返回了 { $dtype }，它没有导数。
derivatives-problem-cut = f 随 { $names } 变化，但 autograd 找不到反向传播的路径：detach、item、math 或普通的 Python 数把它切断了。
derivatives-problem-random = f 是随机的：在同一点调用两次，结果分别是 { $first } 和 { $second }。
derivatives-problem-nowhere = f 在 { $low } 与 { $high } 之间没有有限值。
derivatives-problem-nowhere-2 = f 在这个窗口中没有有限值。
derivatives-problem-limit-time = f 没有在 { $bound } 秒内结束。
derivatives-problem-limit = f 超出了一次运行的限制（{ $limit }）。
derivatives-problem-refused = { $what } 不在程序可用的范围内。
derivatives-problem-window-number = 窗口需要两个数。
derivatives-problem-window-reversed = 窗口的终点在起点之前：从 { $low } 到 { $high }。请交换两者。
derivatives-problem-window-empty = 窗口没有宽度：起点和终点都是 { $low }。
derivatives-problem-window-narrow = 从 { $low } 到 { $high } 的窗口太窄：曲线上各点只在最后几位上不同。
derivatives-problem-point-number = 点必须是一个数。
derivatives-problem-number = “{ $found }” 不是数。{ $field } 需要一个数，例如 0.5 或 1e-3。
derivatives-problem-numbers = “{ $found }” 不是一列数。{ $field } 需要用逗号分隔的数，例如 1, 0.5。
derivatives-problem-count = { $field } 需要 { $wanted } 个数，这里有 { $found } 个。
derivatives-problem-steps = 梯度下降的步数可以是 0 到 200，这里是 { $found }。

derivatives-hint-right-side = 只写等号右边的部分。
derivatives-hint-number = torch 的函数接受张量：普通的数请写 2**0.5 或 math.sqrt(2)。
derivatives-hint-bars = 绝对值写作 abs(x)。
derivatives-hint-numpy = 请直接用 torch 的函数，不写 np：sin(x)、exp(x) 等。
derivatives-hint-call = 函数的参数要放在括号里：写 sin(x)，不要写 sinx。
derivatives-hint-name = 这里可用的名字有：f 的变量，以及 torch 的函数，例如 sin、exp、relu。
derivatives-hint-ln = 自然对数写作 log(x)。
derivatives-hint-no-rule = torch 没有这个运算的导数。整除 a // b 请写成 floor(a / b)。
derivatives-hint-scalar = max、min 和 if 只能处理单个数；对张量请用 maximum、minimum 和 where。
derivatives-hint-torch = math 模块的函数返回普通的 Python 数，autograd 无法追踪：请改用 sqrt(x)、sin(x) 等。
