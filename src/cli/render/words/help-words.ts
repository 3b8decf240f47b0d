// The texts of the help in Chinese, by their English text. A test walks every command and names the texts that are missing here.

import type { Locale } from "../../../core/index.ts";

const ZH: Readonly<Record<string, string>> = {
  // Headings and what commander adds.
  "Usage:": "用法：",
  "Arguments:": "参数：",
  "Options:": "选项：",
  "Global Options:": "全局选项：",
  "Commands:": "命令：",
  "Examples:": "示例：",
  "display help for command": "显示帮助",
  // The program.
  "The failure layer for AI agents: classify failures, see what a policy does about them, read what happened.":
    "AI 智能体的故障层：识别故障，查看策略如何处理，了解发生了什么。",
  "print the version": "显示版本",
  "print one JSON document": "输出一个 JSON 文档",
  "language of texts (default: from LANG)": "文本的语言（默认取自 LANG）",
  "colour the output": "输出是否带颜色",
  // classify, explain
  "Names the fault behind an error text, an HTTP status or an exit code.":
    "说出错误文本、HTTP 状态或退出码背后的故障。",
  "name the fault behind an error text, a status or an exit code": "识别错误文本、状态或退出码背后的故障",
  "where it was seen": "在哪里看到的",
  "the provider it came from, e.g. openai, claude-cli": "来自哪个服务商，如 openai、claude-cli",
  "the HTTP status": "HTTP 状态",
  "a response header; can be repeated": "一个响应头；可重复",
  "the exit code of the process": "进程的退出码",
  "the signal that ended it, e.g. SIGKILL": "结束它的信号，如 SIGKILL",
  "an error code such as ECONNRESET": "错误码，如 ECONNRESET",
  "read one object {id, surface, provider, input} per line and answer each with one line, in order":
    "每行读取一个对象 {id, surface, provider, input}，按顺序逐行回答",
  "the error text; `-` reads it from stdin (with --jsonl: a file of lines)":
    "错误文本；`-` 从标准输入读取（配合 --jsonl：按行的文件）",
  "Explains a fault code, the fault behind an error text, or what failed under a correlation id, with its causes.":
    "解释一个故障码、错误文本背后的故障，或某个关联 ID 下的失败及其原因。",
  "show what a fault means, what Faultline does and what you can do": "说明故障的含义、Faultline 的处理和您可以做的事",
  "the journal to look the correlation id up in": "在哪个日志中查找关联 ID",
  "list all fault codes": "列出所有故障码",
  "a fault code, an error text, a correlation id, or `-` for stdin": "故障码、错误文本、关联 ID，或 `-` 表示标准输入",
  // policy, tools
  "Checks, shows and tries out policies.": "检查、显示并试用策略。",
  "check, show and try out policies": "检查、显示并试用策略",
  "Reports every mistake in a policy file, with its place and a hint.": "报告策略文件中的每个错误，附位置和提示。",
  "warnings count as errors": "警告也算错误",
  "a YAML policy file": "YAML 策略文件",
  "Shows the rows in force, first match first, and where each comes from.":
    "显示生效的规则行（先匹配者在前）及其来源。",
  "a built-in policy": "内置策略",
  "Shows what happens to a fault: each attempt with its wait, and what follows.":
    "显示一个故障会怎样：每次尝试及其等待，以及之后的处理。",
  "where it is seen": "在哪里看到",
  "the provider it comes from": "来自哪个服务商",
  "the tool it happens in": "发生在哪个工具中",
  "the stage it happens in": "发生在哪个阶段",
  "a fault code, e.g. RateLimited": "故障码，如 RateLimited",
  "Decides every past decision of a journal again under another policy, and shows which would have differed. Nothing is written.":
    "用另一个策略重新作出日志中的每个决定，并显示哪些会不同。不写入任何内容。",
  "Shows which past decisions another policy would have changed.": "显示另一个策略会改变哪些过去的决定。",
  "the journal with the runs: a file, or postgres://…": "包含运行的日志：文件或 postgres://…",
  "the journal with its breakers, budgets and ledger of calls: a file, or postgres://…":
    "保存熔断、预算和调用账目的日志：文件或 postgres://…",
  "a built-in policy instead of a file": "用内置策略代替文件",
  "only decisions of the last minutes, hours or days, e.g. 90m, 12h, 7d":
    "只看最近若干分钟、小时或天的决定，如 90m、12h、7d",
  "only this run or session: its id, the beginning of a run's id, or `last`":
    "只看这个运行或会话：其 ID、运行 ID 的开头，或 `last`",
  "how many changed decisions to describe": "描述多少个变化的决定",
  "Prints the JSON Schema of policy files, for editors.": "输出策略文件的 JSON Schema，供编辑器使用。",
  "Checks tool manifests, in which an operator describes tools.": "检查工具清单，操作员在其中描述工具。",
  "check tool manifests": "检查工具清单",
  "Reports every mistake in a file of tool manifests, with its place and a hint.":
    "报告工具清单文件中的每个错误，附位置和提示。",
  "a YAML file with `tool` or `tools`": "含 `tool` 或 `tools` 的 YAML 文件",
  "Prints the JSON Schema of tool manifests, for editors.": "输出工具清单的 JSON Schema，供编辑器使用。",
  // journal
  "Reads, checks, moves and prunes the sessions of a journal, and answers open questions.":
    "读取、检查、迁移、清理日志中的会话，并回答未决问题。",
  "read, check, move and prune sessions; answer questions": "读取、检查、迁移、清理会话；回答问题",
  "Lists sessions, the newest first.": "列出会话，最新的在前。",
  "only sessions with this status": "只列出此状态的会话",
  "how many at most": "最多多少个",
  "a new journal: a file, or postgres://…": "新的日志：文件或 postgres://…",
  "Copies a whole journal to another place, from SQLite to PostgreSQL or back, with every hash checked. Stop its processes first. A copy that was broken off continues.":
    "将整个日志复制到另一处（SQLite 与 PostgreSQL 之间双向），并检查每个哈希。请先停止其进程。中断的复制会继续。",
  "the journal's file, or its address: postgres://…": "日志文件，或其地址：postgres://…",
  "Shows what happened in a session: what failed, what was decided and why, what it cost.":
    "显示会话中发生的事：什么失败了，作了什么决定、为什么，花费多少。",
  "only this turn": "只看这一轮",
  "print the raw entries, one JSON document per line": "输出原始条目，每行一个 JSON 文档",
  "its name": "其名称",
  "Checks that every entry is unchanged; names the first one that is not.":
    "检查每个条目未被改动；指出第一个被改动的条目。",
  "Writes a session as lines that can be imported elsewhere.": "把会话写成可在别处导入的行。",
  "write to this new file instead of stdout": "写入此新文件，而不是标准输出",
  "add the exact results of calls; needed to continue the session elsewhere":
    "附上调用的确切结果；在别处继续会话时需要",
  "Puts an exported session, or a rescue file, into a journal: all or nothing.":
    "把导出的会话或救援文件放入日志：要么全部，要么不放。",
  "take over a session from another store; creates the journal if needed": "从另一个存储接管会话；必要时创建日志",
  "the exported file; `-`, or nothing, for stdin": "导出的文件；`-` 或省略表示标准输入",
  "Removes old ended sessions and everything that belongs to them.": "删除已结束的旧会话及其全部内容。",
  "not touched for this long, e.g. 30d, 12h, 90m": "这么久没有变动，如 30d、12h、90m",
  "only list what would be removed": "只列出将被删除的内容",
  "Lists open questions and how to answer them.": "列出未决问题及回答方法。",
  "Answers a question; the first answer counts.": "回答一个问题；以第一个回答为准。",
  "say no to any kind of question": "对任何问题说不",
  "who answers": "谁来回答",
  "its id": "其 ID",
  "yes, no, the id of an option, a text or JSON; `-` reads it from stdin":
    "yes、no、选项的 ID、文本或 JSON；`-` 从标准输入读取",
  // chaos, doctor, run
  'A fault is chosen by the name of the model, by a header, or by the scenario:\n  model "overloaded", "chaos-overloaded" or "any/overloaded"\n  model "rate-limit:retry-after=7"\n  header "x-chaos: cut-stream; after=3"':
    '故障由模型名称、请求头或场景选定：\n  模型 "overloaded"、"chaos-overloaded" 或 "any/overloaded"\n  模型 "rate-limit:retry-after=7"\n  请求头 "x-chaos: cut-stream; after=3"',
  "A command that may have done something is not run again unless --idempotent says that this does no harm.\nOf agent CLIs that print their events (claude --output-format stream-json, codex exec --json …) Faultline\nsees whether they used a tool; for other commands it cannot know.\n--fallback is split at spaces; '…' and \"…\" keep words together, \\ keeps the next character. No shell is involved.":
    "可能已产生效果的命令不会再次运行，除非 --idempotent 说明这样无害。\n对于输出事件的智能体 CLI（claude --output-format stream-json、codex exec --json …），Faultline 能看到它们是否用过工具；其他命令则无从得知。\n--fallback 按空格拆分；'…' 和 \"…\" 把词放在一起，\\ 保留下一个字符。不经过 shell。",
  "Starts a server on this machine that speaks OpenAI chat completions and responses, Anthropic messages and Google generateContent, and fails on demand.":
    "在本机启动一个服务器，支持 OpenAI chat completions 与 responses、Anthropic messages 和 Google generateContent，并按要求出错。",
  "start a model provider that fails on demand": "启动一个按要求出错的模型服务商",
  "the port to listen on; 0 takes a free one": "监听端口；0 取一个空闲端口",
  "the address to listen on": "监听地址",
  "a YAML file that says which request gets which fault": "说明哪个请求得到哪个故障的 YAML 文件",
  "the seed of all probabilities": "所有概率的种子",
  "list all faults and end": "列出所有故障后结束",
  "Shows which agent CLIs are installed, in which version, and whether they are logged in. It only looks at files and variables: it sends nothing, starts no login and reads no secret.":
    "显示安装了哪些智能体 CLI、版本以及是否已登录。只查看文件和变量：不发送任何内容，不发起登录，不读取密钥。",
  "show which agent CLIs work here, and how to fix the others": "显示哪些智能体 CLI 可用，以及如何修复其他的",
  "also check this journal": "同时检查此日志",
  "also check this workflow; reports agents whose targets all fail together":
    "同时检查此工作流；报告目标会一起失败的智能体",
  "how long a CLI may take to print its version": "CLI 输出版本最多可用多久",
  "the CLIs you need (claude, codex, gemini, opencode, qwen, goose); default: all":
    "您需要的 CLI（claude、codex、gemini、opencode、qwen、goose）；默认全部",
  "Exit code 0: everything that you named can be used. Exit code 1: something cannot.":
    "退出码 0 表示所列均可用；1 表示其中有不可用的。",
  "Runs a command and passes on its output. If it fails, names the failure, retries or falls back where that is safe, and prints what to type next.":
    "运行命令并原样传递输出。失败时说出故障，在安全时重试或改用备用命令，并给出下一步该输入的命令。",
  "run any command; retry or fall back when it fails and that is safe": "运行任意命令；失败且安全时重试或改用备用命令",
  "total attempts for transient failures (default: the policy's)": "暂时性故障的总尝试次数（默认按策略）",
  "another command to use as a fallback; can be repeated": "备用命令；可重复",
  "how its output is read (default: by its name)": "如何读取其输出（默认按名称）",
  "record the run in this journal; created if it does not exist": "把运行记入此日志；不存在则创建",
  "the session in the journal: a new one, or one to continue": "日志中的会话：新的，或要继续的",
  "how long one attempt may take, e.g. 90s, 15m, 2h": "一次尝试最多多久，如 90s、15m、2h",
  "how long it may print nothing": "最多多久没有输出",
  "running it twice does no harm": "运行两次也无害",
  "read stdin to its end and give it to every attempt": "把标准输入读完并交给每次尝试",
  "end with the command's own exit code": "以命令自身的退出码结束",
  "the command and its arguments, after `--`; passed on unchanged": "`--` 之后的命令及其参数；原样传递",
  // workflow, runs, worker
  "Runs are stored in a journal: --journal, or the variable FAULTLINE_JOURNAL, or .faultline/journal.db in this folder.":
    "运行保存在日志中：--journal，或变量 FAULTLINE_JOURNAL，或此文件夹中的 .faultline/journal.db。",
  "let Restate drive the runs: restate://host:8080, or restate://a:8080,b:8080?admin=a:9070,b:9070":
    "由 Restate 驱动运行：restate://host:8080，或 restate://a:8080,b:8080?admin=a:9070,b:9070",
  "Advances the runs of a journal until it is stopped. Any number of workers can share a journal. Without --driver they share the runs by holds in the journal; with --driver, Restate decides which worker advances a run.":
    "推进日志中的运行，直到被停止。任意多个 worker 可以共用一个日志。没有 --driver 时它们通过日志中的占用来分配运行；有 --driver 时由 Restate 决定哪个 worker 推进哪个运行。",
  "advance the runs of a journal, beside other workers": "与其他 worker 一起推进日志中的运行",
  "The first SIGTERM or Ctrl-C drains the worker: it starts no more nodes, and exits when the running ones have ended. A second one ends it at once.\nFAULTLINE_RESTATE_TOKEN holds a bearer token for Restate. FAULTLINE_RESTATE_IDENTITY_KEY holds Restate's public key, so that the worker\naccepts only requests that Restate has signed.":
    "第一次 SIGTERM 或 Ctrl-C 会让 worker 收尾：不再开始节点，正在运行的结束后退出。第二次立即结束。\nFAULTLINE_RESTATE_TOKEN 是 Restate 的访问令牌。FAULTLINE_RESTATE_IDENTITY_KEY 是 Restate 的公钥，worker 只接受由它签名的请求。",
  "a folder with workflows, tool manifests and policy.yaml": "含工作流、工具清单和 policy.yaml 的文件夹",
  "runs that are advanced at the same time": "同时推进的运行数",
  "where Restate calls this worker: host:port; port 0 takes a free one":
    "Restate 在哪里调用此 worker：host:port；端口 0 取一个空闲端口",
  "the address under which Restate reaches the workers of this version (default: the one it listens on)":
    "Restate 访问此版本 worker 的地址（默认是其监听地址）",
  "on SIGTERM, how long nodes that run may take to end, e.g. 30s, 15m":
    "收到 SIGTERM 后，运行中的节点最多可用多久结束，如 30s、15m",
  "Checks workflow files, starts runs and resumes them. A run survives the process that runs it.":
    "检查工作流文件，启动和恢复运行。运行它的进程结束后，运行仍然保留。",
  "check, run and resume workflows": "检查、运行和恢复工作流",
  "Reports every mistake in workflow files, with its place and a hint.": "报告工作流文件中的每个错误，附位置和提示。",
  "workflow files": "工作流文件",
  "Starts a run of a workflow and advances it until it ends or has to wait.":
    "启动一次工作流运行，推进到结束或必须等待为止。",
  "print every event as a line of JSON (CloudEvents)": "把每个事件输出为一行 JSON（CloudEvents）",
  "do not ask and do not wait: end as soon as the run has to wait": "不询问也不等待：运行必须等待时立即结束",
  "only record it; another process advances it": "只记录；由另一个进程推进",
  "an input of the workflow; can be repeated": "工作流的一个输入；可重复",
  "a JSON file with inputs; --input wins": "含输入的 JSON 文件；--input 优先",
  "the id of the run (default: a generated one)": "运行的 ID（默认自动生成）",
  "a workflow file": "工作流文件",
  "Resumes a run. If another process works on it, watches it.": "恢复一个运行。若另一个进程正在处理，则观看。",
  "if the file has changed: refuse, continue with the new text, or with the old text":
    "若文件已改变：拒绝、用新文本继续，或用旧文本继续",
  "the workflow file (default: the one the run was started from)": "工作流文件（默认是启动运行时的文件）",
  "its id, the beginning of its id, or `last`": "其 ID、ID 的开头，或 `last`",
  "Prints the JSON Schema of workflow files, for editors.": "输出工作流文件的 JSON Schema，供编辑器使用。",
  "Shows and watches workflow runs, answers their questions, and acts on runs that failed.":
    "显示和观看工作流运行，回答其问题，并处理失败的运行。",
  "show, watch and act on workflow runs": "显示、观看和处理工作流运行",
  "Name a run by its id, the beginning of its id, or `last`. Acting on a run that has ended starts a new run that continues it.":
    "用 ID、ID 的开头或 `last` 指定运行。对已结束的运行采取操作会启动一个接续它的新运行。",
  "Lists runs, the newest first, with what to do next.": "列出运行（最新的在前）以及下一步。",
  "only runs with this status": "只列出此状态的运行",
  "only runs of this workflow": "只列出此工作流的运行",
  "Shows a run: its stages, open questions, and what you can do.": "显示一个运行：阶段、未决问题和您可以做的事。",
  "Prints the output of a node: the last finished one, or the one you name.":
    "输出一个节点的结果：最后完成的，或您指定的。",
  "a node of the workflow": "工作流的一个节点",
  "Watches a run from its beginning until it ends.": "从头观看一个运行直到结束。",
  "only events after this number": "只看此编号之后的事件",
  "Writes a run as journal lines, as CloudEvents, or as a folder.": "把运行写成日志行、CloudEvents 或文件夹。",
  "the output format": "输出格式",
  "write to this new file or folder instead of stdout": "写入此新文件或文件夹，而不是标准输出",
  "Retries the stage that failed or waits.": "重试失败或等待中的阶段。",
  "retry now instead of at the planned time": "立即重试，而不是等到计划时间",
  "Retries the stage with another provider.": "换一个服务商重试该阶段。",
  "which one; not needed if there is only one": "哪一个；只有一个时不需要",
  "Continues a discussion with a comment from you.": "以您的评论继续讨论。",
  "what you say": "您要说的话",
  "Stops a run for good.": "永久停止一个运行。",
  "do not wait until the process that works on it has stopped": "不等处理它的进程停下",
  "Answers what a run asks and continues the run. The first answer counts.":
    "回答运行的问题并继续运行。以第一个回答为准。",
  "only answer; another process continues the run": "只回答；由另一个进程继续运行",
  "the run, if it has one open question; or the question's id": "运行（若只有一个未决问题），或问题的 ID",
  "Takes any other action that `runs show` offers.": "采取 `runs show` 提供的任何其他操作。",
  "the new text for the node": "节点的新文本",
  "another provider": "另一个服务商",
  "a command to allow; can be repeated": "要允许的命令；可重复",
  "a tool to allow; can be repeated": "要允许的工具；可重复",
  "a higher cost limit": "更高的费用上限",
  "a longer time limit, e.g. 90s, 15m, 2h": "更长的时间上限，如 90s、15m、2h",
  "a higher limit on node visits": "更高的节点访问次数上限",
  "a higher limit on the stage's rounds": "更高的阶段轮数上限",
  "which of several offers of the same action; a repeated key has no effect":
    "同一操作的多个选项中的哪一个；重复的键不起作用",
  "e.g. send-back, edit-and-retry, regenerate-once, shorten-context, grant-and-retry, sign-in-again, accept-partial, raise-limit":
    "如 send-back、edit-and-retry、regenerate-once、shorten-context、grant-and-retry、sign-in-again、accept-partial、raise-limit",
  // report, init
  "Writes what happened in a run or session as Markdown: timeline, causes, decisions with reasons, cost, who did what, and what to do next. Secrets and paths are removed.":
    "把运行或会话中发生的事写成 Markdown：时间线、原因、决定及理由、费用、谁做了什么、下一步。密钥和路径会被去除。",
  "write an incident report about a run": "写一份运行的事故报告",
  "a run: its id, the beginning of its id, or `last`; or the name of a session":
    "运行：其 ID、ID 的开头或 `last`；或会话的名称",
  "Writes the files of a template into a folder. Existing files are not overwritten.":
    "把模板的文件写入文件夹。不覆盖已有文件。",
  "write starter files, such as a team of agents": "写入起步文件，例如一个智能体团队",
  "for `team`: agent CLIs (`clis`, the default) or models with an API key (`models`)":
    "用于 `team`：智能体 CLI（`clis`，默认）或带 API 密钥的模型（`models`）",
  "overwrite existing files": "覆盖已有文件",
  "list the templates and end": "列出模板后结束",
  "the template; --list lists them": "模板；--list 列出全部",
  "the target folder; for a team, the root of its repository": "目标文件夹；对团队而言是其仓库的根",
  // serve, token, gateway
  "Starts a server on a journal. Programs in any language report failures and get decisions. People see runs and act on them in a dashboard, programs over the API. The server also advances the journal's runs.":
    "在本机为一个日志提供服务：任何语言的程序报告故障并得到决定，人和程序在仪表板和 API 中查看和处理运行。同时推进日志中的运行。",
  "start the server: dashboard, API, events, metrics, and the driver of runs":
    "启动服务器：仪表板、API、事件、指标和运行的驱动",
  "a folder with workflows, tool manifests and policy.yaml; changed files are reloaded":
    "含工作流、工具清单和 policy.yaml 的文件夹；文件改变后无需重启即生效",
  "leave the runs to other processes": "把运行留给其他进程",
  "the address under which people reach the server through a proxy": "人们经代理访问服务器的地址",
  "a proxy with TLS is in front of the server; required for any address other than this machine's own":
    "前面有 TLS 代理；除本机地址外都需要",
  "post signed notices here (Standard Webhooks); the secret is in FAULTLINE_WEBHOOK_SECRET":
    "把签名的通知发到这里（Standard Webhooks）；密钥在 FAULTLINE_WEBHOOK_SECRET 中",
  "run this program for each notice, which it gets as JSON on its standard input":
    "每个通知运行一次此程序，通知以 JSON 从标准输入传入",
  "what notices are about (default: all)": "通知的内容（默认全部）",
  "The first start makes a token and writes it to operator.token beside the journal. On a terminal, serve also prints a link\nthat opens the dashboard, signed in. With --driver, the server hands runs over to Restate and `faultline worker` advances them.":
    "首次启动会生成一个令牌，写入日志旁的 operator.token。在终端中，serve 还会显示一个已登录的仪表板链接。使用 --driver 时，服务器把运行交给 Restate，由 `faultline worker` 推进。",
  "Manages the tokens that the server of a journal accepts. A running server applies each change at once.":
    "管理日志的服务器接受的令牌。运行中的服务器会立即采用每个改变。",
  "add, list and remove tokens of the server": "添加、列出和删除服务器的令牌",
  "Makes a token and prints it, once.": "生成一个令牌并只显示一次。",
  "what it may do": "可以做什么",
  "names it in the audit log": "它在审计日志中的名称",
  "Lists the tokens: name, role, and since when.": "列出令牌：名称、角色、起始时间。",
  "Removes a token.": "删除一个令牌。",
  "the name it was given": "它的名称",
  "Starts a gateway that speaks OpenAI chat completions and responses, Anthropic messages and Google generateContent. Each request goes to the first target of its route that can answer.":
    "支持 OpenAI chat completions 与 responses、Anthropic messages 和 Google generateContent，用路由中第一个可用的目标回答每个请求。",
  "also run a gateway on the same port, with the targets, routes and keys of this file":
    "同时作为网关：在同一端口上提供模型 API 的目标、路由和密钥",
  "start a gateway that lets clients survive failing providers": "启动网关，让客户端在服务商出错时继续工作",
  "targets, routes and keys; a changed file is reloaded (default: gateway.faultline.yaml)":
    "目标、路由和密钥；改变后无需重启即生效（默认 gateway.faultline.yaml）",
  "the address to listen on; an address other than this machine's own needs keys": "监听地址；除本机地址外都需要密钥",
  "check the file and end": "检查文件后结束",
  // start, tour, completion
  "Lets a team of agents fix a bug in a small repository while its provider, its tools and its own process fail. Needs no key and no network, takes less than a minute, and leaves its files in a temporary folder. On a terminal, a dashboard of it stays up until Ctrl-C.":
    "让一个智能体团队在服务商、工具和自身进程出错时修复一个小仓库中的缺陷。不需要密钥和网络，不到一分钟，文件留在临时文件夹。在终端中，仪表板会一直开着，直到按 Ctrl-C。",
  "see a team of agents survive failures, here and now": "现在就看智能体团队如何挺过故障",
  "ask you at the gate instead of confirming it": "在关卡询问您，而不是自动确认",
  "end after the first run; without a terminal, and with --json, it always does":
    "第一次运行结束即退出；没有终端或使用 --json 时总是如此",
  "Shows real failures, how they are classified, and what Faultline would do about each.":
    "展示真实的故障、如何识别，以及 Faultline 会怎样处理。",
  "see real failures classified and decided": "看真实故障如何被识别和处理",
  // drill
  "run an agent against a provider that fails, and print a scorecard": "让智能体面对会出错的服务商运行，并输出评分表",
  "Runs an agent once without a fault, then once with each fault: does it survive, answer wrongly, hang, crash, retry too hard or waste money?":
    "先在没有故障的情况下运行一次智能体，再针对每种故障各运行一次：它是否存活、答错、卡住、崩溃、重试过猛或浪费费用？",
  "the agent and its arguments, after `--`; {url} and {prompt} are replaced":
    "智能体及其参数，写在 `--` 之后；{url} 和 {prompt} 会被替换",
  "put the gateway and a second provider between the agent and the fault": "在智能体与故障之间放置网关和第二个服务商",
  "only this drill; can be repeated": "只做这一项演练；可重复给出",
  "how long one run may take, e.g. 90s, 2m": "一次运行最长多久，例如 90s、2m",
  "print the scorecard as Markdown, with a badge": "以 Markdown 输出评分表，附徽章",
  "The agent finds the provider by OPENAI_BASE_URL, ANTHROPIC_BASE_URL or GOOGLE_GEMINI_BASE_URL, or by {url} in its arguments.\nIt survives if it prints the model's answer and ends with exit code 0. No key and no network are needed.\nExit code 1 says that a fault was not handled.":
    "智能体通过 OPENAI_BASE_URL、ANTHROPIC_BASE_URL 或 GOOGLE_GEMINI_BASE_URL，或参数中的 {url} 找到服务商。\n智能体输出模型的答案并以退出码 0 结束，即为存活。不需要密钥，也不需要网络。\n退出码 1 表示有故障没有得到处理。",
  // config
  "Lists every setting of the command line with its value. --show-origin adds where it comes from: a flag, a variable, the project file or the default. Of a secret, it shows only whether it is set.":
    "列出命令行的每项设置及其值。--show-origin 还显示其来源：参数、变量、项目文件或默认值。密钥只显示是否已设置。",
  "list the settings and where they come from": "列出各项设置及其来源",
  "show where each value comes from": "显示每个值的来源",
  "targets, routes and keys of the gateway": "网关的目标、路由和密钥",
  "Give the flags that you give the other command, to see what it would use.\nThe project file is faultline.config.yaml, in this folder or above it, up to the root of the repository.":
    "加上另一个命令所用的参数，即可看到它会使用哪些值。\n项目文件是 faultline.config.yaml，位于此文件夹或其上级文件夹，直到仓库的根。",
  "Prints a script that completes commands, options and values in your shell.":
    "输出一个脚本，让您的 shell 补全命令、选项和值。",
  "print the script that completes commands in your shell": "输出让 shell 补全命令的脚本",
  "your shell": "您的 shell",
};

