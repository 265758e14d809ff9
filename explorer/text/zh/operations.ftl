# 运算的图。
operations-previous = 上一个
operations-next = 下一个
operations-choose = 运算
operations-runs = 共运行 { $runs } 次，这是最后一次
operations-intro = torch 的每个调用读什么、写什么。指向卡片即可观看，点开即可修改程序。
operations-none = 这个程序中没有可画的运算。
operations-more = { $what ->
        [rows] { $step ->
            [1] 显示前 { $shown } 行，共 { $all } 行。
           *[other] 每 { $step } 行显示一行：{ $shown } 行，共 { $all } 行。
        }
        [columns] { $step ->
            [1] 显示前 { $shown } 列，共 { $all } 列。
           *[other] 每 { $step } 列显示一列：{ $shown } 列，共 { $all } 列。
        }
       *[entries] { $step ->
            [1] 显示前 { $shown } 个元素，共 { $all } 个。
           *[other] 每 { $step } 个显示一个：{ $shown } 个元素，共 { $all } 个。
        }
    }
operations-more-slices = 显示前 { $shown } 个切片，共 { $all } 个。
operations-kept = { $what ->
        [gradient] 梯度
       *[value] {""}
    }共 { $all } 个元素，保留了 { $kept } 个。
operations-unreadable = 这个张量的元素无法逐个读取（稀疏，或类型特殊）。
operations-entries = { $count } 个元素
operations-backward = 反向
operations-forward = 前向
operations-legend-reads = 所读取的
operations-legend-chosen = 所选元素
operations-legend-value = 值：离 0 越远，底色越重
operations-gradient-of = { $word } 的梯度
operations-gradient-sent = 传给 { $word } 的梯度
operations-operand = 操作数 { $word }
operations-result = 结果 { $word }
operations-before = 之前
operations-after = 之后
operations-hint = 指向一个元素，或用 Tab 与方向键移动：算出它所用的元素会高亮显示。
operations-missing =
    .size = 元素太多，无法逐个追踪（读取超过 250 000 次）。图中只画出形状，以及全部保留的张量的前几个元素。
    .values = 读取哪些元素取决于没有保留的数值（超过 64 个元素且没有名字）。
    .asked = 无法向 PyTorch 查询读取了哪些元素。图中只画出操作数与结果。
    .failed = 这次调用报错，没有结果。图中是它的操作数。
    .kind = 这种写法不逐个追踪元素。图中只画出操作数与结果。
    .differs = 这里不追踪元素：按通常的规则算不出这些数。
