# torch.nn、torch.optim、torch.utils.data 和 torch.linalg 的错误说明。

error-super-init-missing = 缺少 super().__init__()
    .cause = 第 { $line } 行的 { $code } 要登记层或参数，但 nn.Module 还没有创建用来登记它们的容器。
    .repair = 把 super().__init__() 写成 __init__ 的第一行。
error-super-init-late = super().__init__() 写得太晚
    .cause = 第 { $line } 行的 { $code } 先于 super().__init__() 运行，而存放层的列表由后者建立。
    .repair = 把 super().__init__() 移到 __init__ 的第一行。
error-super-init-never = 缺少 super().__init__()
    .cause = { $class }（第 { $line } 行）的 __init__ 从未调用 nn.Module 的 __init__，对象缺少模块必需的内容。
    .repair = 把 super().__init__() 写成 __init__ 的第一行。
error-forward-misspelt = forward 的拼写不同
    .cause = 调用模块会运行它的 forward 方法，而 { $class } 在第 { $line } 行写的是 { $name }。
    .repair = 把方法名改为 forward。
error-forward-missing = 模块没有 forward
    .cause = 调用模块会运行它的 forward 方法，而类 { $class }（第 { $line } 行）没有：{ $code }。
    .repair = 在类中写 def forward(self, x)，与 __init__ 从同一列开始。
error-container-called = 该容器只存放模块
    .cause = { $type } 只存放模块，并不规定它们的顺序：{ $code }。
    .repair = 用循环 x = layer(x) 逐个调用，或改用 nn.Sequential。
error-forward-arguments-missing = 模块还需要一个输入
    .cause = { $class } 的 forward 需要 { $missing }，而 { $code } 没有传入。
    .repair = 在调用模块时传入。
error-constructor-arguments-missing = 缺少构造参数
    .cause = { $class } 需要 { $missing }，而 { $code } 没有给出。
    .repair = 在调用中加上 { $missing }。
error-sequential-of-a-list = Sequential 接收的是层而不是 { $type }
    .cause = nn.Sequential 把各层作为单独的参数接收，而 { $code } 只给了一个 { $type }。
    .repair = 去掉方括号，或在前面写 *。
error-layer-without-brackets = 用了类而不是层
    .cause = { $name } 是类；调用它才会创建层。
    .repair = 写成带括号的 { $name }()。
error-function-in-sequential = 用了函数而不是层
    .cause = { $name } 是函数，而模块的容器只能存放模块：{ $code }。
    .repair = 使用对应的模块，例如 nn.ReLU()，或在 forward 中调用函数。
error-loss-class-given-tensors = 先创建损失，再调用
    .cause = { $name }(...) 用来创建损失函数；{ $code } 中的张量被当成了它的设置。
    .repair = 写成 { $name }()(prediction, target)。
error-loss-class-without-brackets = 还没有创建损失函数
    .cause = 第 { $line } 行只是给类 { $name } 起了名字；{ $code } 是在创建损失函数，而不是计算损失。
    .repair = 在第 { $line } 行写 { $name }()。
error-layer-is-no-tensor = 用了层而不是它的结果
    .cause = nn.{ $name }(...) 只是创建层；张量要写在第二对括号里，而 { $code } 没有。
    .repair = 写成 nn.{ $name }()(x)。
error-layer-indexed = 单个层不能用索引
    .cause = { $name } 是 { $type }，只是一个层；只有 nn.Sequential 之类的容器才能用索引取。
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
error-batch-norm-of-one-row = 一行数据没有方差
    .cause = 训练模式下，批量规范化需要每个通道多个值的均值和方差，而 { $code } 的输入形状是 { $shape }。
    .repair = 使用更大的小批量，或在预测时调用 .eval()；DataLoader 可写 drop_last=True 去掉不足的小批量。
error-batch-norm-rank = 输入的轴数不同
    .cause = { $code } 中的层需要 { $wanted } 的输入，而这里是 { $given }。
    .repair = BatchNorm1d 接收（样本、特征）或（样本、通道、长度），BatchNorm2d 接收（样本、通道、高、宽）。
