# 数值视图：一个张量的全部、内存。

tensors-view-operation = 运算
tensors-view-tensor = 张量
tensors-view-histogram = 直方图
code-parameters = { $count } 个参数
code-more = 还有 { $count } 行未显示。
tensors-list = 程序中的张量
tensors-cell = 单元格 { $cell }
tensors-more = 还有 { $count } 个未列出。
tensors-branch = { $condition } – 本机没有这种设备：{ $count ->
    [1] 第 { $first } 行
   *[other] 第 { $first } 到 { $last } 行
}没有运行。

tensors-gradient = 梯度
tensors-gradient-of = { $root } 的梯度
tensors-moment = 来自第 { $line } 行的 { $code }：显示的值在这{ $when ->
        [after] 之后写入
       *[before] 之前就已被替换
    }。
tensors-gradient-stopped = 来自第 { $line } 行的 { $code }，它中途停止了。
tensors-gradient-kept = 程序结束时的 .grad
tensors-no-gradient = 梯度：{ $reason }
tensors-place = 前面各轴上的位置
tensors-place-axis = 轴 { $axis }
tensors-thinned = 没有画出全部元素：边上的数字是画出的元素的索引。
tensors-unread = 无法画出元素：torch 没有用带步幅的方式存放它们，或者根本没有存放。请在程序里打印它。
tensors-too-many = 元素太多，无法逐个查看。
tensors-no-entries = 形状 { $shape } 没有元素：有一个轴的大小为 0。
tensors-true = { $all } 个中有 { $count } 个 True
tensors-histogram = { $count ->
        [all] 全部 { $all } 个元素
       *[some] 一部分：{ $all } 个元素中的 { $count } 个
    }
tensors-histogram-whole = 全部 { $all } 个元素：{ $words }
tensors-histogram-zeros = 其中 { $count } 个为 0
tensors-histogram-label = 横轴从 { $low } 到 { $high }，最高的条形有 { $most } 个元素

tensors-fact =
    .shape = 形状
    .count = 元素个数
    .dtype = 数据类型
    .device = 设备
    .stride = 步幅（stride）
    .offset = 偏移（offset）
    .contiguous = 连续
    .storage = 存储（storage）
    .requires-grad = 需要梯度
    .leaf = 叶子张量（leaf）
tensors-size-hint = { $rank ->
    [0] 没有轴：标量
   *[other] { $rank } 个轴
}
tensors-bytes = { $bytes } 字节
tensors-kind =
    .float = 浮点数
    .half = 16 位或更少的浮点数
    .whole = 整数：没有梯度
    .bool = True 或 False：没有梯度
    .complex = 复数
    .other = 特殊类型
tensors-step = 沿轴 { $axis } 前进一步，在存储中移动 { $step }
tensors-repeated = 轴 { $axis } 重复读取相同的元素
tensors-laid = 元素在存储中{ $yes ->
        [yes] {""}
       *[no] 没有
    }按读取次序连续排列
tensors-shared-with = 与 { $names } 共享
tensors-alone = 没有其他名字与它共享
tensors-no-strides = 这种布局没有步幅
tensors-leaf = { $kind ->
        [parameter] 模型参数：梯度存放在 .grad
        [leaf] 梯度存放在 .grad
       *[result] 运算的结果：不调用 retain_grad() 时 .grad 为 None
    }
tensors-names = 名字
tensors-name-ended = 现在指向另一个张量
tensors-by = 写入者
tensors-at-end = 运行结束时
tensors-counted = 未记录的运算
tensors-unseen = 没有记录到运算，数值却变了
tensors-first = 首次记录时

tensors-facts-more = 类型与内存：设备、步幅、偏移

memory-strip = 存储，由 { $names } 读取
memory-storage = 存储
memory-stride = 步幅 { $stride }
memory-offset = 偏移 { $offset }
memory-step = +{ $step }，轴 { $axis }
memory-not-contiguous = 不连续
memory-past = 名字已指向别处
memory-array = NumPy 数组
memory-cut = 画出 { $all } 格中的前 { $shown } 格。
memory-views-cut = 还有 { $count } 个视图未画出。
memory-unit = 一格是 { $bytes } 字节。
memory-alone = { $count ->
   *[other] 独占存储：
}
memory-at-line = { $line }之后的存储
memory-at-end = 程序结束时的存储
memory-every-line = 程序的每一行
memory-shared-lead = 每一行读取它上方的格子。一个箭头表示沿某个轴走一步，即步幅。指向一格，可以看到哪些张量读取它。
memory-nothing-shared = 这里列出的张量互不共享存储。
memory-writes = 同一个对象？同一个存储？
memory-sharing = 视图、副本还是新张量？
memory-no-writes = 没有哪一行重新绑定名字，或写入有名字的张量。
memory-no-sharing = 没有哪一行用一个张量创建另一个张量。
memory-column =
    .line = 行
    .expression = 表达式
    .what = 发生了什么
    .object = 对象
    .storage-column = 存储
    .version = 版本
    .shares = 共享存储
    .tracked = 被自动微分记录
    .counter = 同一版本计数器
memory-same = 相同
memory-new = 新的
memory-numpy = – (NumPy)
memory-rebound = { $name } 现在指向{ $same ->
        [yes] 同一存储中的一个新张量
       *[no] 一个新张量，有自己的存储；原来的张量不变
    }。
memory-named = { $name } 是 { $other } 的第二个名字：同一个对象。
memory-written = 写入 { $name } 的存储。
memory-unseen = 没有记录到运算，{ $name } 却变了：版本仍是 { $version }。
memory-also = { $names } 也随之改变。
memory-arrays = NumPy 数组 { $names } { $seen ->
        [yes] 也随之改变
       *[no] 使用同一存储
    }。
memory-input = 它的输入
memory-is =
    .same = { $result } 就是 { $source } 本身。
    .copy = { $result } 是副本，有自己的存储。
    .new = { $result } 是用 { $source } 算出的，有自己的存储。
    .view = { $result } 是视图（view）：它读取 { $source } 的存储。
    .detach = { $result } 读取 { $source } 的存储；反向传播到此为止，autograd 仍会察觉写入。
    .data = { $result } 读取 { $source } 的存储；通过它写入时，autograd 不会察觉。
    .numpy = { $result } 是 NumPy 数组，与 { $source } 共用存储。
    .from-numpy = { $result } 是张量，与 NumPy 数组 { $source } 共用内存。

# 运行过程中为反向传播保留的内存。
memory-title = 为反向传播保留的内存
memory-peak = 最多 { $size }{ $line ->
    [0] {""}
   *[other] ，在第 { $line } 行达到
}
memory-what = 参数和没有 requires_grad 的张量（如数据）不计入，因为这些张量本来就在内存中。
memory-open = 没有计入 { $count } 个节点，因为没有反向传播会释放所在的计算图。
memory-hooked = { $count } 个节点把要保存的数据交给了钩子（checkpoint() 就是这样做的）。由钩子保留的数据，以及反向传播时重新计算的数据，都不计入。
