# 自动微分的错误说明：标题、原因、改法。

## 叶子张量与计算图

error-graph-used-twice = 同一张图反向传播了两次
    .cause = 第 { $line } 行的 { $first } 释放了各运算保存的张量，第 { $again } 行的 { $second } 却还要用到。
    .repair = 在第一次调用中写 retain_graph=True 保留计算图（梯度会累积）；或在第二次调用之前重新计算结果。
error-graph-shared = 两次反向传播共用了一部分计算图
    .cause = 第 { $at } 行的 { $shared } 同时属于两张图。第 { $line } 行的 { $first } 释放了它保存的张量，{ $second } 却还要用到。
    .repair = 把两个结果相加后只调用一次 backward()；或在第一次调用中写 retain_graph=True。
error-graph-used-twice-in-a-loop = 循环反复使用同一张图
    .cause = 计算图只建立了一次，{ $second } 却执行了多次。第一次执行后，各运算保存的张量就释放了。
    .repair = 把结果的计算移进循环，放在每次 { $second } 之前。
error-graph-part-made-before-a-loop = 计算图有一部分只建立了一次
    .cause = 第 { $at } 行的 { $shared } 只计算过一次，第一次 { $second } 就释放了它保存的张量，下一轮却还要用到。
    .repair = 把 { $shared } 也放进循环，让每一轮都有自己的计算图。
error-graph-part-used-twice-in-a-loop = 本轮用到了上一轮的计算图
    .cause = 本轮的计算图还连着上一轮的图，而那张图里保存的张量已由 { $second } 释放。
    .repair = 让每一轮都从没有计算历史的张量开始：对带到下一轮的张量调用 detach()，或把全部计算放进循环。
error-graph-carried-over = 状态带着上一轮的计算图
    .cause = { $name } 经由 { $shared }（第 { $at } 行）仍连着上一轮的计算图，而那张图保存的张量已由 { $second } 释放。
    .repair = 每一轮结束时，在 { $second } 之后切断计算历史：{ $cut }。
error-leaf-overwritten = 原地改写了叶子张量
    .cause = { $name } 是需要梯度的叶子张量；第 { $line } 行的 { $code } 会在记录梯度期间改写它的值，而梯度是按原来的值计算的。
    .repair = 在 torch.no_grad() 中修改，或改用非原地运算得到新张量。
error-part-of-a-leaf-overwritten = 改写了叶子张量的元素
    .cause = { $name } 是需要梯度的叶子张量；第 { $line } 行的 { $code } 在记录梯度时要改写其中的部分元素。
    .repair = 在 torch.no_grad() 中赋值，或先填好数值再让它需要梯度。
error-leaf-written-through-a-view = 通过视图改写了叶子张量
    .cause = { $name } 是视图，与叶子张量 { $leaf } 共用内存；第 { $line } 行的 { $code } 会在记录梯度时改写 { $leaf }。
    .repair = 在 torch.no_grad() 中写入，或先用 { $name }.clone() 得到副本。
error-step-recorded = 记录梯度时不能原地修改叶子张量
    .cause = 第 { $line } 行的 { $code } 原地修改叶子张量 { $name }。如果记录下来，这次更新本身也会进入计算图，所以 torch 不允许这样做。
    .repair = 把更新放进 with torch.no_grad(): 代码块。
error-result-into-out = out= 不支持求导
    .cause = { $code } 把结果写入已有的内存，自动微分无法跟踪，但有一个参数需要梯度。
    .repair = 去掉 out=，把结果赋给一个变量。
error-one-view-of-several = 改写了多个视图中的一个
    .cause = { $name } 是一次运算同时返回的多个视图之一；{ $code } 会改写这些视图共用的内存。
    .repair = 改用产生新张量的运算，或先对视图调用 clone()。
error-function-result-overwritten = 改写了自定义函数的结果
    .cause = { $name } 是自定义 Function（或带反向钩子的模块）以视图形式返回的；{ $code } 会使该函数自己的 backward 失效。
    .repair = 不用 { $code }，改用产生新张量的运算。
error-hooked-module-overwritten = 原地改写了带反向钩子的模块的张量
    .cause = 执行 { $code } 时，{ $name } 原地改写了带有完整反向钩子的模块的输入或输出：这类钩子以视图传递张量，视图不能改动。
    .repair = 让 { $name } 生成新的张量，例如使用不带 inplace=True 的 nn.ReLU()。
error-view-made-unrecorded = 改写了在 no_grad 中建立的视图
    .cause = 建立视图 { $name } 时没有记录梯度，{ $code } 却在记录梯度时通过它写入，无法判断梯度是否要计入这次修改。
    .repair = 把建立视图和修改都放进 no_grad，或都放在外面。
error-expanded-overwritten = 改写了扩展得到的张量
    .cause = 第 { $line } 行的 { $made } 没有复制数据就让 { $name } 成为形状 { $shape }：多个元素在内存中是同一个数，{ $code } 会对它重复写入。
    .repair = 先复制：{ $made }.clone()。
error-repeated-entry-overwritten = 改写了共用内存的元素
    .cause = { $name }（形状 { $shape }）有多个元素在内存中是同一个数，{ $code } 会对它重复写入。
    .repair = 修改之前先用 clone() 复制张量。
error-saved-result-overwritten = 改写了反向传播要用的结果
    .cause = 第 { $saved-line } 行的 { $saved } 为反向传播保存了结果 { $name }，但在 { $backward } 用到之前，第 { $line } 行的 { $code } 就改写了它。
    .repair = 在第 { $line } 行改用非原地运算，生成新张量。
error-saved-input-overwritten = 改写了反向传播要用的输入
    .cause = 第 { $saved-line } 行的 { $saved } 在反向传播时要用到 { $name }，但在 { $backward } 用到之前，第 { $line } 行的 { $code } 就改写了它。
    .repair = 在第 { $line } 行修改副本，或在 { $backward } 之后再修改 { $name }。
