// What `faultline serve` and `faultline token` say.

import type { Locale } from "../../../core/index.ts";

import type { FolderFile } from "../../../workflow/folder/workflow-folder.ts";

const EN = {
  listening: (url: string) => `Listening on ${url}`,
  /** `advances`: whether this process advances its runs; null: another line says who does. */
  journal: (file: string, advances: boolean | null) =>
    `Journal ${file}${advances === null ? "" : advances ? "; its runs are advanced here" : "; other processes advance its runs"}.`,
  onRestate: (hosts: string) => `Restate at ${hosts} drives its runs; workers advance them.`,
  token: (file: string) => `The operator's token is in ${file}.`,
  signIn: (link: string) => `Open ${link} to sign in. The link works once, for ten minutes.`,
  /** About a file of the workflow folder; `workflow` is the id of its workflow. */
  reloaded: {
    loaded: (file, workflow) => (workflow === null ? `Loaded ${file}.` : `Loaded ${file}: workflow ${workflow}.`),
    kept: (file, workflow) =>
      workflow === null
        ? `${file} has a mistake; its last good version stays in use.`
        : `${file} has a mistake; workflow ${workflow} keeps its last good version.`,
    refused: (file) => `${file} has a mistake and was not loaded.`,
  } satisfies Readonly<Record<FolderFile["state"], (file: string, workflow: string | null) => string>>,
  removed: (file: string) => `${file} is gone; runs that use it continue.`,
  noNotifier: (name: string) =>
    `--notify-command: there is no program ${name}. It takes one program without arguments; put a command line into a script.`,
  needsSecret: (variable: string) =>
    `--notify-url needs a secret to sign with: set ${variable} to one that the receiver knows.`,
  stop: "Ctrl-C stops.",
  stopping: "Stopping; runs continue when a server or worker starts again.",
  tokenMade: (name: string, role: string) =>
    `Made the token ${name} (${role}). It is not shown again. A server that runs accepts it from now on.`,
  tokenRemoved: (name: string) => `Removed the token ${name}. No server accepts it any more.`,
  noToken: (name: string) => `There is no token named ${name}. \`faultline token list\` shows those there are.`,
  noTokens: "No tokens yet: `faultline serve` makes the first one.",
  tokenHead: ["NAME", "ROLE", "SINCE"],
};

const ZH: typeof EN = {
  listening: (url) => `正在监听 ${url}`,
  journal: (file, advances) =>
    `日志 ${file}${advances === null ? "" : advances ? "；由本进程推进其中的运行" : "；由其他进程推进其中的运行"}。`,
  onRestate: (hosts) => `其中的运行由 ${hosts} 上的 Restate 驱动，由工作进程推进。`,
  token: (file) => `操作员令牌在 ${file} 中。`,
  signIn: (link) => `打开 ${link} 即可登录。该链接十分钟内有效，仅可使用一次。`,
  reloaded: {
    loaded: (file, workflow) => (workflow === null ? `已加载 ${file}。` : `已加载 ${file}：工作流 ${workflow}。`),
    kept: (file, workflow) =>
      workflow === null
        ? `${file} 有错误；继续使用上一个正确的版本。`
        : `${file} 有错误；工作流 ${workflow} 继续使用上一个正确的版本。`,
    refused: (file) => `${file} 有错误，未加载。`,
  },
  removed: (file) => `${file} 已删除；正在使用它的运行会继续。`,
  noNotifier: (name) => `--notify-command：没有程序 ${name}。它只接受一个程序，不带参数；请把命令行写进脚本。`,
  needsSecret: (variable) => `--notify-url 需要签名用的密钥：请把 ${variable} 设为接收方知道的密钥。`,
  stop: "按 Ctrl-C 停止。",
  stopping: "正在停止；服务器或工作进程再次启动后，运行会继续。",
  tokenMade: (name, role) => `已创建令牌 ${name}（${role}）。它不会再次显示；正在运行的服务器现在起就接受它。`,
  tokenRemoved: (name) => `已删除令牌 ${name}。服务器不再接受它。`,
  noToken: (name) => `没有名为 ${name} 的令牌。\`faultline token list\` 会列出现有令牌。`,
  noTokens: "还没有令牌：`faultline serve` 会创建第一个。",
  tokenHead: ["名称", "角色", "创建时间"],
};

export const SERVE_WORDS: Readonly<Record<Locale, typeof EN>> = { "en": EN, "zh-CN": ZH };
