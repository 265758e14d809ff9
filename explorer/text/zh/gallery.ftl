# 示例库，以及课程与示例的筛选。

nav-gallery = 示例库
gallery-lede = { $count } 个小程序，以及它们运行的图。每个都提出一个问题。点击一个，就会打开并运行，然后可以随意修改。
gallery-subject = 主题
    .all = 全部
    .surprising = 出人意料
    .tensors = 张量
    .algebra = 线性代数
    .calculus = 微积分
    .autograd = 自动微分
    .training = 训练
    .training-steps = 训练过程，逐步看
    .techniques = 训练技巧
search-label = 搜索课程与示例
search-hint = 术语、函数或报错，例如：叶子张量、detach、广播
search-example = 示例
search-lesson = 课程
search-found = { $count ->
    [0] 没有包含这些词的内容。少写几个词，或换一个说法。
   *[other] 找到 { $count } 项。
}
