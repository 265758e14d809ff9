# 示例库，以及课程与示例的筛选。

nav-gallery = 示例库
gallery-lede = { $count } 个小程序，以及它们运行的图。每个都提出一个问题。点一个，它就打开、运行并给出答案，还可以随意修改。
gallery-subject = 主题
gallery-all = 全部
gallery-surprising = 出人意料
gallery-tensors = 张量
gallery-algebra = 线性代数
gallery-calculus = 微积分
gallery-autograd = 自动微分
gallery-training = 训练
gallery-training-steps = 训练过程，逐步看
gallery-techniques = 训练技巧
search-label = 搜索课程与示例
search-hint = 术语、函数或报错，例如：叶子张量、detach、广播
search-example = 示例
search-lesson = 课程
search-found = { $count ->
    [0] 没有包含这些词的内容。少写几个词，或换一个说法。
   *[other] 找到 { $count } 项。
}
