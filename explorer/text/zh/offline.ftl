# 不需要服务器就能播放一次运行的单独网页：省略了什么
offline-most = 这个网页不播放运行过程：共 { $count } 步，超过 { $most } 步。
offline-unwatched = 没有记录 Python 普通变量的值，播放器只显示运算和梯度。
offline-statements = 最后 { $count } 条语句没有逐条记录。
offline-plot = 这幅图省略了，否则网页会太大。
