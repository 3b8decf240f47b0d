// The texts of `faultline doctor`.

import { commandLine } from "../program-name.ts";
import type { CliRemedy } from "../../../agent/doctor/cli-health.ts";
import type { ExaminedKind } from "../../../agent/doctor/login-evidence.ts";
import type { LoginState } from "../../../agent/doctor/login-state.ts";
import type { MachineCheck, WritingObstacle } from "../../../agent/doctor/machine.ts";
import type { CliStatus } from "../../../agent/doctor/probe-version.ts";
import type { AgentCli } from "../../../agent/verdict/cli-table.ts";
import type { Locale } from "../../../core/index.ts";

const EN = {
  cli: "CLI",
  version: "version",
  login: "logged in",
  file: "file",
  ok: "ok",
  notOk: "not ok",
  statuses: {
    ready: "ready",
    missing: "not found",
    hangs: "hangs",
    fails: "does not run",
    unclear: "prints no version",
  } satisfies Readonly<Record<CliStatus, string>>,
  states: { yes: "yes", no: "no", unknown: "unknown" } satisfies Readonly<Record<LoginState["state"], string>>,
  machine: { node: "Node", sqlite: "SQLite", journal: "journal", workflow: "workflow" } satisfies Readonly<
    Record<MachineCheck["check"], string>
  >,
  madeLater: "does not exist yet; it is created on first use",
  needsSqlite: "A journal needs the SQLite of a newer Node; see above.",
  wrongWorkflow: (file: string) => `It has errors. List them with: ${commandLine("workflow", "check", file)}`,
  keysUnset: (messages: readonly string[], file: string) =>
    `${messages.join("; ")}. Set what ${file} needs before you start a run.`,
  obstacles: {
    "no-folder": "A part of its path is a file, not a folder. Choose another path.",
    "not-writable": "You have no write permission for its folder. Choose another path, or get write permission.",
    "file-not-writable": "You have no write permission for the file. Choose another file, or get write permission.",
  } satisfies Readonly<Record<WritingObstacle, string>>,
  next: "Next: ",
  allWell: "All well.",
  remedies: {
    "install": (cli) => `install ${cli.name}: ${cli.installCommand ?? ""}`,
    "repair": (cli) =>
      `${cli.name} is installed, but \`${commandOf(cli)}\` does not work. Run it by hand, or reinstall it: ${cli.installCommand ?? ""}`,
    "log-in": (cli) => `log in to ${cli.name}: ${cli.loginCommand ?? ""}`,
    "ask-it": (cli) =>
      `only ${cli.name} can tell whether it is logged in: run \`${cli.binary ?? ""}\` once. If it is not: ${cli.loginCommand ?? ""}`,
  } satisfies Readonly<Record<CliRemedy, (cli: AgentCli) => string>>,
  noSuchCli: (name: string, near: string | null, known: string) =>
    `Unknown CLI \`${name}\`. ${near === null ? "" : `Did you mean \`${near}\`? `}Known CLIs: ${known}.`,
};

export type DoctorWords = typeof EN;

/** The table of CLIs has its remedies in English; commands need no translation. */
const ZH_LOGINS: Readonly<Record<ExaminedKind, string>> = {
  claude: "运行 `claude` 后输入 /login，或设置 ANTHROPIC_API_KEY",
  codex: "运行 `codex login`",
  gemini: "设置 GEMINI_API_KEY，或运行一次 `gemini` 并选择登录方式",
  opencode: "运行 `opencode auth login`",
  qwen: "运行一次 `qwen` 并选择登录方式，或设置 OPENAI_API_KEY、OPENAI_BASE_URL 和 OPENAI_MODEL",
  goose: "运行 `goose configure`",
};

export const DOCTOR_WORDS: Readonly<Record<Locale, DoctorWords>> = {
  "en": EN,
  "zh-CN": {
    cli: "CLI",
    version: "版本",
    login: "已登录",
    file: "文件",
    ok: "正常",
    notOk: "不可用",
    statuses: { ready: "可用", missing: "未找到", hangs: "无响应", fails: "无法运行", unclear: "未给出版本" },
    states: { yes: "是", no: "否", unknown: "未知" },
    machine: { node: "Node", sqlite: "SQLite", journal: "日志", workflow: "工作流" },
    madeLater: "尚不存在；首次使用时创建",
    needsSqlite: "日志需要较新的 Node 所带的 SQLite；见上。",
    wrongWorkflow: (file) => `无法运行。查看问题所在：${commandLine("workflow", "check", file)}`,
    keysUnset: (messages, file) => `${messages.join("；")}。请先设置 ${file} 需要的变量，再开始运行。`,
    obstacles: {
      "no-folder": "其路径的一部分是文件而不是文件夹。请换一个位置。",
      "not-writable": "无权写入其文件夹。请换一个位置，或申请权限。",
      "file-not-writable": "无权写入该文件。请换一个文件，或申请权限。",
    },
    next: "下一步：",
    allWell: "一切正常。",
    remedies: {
      "install": (cli) => `安装 ${cli.name}：${zhInstall(cli)}`,
      "repair": (cli) =>
        `${cli.name} 已存在，但 \`${commandOf(cli)}\` 没有正常回答。请手动试一试，或重新安装：${zhInstall(cli)}`,
      "log-in": (cli) => `登录 ${cli.name}：${zhLogin(cli)}`,
      "ask-it": (cli) =>
        `只有 ${cli.name} 自己知道是否已登录：请运行一次 \`${cli.binary ?? ""}\`。若未登录：${zhLogin(cli)}`,
    },
    noSuchCli: (name, near, known) =>
      `doctor 不认识 CLI \`${name}\`。${near === null ? "" : `是否指 \`${near}\`？`}它认识：${known}。`,
  },
};

function commandOf({ binary, versionArgs }: AgentCli): string {
  return [binary ?? "", ...versionArgs].join(" ");
}

/** Translates the hints that are not commands. */
function zhInstall({ npmPackage, installCommand }: AgentCli): string {
  return npmPackage === null ? "请参阅其安装页面（block.github.io/goose）" : (installCommand ?? "");
}

function zhLogin({ kind }: AgentCli): string {
  return kind === "generic" ? "" : ZH_LOGINS[kind];
}