error-saved-in-a-module-overwritten = 一个层改写了另一个层反向传播所需的数据
    .cause = 第 { $line } 行的 { $code } 中，层 { $saved } 为反向传播保留了{ $what ->
        [result] 自己的结果
       *[input] 自己的输入
    }。在 { $backward } 用到之前，后面的层 { $module } 就原地改写了这些数据。
    .repair = 创建 { $module } 时使用 inplace=False。
error-weights-changed-before-backward = 反向传播之前就改变了权重
    .cause = 第 { $saved-line } 行的 { $saved } 是用旧的 { $name } 算出的；第 { $line } 行的 { $code } 改变了它，{ $backward } 却还要用到旧值。
    .repair = 在 { $code } 之后用新的值重新计算 { $saved }。
error-weights-renormed = max_norm 在反向传播之前缩放了这些行
    .cause = 第 { $saved-line } 行的 { $saved } 是用当时的 { $name } 算出的。由于设了 max_norm，第 { $line } 行的 { $code } 在读取时原地缩放了这些行，{ $backward } 却还要用到旧值。
    .repair = 让 { $saved } 读取副本：{ $name }.clone()。或去掉 max_norm，改为在优化器的 step 之后，在 torch.no_grad() 下缩放这些行。
error-backward-of-several = 对多个数调用了 backward()
    .cause = { $name } 的形状是 { $shape }，共 { $count } 个元素；不带参数的 backward() 只能从单个数开始。
    .repair = 先降维求和，如 { $name }.sum().backward()；或传入同形状的初始梯度 v。
error-grad-of-several = 对多个数调用了 grad()
    .cause = { $name } 的形状是 { $shape }，共 { $count } 个元素；不带 grad_outputs 时，grad() 只能从单个数开始。
    .repair = 先用 sum() 求和，或写 grad_outputs=torch.ones_like({ $name })。
error-grad-arguments-swapped = grad() 的参数写反了
    .cause = grad() 的第一个参数是结果，第二个才是要对其求导的张量；这里 { $name } 是叶子张量，{ $other } 才是结果。
    .repair = 把算出的结果写在前面：grad({ $other }, { $name })。
error-loss-not-real = 只能从实浮点数开始求导
    .cause = { $name } 的数据类型是 { $dtype }，而不带参数的 backward() 要从一个实浮点数开始。
    .repair = 先转换成实数：复数用 abs() 或 .real；整数则要从头到尾使用浮点数。
error-starting-gradient-shape = 初始梯度的形状不符
    .cause = { $code } 的初始梯度 v 形状为 { $given }，而要求导的结果形状为 { $wanted }；v 要为每个元素提供一个数。
    .repair = 传入形状为 { $wanted } 的张量，例如对结果使用 torch.ones_like(...)。
error-starting-gradient-of-a-number = 单个数不需要初始梯度
    .cause = { $code } 求导的结果形状为 { $wanted }，是单个数，而初始梯度 v 的形状是 { $given }。
    .repair = 去掉这个参数；或在降维成单个数之前传入 v。
error-starting-gradient-no-tensor = 初始梯度必须是张量
    .cause = { $code } 的参数是 Python 的 { $type }，而初始梯度 v 必须是与结果同形状的张量。
    .repair = 改成张量：torch.tensor(...)，或对结果使用 torch.ones_like(...)。
error-grad-of-a-number = 传给 grad() 的是普通的 Python 数
    .cause = { $code } 的参数中有 Python 的 { $type }，它没有可供求导的计算历史。
    .repair = 请传入张量：计算结果本身（不要用 item()），以及叶子张量本身。

## 历史在何处丢失

error-computed-under-no-grad = 计算时没有记录梯度
    .cause = 第 { $line } 行的 { $made } 在第 { $block-line } 行的 { $block } 中执行，因此 { $name } 没有可供求导的计算历史。
    .repair = 把这步计算移到这个代码块之外。
error-recording-switched-off = 记录已关闭
    .cause = 第 { $block-line } 行的 { $block } 关闭了此后的全部记录，所以第 { $line } 行的 { $made } 没有为 { $name } 记录计算历史。
    .repair = 去掉这一句；只对不需要梯度的部分使用 with torch.no_grad():。
error-checkpoint-of-data = checkpoint 没有做记录
    .cause = checkpoint(..., use_reentrant=True) 只有在某个输入需要梯度时才记录其中的计算；里面的参数不算。正如 torch 的警告所说，这里没有输入需要梯度，所以 { $name } 没有计算历史。
    .repair = 写成 use_reentrant=False。
error-sampled-without-gradient = sample() 没有梯度
    .cause = 第 { $line } 行的 { $made } 抽样时不做记录，因此梯度不会经过它传到分布的参数。
    .repair = { $discrete ->
        [yes] 这个分布没有 rsample()：可以用样本的 log_prob 来训练，或改从光滑的替代分布中抽样，例如 RelaxedBernoulli 或 gumbel_softmax。
       *[no] 改用 rsample()：它先抽取噪声，再做变换。没有 rsample() 的分布（如 Categorical）要用 log_prob 来训练。
    }
error-rsample-missing = 这个分布没有 rsample()
    .cause = { $code } 需要能让梯度通过的样本，而 torch 没有为这个分布提供这样的抽样。
    .repair = 用 sample() 抽样，再用样本的 log_prob 来训练；或改从光滑的替代分布中抽样，例如 RelaxedBernoulli 或 gumbel_softmax。
error-computed-unrecorded = 计算时没有记录梯度
    .cause = 执行第 { $line } 行的 { $made } 时没有记录梯度，因此 { $name } 没有可供求导的计算历史。
    .repair = 在记录梯度时计算，不要放在 no_grad 中。
