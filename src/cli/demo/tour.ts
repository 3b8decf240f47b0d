// Prints the tour: real failures, how they are classified, and what Faultline would do about each.

import {
  classify,
  decide,
  type Evidence,
  explain,
  type Locale,
  PRESETS,
  type Situation,
  situation,
  viewFor,
} from "../../core/index.ts";
import { columnsOf } from "../../yaml-file/columns.ts";
import type { Cli } from "../cli.ts";
import { demoLine } from "../render/program-name.ts";
import type { Paint } from "../render/paint.ts";
import { liveTurn, type DemoTurn } from "./live-turn.ts";
import { CLI_WORDS, sentences } from "../render/words/cli-words.ts";
import { startChaos } from "../../chaos/start-chaos.ts";
import { createFaultline, type Entry } from "../../index.ts";

interface Stop {
  readonly title: Readonly<Record<Locale, string>>;
  readonly evidence: Evidence;
  readonly details: Partial<Omit<Situation, "fault">>;
}

const AT = Date.UTC(2026, 10, 15, 12, 0, 0);
const target = (id: string, endpoint: string) => ({
  id,
  endpoint,
  account: "own",
  model: id,
  capabilities: [],
  contextWindowTokens: 200_000,
  available: true,
  backAt: Infinity,
});
const CHAIN = {
  targets: [target("gpt-5.5", "openai"), target("claude-sonnet-5", "anthropic")],
  current: 0,
  needs: [],
  minContextTokens: 0,
};
const MODEL_CALL = {
  now: AT,
  idempotent: true,
  chain: CHAIN,
  offers: new Set(["fallback", "park", "ask", "compact", "surface", "fail"] as const),
};

const STOPS: readonly Stop[] = [
  {
    title: { "en": "A rate limit with a wait in it", "zh-CN": "带等待时间的限流" },
    evidence: {
      surface: "http",
      provider: "openai",
      status: 429,
      headers: { "retry-after": "20" },
      body: {
        error: {
          type: "tokens",
          code: "rate_limit_exceeded",
          message: "Rate limit reached for gpt-5.5 on tokens per min (TPM): Limit 30000, Used 29500, Requested 1200.",
        },
      },
    },
    details: MODEL_CALL,
  },
  {
    title: { "en": "A quota dressed as the same 429", "zh-CN": "伪装成同样 429 的配额耗尽" },
    evidence: {
      surface: "http",
      provider: "openai",
      status: 429,
      body: {
        error: {
          type: "insufficient_quota",
          code: "insufficient_quota",
          message: "You exceeded your current quota, please check your plan and billing details.",
        },
      },
    },
    details: MODEL_CALL,
  },
  {
    title: { "en": "A context overflow dressed as a 500", "zh-CN": "伪装成 500 的上下文超长" },
    evidence: {
      surface: "http",
      provider: "llama.cpp",
      status: 500,
      body: { error: { code: 500, message: "Context size has been exceeded.", type: "server_error" } },
    },
    details: MODEL_CALL,
  },
  {
    title: { "en": "A CLI that hit its plan's limit", "zh-CN": "CLI 用尽套餐额度" },
    evidence: {
      surface: "cli",
      provider: "claude-cli",
      exitCode: 1,
      message: "You've hit your 5-hour limit · resets 9:16pm (UTC)",
    },
    details: { ...MODEL_CALL, chain: { ...CHAIN, targets: [] } },
  },
  {
    title: { "en": "A CLI that is not installed", "zh-CN": "CLI 未安装" },
    evidence: {
      surface: "cli",
      provider: "codex-cli",
      error: { code: "ENOENT", syscall: "spawn codex", message: "spawn codex ENOENT" },
    },
    details: { ...MODEL_CALL, chain: { ...CHAIN, targets: [] } },
  },
  {
    title: { "en": "A stream that broke", "zh-CN": "中途断开的流" },
    evidence: {
      surface: "cli",
      provider: "codex-cli",
      message: "stream disconnected before completion: stream closed before response.completed",
    },
    details: { ...MODEL_CALL, attempt: 1 },
  },
  {
    title: { "en": "A booking tool that timed out: was it booked?", "zh-CN": "预订工具超时：到底订上了没有？" },
    evidence: {
      surface: "tool",
      message: "Tool timeout after 30s",
      error: { name: "TimeoutError", message: "timed out" },
    },
    details: {
      now: AT,
      place: { surface: "tool", provider: "", tool: "book_flight", stage: "" },
      idempotent: false,
      offers: new Set(["ask", "surface", "fail"] as const),
    },
  },
  {
    title: { "en": "A certificate that its CLI keeps retrying", "zh-CN": "CLI 一直重试的证书错误" },
    evidence: {
      surface: "cli",
      provider: "claude-cli",
      message:
        "API Error (Connection error.) · Retrying in 40 seconds… (attempt 9/10)\n  Error (self signed certificate in certificate chain)",
    },
    details: { ...MODEL_CALL, chain: { ...CHAIN, targets: [] } },
  },
];

