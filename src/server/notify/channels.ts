// The channels for notices: a signed webhook and a command, each a protected tool with its own breaker.

import { spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { type FaultCode, traitsOf } from "../../core/fault/catalogue.ts";
import type { Fault } from "../../core/fault/fault.ts";
import { systemClock } from "../../host/clock.ts";
import { tool } from "../../runtime/tool/tool.ts";
import type { Tool } from "../../runtime/tool/tool.ts";
import type { Notification, NoticeKind } from "./notice.ts";

/** Where notices are posted to, signed as Standard Webhooks are. */
export interface WebhookOptions {
  readonly url: string;
  /** The receiver has the same one; `whsec_…` in base64, or any text. */
  readonly secret: string;
}

/** How the server notifies people of questions, failed runs and opened breakers. */
export interface NotifyOptions {
  /** Default: all. */
  readonly about?: readonly NoticeKind[];
  readonly webhook?: WebhookOptions;
  /** A program and its arguments; it gets the notice as JSON on its standard input. */
  readonly command?: readonly string[];
}

const ATTEMPT_MS = 10_000;
/** A quarter of an hour in total: the receiver may be restarting for a deployment. */
const RETRY = {
  maxAttempts: 9,
  backoff: { kind: "exponential", initialMs: 1_000, maxMs: 300_000, multiplier: 3 },
  maxTotalWaitMs: 900_000,
} as const;

/** Every failure of a receiver is retried, because its owner may fix it meanwhile. */
function retryAny(_error: unknown, seen: Fault): FaultCode | undefined {
  return traitsOf(seen.code).retryable ? undefined : "ToolUnavailable";
}

export function webhook({ url, secret }: WebhookOptions): Tool<Notification, null> {
  return tool({
    id: "notify:webhook",
    idempotent: true,
    surface: "http",
    timeoutMs: ATTEMPT_MS,
    retry: RETRY,
    classify: retryAny,
    // Earlier notices say nothing about this one.
    learns: false,
    run: async (notice: Notification, { signal }) => {
      const body = JSON.stringify(notice);
      const headers = {
        "content-type": "application/cloudevents+json",
        ...signatureOf(notice.id, body, secret, Math.floor(systemClock.now() / 1000)),
      };
      const response = await fetch(url, { method: "POST", body, headers, signal, redirect: "manual" });
      await response.body?.cancel();
      if (response.ok) return null;
      const { status } = response;
      throw Object.assign(new Error(`the webhook answered ${status}`), { status, headers: response.headers });
    },
  });
}

/** The headers of Standard Webhooks. */
export function signatureOf(
  id: string,
  body: string,
  secret: string,
  seconds: number,
): Readonly<Record<"webhook-id" | "webhook-timestamp" | "webhook-signature", string>> {
  const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice("whsec_".length), "base64") : Buffer.from(secret);
  const signature = createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64");
  return { "webhook-id": id, "webhook-timestamp": String(seconds), "webhook-signature": `v1,${signature}` };
}

/** Runs a program with the notice on its standard input. It gets a small environment: no keys of providers. */
export function command(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Tool<Notification, null> {
  const [program = "", ...args] = argv;
  return tool({
    id: "notify:command",
    idempotent: true,
    surface: "cli",
    timeoutMs: 3 * ATTEMPT_MS,
    retry: { ...RETRY, maxAttempts: 3 },
    classify: retryAny,
    learns: false,
    run: (notice: Notification, { signal }) =>
      new Promise<null>((resolve, reject) => {
        const small = { PATH: env["PATH"], HOME: env["HOME"], LANG: env["LANG"], FAULTLINE_NOTICE: notice.type };
        const child = spawn(program, args, { signal, env: small, stdio: ["pipe", "ignore", "pipe"] });
        let errors = "";
        child.stderr.on("data", (chunk: Buffer) => (errors = (errors + chunk.toString()).slice(-2_000)));
        child.on("error", reject);
        // A program that does not read its input ends the pipe; its exit code says whether it worked.
        child.stdin.on("error", () => undefined);
        child.stdin.end(JSON.stringify(notice));
        child.on("close", (exitCode, killedBy) => {
          if (exitCode === 0) resolve(null);
          else reject(Object.assign(new Error(`the command failed: ${errors}`), { exitCode, signal: killedBy }));
        });
      }),
  });
}
