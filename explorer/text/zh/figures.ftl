# 程序绘制的图。

figure-points-left-out = 程序绘制了 { $count } 个点；这里均匀选取并显示其中至多 10,000 个。
figure-series-left-out = 程序绘制了 { $count } 条曲线；这里显示前 200 条。
figure-in-notebook = 一幅图：在支持 Plotly 的笔记本中显示。
