# 没有报错却不对的地方：标题、带数值的原因、怎么改。

diagnosis-fault = 隐患
diagnosis-note = 提示
diagnosis-info = 说明
diagnosis-if-meant = 若是有意为之，请在该行写 # fine: { $kind }。否则：
diagnosis-at = { $place }：{ $what }

diagnosis-gradient-falsified = 梯度是用被改写过的数算出来的
    .cause = { $code } 为反向传播保存了 { $name } = { $was }。反向传播读取它之前，这一行绕过 torch 的版本计数器把它写成了 { $now }，所以没有任何警告。
    .repair = 在 backward() 之后再写，或者写到副本里。
diagnosis-gradient-stale = { $name }.grad 没有清零：这次更新用了两次的梯度之和
    .cause = { $name }.grad 里还留着上一轮的 { $before }，没有清零；backward 又累积上去，得到 { $after }。这一行用两者一起更新。
    .repair = 每次更新都要清零一次：optimizer.zero_grad()，或 { $name }.grad = None。
diagnosis-gradient-cut = { $reach ->
        [penalty] 只有正则项的梯度到达 { $name }
       *[none] 梯度到不了 { $name }
    }
    .cause = { $reach ->
        [penalty] 正则项以外的项也依赖 { $name }，但那条路径的计算图在这里断开
       *[none] 结果依赖 { $name }，但计算图在这里断开
    }：{ $how ->
        [off] { $code } 运行时记录已被第 { $at } 行的 { $switch } 关闭。
        [unrecorded] { $code } 运行时记录是关闭的。
        [sampling] { $code } 抽取样本，抽样没有导数。
        [comparison] { $code } 是比较，布尔值没有导数。
        [function] { $code } 中的 Function 在自己的 backward 里为它返回 None。
        [made] { $code } 的结果在这里变成一个新张量，它不知道自己的元素从何而来。
       *[other] 梯度无法经 { $code } 反向传播。
    }
    .repair = { $by ->
        [argmax] argmax 没有导数。按 softmax 概率求期望位置则有导数；若要学习分类，把分数交给 cross_entropy。
       *[other] { $how ->
            [off] 在打开记录时计算它；如果有意断开，则不必修改。
            [unrecorded] 在 no_grad 之类之外、打开记录时计算它；如果有意断开，则不必修改。
            [sampling] 在损失中使用样本的 log_prob，或在分布提供时使用 rsample()。
            [comparison] 在损失中使用值本身，或 sigmoid 这样的光滑函数。
            [function] 在那个 backward 里返回它的梯度；如果有意断开，则不必修改。
            [made] 直接用这个结果计算，不要用它的元素创建新张量；如果有意断开，则不必修改。
           *[other] 在这条路径上保留张量本身，不要用 { $by }；如果有意断开，则不必修改。
        }
    }
diagnosis-root-is-leaf = backward() 从一个没有历史的张量开始
    .cause = { $code } 使 { $name } 成为叶子张量：它与参数之间没有计算图相连，参数得不到梯度。{ $how ->
        [off] 第 { $line } 行的 { $cut } 运行时记录已被第 { $at } 行的 { $switch } 关闭。
        [unrecorded] 第 { $line } 行的 { $cut } 运行时记录是关闭的。
        [sampling] 第 { $line } 行的 { $cut } 抽取样本，抽样没有导数。
        [comparison] 第 { $line } 行的 { $cut } 是比较，布尔值没有导数。
        [position] 第 { $line } 行的 { $cut } 给出位置，位置没有导数。
       *[other] { $line ->
            [0] {""}
           *[known] 历史在第 { $line } 行的 { $cut } 处结束。
        }
    }
    .repair = { $how ->
        [off] 在打开记录时计算它，不要给结果设 requires_grad。
        [unrecorded] 在打开记录时计算它，不要给结果设 requires_grad。
        [sampling] 在损失中使用样本的 log_prob，如 −(log_prob · reward).mean()，或在分布提供时使用 rsample()。
        [comparison] 在损失中使用比较之前的值，或 sigmoid 这样的光滑函数。正确率用来观察，不能用来学习。
        [position] 把分数交给损失，例如 cross_entropy。正确率用来观察，不能用来学习。
       *[other] 对一路都由 torch 从参数算出来的结果调用 backward()。
    }
diagnosis-asked-too-late = requires_grad 设得太晚
    .cause = { $code } 写在使用 { $name } 之后：此前执行的运算都没有为它做记录。
    .repair = 在第一次使用它之前就设置 requires_grad。
diagnosis-grad-of-result = 计算结果的 .grad 是空的
    .cause = { $name } 是由别的张量算出来的。torch 只在叶子张量里存放 .grad，所以 { $code } 是 None。
    .repair = 在 backward() 之前调用 { $name }.retain_grad()，若要训练的就是 { $name }，则使它成为叶子张量：{ $name } = { $name }.detach().requires_grad_()。
diagnosis-never-used = { $now ->
        [none] { $name } 没有参与计算
       *[other] 优化器管理的 { $name } 已被替换
    }
    .cause = { $now ->
        [none] 优化器管理着 { $name }，但执行过的代码从未读取它，所以它没有梯度，也始终不变。
       *[other] 优化器仍管理着 { $name }，而模型里已经没有它了。梯度到达的是 { $now }，没有优化器管理它，所以它始终不变。
    }
    .repair = { $now ->
        [none] 在计算中使用它，或者去掉它。
       *[other] 在最后一行替换模型部件的代码之后再创建优化器。
    }
diagnosis-step-function = 阶梯的斜率是 0
    .cause = { $code } 在两级台阶之间是常数。它的反向传播把梯度 { $arrived } 变成 0，所以 { $name } 得到的全是零。
    .repair = 换成光滑的函数，或者让梯度直接通过：x + (f(x) - x).detach()。
diagnosis-gradient-stopped = 梯度停在平坦的地方
    .cause = { $bias ->
        [none] { $code } 在这些数上都是平的
        [dropped] { $code } 中的 dropout 比率是 1，丢掉了所有元素
       *[other] { $wrote } 使 { $code } 中 relu 的输入全是负数（最大 { $largest }；没有 { $bias } 时最大 { $without }），它在那里是平的
    }。它的反向传播把梯度 { $arrived } 变成 0，所以 { $name } 得到的全是零。
    .repair = { $bias ->
        [dropped] 这个比率是丢弃的份额：取小于 1 的数。
        [none] 让输入落在函数有斜率的地方：换初始值、缩放数据，或换一个函数。
       *[other] 让 { $bias } 从 0 或接近 0 开始。
    }
diagnosis-sample-stops = 梯度停在随机抽取的数上
    .cause = { $code } 的结果是随机抽取的，torch 把它当作常数：传到这里的梯度是 { $arrived }，继续传向 { $name } 的是 0。
    .repair = { $normal ->
        [yes] 只抽取噪声，再算出样本：mean + std * torch.randn_like(mean)，或用分布的 rsample()。
       *[no] 用有 rsample() 的分布，或用其概率的对数 log_prob() 作损失。
    }
diagnosis-softmax-of-one = 只有一个元素的 softmax 永远是 1
    .cause = { $shape } 的轴 { $axis } 只有一个元素：无论给 { $code } 什么，概率都是 1，梯度都是 0。
    .repair = 两个类别、一个分数时用 sigmoid；否则每个类别给一个分数。
