# 形状与位置不符的错误：标题、原因、改法。

error-matmul-sizes = 矩阵乘法的内侧大小不同
    .cause = { $left } 的形状为 { $left_shape }，每行有 { $columns } 个元素；{ $right } 的形状为 { $right_shape }，每列有 { $rows } 个。矩阵乘法让行与列逐个元素相乘，所以这两个数必须相等。
    .repair = { $how ->
        [turned] 转置 { $name }：.T 把 { $from } 变为 { $into }，内侧大小就相等了。
        [exchanged] 交换两个因子的次序，内侧大小就相等了。
        [sized] { $name } 在这里需要 { $columns } 行，与 { $left } 的每一列对应：形状为 { $into }。
       *[none] 选择合适的大小，使行与列的元素个数相等。
    }
error-matmul-vector = 矩阵与向量不匹配
    .cause = { $left } 的形状为 { $left_shape }，每行有 { $columns } 个元素；向量 { $right } 有 { $entries } 个，形状为 { $right_shape }。
    .repair = 让向量的元素个数等于矩阵的列数；如果本来想用转置后的矩阵，就先转置。
error-dot-lengths = 点积的两个向量长度不同
    .cause = { $left } 有 { $m } 个元素，{ $right } 有 { $n } 个（形状 { $left_shape } 与 { $right_shape }）。点积要把元素逐对相乘，所以个数必须相同。
    .repair = 让两个向量的元素个数相同。
error-product-ranks = { $function } 要求的轴数不同
    .cause = { $function } 要求第一个张量有 { $left_axes } 个轴、第二个有 { $right_axes } 个轴；传入的是形状为 { $left_shape } 的 { $left } 和形状为 { $right_shape } 的 { $right }。
    .repair = 改用 torch.matmul（@），它接受向量、矩阵和批量矩阵；或对按元素乘积 a * b 求和。
error-matmul-batches = 批量矩阵的内侧大小不同
    .cause = { $left }（形状 { $left_shape }）中的矩阵有 { $columns } 列，{ $right }（形状 { $right_shape }）中的矩阵有 { $rows } 行；两者必须相等。
    .repair = 用 .mT 交换其中一个张量的最后两个轴，或选用匹配的大小。
error-batch-counts = 批量中的矩阵个数不同
    .cause = { $left }（形状 { $left_shape }）与 { $right }（形状 { $right_shape }）是批量矩阵，矩阵的个数既不相等，也没有一方为 1。
    .repair = 让两侧的矩阵个数相同，或一侧只用一个不带批量轴的矩阵。
error-matmul-scalar = 矩阵乘法中出现标量
    .cause = 在 { $code } 中，{ $scalar } 没有轴；矩阵乘法要求两侧至少各有一个轴。
    .repair = 与标量相乘请用 *。
error-matmul-number = 矩阵乘法中出现普通数
    .cause = 在 { $code } 中，{ $number } 是一个数；@ 只用于有轴的张量。
    .repair = 与数相乘请用 *。
error-broadcast-several = 这些形状无法一起广播
    .cause = 传给 { $code } 的张量形状为 { $shapes }。从右对齐后，各轴大小必须相等或为 1。
    .repair = 让各轴大小相等；需要拉伸的轴，大小要为 1。
error-broadcast-sizes = 形状无法广播
    .cause = 形状从右对齐。在轴 { $axis } 上，{ $left } { $left_shape } 的大小为 { $m }，{ $right } { $right_shape } 的大小为 { $n }；两者必须相等，或其中一个为 1。
    .repair = 让两个大小相等；需要拉伸时，用 unsqueeze 插入大小为 1 的轴。
error-cut-by-another-axis = 按另一个轴的大小截取
    .cause = { $part } { $part_shape } 的行数是 { $base } { $shape } 的轴 { $axis } 的大小。形状从右对齐，因此这些行对齐到轴 { $meets }，而它的大小是 { $size }。
    .repair = 按这个轴的大小截取：{ $right }。如果这些行属于轴 { $axis }，就改为在后面插入一个轴：{ $part }[:, None]。
error-mask-between = 缺少中间的轴
    .cause = { $mask } { $mask_shape } 的大小与 { $shape } 的第一个轴和最后一个轴相同。形状从右对齐，因此 { $mask } 的第一个轴对齐到了别的轴。
    .repair = 为中间的每个轴插入一个大小为 1 的轴：{ $mask }{ $index }。
error-broadcast-column = 向量对齐到了错误的轴
    .cause = { $left } 的形状为 { $left_shape }，{ $right } 为 { $right_shape }。形状从右对齐，因此轴 { $axis } 上是 { $m } 对 { $n }；这个向量与第一个轴匹配，与最后一个轴不匹配。
    .repair = 用 unsqueeze(1) 把向量变成一列。
error-broadcast-transposed = 其中一个矩阵的行列相反
    .cause = { $left } 的形状为 { $left_shape }，{ $right } 为 { $right_shape }。从右对齐后，轴 { $axis } 上是 { $m } 对 { $n }，且都不是 1。
    .repair = 如果行列颠倒了，就用 .T 转置其中一个。
error-broadcast-keepdim = 降维运算去掉了一个轴
    .cause = { $reduced } 把 { $whole_shape } 变为 { $part_shape }：轴 { $gone } 消失了。从右对齐后，{ $left } { $left_shape } 与 { $right } { $right_shape } 在轴 { $axis } 上为 { $m } 与 { $n }。
    .repair = 用 keepdim=True 保留这个轴，结果就能沿它拉伸。
