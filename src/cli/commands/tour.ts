// `faultline tour`, and so `npm start`: real failures, what they are, and what would be done about each.

import type { Command } from "commander";
import {
  classify,
  decide,
  type Evidence,
  explain,
  PRESETS,
  type Situation,
  situation,
  viewFor,
} from "../../core/index.ts";
import { type Io, paintFor } from "../io.ts";
import { globalOptions } from "../options.ts";

interface Stop {
  readonly title: string;
  readonly evidence: Evidence;
  readonly details: Partial<Omit<Situation, "fault">>;
}

const AT = Date.UTC(2026, 10, 15, 12, 0, 0);
const target = (id: string, provider: string) => ({
  id,
  provider,
  model: id,
  credential: provider,
  capabilities: [],
  contextWindowTokens: 200_000,
  available: true,
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
    title: "A rate limit with a wait in it",
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
    title: "A quota dressed as the same 429",
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
    title: "A context overflow dressed as a 500",
    evidence: {
      surface: "http",
      provider: "llama.cpp",
      status: 500,
      body: { error: { code: 500, message: "Context size has been exceeded.", type: "server_error" } },
    },
    details: MODEL_CALL,
  },
  {
    title: "A CLI that hit its plan's limit",
    evidence: {
      surface: "cli",
      provider: "claude-cli",
      exitCode: 1,
      message: "You've hit your 5-hour limit · resets 9:16pm (UTC)",
    },
    details: { ...MODEL_CALL, chain: { ...CHAIN, targets: [] } },
  },
  {
    title: "A CLI that is not there",
    evidence: {
      surface: "cli",
      provider: "codex-cli",
      error: { code: "ENOENT", syscall: "spawn codex", message: "spawn codex ENOENT" },
    },
    details: { ...MODEL_CALL, chain: { ...CHAIN, targets: [] } },
  },
  {
    title: "A stream that broke",
    evidence: {
      surface: "cli",
      provider: "codex-cli",
      message: "stream disconnected before completion: stream closed before response.completed",
    },
    details: { ...MODEL_CALL, attempt: 1 },
  },
  {
    title: "A booking tool that timed out: was it booked?",
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
    title: "A certificate that its CLI keeps retrying",
    evidence: {
      surface: "cli",
      provider: "claude-cli",
      message:
        "API Error (Connection error.) · Retrying in 40 seconds… (attempt 9/10)\n  Error (self signed certificate in certificate chain)",
    },
    details: { ...MODEL_CALL, chain: { ...CHAIN, targets: [] } },
  },
];

export function addTour(program: Command, io: Io): void {
  program
    .command("tour")
    .summary("see real failures classified and decided")
    .description("Shows real failures, what they are, and what would be done about each.")
    .action(async (_options: object, command: Command) => {
      const { locale, color } = globalOptions(command, io);
      const paint = paintFor(io.stdout, io.env, color);
      await io.stdout.write(
        `${paint("bold", "Faultline")}  every failure becomes one typed fault, one function decides, nothing is guessed twice\n\n`,
      );
      for (const { title, evidence, details } of STOPS) {
        const fault = classify({ ...evidence, observedAt: AT });
        const decision = decide(situation(fault, { ...details, roll: 0.5 }), PRESETS.default);
        const { what, why, next } = explain(decision, locale);
        const view = viewFor("operator", fault, { correlationId: "", locale });
        await io.stdout.write(
          [
            paint("bold", title),
            `  ${paint("dim", "saw  ")} ${view.excerpt}`,
            `  ${paint("dim", "fault")} ${paint("yellow", fault.code)} ${paint("dim", `${fault.class} · rule ${view.rule}`)}`,
            `  ${paint("dim", "does ")} ${paint("green", what)}`,
            ...why.slice(0, 2).map((line) => `        ${paint("dim", line)}`),
            `        ${paint("dim", next)}`,
            `  ${paint("dim", "says ")} ${view.message} ${view.next}`,
            "",
            "",
          ].join("\n"),
        );
      }
      await io.stdout.write(
        [
          "Try it on a failure of your own:",
          '  npx faultline classify "paste the error here"',
          "  npx faultline explain QuotaExhausted",
          "  npx faultline policy simulate RateLimited",
          "",
        ].join("\n"),
      );
    });
}