error-image-without-a-batch = 缺少样本轴
    .cause = { $code } 中的层接收成批的图像（样本、通道、高、宽），而该输入是 { $given }。
    .repair = 用 unsqueeze(0) 把单张图像变成只有一个样本的小批量。
error-parameters-without-part = 有些参数没有参与损失
    .cause = DistributedDataParallel 会等待每个参数的梯度。在 { $code } 的上一轮中，从损失到其中一些参数没有路径。
    .repair = 让它们的结果参与损失，或去掉它们；如果每轮不同，用 find_unused_parameters=True。
error-sequential-of-several = Sequential 只传递一个值
    .cause = nn.Sequential 把输入交给第一层，再把每层的结果交给下一层，所以只接收一个值；{ $code } 给了 { $given } 个。
    .repair = 先把它们合在一起（例如 torch.cat），或编写 forward 能接收它们的 Module。
error-class-without-brackets = 用了类而不是对象
    .cause = { $name } 就是类 { $class } 本身（第 { $where } 行），所以 { $code } 没有带参数的对象。
    .repair = 在那里创建对象：{ $class }()。
error-step-given-a-loss = step() 不接收损失
    .cause = { $base } 不接收损失：给它的东西会被当作计算损失的函数来调用。梯度来自 backward()。
    .repair = 写成 { $base }()。
error-layer-given-its-input = 层由大小创建
    .cause = { $layer }(...) 创建一个层，参数是特征数；{ $tensor } 是应当传给该层的张量。
    .repair = 给出大小，再用 { $tensor } 调用该层：{ $layer }({ $tensor }.shape[-1], ...)({ $tensor })。
error-batch-norm-features = 特征数不同
    .cause = 该层是为 { $wanted } 个特征创建的，而输入有 { $given } 个。
    .repair = 把特征数写成 { $given }，或修改前面的层。
error-layer-norm-shape = 最后的轴长度不同
    .cause = LayerNorm 是为末尾长度 ({ $wanted }) 创建的，而输入形状是 ({ $given })。
    .repair = 按输入最后一轴的长度创建该层。
error-dropout-out-of-range = p 是概率
    .cause = dropout 以概率 p 丢弃元素，而这里 p 是 { $value }。
    .repair = p 取 0 到 1 之间的数，例如 0.5。
error-recurrent-input-size = 特征数不同
    .cause = 该循环层要求输入的最后一个轴有 { $wanted } 个特征，这里是 { $given } 个。
    .repair = 用 input_size={ $given } 创建该层，或修改输入。
error-recurrent-input-rank = 输入需要两个或三个轴
    .cause = { $type } 读取 (步, 特征) 或 (步, 批量, 特征)，而输入有 { $given } 个轴。
    .repair = 改变输入的形状；unsqueeze(0) 可加一个轴。
error-recurrent-hidden-size = 隐状态的形状不同
    .cause = 该层需要形状为 ({ $wanted }) 的隐状态，得到的是 ({ $given })。
    .repair = 形状写成 (层数, 批量, hidden_size)；没有 batch_first 时，批量是输入的轴 1。
error-attention-heads = 特征不能平均分给各个头
    .cause = 每个头分得同样多的特征，因此 embed_dim 必须是 num_heads 的倍数：{ $code }。
    .repair = 选择能整除 embed_dim 的头数。
error-attention-features = 特征数不同
    .cause = 该注意力层是为 { $wanted } 个特征创建的，而输入最后一轴有 { $given } 个。
    .repair = 用 embed_dim={ $given } 创建，或修改输入。
error-group-norm-groups = 通道不能平均分组
    .cause = { $channels } 个通道不能平均分成 { $groups } 组。
    .repair = 选择能整除 { $channels } 的组数。
error-conv-groups = 通道不能平均分组
    .cause = { $code } 中的 { $side } 不是 groups 的倍数。
    .repair = 选择能同时整除 in_channels 和 out_channels 的 groups。
error-initialiser-of-a-vector = 该初始化方法需要矩阵
    .cause = 它根据输入和输出的个数计算范围，而 { $code } 中的张量不足两个轴。
    .repair = 只对权重使用；偏置用 nn.init.zeros_ 初始化。
