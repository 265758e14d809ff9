# 浏览器页面上的文字。

language = 语言
program = 程序
run = 运行
run-hint = Ctrl+Enter 运行程序
starting = 正在启动 PyTorch，几秒后显示图。

status-ran = 已运行，结果最新
status-starting = 正在启动
status-running = 正在运行
confined = 程序的受限程度：{ $level }
status-waiting = 服务器忙，前面排队到第 { $place } 位
status-stopped = 停在第 { $line } 行
status-failed = 已停止

page-graph = 计算图
page-graph-of = 计算图：
page-graph-empty = 没有可画的内容。用 requires_grad=True 创建一个张量，再由它计算。
stale = 上一次成功的图。
stale-line = 程序停在第 { $line } 行。
stale-no-line = 程序已停止。
bigger = 放大
smaller = 缩小
fit = 适合宽度

problems = 问题
problem-stopped = 程序停止了。
problem-stopped-at = 程序停在第 { $line } 行。
problem-not-python = 这不是 Python。
problem-not-python-at = 第 { $line } 行不是 Python。
output = 输出
no-output = 没有输出。以表达式结尾，或使用 print。
tables = 节点表与叶子张量表
leaves = 叶子张量
nodes = 节点
