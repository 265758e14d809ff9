# torch.nn、torch.optim、torch.utils.data 和 torch.linalg 的错误说明。

error-super-init-missing = 缺少 super().__init__()
    .cause = 第 { $line } 行的 { $code } 要登记层或参数，但 nn.Module 还没有创建用来登记它们的容器。
    .repair = 把 super().__init__() 写成 __init__ 的第一行。
error-super-init-late = super().__init__() 写得太晚
    .cause = 第 { $line } 行的 { $code } 先于 super().__init__() 执行，而用来登记层的容器要由后者创建。
    .repair = 把 super().__init__() 移到 __init__ 的第一行。
error-super-init-never = 缺少 super().__init__()
    .cause = { $class }（第 { $line } 行）的 __init__ 从未调用 nn.Module 的 __init__，所以对象缺少模块必需的属性。
    .repair = 把 super().__init__() 写成 __init__ 的第一行。
error-forward-misspelt = forward 的拼写不同
    .cause = 调用模块时会执行 forward 方法，而 { $class } 在第 { $line } 行写的是 { $name }。
    .repair = 把方法名改为 forward。
error-forward-missing = 模块没有 forward
    .cause = 调用模块时会执行 forward 方法，而类 { $class }（第 { $line } 行）没有定义：{ $code }。
    .repair = 在类中写 def forward(self, x)，与 __init__ 从同一列开始。
error-container-called = 这个容器只存放模块
    .cause = { $type } 只存放模块，并不规定如何执行它们：{ $code }。
    .repair = 用循环 x = layer(x) 逐个调用，或改用 nn.Sequential。
error-forward-arguments-missing = 模块还需要一个输入
    .cause = { $class } 的 forward 需要 { $missing }，而 { $code } 没有传入。
    .repair = 在调用模块时传入。
error-constructor-arguments-missing = 缺少构造参数
    .cause = { $class } 需要 { $missing }，而 { $code } 没有传入。
    .repair = 在调用中加上 { $missing }。
error-sequential-of-a-list = Sequential 的参数是各个层，不是 { $type }
    .cause = nn.Sequential 要求把各层作为单独的参数传入，而 { $code } 只传入了一个 { $type }。
    .repair = 去掉方括号，或在前面写 *。
error-layer-without-brackets = 这里要用层，不是类
    .cause = { $name } 是类；调用它才会创建层。
    .repair = 写成带括号的 { $name }()。
error-function-in-sequential = 这里要用层，不是函数
    .cause = { $name } 是函数，而模块的容器只能存放模块：{ $code }。
    .repair = 使用对应的模块，例如 nn.ReLU()，或在 forward 中调用函数。
error-loss-class-given-tensors = 先创建损失，再调用
    .cause = { $name }(...) 用来创建损失函数；{ $code } 中的张量成了创建时的设置。
    .repair = 写成 { $name }()(prediction, target)。
error-loss-class-without-brackets = 还没有创建损失函数
    .cause = 第 { $line } 行赋值的是类 { $name } 本身，所以 { $code } 只是创建了损失函数，并没有计算损失。
    .repair = 在第 { $line } 行写 { $name }()。
error-layer-is-no-tensor = 这里要用层的结果，不是层
    .cause = nn.{ $name }(...) 只是创建层；张量要写在第二对括号里，而 { $code } 没有。
    .repair = 写成 nn.{ $name }()(x)。
error-layer-indexed = 单个层不能用索引
    .cause = { $name } 是 { $type }，只是一个层；只有 nn.Sequential 这样的容器才能用索引。
    .repair = 用 { $name }.weight 或 { $name }.bias 取它的参数。
error-layer-number = 容器没有那么多层
    .cause = { $code } 中没有索引 { $index }；第一层的编号是 0。
    .repair = 编号不超过 len(...) - 1，最后一层写 -1。
error-module-list-of-one = ModuleList 接收列表
    .cause = 传给 nn.ModuleList 的是单个 { $type }。
    .repair = 用方括号把它括起来。
error-parameter-wanted = 参数不能换成普通张量
    .cause = { $name } 是模块的参数，只能换成 nn.Parameter。
    .repair = 写 nn.Parameter(...)，或复制数值：with torch.no_grad(): layer.{ $name }.copy_(...)。