error-normalize-channels = Normalize 的通道数与图像不同
    .cause = 传给 transforms.Normalize 的是 { $given } 个均值，而形状为 { $shape } 的图像有 { $channels } 个通道。
    .repair = 为每个通道指定一个均值和一个标准差，例如单通道时写 Normalize((0.5,), (0.5,))。
error-inplace-shape = 原地操作的结果与张量形状不符
    .cause = { $code } 要写入形状为 { $shape } 的 { $target }，而结果的形状是 { $result }。原地操作不能扩大张量。
    .repair = 改为创建新张量：a = a + b。
error-linear-features = 输入特征数与层不符
    .cause = { $layer } 接受 { $wanted } 个特征；输入的形状为 { $shape }，最后一个轴有 { $features } 个特征。
    .repair = 把该层的输入特征数设为 { $features }，或传入 { $wanted } 个特征。
error-linear-features-flattened = 输入特征数与层不符
    .cause = { $layer } 接受 { $wanted } 个特征，传入的却是 { $features } 个：形状 { $before } 中的每个样本展平后有 { $factors } = { $features } 个元素。
    .repair = 把该层的输入特征数设为 { $features }；或修改前面的层，让输出有 { $wanted } 个特征。
error-conv-channels = 输入通道数与层不符
    .cause = { $layer } 接受 { $wanted } 个通道；形状为 { $shape } 的输入有 { $channels } 个。
    .repair = 把该层的输入通道数设为 { $channels }，或传入 { $wanted } 个通道。
error-conv-channels-last = 输入的通道在最后一个轴
    .cause = { $layer } 要求轴 { $axis } 上有 { $wanted } 个通道，而形状为 { $shape } 的输入在这个轴上有 { $channels } 个；它的通道在最后一个轴上。
    .repair = 用 { $order } 把通道移到轴 { $axis }。
error-conv-no-channels = 缺少通道轴
    .cause = { $layer } 接受 { $wanted } 个通道；形状为 { $shape } 的输入会当作一幅有 { $channels } 个通道的图像。
    .repair = 用 unsqueeze(1) 插入通道轴。
error-conv-axes = 输入的轴数不对
    .cause = { $layer } 接受 { $fewer } 个轴（单个样本）或 { $more } 个轴（批量）；形状为 { $shape } 的输入有 { $axes } 个轴。
    .repair = 用 unsqueeze 插入缺少的轴，或去掉多余的轴。
error-pool-to-nothing = 图像缩小到没有元素了
    .cause = { $layer } 的输入是 { $before }（通道 × 高 × 宽），结果会是 { $after }。前面的每个卷积层和汇聚层（池化）都缩小了图像。
    .repair = 使用更大的图像，或减少前面的卷积层和汇聚层，或减小卷积窗口和汇聚窗口。
error-format-of-many = 单个数的格式用在了多个数上
    .cause = { $spec } 这样的格式只用于一个数；{ $name } 的形状是 { $shape }。
    .repair = 格式化一个数（{ $name }.mean() 或其中一个元素），或逐个格式化 { $name }.tolist()。
error-conv-kernel = 卷积核比输入大
    .cause = { $layer } 的卷积核大小为 { $kernel }，而填充后的输入只有 { $size }。
    .repair = 增大输入或填充，或减小卷积核。
error-embedding-range = 嵌入表没有这一行
    .cause = { $layer } 的表有 { $rows } 行，编号 0 到 { $last }；{ $indices } 中最大的索引是 { $index }。
    .repair = 索引与嵌入表来自不同的词表：让嵌入表容纳全部索引（至少 { $enough } 行），或用创建嵌入表时的词表生成索引。
error-embedding-range-large = 嵌入表没有这一行
    .cause = { $layer } 的表有 { $rows } 行，编号 0 到 { $last }；有索引（{ $index }）超出范围。
    .repair = 让表的行数等于最大索引加 1，或改正索引。
error-loss-shapes = 预测与目标的形状不同
    .cause = { $scores } 的形状为 { $scores_shape }，{ $target } 为 { $target_shape }；这个损失按元素比较两者。
    .repair = 让两者形状相同。
error-target-count = 目标个数与行数不等
    .cause = { $scores }（形状 { $scores_shape }）有 { $rows } 行，{ $target }（形状 { $target_shape }）有 { $targets } 个目标。
    .repair = 让每行分数恰好对应一个目标。
error-target-column = 目标排成了一列
    .cause = { $target } 的形状为 { $target_shape }；对于形状为 { $scores_shape } 的 { $scores }，损失要求目标是向量，每行一个类别号。
    .repair = 用 squeeze(1) 去掉大小为 1 的轴。
error-target-axes = 目标的形状不对
    .cause = { $target } 的形状为 { $target_shape }，{ $scores } 为 { $scores_shape }。这个损失要求每行一个类别号，或与分数同形状的概率。
    .repair = 传入类别号组成的向量，或与分数同形状的概率。
error-target-probabilities = 目标是概率，却用了整数
    .cause = { $target } 的形状 { $target_shape } 与 { $scores }（{ $scores_shape }）相同，因此会被当作概率，但数值是整数。
    .repair = 用 .float() 转为浮点数，或传入类别号组成的向量。
error-scores-are-classes = 传入的是类别，不是分数
    .cause = { $scores } 是 { $dtype }，即已经选出的类别。但损失要把 { $target } 与每个类别的分数比较，而且选择运算没有梯度。
    .repair = 直接传入网络输出的分数。
error-target-one-row = 分数缺少批量轴
    .cause = { $scores } 的形状为 { $scores_shape }，即一行分数；因此形状为 { $target_shape } 的 { $target } 会当作概率，但数值是整数。
    .repair = 有多个目标时，分数的形状要为（行数，类别数）；否则只传入一个类别号。
