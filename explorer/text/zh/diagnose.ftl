# 没有报错却不对的地方：标题、带数值的原因、怎么改。

diagnosis-fault = 隐患
diagnosis-note = 提示
diagnosis-at = { $place }：{ $what }

diagnosis-gradient-falsified = 梯度是用被改写过的数算出来的
    .cause = { $code } 为反向传播保存了 { $name } = { $was }。反向传播读取它之前，这一行绕过 torch 的版本计数器把它写成了 { $now }，所以没有任何警告。
    .repair = 在 backward() 之后再写，或者写到副本里。
diagnosis-gradient-stale = 更新时连旧梯度也用上了
    .cause = { $name }.grad 里还留着上一轮的 { $before }，没有清零；backward 又累积上去，这一行用的是总和 { $after }。
    .repair = 每次更新都要清零一次：optimizer.zero_grad()，或 { $name }.grad = None。
diagnosis-gradient-cut = 梯度到不了 { $name }
    .cause = 结果依赖 { $name }，但计算图在这里断开：梯度无法经 { $code } 反向传播。
    .repair = { $by ->
        [argmax] argmax 没有导数。按 softmax 概率求期望位置则有导数；若要学习分类，把分数交给 cross_entropy。
       *[other] 在这条路径上保留张量本身，不要用 { $by }；如果有意断开，则不必修改。
    }
diagnosis-root-is-leaf = backward() 从一个没有历史的张量开始
    .cause = { $code } 使 { $name } 成为叶子张量：它与参数之间没有计算图相连，参数得不到梯度。
    .repair = 对由参数算出来的那个结果调用 backward()。
diagnosis-asked-too-late = 要求梯度太晚了
    .cause = { $code } 写在 { $name } 被使用之后：之前执行的运算没有为它记录任何东西。
    .repair = 在第一次使用之前就提出要求。
diagnosis-grad-of-result = 计算结果的 .grad 是空的
    .cause = { $name } 是由别的张量算出来的。torch 只在叶子张量里存放 .grad，所以 { $code } 是 None。
    .repair = 在 backward() 之前调用 { $name }.retain_grad()，若要训练的就是 { $name }，则使它成为叶子张量：{ $name } = { $name }.detach().requires_grad_()。
diagnosis-never-used = { $name } 没有参与计算
    .cause = 优化器管理着 { $name }，但执行过的代码从未读取它，所以它没有梯度，也始终不变。
    .repair = 在计算中使用它，或者去掉它。
diagnosis-step-function = 阶梯的斜率是 0
    .cause = { $code } 在两级台阶之间是常数：到达这里的是 { $arrived }，传下去的是 0，所以 { $name } 得到的全是零。
    .repair = 换成光滑的函数，或者让梯度直接通过：x + (f(x) - x).detach()。
diagnosis-gradient-stopped = 梯度停在平坦的地方
    .cause = { $code } 在这些数上都是平的：到达这里的是 { $arrived }，传下去的是 0，所以 { $name } 得到的全是零。
    .repair = 让输入落在函数有斜率的地方：换初始值、缩放数据，或换一个函数。
diagnosis-softmax-of-one = 只有一个元素的 softmax 永远是 1
    .cause = { $shape } 的轴 { $axis } 只有一个元素：无论给 { $code } 什么，概率都是 1，梯度都是 0。
    .repair = 两个类别、一个分数时用 sigmoid；否则每个类别给一个分数。
diagnosis-step-without-gradient = 这一步什么也没更新
    .cause = 之前算过梯度，但执行这一步时，这个优化器所管理的张量都没有梯度。
    .repair = 把 zero_grad() 放在 backward() 之前，不要放在它和 step() 之间；并把真正用到的张量交给优化器。
diagnosis-not-in-optimizer = { $name } 从来没有更新过
    .cause = { $name } 和被训练的张量一样有梯度，但没有优化器管理它，也没有哪一行更新它。
    .repair = 把它交给优化器；如果不想让它变，就设 requires_grad=False。
diagnosis-leaf-rebound = 名字 { $name } 离开了原来的叶子张量
    .cause = { $code } 生成一个新张量，并把名字 { $name } 给了它。它是计算结果，不是叶子张量：以后的梯度不会存进它的 .grad。
    .repair = 在 torch.no_grad() 下原地更新：{ $name } -= …
