// Reads Gemini CLI's json and stream-json output. In json mode a failure is an object at the end of stderr, after stack traces. A truncated
// or empty answer exits with 0 and has an `error` next to the response, so errors are checked first.

import type { AgentRetry, AgentUsage } from "../event/agent-event.ts";
import { type AgentRun, onceOf } from "./agent-run.ts";
import { addUsage, NOTHING_USED } from "./token-usage.ts";
import type { CliReader } from "./cli-reader.ts";
import { denialIn } from "./denial.ts";
import {
  countOf,
  type JsonObject,
  listOf,
  numberOrNull,
  objectOf,
  statusOrNull,
  textOf,
  textOrNull,
} from "../../core/json-fields.ts";

export function createGeminiReader(run: AgentRun): CliReader {
  let startsNewAnswer = false;
  /** A failed attempt whose message continues on the next line. */
  let attempt: AgentRetry | null = null;
  const readers: ReadonlyMap<string, (value: JsonObject) => void> = new Map([
    ["init", (value: JsonObject) => run.started(textOrNull(value["session_id"]), textOrNull(value["model"]))],
    ["message", readMessage],
    ["tool_use", (value: JsonObject) => run.toolUse(textOf(value["tool_id"]), textOf(value["tool_name"]))],
    ["tool_result", readToolResult],
    ["error", readErrorEvent],
    ["result", readResult],
  ]);

  function readMessage(value: JsonObject): void {
    if (value["role"] !== "assistant") return;
    if (startsNewAnswer) run.answer("");
    startsNewAnswer = false;
    run.text(textOf(value["content"]));
  }

  function readToolResult(value: JsonObject): void {
    // Text before a tool call is a comment. The answer follows the last tool call.
    startsNewAnswer = true;
    const isError = value["status"] === "error";
    const error = objectOf(value["error"]) ?? {};
    const words = textOf(error["message"]) || textOf(value["output"]);
    const isDenied = isError && DENIAL_TYPES.has(textOf(error["type"]));
    run.toolResult(textOf(value["tool_id"]), isError, isDenied ? words : isError ? denialIn(words) : null);
  }

  function readErrorEvent(value: JsonObject): void {
    const message = textOf(value["message"]);
    if (value["severity"] === "warning") run.notice("warning", message);
    else run.error({ message, status: null, code: null, isFinal: false });
  }

  function readResult(value: JsonObject): void {
    const stats = objectOf(value["stats"]);
    if (stats !== null) {
      const cacheRead = countOf(stats["cached"]);
      const input = Math.max(0, countOf(stats["input_tokens"]) - cacheRead);
      run.used({ input, output: countOf(stats["output_tokens"]), cacheRead, cacheWrite: 0 }, false);
    }
    const error = objectOf(value["error"]);
    const isError = value["status"] === "error" || error !== null;
    if (isError)
      finishWith(error ?? {}, run.state.lastError?.message ?? "the run ended with an error, but gave no message");
    else run.recovered();
    run.finished(isError, null);
  }

  /** Reads the single object of json mode. */
  function readObject(value: JsonObject): boolean {
    if (!("response" in value) && !("error" in value)) return false;
    run.started(textOrNull(value["session_id"]), null);
    const error = objectOf(value["error"]);
    const models = objectOf(objectOf(value["stats"])?.["models"]);
    if (models !== null) readModels(models);
    const response = textOf(value["response"]);
    run.answer(error === null ? response : onceOf(response, requestsOf(models)));
    const warnings = listOf(value["warnings"]).map(textOf).filter(Boolean);
    for (const warning of warnings) run.notice("warning", warning);
    if (error !== null) finishWith(error, "the run ended with an error, but gave no message");
    else if (response === "" && warnings[0] !== undefined)
      run.error({ message: warnings[0], status: null, code: null, isFinal: false });
    run.finished(error !== null, null);
    return true;
  }

  function readModels(models: JsonObject): void {
    let used: AgentUsage = NOTHING_USED;
    let latencyMs = 0;
    for (const entry of Object.values(models)) {
      const model = objectOf(entry) ?? {};
      const tokens = objectOf(model["tokens"]) ?? {};
      const cacheRead = countOf(tokens["cached"]);
      const input = Math.max(0, countOf(tokens["prompt"]) - cacheRead);
      const output = countOf(tokens["candidates"]) + countOf(tokens["thoughts"]);
      used = addUsage(used, { input, output, cacheRead, cacheWrite: 0 });
      latencyMs += countOf(objectOf(model["api"])?.["totalLatencyMs"]);
    }
    run.used(used, false);
    run.state.apiDurationMs = latencyMs;
  }

  function finishWith(error: JsonObject, otherwise: string): void {
    const message = textOf(error["message"]) || otherwise;
    // Several causes share one type ("Error", "INVALID_STREAM"), so only the message is evidence.
    const status = statusOrNull(error["code"]);
    run.error({ message: unwrapped(message), status, code: textOrNull(error["type"]), isFinal: true });
  }

  function readStderr(line: string): void {
    const begun = attemptIn(line);
    // The second line of a message contains the server's advice.
    const continued = attempt === null ? null : { ...attempt, reason: `${attempt.reason} ${line.slice(0, 300)}` };
    const failed = begun ?? continued;
    attempt = null;
    if (failed !== null) {
      // In a message of two lines, the second line says what happens next.
      const delayMs = numberOrNull(Number(/Retrying after (\d{1,9})ms/.exec(line)?.[1]));
      if (line.includes("Max attempts reached")) return;
      if (delayMs !== null || line.includes("Retrying")) return run.retrying({ ...failed, delayMs });
      attempt = begun;
      return;
    }
    const report = REPORT.exec(line)?.[1];
    // In text mode this line is all there is. In the other modes the object that follows says more.
    if (report !== undefined) run.error({ message: unwrapped(report), status: null, code: null, isFinal: false });
  }

  return {
    value: (value) => {
      const read = readers.get(textOf(value["type"]));
      if (read === undefined) return readObject(value);
      read(value);
      return true;
    },
    stderrValue: (value) => {
      const error = objectOf(value["error"]);
      if (error === null) return false;
      run.started(textOrNull(value["session_id"]), null);
      finishWith(error, "the run ended with an error, but gave no message");
      return true;
    },
    stderr: readStderr,
  };
}

