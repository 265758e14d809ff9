# 没有报错却不对的地方：标题、带数值的原因、怎么改。

diagnosis-fault = 问题
diagnosis-note = 提示
diagnosis-info = 说明
diagnosis-if-meant = 如果是有意这样写，请在该行加上 # fine: { $kind }。否则：

diagnosis-gradient-falsified = 计算梯度时用到的数值已被改写
    .cause = { $code } 为反向传播保存了 { $name } = { $was }。{ $how ->
       *[line] 在反向传播读取之前，这一行绕过 torch 的版本计数器写入了 { $now }，所以没有任何警告。
        [unseen] 这次反向传播读到的却是 { $now }：在第 { $first } 行保存之后，它的内存被改写，而 torch 的版本计数器没有发现。
    }
    .repair = 在 backward() 之后再写入，或者写入副本。
diagnosis-gradient-stale = { $name }.grad 没有清零：这次更新用了两次的梯度之和
    .cause = { $name }.grad 里还留着上一轮的 { $before }，没有清零；backward 又累积上去，变成 { $after }。这一行的更新用的是两者之和。
    .repair = { $how ->
        [closure] 在闭包里、第 { $line } 行的 { $backward } 之前调用 { $optimizer }.zero_grad()：step() 会运行闭包，闭包又运行 backward()。
        [loop] 在第 { $line } 行的 { $backward } 之前调用 { $optimizer }.zero_grad()。
       *[hand] 在这次更新之后清除它：{ $name }.grad = None。
    }
diagnosis-gradient-cut = { $reach ->
        [penalty] 只有正则项的梯度传到 { $name }
       *[none] 没有梯度传到 { $name }
    }
    .cause = { $reach ->
        [penalty] 正则项以外的项也依赖 { $name }，但那条路径上的计算历史到这里为止
       *[none] 结果依赖 { $name }，但计算历史到这里为止
    }：{ $how ->
        [off] { $code } 运行时记录已被第 { $at } 行的 { $switch } 关闭。
        [unrecorded] { $code } 运行时记录是关闭的。
        [sampling] { $code } 抽取样本，抽样没有导数。
        [comparison] { $code } 是比较，布尔值没有导数。
        [position] { $code } 返回位置，位置没有导数。
        [function] { $code } 中的 Function 在自己的 backward 里为它返回 None。
        [made] { $code } 的结果被复制到一个新张量里，新张量没有计算历史。
       *[other] 梯度无法经 { $code } 反向传播。
    }
    .repair = { $by ->
        [argmax] argmax 没有导数。用 softmax 概率求期望位置则有导数；如果要学习分类，就把分数交给 cross_entropy。
       *[other] { $how ->
            [off] 在记录开启时计算它；如果是有意切断，就不必修改。
            [unrecorded] 在记录开启时计算它，不要放在 no_grad 之类的上下文里；如果是有意切断，就不必修改。
            [sampling] 在损失中使用样本的 log_prob；分布支持 rsample() 时也可以用 rsample()。
            [comparison] 在损失中直接使用数值，或使用 sigmoid 这样的光滑函数。
            [position] 如果用这些位置选取行（例如码本中的行），请让梯度直通：x + (rows - x).detach()；如果是有意切断，就不必修改。
            [function] 在这个 backward 里返回相应的梯度；如果是有意切断，就不必修改。
            [made] 直接用这个结果计算，不要用其中的元素创建新张量；如果是有意切断，就不必修改。
           *[other] 在这条路径上保留张量本身，不要用 { $by }；如果是有意切断，就不必修改。
        }
    }
diagnosis-root-is-leaf = backward() 从一个没有计算历史的张量开始
    .cause = { $code } 的结果 { $name } 没有计算历史，与参数之间没有计算图相连，所以参数没有梯度。{ $how ->
        [off] 执行第 { $line } 行的 { $cut } 时，第 { $at } 行的 { $switch } 已关闭了记录。
        [unrecorded] 执行第 { $line } 行的 { $cut } 时，记录是关闭的。
        [sampling] 第 { $line } 行的 { $cut } 是随机抽样，没有导数。
        [comparison] 第 { $line } 行的 { $cut } 是比较运算，布尔值没有导数。
        [position] 第 { $line } 行的 { $cut } 返回位置，位置没有导数。
       *[other] { $line ->
            [0] {""}
           *[known] 计算历史到第 { $line } 行的 { $cut } 为止。
        }
    }
    .repair = { $how ->
        [off] 在记录开启时计算它，不要给结果设 requires_grad。
        [unrecorded] 在记录开启时计算它，不要给结果设 requires_grad。
        [sampling] 在损失中使用样本的 log_prob，例如 −(log_prob · reward).mean()；分布支持 rsample() 时也可以用 rsample()。
        [comparison] 在损失中使用比较之前的数值，或使用 sigmoid 这样的光滑函数。准确率只能用来观察，不能用来学习。
        [position] 把分数交给损失函数，例如 cross_entropy。准确率只能用来观察，不能用来学习。
       *[other] 对这样的结果调用 backward()：从参数到结果，全程都由 torch 计算。
    }
diagnosis-asked-too-late = requires_grad 设得太晚
    .cause = { $code } 写在使用 { $name } 之后：此前执行的运算都没有为它做记录。
    .repair = 在第一次使用它之前就设置 requires_grad。
diagnosis-retained-too-late = { $name }.retain_grad() 写在 backward() 之后
    .cause = 第 { $line } 行的 { $backward } 在这次调用之前执行：它算出了 { $name } 的梯度，但没有保留，所以 { $name }.grad 是 None。
    .repair = 把 { $code } 移到 { $backward } 之前。
diagnosis-grad-of-result = 计算结果的 .grad 是空的
    .cause = { $name } 是用其他张量算出来的。torch 只为叶子张量保存 .grad，所以 { $code } 是 None。
    .repair = 在 backward() 之前调用 { $name }.retain_grad()。如果要训练的就是 { $name }，请把它变成叶子张量：{ $name } = { $name }.detach().requires_grad_()。
diagnosis-never-used = { $now ->
        [none] { $name } 没有参与计算
       *[other] 优化器管理的 { $name } 已被替换
    }
    .cause = { $now ->
        [none] 优化器管理着 { $name }，但执行过的代码从未用到它，所以它没有梯度，也从不更新。
       *[other] 优化器仍管理着 { $name }，但模型里已经没有这个参数了。梯度传到了 { $now }，而它不归任何优化器管理，所以从不更新。
    }
    .repair = { $now ->
        [none] 在计算中使用它，或者去掉它。
       *[other] 先完成对模型各部分的替换，再创建优化器。
    }
diagnosis-step-function = 阶梯函数的斜率是 0
    .cause = { $code } 在相邻两级台阶之间是常数。梯度 { $arrived } 经过它的反向传播变成 0，所以 { $name } 的梯度全是零。
    .repair = 改用光滑的函数，或者让梯度直接通过：x + (f(x) - x).detach()。
diagnosis-gradient-stopped = 梯度在函数平坦的地方中断
    .cause = { $bias ->
        [none] 在这些输入上，{ $code } 都是平的
        [dropped] { $code } 中的 dropout 丢弃概率是 1，丢掉了所有元素
       *[other] { $wrote } 使 { $code } 中 relu 的输入全是负数（最大 { $largest }；去掉 { $bias } 时最大 { $without }），这一段函数是平的
    }。梯度 { $arrived } 经过它的反向传播变成 0，所以 { $name } 的梯度全是零。
    .repair = { $bias ->
        [dropped] 这个参数是丢弃的比例，请取小于 1 的数。
        [none] 让输入落在斜率不为 0 的范围内：可以更换初始值、缩放数据，或改用别的函数。
       *[other] 把 { $bias } 初始化为 0 或接近 0 的值。
    }
diagnosis-softmax-of-one = 只有一个元素的 softmax 永远是 1
    .cause = { $shape } 的轴 { $axis } 上只有一个元素：无论 { $code } 的输入是什么，概率都是 1，梯度都是 0。
    .repair = 如果两个类别只用一个分数，请用 sigmoid；否则每个类别要有一个分数。
diagnosis-step-without-gradient = { $cause ->
        [generator] { $optimizer } 有一个参数组是空的
        [copy] { $optimizer } 训练的是副本
        [frozen] { $optimizer } 管理的参数全部冻结了
        [added] { $optimizer } 管理的参数全部冻结了
        [replaced] { $optimizer } 管理的是副本的原件
        [other] { $optimizer } 训练的是别的张量
       *[unknown] 这一步没有更新任何参数
    }
    .cause = { $cause ->
        [generator] { $optimizer }{ $line ->
            [0] {""}
           *[other] （第 { $line } 行）
        }有一个参数组是空的，{ $received } 不在任何参数组里，永远不会更新。生成器只能遍历一次，在这之前已经遍历完了。
        [frozen] { $optimizer }{ $line ->
            [0] {""}
           *[other] （第 { $line } 行）
        }管理的是 { $held }，它们的 requires_grad 都是 False{ $at ->
            [0] {""}
           *[other] （在第 { $at } 行设置）
        }：backward 不为它们计算梯度，step() 也就什么都不更新。
        [added] { $optimizer }{ $line ->
            [0] {""}
           *[other] （第 { $line } 行）
        }管理的是 { $held }，它们的 requires_grad 都是 False{ $at ->
            [0] {""}
           *[other] （在第 { $at } 行设置）
        }：step() 什么都不更新。梯度传到了 { $received }，而它们不归 { $optimizer } 管理。
        [copy] { $optimizer }{ $line ->
            [0] {""}
           *[other] （第 { $line } 行）
        }管理的是 { $held }，它是 { $received } 的副本：数值相同，内存不同。损失是用 { $received } 计算的，所以副本没有梯度。
        [replaced] { $optimizer }{ $line ->
            [0] {""}
           *[other] （第 { $line } 行）
        }管理的是 { $held }。损失是用它后来的副本 { $received } 计算的，所以 { $held } 没有梯度。
        [other] { $optimizer }{ $line ->
            [0] {""}
           *[other] （第 { $line } 行）
        }管理的是 { $held }，而梯度传到了 { $received }，后者不归它管理。
        [none] 程序从来没有调用 backward()，{ $optimizer } 管理的张量都没有梯度，所以 step() 不会更新任何参数。
        [cleared] { $optimizer } 管理的张量先前有过梯度，但到执行 step() 时已经全部清除了。
       *[unknown] 之前算过梯度，但执行 step() 时，这个优化器管理的张量都没有梯度。
    }
    .repair = { $cause ->
        [generator] 把参数变成列表 list(model.parameters())，或者创建优化器时重新调用 model.parameters()。
        [frozen] 对 { $optimizer } 要训练的参数设置 requires_grad=True。
        [added] 在添加 { $received } 之后再创建优化器，或者把这些参数也交给优化器。
        [copy] 把 { $received } 本身交给优化器，不要交出它的 clone、detach 或 deepcopy 副本。
        [replaced] 要训练副本，就在复制之后再创建优化器。要像元学习那样通过副本训练原件，就在开启记录时计算更新后的参数，再调用 torch.func.functional_call(model, parameters, x)。
        [other] 把用来计算损失的那个模型的参数交给优化器。
        [none] 在 step() 之前调用 loss.backward()。
        [cleared] 把 zero_grad() 放在 backward() 之前，不要放在 backward() 和 step() 之间。
       *[unknown] 把 zero_grad() 放在 backward() 之前，不要放在 backward() 和 step() 之间；并把真正用到的张量交给优化器。
    }