error-target-range = 目标超出类别范围
    .cause = { $scores }（形状 { $scores_shape }）有 { $classes } 个类别，编号 0 到 { $last }；{ $target }（形状 { $target_shape }）中有 { $given }。
    .repair = 类别从 0 开始编号，或增加分数的列数。
error-target-negative = 类别编号为负数
    .cause = { $scores }（形状 { $scores_shape }）有 { $classes } 个类别，编号 0 到 { $last }；{ $target }（形状 { $target_shape }）中有 { $given }。
    .repair = 类别从 0 开始编号。如果 { $given } 表示不计入损失的位置（例如填充），请传入 ignore_index={ $plain }。
error-target-from-one = 类别从 1 开始编号
    .cause = { $target }（形状 { $target_shape }）的类别从 1 数到 { $given }；{ $scores } { $scores_shape } 的 { $classes } 列编号为 0 到 { $last }。
    .repair = 把所有目标减 1。
error-binary-loss-shapes = 预测与目标的形状不同
    .cause = { $scores } 的形状为 { $scores_shape }，{ $target } 为 { $target_shape }。这个损失要求按元素对应，不做广播。
    .repair = 用 unsqueeze 或 squeeze 让目标与分数的形状相同。
error-not-probabilities = 输入不是概率
    .cause = { $scores }（形状 { $scores_shape }）中有小于 0 或大于 1 的元素，而损失（目标是 { $target } { $target_shape }）要求的是概率。
    .repair = 先用 sigmoid，或改用 binary_cross_entropy_with_logits。
error-not-labels = 标签不是概率
    .cause = { $target }（形状 { $target_shape }）中有小于 0 或大于 1 的元素。这个损失的第一个参数是预测，第二个是标签，两者都在 0 和 1 之间。
    .repair = 检查参数的顺序和标签的尺度。
error-reshape-entries = 元素数与形状不符
    .cause = 形状为 { $own } 的 { $tensor } 有 { $entries } 个元素；形状 { $shape } 有 { $places } 个位置。
    .repair = 选择乘积为 { $entries } 的大小。
error-reshape-not-divisible = 元素个数不能整除
    .cause = 形状为 { $own } 的 { $tensor } 有 { $entries } 个元素；要变成形状 { $shape }，元素个数必须是已知大小之积 { $rest } 的倍数。
    .repair = 选用能整除 { $entries } 的大小。如果要让每个样本占一行，用 .flatten(1)。
error-reshape-two-unknown = 形状中有多个 -1
    .cause = { $code } 中有两个轴的大小未定，而由元素个数只能推出其中一个。
    .repair = 只留一个 -1，其余写成具体的数。
error-view-not-contiguous = view() 要求元素按顺序存放
    .cause = { $tensor }（形状 { $shape }）的元素在内存中不按行优先顺序存放，新形状无法用步幅描述。
    .repair = 改用 reshape，必要时会自动复制。
error-unflatten-size = 大小之积与轴不符
    .cause = 轴 { $axis } 的大小为 { $size }，而 { $shape } 之积为 { $places }。
    .repair = 让各大小之积等于 { $size }。
error-expand-size = 只有大小为 1 的轴能拉伸
    .cause = { $code } 要把 { $shape } 拉伸为 { $target }：轴 { $axis } 的大小是 { $size }，目标大小却是 { $wanted }。
    .repair = 只有大小为 1 的轴可以取任意大小；-1 保持该轴的大小。
error-expand-axes = expand() 不能减少轴
    .cause = { $code } 指定的形状 { $target } 比 { $shape } 的轴少。
    .repair = 写出所有的轴；-1 表示保持原大小。
error-assign-shape = 赋的值与位置不符
    .cause = { $place } 的形状为 { $place_shape }，赋给它的值形状为 { $value_shape }，无法广播。
    .repair = 让值的个数与位置的个数一致，或只赋一个数。
error-assign-transposed = 赋的值行列相反
    .cause = { $place } 的形状为 { $place_shape }，赋给它的值形状为 { $value_shape }：行列颠倒。
    .repair = 用 .T 转置该值。
error-assign-many-to-one = 多个值赋给一个位置
    .cause = { $place } 是单个元素（形状 { $place_shape }），而值有 { $count } 个元素（形状 { $value_shape }）。
    .repair = 只赋一个数，或写入同样长度的切片。
error-assign-list = 把列表赋给元素
    .cause = { $code } 可以赋数或张量，不能赋 Python 的 { $given }。
    .repair = 用 torch.tensor(...) 转为张量。
error-assign-not-a-number = 元素只能是数
    .cause = { $code } 可以赋数或张量，这里赋的却是 { $given }。
    .repair = 赋一个数或张量。
error-stack-shapes = stack() 要求形状相同
    .cause = 列表中第 { $i } 个张量的形状为 { $first }，第 { $k } 个为 { $second }。stack 沿新轴并排放置同形状的张量。
    .repair = 填充或截取为同一形状，或用 cat 沿已有的轴连结。
error-join-nothing = 没有可连结的张量
    .cause = 传给 { $code } 的是空列表。
    .repair = 先往列表里添加张量；检查负责添加的循环或条件。
error-cat-sizes = 沿轴 { $axis } 连结：其他轴大小不同
    .cause = 第 0 个张量的形状为 { $first_shape }，第 { $k } 个为 { $other_shape }。除轴 { $axis } 外各轴大小必须相等，这里却是 { $m } 与 { $n }。
    .repair = 沿大小不同的那个轴连结，或让大小相等。