error-history-detached = 计算历史被切断
    .cause = 第 { $line } 行的 { $made } 只取出数值，不带计算历史，而 { $name } 是用它算出的。
    .repair = 去掉第 { $line } 行的 detach() 或 .data。
error-position-has-no-gradient = 位置没有梯度
    .cause = 第 { $line } 行的 { $made } 返回的是位置：元素变化时，位置只会从一个整数跳到另一个，所以 { $name } 无法求导。
    .repair = 改用数值本身（例如 max() 返回的值），或用 softmax 这样的光滑函数代替。
error-steps-have-no-gradient = 阶跃函数没有梯度
    .cause = 第 { $line } 行的 { $made } 返回整数或布尔值，它们不会连续变化，{ $name } 的计算历史到此中断。
    .repair = 对连续变化的量求导，例如用数值本身计算的损失。
error-function-without-derivative = torch 没有这个函数的导数
    .cause = torch 没有实现第 { $line } 行 { $made } 的导数，{ $name } 的计算历史到此中断。
    .repair = 使用 torch 能求导的函数，或写一个带有自己 backward 的 torch.autograd.Function。
error-derivative-missing = torch 没有实现这个导数
    .cause = torch 没有实现第 { $at } 行 { $made } 的{ $order ->
        [second] 二阶导数，所以不能再对它的梯度求导
        [forward] 前向模式导数
       *[first] 导数。它的结果仍然需要梯度，所以 backward 执行到这里就会停止
    }。
    .repair = { $instead ->
        [smooth] 除了跳变点，它都是常数，梯度没有意义：请改用 sigmoid 这样的光滑函数；如果不需要梯度通过，就在它之前用 detach()。
        [index_add] 写成 torch.zeros(n).index_add(0, numbers, weights)：结果相同，而且有导数。
        [norm] 把距离写成 torch.linalg.vector_norm(a[:, None] - b, ord=p, dim=-1)，它的导数还能再求导。
        [embedding] 先用 embedding(...)，再对每个 bag 的行求 sum、mean 或 max；这些都有二阶导数。
        [math] 在 torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.MATH) 中调用，这时它由普通运算组成。
        [second] 使用 torch 能求两次导的运算；如果只需要一阶导数，就去掉 create_graph=True。
        [forward] 使用反向模式（如 torch.func.grad 或 torch.func.vjp），或支持前向模式的运算。
       *[first] 使用 torch 能求导的函数；如果不需要梯度通过，就在它之前用 detach()。
    }
error-context-not-called = 没有调用上下文管理器
    .cause = { $name } 是类本身，而 with 需要的是调用它之后返回的对象。
    .repair = 写成 { $name }()。
error-history-lost-in-a-new-leaf = 用 Python 数值新建了张量
    .cause = 第 { $line } 行的 { $made } 只把数值复制到新的叶子张量，{ $name } 的计算历史就此丢失。
    .repair = 直接保留算出的张量，不要套 torch.tensor() 或 item()。
error-history-lost-in-numbers = 用 Python 数值新建了张量
    .cause = 第 { $line } 行的 { $made } 用的是 item() 或 numpy() 取出的 Python 数值，{ $name } 的计算历史就此丢失。
    .repair = 保留算出的张量；item() 只用于打印。
error-list-made-into-a-new-leaf = 张量列表丢失了计算历史
    .cause = 第 { $line } 行的 { $made } 只把列表中各张量的数值复制到新的叶子张量，所以 { $name } 没有计算历史。
    .repair = 用 torch.stack(...) 堆叠这些张量，可以保留计算历史。
error-history-lost-in-numpy = 计算历史在 NumPy 中中断
    .cause = 第 { $line } 行的 { $made } 把数值交给了 NumPy，而 NumPy 不做记录；{ $name } 是用这些数值重新创建的，没有计算历史。
    .repair = 全部计算都用 torch 的函数完成。
error-first-gradient-not-recorded = 第一次求导时没有建图
    .cause = 第 { $line } 行的 { $first } 求出了梯度，但没有记录计算过程，所以不能对 { $name } 再次求导。
    .repair = 在 { $first } 中写 create_graph=True。
error-first-gradient-constant = 一阶导数是常数
    .cause = 第 { $line } 行的 { $first } 已为梯度建图，但算出的梯度与输入无关：求导的量是线性的，二阶导数为 0。
    .repair = 只对非线性的量求二阶导数；这里直接取 0 即可。
error-first-gradient-of-a-function = 第一次求导时没有建图
    .cause = 第 { $line } 行的 { $first } 经过了自定义 Function，求出的梯度 { $name } 没有计算历史。
    .repair = 在第一次调用中写 create_graph=True，并用可求导的 torch 运算编写该 Function 的 backward。
error-flags-switched-off = 关闭了 requires_grad
    .cause = 在计算 { $name } 之前，第 { $line } 行的 { $made } 关闭了 requires_grad，而计算 { $name } 用到的其他张量也都不需要梯度。
    .repair = 如果是要训练的参数，就去掉这一行。
error-only-a-shape-was-read = 只读取了形状
    .cause = 第 { $line } 行的 { $made } 只读取 { $of } 的形状，不读取元素。{ $name } 与这些元素无关，所以没有记录计算历史。
    .repair = 用 { $of } 的元素来计算 { $name }。
error-nothing-requires-gradient = 没有张量需要梯度
    .cause = 计算 { $name } 用到的张量（{ $names }）都没有设 requires_grad=True，因此 { $code } 没有可用的计算历史。
    .repair = 创建要对其求导的张量时写 requires_grad=True。

## 不能有梯度的张量

error-whole-numbers-require-no-gradient = 只有浮点数才能求梯度
    .cause = { $code } 中的元素是 { $dtype }；只有能连续变化的数值才能求导，所以只有浮点数和复数张量可以设 requires_grad。
    .repair = 使用浮点数：把 1 写成 1.，或写 dtype=torch.float32。