const CHINESE: Readonly<Record<Locale, Readonly<Record<string, string>>>> = { "en": {}, "zh-CN": ZH };

/** Commander writes choices and the default behind a text: `(choices: "a", "b", default: "a")`. */
const FACTS = / \((?:choices: ([^()]*?))?(?:(?:, )?default: ([^()]*))?\)$/;

/** Some texts say their default themselves, in brackets: the two pairs become one. */
function factsInChinese(said: string, choices: string | undefined, preset: string | undefined): string {
  const facts = [
    ...(choices === undefined ? [] : [`可选：${choices.split(", ").join("、")}`]),
    ...(preset === undefined ? [] : [`默认：${preset}`]),
  ].join("；");
  return said.endsWith("）") ? `${said.slice(0, -1)}；${facts}）` : `${said}（${facts}）`;
}

/** The text in the user's language; in English if it is not in the table. */
export function helpInWords(text: string, locale: Locale): string {
  const known = CHINESE[locale];
  if (locale === "en" || known[text] !== undefined) return known[text] ?? text;
  const [facts, choices, preset] = FACTS.exec(text) ?? [];
  if (facts === undefined || (choices ?? preset) === undefined) return text;
  const said = text.slice(0, -facts.length);
  return factsInChinese(known[said] ?? said, choices, preset);
}

/** Whether help in this language has the text. */
export function hasHelpWords(text: string, locale: Locale): boolean {
  return locale === "en" || CHINESE[locale][text] !== undefined;
}
