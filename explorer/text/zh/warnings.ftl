# torch 与 NumPy 的警告：标题、发生了什么、怎么办。torch 的原文折叠在旁边。

warning-words = 警告原文
warning-grad-of-result = 中间结果的 .grad 是 None
    .cause = backward() 只把梯度存进叶子的 .grad。这个张量是运算的结果：梯度只是经过它传给输入。图中仍会显示这个梯度。
    .repair = 在 backward() 之前对该张量调用 retain_grad()，或直接求：torch.autograd.grad(loss, tensor)。
warning-scheduler-first = 学习率调度器先于优化器执行
    .cause = scheduler.step() 在第一次 optimizer.step() 之前就执行了：从一开始，学习率调度就比训练快一步。
    .repair = 先调用 optimizer.step()，再调用 scheduler.step()。
warning-scheduler-epoch = scheduler.step() 自己会计数
    .cause = 传入了轮数，而调度器本来就会自己数。
    .repair = 每轮调用一次不带参数的 scheduler.step()。
warning-rate-asked = get_lr() 供调度器内部使用
    .cause = get_lr() 是给 step() 用来计算下一个学习率的；从外部调用时结果可能差一个因子。
    .repair = 用 scheduler.get_last_lr() 取得当前的学习率。
warning-tensor-of-tensor = 用张量创建张量
    .cause = torch.tensor(x) 复制 x 的元素，但不记得它们的来历：梯度不会经这个副本传回 x。
    .repair = 不要历史时写 x.detach().clone()，要让梯度通过时写 x.clone()。
warning-loss-broadcasts = 损失把不相干的元素互相比较
    .cause = 预测的形状是 { $input }，目标的形状是 { $target }。两者会被广播，损失成了许多不该配对的元素的均值。它照样会下降，却得到错误的模型。
    .repair = 让两者形状相同，例如 target.reshape(prediction.shape)。
warning-hook-in-part = 这个钩子只看到模块反向的一部分
    .cause = register_backward_hook 只看到模块的最后一个节点，所以 grad_input 不是模块输入的梯度。
    .repair = 改用 register_full_backward_hook。
warning-hook-without-inputs = 钩子得不到输入的梯度
    .cause = 模块没有需要梯度的输入，因此 grad_input 是 None。
    .repair = 需要时给输入设置 requires_grad=True。
warning-imaginary-dropped = 虚部丢失
    .cause = 复数被写进实数张量：只剩实部。
    .repair = 写明意图：z.real，或用 z.abs() 取模。
warning-turned-around = .T 把所有轴的顺序倒过来
    .cause = .T 是矩阵的转置。对轴数不是 2 的张量，它会颠倒所有轴；以后会报错。
    .repair = 转置最后两轴写 .mT，其他顺序写 permute(…)。
warning-deviation-of-one = 元素太少的标准差
    .cause = std 和 var 除以 n − correction（默认 1），这里它不大于 0：结果是 NaN 或无穷大。
    .repair = 用 correction=0（除以 n），或检查是沿哪个轴计算的。
warning-number-with-gradient = 变成了没有历史的数
    .cause = 一个需要梯度的张量变成了 Python 数值。这个数值不在计算图中，梯度无法经过它传回。
    .repair = 只想看值时写 x.item() 或 x.detach()；参与计算时保持为张量。
warning-dim-implied = 没有告诉 { $call } 沿哪个轴
    .cause = 没有 dim 时 torch 按轴数猜测，不一定是你想要的轴。
    .repair = 写明：{ $call }(x, dim=-1) 表示最后一轴。
warning-dropout-of-one-layer = 这个 dropout 不起作用
    .cause = 循环层只在各层之间丢弃，而这里只有一层。
    .repair = 用 num_layers=2 或更多，或在其后加 nn.Dropout。
warning-reduction-renamed = size_average 和 reduce 是旧参数
    .cause = 它们已由一个参数代替。
    .repair = 写 reduction="mean"、"sum" 或 "none"。
warning-kl-mean = 不是你以为的均值
    .cause = kl_div 的 reduction="mean" 除以元素总数，而散度应沿最后一轴求和。
    .repair = 用 reduction="batchmean"，它除以样本数。
warning-meshgrid-indexing = meshgrid 需要知道轴的顺序
    .cause = torch 把第一个参数放在轴 0（"ij"），NumPy 放在轴 1（"xy"）。
    .repair = 写 indexing="ij" 或 indexing="xy"。
warning-arrays-in-list = 一个一个地读数组
    .cause = torch 逐个数地读取数组的列表，很慢。
    .repair = 先合成一个数组：torch.from_numpy(numpy.array(arrays))。
warning-gradient-with-graph = 梯度使计算图无法释放
    .cause = 使用 create_graph=True 时，.grad 里的梯度带着通向叶子的图，而叶子又持有它：两者都不会释放。
    .repair = 用 torch.autograd.grad(loss, parameters, create_graph=True)，或之后把 .grad 设为 None。
warning-result-resized = out= 给的张量形状不同
    .cause = torch 改变了它的大小来存放结果；以后会报错。
    .repair = 去掉 out=，或给出与结果形状相同的张量。
warning-range-inclusive = torch.range 多一个元素
    .cause = 它包含终点，与 Python 的 range 不同。
    .repair = 用 torch.arange。
warning-cross-axis = 没有告诉 cross 沿哪个轴
    .cause = 没有 dim 时 torch 取第一个大小为 3 的轴，不一定是你想要的。
    .repair = 用 torch.linalg.cross（取最后一轴），或写明 dim=。
warning-mask-of-bytes = 字节掩码
    .cause = 索引的 dtype 是 uint8，会被当作掩码而不是位置。
    .repair = 掩码用 mask.bool()，位置用 index.long()。
warning-parameter-twice = 同一个参数出现了两次
    .cause = 优化器收到的参数列表里有重复。
    .repair = 每个参数只列一次。
warning-checkpoint-of-data = 检查点不传递梯度
    .cause = 检查点部分没有需要梯度的输入，因此其中什么也得不到梯度。
    .repair = 给输入设置 requires_grad=True，或用 use_reentrant=False。
warning-renamed = { $old } 有了新名字
    .cause = 它现在叫 { $new }，作用相同；末尾的下划线表示原地写入。
    .repair = 请改写成 { $new }。
warning-divided-by-zero = 除以零
    .cause = NumPy 和 torch 一样以无穷大继续计算，并给出提示。
    .repair = 查找为零的除数，或 0 的对数。
warning-no-number = 结果不是数
    .cause = 运算没有结果，例如 0 / 0 或负数的平方根：NumPy 以 NaN 继续。
    .repair = 检查它的输入：第一个 NaN 就是开始的地方。
