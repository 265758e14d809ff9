# Python 接口对参数的说明。

api-trace = { $call } 需要一个 Trace，即 explorer.record() 或 explorer.run() 的返回值，这里得到的是 { $given }。
api-trace-json = { $call } 需要一个 Trace。从 .json 读取的运行只含数值：请保存为 .trace 再加载。
api-language = lang 只能是 { $languages }，不能是 { $given }。
api-name = 需要程序中的名字，例如 "w" 或 "w.grad"，这里得到的是 { $given }。
api-value = { $name } 必须是{ $must ->
        [backward] backward 调用的序号（从 1 数起），或 None
        [bytes] 大于 0 的字节数，或 None
        [depth] 不小于 1 的层数，或 None（表示全部）
        [tolerance] 不小于 0 的数，或 None
        [positive] 大于 0 的整数
       *[integer] 整数
    }，这里得到的是 { $given }。
api-draw = draw() 需要一个 Trace、一个模型及其输入（如 draw(model, x)），或一个记录了梯度的计算结果（如 draw(loss)），这里得到的是 { $given }。
api-draw-keyword = draw() 没有选项 { $name }；只有模型或函数才接收输入。
draw-unseen = explorer.draw：这里不会显示此图。用 explorer.draw(…).save("picture.html") 保存。
draw-stopped = 图在出错处结束。{ $type }: { $text }
record-unfinished = 这个记录正在进行中。`with` 块结束后才有 Trace。
record-not-begun = 尚未记录任何内容：请在 `with explorer.record() as trace:` 块结束之后，或在要记录的函数第一次调用之后再使用。
record-running = 这个记录正在进行中。要在其中再做记录，请另建一个 explorer.record()。
api-several-models = 有多个模型含有张量 { $name }：{ $names }。
api-no-value = 没有记录 { $name } 的任何元素：受 max_bytes 限制省略了细节，或者这种张量没有可读的元素。
api-allow = allow 接受种类和名字，例如 ["wrong_mode", "embed.*"]，这里得到的是 { $given }。
api-open = open 接受模块的路径，例如 "blocks.0.attn"，这里得到的是 { $given }。
record-broken = 结束时无法读出记录的内容（{ $error }），这次记录已丢失。程序不受影响。
record-sampled = { $operations } 个运算之后，{ $bytes } 的空间已满。此后只保留运行的开头和结尾，中间部分只计数。record(max_bytes=None) 会保留全部；训练很长时 explorer.watch 只记录其中一些步。
api-path = 需要文件名，这里得到的是 { $given }。
api-source = run() 接受程序文本或 Path，这里得到的是 { $given }。
api-source-name = { $name } 是文件名：run(Path("{ $name }")) 运行该文件。字符串会被当作程序本身来运行。
api-option = run() 没有选项 { $name }。可用的选项：{ $known }。
api-option-value = run() 的选项 { $name } 不能是 { $given }。
api-model = 需要模型（torch.nn.Module），这里得到的是 { $given }。
api-no-row = 没有编号 { $index }：这次记录里{ $count ->
    [0] 没有任何一项。
   *[other] 有 { $count } 个，编号 0 到 { $last }。
}
api-row = 请用整数、切片或 where(name=…, module=…) 查找，不能用 { $given }。
api-pattern = where() 接受模式，例如 where(module="blocks.0.*")，这里得到的是 { $given }。
api-pandas = to_pandas() 和 entries() 需要 pandas：pip install pandas
api-function = @explorer.record() 只能用于函数，这里得到的是 { $given }。在生成器或 async 函数里请用 with。
api-parentheses = 使用 record 时要加括号：函数前写 @explorer.record()，或写 with explorer.record() as trace。

# explorer.watch 的说明。

watch-optimizer = 这里需要 torch 的优化器、若干优化器或 None，得到的却是 { $given }。
watch-step = watch 会自动统计优化器的步数。watch.step() 只用于没有优化器的 watch(model)。
watch-out = 多个进程需要同一个文件夹：请指明，例如 out="runs/first"。
watch-exists = { $path } 里已经有一次运行。请用 out= 选择另一个文件夹，或删除这个文件夹。
watch-failed = 有一步没有记录，训练继续进行。{ $type }：{ $text }
watch-repeats = watch.repeats() 需要创建监视时传入的 torch 优化器。
watch-jump = loss_jump() 的倍数须大于 1，窗口至少含 5 个损失。
watch-on = on= 接收 "nonfinite"、loss_jump(3.0)、以一步为参数的函数，或其中几个，不能是 { $given }。
watch-also = also= 接收带有 state_dict() 和 load_state_dict() 的对象，不能是 { $given }。
watch-samples = samples= 接收一个返回本批样本索引的函数，不能是 { $given }。
watch-to = to= 接收 TensorBoard 的 SummaryWriter 或 wandb 的 run，不能是 { $given }。
watch-event = 第 { $step } 步：{ $event }。这一步已重新运行并记录到 { $path }，结束时的状态逐位相同。
watch-event-differs = 第 { $step } 步：{ $event }。这一步已重新运行并记录到 { $path }，但结束时的状态不同：它读取的某个对象没有被恢复。若该对象有 state_dict()，请通过 also= 传入。
watch-event-batch = 第 { $step } 步：{ $event }。这一步的参数已被原地修改，无法重新运行。将记录下一步。
watch-event-next = 第 { $step } 步：{ $event }。只有用 watch.repeats() 包装的步骤才能重新运行。将记录下一步。
statistics = { $steps } 步，{ $known ->
    [True] 损失从 { $first } 到 { $last }
   *[other] 没有损失
}
statistics-event = 第 { $step } 步：{ $event }
sample-term = 损失 { $rows } 行中的第 { $row } 行：{ $shares ->
    [none] { $term }
    [whole] { $term }，占损失的 { $share }
   *[other] { $term }，至少占损失的 { $share }
}
sample-terms-alike = 损失中没有特别突出的行：{ $rows } 行中最大的一行占 { $share }。
sample-term-known = 样本 { $sample }（批量的第 { $row } 行）：{ $shares ->
    [none] { $term }
    [whole] { $term }，占损失的 { $share }
   *[other] { $term }，至少占损失的 { $share }
}

api-forms-module = compare() 和 compare_forms() 需要一个模块，或一个不带参数、返回模块的函数，这里得到的是 { $given }。
api-forms-other = compare() 需要两个模块（或返回模块的函数）和一个小批量，这里得到的是 { $given }。
api-forms-none = 第一个模块没有任何梯度：损失不依赖任何需要梯度的参数或输入。