diagnosis-not-in-optimizer = { $name } 从来没有更新过
    .cause = { $name } 和正在训练的张量一样有梯度，但没有优化器管理它，这次运行中也没有任何代码改变它。
    .repair = { $hidden ->
        [buffer] parameters() 不包含缓冲区：不要用 register_buffer，写成 self.… = nn.Parameter(…)；如果它要保持不变，就登记一个不需要梯度的张量。
        [list] { $container } 是普通的列表或元组，parameters() 不包含其中的层。请改用 nn.ModuleList。
        [dict] { $container } 是普通的字典，parameters() 不包含其中的层。请改用 nn.ModuleDict。
        [yes] 如果它所在的层放在普通的列表或字典里，parameters() 不会包含它，请用 nn.ModuleList 或 nn.ModuleDict。否则请把它交给优化器；如果它要保持不变，就设 requires_grad=False。
        [new] 优化器只管理创建时模型里已有的参数：请在最后一次替换或添加参数之后再创建优化器。
        [thawed] 它在训练开始之后才需要梯度：请在设置 requires_grad 时用 add_param_group 把它交给优化器。
       *[no] 把它交给优化器；如果它要保持不变（例如目标网络），就设 requires_grad=False，或者对用它算出的结果调用 detach。
    }
diagnosis-layer-in-forward = 每一轮都新建一个层
    .cause = { $code } 每次运行都会生成新的随机参数（这里共 { $rounds } 次）。它们有梯度，但没有优化器管理它们，所以学不到任何东西。{ $name ->
        [none] {""}
       *[other] 优化器管理的是 { $name }，而它没有梯度。
    }
    .repair = 在 __init__ 里创建一次这个层，在这里只调用它。
diagnosis-never-stepped = { $optimizer } 从来没有更新
    .cause = { $names } 在 { $rounds } 轮里都有梯度，但程序从来没有调用 { $optimizer }.step()，所以没有学到任何东西。
    .repair = 在 backward() 之后调用 { $optimizer }.step()。
diagnosis-stepped-twice = { $how ->
        [by_hand] { $name } 每一轮更新了两次
       *[steps] 一次 backward 之后 { $optimizer } 更新了两次
    }
    .cause = { $how ->
        [by_hand] { $code } 用梯度更新了 { $name }，{ $optimizer } 的 step 又更新了一次，全部 { $rounds } 轮都是如此。
       *[steps] 第 { $line } 行的 step 之后，{ $code } 又用同样的梯度更新一次，全部 { $rounds } 轮都是如此：每一轮参数更新两次。
    }
    .repair = 去掉其中一次更新。
diagnosis-step-before-backward = { $optimizer } 在 backward 之前就更新
    .cause = { $code } 在第 { $line } 行的 backward 之前执行，全部 { $rounds } 轮都是如此。{ $cleared ->
        [yes] 每一轮开始时 zero_grad() 又清除了梯度，所以每次更新都没有梯度，学不到任何东西。
       *[no] 第一次更新时还没有梯度，之后每一次用的都是上一轮的梯度。
    }
    .repair = 在 backward() 之后再调用 { $code }。
diagnosis-optimizer-renewed = { $optimizer } 每一轮都被重新创建
    .cause = { $code } 在 { $rounds } 轮里每轮都执行。{ $class } 要在许多步中累积梯度的平均值，而这里每次都从 0 开始。
    .repair = 在循环之前创建一次优化器。
diagnosis-step-scaled = { $how ->
        [clip] 还没有除以缩放因子就裁剪了梯度
       *[step] 更新用的是放大了的梯度
    }
    .cause = { $how ->
        [clip] { $scaler } 把损失乘以 { $factor }，梯度也放大了同样的倍数，{ $code } 却在这时裁剪。之后 { $scaler }.step 才除以这个因子，梯度几乎不剩什么了。
       *[step] { $scaler } 把损失乘以 { $factor }，所以每个梯度也放大了同样的倍数，而 { $code } 直接使用了这些梯度。
    }
    .repair = { $how ->
        [clip] 先调用 { $unscale }，再裁剪。
       *[step] 改为 { $scaler }.step({ $optimizer })，再调用 { $scaler }.update()。
    }
diagnosis-accumulation-lost = 梯度还没使用就被清除了
    .cause = { $optimizer } 每次更新之前有 { $count } 次 backward，但这一行在每次 backward 之后都清除梯度，所以更新只用到最后一次的梯度。
    .repair = 每次更新之后清除一次梯度。
diagnosis-frozen-moves = { $name } 被冻结，却仍在变化
    .cause = { $line ->
        [0] 程序在每次更新前把同样几行的梯度设为 0，但 { $optimizer } 的 weight_decay 也会缩小没有梯度的权重：这些行从 { $was } 变成了 { $now }。
       *[set] 第 { $line } 行设了 requires_grad=False，但 { $name } 还留着旧的 .grad，{ $code } 继续用它更新：{ $name } 从 { $was } 变成了 { $now }。
    }
    .repair = { $line ->
        [0] 把 { $name } 放进单独的参数组，设 weight_decay=0；或者在每次更新后恢复这些行原来的值。
       *[set] 冻结时清除梯度：{ $name }.grad = None；或者只把要训练的参数交给优化器。
    }
diagnosis-setting-misspelt = 这个设置不起作用
    .cause = { $code } 只是新建了一个属性，torch 从不读取它。
    .repair = 请写成 { $meant }。
diagnosis-penalty-constant = { $how ->
        [residual] 导数在训练中成了常数
        [cleared] 损失中有一项什么都不训练
       *[other] 损失中有一项是常数
    }
    .cause = { $how ->
        [varies] { $term } 加上了一个 Python 数：第一轮是 { $first }，最后一轮是 { $last }。数没有计算历史，所以计算它所用的一切都不会从这一项得到梯度。
        [lost] { $code } 依赖要训练的参数，但计算时没有记录，或者计算图在此之前已被切断。所以它在 { $term } 里只加上一个数，不训练任何参数。
        [cleared] 每一轮中，{ $code } 的梯度都只传到 { $names }。下一次更新并不训练它们，而这些梯度在用上之前就清除了。
        [apart] { $code } 比较的张量都与要训练的参数无关：这一项只给损失加上一个数，不训练任何参数。其中一个张量是不是应该是预测？
       *[other] { $code } 返回的{ $how ->
            [number] 是 Python 数
            [detached] 张量没有计算历史
           *[gradient] 梯度没有计算历史
        }，所以{ $how ->
            [residual] 它在 { $term } 里是常数：训练时就好像导数与参数无关一样。
           *[other] { $term } 加上的这一项没有梯度，不训练任何参数。
        }
    }
    .repair = { $how ->
        [varies] 用张量计算这一项，不经过 NumPy、item() 或 float()，再把张量加上去。
        [lost] 在开启记录时用有计算历史的张量计算这一项，并原样加上。
        [cleared] 用这个损失要训练的参数计算这一项，途中不要用 detach。
        [apart] 把训练的输出与目标比较。
        [number] 把张量本身加到损失上。
        [detached] 在记录开启时计算这一项，并原样加上。
       *[gradient] 调用 autograd.grad 时加上 create_graph=True。
    }
diagnosis-loss-dropped = 算出的损失没有用上
    .cause = { $name ->
        [none] { $code } 算了 { $rounds } 次，backward() 只从其中 { $used } 个损失开始：每次内层循环的最后一个。其余的损失没有用到。
       *[other] { $code } 在 { $rounds } 轮里每轮都计算，却没有参与任何 backward：{ $name } 在优化器里，却没有梯度。
    }
    .repair = { $name ->
        [none] 在内层循环里对每个损失调用 backward()，或者先把它们相加。
       *[other] 先把它加进损失，再调用 backward()。
    }
diagnosis-targets-cut = 目标的小数部分被截掉了
    .cause = { $code } 把 { $given } 变成整数 { $made }，{ $loss } 比较的是这些整数。
    .repair = 让目标保持为浮点数。
diagnosis-parameter-scaled = { $name } 是计算结果，不是参数
    .cause = { $code } 用一个没有名字、requires_grad=True 的张量算出 { $name }，而且只算一次。梯度传到了那个张量，但没有优化器管理它，所以 { $name } 在 { $rounds } 轮里一直不变。
    .repair = 先算好数值，再创建参数：nn.Parameter(values)，或者 values.requires_grad_()。
diagnosis-leaf-rebound = { $name } 不再指向叶子张量
    .cause = { $code } 生成一个新张量，并让 { $name } 指向它。这是计算结果，不是叶子张量：以后的梯度不会存入它的 .grad。
    .repair = 在 torch.no_grad() 下原地更新：{ $name } -= …
diagnosis-loss-not-renewed = { $how ->
        [one] 每一轮都对同一个损失求导
       *[sum] 每一轮都对前面各轮的损失重复求导
    }
    .cause = { $how ->
        [again] { $name } 包含前面各轮的损失，backward() 在 { $rounds } 轮里都重复经过它们的计算图，每次都再加一遍它们的梯度。
        [one] { $name } 只在第 { $line } 行算过一次，backward() 却在 { $rounds } 轮里反复使用它的计算图。{ $leaf } 早已改变，梯度却仍是按最初的数值计算的。
       *[sum] { $name } 包含前面各轮的损失，backward() 在 { $rounds } 轮里都重复经过它们的计算图。{ $leaf } 早已改变，这些损失的梯度却仍是按以前的数值计算的。
    }
    .repair = { $how ->
        [one] 在循环里，每次 backward() 之前重新计算损失；这样就不需要 retain_graph=True 了。
       *[sum] 只对本轮的损失调用 backward()，累计时用 loss.item()；这样就不需要 retain_graph=True 了。
    }