error-sparse-adam-dense = SparseAdam 只接受稀疏梯度
    .cause = 执行 { $code } 时，有参数的梯度是稠密的。只有用 sparse=True 创建的嵌入层才得到稀疏梯度。
    .repair = 用 nn.Embedding(…, sparse=True) 创建嵌入层，只把它们交给 SparseAdam，其余参数交给 Adam。
error-scheduler-without-initial-rate = 调度器不知道初始学习率
    .cause = 设置了 last_epoch 时，{ $code } 要接续先前的训练，而优化器的第 { $group } 组没有 initial_lr。
    .repair = 去掉 last_epoch，或先加载优化器的 state_dict：若保存之前创建过调度器，其中就有 initial_lr。
error-state-dict-shape = 保存的参数形状不同
    .cause = 保存的 { $name } 形状为 { $given }，而这里的 { $type } 是 { $wanted }。{ $more ->
        [0] {""}
       *[other] 另有 { $more } 个参数形状不同：{ $others }。
    }
    .repair = 用保存时的大小创建模块。若只要其中一部分（例如最后一层以外的部分），把该部分加载到对应的模块。
error-state-dict-missing = state_dict 缺少条目
    .cause = { $type } 还有 { $missing }，而 { $code } 的字典里没有。
    .repair = 按保存时的结构创建模块，或只加载到保存过的那一部分。
error-state-dict-extra = state_dict 有多余的条目
    .cause = { $code } 的字典里有 { $extra }，而 { $type } 没有这个参数。
    .repair = 按保存时的结构创建模块，或从字典中去掉不需要的条目。
error-state-dict-names = state_dict 的名称不同
    .cause = { $type } 需要 { $missing }，而字典里是 { $extra }：它属于另一种结构的模块。
    .repair = 按保存时的结构建立模块，或修改键名。
error-state-dict-wanted = 需要字典
    .cause = load_state_dict 接收 state_dict() 返回的字典，而这里给的是 { $type }。
    .repair = 传入 other.state_dict()。
error-optimizer-of-empty-list = 优化器没有可更新的参数
    .cause = { $code } 中的参数列表是空的。
    .repair = 传入 net.parameters()，或由要学习的张量组成的列表。
error-layers-in-a-list = Python 列表或字典里的层不会被找到
    .cause = 第 { $line } 行的 self.{ $name } 是普通{ $kind ->
        [ModuleDict] 字典
       *[ModuleList] 列表
    }；模块只能找到直接作为属性的层，因此 { $code } 没有得到任何参数。
    .repair = 写成 { $kind ->
        [ModuleDict] nn.ModuleDict({"{"}...{"}"})
       *[ModuleList] nn.ModuleList([...])
    }。
error-module-without-parameters = 模块没有参数
    .cause = { $name } 没有可学习的内容：它的层都没有权重，或存放在模块找不到的地方。
    .repair = 把层和 nn.Parameter 存为模块的属性。另外 parameters() 生成器用过一次后也会变空。
error-optimizer-of-nothing = 优化器没有可更新的参数
    .cause = { $code } 得到的参数是空的；parameters() 生成器用过一次后就空了。
    .repair = 重新传入 net.parameters()，或使用列表。
error-optimizer-of-a-module = 给了模块而不是它的参数
    .cause = { $function } 接收的是参数，而 { $name } 是模块本身（{ $type }）。
    .repair = 写成 { $name }.parameters()。
error-parameters-not-called = 方法后面缺少括号
    .cause = { $name } 是方法本身，它的结果才是参数。
    .repair = 写成 { $name }()。
error-optimizer-of-a-tensor = 给了单个张量而不是列表
    .cause = 优化器接收张量的列表，而 { $name } 是单个张量。
    .repair = 写成 [{ $name }]。
error-optimizer-of-non-leaf = 该张量是运算结果，不是叶子张量
    .cause = { $name }（第 { $where } 行）由运算得到，而 { $code } 只能更新直接创建的叶子张量。
    .repair = 传入计算它所用的叶子张量，或在该行末尾加 .detach().requires_grad_()。