error-module-wanted = 层不能换成别的东西
    .cause = { $name } 是模块的层，只能换成模块或 None。
    .repair = 给结果换一个名称：x = self.{ $name }(x)。
error-batch-norm-of-one-row = 批量规范化的每个通道需要多个值
    .cause = 训练模式下，批量规范化要计算每个通道上多个值的均值和方差，而 { $code } 的输入形状是 { $shape }。
    .repair = 使用更大的小批量，或在预测时调用 .eval()；在 DataLoader 中写 drop_last=True，可以去掉最后一个不完整的小批量。
error-batch-norm-rank = 输入的轴数不同
    .cause = { $code } 中的层需要 { $wanted } 的输入，而这里是 { $given }。
    .repair = BatchNorm1d 接收（样本、特征）或（样本、通道、长度），BatchNorm2d 接收（样本、通道、高、宽）。
error-image-without-a-batch = 缺少样本轴
    .cause = { $code } 中的层接收成批的图像（样本、通道、高、宽），而该输入是 { $given }。
    .repair = 用 unsqueeze(0) 把单张图像变成只有一个样本的小批量。
error-parameters-without-part = 有些参数没有参与损失
    .cause = DistributedDataParallel 会等待每个参数的梯度。在 { $code } 的上一轮中，从损失到其中一些参数没有路径相连。
    .repair = 让这些参数的结果参与损失，或去掉这些参数；如果每轮用到的参数不同，就设 find_unused_parameters=True。
error-sequential-of-several = Sequential 只传递一个值
    .cause = nn.Sequential 把输入交给第一层，再把每层的结果交给下一层，所以只接收一个值；{ $code } 传入了 { $given } 个。
    .repair = 先合并这些值（例如用 torch.cat），或编写一个 Module，让 forward 接收多个参数。
error-class-without-brackets = 这里要用对象，不是类
    .cause = { $name } 就是类 { $class } 本身（第 { $where } 行），所以 { $code } 没有带参数的对象。
    .repair = 创建对象：{ $class }()。
error-step-given-a-loss = step() 不接收损失
    .cause = { $base } 不接收损失：传入的参数会被当作计算损失的函数来调用。梯度由 backward() 计算。
    .repair = 写成 { $base }()。
error-layer-given-its-input = 创建层时要指定大小
    .cause = { $layer }(...) 创建一个层，参数是特征数；而 { $tensor } 是调用这个层时才传入的张量。
    .repair = 先用大小创建层，再用 { $tensor } 调用：{ $layer }({ $tensor }.shape[-1], ...)({ $tensor })。
error-batch-norm-features = 特征数不同
    .cause = 该层是为 { $wanted } 个特征创建的，而输入有 { $given } 个。
    .repair = 把特征数写成 { $given }，或修改前面的层。
error-layer-norm-shape = 最后几个轴的大小不同
    .cause = 创建 LayerNorm 时指定的最后几个轴的大小是 ({ $wanted })，而输入的形状是 ({ $given })。
    .repair = 按输入最后一个轴的大小创建这个层。
error-dropout-out-of-range = p 是概率
    .cause = dropout 以概率 p 丢弃元素，这里 p 却是 { $value }。
    .repair = p 取 0 到 1 之间的数，例如 0.5。
error-recurrent-input-size = 特征数不同
    .cause = 该循环层要求输入的最后一个轴有 { $wanted } 个特征，这里是 { $given } 个。
    .repair = 用 input_size={ $given } 创建该层，或修改输入。
error-recurrent-input-rank = 输入需要两个或三个轴
    .cause = { $type } 读取 (步, 特征) 或 (步, 批量, 特征)，而输入有 { $given } 个轴。
    .repair = 改变输入的形状；unsqueeze(0) 可加一个轴。
error-recurrent-hidden-size = 隐状态的形状不对
    .cause = 该层需要形状为 ({ $wanted }) 的隐状态，传入的是 ({ $given })。
    .repair = 隐状态的形状要是（层数, 批量大小, hidden_size）；没有 batch_first 时，批量是输入的轴 1。
error-attention-heads = 特征不能平均分给各个头
    .cause = 每个头分到同样多的特征，因此 embed_dim 必须是 num_heads 的倍数：{ $code }。
    .repair = 选择能整除 embed_dim 的头数。
error-attention-features = 特征数不同
    .cause = 该注意力层是为 { $wanted } 个特征创建的，而输入的最后一个轴有 { $given } 个。
    .repair = 用 embed_dim={ $given } 创建，或修改输入。
