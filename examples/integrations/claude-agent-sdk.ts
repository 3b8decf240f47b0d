// The Claude Agent SDK: a whole query under protection. The SDK runs the claude program, which makes its own requests.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { query } from "@anthropic-ai/claude-agent-sdk";
import { createFaultline, fault, FaultError } from "faultline";
import { startChaos } from "faultline/testing";

const chaos = await startChaos({ scenario: { rules: [{ answer: "Lisbon is in Portugal." }] } });
const fl = createFaultline();
const home = mkdtempSync(join(tmpdir(), "faultline-claude-"));

/** Asks once. The tools are off, so a second try changes nothing. A result that reports an error is thrown. */
async function ask(model: string, signal: AbortSignal): Promise<string> {
  const abortController = new AbortController();
  signal.addEventListener("abort", () => abortController.abort());
  const messages = query({
    prompt: "Where is Lisbon?",
    options: {
      model,
      abortController,
      allowedTools: [],
      maxTurns: 1,
      cwd: home,
      env: { ...process.env, ...chaos.env, HOME: home, CLAUDE_CODE_MAX_RETRIES: "0", DISABLE_TELEMETRY: "1" },
    },
  });
  for await (const message of messages) {
    if (message.type !== "result") continue;
    if (message.subtype === "success" && !message.is_error) return message.result;
    throw new Error("result" in message ? message.result : message.subtype);
  }
  throw new FaultError(fault("EmptyOutput", { message: "the query ended without a result" }));
}

const options = { id: "claude", idempotent: true, timeoutMs: 120_000, retry: { backoff: { initialMs: 10 } } };

// The chaos provider fails for a model of that name, so the first attempt meets an overloaded model.
const models = ["overloaded", "claude-sonnet-4-5"];
console.log(await fl.call(({ attempt, signal }) => ask(models[attempt - 1] ?? "", signal), options));
// Lisbon is in Portugal.
console.log(fl.metrics()["claude"]?.retry_count);
// 1

// A refused key is not retried, and the fault says what it was.
const outcome = await fl.protect(({ signal }) => ask("unauthorized", signal), options);
console.log(outcome.status, "fault" in outcome ? outcome.fault.code : "", outcome.attempts);
// failed AuthFailed 1

await chaos.close();
await fl.close();