error-cat-axes = 连结的张量轴数不同
    .cause = 各张量的形状为 { $shapes }：有的有 { $m } 个轴，有的有 { $n } 个。
    .repair = 用 unsqueeze 插入缺少的轴。
error-cat-scalars = 标量没有可连结的轴
    .cause = { $code } 要沿轴连结，而标量没有轴。
    .repair = { $others ->
        [yes] 用 reshape(1) 为标量加上一个轴。squeeze() 会去掉所有大小为 1 的轴，包括只有一个样本的批量轴。
       *[no] 用 torch.stack，它会建立新轴。
    }
error-cat-axis-of-vectors = 向量没有轴 { $axis }
    .cause = { $code } 要沿轴 { $axis } 连结，而向量只有轴 0。
    .repair = 用 torch.stack 和 dim=1 把等长向量排成列。
error-join-needs-a-list = 张量要放在列表中
    .cause = { $function } 要求把所有张量放进一个列表或元组，而 { $code } 把它们作为单独的参数传入。
    .repair = 把张量放进括号：{ $function }((a, b))。
error-permute-count = permute() 要把每个轴都列出一次
    .cause = { $tensor } 有 { $axes } 个轴，却列出了 { $given } 个。
    .repair = 每个轴都要列出，而且只列一次。
error-axis-twice = 同一个轴出现两次
    .cause = { $code } 中同一个轴出现了不止一次。
    .repair = 每个轴只写一次。
error-t-of-many-axes = t() 只用于矩阵
    .cause = { $tensor } 有 { $axes } 个轴；t() 最多转置两个轴。
    .repair = 用 transpose(-2, -1) 或 .mT 交换最后两个轴。
error-repeat-axes = repeat() 要为每个轴指定次数
    .cause = { $tensor } 有 { $axes } 个轴，传给 repeat 的却是 { $count } 个数。
    .repair = 为每个轴指定次数，不重复的轴写 1。
error-split-sum = 各段之和不符
    .cause = 这个轴的大小为 { $size }，而 { $code } 中各段之和为 { $total }。
    .repair = 让各段之和等于 { $size }。
error-negative-size = 大小为负
    .cause = { $code } 中有负的大小；轴的大小至少为 0。
    .repair = 大小不能小于 0。
error-arange-direction = 步长的方向与终点相反
    .cause = { $code } 到不了终点：步长为正，终点却小于起点，或者相反。
    .repair = 改正步长的符号（例如 -1），或交换起点与终点。
error-arange-step-zero = 步长为零
    .cause = { $code } 会一直停在起点。
    .repair = 步长不能为 0。
error-linspace-steps = linspace 要指定点数
    .cause = { $code } 指定了起点和终点，却没有指定点数。
    .repair = 加上 steps=...，即点数。
error-randint-bounds = randint 没有可取的数
    .cause = 取值范围从 { $low } 到小于 { $high }，其中没有整数。
    .repair = 让终点大于起点。
error-randint-size = randint 的形状要用元组
    .cause = { $code } 没有用元组指定结果的形状。
    .repair = 在最后用元组指定形状：torch.randint(0, 10, (3,))。
error-size-not-whole = 大小必须是整数
    .cause = { $code } 中有的大小是浮点数；/ 的结果总是浮点数。
    .repair = 使用整数；整除用 //。
error-einsum-sizes = 同一字母对应两种大小
    .cause = 等式中 { $letter } 已表示大小为 { $seen } 的轴，而在第 { $operand } 个操作数（从 0 起）中大小为 { $size }。
    .repair = 换一个字母，或让 { $letter } 对应的大小一致。
error-einsum-letters = 字母数与轴数不同
    .cause = 第 { $operand } 个操作数（从 0 起）有 { $axes } 个轴，等式中却写了 { $letters } 个字母。
    .repair = 每个轴写一个字母。
error-einsum-operands = 等式与操作数个数不符
    .cause = 等式中有 { $named } 组字母，传入的却是 { $given } 个张量。
    .repair = 逗号之间的每一组对应一个张量。
error-einsum-output = 结果中的轴不属于任何操作数
    .cause = 字母 { $letter } 出现在箭头之后，却不在任何操作数中。
    .repair = 结果只用操作数中的字母。
error-index-range = 索引超出范围
    .cause = { $tensor } 的轴 { $axis } 大小为 { $size }：位置为 0 到 { $last }，从末尾数为 −1 到 −{ $size }。{ $index } 不在其中。
    .repair = 位置最大为 { $last }；-1 表示最后一个。
error-index-of-empty = 对空轴取索引
    .cause = { $tensor } 的轴 { $axis } 大小为 { $size }，没有位置 { $index }，最后一个位置（{ $last }）也不存在。
    .repair = 检查张量为什么是空的，或先判断长度。
error-index-select-range = 索引超出范围
    .cause = { $tensor } 的轴 { $axis } 大小为 { $size }，位置 0 到 { $last }；有索引超出范围，这里也不能用负数。
    .repair = 索引要在 0 到 { $last } 之间。
error-take-range = 索引超出元素个数
    .cause = 这个调用把张量看作一行，共 { $entries } 个元素，编号 0 到 { $last }；{ $index } 不在其中。
    .repair = 索引要在 0 到 { $last } 之间。
error-index-of-scalar = 标量不能取索引
    .cause = { $tensor } 是没有轴的张量，无法取索引。
    .repair = 直接使用该张量，或用 .item() 取出其数值。
error-index-too-many = 索引比轴多
    .cause = { $tensor } 的形状为 { $shape }，有 { $axes } 个轴，却用了 { $count } 个索引。
    .repair = 每个轴最多一个索引。