error-group-norm-groups = 通道不能平均分组
    .cause = { $channels } 个通道不能平均分成 { $groups } 组。
    .repair = 选择能整除 { $channels } 的组数。
error-conv-groups = 通道不能平均分组
    .cause = { $code } 中的 { $side } 不是 groups 的倍数。
    .repair = 选择能同时整除 in_channels 和 out_channels 的 groups。
error-initialiser-of-a-vector = 这种初始化方法需要矩阵
    .cause = 取值范围要根据输入和输出的个数来计算，而 { $code } 中的张量不足两个轴。
    .repair = 只对权重使用；偏置用 nn.init.zeros_ 初始化。
error-sparse-adam-dense = SparseAdam 只接受稀疏梯度
    .cause = 执行 { $code } 时，有参数的梯度是稠密的。只有用 sparse=True 创建的嵌入层才有稀疏梯度。
    .repair = 用 nn.Embedding(…, sparse=True) 创建嵌入层，只把嵌入层的参数交给 SparseAdam，其他参数交给 Adam。
error-scheduler-without-initial-rate = 调度器缺少初始学习率
    .cause = 设置了 last_epoch 时，{ $code } 要接续先前的训练，而优化器的第 { $group } 组没有 initial_lr。
    .repair = 去掉 last_epoch，或先加载优化器的 state_dict：如果保存之前创建过调度器，其中就有 initial_lr。
error-state-dict-shape = 保存的参数形状不符
    .cause = 保存的 { $name } 形状为 { $given }，而这里的 { $type } 是 { $wanted }。{ $more ->
        [0] {""}
       *[other] 另有 { $more } 个参数形状不同：{ $others }。
    }
    .repair = 用保存时的大小创建模块。如果只需要其中一部分（例如除最后一层以外的部分），就把这一部分加载到对应的模块。
error-state-dict-missing = state_dict 缺少条目
    .cause = { $type } 还有 { $missing }，而 { $code } 的字典里没有。
    .repair = 按保存时的结构创建模块，或只加载到保存过的那一部分。
error-state-dict-extra = state_dict 有多余的条目
    .cause = { $code } 的字典里有 { $extra }，而 { $type } 没有这个参数。
    .repair = 按保存时的结构创建模块，或从字典中去掉不需要的条目。
error-state-dict-names = state_dict 的名称不同
    .cause = { $type } 需要 { $missing }，而字典里是 { $extra }：这个字典属于另一种结构的模块。
    .repair = 按保存时的结构建立模块，或修改键名。
error-state-dict-wanted = 需要字典
    .cause = load_state_dict 接收 state_dict() 返回的字典，而这里传入的是 { $type }。
    .repair = 传入 other.state_dict()。
error-optimizer-of-empty-list = 优化器没有可更新的参数
    .cause = { $code } 中的参数列表是空的。
    .repair = 传入 net.parameters()，或由要学习的张量组成的列表。
error-layers-in-a-list = 模块找不到 Python 列表或字典里的层
    .cause = 第 { $line } 行的 self.{ $name } 是普通{ $kind ->
        [ModuleDict] 字典
       *[ModuleList] 列表
    }；模块只能找到直接作为属性的层，因此 { $code } 没有收到任何参数。
    .repair = 写成 { $kind ->
        [ModuleDict] nn.ModuleDict({"{"}...{"}"})
       *[ModuleList] nn.ModuleList([...])
    }。
error-module-without-parameters = 模块没有参数
    .cause = { $name } 没有可学习的参数：各层都没有权重，或者放在了模块找不到的地方。
    .repair = 把层和 nn.Parameter 存为模块的属性。另外，parameters() 这样的生成器只能用一次，用过就空了。
error-optimizer-of-nothing = 优化器没有可更新的参数
    .cause = 传给 { $code } 的参数是空的；parameters() 这样的生成器只能用一次，用过就空了。
    .repair = 重新传入 net.parameters()，或使用列表。
error-optimizer-of-a-module = 要传入模块的参数，不是模块
    .cause = { $function } 接收的是参数，而 { $name } 是模块本身（{ $type }）。
    .repair = 写成 { $name }.parameters()。
error-parameters-not-called = 方法后面缺少括号
    .cause = { $name } 是方法本身，它的结果才是参数。
    .repair = 写成 { $name }()。