/** Tool errors that mean the call was denied. A tool that the approval mode does not allow is not registered at all. */
const DENIAL_TYPES: ReadonlySet<string> = new Set([
  "tool_not_registered",
  "policy_violation",
  "permission_denied",
  "execution_denied",
]);

/** `Attempt 1 failed with status 503. Retrying with backoff... _ApiError: …`, `Attempt 2 failed: <text>` */
const ATTEMPT = /^Attempt (\d{1,4}) failed(?: with status (\d{3}))?[:.] ?(.{0,1000})/;

function attemptIn(line: string): AgentRetry | null {
  const [, attempt, status, reason = ""] = ATTEMPT.exec(line) ?? [];
  if (attempt === undefined) return null;
  return { attempt: Number(attempt), of: null, delayMs: null, reason, status: statusOrNull(Number(status)) };
}

/** The path of the report is specific to this machine and is left out. */
const REPORT = /^Error when talking to Gemini API Full report available at: \S+ ([^]{1,8000})$/;

/** `[API Error: {…}]` and `_ApiError: {…}` wrap the provider's message. Advice after it mentions other causes and is dropped. */
function unwrapped(message: string): string {
  const inner = /^\[(API Error: [^]*?)\](?:\n[^]*)?$/.exec(message)?.[1] ?? message;
  return inner.replace(/^(?:_?ApiError|API Error): (?=\{)/, "");
}

function requestsOf(models: JsonObject | null): number {
  return Object.values(models ?? {}).reduce<number>(
    (sum, model) => sum + countOf(objectOf(objectOf(model)?.["api"])?.["totalRequests"]),
    0,
  );
}