diagnosis-gradient-left = { $how ->
        [attached] 一个模型的损失也在训练另一个模型
       *[left] { $optimizer } 的更新还用到了 { $other } 的损失的梯度
    }
    .cause = { $how ->
        [attached] { $code } 也把梯度传到了 { $name }，而且没有清除：{ $optimizer } 的下一步用的是它与自己损失的梯度之和。而 { $other } 从第二个损失得到的梯度每次都会清除。
       *[left] 第 { $line } 行的 backward() 本来只为 { $other } 的更新服务，但它也经过 { $name }，在 .grad 里留下了梯度。{ $optimizer } 自己的损失的梯度累积到上面，这次更新用的就是两者之和。
    }
    .repair = { $how ->
        [attached] 计算第一个损失时，对生成器的结果用 .detach()，或者在第二次 backward 之前清除 { $optimizer } 的梯度。
       *[left] 在对它自己的损失调用 backward() 之前，先调用 { $optimizer }.zero_grad()。
    }
diagnosis-draws-repeat = { $how ->
        [noise] 每一轮的噪声都相同
        [shift] 每一行加上的数都相同
       *[rows] 每一轮都抽到相同的行
    }
    .cause = { $how ->
        [noise] { $code } 在 { $rounds } 轮里抽到的值都相同，因为生成器每次都从同一个种子开始。损失始终是同一次抽样的损失。
        [shift] { $code } 为每一行重新产生一组数，但 { $rounds } 次调用得到的数完全相同。如果每次调用都用固定的种子新建生成器，它总是从同样的数开始。
       *[rows] 在全部 { $rounds } 轮中，{ $code } 抽到的都是同样的 { $drawn } 个位置：{ $name } 共有 { $rows } 行，只用到了这些行。
    }
    .repair = { $how ->
        [shift] 只创建一次生成器，例如在 __init__ 中。
       *[rows] 只在循环之前设置一次随机种子。
    }
diagnosis-argument-unused = { $how ->
        [cut] 函数脱离了计算图，所以梯度为 0
       *[unread] 函数没有用到要对其求导的参数
    }
    .cause = { $how ->
        [cut] { $code } 返回全零：函数用到了这些参数，但从它们到函数结果的路径没有记录在计算图里。
       *[unread] { $code } 返回全零：函数没有用到任何一个要对其求导的参数。
    }
    .repair = { $how ->
        [cut] 用这些参数计算结果，途中不要用 detach、no_grad 或 NumPy。
       *[unread] 用这些参数计算，例如用 functional_call(model, params, (x,)) 代替 model(x)。
    }
diagnosis-paths-cancel = 两条路径相互抵消，{ $name } 学不到东西
    .cause = { $where ->
        [leaf] 每一轮中，来自 { $code } 的梯度都沿多条路径传到 { $name }，例如 { $first } 和 { $second }。这些梯度之和恰好为 0，其他参数的梯度也都是 0。
       *[result] 梯度沿多条路径传到 { $code } 的结果，例如 { $first } 和 { $second }。这些梯度之和恰好为 0，因此再往前传的梯度都是 0。
    }
    .repair = 在不应传递梯度的路径上对结果用 detach：log_prob 里的样本、比值里的旧值、x + (q - x) 里的差。
diagnosis-moved-for-each = 共用内存的两个参数都在更新
    .cause = { $name } 和 { $source } 共用同一块内存，而 { $optimizer } 把两者都管理着：每次更新都会改两次，而且各用各的动量。
    .repair = 要赋值的是参数本身，而不是它的 .data：这样就只有一个参数，它的梯度是两份之和。
diagnosis-loss-swapped = 标签和预测放反了
    .cause = { $loss } 的第一个参数是预测，第二个是标签。{ $code } 的第一个参数没有计算历史，元素只有 0 和 1：{ $entries }。
    .repair = 交换前两个参数。
diagnosis-gradient-unread = { $function } 的 backward 没有用到 { $name }
    .cause = 它没有用到传来的梯度 { $name }，所以只有梯度为 1 时，返回的结果才正确。
    .repair = 按链式法则，把导数乘以 { $name }。
diagnosis-update-lost = { $how ->
        [result] 没有用到结果
       *[bare] 更新没有生效
    }
    .cause = { $how ->
        [bare] { $code } 生成一个新张量，但之后没有用到；{ $name } 没有变。
        [result] { $code } 生成一个新张量，但之后没有用到；后面用的仍是原来的 { $name }。
        [copy] { $method } 创建了副本，{ $code } 写入的是副本；之后没有用到这个副本，{ $name } 保持不变。
       *[name] { $code } 生成一个新张量，并让 { $name } 指向它；参数本身没有变。
    }
    .repair = { $how ->
        [bare] 用 { $method }_ 直接修改 { $name } 本身。
        [result] 把结果赋给变量：{ $name } = { $code }；或者去掉这一行。
        [copy] 用赋值写入 { $name } 本身：{ $name }[…] = …
        [loop] 在 torch.no_grad() 下写入参数本身：{ $name }.copy_(…)
       *[name] 在 torch.no_grad() 下原地更新：{ $name } -= …
    }
diagnosis-not-called = { $method } 只写了名字，没有调用
    .cause = { $code } 后面没有括号，只是引用了这个方法，并没有执行。
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
        [overflow] { $code } 溢出：输入（{ $given }）是有限值，结果却是 ∞{ $only ->
            [inf] {""}
           *[nan] ，之后变成 NaN
        }。
        [infinite] { $code } 的输入（{ $given }）是有限值，结果却是 ∞{ $only ->
            [inf] {""}
           *[nan] ，之后变成 NaN
        }。
        [unaligned] { $code } 的结果是 ∞：目标中的每个标签要占输入的一个时间步，相邻的相同标签之间还要再占一步。这里有目标需要的步数超过了输入。
        [pole] { $code } 的输入（{ $given }）中有 0，结果是 ∞{ $only ->
            [inf] {""}
           *[nan] ，之后变成 NaN
        }。
        [nothing] { $code } 没有可以求平均的元素：输入为空，或所有目标都是 ignore_index。这时计算的是 0 / 0，即 NaN。
        [row] { $code } 对一行全是 −∞ 的值计算 softmax（例如整行都被掩蔽），结果是 NaN。
        [written] { $code } 写入了 { $what }，{ $what ->
            [NaN] 并一直传到了最后的结果
           *[other] { $only ->
                [inf] 并一直传到了最后的结果
               *[nan] 之后产生 NaN，并一直传到了最后的结果
            }
        }。
        [masked] { $code } 连对角线也掩蔽了，于是第 0 行全被掩蔽：{ $given } 的这一行只剩 −∞，结果是 NaN。
       *[nan] { $code } 的输入中没有 NaN，结果中却有，并一直传到了最后的结果。
    }
    .repair = { $how ->
        [overflow] { $grown ->
            [yes] 参数已增大一千倍以上：减小步长，即使用更小的学习率。
           *[no] { $exp ->
                [yes] 让它的输入小一些。要对指数求和再取对数时，用 torch.logsumexp。
               *[no] 让它的输入小一些，例如缩放数据。
            }
        }
        [infinite] 让输入远离函数值为无穷大的点。
        [unaligned] 去掉这样的样本，或设 zero_infinity=True：这些样本的损失按 0 计算，也不传递梯度。
        [pole] { $exp ->
            [yes] 用 F.log_softmax 代替对 softmax 取对数。
           *[no] 让输入远离 0。
        }
        [nothing] 跳过没有剩余元素的小批量，或先求和，再除以至少为 1 的个数。
        [row] 去掉这样的行，或者每行至少保留一个元素。
        [written] 不要让这些元素参与损失，或者改为写入有限值。
        [masked] 不要掩蔽对角线：diagonal=1。
       *[nan] 不要让输入（{ $given }）落在函数的定义域之外。
    }
diagnosis-nan-given = { $how ->
        [unfilled] { $root } 的计算用到了从未赋值的内存
        [gradient] { $root } 的计算用到了含 NaN 或无穷的梯度
       *[data] 数据使 { $root } 成为 { $what }
    }
    .cause = { $how ->
        [unfilled] { $code } 只分配内存，不设置元素的值：{ $size } 个元素中有 { $bad } 个是 NaN 或无穷。
        [gradient] { $code } 读取的梯度中，{ $size } 个元素中有 { $bad } 个是 NaN 或无穷。
       *[data] 在参与任何运算之前，{ $named ->
            [no] { $code }
           *[yes] { $name }
        } 的 { $size } 个元素中就有 { $bad } 个是 NaN 或无穷。用 NaN 算出的结果都是 NaN。
    }
    .repair = { $how ->
        [unfilled] 使用 torch.zeros，或在第一次使用之前写入每个元素。
        [gradient] 先找出那个梯度中为什么有 NaN 或无穷。
       *[data] 在训练之前去掉或替换这些元素，例如用 torch.nan_to_num(x)；也可以删除所在的行。对于表格，df.isna().sum() 统计每列的缺失值，df.dropna() 删除有缺失值的行。
    }
diagnosis-root-nonfinite = { $root } 是 { $what }
    .cause = 反向传播开始时 { $root } 是 { $what }。
    .repair = 从数据开始，用 torch.isfinite(x).all() 检查各个输入。
diagnosis-nan-backward = 梯度在反向传播中变成 { $what }
    .cause = { $forward ->
        [unknown] {""}
        [finite] { $root } 是有限值。
        [entry] { $root } 是有限值，但 { $code } 的元素 { $place } 是 { $made }。
       *[scalar] { $root } 是有限值，但 { $code } 是 { $made }。
    }梯度 { $arrived } 经过 { $code }（{ $node }）的反向传播变成 { $passed }，于是 { $name } 的梯度变成 { $grad }。{ $other ->
        [none] {""}
       *[other] 第 { $other_line } 行也要改：{ $other } 的反向传播同样把有限的梯度变成了非有限值{ $more ->
            [0] {""}
           *[other] ，另外还有 { $more } 处运算也是如此
        }。
    }
    .repair = { $meets ->
        [tied] 有两个奇异值或特征值相等，对应的向量不唯一，因而没有导数：只使用奇异值或特征值，或改用不需要这些向量的矩阵函数，或从奇异值各不相同的矩阵开始。
        [zero] 要在运算之前改变输入，运算之后再改结果没有用：值为 0 的梯度乘以无穷大或 NaN 的斜率，积是 NaN，不是 0。
        [grown] 参数已增大一千倍以上：使用更小的学习率。
        [overflow] 斜率是有限值，但乘积超出了该数据类型的范围：请缩小输入或损失。
        [slope] 要在运算之前改变输入，运算之后再改结果没有用：这个运算在这一点的斜率不是有限值。
       *[other] 要在运算之前改变输入，运算之后再改结果没有用。
    }