operations-promotion = 类型提升：{ $types } 一起运算，结果是 { $result }。
operations-promotion-title = 数据类型
operations-promotion-result = 结果
operations-svd = A = U·Σ·Vᵀ（奇异值分解）：秩为 1 的矩阵之和，σ 从大到小。前几项之和是该秩下最好的近似。
operations-svd-term = 第 { $k } 项：σ = { $sigma }
operations-svd-sum = 前 { $k } 项之和，‖A − 和‖ = { $left }
operations-reshape = { $count ->
    [one] 只改变形状：{ $from } → { $to }。
   *[other] { $count } 个元素保持行优先的次序，只改变形状：{ $from } → { $to }。
}
operations-same = 元素和形状都不变。
operations-cast = 元素不变，{ $before } → { $after }。
operations-reinterpreted = 同样的字节按另一种类型读取，{ $before } → { $after }，数值也就不同。
operations-detach = 同一存储中的同样元素；计算图到此为止。
operations-clone = 同样的元素，存放在自己的存储中。
operations-contiguous = 同样的元素，在存储中按行优先排列。
operations-transpose = 轴交换位置，{ $from } → { $to }；每个元素的值不变。
operations-expand = 大小为 1 的轴被反复读取：{ $from } → { $to }，每个元素 { $times } 次，没有复制。
operations-repeat = 每个元素复制 { $times } 次：{ $from } → { $to }。
operations-cat = { $parts } 个张量首尾连结：结果是 { $to }。
operations-stack = { $parts } 个张量沿新的轴叠放：结果是 { $to }。
operations-split = 一个轴切成 { $parts } 段。
operations-flip = 同样的元素，沿轴换了次序。
operations-triangle = 保留三角部分的元素，{ $from } → { $to }；其余为 0。
operations-diagonal = 取出对角线上的元素：{ $from } → { $to }。
operations-on-diagonal = 元素放在对角线上，{ $from } → { $to }；其余为 0。
operations-index = 从 { $count } 个元素中取 { $picked } 个；结果是 { $to }。
operations-index-repeated = 从 { $count } 个元素中取 { $picked } 个，其中有的取了多次；结果是 { $to }。
operations-mask = 掩码有 { $picked } 个 T，选出的元素排成一行。
operations-where = 条件为 T 时取第一个，否则取第二个。
operations-nonzero = 结果的每一行是一个非零元素的索引。
operations-nonzero-axes = 每个轴一个结果；合起来就是各非零元素的索引。
operations-embedding = 每个索引取 { $table } 的一行（共 { $rows } 行，每行 { $width } 个元素）；结果是 { $to }。
operations-gather = { $formula }：索引与结果形状相同。
operations-scatter-add = { $formula }：写入同一元素的值会相加。
operations-write = 原地写入：写入 { $written } 个元素，{ $kept } 个不变。
operations-write-copy = 在副本上写入：写入 { $written } 个元素，{ $kept } 个不变。操作数本身不变。
operations-reduced = { $name }，{ $results ->
    [1] 共
   *[other] 每次
} { $width } 个元素：{ $from } → { $to }。
operations-norm = { $order } 范数，{ $results ->
    [1] 共
   *[other] 每次
} { $width } 个元素：{ $from } → { $to }。
operations-frobenius = 弗罗贝尼乌斯范数：把矩阵展平后的 L2 范数。
operations-keepdim = keepdim：轴保留，大小为 1。
operations-running = 沿轴 { $axis } 的 { $name }：每个元素累计到自己为止；形状不变。
operations-cross-entropy = softmax 把 { $scores } 的每一行变为概率；一行的损失是标签处概率的 −log。{ $reduction ->
    [mean] 结果是各行损失的均值。
    [sum] 结果是各行损失的和。
   *[none] {""}
}
operations-loss =
    .row = 行
    .label = 标签
    .softmax = 标签处的 softmax
    .loss = 损失
operations-softmax = 沿轴 { $axis } 做 softmax：每个元素取指数，再除以所有指数之和，结果的和为 1。
operations-log-softmax = 沿轴 { $axis } 做 log softmax：每个元素取指数，再除以所有指数之和，最后取对数。
operations-ordered = 沿轴 { $axis } 排序；第二个结果是各元素原来的位置。
operations-extreme = 沿轴 { $axis } 最{ $which ->
        [largest] 大
       *[smallest] 小
    }的 { $count } 个元素；第二个结果是它们原来的位置。
operations-order = 沿轴 { $axis } 排序后，各元素原来的位置。
operations-kth = 沿轴 { $axis } 第 k 小的元素；第二个结果是它原来的位置。
operations-taken = 结果的元素是所给元素的副本。
operations-filled-rest = 其余位置填同一个数。
operations-added-up = 写入同一位置的元素相加。
operations-depends = 所选元素依赖于高亮的元素。
operations-function = 对 { $count } 个元素逐个应用同一个函数；形状不变。
operations-pairs = 按元素：{ $count } 个结果。
operations-stretched = { $shapes } 广播为 { $to }。
operations-equal = { $count } 个位置中有 { $equal } 个相等。
operations-symmetric = { $word } 等于它的转置：是对称矩阵。
operations-asymmetric = { $word } 与它的转置有 { $count } 个位置不同：不是对称矩阵。
operations-products = 每个元素是 { $width } 个乘积{ $bias ->
        [yes] 与偏置
       *[no] {""}
    }之和；结果是 { $to }。
operations-window-products = 每个元素是 { $width } 个乘积{ $bias ->
        [yes] 与偏置
       *[no] {""}
    }之和，乘积是 { $word } 的一个窗口乘以卷积核；结果是 { $to }。
operations-window = 每个元素是 { $word } 的一个窗口（{ $width } 个元素）{ $rule ->
        [max] 中的最大值
       *[mean] 的均值
    }：{ $from } → { $to }。