diagnosis-step-without-gradient = { $cause ->
        [generator] { $optimizer } 有一组没有参数
        [copy] { $optimizer } 训练的是副本
        [replaced] { $optimizer } 训练的是已被替换的参数
        [other] { $optimizer } 训练的是别的张量
       *[unknown] 这一步什么也没更新
    }
    .cause = { $cause ->
        [generator] { $optimizer }{ $line ->
            [0] {""}
           *[other] （第 { $line } 行）
        }有一组参数个数为 0，所以 { $received } 不在任何一组里，永远不会更新。生成器只能遍历一次：在这之前它已经被读完了。
        [copy] { $optimizer }{ $line ->
            [0] {""}
           *[other] （第 { $line } 行）
        }管理的是 { $held }，它是 { $received } 的副本：数值相同，内存不同。损失由 { $received } 算出，副本得不到梯度。
        [replaced] { $optimizer }{ $line ->
            [0] {""}
           *[other] （第 { $line } 行）
        }管理的是 { $held }，后来它被副本 { $received } 取代。损失由副本算出，而 { $optimizer } 仍拿着旧的。
        [other] { $optimizer }{ $line ->
            [0] {""}
           *[other] （第 { $line } 行）
        }管理的是 { $held }，而梯度给了 { $received }，后者不归它管理。
        [none] 程序从来没有调用 backward()：{ $optimizer } 的张量没有梯度，step() 什么也不更新。
        [cleared] { $optimizer } 的张量先前有过梯度，但执行这一步时都没有了：中间被清除了。
       *[unknown] 之前算过梯度，但执行这一步时，这个优化器所管理的张量都没有梯度。
    }
    .repair = { $cause ->
        [generator] 把参数变成列表 list(model.parameters())，或者给优化器时重新调用 model.parameters()。
        [copy] 把 { $received } 本身交给优化器，不要交它的 clone、detach 或 deepcopy。
        [replaced] 在最后一次替换或复制模型之后再创建优化器。
        [other] 把计算损失所用模型的参数交给优化器。
        [none] 在 step() 之前调用 loss.backward()。
        [cleared] 把 zero_grad() 放在 backward() 之前，不要放在它和 step() 之间。
       *[unknown] 把 zero_grad() 放在 backward() 之前，不要放在它和 step() 之间；并把真正用到的张量交给优化器。
    }
diagnosis-not-in-optimizer = { $name } 从来没有更新过
    .cause = { $name } 和被训练的张量一样有梯度，但没有优化器管理它，这次运行中也没有任何东西改变它。
    .repair = { $hidden ->
        [buffer] parameters() 不包含缓冲区：不要用 register_buffer，写成 self.… = nn.Parameter(…)；如果要保持不变，就登记一个不求梯度的张量。
        [yes] 如果它的层放在普通的列表或字典里，parameters() 不会包含它：请用 nn.ModuleList 或 nn.ModuleDict。否则把它交给优化器；如果不想让它变，就设 requires_grad=False。
        [new] 优化器持有的是创建它时模型的参数：请在最后一次替换或添加参数之后再创建优化器。
        [thawed] 它在训练开始之后才需要梯度：在那里用 add_param_group 把它交给优化器。
       *[no] 把它交给优化器；如果它应当保持不变（例如目标网络），就设 requires_grad=False，或者对它算出的结果用 detach。
    }
diagnosis-layer-in-forward = 每一轮都新建一个层
    .cause = { $code } 每次运行都会生成新的随机参数（这里共 { $rounds } 次）。它们有梯度，但没有优化器管理它们，所以什么也学不到。{ $name ->
        [none] {""}
       *[other] 优化器管理的是 { $name }，它没有梯度。
    }
    .repair = 在 __init__ 里创建一次这个层，在这里调用它。
diagnosis-never-stepped = { $optimizer } 从来没有更新
    .cause = { $names } 在 { $rounds } 轮里都得到了梯度，但程序从来没有调用 { $optimizer }.step()，所以什么也没学到。
    .repair = 在 backward() 之后调用 { $optimizer }.step()。
diagnosis-stepped-twice = 一次 backward 之后 { $optimizer } 更新了两次
    .cause = { $code } 在第 { $line } 行的 step 之后，用同样的梯度再更新一次，{ $rounds } 轮都是如此：每一轮参数移动两次。
    .repair = 去掉其中一个。
diagnosis-moved-by-hand = { $name } 每一轮更新了两次
    .cause = { $code } 按梯度更新 { $name }，{ $optimizer } 的 step 也这样做，全部 { $rounds } 轮都是如此。
    .repair = 去掉其中一个。
diagnosis-step-before-backward = { $optimizer } 在 backward 之前就更新
    .cause = { $code } 在第 { $line } 行的 backward 之前运行，{ $rounds } 轮都是如此。{ $cleared ->
        [yes] 每一轮开始时 zero_grad() 又清除了梯度，所以每次更新都没有梯度，什么也没有学到。
       *[no] 第一次更新时还没有梯度，之后每一次用的都是上一轮的梯度。
    }
    .repair = 在 backward() 之后再调用 { $code }。
diagnosis-optimizer-renewed = { $optimizer } 每一轮都被重新创建
    .cause = { $code } 在 { $rounds } 轮里都运行，每个 { $class } 只更新一次。{ $class } 要在许多步里积累梯度的平均值，而这里每次都从 0 开始。
    .repair = 在循环之前创建一次优化器。
diagnosis-clip-of-nothing = 这里没有裁剪任何梯度
    .cause = { $code } 没有收到任何张量。net.parameters() 这样的生成器只能遍历一次，在这之前已经遍历完了。
    .repair = 在这里重新调用 net.parameters()，或者保存 list(net.parameters())。
diagnosis-clip-scaled = 还没有除以缩放因子就裁剪了梯度
    .cause = { $scaler } 把损失乘以 { $factor }，梯度也放大了同样的倍数，{ $code } 却在这时裁剪。之后 { $scaler }.step 才除以这个因子，梯度几乎不剩什么了。
    .repair = 先调用 { $scaler }.unscale_(optimizer)，再裁剪。
diagnosis-step-scaled = 更新用的是放大了的梯度
    .cause = { $scaler } 把损失乘以 { $factor }，所以每个梯度也大了这么多倍，而 { $code } 直接使用了它们。
    .repair = 改为 { $scaler }.step({ $optimizer })，再调用 { $scaler }.update()。
diagnosis-accumulation-lost = 梯度在使用之前被清除
    .cause = { $optimizer } 每次更新之前有 { $count } 次 backward，但这一行每次都清除梯度：更新只用到最后一次的梯度。
    .repair = 每次更新之后清除一次梯度。
diagnosis-frozen-moves = { $name } 被冻结，却仍在变化
    .cause = { $line ->
        [0] 程序在每次更新前把同样几行的梯度设为 0，但 { $optimizer } 的 weight_decay 也会缩小没有梯度的权重：这些行从 { $was } 变成了 { $now }。
       *[set] 第 { $line } 行设了 requires_grad=False，但 { $name } 还留着旧的 .grad，{ $code } 继续使用它：{ $name } 从 { $was } 变成了 { $now }。
    }
    .repair = { $line ->
        [0] 把 { $name } 放进单独的参数组，设 weight_decay=0；或者在每次更新后恢复这些行原来的值。
       *[set] 冻结时清除梯度：{ $name }.grad = None；或者只把要训练的参数交给优化器。
    }
diagnosis-setting-misspelt = 这个设置不起作用
    .cause = { $code } 设的是一个新名字，torch 从不读取它。
    .repair = 请写成 { $meant }。
diagnosis-comparison-broadcast = 每个预测都和所有标签比较了
    .cause = { $code } 的两边是 { $first } 和 { $second }：广播把它变成 { $made }，平均是对所有配对取的。
    .repair = 让两边形状相同，例如用 squeeze(1)。
diagnosis-penalty-constant = { $how ->
        [residual] 导数在训练中成了常数
       *[other] 损失中有一项是常数
    }
    .cause = { $code } 返回的{ $how ->
        [number] 是 Python 数
        [detached] 张量没有计算历史
       *[gradient] 梯度没有计算历史
    }，所以{ $how ->
        [residual] 它在 { $term } 里是常数：训练时就好像导数与参数无关一样。
       *[other] { $term } 加上的这一项没有梯度，什么也不训练。
    }
    .repair = { $how ->
        [number] 把张量本身加到损失上。
        [detached] 在开启记录时计算这一项，并原样加上。
       *[gradient] 调用 autograd.grad 时加上 create_graph=True。
    }