error-optimizer-of-a-tensor = 要传入列表，不是单个张量
    .cause = 优化器接收张量的列表，而 { $name } 是单个张量。
    .repair = 写成 [{ $name }]。
error-optimizer-of-non-leaf = 该张量是运算结果，不是叶子张量
    .cause = { $name }（第 { $where } 行）是运算结果，而 { $code } 只能更新叶子张量，即直接创建的张量。
    .repair = 传入计算它所用的叶子张量，或在这一行末尾加 .detach().requires_grad_()。
error-optimizer-of-state-dict = 要传入参数，不是名称
    .cause = 优化器需要张量本身，而 { $code } 传入的是名称，或（名称, 张量）对。
    .repair = 传入 parameters()。
error-optimizer-of-numbers = 传入的值不是张量
    .cause = 优化器更新的是张量，而 { $code } 中有一个值的类型是 { $type }。
    .repair = 先转换成张量：torch.tensor(..., requires_grad=True)。
error-optimizer-of-modules = 要传入模块的参数，不是模块
    .cause = 优化器更新的是张量，而 { $code } 传入了一个模块（{ $type }）。
    .repair = 传入{ $name ->
        [none] 每个模块的参数：.parameters()
       *[other] { $name }.parameters()
    }。
error-optimizer-of-generators = 列表里嵌套了参数列表
    .cause = 优化器更新的是张量，而 { $code } 的列表中，每一项本身又是一串参数。
    .repair = 在每个 .parameters() 前写 *，让列表直接包含张量。
error-optimizer-without-parameters = 没有把参数交给优化器
    .cause = { $class } 的第一个参数是要更新的参数，而 { $code } 没有传入。
    .repair = 把 net.parameters() 作为第一个参数传入。
error-optimizer-value-out-of-range = 设置超出范围
    .cause = { $code } 中的 { $name } 为 { $value }。
    .repair = 学习率、动量和权重衰减不能为负；betas 在 0 与 1 之间。
error-optimizer-setting-is-text = 设置是文本
    .cause = { $code } 中有一个设置是 str，而优化器要把它与数比较。
    .repair = 写数时不要加引号；从文件读入的设置用 float(…) 转换。YAML 会把 1e-3 读成文本，把 1.0e-3 读成数。
error-betas-of-two-kinds = betas 的类型不一致
    .cause = { $code } 的两个 beta 中，一个是浮点数，另一个不是。
    .repair = 两个都写成浮点数，例如把 0 写成 0.0。
error-list-of-lists = 要传入张量，不是列表
    .cause = { $code } 接收张量的列表，而列表中元素的类型是 { $type }。
    .repair = 先把每个元素转成张量：[torch.tensor(one) for one in …]。
error-lengths-not-sorted = 序列没有按长度排序
    .cause = { $code } 要求最长的序列在前，而这里的长度不是从大到小排列的。
    .repair = 传入 enforce_sorted=False：torch 会自动排序，再恢复原来的顺序。
error-scatter-of-two-kinds = { $method } 的两个数据类型不同
    .cause = 在 { $code } 中，要写入的张量与写入的值数据类型不同。
    .repair = 把值转换成张量的数据类型，例如用 .to(tensor.dtype)。
error-iterator-has-no-next = Python 3 用 next() 取下一批
    .cause = DataLoader 的迭代器不再有 next 方法：{ $code } 是 Python 2 的写法。
    .repair = 写成 next(…)，把迭代器放进括号里。
error-file-of-objects = 文件里不只有张量
    .cause = 从 2.6 版起，torch.load 只读取张量和普通的值。这个文件里还有 { $object }，而读取这样的对象可能执行文件中的任意代码。
    .repair = 保存 model.state_dict()，再加载到新建的模型中。如果文件可信，也可以传入 weights_only=False。
error-optimizer-has-no-backward = backward 属于损失
    .cause = { $type } 根据梯度更新参数，而梯度来自损失：{ $code }。
    .repair = 先调用 loss.backward()，再调用 step()。
error-parameter-in-two-groups = 参数出现在两个组里
    .cause = { $code } 中有张量出现在多个组里，一步就会更新两次。
    .repair = 只保留在一个组里。