diagnosis-update-lost = 更新被丢掉了
    .cause = { $code } 生成一个新张量，并把名字 { $name } 给了它；参数本身没有变。
    .repair = 在 torch.no_grad() 下原地更新：{ $name } -= …
diagnosis-not-called = { $method } 只写了名字，没有调用
    .cause = { $code } 没有括号，只是提到了这个方法，它并没有运行。
    .repair = 写成 { $code }()。
diagnosis-nan-forward = NaN 从这里开始
    .cause = { $code } 的输入里没有 NaN，结果却有，并一直传到了最后的结果。
    .repair = 不要让输入（{ $given }）落在函数没有定义的地方。
diagnosis-nan-backward = NaN 从反向传播开始
    .cause = 结果是正常的数，但在 { $code }（{ $node }）的反向传播中，到达的是 { $arrived }，传下去的是 { $passed }，最后到了 { $name }。
    .repair = 应在运算之前改变输入，而不是在运算之后改变结果：{ $meets ->
        [zero] 值为 0 的梯度乘以无穷大或 NaN 的斜率，得到的是 NaN，而不是 0。
       *[other] 它在那里的斜率不是有限的数。
    }
diagnosis-loss-broadcast = 损失把每一个都和每一个比较了
    .cause = { $code } 的两边是 { $first } 和 { $second }：广播把它变成 { $made }，每个预测都和所有目标相减。
    .repair = 让两边形状相同，例如用 squeeze 或 unsqueeze。
diagnosis-probabilities-as-scores = 该给分数的地方给了概率
    .cause = { $loss } 自己会做 { $loss ->
        [cross_entropy] softmax
       *[other] sigmoid
    }。{ $made } 已经做过一次，再做一次会把梯度压平。
    .repair = 把分数原样交给损失函数。
diagnosis-not-log-probabilities = nll_loss 得到的不是对数概率
    .cause = 给 { $code } 的每一行取 exp 之后应当加起来等于 1，实际是 { $sums }。
    .repair = 先做 log_softmax，或者直接对分数用 cross_entropy。
diagnosis-shuffled-apart = 两次打乱的顺序不同
    .cause = { $first } 和 { $second } 把同样的 { $rows } 行排成了两种不同的顺序：样本和目标对不上了。
    .repair = 只生成一个排列，两边都用它。
diagnosis-wrong-mode = 模型在这里处于{ $mode ->
        [training] 训练
       *[eval] 预测
    }模式
    .cause = { $mode ->
        [training] { $code } 在训练之后、不记录梯度时运行，但它的层还是训练模式：结果带有随机性，或者会改动统计量。
       *[eval] { $code } 在预测模式下学习：为了测试设成了预测模式，没有改回来。
    }
    .repair = { $mode ->
        [training] 之前调用 model.eval()。
       *[eval] 之前调用 model.train()。
    }
diagnosis-loss-grows = 损失每一轮都在变大
    .cause = { $losses }：{ $uphill ->
        [True] 这一行加上了梯度，是在往上爬。
       *[False] 步子太大了。
    }
    .repair = { $uphill ->
        [True] 应当减去梯度。
       *[False] 把学习率调小。
    }
diagnosis-graph-kept = 这个和保留着 { $graphs } 个用完的计算图
    .cause = { $code } 把每一轮损失的计算图都留在内存里，虽然 backward() 早已走完。
    .repair = 改为累加数值：.item() 或 .detach()。
diagnosis-symmetric = { $name } 的 { $rows } 行一直相同
    .cause = 它们起点相同，得到的梯度也相同，所以始终是彼此的副本：这一层等于只有一个单元。
    .repair = 用随机数初始化。
diagnosis-truncated = 小数部分被截掉了
    .cause = { $code } 把 { $lost } 放进 { $dtype } 张量，它只能存整数。
    .repair = 把这个张量改成浮点数。
diagnosis-float-equality = 用 == 比较浮点数
    .cause = 在 { $code } 中，{ $first } 和 { $second } 只差 { $apart }，是舍入误差；== 却得到 False。
    .repair = 用 torch.isclose 或 torch.allclose 比较。
diagnosis-quotient-lost = h 小得看不见了
    .cause = { $sum } 和没有加 h = { $h } 时是同一个数：差是 0，差商也是 0。
    .repair = 取大一点的 h，或者用 float64。