error-optimizer-of-state-dict = 给了名称而不是参数
    .cause = 优化器需要张量本身，而 { $code } 传入的是名称，或（名称, 张量）对。
    .repair = 传入 parameters()。
error-optimizer-of-numbers = 给的值不是张量
    .cause = 优化器更新的是张量，而 { $code } 中有一个值的类型是 { $type }。
    .repair = 变成张量：torch.tensor(..., requires_grad=True)。
error-optimizer-of-modules = 给了模块而不是它的参数
    .cause = 优化器更新的是张量，而 { $code } 交给它一个模块（{ $type }）。
    .repair = 传入{ $name ->
        [none] 每个模块的参数：.parameters()
       *[other] { $name }.parameters()
    }。
error-optimizer-of-generators = 列表里套着参数列表
    .cause = 优化器更新的是张量，而 { $code } 的列表中每一项本身是一串参数。
    .repair = 在每个 .parameters() 前写 *，使列表直接含有张量。
error-optimizer-without-parameters = 没有给优化器参数
    .cause = { $class } 首先需要参数，而 { $code } 没有给出。
    .repair = 把 net.parameters() 作为第一个参数传入。
error-optimizer-value-out-of-range = 设置超出范围
    .cause = { $code } 中的 { $name } 为 { $value }。
    .repair = 学习率、动量和权重衰减不能为负；betas 在 0 与 1 之间。
error-optimizer-setting-is-text = 设置是文本
    .cause = { $code } 中有一个设置是 str，而优化器要拿它与数字比较。
    .repair = 写数字时去掉引号；从文件读来的设置用 float(…) 转换。YAML 把 1e-3 读作文本，把 1.0e-3 读作数字。
error-betas-of-two-kinds = betas 的类型不一致
    .cause = { $code } 的两个 beta 中，一个是浮点数，另一个不是。
    .repair = 两个都写成浮点数，例如把 0 写成 0.0。
error-list-of-lists = 给了列表而不是张量
    .cause = { $code } 接收张量的列表，而其中元素的类型是 { $type }。
    .repair = 先把每个元素转成张量：[torch.tensor(one) for one in …]。
error-lengths-not-sorted = 序列没有按长度排序
    .cause = { $code } 要求最长的序列在前，而这些长度是别的顺序。
    .repair = 传入 enforce_sorted=False：torch 会自己排序，再恢复原来的顺序。
error-scatter-of-two-kinds = { $method } 的两个 dtype 不同
    .cause = { $code } 中被写入的张量与写入的值 dtype 不同。
    .repair = 把值转换为该张量的 dtype，例如用 .to(tensor.dtype)。
error-iterator-has-no-next = Python 3 用 next() 取下一批
    .cause = DataLoader 的迭代器不再有 next 方法：{ $code } 是 Python 2 的写法。
    .repair = 写成 next(…)，把迭代器放进括号里。
error-file-of-objects = 文件里不只有张量
    .cause = 从 2.6 版起，torch.load 只读张量和普通的值。这个文件里还有 { $object }，而读取这样的对象会运行文件里的任意代码。
    .repair = 保存 model.state_dict()，再载入一个新建的模型。文件可信时，传入 weights_only=False。
error-optimizer-has-no-backward = backward 属于损失
    .cause = { $type } 根据梯度更新参数，而梯度来自损失：{ $code }。
    .repair = 先调用 loss.backward()，再调用 step()。
error-parameter-in-two-groups = 参数出现在两个组里
    .cause = { $code } 中有张量出现在多个组里，一步会更新两次。
    .repair = 只保留在一个组里。
error-scheduler-without-optimizer = 调度器需要优化器
    .cause = 传给 { $code } 的是 { $type }；调度器改变的是优化器的学习率。
    .repair = 把优化器作为第一个参数传入。
error-dataset-lengths = 张量的行数不同
    .cause = 数据集会取每个张量的第 i 行，而 { $code } 中各张量的行数不同。
    .repair = 比较特征和标签的 .shape[0]。
error-split-lengths = 各部分之和不等于总数
    .cause = { $code } 中的长度相加不等于样本数。
    .repair = 最后一个用 len(data) - n 计算；或给出和为 1 的比例。