diagnosis-loss-broadcast = { $how ->
        [compared] 每个预测都与所有标签比较
       *[loss] 每一行都与所有行配对：形状为 { $first } 和 { $second }
    }
    .cause = { $how ->
        [compared] { $code } 两边的形状是 { $first } 和 { $second }，经广播得到 { $made }，于是平均值是对所有配对计算的。
       *[loss] { $code } 两边的形状是 { $first } 和 { $second }，经广播得到 { $made }：本来只属于某一行的目标或权重，被用到了所有行上。
    }
    .repair = { $how ->
        [compared] 让两边形状相同，例如用 squeeze(1)。
       *[loss] 让两边形状相同，例如用 squeeze 或 unsqueeze。
    }
diagnosis-probabilities-as-scores = 需要分数的地方传入了概率
    .cause = { $twice ->
        [yes] { $made } 已经做过 { $applied }，{ $code } 又对结果做了一次：第二次会让梯度变得很小。
        [other] { $loss } 需要的是分数，内部会做 { $applied }。{ $made } 传入的却是 0 到 1 之间的概率，会让梯度变得很小。
       *[no] { $loss } 内部会做 { $applied }，而 { $made } 已经做过一次：再做一次会让梯度变得很小。
    }
    .repair = { $twice ->
        [yes] 只做一次。
       *[no] 把分数原样交给损失函数。
    }
diagnosis-not-log-probabilities = 传给 { $loss } 的不是对数概率
    .cause = { $given ->
        [probabilities] 传给 { $code } 的是 { $made } 算出的概率，而 { $loss } 需要的是概率的对数。
        [axis] { $code } 需要沿轴 1（类别）做 log_softmax 的结果，而 { $made } 沿的是另一个轴。
        [last] 传给 { $code } 的每一行的元素对应各个类别，所以 { $made } 应该沿最后一个轴做 log_softmax，实际却沿了另一个轴。
       *[scores] 传给 { $code } 的是层输出的分数（来自 { $made }），而 { $loss } 需要的是概率的对数。直接用分数时，损失没有下界。
    }{ $sums ->
        [none] {""}
       *[other] 每一行取指数之后的和应该是 1，实际是 { $sums }。
    }
    .repair = { $given ->
        [axis] 沿类别做 log_softmax：dim=1。
        [last] 沿类别做 log_softmax：dim=-1。
       *[other] { $loss ->
            [nll_loss] 先做 log_softmax，或者直接对分数用 cross_entropy。
           *[other] { $given ->
                [probabilities] 用 log_softmax 代替 softmax。
               *[other] 先做 log_softmax。
            }
        }
    }
diagnosis-shuffled-apart = { $how ->
        [alone] 只打乱了样本，没有打乱目标
        [pairs] 成对的两边打乱的顺序不同
        [drawn] 目标与输入是分开抽取的
       *[apart] 两次打乱的顺序不同
    }
    .cause = { $how ->
        [alone] { $code } 打乱了 { $rows } 个样本的顺序，而损失中与之比较的 { $target } 仍是原来的顺序，于是样本与其他样本的目标配在了一起。
        [pairs] { $first } 和 { $second } 各有 { $rows } 行，读取的顺序不同，而 { $code } 把同一位置的行当作一对。
        [drawn] 在全部 { $rows } 轮中，{ $first } 给数据加上了一次随机抽取的值，而 { $second } 是另外抽取的，只有这个损失用到它，所以它与输入无关。
       *[apart] { $first } 和 { $second } 把同样的 { $rows } 行打乱成了两种不同的顺序，样本和目标对不上了。
    }
    .repair = { $how ->
        [alone] 两者用同一个随机排列，例如 order = torch.randperm(n); x, y = x[order], y[order]。
        [pairs] 从同一个数据集、同一个加载器读取两边。
        [drawn] 与实际加上的随机值比较。
       *[apart] 只生成一个随机排列，样本和目标共用。
    }
diagnosis-wrong-mode = { $mode ->
        [frozen] { $module } 被冻结，但它的统计量仍在变化
       *[other] 模型在这里处于{ $mode ->
            [training] 训练
           *[eval] 预测
        }模式
    }
    .cause = { $mode ->
        [frozen] { $module } 的参数设了 requires_grad=False，但它处于训练模式，所以 { $code } 仍用每个小批量做规范化，并继续更新 running_mean 和 running_var。
        [training] { $code } 在参数更新之后运行，反向传播用不到它，但其中的层仍处于训练模式：结果带有随机性，或者会改变统计量。
        [copied] { $code } 规范化用的仍是创建时的 running_mean = 0 和 running_var = 1：权重后来更新过，但从未统计过任何小批量，也没有复制统计量。
        [unmeasured] { $code } 在预测模式下训练，用的仍是创建时的 running_mean = 0 和 running_var = 1：从未统计过任何小批量，等于没有做规范化。
       *[eval] { $code } 在预测模式下训练：测试时设成了预测模式，之后没有改回来。
    }
    .repair = { $mode ->
        [frozen] 在 train() 之后对冻结的层调用 eval()。
        [copied] 复制参数时连同缓冲区一起复制（像 load_state_dict 那样），或者统计一些小批量（像 torch.optim.swa_utils.update_bn 那样）。
        [training] 在此之前调用 { $model }.eval()。
       *[eval] 在此之前调用 { $model }.train()。
    }
diagnosis-dropout-always = { $code } 在预测模式下也会丢弃元素
    .cause = { $how ->
        [made] { $code } 每次调用都新建一个层。新建的层处于训练模式，所以总会丢弃元素，调用 eval() 之后也一样。
        [listed] { $code } 调用的层没有注册在模块里，例如放在普通列表中。eval() 改变不了它的模式，所以仍会丢弃元素。
       *[function] { $code } 不受模块的模式影响，调用 eval() 之后也会丢弃元素。
    }
    .repair = { $how ->
        [made] 在 __init__ 里创建一次这个层，在这里只调用它。
        [listed] 把这些层放进 nn.ModuleList，这样 train() 和 eval() 才会作用到它们。
       *[function] 只在 self.training 为 True 时丢弃元素，例如写 training=self.training，或改用 nn.Dropout，它在 eval() 之后会自动关闭。
    }
diagnosis-loss-grows = 损失不断增大
    .cause = { $uphill ->
        [True] { $losses }：这一行加上了梯度，损失因此上升。
        [first] 第一次更新的大小是全部权重的 { $ratio } 倍，此后损失再也没有回到更新之前那么小：{ $losses }。
        [steps] 从第 { $step } 步起，损失每一步都在增大：{ $losses }。{ $ratio ->
            [none] {""}
           *[long] 这一步的更新量是全部权重大小的 { $ratio } 倍。
        }
       *[False] { $losses }：步长太大。
    }
    .repair = { $uphill ->
        [True] 要减去梯度。
       *[False] 把学习率调小。
    }
diagnosis-graph-kept = 这个累加值还保留着 { $graphs } 个用完的计算图
    .cause = backward() 早已完成，{ $code } 却把每一轮损失的计算图都留在内存里。
    .repair = 只累加数值：用 .item() 或 .detach()。
diagnosis-symmetric = { $name } 的 { $rows } 行一直相同
    .cause = 它们的初始值相同，梯度也相同，所以始终保持相同：这一层实际上只相当于一个单元。
    .repair = 用随机数初始化。
diagnosis-truncated = 小数部分被截掉了
    .cause = { $code } 把 { $lost } 放进 { $dtype } 张量，它只能存整数。
    .repair = 把这个张量改成浮点数。
diagnosis-integer-wraps = 这个数超出 { $dtype } 的范围
    .cause = { $code } 的准确结果是 { $exact }，超出 { $dtype } 的范围，变成了 { $made }。
    .repair = 先转换再计算：{ $given }.float()。
diagnosis-float-equality = 用 == 比较浮点数
    .cause = 在 { $code } 中，{ $first } 和 { $second } 只差 { $apart }，这是舍入误差；== 的结果却是 False。
    .repair = 用 torch.isclose 或 torch.allclose 比较。
diagnosis-quotient-lost = h 太小，不起作用
    .cause = { $sum } 和没有加 h = { $h } 时是同一个数：差是 0，差商也是 0。
    .repair = 取大一点的 h，或者用 float64。
diagnosis-zeros-hold = 从 0 开始的权重一直是 0
    .cause = { $names } 在全部 { $rounds } 轮里都是 0，梯度也都是 0：两者的梯度都要乘以对方，而对方是 0。
    .repair = 用小的随机数初始化，nn.Linear 默认就是这样；前后相连的两个权重，最多只能有一个从 0 开始。
diagnosis-data-lost = 所有元素都变成了 0
    .cause = { $code } 是整数除法：{ $before } 都变成 0, 0, 0, …。之后 { $used } 又乘以这些 0，它的梯度也就是 0。
    .repair = 把 // 换成 /，并且先转成浮点数再除。
diagnosis-kept-weights-shared = { $how ->
        [named] 一个模型的两个名字
        [same] 一个模型的两个名字
        [listed] { $back } 的元素共用一块内存
        [itself] { $name } 写回了自身
       *[other] 保存的权重跟着模型一起变
    }
    .cause = { $how ->
        [listed] { $code } 没有复制：第 { $line } 行加进 { $back } 的每个元素都与 { $name } 共用内存，而每一步都会改写这块内存。最后所有元素都等于 { $name } 的最终值。
        [same] 在全部 { $steps } 次调用中，{ $code } 里的两个名字都指向同一个张量，第一个是 { $name }：并没有第二个模型，这一行写入的就是正在训练的权重。
        [named] { $code } 没有复制：两个名字指向同一个模型。{ $back }（第 { $line } 行）把 { $name } 写回自身，没有任何变化。
        [itself] { $code } 与 { $name } 共用内存：{ $back }（第 { $line } 行）把 { $name } 写回自身，没有任何变化。
        [added] { $code } 没有复制，仍与 { $name } 共用内存，之后的 { $steps } 步也都改写了它。{ $back }（第 { $line } 行）其实是把 { $name } 与自身相加：这不是平均值，而且改变了 { $name }。
       *[written] { $code } 没有复制，仍与 { $name } 共用内存，之后的 { $steps } 步也都改写了它。{ $back }（第 { $line } 行）把 { $name } 写回自身，没有任何变化。
    }
    .repair = { $how ->
        [named] 复制模型：copy.deepcopy({ $copied })。
        [same] 用 copy.deepcopy() 复制模型；用 copy.copy() 和 = 时，参数仍是共用的。
        [listed] 保存副本：{ $name }.detach().clone()。
       *[other] 保存副本：copy.deepcopy({ $model }.state_dict())，或 tensor.detach().clone()。
    }
