// What protected calls, sessions, models and MCP servers say when they fail or refuse, in Chinese.

import type { SentenceRow } from "../../yaml-file/diagnostic.ts";

export const CALL_SENTENCES: readonly SentenceRow[] = [
  // Admission, time and money.
  ["the circuit of {} opened {} ago{}; it lets one call through in {}", "{1} 于 {2}前熔断{3}；{4}后放行一个调用"],
  [
    "the circuit of {} opened{}; one call is probing it now, and the others wait for the result",
    "{1} 已熔断{2}；一个调用正在探测，其他调用等待结果",
  ],
  [" after {} ({})", "（{1}，{2}）"],
  ["cancelled by the caller", "由调用方取消"],
  [
    "signal is not an AbortSignal; pass `controller.signal`, not the controller",
    "signal 不是 AbortSignal；请传入 `controller.signal`，而不是 controller",
  ],
  [
    "{} calls already wait for {}; raise maxConcurrent or maxQueued",
    "已有 {1} 个调用在等待 {2}；请提高 maxConcurrent 或 maxQueued",
  ],
  [
    "{} was taken out of service ({}); it takes calls again when an operator releases it",
    "{1} 已停止服务（{2}）；操作员恢复之后才接受调用",
  ],
  ["{} said nothing is left", "{1} 表示已无余量"],
  ["the time was up before {} could start", "时间已到，{1} 未能开始"],
  ["the time was up while {} was running", "时间已到，而 {1} 仍在运行"],
  ["this attempt may cost {}; {} of {} is spent", "此次尝试最多花费 {1}；已花费 {2}，上限 {3}"],
  [
    "this attempt has cost {} so far and was stopped; {} of {} was spent before it",
    "此次尝试已花费 {1}，已停止；此前已花费 {2}，上限 {3}",
  ],
  ["{} did not answer within {} ms", "{1} 没有在 {2} 毫秒内响应"],
  ["{} was given up after {} ms", "{2} 毫秒之后放弃了 {1}"],
  ["{} failed when it was given up", "放弃 {1} 时它失败了"],
  ["{} was running when the process ended", "进程结束时 {1} 正在运行"],
  ["no person can be asked", "没有可以询问的人"],
  ["another target of the chain answered first", "链中的另一个目标先回答了"],
  ["another attempt of this call has answered first", "此调用的另一次尝试先回答了"],
  ["the target is silent", "目标没有响应"],
  [
    "call {} was continued with the tool {}, which no longer exists; register it, or use another call id",
    "调用 {1} 用工具 {2} 继续，而它已不存在；请注册它，或换一个调用 ID",
  ],
  [
    "call {} is done, but its result is not in this journal; export the session with its results",
    "调用 {1} 已完成，但其结果不在此日志中；请连同结果导出会话",
  ],
  ["a failed call has no fault (a bug in Faultline)", "失败的调用没有故障（Faultline 的错误）"],
  ["the answer was not usable; the next request tells the model why", "回答不可用；下一个请求会告知模型原因"],
  ["the schema of the {} of {} did not answer in time", "{2} 的{1} schema 没有按时响应"],
  ["{} cannot do what the request needs: {}", "{1} 不能满足请求的需要：{2}"],
  ["the request has at least {} tokens; {} takes {}", "请求至少有 {1} 个 token；{2} 只接受 {3} 个"],
  // Tools.
  [
    "tool {} names the alternative {}, which is not registered: pass it to createFaultline({ tools })",
    "工具 {1} 的备选 {2} 没有注册：请传给 createFaultline({ tools })",
  ],
  [
    'protect needs a tool, and got {}: wrap it, as in tool({ id: "search", run: search })',
    'protect 需要工具，而得到的是 {1}：请包装它，如 `tool({ id: "search", run: search })`',
  ],
  // Sessions and turns.
  [
    "session {} has ended ({}), and an id is used once; begin a new session with another id, or with none to get a new one",
    "会话 {1} 已结束（{2}），而每个 ID 只用一次；请用另一个 ID 开始新的会话，或不写 ID 以得到新的会话",
  ],
  ["session {} was left; open it again to continue it", "会话 {1} 已离开；要继续，请重新打开"],
  [
    "the manifest of session {} is not one this version can resume: {}; begin a new session, or use the version that wrote it",
    "此版本无法继续会话 {1} 的清单：{2}；请开始新的会话，或使用写入它的版本",
  ],
  [
    "session {} was written by store {}, this is {}; import it with `adopt` to continue it here",
    "会话 {1} 由存储 {2} 写入，而这里是 {3}；要在这里继续，请用 `--adopt` 导入",
  ],
  [
    "the name {} is taken: there is a run or a session of that name in this journal; choose another one",
    "名称 {1} 已被占用：此日志中有同名的运行或会话；请另取名称",
  ],
  ["the plan has no step {}", "计划中没有步骤 {1}"],
  ["the input of step {} could not be made", "无法生成步骤 {1} 的输入"],
  ["the time of turn {} was up before this step could start", "轮次 {1} 的时间已到，此步骤未能开始"],
  ["call {} is already running; give each call its own id", "调用 {1} 正在运行；请给每个调用不同的 ID"],
  ["turn {} is already running; give each turn its own id", "轮次 {1} 正在运行；请给每个轮次不同的 ID"],
  [
    "call {} has another tool or input now than when it was interrupted; resume with the same, or use another id",
    "调用 {1} 的工具或输入与中断时不同；请用相同的继续，或换一个 ID",
  ],
  [
    "session.{}() would wait for {} of session {}, from within which it was called; {}",
    "session.{1}() 会等待会话 {3} 的 {2}，而它正是在其中调用的；{4}",
  ],
  [
    "end the session after it, or stop everything now with session.cancel()",
    "请在其后结束会话，或用 session.cancel() 立即停止一切",
  ],
  ["leave the session after it", "请在其后离开会话"],
  [
    "make the calls with the current turn, or run this turn beside it with { beside: true }",
    "请用当前轮次调用，或用 { beside: true } 并行运行这个轮次",
  ],
  ["turn {} was started and is not there", "轮次 {1} 已开始，但不存在"],
  [
    "the session reached its limit of {} turns; raise limits.maxTurns",
    "会话已达到 {1} 个轮次的上限；请提高 limits.maxTurns",
  ],
  ["the session has run for {} ms", "会话已运行 {1} 毫秒"],
  [
    "turn {} has ended, and it had another plan; give this turn another name",
    "轮次 {1} 已结束，且计划不同；请给这个轮次另取名称",
  ],
  ["turn {} is over, but its result is not in the journal", "轮次 {1} 已结束，但其结果不在日志中"],
  [
    "turn {} reached its limit of {} tool rounds; raise limits.maxToolRounds",
    "轮次 {1} 已达到 {2} 轮工具调用的上限；请提高 limits.maxToolRounds",
  ],
  [
    "round {} of turn {} has another plan now than when it was interrupted; resume with the same plan, or begin a new turn",
    "轮次 {2} 的第 {1} 轮的计划与中断时不同；请用相同的计划继续，或开始新的轮次",
  ],
  ["turn {} waits for an answer to question {}", "轮次 {1} 在等待问题 {2} 的回答"],
  ["turn {} has ended; begin another one", "轮次 {1} 已结束；请开始另一个"],
  ["the body of turn {} threw", "轮次 {1} 的函数抛出了错误"],
  ["turn {} was not finished in time", "轮次 {1} 没有按时完成"],
  ["the executor ended its session", "执行方结束了会话"],
  ["the executor stopped trying", "执行方停止了尝试"],
  ["the executor was not heard of any more", "执行方已无消息"],
  [
    "call {} is over ({}); report the next failure without its id",
    "调用 {1} 已结束（{2}）；报告下一个失败时请不要带它的 ID",
  ],
  [
    "call {} is now at tool {}, and the report is about {}; report what {} did, or begin another call",
    "调用 {1} 现在使用工具 {2}，而报告是关于 {3} 的；请报告 {4} 的结果，或开始另一个调用",
  ],
  ["there is no failure {}; use the id that the report was answered with", "没有失败 {1}；请使用报告得到的 ID"],
  [
    "session {} is run by a program itself; give reported calls a session name of their own",
    "会话 {1} 由程序自己运行；请给所报告的调用单独的会话名称",
  ],
  [
    "the terminal was closed before there was an answer; answer from elsewhere, or start again with a terminal",
    "终端在得到回答之前已关闭；请在其他地方回答，或在终端中重新启动",
  ],
  ["the person closed the prompt", "用户关闭了提示"],
  // Models.
  ["the stream was closed before the answer was complete", "流在回答完整之前已关闭"],
  ["the stream ended before the answer was complete", "流在回答完整之前已结束"],
  ["the stream ended without a stop reason", "流结束时没有停止原因"],
  ["the response has the status {}", "响应的状态是 {1}"],
  ["the prompt was blocked: block reason {}", "提示被拦截：原因 {1}"],
  ["the model returned an empty response: status 200 without content", "模型返回了空响应：状态 200，没有内容"],
  ["unreadable answer: an event of the stream is not valid JSON", "无法读取回答：流中的一个事件不是有效的 JSON"],
  ["unreadable answer: nothing arrived", "无法读取回答：没有收到内容"],
  ["unreadable answer: its JSON is broken or incomplete", "无法读取回答：其 JSON 损坏或不完整"],
  ["unreadable answer: an HTML page", "无法读取回答：它是 HTML 页面"],
  ["unreadable answer: neither events nor JSON", "无法读取回答：既不是事件流，也不是 JSON"],
  ["unreadable answer: it does not have the shape of its protocol", "无法读取回答：不符合其协议的格式"],
  ["the stream ended without its end mark ({}): the answer is cut off", "流结束时没有结束标记（{1}）：回答被截断"],
  [
    "the model called {} {} times in a row with the same arguments, and each call failed",
    "模型用相同的参数连续调用 {1} {2} 次，每次都失败",
  ],
  ["the answer was truncated inside the arguments of a tool call", "回答在工具调用的参数中被截断"],
  ["the arguments of a tool call are not valid JSON", "工具调用的参数不是有效的 JSON"],
  ["the answer was truncated before it began", "回答在开始之前被截断"],
  ["the answer is empty", "回答为空"],
  ["nothing in the response could be read as an answer", "响应中没有可作为回答读取的内容"],
  ["the JSON was truncated", "JSON 被截断"],
  ["the answer does not fit its schema: {}", "回答不符合其 schema：{1}"],
  ["no response began within {} ms", "{1} 毫秒内没有开始响应"],
  ["no content arrived within {} ms", "{1} 毫秒内没有收到内容"],
  ["the stream was silent for {} ms while the model was thinking", "模型思考期间，流静默了 {1} 毫秒"],
  ["the stream was silent for {} ms", "流静默了 {1} 毫秒"],
  ["the stream sent {} characters per second; the minimum is {}", "流每秒发送 {1} 个字符；下限是 {2}"],
  ["{}: read more than {} MiB", "{1}：已读取超过 {2} MiB"],
  ["the error body is too long", "错误正文过长"],
  ["the answer is too long", "回答过长"],
  ["the stream keeps sending, but no content arrives", "流一直在发送，但没有内容"],
  ["the stream broke off where no target can continue it", "流在没有目标可以继续的地方中断"],
  [
    "a request in another dialect needs the package {}, which is not installed here: npm i {}",
    "另一种方言的请求需要软件包 {1}，这里没有安装：`npm i {2}`",
  ],
  [
    "the target compressed the answer ({}), although the gateway asked for plain bytes; turn compression off there",
    "目标压缩了回答（{1}），而网关要求不压缩；请在目标处关闭压缩",
  ],
  ["the target answered with a redirect ({})", "目标返回了重定向（{1}）"],
  // MCP servers.
  ["{} disconnected right after connecting", "{1} 在连接之后立即断开"],
  ["the connection to {} has ended", "与 {1} 的连接已结束"],
  ["there is no connection to {}: {}; the server wrote: {}", "没有与 {1} 的连接：{2}；服务器输出：{3}"],
  ["there is no connection to {}: {}", "没有与 {1} 的连接：{2}"],
  [
    "the connection to {} was closed by this program; connect again with connectMcp",
    "与 {1} 的连接已由本程序关闭；请用 connectMcp 重新连接",
  ],
  ["{} answered with an error: {}", "{1} 返回了错误：{2}"],
  ["the tool list of {} has {}", "{1} 的工具列表有{2}"],
  ["more than {} tools", "超过 {1} 个工具"],
  ["more than {} pages; the server's pages repeat", "超过 {1} 页；服务器的分页在重复"],
  ["the tool {} of {} cannot be used: {}", "无法使用 {2} 的工具 {1}：{3}"],
  ["{} has no tool {} (any more); {}", "{1}（已）没有工具 {2}；{3}"],
  ["it offers none", "它不提供工具"],
  ["it offers {}", "它提供 {1}"],
  [
    "the server's answer is not a tool result; the tool ran, so check what it did before calling it again",
    "服务器的回答不是工具结果；工具已运行，再次调用之前请检查它做了什么",
  ],
  [
    "{} declares structured output and sent none; the tool ran, so check what it did before calling it again",
    "{1} 声明了结构化输出，却没有发送；工具已运行，再次调用之前请检查它做了什么",
  ],
  [
    "{} runs only as an MCP task, which is not supported; call it with the MCP client directly",
    "{1} 只能作为 MCP 任务运行，这里不支持；请直接用 MCP 客户端调用",
  ],
  // Extensions.
  ['extension "{}" failed in its {}: {}', "扩展“{1}”在 {2} 中失败：{3}"],
  ['the {} of extension "{}" had not ended after {} s and was given up', "扩展“{2}”的 {1} 在 {3} 秒后仍未结束，已放弃"],
  // What continues after a failure that was passed over.
  ["an answer from elsewhere is not looked for any more", "不再等待来自别处的回答"],
  [
    "no rescue file could be written either; what was not in the journal is lost",
    "救援文件也无法写入；不在日志中的内容已丢失",
  ],
  [
    "{} threw; the run continues. Later failures of {} are not reported",
    "{1} 抛出了错误；运行继续。{2} 之后的失败不再报告",
  ],
  ["calls are spaced in this process alone", "调用间隔只在本进程内生效"],
  [
    "calls continue without what other processes know of breakers, pauses and incidents",
    "调用继续进行，但不知道其他进程的熔断、暂停和事故",
  ],
  [
    "breakers, pauses, retry budgets and incidents stay in memory until they change again",
    "熔断、暂停、重试预算和事故保留在内存中，直到再次变化",
  ],
  ["the call continues without this line in its journal", "调用继续进行，但日志中缺少这一行"],
  ["the call continues without its artefact {}", "调用继续进行，但没有附件 {1}"],
  [
    "a listener threw; the other listeners and the call continue. Later failures of this listener are not reported",
    "一个监听器抛出了错误；其他监听器和调用继续。此监听器之后的失败不再报告",
  ],
];