error-scheduler-without-optimizer = 调度器需要优化器
    .cause = 传给 { $code } 的是 { $type }；调度器改变的是优化器的学习率。
    .repair = 把优化器作为第一个参数传入。
error-dataset-lengths = 张量的行数不同
    .cause = 数据集会取每个张量的第 i 行，而 { $code } 中各张量的行数不同。
    .repair = 比较特征和标签的 .shape[0]。
error-split-lengths = 各部分之和不等于总数
    .cause = { $code } 中各部分的长度之和不等于样本数。
    .repair = 最后一个长度用 len(data) - n 计算；或改为指定比例，让各比例之和为 1。
error-batch-size = 小批量至少有一个样本
    .cause = { $code } 中的 batch_size 为 { $value }。
    .repair = 请指定不小于 1 的整数。
error-dataset-is-empty = 数据集没有样本
    .cause = { $code } 的数据集长度为 0，打乱时没有样本可选。
    .repair = 检查创建数据集时用的数据。
error-batch-of-unknown-type = 样本不能组成小批量
    .cause = __getitem__ 返回了 { $type }，而小批量由张量、数、字符串或它们的列表组成：{ $code }。
    .repair = 返回张量或数，并检查是否写了 return。
error-loader-indexed = DataLoader 不能用索引
    .cause = DataLoader 只能依次返回小批量，而 { $code } 要按编号来取。
    .repair = 要取第一个小批量，写 next(iter(loader))；否则用 for 循环。
error-matrix-singular = 矩阵不可逆
    .cause = 消元时第 { $index } 个主元为 0：矩阵的各行线性相关，因此 { $code } 中的矩阵没有逆矩阵。
    .repair = 检查元素；或使用伪逆 torch.linalg.pinv，解方程组可用 lstsq。
error-matrix-singular-in-batch = 批量中有不可逆的矩阵
    .cause = 批量中第 { $index } 个矩阵（从 0 数起）的各行线性相关：{ $code }。
    .repair = 检查该矩阵，或使用 torch.linalg.pinv。
error-array-singular = 矩阵不可逆
    .cause = { $code } 中矩阵的各行线性相关。
    .repair = 检查元素，或使用 np.linalg.pinv。
error-system-singular = 方程组没有唯一解
    .cause = { $code } 中矩阵的各行线性相关：方程组无解，或有无穷多解。
    .repair = 用 torch.linalg.lstsq 或 pinv 求误差最小的解。
error-not-positive-definite = 矩阵不是正定的
    .cause = 只有所有特征值都大于 0 时才有 Cholesky 分解，而 { $code } 中的矩阵不满足这个条件。
    .repair = 检查矩阵是否对称，是否由 A.T @ A 算出；加上一个很小的数乘以 torch.eye(n)，可以抵消舍入误差。
error-matrix-not-square = 矩阵不是方阵
    .cause = { $function } 只对方阵有定义，而这个矩阵是 { $rows } × { $columns }。
    .repair = 检查形状；其他矩阵可用 torch.linalg.pinv 或 svd。
error-array-not-square = 矩阵不是方阵
    .cause = { $code } 只对方阵有定义。
    .repair = 检查形状；其他矩阵可用 np.linalg.pinv。
error-matrix-wanted = 需要矩阵
    .cause = { $function } 作用于矩阵，而 { $code } 中的张量不足两个轴。
    .repair = 传入有两个轴的张量；unsqueeze 可加一个轴。
error-matrix-not-finite = 矩阵中有 NaN 或 inf
    .cause = { $code } 的矩阵中有 NaN 或无穷，或算法没有收敛。
    .repair = 用 torch.isfinite(A).all() 查看它们来自哪里。
error-system-shapes = 矩阵与右端不匹配
    .cause = 在 A X = B 中两边的行数必须相同：A 是 { $first }，B 是 { $second }。
    .repair = 比较 A 和 B 的行数。
error-lstsq-shapes = 矩阵与右端不匹配
    .cause = lstsq 的右端在轴 -{ $axis } 上必须与矩阵行数相同：{ $code }。
    .repair = 比较行数；向量用 unsqueeze(-1) 变成一列。
error-cross-product-not-three = 叉积需要三个元素
    .cause = { $code } 中向量的长度不是 3。
    .repair = 使用有三个元素的向量。
error-no-length = 数据集没有长度
    .cause = DataLoader 需要数据集的样本数，而类 { $class } 没有定义 __len__。
    .repair = 写 def __len__(self): 返回样本数。