diagnosis-loss-dropped = 算出的损失没有被使用
    .cause = { $name ->
        [none] { $code } 算了 { $rounds } 次，backward() 只从其中 { $used } 个损失开始：每个内层循环的最后一个。其余的没有被读取。
       *[other] { $code } 在 { $rounds } 轮里都被计算，却没有进入任何 backward：{ $name } 在优化器里，却没有梯度。
    }
    .repair = { $name ->
        [none] 在内层循环里对每一个调用 backward()，或者先把它们加起来。
       *[other] 把它加到调用 backward() 的损失上。
    }
diagnosis-targets-cut = 目标的小数部分被截掉了
    .cause = { $code } 把 { $given } 变成整数 { $made }，之后 { $loss } 与这些整数比较。
    .repair = 让目标保持浮点数。
diagnosis-parameter-scaled = { $name } 是计算结果，不是参数
    .cause = { $code } 由一个没有名字、requires_grad=True 的张量算出 { $name }，只算一次。梯度给了那个张量，没有优化器管理它，{ $name } 在 { $rounds } 轮里一直不变。
    .repair = 先算好数值，再创建参数：nn.Parameter(values)，或者 values.requires_grad_()。
diagnosis-leaf-rebound = { $name } 不再指向叶子张量
    .cause = { $code } 生成一个新张量，并命名为 { $name }。它是计算结果，不是叶子张量：以后的梯度不会存进它的 .grad。
    .repair = 在 torch.no_grad() 下原地更新：{ $name } -= …
diagnosis-loss-not-renewed = { $how ->
        [one] 每一轮都从同一个损失开始
       *[sum] 每一轮都对以前各轮的损失再求一次导
    }
    .cause = { $how ->
        [one] { $name } 只在第 { $line } 行算过一次，backward() 却在 { $rounds } 轮里走过它的图。{ $leaf } 早已改变，梯度却仍是最初数值的梯度。
       *[sum] { $name } 包含以前各轮的损失，backward() 在 { $rounds } 轮里再次走过它们的图。{ $leaf } 早已改变，它们的梯度却仍是以前数值的梯度。
    }
    .repair = { $how ->
        [one] 在循环里、每次 backward() 之前重新计算损失；那样就不需要 retain_graph=True。
       *[sum] 对本轮的损失调用 backward()，把 loss.item() 加到累计的数上；那样就不需要 retain_graph=True。
    }
diagnosis-gradient-left = { $optimizer } 的更新还用到了 { $other } 的损失的梯度
    .cause = 第 { $line } 行的 backward() 是为 { $other } 的更新而做的，但它也经过 { $name }，在那里留下梯度。计算自己的损失的梯度时它还在，这次更新用的是两者之和。
    .repair = 在自己的损失调用 backward() 之前调用 { $optimizer }.zero_grad()。
diagnosis-batch-repeats = 每一轮都抽到相同的行
    .cause = 在全部 { $rounds } 轮中，{ $code } 给出的都是同样的 { $drawn } 个位置：{ $name } 的 { $rows } 行里只用到这些。
    .repair = 只在循环之前设置一次随机种子。
diagnosis-argument-unused = 函数没有用到求导的参数
    .cause = { $code } 返回全零：函数没有读取任何一个求导的参数。
    .repair = 用这些参数计算，例如用 functional_call(model, params, (x,)) 代替 model(x)。
diagnosis-paths-cancel = 两条路径相互抵消，{ $name } 学不到东西
    .cause = { $where ->
        [leaf] 每一轮中 { $name } 都从 { $code } 的多条路径得到梯度，例如 { $first } 和 { $second }。它们之和恰好为 0，其他参数的梯度也都是 0。
       *[result] { $code } 的结果从多条路径得到梯度，例如 { $first } 和 { $second }。它们之和恰好为 0，因此它之前的一切都只得到 0。
    }
    .repair = 在不需要学习的路径上 detach 这个结果：log_prob 里的样本、比值里的旧值、x + (q - x) 里的差。
diagnosis-moved-for-each = 共用内存的两个参数都被更新
    .cause = { $name } 和 { $source } 共用同一块内存，而 { $optimizer } 把两者都管理着：每次更新都会改两次，而且各用各的动量。
    .repair = 要赋值的是参数本身，而不是它的 .data：这样就只有一个参数，它的梯度是两份之和。
diagnosis-loss-swapped = 标签和预测放反了
    .cause = { $loss } 的第一个参数是预测，第二个是标签。{ $code } 的第一个参数没有历史，元素只有 0 和 1：{ $entries }。
    .repair = 交换前两个参数。
diagnosis-gradient-unread = { $function } 的 backward 没有用到 { $name }
    .cause = 它从不读取传来的梯度 { $name }，所以它返回的结果只有在梯度为 1 时才正确。
    .repair = 按链式法则，把导数乘以 { $name }。
diagnosis-update-lost = { $how ->
        [result] 结果没有被用到
       *[bare] 更新被丢掉了
    }
    .cause = { $how ->
        [bare] { $code } 生成一个新张量，但没有任何地方读取它；{ $name } 没有变。
        [result] { $code } 得到一个新的张量，但没有代码读取它；后面用的仍是原来的 { $name }。
        [copy] { $method } 创建一个副本，{ $code } 写入的是它；没有代码读取这个副本，{ $name } 保持不变。
       *[name] { $code } 生成一个新张量，并把名字 { $name } 给了它；参数本身没有变。
    }
    .repair = { $how ->
        [bare] 用 { $method }_ 直接修改 { $name } 本身。
        [result] 给结果一个名字：{ $name } = { $code }；或者去掉这一行。
        [copy] 用赋值写入 { $name } 本身：{ $name }[…] = …
        [loop] 在 torch.no_grad() 下写入参数本身：{ $name }.copy_(…)
       *[name] 在 torch.no_grad() 下原地更新：{ $name } -= …
    }
diagnosis-not-called = { $method } 只写了名字，没有调用
    .cause = { $code } 没有括号，只是提到了这个方法，它并没有运行。
    .repair = 写成 { $code }()。
diagnosis-nan-forward = { $how ->
        [overflow] 数值在这里溢出
        [pole] ∞ 从这里开始
        [infinite] ∞ 从这里开始
        [unaligned] 目标序列比输入长
        [written] 这里写入了 { $what }
       *[nan] NaN 从这里开始
    }
    .cause = { $how ->
        [overflow] { $code } 溢出：输入是有限的数（{ $given }），结果是 ∞{ $only ->
            [inf] {""}
           *[nan] ，之后变成 NaN
        }。
        [infinite] { $code } 的输入（{ $given }）是有限的数，结果却是 ∞{ $only ->
            [inf] {""}
           *[nan] ，之后变成 NaN
        }。
        [unaligned] { $code } 的结果是 ∞：目标的每个标签要占输入的一步，相邻的相同标签之间还要多一步。这里有目标超出了输入的步数。
        [pole] { $code } 的输入（{ $given }）中有 0，结果是 ∞{ $only ->
            [inf] {""}
           *[nan] ，之后变成 NaN
        }。
        [nothing] { $code } 对空的内容求平均：没有元素，或所有目标都是 ignore_index。这是 0 / 0，即 NaN。
        [row] { $code } 得到的某一行全是 −∞，例如掩码什么也没留下：它的 softmax 是 NaN。
        [written] { $code } 写入了 { $what }，{ $what ->
            [NaN] 并一直传到了最后的结果
           *[other] { $only ->
                [inf] 并一直传到了最后的结果
               *[nan] 之后由它产生 NaN，并传到了最后的结果
            }
        }。
        [masked] { $code } 连对角线也掩蔽了，于是第 0 行全被掩蔽：{ $given } 在那里只剩 −∞，结果是 NaN。
       *[nan] { $code } 的输入里没有 NaN，结果却有，并一直传到了最后的结果。
    }
    .repair = { $how ->
        [overflow] { $grown ->
            [yes] 参数已增大一千倍以上：使用更小的学习率。
           *[no] 让数值小一些，或使用不会溢出的函数，例如对指数求和再取对数用 logsumexp。
        }
        [infinite] 让输入远离函数为无穷大的地方。
        [unaligned] 去掉这样的样本，或给出 zero_infinity=True：它们按 0 计，也不传递梯度。
        [pole] 让输入远离 0，或使用一步算完的函数，例如对 softmax 取对数用 log_softmax。
        [nothing] 跳过什么也不剩的小批量，或求和后除以至少为 1 的个数。
        [row] 去掉这样的行，或者每行至少保留一个元素。
        [written] 不要让这些元素进入损失，或者写入有限的数。
        [masked] 不要掩蔽对角线：diagonal=1。
       *[nan] 不要让输入（{ $given }）落在函数没有定义的地方。
    }