error-mask-shape = 掩码的形状不对
    .cause = 掩码的形状为 { $mask_shape }，{ $tensor } 的形状为 { $shape }。掩码要与供选择的元素一一对应。
    .repair = 用同一个张量生成掩码，或在匹配的轴上使用它。
error-index-tensor-dtype = 位置必须是整数
    .cause = { $index } 的数据类型是 { $dtype }；表示位置的张量必须是整数，掩码必须是布尔值。
    .repair = 用 .long() 转为整数。
error-index-not-whole = 位置必须是整数
    .cause = { $code } 中的索引是 { $given }；1.0 也不行，而 / 的结果总是浮点数。
    .repair = 使用整数：int(i)，或用 // 整除。
error-index-kind = 不能用作位置
    .cause = { $code } 的索引是 { $given }；位置可以是整数、切片、掩码、None 或 ...。
    .repair = 改用其中之一。
error-index-text = 张量的元素没有名字
    .cause = { $tensor } 是张量，位置必须是数，而 { $index } 是文本。
    .repair = 请用数字；按列名取值是 DataFrame 的用法。
error-index-lists = 索引列表长度不同
    .cause = { $code } 中各列表的形状为 { $shapes }；它们成对使用。
    .repair = 让列表长度相同，或逐个轴取索引。
error-slice-backward = 切片的步长不能为负
    .cause = { $code } 的步长为负，张量不支持。
    .repair = 用 .flip(0) 反转这个轴。
error-axis-range = 没有这个轴
    .cause = { $tensor } 的轴为 { $low } 到 { $high }，{ $axis } 不在其中。
    .repair = 轴要在 { $low } 到 { $high } 之间，从 0 开始数。
error-axis-range-shape = 没有这个轴
    .cause = { $tensor } 的形状为 { $shape }：轴为 0 到 { $high }，从末尾数为 { $low } 到 −1。{ $axis } 不在其中。
    .repair = 轴最大为 { $high }，从 0 开始数，-1 为最后一个。
error-axis-range-new = 新轴不能放在这里
    .cause = { $tensor } 的形状为 { $shape }；新轴可放在 { $low } … { $high }，{ $axis } 超出范围。
    .repair = 在 { $low } 到 { $high } 之间选择。
error-axis-of-vector = 向量只有轴 0
    .cause = { $tensor } 的形状为 { $shape }，只有一个轴：{ $high }，从末尾数为 { $low }。轴 { $axis } 不存在。
    .repair = 用 dim=0，或用 -1 表示最后一个轴。
error-axis-of-scalar = 标量没有轴
    .cause = { $tensor } 的形状为 { $shape }，没有轴，却指定了轴 { $axis }（只允许 { $low } 和 { $high }）。
    .repair = 去掉轴参数，或先为张量加上轴。
error-shape-index = 形状没有这一项
    .cause = { $tensor } 的形状没有第 { $index } 项：每个轴一个大小，从 0 开始数。
    .repair = 使用存在的轴；.shape[-1] 是最后一个。
error-shape-index-of = 形状没有这一项
    .cause = { $tensor } 的形状为 { $shape }：{ $axes } 个大小，从 0 开始数，没有第 { $index } 项。
    .repair = 使用存在的轴；.shape[-1] 是最后一个。
error-gather-axes = 索引的轴数要与张量相同
    .cause = { $function } 要求索引与张量的轴数相同，而张量的形状为 { $shape }，索引为 { $index_shape }。
    .repair = 插入缺少的轴，例如 index.unsqueeze(1)。
error-gather-size = 索引比张量大
    .cause = 索引的形状为 { $index_shape }，张量为 { $shape }；只有沿指定的轴才可以更大，但它在轴 { $axis } 上也超出了。
    .repair = 索引在这个轴上的大小不要超过张量。
error-topk-range = 要取的元素比现有的多
    .cause = { $code } 要取的元素个数，超过了形状 { $shape } 的张量在这个轴上的大小。
    .repair = k 不能超过该轴大小。
error-reduce-nothing = 没有可选的元素
    .cause = { $tensor } 的形状为 { $shape }，沿这个轴没有元素，{ $function } 没有定义。
    .repair = 检查它为什么是空的，或先判断 numel()。
error-item-of-many = item() 要求恰好一个元素
    .cause = { $tensor } 有 { $count } 个元素；item() 只用于单个元素的张量。
    .repair = 先降维成一个数，如 mean().item()，或选出一个元素；tolist() 会返回全部元素。
error-item-of-none = 对空张量调用 item()
    .cause = { $tensor } 有 { $count } 个元素，没有数可取。
    .repair = 检查张量为什么是空的。
error-tensor-of-tensors = 张量列表要用 stack
    .cause = torch.tensor 接受数；{ $code } 中的列表含有形状为 { $shape } 的张量。
    .repair = 形状相同的张量用 torch.stack 堆叠；要连结则用 torch.cat。
error-math-of-tensor = 只用于单个数的函数
    .cause = { $code } 只接受一个数，而张量的形状为 { $shape }。
    .repair = 用 torch.{ $function }，它作用于每个元素。
error-number-of-many = 要一个数，却有多个
    .cause = { $code } 只能返回一个 Python 数值，而张量的形状为 { $shape }。
    .repair = 用 .int() 或 .float() 转换所有元素，或先选出一个。
error-whole-number-of-many = 要一个整数，却有多个
    .cause = { $code } 需要一个整数，而张量的形状为 { $shape }，数据类型为 { $dtype }。
    .repair = 用 len() 取其长度，或选出一个元素。
error-whole-number-of-float = 需要整数
    .cause = { $code } 需要整数，而形状为 { $shape } 的张量是 { $dtype }。
    .repair = 用 int() 转换。