error-flag-of-a-result = 结果的 requires_grad 不能更改
    .cause = { $name } 是用需要梯度的张量算出的，{ $code } 不能把它移出计算图；只有叶子张量可以更改 requires_grad。
    .repair = 取不带计算历史的数值：{ $name } = { $name }.detach()。
error-numpy-of-recorded = NumPy 不能接收带梯度的张量
    .cause = { $name } 需要梯度，而 NumPy 不会记录之后的计算。为了避免计算历史在不知不觉中丢失，{ $code } 直接报错。
    .repair = 交给 NumPy 或绘图之前，先分离：{ $name }.detach()。
error-deepcopy-of-a-result = 计算结果不能深复制
    .cause = { $name } 是 { $made } 的结果，连着计算图，而计算图不能复制；只有叶子张量可以。
    .repair = 只复制数值：{ $name }.detach().clone()。
error-deepcopy-of-something-with-a-result = 计算结果不能深复制
    .cause = { $name } 中有一个张量是计算结果，连着计算图，而 { $code } 不能复制计算图。
    .repair = 其中只保存 detach() 过的张量，或用 detach().clone() 复制数值。
error-detach-of-a-view = 视图不能原地分离
    .cause = { $name } 是另一个张量的视图；两者共用内存，detach_() 却只会切断其中一个的计算历史。
    .repair = 改为创建分离的张量：{ $name } = { $name }.detach()。
error-retain-grad-without-gradient = 没有可保留的梯度
    .cause = { $name } 不需要梯度，反向传播不会为它求梯度，{ $code } 也就没有可保留的梯度。
    .repair = 创建计算它所用的张量时写 requires_grad=True。
error-hook-without-gradient = 钩子需要梯度
    .cause = { $name } 不需要梯度，{ $code } 中的钩子永远不会被调用。
    .repair = 创建 { $name } 或计算它所用的张量时写 requires_grad=True。
error-input-requires-no-gradient = 对其求导的张量不需要梯度
    .cause = { $code } 要对 { $name } 求导，但它不需要梯度，没有为它做记录。
    .repair = 创建 { $name } 时就写 requires_grad=True。
error-input-not-used = 结果不依赖该输入
    .cause = 计算 { $root } 时没有用到 { $name }，计算图中两者之间没有路径。
    .repair = 在计算中使用 { $name }；或写 allow_unused=True，此时它的梯度为 None。
error-input-made-beside = 结果是用另一个张量算出的
    .cause = { $root } 是直接用 { $leaf } 算出的；{ $name } 虽然也来自 { $leaf }，却不在这条路径上。
    .repair = 对 { $leaf } 求导，再取梯度中的元素；或用 { $name } 来计算 { $root }。
error-made-in-inference-mode = 在推理模式下创建的张量
    .cause = { $name } 是在 torch.inference_mode() 中创建的，缺少自动微分所需的信息，而 { $code } 在记录梯度时用到了它。
    .repair = 改用 torch.no_grad()，或先对该张量调用 clone()。

## .grad 为 None，数字代替张量

error-gradient-before-backward = 还没有反向传播
    .cause = 反向传播经过 { $name } 之前，{ $gradient } 是 None，而执行 { $code } 时还没有做过反向传播。
    .repair = 先对用 { $name } 算出的结果调用 backward()。
error-gradient-zeroed-before-backward = 还没有可清零的梯度
    .cause = 第一次反向传播经过 { $name } 之前，{ $gradient } 是 None，而第一轮中 { $code } 先于反向传播执行。
    .repair = 只在有梯度时清零：if { $gradient } is not None；或在更新之后再清零。
error-gradient-cleared = 梯度已被清除
    .cause = 反向传播求出过 { $name } 的梯度，但 { $gradient } 又成了 None：zero_grad() 会把它设为 None，直接赋值为 None 也一样。
    .repair = 在清除之前执行 { $code }。
error-gradient-returned-by-grad = grad() 只返回梯度，不会存入 .grad
    .cause = 第 { $line } 行的 { $call } 返回了梯度，没有写入 { $gradient }，所以后者仍是 None。
    .repair = 使用 grad() 的返回值，或改用 backward()。
error-gradient-not-asked-for = 没有指定求这个梯度
    .cause = 第 { $line } 行的 { $call } 只为 inputs= 列出的张量求梯度，其中没有 { $name }，所以 { $gradient } 是 None。
    .repair = 把 { $name } 加进 inputs=，或去掉 inputs=。
error-gradient-never-reached = 梯度没有传到这个张量
    .cause = 第 { $line } 行的 { $call } 没有求出 { $name } 的梯度：{ $at ->
        [0] 计算图中没有从该结果通向它的路径
       *[known] 第 { $at } 行的 { $cut } 切断了路径
    }，所以 { $gradient } 是 None。
    .repair = 在计算中使用 { $name } 本身，中途不要用 detach()、.data 或 item()。
error-gradient-none-from-a-function = 梯度没能通过自定义函数
    .cause = 第 { $line } 行的 { $call } 在通向 { $name } 的途中经过自定义 Function，而它的 backward 返回了 None，所以 { $gradient } 是 None。
    .repair = 在该 Function 的 backward 中为这个参数返回梯度。
error-gradient-not-required = 这个张量不需要梯度
    .cause = { $name } 不需要梯度，反向传播从不会写入 { $gradient }，所以它是 None。
    .repair = 创建 { $name } 时就写 requires_grad=True。
error-gradient-never-required = 这个张量不需要梯度
    .cause = 第 { $line } 行的 { $made } 创建 { $name } 时没有写 requires_grad=True，反向传播不会写入 { $gradient }，所以它是 None。
    .repair = 在 { $made } 中写 requires_grad=True。
error-step-made-a-new-tensor = 更新时生成了新张量
    .cause = 第 { $line } 行让 { $name } 指向了新张量，即 { $made } 的结果。它不再是原来的叶子张量，所以 { $gradient } 是 None。
    .repair = 修改叶子张量本身：在 torch.no_grad() 中写 { $name } -= 更新量。