diagnosis-missing-cells = { $tables } 中的 { $missing } 个缺失值使 { $root } 变成 NaN
    .cause = 缺失值：{ $columns }。{ $code } 把它们变成{ $named ->
        [no] {""}
       *[yes] {" "}{ $name } 中的
    } NaN。由 NaN 算出的结果都是 NaN，梯度也是。
    .repair = 在这一行之前填充缺失值，例如 { $table } = { $table }.fillna({ $table }.mean(numeric_only=True))，或删除有缺失值的行：{ $table } = { $table }.dropna()。缺少标签的行应删除，不要填充标签。
diagnosis-nan-given = { $how ->
        [unfilled] { $root } 由从未赋值的内存算出
        [gradient] { $root } 由不是有限数的梯度算出
       *[data] 数据使 { $root } 成为 { $what }
    }
    .cause = { $how ->
        [unfilled] { $code } 只分配内存，不设置元素的值：{ $size } 个元素中有 { $bad } 个不是有限的数。
        [gradient] { $code } 读取的梯度中，{ $size } 个元素里有 { $bad } 个不是有限的数。
       *[data] 在任何运算使用之前，{ $named ->
            [no] { $code }
           *[yes] { $name }
        } 的 { $size } 个元素中就有 { $bad } 个不是有限的数。由 NaN 算出的结果都是 NaN。
    }
    .repair = { $how ->
        [unfilled] 使用 torch.zeros，或在第一次使用之前写入每个元素。
        [gradient] 先找出那个梯度为什么不是有限的数。
       *[data] 在训练之前去掉或替换这些元素，例如用 torch.nan_to_num(x)，或删除它们所在的行。
    }
diagnosis-root-nonfinite = { $root } 是 { $what }
    .cause = 反向传播开始时 { $root } 是 { $what }。
    .repair = 从数据开始，用 torch.isfinite(x).all() 检查各个输入。
diagnosis-nan-backward = 梯度在反向传播中变成 { $what }
    .cause = { $forward ->
        [unknown] {""}
        [finite] { $root } 是有限的数。
        [entry] { $root } 是有限的数，但 { $code } 的元素 { $place } 是 { $made }。
       *[scalar] { $root } 是有限的数，但 { $code } 是 { $made }。
    }{ $code }（{ $node }）的反向传播把梯度 { $arrived } 变成 { $passed }，于是 { $name } 的梯度变成 { $grad }。
    .repair = { $meets ->
        [zero] 应在运算之前改变输入，而不是在运算之后改变结果：值为 0 的梯度乘以无穷大或 NaN 的斜率，得到的是 NaN，而不是 0。
        [grown] 参数已增大一千倍以上：使用更小的学习率。
        [overflow] 斜率是有限的，但乘积超出了该数据类型的范围：缩小输入或损失。
        [slope] 应在运算之前改变输入，而不是在运算之后改变结果：它在那里的斜率不是有限的数。
       *[other] 应在运算之前改变输入，而不是在运算之后改变结果。
    }
diagnosis-loss-broadcast = 每一行都与所有行配对：形状为 { $first } 和 { $second }
    .cause = { $code } 两边的形状是 { $first } 和 { $second }，经广播得到 { $made }：本来只属于某一行的目标或权重，被用到了所有行上。
    .repair = 让两边形状相同，例如用 squeeze 或 unsqueeze。
diagnosis-probabilities-as-scores = 需要分数的地方传入了概率
    .cause = { $twice ->
        [yes] { $code } 对 { $made } 的结果再做一次 { $applied }，而它已经做过 { $applied }：第二次会把梯度压平。
        [other] { $loss } 需要分数，自己会做 { $applied }。{ $made } 给它的是 0 到 1 之间的概率，这会把梯度压平。
       *[no] { $loss } 自己会做 { $applied }。{ $made } 已经做过一次，再做一次会把梯度压平。
    }
    .repair = { $twice ->
        [yes] 只做一次。
       *[no] 把分数原样交给损失函数。
    }
diagnosis-not-log-probabilities = { $loss } 得到的不是对数概率
    .cause = { $given ->
        [probabilities] { $code } 得到的是 { $made } 给出的概率，而 { $loss } 需要它们的对数。
        [axis] { $code } 需要 log_softmax 沿轴 1（类别）取的对数，而 { $made } 沿的是另一个轴。
        [last] { $code } 得到的每一行是各个类别，所以 { $made } 的 log_softmax 应当沿最后一个轴；它沿的是另一个轴。
       *[scores] { $code } 得到的是某一层的分数（来自 { $made }），而 { $loss } 需要概率的对数。直接用分数时，损失没有下界。
    }{ $sums ->
        [none] {""}
       *[other] 每一行取 exp 之后应当加起来等于 1，实际是 { $sums }。
    }
    .repair = { $given ->
        [axis] 沿类别取 log_softmax：dim=1。
        [last] 沿类别取 log_softmax：dim=-1。
       *[other] { $loss ->
            [nll_loss] 先做 log_softmax，或者直接对分数用 cross_entropy。
           *[other] { $given ->
                [probabilities] 用 log_softmax 代替 softmax。
               *[other] 先做 log_softmax。
            }
        }
    }
diagnosis-shuffled-apart = 两次打乱的顺序不同
    .cause = { $first } 和 { $second } 把同样的 { $rows } 行排成了两种不同的顺序：样本和目标对不上了。
    .repair = 只生成一个排列，两边都用它。
diagnosis-wrong-mode = 模型在这里处于{ $mode ->
        [training] 训练
       *[eval] 预测
    }模式
    .cause = { $mode ->
        [training] { $code } 在训练之后、不记录梯度时运行，但它的层还是训练模式：结果带有随机性，或者会改动统计量。
        [copied] { $code } 用的是创建时的 running_mean = 0 和 running_var = 1：它的权重后来更新过，但从未统计过任何小批量，也没有复制统计量。
        [unmeasured] { $code } 在预测模式下学习，用的是创建时的 running_mean = 0 和 running_var = 1：从未统计过任何小批量，等于没有规范化。
       *[eval] { $code } 在预测模式下学习：为了测试设成了预测模式，没有改回来。
    }
    .repair = { $mode ->
        [copied] 复制参数时连同缓冲区一起复制（像 load_state_dict 那样），或者统计一些小批量（像 torch.optim.swa_utils.update_bn 那样）。
        [training] 之前调用 model.eval()。
       *[eval] 之前调用 model.train()。
    }
diagnosis-frozen-statistics = { $module } 被冻结，但它的统计量仍在变化
    .cause = { $module } 的参数设了 requires_grad=False，但它处于训练模式，所以 { $code } 仍用每个小批量做规范化，并继续更新 running_mean 和 running_var。
    .repair = 在 train() 之后对冻结的层调用 eval()。