error-truth-of-many = 条件只能有一个布尔值
    .cause = { $code } 的形状为 { $shape }：每个元素各有一个布尔值，条件无法判断。
    .repair = 明确写出：.all() 表示全部，.any() 表示至少一个。
error-truth-of-none = 用空张量作条件
    .cause = { $code } 的形状为 { $shape }，没有元素，既不是真也不是假。
    .repair = 判断元素个数：x.numel() > 0。
error-truth-and = and、or 只用于单个布尔值
    .cause = { $code } 的每一侧都要整体判断，却是每个元素各有一个布尔值（形状 { $shape }）。
    .repair = 用 & 和 “|” 按元素组合，每个比较加括号。
error-truth-chain = 对元素的连续比较
    .cause = { $code } 等于用 and 连接两个比较，而每个比较都按元素返回布尔值（形状 { $shape }）。
    .repair = 把两个比较分别加括号，用 & 连接。
error-truth-not = not 只用于一个布尔值
    .cause = { $code } 要整体判断形状为 { $shape } 的张量。
    .repair = 用 ~ 按元素取反，或用 .any()、.all() 判断。
error-truth-in = in 是整体比较
    .cause = { $code } 把形状为 { $shape } 的张量与每一项比较，每次比较都要得到单个布尔值。
    .repair = 按元素用 torch.isin，整体用 torch.equal。
error-truth-builtin = Python 的 { $function } 比较整个张量
    .cause = { $code } 要比较张量的大小，而每个元素各有一个结果（形状 { $shape }）。
    .repair = 用 torch 的函数：全部元素用 x.max()，按元素用 torch.maximum(x, y)，排序用 torch.sort。
error-truth-if-else = 按元素选择
    .cause = { $code } 的形状为 { $shape }：每个元素各有一个布尔值，而 if-else 表达式只能整体选择一次。
    .repair = 用 torch.where(条件, a, b) 按元素选择。
error-length-of-scalar = 标量没有长度
    .cause = { $tensor } 是没有轴的张量；len() 返回第一个轴的大小。
    .repair = 用 .numel() 计元素个数，或为其加上轴。
error-loop-over-scalar = 不能对标量循环
    .cause = { $code } 需要有轴的张量，而它没有轴。
    .repair = 要计数用 range(n)，否则使用有轴的张量。
error-slice-not-whole = 切片的边界必须是整数
    .cause = { $code } 的切片边界中有一个不是整数。
    .repair = 使用整数：int(...) 去掉小数部分；整除用 //，而不是 /。
error-binary-loss-sizes = 预测与目标的个数不同
    .cause = { $scores } 的形状为 { $scores_shape }，{ $target } 为 { $target_shape }。这个损失要求每个分数对应一个目标，而两者个数不同。
    .repair = 调整最后一层的大小，让每个目标各有一个分数；或让每个分数各有一个目标，例如用独热编码。
error-loss-arguments-swapped = 预测与目标写反了
    .cause = 第一个参数 { $scores } 的形状为 { $scores_shape }，是整数；第二个参数 { $target } 的形状为 { $target_shape }，是浮点数。正确的次序是先分数，后目标。
    .repair = 交换两个参数。
error-linear-not-flattened = 输入没有展平
    .cause = { $layer } 接受 { $wanted } = { $factors } 个特征，而形状为 { $shape } 的输入中，这些特征仍分布在几个轴上，最后一个轴只有 { $features } 个。
    .repair = 先展平：在 Sequential 中用 nn.Flatten()，或写 x.flatten(1)。
error-embedding-negative = 嵌入表没有负的行号
    .cause = { $layer } 的表有 { $rows } 行，编号 0 到 { $last }。索引 { $index } 是负数，而嵌入层不支持从末尾计数。
    .repair = 为填充词元单独留一行（例如第 0 行），并用 padding_idx 指定。
error-broadcast-sizes-of-equal-axes = 形状无法广播
    .cause = 形状从右对齐。在轴 { $axis } 上，{ $left } { $left_shape } 的大小为 { $m }，{ $right } { $right_shape } 的大小为 { $n }；两者必须相等，或其中一个为 1。
    .repair = 在创建这两个张量时就让大小相等。
error-linear-transposed = 输入的行列颠倒
    .cause = { $layer } 要求最后一个轴上有 { $wanted } 个特征；形状为 { $shape } 的输入却把特征放在轴 0 上，最后一个轴有 { $features } 个。
    .repair = 让每个样本占一行：用 .T 交换两个轴。
error-matmul-sizes-of-no-order = 乘积的内侧大小不同
    .cause = 形状为 { $left_shape } 的 { $left } 每行有 { $columns } 个元素，形状为 { $right_shape } 的 { $right } 每列有 { $rows } 个；无论怎样转置都不相等。
    .repair = 这里 { $right } 需要 { $columns } 行，形状 { $right_wanted }；或者 { $left } 需要 { $rows } 列，形状 { $left_wanted }。
error-target-count-of-a-view = 小批量的行数变了
    .cause = 第 { $line } 行的 { $made } 把 { $targets } 个样本变成了 { $rows } 行：每个样本有 { $each } 个元素（形状 { $before }），而一行只取 { $wide } 个。所以 { $scores } 有 { $rows } 行，而目标有 { $targets } 个。
    .repair = 用 .flatten(1) 让每个样本占一行：这样每行有 { $each } 个元素，后面的层要有 { $each } 个输入。
error-target-not-flattened = 目标没有展平成一个轴
    .cause = 形状为 { $scores_shape } 的 { $scores } 中，每个目标都有对应的一行，但 { $target } 的形状是 { $target_shape }，而 cross_entropy 要求目标排在一个轴上。
    .repair = 写成 { $target }.reshape(-1)。