error-optimizer-of-an-operation = 该张量是运算结果，不是叶子张量
    .cause = { $made }（第 { $where } 行）是运算，结果是新张量，而 { $call } 只能更新叶子张量，即直接创建的张量。
    .repair = 传入叶子张量，用到时再计算 { $made }；或用 .detach().requires_grad_() 把结果变成新的叶子张量。
error-optimizer-of-a-list-of-results = 这些张量是运算结果，不是叶子张量
    .cause = { $name } 提供的是第 { $where } 行的 { $made } 算出的张量，而 { $call } 只能更新叶子张量，即直接创建的张量。
    .repair = 让 { $name } 提供叶子张量；或用 .detach().requires_grad_() 把这些值变成新的叶子张量。
error-optimizer-of-rows = 张量的各行不是叶子张量
    .cause = { $code } 遍历了 { $name } 本身，逐行取出；每一行都是运算的结果，不是叶子张量。
    .repair = 把张量放进列表：[{ $name }]。
error-optimizer-of-some-non-leaf = 有张量是运算结果，不是叶子张量
    .cause = 传给 { $code } 的张量中，有一个是运算结果；优化器只能更新叶子张量，即直接创建的张量。
    .repair = 逐个打印 is_leaf；传入计算它所用的叶子张量，或用 .detach().requires_grad_() 创建新的叶子张量。
error-optimizer-state-of-another = 保存的状态属于另一组参数
    .cause = { $code } 加载的优化器状态属于不同的参数组：每组的参数个数必须与保存时相同。
    .repair = 按保存时的层和参数组创建模型与优化器，再加载；或使用新的优化器。
error-scaler-without-a-scale = 还没有缩放过任何损失
    .cause = { $code } 需要缩放器在第一次缩放损失时生成的缩放因子，而在此之前没有缩放过任何损失。
    .repair = 从缩放后的损失开始反向传播：scaler.scale(loss).backward()。
error-scaler-without-gradients = 优化器没有梯度
    .cause = { $code } 要检查梯度中是否有无穷大的元素，而这个优化器的参数都没有梯度。
    .repair = 先调用 scaler.scale(loss).backward()，并把损失所依赖的参数交给优化器。
error-scaler-without-a-step = 缩放器还没有执行过 step
    .cause = { $code } 要根据 step() 或 unscale_() 检查过的梯度来调整缩放因子，而在此之前两者都没有执行。
    .repair = 先调用 scaler.step(optimizer)。
error-scaler-out-of-order = 缩放器的调用次序不对
    .cause = GradScaler 在两次 update() 之间只处理一次优化器的梯度：unscale_ 把梯度除以缩放因子；没有调用 unscale_ 时，由 step 来除。{ $code } { $when ->
        [after] 在 step 之后
       *[since] 是第二次
    }，中间没有调用 update()。
    .repair = 每一轮在 backward 之后：最多调用一次 scaler.unscale_(optimizer)，然后 scaler.step(optimizer)，最后 scaler.update()。
error-scaler-of-float16 = float16 的权重
    .cause = { $code } 要把 float16 的梯度除以缩放因子，小的梯度又会变成 0：缩放器适用于 float32 的权重。
    .repair = 让模型保持 float32（不用 half()），在 torch.autocast 下计算前向传播。
error-recurrent-batch = 隐状态的批量大小不同
    .cause = { $code } 中的隐状态是为 { $made } 个样本准备的，而这个小批量有 { $batch } 个。
    .repair = 按输入的大小创建，例如 batch_first=True 时用 x.size(0)；或者不传入隐状态，这时从零开始。
error-recurrent-state-of-another-batch = 隐状态的批量大小不同
    .cause = { $code } 中的隐状态是为 { $made } 个样本准备的，而这个小批量有 { $batch } 个：DataLoader 的最后一个小批量可能较小。
    .repair = 按输入的大小创建隐状态，例如 batch_first=True 时用 x.size(0)；或丢弃较小的小批量：DataLoader(..., drop_last=True)。
error-recurrent-gives-two = 循环层返回两个结果
    .cause = { $layer } 返回元组，包括各时间步的输出和最后的状态，{ $code } 却把它当作一个张量来用。
    .repair = 分开接收，如 out, state = { $layer }(x)，或用 [0]。