diagnosis-clip-unused = { $how ->
        [nothing] 这里没有裁剪任何梯度
       *[other] 没有一步用到裁剪后的梯度
    }
    .cause = { $how ->
        [nothing] { $code } 没有收到任何张量。net.parameters() 这样的生成器只能遍历一次，在这之前已经遍历完了。
        [late] { $code } 在 step() 之后执行，而梯度在下一次 backward() 之前就被清除了。各步用到的梯度范数最大为 { $norm }，上限是 { $bound }。
       *[early] { $code } 在 backward() 之前执行：这时还没有梯度，裁剪不起作用。之后 step() 用的是 backward() 算出的未经裁剪的梯度。
    }
    .repair = { $how ->
        [nothing] 在这里重新调用 net.parameters()，或者保存 list(net.parameters())。
       *[other] 在 backward() 和 step() 之间裁剪。
    }
diagnosis-hook-zeroes = 钩子把 { $name } 的梯度全变成了 0
    .cause = 在 { $rounds } 轮里，每次 { $name } 的梯度（第一次是 { $arrived }）都被钩子 { $code } 变成了 0。
    .repair = 返回修改后的梯度，或返回 None 保持不变；要冻结 { $name }，请设 requires_grad=False。
diagnosis-weights-untied = { $name } 只是 { $source } 的副本，两者并没有共享权重
    .cause = { $code } 复制了 { $source }。之后两者各自训练，最后的最大差值是 { $apart }。
    .repair = 要共享权重，就使用同一个参数：直接赋值 { $source }，不要用 clone()。
diagnosis-data-rescaled = { $how ->
        [part] { $random ->
            [yes] 随机的改动在 { $name } 里越积越多
           *[no] 改动在 { $name } 里越积越多
        }
       *[whole] { $name } 每一轮都被原地修改
    }
    .cause = { $how ->
        [part] { $code } 处理的是 { $name } 的一部分，写入时直接改动了 { $name }：后面有 { $times } 次是从前面各轮改过的数值开始的。
       *[whole] { $code } 在同一份数据上执行了 { $rounds } 次：{ $name } 的范数从 { $first } 变到 { $last }。
    }
    .repair = { $how ->
        [part] 不要直接写入这一部分，改为创建新张量，例如 x = x + noise；或者先 clone。
       *[whole] 在循环之前缩放一次，或者在循环里把结果赋给一个新变量。
    }
diagnosis-layer-repeated = 同一层被用在了多个位置
    .cause = { $code } 只创建了一个 { $layer }，然后重复使用：{ $count } 个位置用的都是同一份参数。
    .repair = 为每个位置各创建一个：[{ $layer }(…) for _ in range({ $count })]。
diagnosis-sign-flipped = { $how ->
        [similarity] 训练在降低相似度
        [divergence] 散度的符号反了
        [overlap] 训练在减小重叠
       *[likelihood] 训练在降低标签的概率
    }
    .cause = { $how ->
        [similarity] backward 从 { $code } 开始，它是与 { $target } 的余弦相似度：每次更新都让结果与它更不相似。
        [divergence] 在每次 backward 中，对每个元素，{ $code } 越大损失越小：训练会让均值和方差 { $variance } 无限制地偏离。
        [overlap] 在每次 backward 中，{ $made } 的梯度在 { $target } 为 1 处是正的，在它为 0 处是负的：每个概率离目标越远，损失越小。
       *[likelihood] { $code } 是标签的对数概率（来自 { $made }）的平均值。backward 从这里开始，每次更新都让它变小。
    }
    .repair = { $how ->
        [similarity] 在前面加负号，或者用 1 减去相似度。
        [overlap] 在重叠前面加负号，或者用 1 减去它。
        [divergence] 把符号反过来：散度是 −0.5 · Σ (1 + log σ² − μ² − σ²)。
       *[likelihood] 在前面加负号；或者用 cross_entropy，或自带负号的 nll_loss。
    }
diagnosis-losses-apart = 一个损失盖过了另一个
    .cause = { $code } 把 { $large }（{ $most }）和 { $small }（{ $least }）相加：每一轮中前者都是后者的 { $times } 倍，总和几乎就等于前者。
    .repair = 缩放目标值，或给每个损失一个权重，让两者都起作用。
diagnosis-target-without-effect = 目标值不起作用
    .cause = 在全部 { $rounds } 轮中，backward 都从 { $code } 开始，也就是直接从与 { $name } 的差开始：无论目标值是多少，梯度都一样，损失会一直下降，没有下限。
    .repair = 取差的平方或绝对值，像 F.mse_loss 和 F.l1_loss 那样。
diagnosis-labels-pick-rows = 标签填满了整行
    .cause = { $code } 把标签当成了行号：结果设置了 { $name } 的整行，没有只设置每行中的一个元素。
    .repair = 同时写明行号：{ $name }[torch.arange(len({ $labels })), { $labels }] = 1；或者用 F.one_hot。
diagnosis-scores-cut = { $function ->
        [relu] 分数不可能低于 0
       *[dropout] Dropout 把传给损失的分数变成了 0
    }
    .cause = { $function ->
        [relu] 传给 { $loss } 的是 { $code } 的结果。{ $low ->
            [yes] 分数 0 对应概率 0.5，所以标签为 0 的样本，预测概率不可能更低。
           *[no] 所有分数为负的类别，分数都变成 0，并且没有梯度。
        }
       *[dropout] 传给 { $loss } 的是 { $code } 的结果：训练时，一些分数会随机变成 0，正确类别的分数也不例外。
    }
    .repair = 把最后一层的分数原样交给损失函数。
diagnosis-several-classes = cross_entropy 的一行里有多个类别
    .cause = 在 { $code } 中每一行的概率之和为 1，所以类别互相排斥。{ $name } 的一行里最多有 { $most } 个 1。
    .repair = 如果可以同时属于多个类别，就用 F.binary_cross_entropy_with_logits；否则让每一行的各个值之和为 1。
diagnosis-mask-too-weak = 掩码没有去掉这些分数
    .cause = { $how ->
        [fill] { $code } 把被掩蔽的分数设为 { $value }
       *[times] { $code } 把被掩蔽的分数乘以 0
    }。softmax 对它取指数，结果约为 1，所以这些位置仍有权重。
    .repair = 在 softmax 之前用 masked_fill 把它们设为 float("-inf") 或 -1e9。
diagnosis-normalized-over-batch = 规范化的方向成了样本
    .cause = { $code } 沿样本把 { $shape } 的每一列变成长度为 1 的向量。但 { $product } 随后相乘的是行，各行的长度并不相同，所以乘积不是余弦。
    .repair = 对行做规范化：dim=1。
diagnosis-best-learned = 学习的是价值最高的动作，不是实际采取的动作
    .cause = { $code } 取 { $scores } 每一行的最大值。损失让这个值接近实际采取的动作的奖励，而两者可能不是同一个动作。
    .repair = 取实际采取的动作的值：{ $scores }.gather(1, actions.unsqueeze(1))。
diagnosis-padding-attended = { $padding ->
        [none] 注意力只看到后面的位置
       *[other] 注意力只看到填充
    }
    .cause = { $padding ->
        [none] { $code } 掩蔽了每个位置自身和前面的所有位置：softmax 的权重只落在后面的位置上，最后一个位置则没有可用的位置。
       *[other] 除了索引为 { $padding }（{ $embedding } 的填充）的键，{ $code } 掩蔽了所有的键：softmax 的权重只落在填充上。
    }
    .repair = { $padding ->
        [none] 把掩码反过来：掩蔽后面的位置。
       *[other] 把掩码反过来：掩蔽索引为 { $padding } 的键。
    }
diagnosis-batch-read-as-time = 这一层把样本当成了时间步
    .cause = 没有 batch_first=True 时，{ $layer } 把 { $shape } 的轴 0 当作时间，轴 1 当作样本。于是，在 { $rows } 个时间步的每一步，{ $code } 都{ $how ->
        [first] 取第一个样本
        [last] 取最后一个样本
       *[all] 把所有样本合在一起
    }，结果却与每个样本的目标比较。
    .repair = 创建这一层时加上 batch_first=True。
diagnosis-target-moves = 梯度也传到了目标值
    .cause = { $how ->
        [next] { $code } 是用 { $name } 算出的，没有 detach，而训练又要让 { $name } 靠近它：每一步都会连目标一起改变。
        [both] 在全部 { $rounds } 轮中，损失只比较用 { $name } 算出的结果，梯度会传到 { $code } 的两边。如果其中一边是目标，每一步都会连目标一起改变。
       *[copy] { $name } 最初是 { $other } 的副本，{ $code } 比较两者的结果，而优化器同时训练两者：教师网络或参考网络会向学生网络靠拢。
    }
    .repair = { $how ->
        [next] 在 torch.no_grad() 下计算目标，或对目标用 detach。
        [both] 如果其中一边是目标，就对它用 detach；否则再加一项，让不同输入的结果保持差异。
       *[copy] 在 torch.no_grad() 下计算 { $name } 的结果，只把要训练的参数交给优化器。
    }
diagnosis-axes-mixed = 这里可能应该转置，却用了 reshape
    .cause = { $how ->
        [apart] { $other } 展平的是 { $before } 的预测，{ $code } 展平的是 { $after } 的目标：大小为 { $first } 和 { $second } 的两个轴顺序不同，于是损失中大多数预测都与其他样本的目标比较。
        [batch] { $code } 把形状 { $before } 变成 { $after }，但 { $first } 个样本在 { $before } 的轴 { $second } 上。元素的顺序不变，所以每一行都混有几个样本的元素，而目标只属于一个样本。
       *[one] { $code } 把形状 { $before } 变成 { $after }。元素的顺序不变，所以大小为 { $first } 和 { $second } 的两个轴没有交换，元素反而混在了一起。
    }
    .repair = { $how ->
        [batch] 先用 transpose 或 permute 把样本放到第一个轴，再 reshape。
       *[other] 用 transpose 或 permute 交换轴；只合并或拆分相邻的轴。
    }
diagnosis-mean-over-batch = 全部 { $rows } 个样本的预测都相同
    .cause = { $code } 对 { $shape } 的 { $rows } 个样本取了 { $method }，一个结果却要与全部 { $rows } 个目标比较。
    .repair = 沿另一个轴降维（dim=1），或者先逐个样本与目标比较，再对损失求平均。
