# torch 与 NumPy 的警告：标题、发生了什么、怎么办。torch 的原文折叠在旁边。

warning-words = 警告原文
warning-grad-of-result = 中间结果的 .grad 是 None
    .cause = backward() 只把梯度存入叶子张量的 .grad。这个张量是运算的结果，梯度只是经过它传给输入。
    .repair = 在 backward() 之前对该张量调用 retain_grad()，或使用 torch.autograd.grad(loss, tensor)。
warning-scheduler-first = 学习率调度器先于优化器执行
    .cause = scheduler.step() 在第一次 optimizer.step() 之前就执行了，所以学习率调度比训练早了一步。
    .repair = 先调用 optimizer.step()，再调用 scheduler.step()。
warning-scheduler-epoch = scheduler.step() 会自动计数
    .cause = 传入了迭代周期（epoch）的编号，而调度器会自动计数。
    .repair = 每个迭代周期（epoch）调用一次 scheduler.step()，不带参数。
warning-rate-asked = get_lr() 供调度器内部使用
    .cause = get_lr() 是给 step() 用来计算下一个学习率的；从其他地方调用时，结果可能差一个倍数。
    .repair = 用 scheduler.get_last_lr() 获取当前的学习率。
warning-tensor-of-tensor = 用张量创建张量
    .cause = torch.tensor(x) 只复制 x 的元素，没有计算历史，所以梯度不会经过这个副本传回 x。
    .repair = 要不带计算历史的副本，写 x.detach().clone()；要让梯度通过，写 x.clone()。
warning-loss-broadcasts = 损失比较了所有元素的两两配对
    .cause = 预测的形状是 { $input }，目标的形状是 { $target }。两者经过广播，损失对许多不该配对的元素求了平均。损失照样会下降，但模型学到的是错的。
    .repair = 让两者形状相同，例如 target.reshape(prediction.shape)。
warning-hook-in-part = 这个钩子只能看到模块反向传播的一部分
    .cause = register_backward_hook 只能看到模块的最后一个节点，所以 grad_input 不是模块输入的梯度。
    .repair = 改用 register_full_backward_hook。
warning-hook-without-inputs = 钩子收不到输入的梯度
    .cause = 模块没有需要梯度的输入，因此 grad_input 是 None。
    .repair = 如果需要，请给输入设置 requires_grad=True。
warning-imaginary-dropped = 虚部丢失
    .cause = 复数写入了实数张量，只保留了实部。
    .repair = 取实部写 z.real，取模写 z.abs()。
warning-turned-around = .T 把所有轴的顺序倒过来
    .cause = .T 是矩阵的转置。张量的轴数不是 2 时，所有轴的顺序都会颠倒；以后会报错。
    .repair = 转置最后两个轴写 .mT，其他顺序写 permute(…)。
warning-deviation-of-one = 元素太少的标准差
    .cause = std 和 var 除以 n − correction（默认 1），这里的除数不大于 0，所以结果是 NaN 或无穷大。
    .repair = 用 correction=0（除以 n），或检查是沿哪个轴计算的。
warning-number-with-gradient = 变成了没有计算历史的数
    .cause = 一个需要梯度的张量变成了 Python 数值。这个数值不在计算图中，梯度无法经过它传回。
    .repair = 只想看值时写 x.item() 或 x.detach()；参与计算时保持为张量。
warning-dim-implied = { $call } 没有指定轴
    .cause = 没有 dim 时，torch 会根据轴数猜测，不一定是你想要的轴。
    .repair = 写明 dim：{ $call }(x, dim=-1) 表示最后一个轴。
warning-dropout-of-one-layer = 这个 dropout 不起作用
    .cause = 循环层只在各层之间丢弃，而这里只有一层。
    .repair = 用 num_layers=2 或更多层，或在后面加 nn.Dropout。
warning-reduction-renamed = size_average 和 reduce 是旧参数
    .cause = 这两个参数已合并成一个。
    .repair = 写 reduction="mean"、"sum" 或 "none"。
warning-kl-mean = 求出的不是你想要的均值
    .cause = kl_div 的 reduction="mean" 除以的是元素总数，而散度要沿最后一个轴求和。
    .repair = 用 reduction="batchmean"，它除以样本数。
warning-meshgrid-indexing = meshgrid 没有指定 indexing
    .cause = torch 把第一个参数放在轴 0（"ij"），NumPy 放在轴 1（"xy"）。
    .repair = 写 indexing="ij" 或 indexing="xy"。
warning-arrays-in-list = 数组的列表读取很慢
    .cause = torch 读取数组的列表时，要一个数一个数地读。
    .repair = 先合并成一个数组：torch.from_numpy(numpy.array(arrays))。
warning-gradient-with-graph = 梯度让计算图无法释放
    .cause = 使用 create_graph=True 时，.grad 中的梯度有计算图，图引用叶子张量，叶子张量又引用梯度，所以两者都不会释放。
    .repair = 用 torch.autograd.grad(loss, parameters, create_graph=True)，或之后把 .grad 设为 None。
warning-result-resized = out= 传入的张量形状不同
    .cause = torch 改变了张量的大小来存放结果；以后会报错。
    .repair = 去掉 out=，或传入与结果形状相同的张量。
warning-range-inclusive = torch.range 多一个元素
    .cause = 与 Python 的 range 不同，torch.range 包含终点。
    .repair = 用 torch.arange。
warning-cross-axis = cross 没有指定轴
    .cause = 没有 dim 时，torch 取第一个大小为 3 的轴，不一定是你想要的轴。
    .repair = 用 torch.linalg.cross（取最后一个轴），或写明 dim=。
warning-mask-of-bytes = 字节掩码
    .cause = 索引的数据类型是 uint8，会当作掩码，不会当作位置。
    .repair = 要作为掩码，写 mask.bool()；要作为位置，写 index.long()。
warning-parameter-twice = 同一个参数出现了两次
    .cause = 优化器收到的参数列表里有重复。
    .repair = 每个参数只列一次。
warning-checkpoint-of-data = 检查点不传递梯度
    .cause = 检查点部分没有需要梯度的输入，因此其中的张量都没有梯度。
    .repair = 给输入设置 requires_grad=True，或用 use_reentrant=False。
warning-renamed = { $old } 有了新名字
    .cause = 现在的名称是 { $new }，作用相同；末尾的下划线表示原地写入。
    .repair = 请改写成 { $new }。
warning-divided-by-zero = 除以零
    .cause = NumPy 和 torch 一样，用无穷大继续计算，但会发出警告。
    .repair = 查找等于 0 的除数，或 0 的对数。
warning-no-number = 结果不是数
    .cause = 0 / 0 或负数的平方根这样的运算没有结果，所以 NumPy 用 NaN 继续计算。
    .repair = 检查它的输入，看第一个 NaN 从哪里开始。