error-recurrent-gives-two-inside = 循环层返回两个结果
    .cause = { $layer } 返回元组，包括各时间步的输出和最后的状态；在 { $code } 中，传给下一层的是这个元组，不是一个张量。
    .repair = 逐层调用：先写 out, state = { $layer }(x)，再把 out 交给下一层。
error-batch-of-other-shapes = 小批量中样本的形状不同
    .cause = DataLoader 会把一个小批量中的样本堆叠起来；第 { $i } 个样本的形状为 { $first }，第 { $k } 个为 { $second }。
    .repair = 在数据集中统一形状；或在 DataLoader 的 collate_fn 中填充，例如用 torch.nn.utils.rnn.pad_sequence。
error-reduction-gives-two = 结果是一对：元素和位置
    .cause = { $made } 返回两个张量，即元素和元素的位置，{ $code } 却把这一对当作一个张量来用。
    .repair = 取元素用 { $name }.values，取位置用 { $name }.indices。
error-example-is-none = 有一个样本是 None
    .cause = DataLoader 把 { $class }.__getitem__ 返回的样本合成小批量，其中一个样本或样本的一部分是 None。
    .repair = 每个样本的每个部分都要有值；要去掉的样本在构造数据集时就去掉。
error-state-dict-prefix = 每个名称都多了前缀
    .cause = 字典中的每个名称都以 { $prefix } 开头，例如 { $first }，在模块中则叫作 { $second }。DataParallel 和 DistributedDataParallel 会在名称前加上 module.。
    .repair = 加载之前去掉每个名称的前缀。
error-state-dict-no-prefix = 每个名称都缺少前缀
    .cause = 模块中的每个名称都以 { $prefix } 开头，例如 { $first }，在字典中则叫作 { $second }。当时保存的模块只是这个模块的一部分，或者没有包装。
    .repair = 把字典加载到模块的对应部分，或在每个名称前加上 { $prefix }。
error-attention-mask-shape = 掩码与注意力不符
    .cause = attn_mask 的形状是 ({ $given })，而注意力要让每个查询与每个键配对，形状是 ({ $wanted })。
    .repair = 让掩码的每一行对应一个查询，每一列对应一个键：({ $wanted })。
error-plateau-without-a-value = ReduceLROnPlateau 需要损失
    .cause = ReduceLROnPlateau 在监控的值不再改善时降低学习率，而 { $code } 没有传入这个值。
    .repair = 传入要监控的值，通常是验证损失：step(val_loss)。
error-tuple-for-one-tensor = 这里需要一个张量，却是元组
    .cause = { $name } 是有 { $count } 项的元组：{ $parts }。{ $where ->
        [0] {""}
       *[other] 它来自第 { $where } 行的 { $made }。
    }{ $code } 却把它当作一个张量来用。
    .repair = 取出需要的一项，例如 { $name }[0]，或在创建元组时就拆开。
error-loss-is-a-tuple = 损失是一个元组
    .cause = { $name } 是由 { $count } 个标量组成的元组{ $where ->
        [0] {""}
       *[other] ，来自第 { $where } 行的 { $made }
    }，而只有张量才有 backward()。
    .repair = 对其中作为损失的那一项调用 backward()，例如 { $name }[0]，或对各项之和调用。
error-call-gives-several = 调用返回多个值
    .cause = { $call } 返回元组，{ $code } 却把它当作一个张量来用。
    .repair = 先拆开，例如 out, other = { $call }，或只取一项：{ $call }[0]。
error-pair-compared = 一对结果：元素与位置
    .cause = { $name } 是一对结果，即元素与元素的位置{ $where ->
        [0] {""}
       *[other] ，来自第 { $where } 行的 { $made }
    }。把这一对整体与张量比较，结果只会是 False。
    .repair = 取位置用 { $name }.indices，取元素用 { $name }.values。
error-nothing-returned = 函数没有返回值
    .cause = 第 { $where } 行的 { $function } 没有用 return 返回值，调用结果是 None，而 { $code } 用了这个结果。{ $last ->
        [none] {""}
       *[other] 它的最后一行是 { $last }。
    }
    .repair = 在 { $function } 的末尾返回结果。