diagnosis-schedule-first = 调度器先于优化器执行
    .cause = { $code } 在 { $optimizer } 的第一步之前就执行了：{ $lost ->
        [yes] 学习率 { $rate } 从未使用，第一步用的是 { $used }。
       *[no] 学习率的每次变化都早了一次调用。
    }
    .repair = 在 { $step } 之后调用调度器。
diagnosis-rate-falls = 学习率从 { $first } 降到 { $last }
    .cause = { $batches ->
        [yes] { $code } 执行了 { $count } 次，每个小批量一次。{ $scheduler } 通常按迭代周期（epoch）计数：{ $steps } 步之后学习率为 { $last }。
       *[no] { $code } 执行了 { $count } 次。在 { $steps } 步中的大多数步里，学习率低于 { $first } 的万分之一，参数几乎不变。
    }
    .repair = { $batches ->
        [yes] 每个迭代周期（epoch）只调用一次 { $code }，放在小批量的循环之外；或者按小批量来设定它的步数。
       *[no] 让学习率降得慢一些：增大 gamma，或减少调用 { $code } 的次数。
    }
diagnosis-schedule-pace = { $scheduler } 按 { $planned } 次调用设定，实际调用了 { $count } 次
    .cause = { $pace ->
        [round] { $code } 每轮只执行一次，而 { $optimizer } 更新了 { $steps } 步：计划调用 { $planned } 次，实际只有 { $count } 次，学习率停在 { $last }。
        [again] { $code } 执行了 { $count } 次：学习率先在 { $planned } 次调用中下降，然后又回升到 { $first } 附近，如此反复。
       *[step] { $code } 在 { $steps } 步的每一步之后都执行，而 { $planned } 是外层循环的轮数：计划在 { $planned } 步之后就结束了。
    }
    .repair = { $pace ->
        [round] 在每一步之后调用 { $code }，或者按 { $count } 次调用来设定调度器。
        [again] 按 { $count } 次调用来设定调度器，或减少调用 { $code } 的次数。如果本来就想周期性地重启，可以用 CosineAnnealingWarmRestarts。
       *[step] 每个迭代周期只调用一次 { $code }，放在小批量的循环之后；或者按 { $steps } 次调用来设定调度器。
    }
diagnosis-wrapper-bypassed = 各进程之间没有交换梯度
    .cause = { $code } 调用的是 DistributedDataParallel 里面的模型。只有调用 { $name } 本身做前向传播，各进程的梯度才会求平均，而程序里没有这样的调用。
    .repair = 调用 { $name }(…)；{ $name }.module 只用来保存状态。
diagnosis-nothing-loaded = load_state_dict 没有加载任何参数
    .cause = strict=False 时会跳过对不上的名称。这里给出的名称没有一个对得上，{ $name } 的权重保持不变。
    .repair = 查看这个调用返回的 missing_keys 和 unexpected_keys：名称常常带有 "module." 这样的前缀，需要去掉。
diagnosis-plateau-upside-down = 调度器把损失下降当成了没有改进
    .cause = mode="max" 时，{ $code } 认为数值变大才是改进。损失从 { $first } 降到 { $last }，学习率却因此降到 { $rate }。
    .repair = 监控损失时用 mode="min"；"max" 适用于准确率。
diagnosis-loss-as-epoch = { $scheduler } 把损失当成了迭代周期
    .cause = { $code } 把 { $given } 当作迭代周期的编号：{ $optimizer } 的学习率因此取决于损失，与调用次数无关。
    .repair = 调用 step() 时不要传参数。只有 ReduceLROnPlateau 接受损失。
diagnosis-never-scheduled = { $how ->
        [elsewhere] 调度器属于另一个优化器
       *[unused] { $name } 从未执行 step()
    }
    .cause = { $how ->
        [elsewhere] { $code } 调整的是另一个优化器的学习率（最后为 { $rate }），而那个优化器从未更新过参数。更新这些参数的是 { $optimizer }，它的学习率一直是 { $used }。
       *[unused] { $code } 创建了一个 { $scheduler }。它的优化器执行了 { $steps } 次 step()，而调度器的 step() 一次也没有被调用。
    }
    .repair = { $how ->
        [elsewhere] 创建 { $optimizer } 之后重新创建调度器，并传入 { $optimizer }。
       *[unused] 在优化器的 step 之后，或每个迭代周期（epoch）之后，调用 { $name }.step()。
    }
diagnosis-rate-tiny = 学习率太小，参数几乎不变
    .cause = { $optimizer } 的学习率是 { $rate }：{ $steps } 步之后，没有一个参数的变化超过 { $moved }。
    .repair = 用更大的学习率；Adam 通常从 0.001 左右开始，SGD 从 0.01 左右开始。
diagnosis-decay-dominates = { $adaptive ->
        [yes] 权重衰减的作用超过了梯度
       *[no] 权重衰减把权重缩到几乎为 0
    }
    .cause = { $adaptive ->
        [yes] weight_decay={ $decay } 的作用是梯度的十倍以上：{ $names } 的范数在 { $steps } 步里从 { $first } 变到 { $last }。
       *[no] weight_decay={ $decay }、学习率为 { $rate } 时，每一步都会让每个权重减小 { $part } %：{ $names } 的范数在 { $steps } 步里从 { $first } 变到 { $last }。
    }
    .repair = 减小权重衰减；常用值是 0.0001 到 0.1。
diagnosis-cannot-learn = { $optimizer } 的大部分权重学不到东西
    .cause = { $rounds ->
        [1] 在唯一的一轮中
       *[other] 在全部 { $rounds } 轮中
    }，{ $count } 个权重里有 { $lost } 个的梯度{ $largest ->
        [none] 恰好是 0
       *[other] 范数不超过 { $largest }
    }，例如 { $names }。损失是 { $loss }：即使这样的权重改变了它自身那么大，损失的变化也小于舍入误差。
    .repair = 在各层之间使用 ReLU、归一化或残差连接，或者增大权重的初始值。
diagnosis-gradient-vanishes = 梯度在传到 { $name } 之前就消失了
    .cause = 第一轮中，{ $name } 的梯度范数是 { $norm }，{ $other } 的是 { $large }；在每一轮中前者都小于 0.000001。通往 { $name } 的每条路径上都至少有 { $count } 次 sigmoid 或 tanh，每一次梯度都要乘以函数的斜率。
    .repair = 在各层之间使用 ReLU、规范化或残差连接。
diagnosis-activation-saturated = { $function } 饱和了
    .cause = { $code } 的{ $sampled ->
        [yes] {" "}{ $entries } 个抽样输出
       *[no] {" "}{ $entries } 个输出
    }中，有 { $saturated } 个从第一轮起就接近极限值，因为输入的范围是 { $low } 到 { $high }。在这个范围的两端，斜率几乎是 0。{ $data ->
        [none] {""}
       *[other] { $data } 本身的数值就很大。
    }
    .repair = 让输入落在 0 附近：把数据缩放到均值为 0、标准差为 1，或者减小初始权重。
diagnosis-softmax-axis = { $how ->
        [batch] softmax 沿样本计算，没有沿类别计算
       *[other] softmax 作用在{ $how ->
            [others] 轴 { $axis } 上，没有作用在键上
            [examples] 样本上，没有作用在每个样本的各部分上
           *[queries] 查询上，没有作用在键上
        }
    }
    .cause = { $how ->
        [batch] { $code } 对 { $shape } 的轴 0（样本）做规范化。损失随后逐行比较各个类别，{ $low ->
            [none] 但每一行的概率之和不是 1。
           *[other] 但各行之和为 { $low } … { $high }，不是 1。
        }
       *[other] { $how ->
            [others] { $code } 对分数 { $shape } 的轴 { $axis } 做规范化。随后 { $product } 沿轴 −1（键）求和，而键的权重之和不是 1。
            [examples] { $code } 对 { $shape } 的轴 0（样本）做规范化。随后 { $product } 沿轴 1 求和，而沿这个轴的权重之和不是 1。
           *[queries] { $code } 对分数 { $shape } 的轴 −2（查询）做规范化。随后 { $product } 沿轴 −1（键）求和，而键的权重之和不是 1。
        }
    }
    .repair = { $how ->
        [batch] 对类别做规范化：dim=1（或 dim=-1）。
        [examples] 沿求和的那个轴做规范化：dim=1。
       *[queries] 对键做规范化：dim=-1。
    }
diagnosis-advantage-attached = 策略的损失也在更新价值网络
    .cause = { $code } 中的 { $weight } 依赖于同一个优化器训练的 { $name }：价值的更新方向变成了改变对数概率的权重，不再是做好预测。
    .repair = 对权重用 detach：{ $weight }.detach()。
diagnosis-noise-scaled = 噪声的方差与散度中的方差不一致
    .cause = 散度以 { $variance } 为方差，{ $code } 却用 { $scale } 缩放噪声，{ $how ->
        [none] 而这就是对数本身
        [uniform] 但这个噪声服从 0 到 1 之间的均匀分布，不是正态分布，均值是 0.5
       *[power] 它的平方与方差不符
    }。
    .repair = { $how ->
        [uniform] 使用正态分布的噪声：torch.randn_like。
       *[power] 用方差的平方根缩放噪声：如果 { $log } 是 log σ²，就是 (0.5 * { $log }).exp()。
    }
diagnosis-updates-stop = 从第 { $since } 轮起（共 { $rounds } 轮）参数不再更新
    .cause = 直到第 { $rounds } 轮，每次反向传播都在计算梯度，但从第 { $since } 轮起 { $optimizer } 没有再更新参数，这些梯度也没有别的用处。最后一次更新在 { $code }。
    .repair = 检查 { $code } 所在的条件。
diagnosis-moved-in-backward = backward() 直接改动了 { $names }
    .cause = 共 { $rounds } 轮，每一轮在 backward() 期间、{ $optimizer } 更新之前，参数的值就变了；第一轮中，其中一个的范数从 { $before } 变为 { $after }。一定有钩子函数写入了这些参数。
    .repair = register_post_accumulate_grad_hook 的钩子函数得到的是参数本身。要修改梯度，应写入 p.grad。
diagnosis-autocast-idle = autocast 在这里不起作用
    .cause = autocast 中执行了 { $operations } 个操作，结果都保持原来的精度。autocast 只转换清单中的操作，例如 matmul、linear 和 conv。
    .repair = 改用这些操作，手动转换输入，或去掉 autocast。
diagnosis-factor-on-other-axis = { $name } 每行一个数，却与列对齐
    .cause = { $code } 把 { $name } 的 { $rows } 个数与 { $other } 的最后一个轴对齐。只是因为这个轴恰好和批量一样长，才没有报错：{ $rounds } 次都是如此。
    .repair = 在第一个轴后面添加轴，让每一行得到自己的数，例如对图像写 { $name }.view(-1, 1, 1, 1)。