error-leaf-lost-in-its-own-line = 叶子张量没有名字
    .cause = 第 { $line } 行的 { $made } 创建叶子张量后立即用于计算，{ $name } 是计算结果，不是叶子张量，所以 { $gradient } 是 None。
    .repair = 先算好数值，再在行末调用 requires_grad_()。
error-gradient-of-a-result = 非叶子张量的梯度不保留
    .cause = { $name } 不是叶子张量，是由 { $made } 算出的。backward() 只为叶子张量保存梯度，所以 { $gradient } 是 None。
    .repair = 在 backward() 之前调用 { $name }.retain_grad()。
error-backward-returns-nothing = backward() 没有返回值
    .cause = 第 { $line } 行的 { $call } 把梯度存进叶子张量并返回 None，所以 { $name } 是 None。
    .repair = 让 backward() 单独成行，再从 .grad 读取梯度。
error-item-before-backward = item() 使数值脱离了计算图
    .cause = 第 { $line } 行的 { $made } 返回没有计算历史的 Python { $type }，而 { $code } 需要的是张量。
    .repair = 去掉 item()，到打印数值时再用。
error-number-has-no-backward = 这里是 Python 数值，不是张量
    .cause = { $name } 是 { $type }，这样的普通数值不带计算历史，也就没有 { $method }。
    .repair = 从 requires_grad=True 的叶子张量开始，用张量计算 { $name }。
error-list-has-no-backward = 列表没有 backward()
    .cause = { $name } 是损失的列表，只有单个张量才有 { $method }()。
    .repair = 先求和：sum({ $name })，或 torch.stack({ $name }).mean()。
error-nothing-has-no-backward = 损失是 None
    .cause = { $name } 是 None：没有 return 的函数返回 None，backward() 本身也返回 None。
    .repair = 在函数中返回张量，也不要把 backward() 的结果赋给变量。
error-grad-returns-a-tuple = grad() 返回元组
    .cause = 第 { $line } 行的 { $made } 为每个输入返回一个梯度，组成 { $count } 个元素的元组，所以 { $name } 不是张量。
    .repair = 从中取一个：{ $made }[0]。

## 自定义函数、钩子、torch.func

error-function-count-of-gradients = 自定义函数返回的梯度个数不符
    .cause = { $function }.backward 返回了 { $got } 个值，而 { $function }.forward 在 ctx 之后有 { $wanted } 个参数，每个参数都要对应一个梯度或 None。
    .repair = 返回 { $wanted } 个值；没有梯度的参数对应 None。
error-function-returned-a-list = 梯度写在了列表里
    .cause = { $function }.backward 返回的是一个列表，只算 { $got } 个值，而 forward 在 ctx 之后有 { $wanted } 个参数。
    .repair = 去掉方括号，用逗号分隔返回这 { $wanted } 个值。
error-function-shape-of-gradient = 自定义函数的梯度形状不符
    .cause = { $function }.backward 为第 { $index } 个参数（从 0 数起）返回了形状 { $given } 的梯度，而该参数的形状是 { $wanted }。
    .repair = 为每个元素返回一个数：形状为 { $wanted } 的张量。
error-function-type-of-gradient = 自定义函数的梯度不是张量
    .cause = { $function }.backward 返回的不是梯度，而是 { $type }。
    .repair = 返回与参数同形状的张量；没有梯度时返回 None。
error-function-without-backward = 自定义函数没有 backward
    .cause = { $function } 只说明了如何计算结果，没有说明梯度如何反向传播。
    .repair = 编写静态方法 backward(ctx, g)，为 forward 的每个参数返回一个梯度。
error-function-without-forward = 自定义函数没有 forward
    .cause = { $code } 没有找到计算结果的 forward 方法。
    .repair = 在类中编写静态方法 forward(ctx, x)。
error-function-called = 自定义函数要用 apply
    .cause = { $code } 创建了 { $function } 的对象并调用它；而 Function 只是一对静态方法，不需要对象。
    .repair = 写成 { $function }.apply(...)。
error-function-saved-no-tensor = 只能为反向传播保存张量
    .cause = 传给 save_for_backward 的第 { $index } 个值（从 0 数起）类型是 { $type }，{ $code } 因此停止。
    .repair = 请把这样的值存为属性：ctx.k = k。
error-function-saved-nothing = forward 没有保存张量
    .cause = { $code } 需要 { $wanted } 个保存的张量，却只有 { $got } 个：forward 没有调用 ctx.save_for_backward。
    .repair = 在 forward 中调用 ctx.save_for_backward(...)。
error-function-saved-another-number = forward 保存的张量个数不同
    .cause = { $code } 要解包 { $wanted } 个保存的张量，但 ctx.save_for_backward 收到的个数不同。
    .repair = 解包时，变量的个数和次序要与 forward 保存的张量一致。
error-function-context = forward 没有把它存入 ctx
    .cause = { $code } 从 ctx 读取 { $attribute }，但 { $function }.forward 没有存入这个属性。
    .repair = 在 forward 中写 ctx.{ $attribute } = ...。
error-function-forward-called = 不能直接调用 forward
    .cause = { $code } 直接调用 forward，缺少 { $function }.apply 传入的 ctx，也不会记录它的 backward。
    .repair = 写成 { $function }.apply(...)。
error-function-forward-parameters = forward 的参数不符
    .cause = { $code } 调用 { $function }.forward 时先传 ctx，再传 apply 的参数，而它的参数列表与此不符。
    .repair = 写成 def forward(ctx, ...)：ctx 在最前，用 @staticmethod，不带 self。