error-script-attribute = { $type } 没有 { $name }
    .cause = torch.jit.script 要编译 { $at ->
        [none] forward
       *[other] { $at }
    }，而 { $type } 没有名为 { $name } 的方法或属性。
    .repair = { $right ->
        [none] 在类中定义 { $name }，或改用正确的名称。
       *[other] 写成 { $right }。
    }
error-script-method = TorchScript 不认识 { $name }
    .cause = torch.jit.script 要编译 { $at ->
        [none] 该函数
       *[other] { $at }
    }，而在 TorchScript 中 { $type } 没有方法 { $name }。
    .repair = 改用张量有的方法；如果这个方法只在 Python 中有，就在编译的函数之外计算。
error-script-undefined = TorchScript 找不到 { $name }
    .cause = torch.jit.script 单独编译该函数：{ $name } 既不是函数的参数，也不是 TorchScript 能用的值。
    .repair = 把 { $name } 作为参数传入，或作为模块的属性。
error-dict-for-one-tensor = 这里需要一个张量，却是字典
    .cause = { $name } 是字典，键为 { $parts }。{ $code } 却把它当作一个张量来用。
    .repair = 传入需要的一项，例如 { $name }["{ $key }"]。
error-batch-for-one-tensor = 这里需要一个张量，却是整个小批量
    .cause = 第 { $where } 行的循环让 { $name } 成为有 { $count } 项的列表：{ $parts }。{ $code } 却把它当作一个张量来用。
    .repair = 在循环中拆开，例如 for x, y in loader，或取出需要的一项：{ $name }[0]。
error-state-dict-as-module = state_dict 不是模块
    .cause = { $name } 来自第 { $where } 行的 { $made }，是保存参数的字典，而 { $method } 是模块的方法。
    .repair = 先创建模块，再加载字典：net.load_state_dict({ $name })。
error-next-without-iter = next() 需要迭代器
    .cause = { $code } 要取 { $type } 的下一项，但 { $type } 没有当前位置；iter() 返回的迭代器才有。
    .repair = 写成 { $right }。
error-name-given-to-result = 这个名字现在指向结果
    .cause = 第 { $where } 行把 { $made } 的结果赋给了 { $name }。此后 { $name } 是张量，所以 { $code } 无法调用。
    .repair = 给结果换一个名字。
error-lstm-state-alone = LSTM 需要两个状态
    .cause = { $layer } 是 LSTM，有两个状态：隐状态与记忆元。{ $code } 只传入了 { $state }。
    .repair = 两个都要传入，例如 { $layer }(x, (h, c))，c 与 h 的形状相同。
error-closure-missing = 这个优化器需要闭包
    .cause = { $function }() 每一步要多次计算损失，因此需要一个计算损失的函数。
    .repair = 定义一个闭包：清零梯度、计算损失、调用 backward() 并返回损失；再调用 step(closure)。
error-init-misspelt = __init__ 拼写有误
    .cause = 创建 { $class } 时 Python 只调用 __init__；第 { $line } 行写的是 { $written }，所以没有执行，self.{ $name } 也没有设置。
    .repair = 写成 __init__，前后各两个下划线；super() 后面也一样。
error-cycled-momentum = { $type } 还会改变动量
    .cause = { $type } 在调整学习率的同时也调整动量（Adam 的 beta1），而这个优化器没有动量。
    .repair = 传入 cycle_momentum=False，或者选用带动量的优化器。
error-scheduler-past-its-end = 调度已经结束
    .cause = 创建调度器时设定了 { $total } 步，第 { $line } 行的 { $code } 超出了这个数目。
    .repair = total_steps 应为 step() 的总调用次数。如果每个小批量调用一次，总数就是迭代周期数 × 小批量数。
error-clipped-nonfinite = 梯度的范数不是有限数
    .cause = 至少有一个梯度含有 NaN 或无穷大，乘以任何系数都不能使范数降到上限以下。
    .repair = 找出最先产生它的运算，修改该运算的输入。裁剪无法修复它。
error-batches-of-two-sizes = src 与 tgt 的批量大小不同
    .cause = { $code } 中每个源序列对应一个目标序列，但两者的数目不同。
    .repair = 让目标序列与源序列一样多。批量在轴 1 上；设置 batch_first=True 时在轴 0 上。
error-reduction-unknown = 未知的 reduction
    .cause = 这个损失没有名为 { $value } 的 reduction。
    .repair = 可选 "mean"、"sum" 或 "none"；KLDivLoss 还有 "batchmean"。
