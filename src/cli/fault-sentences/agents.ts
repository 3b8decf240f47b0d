// What is said about agent CLIs and other processes that fail, in Chinese.

import type { SentenceRow } from "../../yaml-file/diagnostic.ts";

export const AGENT_SENTENCES: readonly SentenceRow[] = [
  ["{} ended with exit code {} and did not say why", "{1} 以退出码 {2} 结束，没有说明原因"],
  ["unknown agent CLI {}; expected one of {}", "未知的智能体 CLI {1}；可用的有 {2}"],
  ["{} could not be started ({}). {}", "无法启动 {1}（{2}）。{3}"],
  [
    'There is no file "{}". Check the path. Relative paths start at the working folder.',
    "没有文件“{1}”。请检查路径。相对路径从工作文件夹算起。",
  ],
  [
    'There is no command "{}" on the PATH. Install it, or name it with its full path.',
    "PATH 中没有命令“{1}”。请安装它，或写完整路径。",
  ],
  [
    '"{}" exists but cannot be run. Check that it is a program and that you have permission to execute it.',
    "“{1}”存在，但无法运行。请检查它是不是程序、您是否有执行权限。",
  ],
  [
    'The arguments or the environment for "{}" are too long for the system. Pass long text, such as a prompt, on stdin or in a file.',
    "“{1}”的参数或环境变量对系统而言过长。长文本（如提示）请通过标准输入或文件传入。",
  ],
  [
    "The command, an argument or an environment entry is empty or contains a NUL byte, which the system does not allow. Remove it.",
    "命令、参数或环境变量为空，或含有系统不允许的 NUL 字节。请去掉它。",
  ],
  [
    'The machine cannot start another process (out of memory, processes or file handles), so "{}" did not start. Close other programs, or try again later.',
    "本机无法再启动进程（内存、进程数或文件句柄不足），因此“{1}”没有启动。请关闭其他程序，或稍后再试。",
  ],
  ['"{}" did not start: the system said {}.', "“{1}”没有启动：系统报告 {2}。"],
  [
    'The working folder "{}" does not exist or is not a folder, so "{}" did not start. Create it, or choose another one.',
    "工作文件夹“{1}”不存在或不是文件夹，因此“{2}”没有启动。请建立它，或换一个。",
  ],
  [
    '"{}" exists, but the program named in its first line (#!) does not. Install that program, or correct the line.',
    "“{1}”存在，但其首行（#!）指定的程序不存在。请安装该程序，或改正首行。",
  ],
  ["{} was stopped because the call was cancelled", "{1} 已停止，因为调用被取消"],
  ["{} printed nothing within its startup time limit", "{1} 在启动时限内没有输出"],
  ["{} printed nothing for longer than its idle time limit", "{1} 无输出的时间超过了空闲时限"],
  ["{} did not finish within its time limit", "{1} 没有在时限内完成"],
  [
    "{} was stopped because it kept retrying a failure that no retry can fix",
    "{1} 已停止，因为它一直在重试一个重试无法解决的失败",
  ],
  [
    "{} was stopped while it was retrying, because another target can answer",
    "{1} 在重试时被停止，因为另一个目标可以回答",
  ],
  [
    "{} was stopped because it kept asking for tools it is not allowed to use",
    "{1} 已停止，因为它一直请求无权使用的工具",
  ],
  ["{} was stopped because its answers kept breaking off", "{1} 已停止，因为它的回答一直中断"],
  ["{} was stopped because it kept waiting for the network", "{1} 已停止，因为它一直在等待网络"],
  ["its answers kept breaking off", "它的回答一直中断"],
  ["{} refused its arguments and printed its help. {}", "{1} 拒绝了参数并输出了帮助。{2}"],
  ["{} refused its arguments and printed its help.", "{1} 拒绝了参数并输出了帮助。"],
  ["{} and did not say why", "{1}，没有说明原因"],
  ["{} ended without an exit code", "{1} 结束时没有退出码"],
  ["{} was not allowed to use {} and gave no answer", "{1} 无权使用 {2}，没有给出回答"],
  ["{} ended in the middle of its answer", "{1} 在回答中途结束"],
  [
    "{} ended before its answer was complete: its output has no proper end",
    "{1} 在回答完整之前结束：输出没有正常的结尾",
  ],
  ["{} exited as if it had succeeded, but gave no answer{}", "{1} 正常退出，但没有给出回答{2}"],
  [": {}", "：{1}"],
  ["the run ended with an error, but gave no message", "运行以错误结束，但没有给出消息"],
  ["it failed without a message", "它失败了，没有给出消息"],
  [
    "Could not create a private folder ({}). Check that TMPDIR names a writable folder on a disk with free space.",
    "无法建立私有文件夹（{1}）。请检查 TMPDIR 是否指向有剩余空间的可写文件夹。",
  ],
  [
    "Could not remove the private folder of a run ({}). Remove it by hand: it may contain credentials.",
    "无法移除运行的私有文件夹（{1}）。请手动移除：其中可能有凭证。",
  ],
  ["{} is {}. It must be a number of milliseconds, 0 or more.", "{1} 是 {2}。它必须是不小于 0 的毫秒数。"],
  [
    "killAfterMs and drainMs cannot be Infinity: the wait for the end of a process must have a limit.",
    "killAfterMs 和 drainMs 不能是 Infinity：等待进程结束必须有时限。",
  ],
  [
    "maxLineBytes is {}. It must be a whole number of bytes, 1 or more.",
    "maxLineBytes 是 {1}。它必须是不小于 1 的整数。",
  ],
  [
    "maxTailBytes is {}. It must be a whole number of bytes, 0 or more.",
    "maxTailBytes 是 {1}。它必须是不小于 0 的整数。",
  ],
  [
    "the command printed more than {} bytes, which is the limit for output held back while another attempt may follow",
    "命令的输出超过 {1} 字节，这是在可能再次尝试时暂存输出的上限",
  ],
  [
    "This Node was built without SQLite, which the journal needs. Install Node from nodejs.org.",
    "此 Node 不带 SQLite，而日志需要它。请从 nodejs.org 安装 Node。",
  ],
  ["the command", "命令"],
  ["killed by {}", "被 {1} 结束"],
  ["exit code {}", "退出码 {1}"],
];