error-function-backward-parameters = backward 的参数不符
    .cause = 调用 { $function }.backward 时先传 ctx，再为 forward 的每个结果传一个梯度，而它的参数列表与此不符。
    .repair = 写成 def backward(ctx, g, ...)：forward 有几个结果就写几个 g。
error-hook-changed-the-shape = 钩子改变了梯度的形状
    .cause = 执行 { $code } 时，钩子 { $hook } 返回的梯度与收到的形状不同。
    .repair = 返回同形状的张量；不想改动就不返回任何值。
error-hook-changed-the-dtype = 钩子改变了梯度的数据类型
    .cause = 执行 { $code } 时，钩子 { $hook } 返回的梯度与收到的数据类型不同。
    .repair = 返回同数据类型的张量：result.to(g.dtype)。
error-hook-returned-no-tensor = 钩子返回的不是张量
    .cause = 执行 { $code } 时，有钩子返回了 { $type }；而钩子的返回值会取代梯度。
    .repair = 返回与梯度同形状的张量，或不返回任何值。
error-hook-arguments = 张量的钩子只有一个参数
    .cause = { $code } 调用钩子 { $hook } 时只传一个参数，即梯度，而这个钩子的参数个数不同。
    .repair = 钩子只写一个参数：lambda g: ...
error-module-hook-count = 模块钩子返回的梯度个数不符
    .cause = 反向钩子返回了 { $got } 个梯度，而模块中每个接收梯度的输入都要对应一个，共 { $wanted } 个。
    .repair = 返回 { $wanted } 个元素的元组，或不返回任何值。
error-accumulation-hook-of-a-result = 只有叶子张量累积梯度
    .cause = { $code } 要等梯度累积到 .grad 时才调用，而只有叶子张量会累积梯度，这个张量却是计算结果。
    .repair = 改用 register_hook，或注册在叶子张量上。
error-anomaly-nan = 反向传播中出现 NaN
    .cause = 异常检测停在 { $node }：它返回的梯度是 NaN，尽管前向传播的结果可能是有限值。
    .repair = 让数值避开导数无穷大或没有定义的点，例如先用 clamp(min=1e-6)。
error-anomaly-nan-at = 反向传播中出现 NaN
    .cause = 第 { $line } 行 { $code } 的梯度是 NaN，异常检测停在它的 { $node }：导数在这一点为无穷大或没有定义，或者传来的梯度就是这样。
    .repair = 让数值避开这一点，例如先用 clamp(min=1e-6)。
error-vmap-branches = vmap 中不能按元素值分支
    .cause = { $code } 根据张量的元素做判断，但在 vmap 中，这个张量同时代表所有行，各行的结果可能不同。
    .repair = 两个分支都计算，再从中选择：torch.where(condition, a, b)。
error-vmap-writes-in-place = 共用的张量不能为每一行各存一个值
    .cause = { $code } 写入的张量由所有行共用，而在 vmap 中各行的值不同。
    .repair = 改为构造结果，例如用 torch.stack、torch.cat 或 torch.where；或者根据输入创建张量：x.new_zeros(n) 为每一行各有一份，torch.zeros(n) 没有。
error-vmap-batch-norm = 批量规范化层只有一份移动统计量
    .cause = 在 vmap 中，{ $code } 要为每一行各更新一次移动均值和方差，而这些统计量只有一份。
    .repair = 对模块调用 eval()，创建时设置 track_running_stats=False，或替换它：torch.func.replace_all_batch_norm_modules_(net)。
error-transform-writes-outside = 函数写入了外部的张量
    .cause = 执行 { $code } 时，函数原地修改了不属于其参数的张量。训练模式下的批量规范化层就是这样：它要统计小批量的个数，并更新移动统计量。
    .repair = 把这个张量作为参数传入并返回，或在调用之后再写入。如果是批量规范化层，先调用 eval()，或先用 torch.func.replace_all_batch_norm_modules_(net)。
error-function-backward-unrecorded = Function 的 backward 中不记录计算图
    .cause = { $code } 位于自定义 Function 的 backward 中，其中的运算只有在反向传播设了 create_graph=True 时才会记录，所以算出的张量没有计算历史。
    .repair = 把这部分放进 with torch.enable_grad(): 代码块，并用 x.detach().requires_grad_() 作为单独的输入。
error-deepcopy-of-a-weight-norm = 旧的 weight_norm 不能复制
    .cause = 第 { $made } 行的规范化在模块中存放了算出的权重，而 copy.deepcopy({ $name }) 不复制带有计算历史的张量。
    .repair = 改用 torch.nn.utils.parametrizations 中的 weight_norm 或 spectral_norm，或在首次调用之前复制模块。
error-vmap-item = vmap 中不能取出单个数值
    .cause = { $code } 要取出一个 Python 数值，但在 vmap 中，这个张量同时代表所有行。
    .repair = 去掉 item()，继续用张量计算。
error-vmap-random = vmap 需要指定随机数的取法
    .cause = { $code } 要生成随机数，但没有指定 vmap 的各行是否共用同样的随机数。
    .repair = 在 vmap(...) 中写 randomness='different' 或 randomness='same'。
error-vmap-size-by-entries = 大小取决于元素的值
    .cause = { $code } 返回多少元素取决于数值，在 vmap 中各行的长度可能不同。
    .repair = 保持形状：用 torch.where(mask, x, 0) 代替 x[mask]。
error-vmap-sizes = 各参数的行数不同
    .cause = vmap 同时遍历所有参数的行，但它们在映射轴上的大小分别是 { $sizes }。
    .repair = 传入行数相同的参数；共用的参数用 in_dims=(0, None)。
error-vmap-returns-no-tensor = vmap 的函数没有返回张量
    .cause = 被映射的函数返回了 { $type }，而 vmap 只能堆叠张量。
    .repair = 返回张量，不要用 item() 或 Python 数值。
error-vmap-axis = 没有可映射的轴
    .cause = vmap 要沿轴 { $axis } 遍历，而该参数的轴数是 { $count }。
    .repair = 传入有该轴的张量；共用的参数用 in_dims=None。
