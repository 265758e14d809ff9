# 每个示例用一句话说明看点，再提一个思考题；程序未改动时显示。

close = 关闭
lesson-dismiss = 关闭这一行

example-see-two-paths = w 用了两次，所以梯度是两项之和：经 a 传来 2，经 b 传来 3。
example-ask-two-paths = 把第 4 行改成 b = w * 1，w.grad 会变成多少？
example-see-chain-rule = 每条线乘以一个局部导数：传到 a*b 的是 −2，再乘以 b = −3，传到 a 的就是 6。
example-ask-chain-rule = a 增加 0.01，L 增加多少？
example-see-vector = y 有四个元素，反向传播时，每个元素都要有一个权重：x.grad 等于 2 · x · v。
example-ask-vector = 取什么样的 v，x.grad 才是 y.sum() 的导数？
example-see-accumulate = 第二次反向传播把 1 加到 x.grad 原有的 4 · x 上。
example-ask-accumulate = x.grad.zero_() 放在哪里，第二次打印才只有 1？
example-see-detach = 对反向传播来说 u 是常数：z = u · x 的导数是 u = x²，不是 x³ 的导数 3 · x²。
example-ask-detach = 去掉 .detach()，x.grad 是多少？
example-see-control-flow = 自动微分记录实际执行的运算：翻倍十二次，所以斜率是 4096 = d / a。
example-ask-control-flow = a 稍大一点，斜率会变吗？到哪里才会变？
example-see-training = 每一轮都新建一张计算图，反向传播之后释放；这里画的是最后一轮，损失为 0.16。
example-ask-training = 去掉 zero_grad，损失会怎样？
example-see-second-derivative = create_graph=True 让梯度 3 · x² 本身也有计算图，可以再求一次导：6 · x。
example-ask-second-derivative = 这里两者都是 12。还有哪个 x 让它们相等？
example-see-broadcast-trap = (3, 1) 与 (3,) 相减，差的形状是 (3, 3)，每个预测都与三个目标比较：有两个预测是错的，梯度却是 0。
example-ask-broadcast-trap = target 应该是什么形状？这时梯度是多少？
example-see-where-nan = 在 −1 和 0 处，where 没有选 sqrt(x)，但反向传播仍会经过它：0 乘以无穷或 NaN，结果是 NaN。
example-ask-where-nan = 怎样才能让这两个元素根本不进入 sqrt？
example-see-overflow = exp(1000) 超出 32 位浮点数的范围，变成无穷；反向传播时 0 乘以无穷是 NaN，而真正的梯度都是 ½。
example-ask-overflow = torch.logsumexp(x, 0) 会更好吗，为什么？
example-see-silently-wrong = y 是用 x = 2 算的，反向传播读到的却是经 .data 改写后的 20：梯度本应是 4，却成了 40，而且没有任何警告。
example-ask-silently-wrong = 第 3 行改成 x.detach().mul_(10)，torch 会说什么？
example-see-backward-twice = 第一次反向传播释放了计算图保存的张量，第二次就没有可以相乘的数了。
example-ask-backward-twice = 第 3 行改成 y.backward(retain_graph=True)，x.grad 是多少？
example-see-classifier = 交叉熵传给分数的梯度是 softmax 减去独热编码，再除以样本数 2。
example-ask-classifier = 为什么这个梯度每一行的和都是 0？
example-see-attention = weights 的每一行表示一个查询从各个值取多少；每行之和为 1。
example-ask-attention = 如果 softmax 的输出是常数，Q、K、V 中哪些还有非零梯度？
example-see-first = 十二个元素变成形状 (3, 4)，再变成三个和，最后变成一个数；Y 的梯度沿原路传回来。
example-ask-first = Y 的梯度是什么形状？哪些张量永远没有梯度？
example-see-views = X、T、row、column 和 block 都是视图，读的是 x 的内存；flat 只能复制一份。
example-ask-views = 写入 X[1, 2] 会让好几个变量同时改变：是哪几个？为什么不包括 flat？
example-see-kinds = 类型决定能表示哪些数：bfloat16 把 65504 变成 65536，half 则保持不变。
example-ask-kinds = half 会把 65505 变成什么，70000 呢？
example-see-ranks = 权重 (3, 1, 1) 拉伸到两张图的每个像素，再沿轴 1 求和，就变成灰度图。
example-ask-ranks = images.grad 中有多少个元素不为 0？
example-see-numpy = numpy()、from_numpy、detach 和 data 共享内存；tensor(n) 和 clone 会复制。
example-ask-numpy = raw 乘以 100 之后，w、kept、apart 中哪些跟着变？
example-see-wrong = 七个单元格中有六个出错，原因各不相同，torch 都会说明。
example-ask-wrong = huge 有十亿个元素，它占多少字节？