operations-window-smallest = 最小的窗口只有 { $width } 个。
operations-product = 每个元素是一个乘积；结果是 { $to }。
operations-entry = 每个元素是操作数的一个元素；结果是 { $to }。
operations-addends = 每个元素是操作数的 { $width } 个元素之和；结果是 { $to }。
operations-outer = 每个元素是一个乘积：左边每个元素乘以右边每个元素；结果是 { $to }。
operations-trace = 对角线 { $width } 个元素之和。
operations-cross = 叉积垂直于两个向量，长度等于两个向量张成的平行四边形的面积。
operations-beside = 作为对比：同样两个矩阵的{ $kind ->
        [mm] 矩阵乘法
       *[hadamard] 哈达玛积，按元素相乘
    }。
operations-arange = { $count } 个数，从 { $start } 起，步长 { $step }；终点 { $end } 不在其中。
operations-linspace = { $count } 个数，从 { $start } 到 { $end }，两端都在其中；间隔 { $step }。
operations-sample = { $count } 个数，{ $family ->
        [uniform] 在 { $first } 到 { $second } 之间均匀分布
        [normal] 正态分布，均值 { $first }，标准差 { $second }
       *[each] 各有自己的均值或标准差
    }。抽得：均值 { $mean }，标准差 { $deviation }。
operations-randperm = 0 到 n − 1 的数（n = { $count }），各出现一次，次序随机。
operations-empty = 存储中原有的内容，没有初始化：这些数没有意义，下次运行可能不同。
operations-filled = 新张量，形状 { $to }，{ $dtype }。
operations-like = 形状 { $to } 与 { $dtype } 取自参照的张量，元素不是。
operations-like-shape = 形状 { $to } 取自参照的张量；{ $dtype } 是另外指定的，元素也不取自它。
operations-new = 新张量，形状 { $to }；{ $dtype } 取自创建它的张量。
operations-uninitialised = 未初始化
operations-back =
    .plain = 结果的梯度经过这次调用传回操作数。
    .zeros = 没有读取的元素，梯度为 0。
    .scatter = 多次读取的元素，梯度相加（scatter-add）。
    .cumsum = 每个元素的梯度，是自己这一项以及之后各项的梯度之和：从另一端累积总和。
    .products = 每个因子的梯度等于上游梯度乘以另一个因子；有多个乘积时相加。
    .mm = 设结果的梯度为 G：{ $a } 的梯度是 G·{ $b }ᵀ，{ $b } 的梯度是 { $a }ᵀ·G。
    .scaled = 梯度原样传给前者，乘以 alpha 后传给后者。
    .winner = 梯度全部传给最大（最小）的元素，有并列时只传给其中一个；其余元素为 0。
    .winner-shared = 梯度传给最大（最小）的元素，有并列时平分；其余元素为 0。
    .larger = 梯度传给取出的元素；相等时各占一半。
    .prod = 每个因子的梯度等于上游梯度乘以其他因子的积。
    .cross-entropy = 每个分数的梯度等于它的 softmax（标签对应的分数再减 1），乘以该行损失的梯度。
    .slope = 每个元素的梯度等于上游梯度乘以该点的斜率。
operations-axis = 轴 { $axis } · { $size }
operations-axis-x = 运算前的元素
operations-axis-y = 运算后的元素
operations-example =
    .index = 索引与切片
    .mask = 掩码
    .write = 原地写入
    .gather = gather
    .reshape = 改变形状与转置
    .cat = 连结与叠放
    .sum = 沿轴求和
    .keepdim = 求和，保持轴数
    .max = 最大值
    .cumsum = 累积总和
    .norm = 范数
    .curve = 单个元素的函数
    .symmetric = 对称矩阵
    .hadamard = 哈达玛积与矩阵乘法
    .linear = 点积、矩阵-向量积、矩阵乘法
    .bmm = 批量矩阵乘法
    .sort = 排序与 topk
    .einsum = einsum
    .cross = 叉积
    .arange = arange 与 linspace
    .random = 随机数
    .types = 数据类型
    .svd = 奇异值分解（SVD）
    .softmax = softmax
operations-known-title = 哪些运算有图
operations-find = 查找运算
operations-find-hint = 查找运算，例如 softmax
operations-group =
    .reduce = 沿轴
    .pick = 选取与写入
    .shape = 形状
    .each = 按元素
    .products = 乘积
    .windows = 窗口
    .losses = 损失
    .create = 创建
