# 这台机器上对程序的限制程度。

level = 级别
level-full = 完整
    .hint = 可以运行陌生人的程序
level-seccomp-and-limits = seccomp 与资源限制
    .hint = 可以运行陌生人的程序，只是少一层防护
level-limits = 仅资源限制
    .hint = 只运行你信任的程序
level-none = 无
    .hint = 只运行你信任的程序，系统甚至不限制内存

mechanism =
    .rlimits = 内存、时间、描述符和进程数有上限
    .no_new_privs = 无法取得更多权限
    .undumpable = 其他进程不能读取其内存
    .descriptors = 没有打开服务器的任何描述符
    .environment = 没有环境变量
    .user = 既非 root，也无特权
    .namespaces = 没有网络，看不到其他进程
    .landlock = 只能打开库文件，不能改动任何文件
    .seccomp = 只允许列出的系统调用
    .control_group = 内核在独立的控制组中统计每次运行的全部内存、进程和计算时间
system-unconfined = 只有 Linux 能约束程序：在这里，程序可以不受限制地访问你的文件和网络。程序运行太久或占用内存太多时，应用会结束程序。
missing-library = 缺少 libseccomp：请安装系统的 libseccomp2 软件包

hosted-refused = 此服务器不运行程序：它对陌生人开放，而这里的限制级别是“{ $level }”，至少需要“{ $needed }”。缺少：{ $missing }。
hosted-word = 此服务器不运行程序：EXPLORER_HOSTED 的值是“{ $word }”，既不表示“是”（{ $yes }），也不表示“否”（{ $no }）。请改用其中一个词，然后重新启动服务器。
scheduler-address = EXPLORER_SCHEDULER 的值是“{ $given }”，应为调度器监听的地址，例如 tls://scheduler.example:8786。
scheduler-plain = EXPLORER_SCHEDULER 的值是“{ $given }”。没有证书时，网络途中的任何人都能在调度器上运行程序。tcp:// 只能用于本机，例如 tcp://127.0.0.1:8786；其他机器请用 tls://。
scheduler-certificates = EXPLORER_SCHEDULER 的值是“{ $given }”，需要证书。尚未设置：{ $missing }，每一项都是一个 PEM 文件的路径。
scheduler-unread = EXPLORER_SCHEDULER 的证书无法使用：{ $reason }
server-full-of-yours = 从你的地址已打开 { $most } 个页面，达到了每个地址的上限。请不要关闭本页：关闭其中一个后，本页会自动打开。
left-out = 本页有 { $count } 个请求没有处理：请求过大，或发送过于频繁。
server-full = 此服务器的 { $most } 个位置已全部占用。请不要关闭本页：有人离开后，本页会自动打开。