error-batch-size = 小批量至少有一个样本
    .cause = { $code } 中的 batch_size 为 { $value }。
    .repair = 给出不小于 1 的整数。
error-dataset-is-empty = 数据集没有样本
    .cause = { $code } 的数据集长度为 0，打乱时没有样本可选。
    .repair = 检查数据集是由什么建立的。
error-batch-of-unknown-type = 样本不能组成小批量
    .cause = __getitem__ 返回了 { $type }，而小批量由张量、数、字符串或它们的列表组成：{ $code }。
    .repair = 返回张量或数，并检查是否写了 return。
error-loader-indexed = DataLoader 不能用索引
    .cause = DataLoader 依次给出小批量，而 { $code } 按编号去取。
    .repair = 第一个小批量写 next(iter(loader))，或用 for 循环。
error-matrix-singular = 矩阵不可逆
    .cause = 消元时第 { $index } 个主元为 0：矩阵的各行线性相关，因此 { $code } 没有逆。
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
    .cause = 只有所有特征值都大于 0 时才有 Cholesky 分解，而 { $code } 中的矩阵不满足。
    .repair = 检查它是否对称、是否由 A.T @ A 得到；加上很小倍数的 torch.eye(n) 可抵消舍入误差。
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
    .cause = { $code } 遇到了 NaN 或无穷的元素，或算法没有收敛。
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
    .cause = DataLoader 要知道数据集有多少样本，而类 { $class } 没有定义 __len__。
    .repair = 写 def __len__(self): 返回样本数。
error-optimizer-of-an-operation = 该张量是运算结果，不是叶子张量
    .cause = { $made }（第 { $where } 行）通过运算得到新张量，而 { $call } 只能更新直接创建的叶子张量。
    .repair = 传入叶子张量，在使用处再计算 { $made }；或用 .detach().requires_grad_() 由它的值创建新的叶子张量。
error-optimizer-of-a-list-of-results = 这些张量是运算结果，不是叶子张量
    .cause = { $name } 提供的是第 { $where } 行的 { $made } 算出的张量，而 { $call } 只能更新直接创建的叶子张量。
    .repair = 让 { $name } 提供叶子张量；或用 .detach().requires_grad_() 由这些值创建新的叶子张量。
error-optimizer-of-rows = 张量的各行不是叶子张量
    .cause = { $code } 遍历了 { $name } 本身，逐行取出；每一行都是运算的结果，不是叶子张量。
    .repair = 把张量放进列表：[{ $name }]。
error-optimizer-of-some-non-leaf = 有张量是运算结果，不是叶子张量
    .cause = { $code } 得到的张量中有一个由运算得到；优化器只能更新直接创建的叶子张量。
    .repair = 逐个打印 is_leaf；传入计算它所用的叶子张量，或用 .detach().requires_grad_() 创建新的叶子张量。
error-optimizer-state-of-another = 保存的状态属于另一组参数
    .cause = { $code } 载入的优化器状态有不同的参数组：每组的参数个数必须与保存时相同。
    .repair = 按保存时的层和参数组建立模型与优化器，再载入；或使用新的优化器。
error-scaler-without-a-scale = 还没有缩放过任何损失
    .cause = { $code } 需要缩放器在第一次缩放损失时生成的因子。在它之前没有缩放过任何损失。
    .repair = 从缩放后的损失开始反向传播：scaler.scale(loss).backward()。
error-scaler-without-gradients = 优化器没有梯度
    .cause = { $code } 检查梯度中是否有无穷大的元素，而这个优化器的参数都没有梯度。
    .repair = 先调用 scaler.scale(loss).backward()，并把损失所依赖的参数交给优化器。
error-scaler-without-a-step = 缩放器还没有可参考的一步
    .cause = { $code } 根据 step 或 unscale_ 检查过的梯度来调整因子，而在它之前两者都没有运行。
    .repair = 先调用 scaler.step(optimizer)。
error-scaler-out-of-order = 缩放器的调用次序不对
    .cause = GradScaler 在两次 update() 之间只处理一次优化器的梯度：unscale_ 把它们除以因子；没有调用 unscale_ 时由 step 来除。{ $code } { $when ->
        [after] 在 step 之后
       *[since] 是第二次
    }，其间没有 update()。
    .repair = 每一轮在 backward 之后：最多调用一次 scaler.unscale_(optimizer)，然后 scaler.step(optimizer)，最后 scaler.update()。