diagnosis-scores-scaled-up = 分数乘以了 { $factor }，即宽度 { $width } 的平方根
    .cause = { $product } 把 { $width } 个乘积相加。除以 √{ $width } 能让这样的和与单个乘积大小相当，而 { $code } 却乘以它。
    .repair = 改为除以 { $factor }。
diagnosis-padding-averaged = 平均值把填充也算了进去
    .cause = { $code } 除以全部 { $count } 个位置，其中索引为 { $padding } 的位置（{ $embedding } 的填充）在各行中的数量不同。
    .repair = 只对其余位置求和，再除以每一行中这些位置的数量。
diagnosis-one-row-for-all = { $row } 只有 1 行，{ $batch } 有 { $rows } 行
    .cause = 在全部 { $rounds } 轮中，{ $code } 都让 { $batch } 的 { $rows } 行共用 { $row } 的同一行。
    .repair = 如果 { $batch } 的每一行都有各自对应的数据，{ $row } 也应有 { $rows } 行。
diagnosis-inputs-unscaled = { $name } 是最大为 { $top } 的整数
    .cause = 这些数直接与 { $weight } 相乘。权重的初始值适合大小约为 1 的输入，所以最初的结果会很大。
    .repair = 先缩放输入，例如 x / 255，或者先做归一化。
diagnosis-normalized-elsewhere = 权重按 { $over } 归一化，却按 { $onto } 求和
    .cause = 这些权重除以了按 { $over } 求得的和，而 { $code } 按 { $onto } 求和，所以加到同一处的权重之和不是 1。
    .repair = 两处使用同一个索引。
diagnosis-target-in-input = 目标 { $name } 是模型输入的一部分
    .cause = { $how ->
        [column] 在全部 { $rounds } 轮中，{ $name } 都等于模型输入的第 { $column } 列（从 0 数起），模型照抄即可。
       *[noise] 在全部 { $rounds } 轮中，{ $name }（包括噪声）都是模型输入的若干列，中间也没有更窄的层。模型只要照抄这些列，损失就能降到 0。
    }
    .repair = { $how ->
        [column] 从输入中去掉这一列。
       *[noise] 把预测与不含噪声的值比较，或者与噪声本身比较。
    }
diagnosis-players-agree = { $second } 的损失与 { $first } 的损失把得分推向同一方向
    .cause = 在全部 { $rounds } 轮中，两个损失都把生成样本的得分推向同一方向，而真实样本的得分朝相反方向变化。生成器学到的是被识别出来。
    .repair = 在 { $code } 中，让生成样本的得分与真实样本的标签比较，或改变符号。
diagnosis-merge-differs = 合并后的模型给出不同的结果
    .cause = { $code } 把 { $names } 并入 { $name }。此后同样的输入得到的结果最多相差 { $differs }。
    .repair = 并入的内容要与前向传播中加上的完全一致，系数也要相同。
diagnosis-inputs-zero = { $rounds } 轮中有 { $zeros } 轮的 { $name } 全为 0
    .cause = 其余各轮中，{ $name } 没有一行全为 0。除了偏置，从全零的小批量学不到任何东西。
    .repair = 检查这些小批量从哪里来，例如尚未完成的数据传输，或从未填充的缓冲区。
diagnosis-answers-differ = { $second } 和 { $first } 的权重相同，输出却不同
    .cause = 两者的输入相同（{ $first } 在第 { $line } 行），输出最多相差 { $differs }，因为{ $how ->
            [number] {" "}{ $code } 在 { $first } 中用 { $was } 计算，在 { $second } 中用 { $now }
           *[state] {" "}{ $name } 不同
        }：它没有随权重一起复制或保存。
    .repair = { $how ->
        [number] 在 { $second } 中设同一个数，或者用 self.register_buffer 把它注册为缓冲区，让 state_dict 包含它。
       *[state] 用 self.register_buffer 把它注册为缓冲区，让 state_dict 包含它；或者在复制参数时也复制缓冲区。
    }
diagnosis-state-strayed = { $optimizer } 使用的是其他参数的状态
    .cause = { $name } 一开始用的就是 { $other } 的状态，例如梯度的移动平均{ $leaves ->
        [1] {""}
       *[other] ；这样的参数共有 { $leaves } 个
    }。load_state_dict 按位置而不是按名称对应已保存的状态。
    .repair = 创建优化器时，让参数的顺序与保存时相同。
diagnosis-targets-far-ahead = 目标是 { $ahead } 个位置之后的词元
    .cause = 在全部 { $rounds } 轮中，{ $name } 里每个位置的类别都是输入中往后第 { $ahead } 个词元，没有损失学习下一个词元。目标可能移了两次位：一次在生成批量时，一次在计算损失时。
    .repair = 只移一次位。
diagnosis-step-multiplied = { $names } 的移动{ $along ->
        [yes] 是 { $optimizer } 一步的 { $factor } 倍
       *[no] 与 { $optimizer } 的一步不同
    }{ $leaves ->
       *[other] {""}
    }
    .cause = 用参数、梯度和状态的副本重做 torch 自己的一步来比较，全部 { $steps } 步都是如此。{ $how ->
        [twice] { $optimizer } 把同样的参数列出了两次。
        [optimizer] { $other } 也包含这些参数，{ $code } 在同一轮里又更新了一次。
        [write] { $code } 也更新了它们。
       *[unseen] 多出的部分不来自任何记录到的代码行。
    }
    .repair = { $how ->
        [twice] 每个参数只列一次。
        [optimizer] 只让一个优化器包含它们。
        [write] 去掉两次更新中的一次。
       *[unseen] 检查 step() 前后是什么改动了参数或梯度，例如钩子函数。
    }
diagnosis-grad-of-constant = { $name }.grad 是 None
    .cause = 第 { $line } 行读取了它，但 { $name } 不需要梯度：结果虽然依赖 { $name }，backward() 也不会为它计算梯度。
    .repair = 创建时写 requires_grad=True，或者用 nn.Parameter。
diagnosis-inputs-rescaled = 训练和评估时输入的尺度不同
    .cause = { $how ->
        [evaluation] 在 { $name } 上评估时，模型的输入是最大为 255 的整数；训练用的 { $other } 却是小数。
       *[training] 在 { $name } 上评估时，模型的输入是小数；训练用的 { $other } 却是最大为 255 的整数。
    }
    .repair = 训练和评估用同样的方式缩放，例如 x / 255。
diagnosis-eps-as-momentum = 这里的 { $eps } 是 eps，不是 momentum
    .cause = { $code } 的第二个参数是 eps：每个方差都加上 { $eps }，而 momentum 仍是 0.1。
    .repair = 写出参数名。torch 的 momentum 是新的小批量所占的比例：其他框架中的 momentum={ $eps }，在 torch 里往往要写成 1 减去这个值。
diagnosis-policy-upside-down = { $weight } 大于 0 的动作，概率反而越来越低
    .cause = 只要 { $weight } 大于 0，{ $code } 中的对数概率越小，损失就越小，而优化器会让损失变小。如果它是代价，这样没错；如果它是回报，方向就反了。
    .repair = 如果 { $weight } 是回报或优势，把符号反过来：损失是 −log_prob · { $weight }。
diagnosis-target-never-follows = 目标网络一直是最初的权重
    .cause = { $code } 用第二个网络计算目标，本次运行中共 { $uses } 次。其间没有任何代码写入 { $name }，而 { $other } 一直在训练。
    .repair = 在开始时以及每隔几步复制权重：{ $target }.load_state_dict({ $online }.state_dict())。
diagnosis-target-out-of-reach = 目标超出了输出范围
    .cause = { $code } 把 { $made } 与 { $target } 比较，后者的元素范围是 { $low } 到 { $high }。{ $function } 不会返回{ $function ->
        [relu] 小于 0
        [sigmoid] 小于 0 或大于 1
       *[tanh] 小于 −1 或大于 1
    }的值。
    .repair = 去掉最后的 { $function }，或者把目标缩放到它的范围内。
diagnosis-padding-learned = 损失也算了填充
    .cause = 在 { $ids } 等于 { $padding }（{ $embedding } 的填充）的地方，目标是 { $number }，别处都不是。{ $code } 把这些位置也平均进去：训练有一部分花在了填充上。
    .repair = 把它们排除：ignore_index={ $number }。
diagnosis-mean-averaged = 均值之和除以了样本数
    .cause = { $loss } 已经是 { $rows } 个样本的均值，{ $total } 每个小批量加上一个。再除以样本数，得到的值就比真正的平均值小，相差的倍数等于批量大小。
    .repair = 除以小批量的个数 len(loader)，或者加上 { $loss }.item() 乘以批量大小。
diagnosis-average-fails = { $how ->
        [rounded] 移动平均从不变化
        [still] 移动平均从不变化
        [away] 平均值在远离它应该跟随的权重
        [sum] 平均的两个系数之和不是 1
        [back] 训练的权重被拉回去
       *[short] 平均值几乎不保留过去
    }
    .cause = { $how ->
        [rounded] { $code } 运行了 { $rounds } 轮，{ $name } 的元素一直没变：每一步向 { $other } 的移动都小于 { $dtype } 在这里能分辨的最小间隔的一半，因此在舍入中丢失。
        [still] { $code } 运行了 { $rounds } 轮，{ $name } 的元素一直没变，而 { $other } 在变化。
        [away] 对 { $rounds } 轮的测量：{ $code } 每轮让 { $name } 向 { $other } 移动两者距离的 { $last }，负数表示远离。
        [sum] 对 { $rounds } 轮的测量：在 { $code } 中，{ $name } 与 { $other } 的系数每轮之和为 { $sum }，所以平均值与 { $other } 不在同一尺度上。
        [back] 在 { $rounds } 轮的每一轮中，{ $code } 都让优化器训练的 { $name } 向 { $other } 移动距离的 { $last }，而 { $other } 从不变化。移动平均的方向正好相反。
       *[short] 对 { $rounds } 轮的测量：{ $code } 在第一轮让 { $name } 移动它到 { $other } 距离的 { $first }，在最后一轮移动 { $last }。几轮以前的权重在其中几乎不起作用。
    }
    .repair = { $how ->
        [rounded] 用 float32 保存平均值：copy.deepcopy({ $model }).float()。
        [still] 给新的权重一个大于 0 的系数。
        [away] 改变符号：average += (1 - decay) * (weight - average)。
        [sum] 使用 decay 和 1 - decay：average = decay * average + (1 - decay) * weight。
        [back] 交换两者：写入平均值，读取训练的权重。
       *[short] 使用接近 1 的衰减系数，例如 0.999；如果预热会改变它，就另用一个变量保存；并检查两个数中哪一个属于平均值。
    }