error-target-classes-last = 类别不在轴 1
    .cause = cross_entropy 把 { $scores } 的轴 1 当作类别。{ $scores } 的形状是 { $scores_shape }，{ $target } 的是 { $target_shape }：{ $last } 个类别在最后一个轴上。
    .repair = 把它们移到轴 1：三个轴时用 .transpose(1, 2)，更多时用 .movedim(-1, 1)。
error-target-of-one-step = 每一步都有分数，每个序列只有一个目标
    .cause = { $scores } 的形状是 { $scores_shape }，即每个序列 { $steps } 步的分数。形状为 { $target_shape } 的 { $target } 每个序列只有一个目标。
    .repair = 取其中一步的分数，最后一步是 [:, -1]；或者为每一步提供一个目标。
error-target-places = 目标数与位置数不同
    .cause = cross_entropy 把形状为 { $scores_shape } 的 { $scores } 的轴 1 当作 { $classes } 个类别，所以要求目标的形状为 { $wanted }。{ $target } 的形状是 { $target_shape }。
    .repair = 为每个位置提供一个目标；或把类别移到轴 1，让每个目标只对应一个位置。
error-class-weights = 权重与类别数不符
    .cause = weight 有 { $weights } 个元素，形状为 { $scores_shape } 的 { $scores } 有 { $classes } 个类别。
    .repair = 让 weight 有 { $classes } 个元素，每类一个；或检查最后一层的输出数是否等于类别数。
error-reshape-remainder = 除法有余数
    .cause = { $whole } 是 { $size }，{ $part } 是 { $by }：{ $written } 舍去了余数。所以形状 { $shape } 有 { $places } 个位置，而 { $tensor } 有 { $entries } 个元素。
    .repair = 选择能整除 { $size } 的 { $part }。
error-cat-expand = 沿轴 { $axis } 的 cat()：大小为 1 的轴不会拉伸
    .cause = 第 0 个张量的形状是 { $first_shape }，第 { $k } 个是 { $other_shape }。cat() 不做广播：两者在轴 { $differ } 上的大小必须相同。
    .repair = 用 expand 沿轴 { $differ } 重复较小的张量。
error-cat-images = 沿轴 { $axis } 的 cat()：图像大小不同
    .cause = 第 0 个张量的形状是 { $first_shape }，第 { $k } 个是 { $other_shape }。除轴 { $axis } 外各轴大小必须相同；它们在轴 { $differ } 上不同。奇数大小减半再加倍，不会恢复成原来的大小。
    .repair = 先让两者大小相同：裁剪、用 F.pad 填充，或用 F.interpolate(…, size=…) 缩放。
error-cat-fits-nowhere = 沿轴 { $axis } 的 cat()：其他轴大小不同
    .cause = 第 0 个张量的形状是 { $first_shape }，第 { $k } 个是 { $other_shape }。除轴 { $axis } 外各轴大小必须相同；它们在轴 { $differ } 上不同，沿其他轴也无法连结。
    .repair = 先让它们在轴 { $differ } 上大小相同。
error-cat-repeated = cat() 的张量轴数不同
    .cause = { $deep }（形状 { $deep_shape }）有 { $steps } 步，而形状为 { $flat_shape } 的 { $flat } 没有与之对应的轴。
    .repair = 为每一步复制一份：{ $flat }.unsqueeze(1).expand(-1, { $steps }, -1)，再沿最后一个轴连结成 { $long }。或者只取一步，例如 { $deep }[:, -1]（形状 { $one }），连结成 { $short }。
error-cat-axes-only = cat() 的张量轴数不同
    .cause = 各张量的形状是 { $shapes }，轴数不同：{ $m } 与 { $n }。
    .repair = 让它们轴数相同，并且除连结的轴外，各轴大小相同。
error-target-beside-an-axis-of-one = 除类别外多了一个大小为 1 的轴
    .cause = { $scores } 的形状是 { $scores_shape }。cross_entropy 把轴 1 当作类别，要求其他每个位置都有一个目标，即形状 { $wanted }；{ $target } 的形状是 { $target_shape }。
    .repair = 去掉大小为 1 的轴：{ $scores }.squeeze({ $axis })。
error-distribution-parameter = { $distribution } 的 { $parameter } 超出范围
    .cause = { $distribution } 的参数 { $parameter } 必须{ $wanted ->
        [positive] 大于 0
        [nonnegative] 大于或等于 0
        [simplex] 是概率：没有负数，和为 1
        [interval] 在 { $low } 与 { $high } 之间
        [definite] 正定
        [boolean] 是 0 或 1
        [whole] 是从 { $low } 到 { $high } 的整数
        [real] 是有限值
       *[other] 满足 { $low }
    }；传给 { $code } 的是 { $given }。
    .repair = { $wanted ->
        [positive] 先把原始值变为正数，例如 F.softplus(raw) + 1e-6 或 raw.exp()。
        [nonnegative] 先把原始值变为非负数，例如 F.softplus(raw)。
        [simplex] 用 logits= 传入原始分数，或先做 softmax(-1)。
        [interval] 如果分布有 logits= 参数，就用它传入原始分数；或先做 sigmoid。
       *[other] 检查 { $parameter } 是怎样计算的。
    }
error-distribution-value = { $distribution } 取不到的值
    .cause = 这个 { $distribution } 的值必须{ $wanted ->
        [positive] 大于 0
        [nonnegative] 大于或等于 0
        [simplex] 是概率：没有负数，和为 1
        [interval] 在 { $low } 与 { $high } 之间
        [definite] 正定
        [boolean] 是 0 或 1
        [whole] 是从 { $low } 到 { $high } 的整数
        [real] 是有限值
       *[other] 满足 { $low }
    }；传给 { $code } 的是 { $given }。
    .repair = 检查这个值是怎样计算的。调用分布的 sample() 可以看到它能取哪些值。