error-scaler-of-float16 = float16 的权重
    .cause = { $code } 要把 float16 的梯度除以因子，小的梯度会重新变成 0：缩放器是为 float32 的权重而设的。
    .repair = 让模型保持 float32（不用 half()），在 torch.autocast 下计算前向。
error-recurrent-batch = 隐状态的批量大小不同
    .cause = { $code } 中的隐状态是为 { $made } 个样本准备的，而这个批量有 { $batch } 个。
    .repair = 按输入的大小创建，例如 batch_first=True 时用 x.size(0)；或不传，此时从零开始。
error-recurrent-state-of-another-batch = 隐状态的批量大小不同
    .cause = { $code } 中的隐状态是为 { $made } 个样本准备的，而这个批量有 { $batch } 个：DataLoader 的最后一个批量可能较小。
    .repair = 按输入的大小创建隐状态，例如 batch_first=True 时用 x.size(0)；或丢弃较小的批量：DataLoader(..., drop_last=True)。
error-recurrent-gives-two = 循环层给出两个结果
    .cause = { $layer } 给出一个元组：各时间步的输出和最后的状态；{ $code } 把它当作一个张量使用。
    .repair = 分开接收，如 out, state = { $layer }(x)，或用 [0]。
error-recurrent-gives-two-inside = 循环层返回两个结果
    .cause = { $layer } 给出一个元组：各时间步的输出和最后的状态；{ $code } 中的下一层得到的是这个元组，而不是一个张量。
    .repair = 逐层调用：先写 out, state = { $layer }(x)，再把 out 交给下一层。
error-batch-of-other-shapes = 批量中样本的形状不同
    .cause = DataLoader 会把一个批量中的样本叠在一起；第 { $i } 个样本的形状为 { $first }，第 { $k } 个为 { $second }。
    .repair = 在数据集中统一形状；或在 DataLoader 的 collate_fn 中填充，例如用 torch.nn.utils.rnn.pad_sequence。
error-reduction-gives-two = 结果是一对：元素和位置
    .cause = { $made } 给出两个张量：元素和它们的位置；{ $code } 把这一对当作一个张量使用。
    .repair = 元素写 { $name }.values，位置写 { $name }.indices。
error-example-is-none = 有一个样本是 None
    .cause = DataLoader 把 { $class }.__getitem__ 返回的样本合成小批量，其中一个样本或样本的一部分是 None。
    .repair = 每个样本的每个部分都要有值；要去掉的样本在构造数据集时就去掉。
error-state-dict-prefix = 每个名字都多了前缀
    .cause = 字典中的每个名字都以 { $prefix } 开头，如 { $first }；模块把它叫作 { $second }。DataParallel 和 DistributedDataParallel 会在名字前加 module.。
    .repair = 加载之前去掉每个名字的前缀。
error-state-dict-no-prefix = 每个名字都缺少前缀
    .cause = 模块的每个名字都以 { $prefix } 开头，如 { $first }；字典把它叫作 { $second }。保存的模块是这个模块的一部分，或没有包装。
    .repair = 把它加载到那一部分，或在每个名字前加上 { $prefix }。
error-attention-mask-shape = 掩码与注意力不符
    .cause = attn_mask 的形状是 ({ $given })，而注意力把查询与键放在形状为 ({ $wanted }) 的表中比较。
    .repair = 让掩码每个查询一行、每个键一列：({ $wanted })。
error-plateau-without-a-value = ReduceLROnPlateau 需要损失
    .cause = ReduceLROnPlateau 在某个测得的值不再变好时降低学习率，而 { $code } 没有给它这个值。
    .repair = 把这个值给它，通常是验证损失：step(val_loss)。
error-tuple-for-one-tensor = 应有一个张量处是元组
    .cause = { $name } 是含 { $count } 项的元组：{ $parts }。{ $where ->
        [0] {""}
       *[other] 它来自第 { $where } 行的 { $made }。
    }{ $code } 把它当作一个张量使用。
    .repair = 取所需的一项，如 { $name }[0]，或在得到元组处把它拆开。