bc-ask-outer = 改变 a 的一个元素，结果中哪些元素会变？
bc-ask-product = 哪些数加起来是 1，哪些加起来是 3？
bc-ask-mse = 目标应该是什么形状，损失才会是 0？
bc-ask-centre = mean 的哪个参数能让形状对上？
bc-ask-silent = 没有任何报错，你怎样才能发现？
bc-ask-rows = 这些和应该是什么形状，才能让每行除以自己的和？
bc-ask-keepdim = 结果的每一行加起来是多少？
bc-ask-scalar = 标量的梯度由多少个数相加而成？
bc-ask-empty = 没有任何项的和是多少？
bc-ask-flat = a 的梯度沿哪个轴求和，b 的呢？
bc-ask-deep = b 的一个元素被读取多少次？
bc-ask-box = 那一行的梯度沿哪些轴求和？
bc-ask-three = 操作数的先后顺序会影响结果的形状吗？

derivatives-see-parabola = 在 1 处斜率是 2：h 越小，差商越接近它。
derivatives-ask-parabola = 斜率在哪里为 0？
derivatives-see-pole = 只要函数有定义，斜率就是正的，在 x = 1 处是 4。
derivatives-ask-pole = 那么曲线处处上升吗？
derivatives-see-mixed = 一行里用到乘法、链式和除法法则：在 1 处斜率是 2 · sin 1 − 1。
derivatives-ask-mixed = 导数的三项中，哪一项在 x = 1 处为零？
derivatives-see-cubic = 斜率是 3 · x²：在 2 处是 12，处处不为负。
derivatives-ask-cubic = 在 0 处斜率为 0，那里是极小值吗？
derivatives-see-relu = 左侧斜率是 0，右侧是 1：在 0 处不可导，自动微分的结果是 0。
derivatives-ask-relu = 换成 0 到 1 之间的另一个数可以吗？
derivatives-see-maximum = 曲线与 relu 相同，但两者相等时，自动微分让它们各占一半，所以在 0 处的斜率是 ½。
derivatives-ask-maximum = 同一个函数，两种写法，两个答案：有一个是错的吗？
derivatives-see-abs = 左侧斜率是 −1，右侧是 1：在 0 处不可导，自动微分的结果是 0。
derivatives-ask-abs = 过 0 点的哪些直线始终在曲线下方？
derivatives-see-branch = 自动微分只看实际执行的分支；在 1 处执行的是 x，斜率为 1。
derivatives-ask-branch = 在 0 处执行哪个分支，斜率是多少？
derivatives-see-root = 曲线在 0 处是竖直的：斜率为无穷。
derivatives-ask-root = 梯度 0 乘以它会变成什么？
derivatives-see-root-of-square = 曲线就是 |x|，但链式法则在 0 处要算 0 乘以无穷：NaN。
derivatives-ask-root-of-square = 换哪种写法可以避免？
derivatives-see-where = 在 −1 处曲线的斜率是 1，自动微分的结果却是 NaN：没有选中的分支也会求导。
derivatives-ask-where = 那个分支乘以 0，为什么还是没有用？
derivatives-see-where-mended = 只要 x 不为正，里面的 where 就把 1 传给 sqrt，所以在 −1 处斜率是 1。
derivatives-ask-where-mended = 为什么里面的 where 必须放在 sqrt 里面，不能放在外面？
derivatives-see-round = 两次跳跃之间曲线是平的：只要可导，斜率就是 0。
derivatives-ask-round = 梯度下降在上面能走多远？
derivatives-see-straight-through = 值是 round(x) 的值；对自动微分来说 detach 的部分是常数，所以斜率是 1。
derivatives-ask-straight-through = 差商是 0，自动微分的结果是 1：网络训练用的是哪一个？
derivatives-see-reversed = 函数是 x²，但它自己的 backward 把符号反了过来：差商是 6，自动微分的结果是 −6。
derivatives-ask-reversed = 梯度下降会走向哪里？
derivatives-see-sigmoids = 每个 sigmoid 最多把斜率乘以 ¼：十个之后只剩 0.0000004。
derivatives-ask-sigmoids = 二十个之后大约还剩多少？
derivatives-see-residual = 每一轮都加上 x，斜率不会低于 1：十轮之后是 2.24。
derivatives-ask-residual = 为什么没有哪一轮能让它变小？
derivatives-see-power = 在 0.5 处斜率是 0.00004，在 1 处是 20。
derivatives-ask-power = 对于一个从 0 附近开始的权重，这意味着什么？
derivatives-see-tan = 在 0 处斜率是 1；越靠近极点越大，没有上界。
derivatives-ask-tan = 有没有哪个 x 处斜率小于 1？
derivatives-see-bowl = 负梯度与等高线垂直，是下降最快的方向。
derivatives-ask-bowl = 它指向最小值点吗？
derivatives-see-saddle = 沿 y 向下，沿 x 向上：在 0 处梯度为 0，却不是极小值。
derivatives-ask-saddle = 从 (1, 0) 出发的梯度下降停在哪里？
derivatives-see-rosenbrock = 在最小值点梯度为 0；山谷在这里横向很陡，纵向几乎是平的。
derivatives-ask-rosenbrock = 为什么它需要这么小的学习率？
derivatives-see-line = 平面上每个点都是一条直线 w · x + b；w = 2、b = 1 时它经过全部四个点。
derivatives-ask-line = 为什么等高线是斜的？
derivatives-see-line-diverges = 学习率为 0.13 时，每一步都落到山谷的另一侧，而且越来越远。
derivatives-ask-line-diverges = 哪个数决定了可用的最大学习率？
derivatives-see-norm = 在 0 处平方根是竖直的，而与它相乘的是 0：梯度是 NaN。
derivatives-ask-norm = 在这一点，合理的答案应该是什么？
derivatives-see-logsumexp = exp(1000) 在 32 位浮点数中是无穷大，所以没有可用的梯度。
derivatives-ask-logsumexp = 可以先从两个数中减去什么，最后再加回来？
derivatives-see-logaddexp = 同一个函数，计算中不出现大数：两个方向的梯度都是 ½。
derivatives-ask-logaddexp = 为什么两者之和总是 1？
derivatives-see-two-by-two = 每个输出一行，每个输入一列：vᵀJ 组合各行，J u 组合各列。
derivatives-ask-two-by-two = v 取什么值时，得到的是第一行？
derivatives-see-polar = 两列互相垂直；行列式就是半径 2。
derivatives-ask-polar = 半径为 0 时，这两列会怎样？
derivatives-see-softmax = 矩阵是对称的，每一行之和为 0。
derivatives-ask-softmax = 这是由 softmax 的哪个性质决定的？
derivatives-see-wide = 只有一个输出：雅可比矩阵只有一行，一次反向传播就能全部求出。
derivatives-ask-wide = 用 J u 要算多少次才能得到同样的结果？