error-distribution-of-nan = 分布中出现 NaN
    .cause = 在 { $code } 中，{ $distribution } 的 { $parameter }（形状 { $shape }）含有 NaN。
    .repair = { $parameter ->
        [probs] 如果传入的元素都不是 NaN，那么它们的和为 0，而分布要用这个和去除。否则
       *[other] { "" }
    }找出最先产生 NaN 的运算：在这一行之前打印各值，或查看上一步的损失与权重。
error-sample-of-no-weights = 权重不能用来抽样
    .cause = { $code } 的权重中有负数、NaN 或无穷。
    .repair = 先把分数变为概率，例如 scores.softmax(-1)。如果有 NaN，请找出产生它的运算。
error-sample-of-no-probability = 抽样需要概率
    .cause = { $code } 需要概率，传入的值却有小于 0 的、大于 1 的或 NaN。
    .repair = 先把分数变为概率，例如 scores.sigmoid()。如果有 NaN，请找出产生它的运算。
error-sample-of-zeros = 没有可抽取的元素
    .cause = { $code } 中有一行的权重全为 0，无法抽取任何元素。
    .repair = 让每一行都有大于 0 的权重。
error-sample-too-large = 抽取的个数多于元素
    .cause = { $code } 是不放回抽样，要抽的个数却多于元素的个数。
    .repair = 少抽一些，或加上 replacement=True。
error-sample-of-integers = 权重必须是浮点数
    .cause = { $function } 抽样用的权重必须是浮点数；传给 { $code } 的是整数。
    .repair = 用 .float() 转换。
error-sample-of-negative-spread = 标准差为负
    .cause = 传给 { $code } 的标准差是 { $given }；标准差不能为负。
    .repair = 先变为正数，例如 raw.exp() 或 F.softplus(raw)。
error-pad-of-more-axes = 填充的轴多于张量的轴
    .cause = F.pad 从最后一个轴开始，每个轴取两个数。{ $code } 传入了 { $count } 个数，而张量有 { $axes } 个轴，最多取 { $most } 个。
    .repair = 为每个要填充的轴写两个数，或先用 unsqueeze 加上缺少的轴。
error-pad-odd = 填充的数要成对
    .cause = F.pad 每个轴取前后两个数；{ $code } 传入的个数是奇数。
    .repair = 补上缺少的那个数，不填充的一侧写 0。
error-pad-without-channels = 这种填充需要通道轴
    .cause = 不用常数填充时，张量要有 { $least } 个轴或再多一个轴，填充的是最后 { $padded } 个轴。传给 { $code } 的张量有 { $axes } 个轴。
    .repair = 用 unsqueeze(0) 加一个轴，之后再去掉。
error-pad-reflects-too-much = 填充超过可反射的长度
    .cause = 形状 ({ $shape }) 的轴 { $axis } 太短，无法反射：{ $code } 在前面填充 { $first }，在后面填充 { $second }。
    .repair = 让填充长度小于轴的长度，或用 mode="replicate"。
error-resize-without-channels = 图像没有批量轴和通道轴
    .cause = interpolate 要求的轴依次是批量、通道和图像的各边。传给 { $code } 的张量有 { $axes } 个轴{ $shape ->
        [none] {""}
       *[other] ：{ $shape }
    }。
    .repair = 用 x[None, None] 加上这两个轴，之后用 [0, 0] 去掉。
error-resize-mode-axes = 模式与轴数不符
    .cause = 模式 { $mode } 需要有 { $wanted } 个轴的张量（包括批量轴和通道轴）。传给 { $code } 的张量有 { $axes } 个轴。
    .repair = 用 unsqueeze(0) 加上缺少的轴，或换用对应的模式：3 个轴用 linear，4 个用 bilinear，5 个用 trilinear。
error-resize-size-axes = 目标大小与轴数不符
    .cause = 前两个轴是批量和通道，所以可缩放的轴有 { $count } 个：{ $spatial }。{ $code } 指定的大小是 { $size }。
    .repair = 用 unsqueeze(0) 加上缺少的轴，或为这些轴各指定一个大小。
error-resize-without-size = 没有指定目标大小
    .cause = { $code } 既没有指定 size，也没有指定 scale_factor。
    .repair = 指定其中一个，例如 size=(32, 32) 或 scale_factor=2。
error-resize-of-two-sizes = 同时指定了两个目标大小
    .cause = { $code } 同时指定了 size 和 scale_factor。
    .repair = 只指定其中一个。
error-index-count = 每行对应一个索引
    .cause = 源张量沿轴 { $axis } 有 { $rows } 行，{ $function } 需要为每行提供一个索引，这里却有 { $indices } 个。
    .repair = 传入 { $rows } 个索引，或者传入有 { $indices } 行的源张量。
error-sampling-grid = 网格的每个点需要 { $wanted } 个坐标
    .cause = 网格的最后一个轴存放各点的坐标，对这个输入应有 { $wanted } 个。网格的形状是 ({ $sizes })。
    .repair = 用 F.affine_grid 生成网格，或者把最后一个轴的大小改为 { $wanted }。
error-ctc-length = 输入长度超过了分数的时间步数
    .cause = { $code } 中的分数有 { $most } 个时间步，而 input_lengths 中有一个元素是 { $given }。
    .repair = input_lengths 不要超过 { $most }。分数的第一个轴是时间，第二个轴是批量。