error-loss-is-a-tuple = 损失是一个元组
    .cause = { $name } 是由 { $count } 个标量组成的元组{ $where ->
        [0] {""}
       *[other] ，来自第 { $where } 行的 { $made }
    }；backward() 属于张量。
    .repair = 对其中作为损失的那一项调用 backward()，如 { $name }[0]，或对它们的和调用。
error-call-gives-several = 调用返回多个值
    .cause = { $call } 返回一个元组，{ $code } 把它当作一个张量使用。
    .repair = 先拆开，如 out, other = { $call }，或只取一项：{ $call }[0]。
error-pair-compared = 一对结果：元素与位置
    .cause = { $name } 是一对结果，即元素与它们的位置{ $where ->
        [0] {""}
       *[other] ，来自第 { $where } 行的 { $made }
    }。整体与张量比较只会得到 False。
    .repair = 位置写 { $name }.indices，元素写 { $name }.values。
error-nothing-returned = 函数没有返回值
    .cause = 第 { $where } 行的 { $function } 没有用 return 返回值，调用它得到 None，而 { $code } 用了这个结果。{ $last ->
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
        [none] 在类中定义 { $name }，或改为调用正确的名字。
       *[other] 写成 { $right }。
    }
error-script-method = TorchScript 不认识 { $name }
    .cause = torch.jit.script 要编译 { $at ->
        [none] 该函数
       *[other] { $at }
    }，而在 TorchScript 中 { $type } 没有方法 { $name }。
    .repair = 用张量已有的方法；若它只在 Python 中存在，在被编译的函数之外计算。
error-script-undefined = TorchScript 找不到 { $name }
    .cause = torch.jit.script 单独编译该函数：{ $name } 既不是它的参数，也不是 TorchScript 能用的值。
    .repair = 把 { $name } 作为参数传入，或作为模块的属性。
error-dict-for-one-tensor = 应有一个张量处是字典
    .cause = { $name } 是字典，键为 { $parts }。{ $code } 把它当作一个张量使用。
    .repair = 传入所需的一项，如 { $name }["{ $key }"]。
error-batch-for-one-tensor = 应有一个张量处是整个批量
    .cause = 第 { $where } 行的循环让 { $name } 成为含 { $count } 项的列表：{ $parts }。{ $code } 把它当作一个张量使用。
    .repair = 在循环中拆开，如 for x, y in loader，或取所需的一项：{ $name }[0]。
error-state-dict-as-module = state_dict 不是模块
    .cause = { $name } 来自第 { $where } 行的 { $made }：它是保存参数的字典，而 { $method } 属于模块。
    .repair = 先创建模块，再把字典交给它：net.load_state_dict({ $name })。
error-next-without-iter = next() 需要迭代器
    .cause = { $code } 向 { $type } 要下一项，但它没有当前位置；iter() 给出有位置的迭代器。
    .repair = 写成 { $right }。
error-name-given-to-result = 名字现在指的是结果
    .cause = 第 { $where } 行的 { $made } 把名字 { $name } 给了自己的结果。此后 { $name } 是张量，{ $code } 无法调用它。
    .repair = 给结果另取一个名字。
error-lstm-state-alone = LSTM 需要两个状态
    .cause = { $layer } 是 LSTM，它的状态是一对：隐状态与记忆元。{ $code } 只给了 { $state }。
    .repair = 两个都给，如 { $layer }(x, (h, c))，c 与 h 形状相同。
error-closure-missing = 该优化器需要闭包
    .cause = { $function }() 在一步中要多次计算损失，因此需要一个计算损失的函数。
    .repair = 定义一个闭包：清零梯度、计算损失、调用 backward() 并返回损失；再调用 step(closure)。
error-init-misspelt = __init__ 拼写有误
    .cause = 创建 { $class } 时 Python 只调用 __init__；第 { $line } 行写的是 { $written }，所以它没有运行，self.{ $name } 也没有设置。
    .repair = 写成 __init__，前后各两个下划线；super() 后面也一样。