error-func-grad-of-several = 函数必须返回单个数
    .cause = torch.func.grad 只对单个数求导，而 { $code } 中的函数返回了轴数为 { $axes } 的张量。
    .repair = 返回 sum 或 mean；如果要求全部导数，就用 torch.func.jacrev。
error-func-grad-of-a-tuple = 函数返回了元组
    .cause = torch.func.grad 只对一个张量求导，而 { $code } 中的函数返回了元组。
    .repair = 写 has_aux=True（其余部分原样返回），或只返回损失。
error-func-grad-no-tensor = 函数没有返回张量
    .cause = { $code } 求导的函数返回了 { $type }，没有计算历史。
    .repair = 直接返回张量，不要用 item()、tolist() 或 float()。
error-hessian-of-several = 只有单个数才有黑塞矩阵
    .cause = { $code } 中的函数返回了多个数，而黑塞矩阵只对单个数有定义。
    .repair = 在函数中返回 sum 或 mean。
error-func-argument-no-tensor = 求导点必须是张量
    .cause = { $code } 的求导点是 Python 的 { $type }，而 torch.func 只处理张量。
    .repair = 传入由浮点数创建的 torch.tensor(...)。
error-func-argnums = argnums 指向不存在的参数
    .cause = argnums={ $index } 从 0 数起，而这次调用只有 { $count } 个位置参数。
    .repair = argnums 要小于 { $count }。
error-backward-inside-a-transform = 在 torch.func 变换中调用了 backward()
    .cause = { $code } 位于 torch.func 正在求导的函数中，不能同时写入 .grad。
    .repair = 从函数返回结果，去掉 backward()。
error-jvp-wants-tuples = jvp 需要元组
    .cause = { $code } 中的 { $what } 不是元组；jvp 要为函数的每个参数各提供一项。
    .repair = 写成 (x,) 和 (v,)，注意逗号。
error-jvp-shape = 方向向量的形状不符
    .cause = 求导点的形状是 { $wanted }，方向 v 的形状是 { $given }；v 要为每个元素提供一个数。
    .repair = 传入形状为 { $wanted } 的方向。
error-dual-without-level = 没有开启前向模式
    .cause = { $code } 把张量和一个方向配成对。这样的对只存在于前向模式的某个层级中，而现在没有开启任何层级。
    .repair = 把它以及用它计算的部分放进 with torch.autograd.forward_ad.dual_level(): 代码块；或使用 torch.func.jvp，它会自动开启。
error-dual-of-integers = 只有浮点数有方向
    .cause = 只有能连续变化的数值才能求导，而传给 { $code } 的是 { $dtype }。
    .repair = 使用浮点数：把 1 写成 1.，或用 .float() 转换。
error-function-without-jvp = Function 没有前向模式
    .cause = 前向模式下，{ $code } 要用到 torch.autograd.Function 的 jvp，而这个 Function 没有定义；前向模式不会使用 backward。
    .repair = 为它编写 jvp，或使用反向模式，例如 torch.func.grad 或 torch.func.vjp。
error-unpacked-no-tensor = 取回钩子没有返回张量
    .cause = saved_tensors_hooks 把第一个钩子（pack）的返回值交给第二个钩子（unpack），后者必须返回张量。它返回的{ $type ->
        [NoneType] 是 None，没有 return 的函数就是这样
       *[other] 类型是 { $type }
    }。
    .repair = 两个钩子都要有返回值：第一个返回要保存的内容，第二个返回张量。
error-accumulation-hook-returns = 这个钩子不能有返回值
    .cause = 在 { $code } 中，一个在梯度累积之后运行的钩子返回了值。这种钩子的参数是叶子张量，可以修改它的 .grad，但必须返回 None；lambda 则总会返回计算结果。
    .repair = 改用不带 return 的 def。要用返回值替换梯度，请用 register_hook。
error-vectors-up-to-a-phase = 损失依赖于任意的相位
    .cause = 复数的特征向量或奇异向量（{ $vectors }）可以乘以任何模为 1 的数。{ $code } 求导的损失会随之改变，因此没有确定的导数。
    .repair = 用不受这种因子影响的量来计算损失，例如元素的 abs() 或 v @ v.mH。
error-old-graph-carried-over = 状态带着上一轮的计算图
    .cause = 第 { $saved-line } 行的 { $saved } 是在前面的某一轮中执行的，{ $name } 仍连着那一轮的计算图。此后第 { $line } 行的 { $code } 改变了权重，而 { $second } 还要回到那一轮。
    .repair = 每一轮结束时切断计算历史：{ $cut }。这样就不需要 retain_graph=True。
error-graph-kept-inside = 两次反向传播共用了对象内保存的结果
    .cause = 第 { $at } 行的 { $shared } 算出的中间结果由 { $object } 保存下来重复使用；第 { $line } 行的 { $first } 释放了这部分图保存的张量，而 { $second } 还需要它们。
    .repair = 把两个结果相加后只调用一次 backward()；或为第二次重新创建 { $object }；或在第一次调用中写 retain_graph=True。
error-positions-require-no-gradient = 位置没有梯度
    .cause = { $code } 中是位置：第 { $line } 行的 { $made } 返回整数（{ $dtype }），元素变化时只会跳变；改成浮点数也没有梯度。
    .repair = 对用来选取位置的张量求导：用它的元素，或用光滑的 softmax 代替。
error-numpy-function-of-recorded = NumPy 不记录运算
    .cause = 传给 { $code } 的张量需要梯度，而 NumPy 不记录运算。为了避免计算历史在不知不觉中丢失，这里直接报错。
    .repair = 用 { $torch } 代替 { $function }，它会记录运算；如果不需要梯度，先用 .detach() 再交给 NumPy。