diagnosis-dropout-always = { $code } 在预测模式下也会丢弃元素
    .cause = { $how ->
        [made] { $code } 每次调用都新建一个层。新建的层处于训练模式，所以它总会丢弃元素，调用 eval() 之后也一样。
       *[function] { $code } 是函数，不知道模块处于什么模式：不写 training= 时它总会丢弃元素，调用 eval() 之后也一样。
    }
    .repair = { $how ->
        [made] 在 __init__ 里创建一次这个层，在这里调用它。
       *[function] 在调用中写 training=self.training，或改用 nn.Dropout，eval() 会关闭它。
    }
diagnosis-loss-grows = 损失不断增大
    .cause = { $uphill ->
        [True] { $losses }：这一行加上了梯度，是在往上爬。
        [steps] 从第 { $step } 步起，损失每一步都在增大：{ $losses }。{ $ratio ->
            [none] {""}
           *[long] 这一步的更新是全部权重大小的 { $ratio } 倍。
        }
       *[False] { $losses }：步子太大了。
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
diagnosis-integer-wraps = 这个数超出 { $dtype } 的范围
    .cause = { $code } 得到 { $exact }，{ $dtype } 存不下，它变成了 { $made }。
    .repair = 先转换再计算，例如 x.float() - 128。
diagnosis-float-equality = 用 == 比较浮点数
    .cause = 在 { $code } 中，{ $first } 和 { $second } 只差 { $apart }，是舍入误差；== 却得到 False。
    .repair = 用 torch.isclose 或 torch.allclose 比较。
diagnosis-quotient-lost = h 太小，不起作用
    .cause = { $sum } 和没有加 h = { $h } 时是同一个数：差是 0，差商也是 0。
    .repair = 取大一点的 h，或者用 float64。
diagnosis-layer-forgotten = { $name } 不在任何优化器里
    .cause = { $names } 和前后的层一样每一轮都有梯度，但{ $optimizer ->
        [none] 没有优化器管理它们
       *[other] { $optimizer } 不管理它们
    }。它们从不更新，梯度也没人清除：{ $name }.grad 的范数在 { $rounds } 轮里从 { $first } 变到 { $last }。
    .repair = 把它们交给优化器；如果要保持不变，就设 requires_grad=False。
diagnosis-frozen-in-optimizer = { $optimizer } 管理着得不到梯度的张量
    .cause = { $optimizer } 管理的 { $names } 设了 requires_grad=False：反向传播不会为它求梯度，所以它永远不会更新。
    .repair = 创建时就设 requires_grad=True；或者不要把它交给优化器。
diagnosis-zeros-hold = 从 0 开始的权重一直是 0
    .cause = { $names } 在全部 { $rounds } 轮里都是 0，梯度也都是 0：每个的梯度都要乘以另一个，而另一个是 0。
    .repair = 用小的随机数初始化，nn.Linear 默认就是这样；前后相接的两个权重最多只有一个可以从 0 开始。
diagnosis-data-lost = 所有元素都变成了 0
    .cause = { $code } 是整数除法：{ $before } 都变成 0, 0, 0, …。之后 { $used } 又乘以这些 0，它的梯度也就是 0。
    .repair = 用 / 而不是 //，并且先转成浮点数再除。
diagnosis-kept-weights-shared = { $how ->
        [named] 一个模型的两个名字
        [same] 一个模型的两个名字
        [listed] { $back } 的元素共用一块内存
        [itself] { $name } 被写回它自己
       *[other] 保存的权重跟着模型一起变
    }
    .cause = { $how ->
        [listed] { $code } 没有复制：第 { $line } 行加进 { $back } 的每个元素都在 { $name } 的内存里，而每一步都在改动它。最后它们全都显示它最后的值。
        [same] { $code } 里的两个名字在全部 { $steps } 次调用中都是同一个张量，首先是 { $name }：并没有第二个模型，这一行写入的就是正在训练的权重。
        [named] { $code } 没有复制：两个名字是同一个模型。{ $back }（第 { $line } 行）把 { $name } 写回它自己，什么也没变。
        [itself] { $code } 就在 { $name } 的内存里：{ $back }（第 { $line } 行）把 { $name } 写回它自己，什么也没变。
        [added] { $code } 没有复制：它就在 { $name } 的内存里，之后的 { $steps } 步也都改到了它。{ $back }（第 { $line } 行）把 { $name } 加到它自己上：这不是平均值，还改动了 { $name }。
       *[written] { $code } 没有复制：它就在 { $name } 的内存里，之后的 { $steps } 步也都改到了它。{ $back }（第 { $line } 行）把 { $name } 写回它自己，什么也没变。
    }
    .repair = { $how ->
        [named] 复制模型：copy.deepcopy({ $copied })。
        [same] 用 copy.deepcopy() 复制模型；copy.copy() 和 = 会共用参数。
        [listed] 保存副本：{ $name }.detach().clone()。
       *[other] 保存副本：copy.deepcopy(model.state_dict())，或 tensor.detach().clone()。
    }
diagnosis-softmax-over-batch = softmax 作用在样本上，而不是类别上
    .cause = { $code } 对 { $shape } 的轴 0（样本）做规范化。损失随后比较每一行的各个类别，{ $low ->
        [none] 而一行的概率之和不是 1。
       *[other] 但各行之和是 { $low } … { $high }，不是 1。
    }
    .repair = 对类别做规范化：dim=1（或 dim=-1）。
diagnosis-clip-unused = 没有一步用到裁剪后的梯度
    .cause = { $order ->
        [late] { $code } 在 step() 之后执行，而梯度在下一次 backward() 之前就被清除了。各步用到的梯度范数最大为 { $norm }，上限是 { $bound }。
       *[early] { $code } 在 backward() 之前执行：那时还没有梯度，什么也没裁剪。之后 step() 用的就是 backward() 得到的原样梯度。
    }
    .repair = 在 backward() 和 step() 之间裁剪。
diagnosis-hook-zeroes = 钩子把 { $name } 的梯度全变成了 0
    .cause = 在 { $rounds } 轮里，钩子 { $code } 每次都把 { $name } 的梯度（第一次是 { $arrived }）变成了 0。
    .repair = 返回修改后的梯度，或返回 None 保持不变；要冻结 { $name }，请设 requires_grad=False。
diagnosis-weights-untied = { $name } 只是 { $source } 的副本，两者并没有共享权重
    .cause = { $code } 复制了 { $source }。之后两者各自训练，最后相差最大 { $apart }。
    .repair = 要绑定，就使用同一个参数：直接赋值 { $source }，不要 clone()。
diagnosis-data-rescaled = { $name } 每一轮都被原地修改
    .cause = { $code } 在同一份数据上执行了 { $rounds } 次：{ $name } 的范数从 { $first } 变到 { $last }。
    .repair = 在循环之前缩放一次，或者在循环里把结果赋给一个新变量。
diagnosis-layer-repeated = 同一层被用在了多个位置
    .cause = { $code } 只创建了一个 { $layer }，然后重复它：全部 { $count } 个位置的参数是同一份。
    .repair = 为每个位置各创建一个：[nn.{ $layer }(…) for _ in range({ $count })]。
diagnosis-data-augmented = { $random ->
        [yes] 随机的改动在 { $name } 里越积越多
       *[no] 改动在 { $name } 里越积越多
    }
    .cause = { $code } 写进了 { $name }（它拿到的是其中一部分）：后面的轮次有 { $times } 次从前面几轮留下的数值开始。
    .repair = 不要写进这一部分，而是得到新的张量，例如 x = x + noise；或者先 clone。
diagnosis-likelihood-falls = 训练在降低标签的概率
    .cause = { $code } 是标签的对数概率的平均值（来自 { $made }）。backward 从它开始，而每一步更新都让它变小。
    .repair = 在前面加负号；或者用 cross_entropy，或自带负号的 nll_loss。
diagnosis-losses-apart = 一个损失淹没了另一个
    .cause = { $code } 把 { $large }（{ $most }）和 { $small }（{ $least }）相加：每一轮中前者都是后者的 { $times } 倍，总和几乎就是它。
    .repair = 缩放目标值，或给每个损失一个权重，使两者都起作用。
diagnosis-target-without-effect = 目标值不起作用
    .cause = backward 从 { $code } 开始，它只是与 { $name } 的差，在全部 { $rounds } 轮中都是如此：无论目标值是多少，梯度都一样，损失会无止境地下降。
    .repair = 取差的平方或绝对值，像 F.mse_loss 和 F.l1_loss 那样。
diagnosis-labels-pick-rows = 标签填满了整行
    .cause = { $code } 把标签当成了行号：它设置的是 { $name } 的整行，而不是每一行中的一个元素。
    .repair = 同时给出行号：{ $name }[torch.arange(len({ $labels })), { $labels }] = 1；或者用 F.one_hot。
diagnosis-scores-cut = { $function ->
        [relu] 分数不可能低于 0
       *[dropout] Dropout 把损失的分数变成了 0
    }
    .cause = { $function ->
        [relu] { $loss } 得到的是 { $code } 的结果。{ $low ->
            [yes] 分数 0 对应概率 0.5，所以标签为 0 的项不可能得到更低的概率。
           *[no] 所有分数为负的类别都得到分数 0，并且没有梯度。
        }
       *[dropout] { $loss } 得到的是 { $code } 的结果：训练时它随机把一些分数变成 0，正确类别的分数也不例外。
    }
    .repair = 把最后一层的分数原样交给损失函数。
diagnosis-similarity-falls = 训练在降低相似度
    .cause = backward 从 { $code } 开始，它是与 { $target } 的余弦相似度：每次更新都让结果与它更不相似。
    .repair = 在前面加负号，或者用 1 减去相似度。
diagnosis-several-classes = cross_entropy 的一行里有多个类别
    .cause = 在 { $code } 中每一行的概率之和为 1，所以类别互相排斥。{ $name } 的一行里最多有 { $most } 个 1。
    .repair = 如果可以同时属于多个类别，就用 F.binary_cross_entropy_with_logits；否则让每一行的份额之和为 1。
diagnosis-mask-too-weak = 掩码没有去掉这些分数
    .cause = { $how ->
        [fill] { $code } 把被掩蔽的分数设为 { $value }
       *[times] { $code } 把被掩蔽的分数乘以 0
    }。softmax 对它取指数，结果约为 1，所以被掩蔽的项仍有权重。
    .repair = 在 softmax 之前用 masked_fill 把它们设为 float("-inf") 或 -1e9。
diagnosis-normalized-over-batch = 沿样本做了规范化
    .cause = { $code } 沿样本把 { $shape } 的每一列变成长度为 1 的向量。{ $product } 随后相乘的却是行，行的长度各不相同，所以乘积不是余弦。
    .repair = 对行做规范化：dim=1。
diagnosis-best-learned = 学习的是最好的动作，而不是采取的动作
    .cause = { $code } 取 { $scores } 每一行的最大值。损失让它接近所采取的动作的奖励，而那可能是另一个动作。
    .repair = 取那个动作的值：{ $scores }.gather(1, actions.unsqueeze(1))。
diagnosis-padding-attended = { $padding ->
        [none] 只注意到了后面的位置
       *[other] 只注意到了填充
    }
    .cause = { $padding ->
        [none] { $code } 去掉了每个位置自己和它前面的所有位置：softmax 于是只注意后面的位置，最后一个位置则没有可注意的。
       *[other] { $code } 去掉了索引不是 { $padding }（{ $embedding } 的填充）的所有键：softmax 于是只注意填充。
    }
    .repair = { $padding ->
        [none] 把掩码反过来：去掉后面的位置。
       *[other] 把掩码反过来：去掉索引是 { $padding } 的键。
    }
diagnosis-batch-read-as-time = 这一层把样本当成了时间步
    .cause = 没有 batch_first=True 时，{ $layer } 把 { $shape } 的轴 0 当作时间，轴 1 当作样本。{ $code } 于是在 { $rows } 个时间步上{ $how ->
        [first] 各取第一个样本
        [last] 各取最后一个样本
       *[all] 把所有样本合在一起
    }，再和每个样本的目标比较。
    .repair = 创建这一层时加上 batch_first=True。
diagnosis-target-moves = 梯度也流进了目标值
    .cause = { $code } 由 { $name } 算出，而训练又让 { $name } 的输出靠近它，它却没有 detach：每一步都会同时移动目标。
    .repair = 在 torch.no_grad() 下计算目标，或对它 detach。
diagnosis-axes-mixed = 可能该转置的地方用了 reshape
    .cause = { $how ->
        [apart] { $other } 展平的是 { $before } 的预测，{ $code } 展平的是 { $after } 的目标：大小为 { $first } 和 { $second } 的两个轴先后不同，于是损失拿大多数预测与别人的目标比较。
        [batch] { $code } 把 { $before } 变成形状 { $after }，但 { $first } 个样本位于 { $before } 的轴 { $second }。元素的顺序不变，所以每一行混有几个样本的元素，而它的目标只属于一个样本。
       *[one] { $code } 把 { $before } 变成形状 { $after }。元素的顺序不变，所以大小为 { $first } 和 { $second } 的两个轴并没有交换，而是混在了一起。
    }
    .repair = { $how ->
        [batch] 先用 transpose 或 permute 把样本放到第一个轴，再 reshape。
       *[other] 用 transpose 或 permute 交换轴；只合并或拆分相邻的轴。
    }
diagnosis-mean-over-batch = 全部 { $rows } 个样本得到同一个预测
    .cause = { $code } 对 { $shape } 的 { $rows } 个样本取 { $method }，结果又与全部 { $rows } 个目标比较。
    .repair = 沿另一个轴降维（dim=1），或者先逐个样本与目标比较，再对损失求平均。
diagnosis-schedule-first = 调度器先于优化器执行
    .cause = { $code } 在 { $optimizer } 的第一步之前就执行了：{ $lost ->
        [yes] 学习率 { $rate } 从未用到，第一步用的是 { $used }。
       *[no] 学习率的每次变化都早了一次调用。
    }
    .repair = 在 optimizer.step() 之后调用调度器。
diagnosis-schedule-elsewhere = 调度器属于另一个优化器
    .cause = { $code } 设置的是一个从未走步的优化器的学习率，最后为 { $rate }。更新这些参数的是 { $optimizer }，它的学习率一直是 { $used }。
    .repair = 在创建 { $optimizer } 的地方重新创建调度器，并把 { $optimizer } 交给它。
diagnosis-rate-falls = 学习率从 { $first } 降到 { $last }
    .cause = { $batches ->
        [yes] { $code } 执行了 { $count } 次，每个小批量一次。{ $scheduler } 通常按迭代周期（epoch）计数：{ $steps } 步之后学习率为 { $last }。
       *[no] { $code } 执行了 { $count } 次。{ $steps } 步中的大多数，学习率低于 { $first } 的万分之一，几乎什么也不改变。
    }
    .repair = { $batches ->
        [yes] 每个迭代周期（epoch）只调用一次 { $code }，放在小批量的循环之外；或者按小批量来设定它的步数。
       *[no] 让学习率降得慢一些：更大的 gamma，或更少地调用 { $code }。
    }
diagnosis-schedule-pace = { $scheduler } 按 { $planned } 次调用设定，实际调用了 { $count } 次
    .cause = { $pace ->
        [round] { $code } 每轮只执行一次，而 { $optimizer } 走了 { $steps } 步：计划的 { $planned } 次只用了 { $count } 次，学习率停在 { $last }。
       *[step] { $code } 在 { $steps } 步的每一步之后都执行，而 { $planned } 是外层循环的轮数：计划在 { $planned } 步之后就结束了。
    }
    .repair = { $pace ->
        [round] 在每一步之后调用 { $code }，或者按 { $count } 次调用来设定。
       *[step] 每个迭代周期只调用一次 { $code }，放在小批量的循环之后；或者按 { $steps } 次调用来设定。
    }
diagnosis-wrapper-bypassed = 各个进程从不交换梯度
    .cause = { $code } 调用的是 DistributedDataParallel 里面的模型。只有经过 { $name } 本身的前向，梯度才会在各进程间平均，而程序里没有一行调用它。
    .repair = 调用 { $name }(…)；{ $name }.module 只用来保存状态。
diagnosis-nothing-loaded = load_state_dict 什么也没有加载
    .cause = strict=False 时对不上的名字会被跳过，这里 { $name } 的参数一个也没有写入：权重仍是随机的。
    .repair = 看看这个调用返回的 missing_keys 和 unexpected_keys：名字常常带有 "module." 这样的前缀，需要去掉。
diagnosis-fake-attached = 一个模型的损失也在训练另一个模型
    .cause = { $code } 给 { $name } 带来了梯度，而且没有清除：{ $optimizer } 的下一步用的是它与自己损失的梯度之和。对 { $other } 来说，第二个损失带来的梯度每次都被清除。
    .repair = 在第一个损失里对生成器的结果用 .detach()，或者在第二次 backward 之前清除 { $optimizer } 的梯度。
diagnosis-plateau-upside-down = 调度器把下降的损失当成了坏事
    .cause = mode="max" 时 { $code } 等待更大的数。损失从 { $first } 降到 { $last }，学习率却被降到 { $rate }。
    .repair = 对损失用 mode="min"；"max" 用于准确率。
diagnosis-loss-as-epoch = { $scheduler } 把损失当成了迭代周期
    .cause = { $code } 把 { $given } 当作迭代周期的编号：{ $optimizer } 的学习率于是取决于损失，而不是调用的次数。
    .repair = 调用 step() 时不要给参数。只有 ReduceLROnPlateau 接受损失。
diagnosis-never-scheduled = { $name } 从未被调用
    .cause = { $code } 创建了一个 { $scheduler }，但别的行都没有它的名字：学习率保持不变。
    .repair = 在优化器的 step 之后，或每一轮之后，调用 { $name }.step()。
diagnosis-rate-tiny = 用这个学习率什么也不会动
    .cause = { $optimizer } 的学习率是 { $rate }：{ $steps } 步里没有一个参数移动超过 { $moved }。
    .repair = 用更大的学习率；Adam 通常从 0.001 左右开始，SGD 从 0.01 左右开始。
diagnosis-decay-dominates = { $adaptive ->
        [yes] 权重衰减压过了梯度
       *[no] 权重衰减把权重缩到几乎为 0
    }
    .cause = { $adaptive ->
        [yes] weight_decay={ $decay } 比梯度大十倍以上：{ $names } 的范数在 { $steps } 步里从 { $first } 变到 { $last }。
       *[no] weight_decay={ $decay }、学习率 { $rate }，每一步去掉每个权重的 { $part } %：{ $names } 的范数在 { $steps } 步里从 { $first } 变到 { $last }。
    }
    .repair = 用更小的衰减；通常是 0.0001 到 0.1。
diagnosis-gradient-vanishes = 梯度在到达 { $name } 之前就消失了
    .cause = 第一轮里 { $name } 的梯度范数是 { $norm }，{ $other } 的是 { $large }；之后每一轮它都小于 0.000001。通往它的每条路上都至少有 { $count } 次 sigmoid 或 tanh，每一次都把梯度乘以它的斜率。
    .repair = 在各层之间使用 ReLU、规范化或残差连接。
diagnosis-activation-saturated = { $function } 饱和了
    .cause = { $code } 的{ $sampled ->
        [yes] {" "}{ $entries } 个抽样输出
       *[no] {" "}{ $entries } 个输出
    }中有 { $saturated } 个从第一轮起就在极限上，因为它们的输入从 { $low } 到 { $high }。那里的斜率几乎是 0。{ $data ->
        [none] {""}
       *[other] { $data } 本身就很大。
    }
    .repair = 把输入调到 0 附近：把数据缩放到均值 0、标准差 1，或者用更小的初始权重。
diagnosis-softmax-over-queries = softmax 作用在{ $how ->
        [examples] 样本上，而不是每个样本的各部分上
       *[queries] 查询上，而不是键上
    }
    .cause = { $how ->
        [examples] { $code } 对 { $shape } 的轴 0（样本）做规范化。随后 { $product } 沿轴 1 求和，而这一轴的权重之和不是 1。
       *[queries] { $code } 对分数 { $shape } 的轴 −2（查询）做规范化。随后 { $product } 沿轴 −1（键）求和，而键的权重之和不是 1。
    }
    .repair = { $how ->
        [examples] 对求和的那一轴做规范化：dim=1。
       *[queries] 对键做规范化：dim=-1。
    }
diagnosis-sample-attached = 样本保留了梯度，log_prob 把它抵消了
    .cause = { $code } 用 rsample 抽样，所以 { $product } 的梯度也流过样本，与 log_prob 的梯度方向相反：分布平移时两者恰好抵消。均值从这一项什么也学不到。
    .repair = 用 sample() 抽样，或者在 log_prob 之前对样本 detach。
diagnosis-advantage-attached = 策略的损失也在移动价值
    .cause = { $code } 中的 { $weight } 依赖于同一个优化器训练的 { $name }：价值被推去改变对数概率的权重，而不是去做预测。
    .repair = 对权重 detach：{ $weight }.detach()。
diagnosis-noise-scaled = 噪声的方差与散度中的不一致
    .cause = 散度把 { $variance } 当作方差。{ $code } 却用 { $scale } 缩放噪声，{ $how ->
        [none] 它就是对数本身
        [uniform] 但这个噪声是 0 到 1 之间的均匀分布，不是正态分布：它的平均值是 0.5
       *[power] 它的平方是另一个数
    }。
    .repair = { $how ->
        [uniform] 使用正态噪声：torch.randn_like。
       *[power] 用方差的平方根缩放噪声：若 { $log } 是 log σ²，就是 (0.5 * { $log }).exp()。
    }
diagnosis-divergence-falls = 散度的符号反了
    .cause = 在每次 backward 中，对每个元素，{ $code } 越大损失越小：训练会把均值和方差 { $variance } 无止境地推开。
    .repair = 把符号反过来：散度是 −0.5 · Σ (1 + log σ² − μ² − σ²)。
diagnosis-state-empty = 状态始终是 0
    .cause = { $what ->
        [cell] 第一次 backward 之前的 { $steps } 步以及之后的每一步，{ $code } 都从零开始
       *[layer] { $code } 得到的序列只有一步，而且从零开始
    }：{ $name } 乘的是零，得到的梯度始终是 0，什么也没有被记住。
    .repair = { $what ->
        [cell] 在各步的循环之前创建一次状态，并把每一步的结果交给下一步。
       *[layer] 把整个序列交给这一层，时间单独占一个轴；或者把上一次的状态交给它。
    }
diagnosis-inputs-rescaled = 训练和评估时输入的尺度不同
    .cause = { $how ->
        [evaluation] 在 { $name } 上评估时，模型得到的是最大到 255 的整数。它学习用的 { $other } 却是小数。
       *[training] 在 { $name } 上评估时，模型得到的是小数。它学习用的 { $other } 却是最大到 255 的整数。
    }
    .repair = 两处用同样的方式缩放，例如 x / 255。
diagnosis-eps-as-momentum = 这里的 { $eps } 是 eps，不是 momentum
    .cause = { $code } 的第二个参数是 eps：每个方差都加上 { $eps }，而 momentum 仍是 0.1。
    .repair = 写出参数名。torch 的 momentum 是新的小批量所占的比例：别处的 momentum={ $eps } 在这里往往是 1 减去它。
diagnosis-noise-repeats = 每一轮的噪声都相同
    .cause = { $code } 在 { $rounds } 轮里抽到的都是同样的值：生成器每次都从同一个种子开始。损失始终是这一次抽样的损失。
    .repair = 在循环之前只设一次种子。
diagnosis-policy-upside-down = { $weight } 大于 0 的动作变得更不可能
    .cause = 在 { $weight } 大于 0 的地方，{ $code } 中的对数概率越小损失越小，而优化器让损失变小。
    .repair = 把符号反过来：损失是 −log_prob · { $weight }。
diagnosis-target-never-follows = 目标网络一直是随机权重
    .cause = { $code } 从第二个网络取下一个状态的价值。没有一行把权重复制给它：{ $other } 在训练，{ $name } 却还是最初的随机值。
    .repair = 在开始时以及每隔几步复制权重：target.load_state_dict(online.state_dict())。
diagnosis-target-out-of-reach = 目标够不着
    .cause = { $code } 把 { $made } 与 { $target } 比较，后者的元素从 { $low } 到 { $high }。{ $function } 从不返回{ $function ->
        [relu] 小于 0
        [sigmoid] 小于 0 或大于 1
       *[tanh] 小于 −1 或大于 1
    }的值。
    .repair = 去掉最后的 { $function }，或者把目标缩放到它的范围内。
diagnosis-padding-learned = 损失也算了填充
    .cause = 在 { $ids } 等于 { $padding }（{ $embedding } 的填充）的地方，目标是 { $number }，别处都不是。{ $code } 把这些位置也平均进去：训练有一部分花在了填充上。
    .repair = 把它们排除：ignore_index={ $number }。
diagnosis-mean-averaged = 均值之和除以了样本数
    .cause = { $loss } 已经是 { $rows } 个样本的均值，{ $total } 每个小批量加上一个。再除以样本数，平均值就小了一个批量大小的倍数。
    .repair = 除以小批量的个数 len(loader)，或者加上 { $loss }.item() 乘以批量大小。
diagnosis-shuffled-alone = 只打乱了样本，没有打乱目标
    .cause = { $code } 把 { $rows } 个样本排成随机顺序，而损失与之比较的 { $target } 仍是数据原来的顺序，于是样本对上了别人的目标。
    .repair = 两者用同一个排列，如 order = torch.randperm(n); x, y = x[order], y[order]。

# 训练的各步。$step、$before 是某一步，例如 “48 (epoch = 3, i = 17)”。

diagnosis-began = 从第 { $began } 步开始。
diagnosis-of-part = 这里只统计了已记录的部分。
diagnosis-thinned = 这个循环每 { $stride } 步只保留一步：实际开始可能略早。
diagnosis-loss-nonfinite = 损失变成 { $what }
    .cause = { $stays ->
        [yes] 从第 { $step } 步起
       *[no] 在第 { $step } 步
    }，损失是 { $what }。{ $how ->
        [line] 在那一步，第 { $line } 行的 { $code } 由有限的数算出了 { $made }。
        [update] 第 { $before } 步之后的更新使 { $parameter } 超出了数的范围。
        [gradient] 第 { $before } 步之后的更新用到了 { $parameter } 的梯度，其中有 NaN 或无穷。
       *[unknown] {""}
    }
    .repair = { $how ->
        [line] 让 { $code } 的输入留在结果有限的范围内。如果是更新把它们推到那里，就调小学习率。
        [unknown] 找出第一个不是有限数的张量；报告会说明 NaN 和无穷从哪里开始。
       *[other] 调小学习率，或裁剪梯度。
    }
diagnosis-gradient-nonfinite = 梯度变成 NaN 或无穷
    .cause = 在第 { $step } 步，损失还是 { $loss }，但 { $names }{ $leaves ->
        [1] {" "}
       *[other] {" "}等 { $leaves } 个参数
    }的梯度中已有 NaN 或无穷。
    .repair = 平方根这类函数在某些点斜率无穷，让它们的输入远离那些点。如果是更新把它们推到那里，就调小学习率。
diagnosis-zero = { $which ->
        [every] 所有梯度都变成 0
       *[some] 梯度停在 0
    }
    .cause = { $which ->
        [every] 从第 { $step } 步起，所有梯度恰好都是 0：什么也学不到了。
        [always] 在每一步，{ $names }{ $leaves ->
            [1] {" "}
           *[other] {" "}等 { $leaves } 个参数
        }的梯度都恰好是 0。
       *[some] 从第 { $step } 步起，{ $names }{ $leaves ->
            [1] {" "}
           *[other] {" "}等 { $leaves } 个参数
        }的梯度恰好是 0。
    }{ $how ->
        [reverse] 反向的那一半从最后一个输入开始读，而 { $code } 取的那一步它只读了这一个输入：它的循环权重还没有被用到。
        [flat] 第 { $line } 行的 { $code } 对它的每个输入斜率都是 0，梯度无法通过。
       *[unknown] {""}
    }
    .repair = { $how ->
        [reverse] 取两个方向各自的最终状态，例如 torch.cat((h[-2], h[-1]), dim=1)，其中 h 是该层的最终隐状态。
        [flat] 改用在那里有斜率的函数，例如 LeakyReLU。如果是更新把它的输入推到那里，就调小学习率。
       *[unknown] 在那一步的图中点 “为什么？”：它会指出梯度在哪里变成 0。
    }
diagnosis-vanishing = 梯度在传到 { $name } 的路上消失
    .cause = { $always ->
        [yes] 在每一步
       *[no] 从第 { $step } 步起
    }，{ $name } 的梯度都小于 1e−7，最后是 { $norm }；更靠近损失的 { $other } 的梯度约为 { $large }。{ $moves ->
        [no] 它从未改变。
        [rounded] 它从未改变：优化器加上的量在舍入中丢失了。
       *[yes] {""}
    }
    .repair = { $normalized ->
        [yes] 在那一步的图中点 “为什么？”：它会逐个运算地说明梯度从哪里来。
       *[no] 在各层之间使用 ReLU、规范化或残差连接。
    }
diagnosis-dead-units = { $layer } 的 { $units } 个单元中有 { $dead } 个失活
    .cause = 它们{ $always ->
        [yes] 在任何一步都得不到梯度。
       *[no] 从第 { $step } 步起得不到梯度。
    }
    .repair = 改用 LeakyReLU，或调小学习率。
diagnosis-unmoved = { $which ->
        [all] 什么也没有改变
       *[some] { $names } 从未改变
    }
    .cause = { $which ->
        [all] 到最后，{ $leaves } 个参数仍是原来的值。
       *[some] 梯度不是 0，但值一直没变。
    }{ $how ->
        [rate] 学习率是 0。
        [emptied] backward 带来了梯度，但每次 step 时 .grad 都是 0：两者之间有代码把它写成了 0。
        [nothing] 没有优化器的更新改变过它们。
       *[unknown] {""}
    }
    .repair = { $how ->
        [rate] 给优化器一个不为 0 的学习率。
        [emptied] 在 step() 之后或 backward() 之前清零或修改 .grad，不要放在两者之间。
        [unknown] 检查 backward() 与 step() 之间的代码，以及之后又写入参数的代码。
       *[nothing] 把它们交给优化器，并调用它的 step()。
    }
diagnosis-rate-zero = 学习率降到 0
    .cause = 从第 { $step } 步起学习率是 0，之前是 { $rate }：此后什么也学不到。
    .repair = 让学习率计划晚些结束，或停在 0 以上。