diagnosis-own-similarity = 每一行都与自己最相似
    .cause = { $code } 把 { $name } 的 { $rows } 行互相比较，每一行也与自己比较，{ $loss } 用的是整张表。每一行都与自己的分数最大，训练无法改变这一点，而没有一行的类别是它自己。
    .repair = 在损失之前去掉对角线：{ $scores }.fill_diagonal_(float("-inf"))。
diagnosis-ratio-of-itself = 比值是策略与自己相比
    .cause = { $code } 在全部 { $rounds } 轮中都正好是 1，在同样的数据上更新一步之后也是如此，因为两边都来自当前的策略。所以裁剪不起作用。
    .repair = 在第一步之前，保存采取动作时策略的对数概率，并在每一轮都把它们作为旧值。
diagnosis-byte-inverted = 对整数用 ~ 得不到掩码
    .cause = { $name } 是 { $dtype }，所以 ~ 会按位取反：0 和 1 变成 { $after }，而 { $used } 使用这些数。
    .repair = 先把掩码变成布尔型：{ $name }.bool()。
diagnosis-targets-are-inputs = 目标就是输入
    .cause = 在全部 { $rounds } 轮中，{ $name }，也就是这个损失的类别，在每个位置上都与 { $embedding } 的输入相同，所以每个位置只需重复自己的输入。
    .repair = 对语言模型要错开一位：输入是 ids[:, :-1]，目标是 ids[:, 1:]。
diagnosis-loss-climbs = 每次更新都让这个损失变大
    .cause = { $code } 在全部 { $rounds } 轮中都以负的权重（{ $weight }）计入总损失，所以每次更新都让它变大，其中也包括对 { $name } 的更新：优化器训练这个参数，而其他损失都与它无关。
    .repair = 改为加上这个损失。如果前面有梯度反转层，那一层已经为更早的部分反转了符号。
diagnosis-rate-jumps-back = 学习率跳了回去
    .cause = 训练用同样的权重继续，有一行加载了调度器的状态，但 { $optimizer } 又从学习率 { $rate } 开始，而此前结束时是 { $last }。学习率和动量都属于优化器的状态，而没有一行加载这个状态。
    .repair = 把优化器的状态也保存并加载：{ $optimizer }.load_state_dict(…)。
diagnosis-momentum-stays = 动量从不衰减
    .cause = 对 { $steps } 步的测量：{ $optimizer } 的每次更新都包含前一次的 { $part } 倍，所以旧的更新从不衰减。
    .repair = 使用小于 1 的动量，例如 0.9。
diagnosis-clipped-to-nothing = 梯度被裁剪为 0
    .cause = { $code } 的上限是 0：范数最大为 { $norm } 的梯度都变成 0，没有一步能从中学习。
    .repair = 选择大于 0 的上限，例如 1.0。
diagnosis-argument-overwritten = 传入的张量被改写
    .cause = { $code } 写入了参数 { $name } 的内存。{ $twice ->
        [yes] 同一个张量会再次经过这一行，所以被改变了两次。
       *[no] 第 { $line } 行的 { $again } 之后读取它，得到的是改变后的元素。
    }
    .repair = 创建新的张量：用 { $name } = { $name } + … 代替 { $name } += …。
# 训练的各步。$step、$before 是某一步，例如 “48 (epoch = 3, i = 17)”。

diagnosis-began = 从第 { $began } 步开始。
diagnosis-of-part = 这里只统计运行中已记录的部分。
diagnosis-thinned = 这个循环每 { $stride } 步只保留一步：实际开始可能略早。
diagnosis-loss-nonfinite = 损失变成 { $what }
    .cause = { $stays ->
        [yes] 从第 { $step } 步起
       *[no] 在第 { $step } 步
    }，损失是 { $what }。{ $how ->
        [line] 在那一步，第 { $line } 行的 { $code } 的输入是有限值，结果却是 { $made }。
        [update] 第 { $before } 步之后的更新使 { $parameter } 变成了无穷大。
        [gradient] 第 { $before } 步之后的更新用到了 { $parameter } 的梯度，其中有 NaN 或无穷。
       *[unknown] {""}
    }
    .repair = { $how ->
        [line] 让 { $code } 的输入保持在结果为有限值的范围内。如果输入是在更新中越出范围的，就调小学习率。
        [unknown] 找出第一个含 NaN 或无穷的张量；报告会指出 NaN 和无穷从哪里开始。
       *[other] 调小学习率，或裁剪梯度。
    }
diagnosis-gradient-nonfinite = 梯度变成 NaN 或无穷
    .cause = 在第 { $step } 步，损失还是 { $loss }，但 { $names }{ $leaves ->
        [1] {" "}
       *[other] {" "}等 { $leaves } 个参数
    }的梯度中已有 NaN 或无穷。
    .repair = 平方根这类函数在某些点斜率无穷，要让输入远离这些点。如果输入是在更新中接近这些点的，就调小学习率。
diagnosis-zero = { $which ->
        [every] 所有梯度都变成 0
       *[some] 梯度一直是 0
    }
    .cause = { $which ->
        [every] 从第 { $step } 步起，所有梯度恰好都是 0，训练不再起作用。
        [always] 在每一步，{ $names }{ $leaves ->
            [1] {" "}
           *[other] {" "}等 { $leaves } 个参数
        }的梯度都恰好是 0。
       *[some] 从第 { $step } 步起，{ $names }{ $leaves ->
            [1] {" "}
           *[other] {" "}等 { $leaves } 个参数
        }的梯度恰好是 0。
    }{ $how ->
        [reverse] 反向的那一半从最后一个输入开始读，而 { $code } 取的那一步只读了这一个输入，还没有用到反向的循环权重。
        [flat] 第 { $line } 行的 { $code } 在所有输入上斜率都是 0，梯度无法通过。
       *[unknown] {""}
    }
    .repair = { $how ->
        [reverse] 取两个方向各自的最终状态，例如 torch.cat((h[-2], h[-1]), dim=1)，其中 h 是该层的最终隐状态。
        [flat] 改用在这些输入上斜率不为 0 的函数，例如 LeakyReLU。如果输入是在更新中变成这样的，就调小学习率。
       *[unknown] 在那一步的图中点“为什么？”，可以看到梯度在哪里变成 0。
    }
diagnosis-vanishing = 梯度在传到 { $name } 的途中消失
    .cause = { $always ->
        [yes] 在每一步
       *[no] 从第 { $step } 步起
    }，{ $name } 的梯度都小于 1e−7，最后是 { $norm }；更靠近损失的 { $other } 的梯度约为 { $large }。{ $moves ->
        [no] { $name } 从未改变。
        [rounded] { $name } 从未改变：优化器加上的量在舍入中丢失了。
       *[yes] {""}
    }
    .repair = { $normalized ->
        [yes] 在那一步的图中点“为什么？”，可以逐个运算地追踪梯度。
       *[no] 在各层之间使用 ReLU、规范化或残差连接。
    }
diagnosis-dead-units = { $layer } 的 { $units } 个单元中有 { $dead } 个失活
    .cause = 它们{ $always ->
        [yes] 在每一步都没有梯度。
       *[no] 从第 { $step } 步起没有梯度。
    }
    .repair = 改用 LeakyReLU，或调小学习率。
diagnosis-unmoved = { $which ->
        [all] 所有参数都没有改变
       *[some] { $names } 从未改变
    }
    .cause = { $which ->
        [all] 到最后，{ $leaves } 个参数仍是原来的值。
       *[some] 梯度不是 0，但参数值一直没变。
    }{ $how ->
        [rate] 学习率是 0。
        [emptied] backward 算出了梯度，但每次 step 时 .grad 都是 0：两者之间有代码写入了 0。
        [nothing] 没有任何优化器更新过这些参数。
       *[unknown] {""}
    }
    .repair = { $how ->
        [rate] 给优化器一个不为 0 的学习率。
        [emptied] 在 step() 之后或 backward() 之前清零或修改 .grad，不要放在两者之间。
        [unknown] 检查 backward() 与 step() 之间的代码，以及之后写入参数的代码。
       *[nothing] 把这些参数交给优化器，并调用 step()。
    }

diagnosis-term-cancels = { $term } 在这个和里被抵消了
    .cause = { $how ->
        [turned] { $code } 加上不带梯度的 { $term }，又减去带梯度的 { $term }。值抵消了，但减法会把梯度反号传回给它。
       *[both] { $code } 加上 { $term } 之后又把它减去，两次都带梯度，所以它的值和梯度都抵消了{ $rest ->
            [one] ，只剩下 { $left }
           *[more] {""}
        }。
    }
    .repair = 如果想用直通估计（straight-through），请对差值用 detach，例如 x + (y - x).detach()。否则从和里去掉 { $term }。
diagnosis-result-unused = { $how ->
        [last] 只有最后一轮用到 { $name }（{ $rounds } 轮中有 { $unused } 轮白算了）
        [state] { $name } 的状态从不更新
       *[all] 没有任何地方用到 { $name }{ $rounds ->
            [1] {""}
           *[other] （{ $rounds } 轮中有 { $unused } 轮）
        }
    }
    .cause = { $how ->
        [last] { $code } 在内层循环的每一轮都要计算，但只有最后一轮起作用；前面几轮算出的结果都丢掉了。
        [state] 循环中 { $rounds } 次调用 { $code } 都从同一个状态开始，没有一次用到前一次返回的状态。
        [name] 循环里给 { $name } 赋了值，但程序中没有任何一行读取它。
       *[all] { $code } 的结果既没有进入损失或任何被训练的张量，也不影响分支和输出。
    }
    .repair = { $how ->
        [state] 每一轮都把新的状态赋给变量。
        [last] 把结果带入下一轮，或者在循环之后只算一次。
       *[all] 在该用的地方用上这个结果，否则删掉这一行。
    }

diagnosis-optimizer-unused = { $name } 从未更新过参数
    .cause = 这一行的 { $kind } 与第 { $line } 行的优化器持有相同的参数，而所有更新都由后者完成；载入到前者的状态不起作用。
    .repair = 只保留一个优化器，并在创建之后载入它的状态。

diagnosis-rows-rewritten = 每次写入 { $name } 都会覆盖刚写过的行
    .cause = { $writes } 次写入每次填充 { $name } 的 { $rows } 行，其中 { $again } 行是上一次刚写过的；{ $size } 行中有 { $untouched } 行一直保持初始值。
    .repair = 每次写入后，让位置前进的行数等于写入的行数。