error-numpy-of-a-list = 列表里是带计算历史的张量
    .cause = 第 { $line } 行把张量 { $item } 连同计算历史放进 { $name }，而 { $code } 要把这些张量交给不做记录的 NumPy。
    .repair = 只保留数值：{ $right }；这样每一轮的计算图也会释放。
error-numpy-of-some-recorded = NumPy 不能接收带梯度的张量
    .cause = { $code } 中有张量需要梯度，而 NumPy 不会记录之后的计算。为了避免计算历史在不知不觉中丢失，这里直接报错。
    .repair = 交给 NumPy 或绘图之前，在该张量后面写 .detach()。
error-input-cut-off = 通向输入的路径被切断
    .cause = { $root } 是用 { $name } 算出的，但第 { $line } 行的 { $made } 切断了计算历史，梯度无法通过。
    .repair = 如果需要梯度，就不要在这里切断计算历史；或写 allow_unused=True，此时它的梯度为 None。
error-second-gradient-is-zero = 一阶梯度中不含该输入
    .cause = 第 { $line } 行的 { $made } 求出的梯度中不再出现 { $name }：求导的函数对它是线性的（至少是分段线性的），再次求导为零，计算图中也没有通向 { $name } 的路径。
    .repair = 写 materialize_grads=True 会返回零；要让二阶导数不为零，中间要有 tanh 这样的非线性函数。
error-backward-not-called = backward 只写了名字，没有调用
    .cause = { $gradient } 是 None，因为还没有做过反向传播：第 { $line } 行的 { $call } 后面缺少括号，只写了方法名，没有调用。
    .repair = 写成 { $call }()。
error-saved-tensors-are-a-tuple = saved_tensors 是元组
    .cause = { $saved } 把保存的张量都放在一个元组里，只有一个张量时也是这样，所以第 { $line } 行的 { $name } 是元组。
    .repair = 用逗号取出：{ $name }, = { $saved }。
error-gradient-of-another-shape = 梯度的形状不对
    .cause = 赋给 { $code } 的梯度形状为 { $given }，而张量的形状是 { $wanted }：每个元素都要有一个导数。
    .repair = 请赋值为形状 { $wanted } 的张量，例如用 torch.zeros_like(...)。
error-gradient-of-another-dtype = 梯度的数据类型不对
    .cause = 赋给 { $code } 的梯度是 { $given }，而这里需要 { $wanted }，与张量的数据类型相同。
    .repair = 用 .to(tensor.dtype) 转换。如果想用另一种数据类型更新，就保留一份该类型的副本，让优化器更新副本。
error-gradient-no-tensor = 梯度是张量或 None
    .cause = 赋给 { $code } 的值的类型是 { $type }。
    .repair = 要清除梯度就赋值为 None；否则赋值为形状相同的张量，例如 torch.zeros_like(tensor)。
error-filled-entry-by-entry = 填充张量时又用到了它自己的元素
    .cause = 第 { $saved-line } 行的 { $saved } 为反向传播保存了 { $name } 的元素，而同一行接着又写入 { $name }，{ $backward } 读到的已经不是原来的值。
    .repair = 把结果收集在列表里，循环之后用 torch.stack 连结；或用 .clone() 读取副本。
error-graph-part-of-constants = 常量设了 requires_grad
    .cause = 第 { $at } 行的 { $shared } 只用 { $names } 计算了一次。{ $names } 在循环中从不改变，却需要梯度，所以 { $shared } 有计算图，而第一次 { $second } 就释放了这张图。
    .repair = 如果 { $names } 是数据，就去掉 requires_grad=True；如果它是要学习的参数，就在循环内计算 { $shared }。
error-graph-of-a-generator = 判别器的损失传到了生成器
    .cause = { $fake } 来自 { $generator }，{ $judge } 在第 { $read } 行读取它。所以第 { $line } 行的 { $first } 也反向经过了 { $generator }，并释放了它的计算图，{ $second } 却还要用到。
    .repair = 在第 { $read } 行只把数值传给 { $judge }：{ $fake }.detach()。更新 { $judge } 不需要 { $generator } 的梯度。
error-step-rebound-under-no-grad = 这一步生成了新张量
    .cause = 第 { $line } 行的 { $made } 在 { $block }（第 { $block-line } 行）中执行，此后 { $leaf } 指向它的结果，而这个结果不需要梯度。因此 { $name } 没有可供求导的计算历史。
    .repair = 在这个代码块内改用原地更新，{ $leaf } 就仍是同一个叶子张量。
error-module-hook-arguments = 模块调用钩子时会传入 { $count } 个参数
    .cause = 用 { $register } 注册的钩子（第 { $line } 行）在调用时会收到 { $count } 个参数：{ $wanted }。{ $hook } 的参数个数不同。
    .repair = 按这些参数来写钩子：{ $wanted }。
error-none-since = 需要值的地方是 None
    .cause = { $piece } 是第 { $where } 行设置的 None，此后没有任何一行为它赋值张量。
    .repair = 检查给它赋值的循环或分支是否运行过。
error-derivative-of-no-tensor = { $function } 对张量求导
    .cause = 传给 { $function } 的求导点是 { $type }。
    .repair = 传入浮点张量；有多个参数时，传入由张量组成的元组。
error-gradcheck-mismatch = backward 与测得的斜率不同
    .cause = gradcheck 把输入 { $input }（从 0 数起）的每个元素移动一小步，测量输出 { $output }（从 0 数起）的变化；backward 算出的雅可比矩阵与它不同。
    .repair = 检查该函数的 backward。如果它没有错，这一点可能是折点，例如 0 处的 relu，或者输入的精度低于 float64。
error-resize-in-place = 需要梯度的张量不能改变大小
    .cause = { $code } 会改变一个由自动微分记录的张量的元素个数。
    .repair = 创建新的张量，例如用 x.reshape(...)、torch.cat 或 F.pad。