export async function runTour(cli: Cli): Promise<void> {
  const stops = STOPS.map((stop) => visit(stop, cli));
  if (cli.json) return cli.stdout.write(`${JSON.stringify(stops)}\n`);
  const { paint } = cli;
  const words = CLI_WORDS[cli.locale];
  await cli.stdout.write(`${paint("bold", "Faultline")}  ${words.tour}\n\n`);
  for (const { title, fault, saw, what, why, next, says } of stops) {
    const line = (label: string, text: string): string => `  ${paint("dim", padded(label))} ${text}`;
    const more = [...why.slice(0, 2), next].map((text) => line("", paint("dim", text)));
    const named = `${paint("yellow", fault.code)} ${paint("dim", `${fault.class} · ${words.rule} ${fault.rule}`)}`;
    const rows = [
      paint("bold", title),
      line(words.saw, saw),
      line(words.fault, named),
      line(words.doesNow, paint("green", what)),
    ];
    await cli.stdout.write([...rows, ...more, line(words.says, says), "", ""].join("\n"));
  }
  await showTurn(await liveTurn(cli.locale), cli, paint);
  await showTurn(await liveProvider(cli.locale), cli, paint);
  await cli.stdout.write(`${words.tryIt}\n${TRY_IT.map((command) => `  ${command}\n`).join("")}`);
}

async function showTurn({ title, lines, message }: DemoTurn, cli: Cli, paint: Paint): Promise<void> {
  const width = Math.max(...lines.map(({ tool }) => tool.length));
  const rows = lines.map(({ tool, met, did }) =>
    met === ""
      ? `  ${tool.padEnd(width)}  ${paint("green", did)}`
      : `  ${tool.padEnd(width)}  ${paint("yellow", met)} → ${did}`,
  );
  await cli.stdout.write([paint("bold", title), ...rows, `  ${paint("dim", message)}`, "", ""].join("\n"));
}

const TRY_IT = [
  demoLine("classify", "paste the error here"),
  demoLine("explain", "QuotaExhausted"),
  demoLine("policy", "simulate", "RateLimited"),
];

function visit({ title, evidence, details }: Stop, { locale }: Cli) {
  const met = classify({ ...evidence, observedAt: AT });
  const { what, why, next } = explain(decide(situation(met, { ...details, roll: 0.5 }), PRESETS.default), locale);
  const view = viewFor("operator", met, { correlationId: "", locale });
  const fault = { class: met.class, code: met.code, rule: view.rule };
  return {
    title: title[locale],
    fault,
    saw: view.excerpt,
    what,
    why,
    next,
    says: sentences(locale, view.message, view.next),
  };
}

const LABEL_COLUMNS = 6;

function padded(label: string): string {
  return label + " ".repeat(Math.max(0, LABEL_COLUMNS - columnsOf(label)));
}

// The tour's provider stop: reads a stream through `fl.fetch` from the fault-injecting provider on loopback.

const WORDS = {
  "en": {
    title: "And a model: a provider on loopback that fails on demand (faultline chaos)",
    worked: "streamed the whole answer",
    message: "The caller saw one answer and none of the failures:",
  },
  "zh-CN": {
    title: "模型调用：本机上按需出错的服务（faultline chaos）",
    worked: "完整流式返回了答案",
    message: "调用方只看到一个答案，没有看到任何失败：",
  },
} as const satisfies Record<Locale, Record<string, string>>;

/** Matches the text parts of an OpenAI stream. */
const DELTA = /"content":"((?:[^"\\]|\\.)*)"/g;

async function liveProvider(locale: Locale): Promise<DemoTurn> {
  const words = WORDS[locale];
  const chaos = await startChaos();
  const fl = createFaultline({ locale });
  try {
    // Short waits of 300 ms keep the tour moving.
    chaos.script([{ "fault": "rate-limit-ms", "retry-after": 0.3 }, "error-first-event"]);
    const fetch = fl.fetch({ provider: "openai" });
    const response = await fetch(`${chaos.openaiUrl}/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ model: "gpt-5", stream: true, messages: [{ role: "user", content: "Where is Lisbon?" }] }),
    });
    const text = Array.from((await response.text()).matchAll(DELTA), ([, delta]) => delta).join("");
    const lines = fl.recent().flatMap((entry) => lineOf(entry, words.worked, locale));
    return { title: words.title, lines, message: `${words.message} ${text}` };
  } finally {
    await chaos.close();
    await fl.close();
  }
}

function lineOf({ event }: Entry, worked: string, locale: Locale): DemoTurn["lines"] {
  if (event.type === "call-failed") {
    return [{ tool: event.tool, met: event.fault.code, did: explain(event.decision, locale).what }];
  }
  return event.type === "call-succeeded" ? [{ tool: event.tool, met: "", did: worked }] : [];
}
