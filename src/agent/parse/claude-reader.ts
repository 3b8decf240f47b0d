// Claude Code's stream-json and json output, and qwen-code's, which imitates it. The order of keys is not stable, and
// `subtype` says "success" for failures too, so only `is_error` counts.

import type { AgentUsage } from "../event/agent-event.ts";
import { type AgentRun, onceOf } from "./agent-run.ts";
import { errorInAnswer } from "./answer-error.ts";
import { addUsage, claudeUsage, NOTHING_USED } from "./token-usage.ts";
import type { CliReader } from "./cli-reader.ts";
import { denialIn } from "./denial.ts";
import {
  type JsonObject,
  listOf,
  numberOrNull,
  objectOf,
  objectsOf,
  statusOrNull,
  textOf,
  textOrNull,
} from "../../core/json-fields.ts";

type Dialect = "claude" | "qwen";

export function createClaudeReader(run: AgentRun, dialect: Dialect = "claude"): CliReader {
  /** The id of the message whose deltas were read. Its text must not be read again. */
  let streamed: string | null = null;
  let answering: string | null = null;
  let earlier: AgentUsage = NOTHING_USED;
  let current: { readonly id: string; readonly usage: AgentUsage } | null = null;
  let saidError: string | null = null;
  /** The number of attempts in a row whose text the CLI has joined. */
  let joinedAttempts = 1;

  const readers: ReadonlyMap<string, (value: JsonObject) => void> = new Map([
    ["system", readSystem],
    ["assistant", readAssistant],
    ["user", readUser],
    ["stream_event", readStreamEvent],
    ["rate_limit_event", readRateLimit],
    ["result", (value: JsonObject) => readClaudeResult(run, value, { dialect, saidError, joinedAttempts })],
  ]);

  function readSystem(value: JsonObject): void {
    const subtype = value["subtype"];
    if (subtype === "init") readInit(value);
    else if (subtype === "api_retry") {
      run.retrying({
        attempt: numberOrNull(value["attempt"]),
        of: numberOrNull(value["max_retries"]),
        delayMs: numberOrNull(value["retry_delay_ms"]),
        reason: textOf(value["error"]),
        status: statusOrNull(value["error_status"]),
      });
    } else if (subtype === "retry") readQwenRetry(objectOf(value["data"]) ?? {});
    else if (subtype === "model_fallback") {
      const to = textOrNull(value["fallback_model"]);
      run.notice("model-fallback", textOf(value["content"]) || `switched to ${to ?? "another model"}`);
      if (to !== null) run.state.model = to;
    } else if (subtype === "permission_denied") {
      run.denied(textOf(value["tool_use_id"]), textOf(value["tool_name"]), textOf(value["message"]));
    }
  }

  function readInit(value: JsonObject): void {
    run.started(textOrNull(value["session_id"]), textOrNull(value["model"]));
    for (const server of objectsOf(value["mcp_servers"])) {
      if (server["status"] === "failed")
        run.notice("warning", `the MCP server ${textOf(server["name"])} did not start`);
    }
  }

  function readQwenRetry(data: JsonObject): void {
    if (data["preserveText"] === true) joinedAttempts++;
    else {
      joinedAttempts = 1;
      run.answer("");
    }
    const reason = textOf(data["reason"]);
    // stderr has the cause. This event comes after the wait and must not replace it.
    const cause = reason === "retry" ? run.state.lastRetry : null;
    run.retrying({
      attempt: numberOrNull(data["attempt"]),
      of: numberOrNull(data["maxRetries"]),
      delayMs: numberOrNull(data["delayMs"]),
      reason: cause?.reason ?? reason,
      status: cause?.status ?? null,
    });
  }

  function readAssistant(value: JsonObject): void {
    const message = objectOf(value["message"]) ?? {};
    const said = textOrNull(value["error"]);
    if (said !== null || message["model"] === "<synthetic>") return readSynthetic(value, message, said);
    run.started(textOrNull(value["session_id"]), textOrNull(message["model"]));
    const id = textOf(message["id"]);
    // The text of a sub-agent goes to the agent and is not part of the answer.
    const isOwn = textOrNull(value["parent_tool_use_id"]) === null;
    for (const part of objectsOf(message["content"])) {
      if (part["type"] === "tool_use") run.toolUse(textOf(part["id"]), textOf(part["name"]));
      else if (part["type"] === "thinking" && id !== streamed) run.thinking(textOf(part["thinking"]));
      else if (part["type"] === "text" && isOwn && id !== streamed) readText(id, textOf(part["text"]));
    }
    count(id, objectOf(message["usage"]));
  }

  function readText(id: string, text: string): void {
    if (id !== answering) run.answer("");
    answering = id;
    if (dialect === "qwen" && errorInAnswer(dialect, text) !== null) return;
    run.text(text);
  }

  /** A message from the CLI itself in place of the model's. The result that follows shows whether it is final. */
  function readSynthetic(value: JsonObject, message: JsonObject, said: string | null): void {
    saidError = said;
    const words = objectsOf(message["content"]).map((part) => textOf(part["text"]));
    if (said === null && words.join("") === "") return;
    run.error({
      message: words.join("\n"),
      status: statusOrNull(value["api_error_status"]),
      code: said,
      isFinal: false,
    });
  }

  function readUser(value: JsonObject): void {
    for (const part of objectsOf(objectOf(value["message"])?.["content"])) {
      if (part["type"] === "tool_result") {
        const isError = part["is_error"] === true;
        run.toolResult(textOf(part["tool_use_id"]), isError, isError ? denialIn(wordsOf(part["content"])) : null);
      } else if (INTERRUPTED.test(textOf(part["text"]))) {
        run.error({ message: textOf(part["text"]), status: null, code: "interrupted_by_user", isFinal: true });
      }
    }
  }

  function readStreamEvent(value: JsonObject): void {
    const event = objectOf(value["event"]) ?? {};
    const message = objectOf(event["message"]);
    if (event["type"] === "message_start" && message !== null) {
      streamed = textOf(message["id"]);
      run.started(textOrNull(value["session_id"]), textOrNull(message["model"]));
    }
    const delta = objectOf(event["delta"]);
    if (delta === null || textOrNull(value["parent_tool_use_id"]) !== null) return;
    if (delta["type"] === "text_delta") readText(streamed ?? "", textOf(delta["text"]));
    else if (delta["type"] === "thinking_delta") run.thinking(textOf(delta["thinking"]));
  }

  function readRateLimit(value: JsonObject): void {
    const info = objectOf(value["rate_limit_info"]) ?? {};
    const resetsAt = numberOrNull(info["resetsAt"]);
    const resetAt = resetsAt === null ? null : resetsAt * 1000;
    const window = textOf(info["rateLimitType"]);
    const status = textOf(info["status"]);
    if (status === "rejected") run.limited({ window, resetAt });
    run.notice("rate-limit", `usage limit ${window}: ${status}`, resetAt);
  }

  function count(id: string, usage: JsonObject | null): void {
    if (usage === null) return;
    // A message can span several lines, each with the same usage.
    if (current !== null && current.id !== id) earlier = addUsage(earlier, current.usage);
    current = { id, usage: claudeUsage(usage, dialect) };
    run.used(addUsage(earlier, current.usage), false);
  }

  return {
    value: (value) => {
      const read = readers.get(textOf(value["type"]));
      read?.(value);
      return read !== undefined;
    },
    stderr: (line) => readQwenStderr(run, line),
    stderrValue: (value) => {
      const error = objectOf(value["error"]);
      if (error === null) return false;
      run.error({
        message: textOf(error["message"]),
        status: statusOrNull(error["code"]),
        code: textOrNull(error["type"]),
        isFinal: true,
      });
      return true;
    },
  };
}

const INTERRUPTED = /^\[Request interrupted by user\b/;

/** The content of a tool result is a string or a list of parts. */
function wordsOf(content: unknown): string {
  if (typeof content === "string") return content;
  return objectsOf(content)
    .map((part) => textOf(part["text"]))
    .join("\n");
}

/** `Retrying in 60s (attempt 1/10): [API Error: 503 The engine is currently overloaded]` */
const QWEN_RETRY = /^Retrying in (\d{1,6})s \(attempt (\d{1,4})\/(\d{1,4})\): (.*)$/;

function readQwenStderr(run: AgentRun, line: string): void {
  const [, seconds, attempt, of, reason = ""] = QWEN_RETRY.exec(line) ?? [];
  if (seconds === undefined) return;
  run.retrying({
    attempt: Number(attempt),
    of: Number(of),
    delayMs: Number(seconds) * 1000,
    reason,
    status: statusOrNull(Number(/\bAPI Error: (\d{3})\b/.exec(reason)?.[1])),
  });
}

// Reads the last line of Claude Code and qwen-code: how the run ended, what it cost, and which tools were denied.

interface ResultContext {
  readonly dialect: "claude" | "qwen";
  /** The identifier of the last error message. The result does not repeat it. */
  readonly saidError: string | null;
  readonly joinedAttempts: number;
}

function readClaudeResult(run: AgentRun, result: JsonObject, context: ResultContext): void {
  run.started(textOrNull(result["session_id"]), null);
  const usage = objectOf(result["usage"]);
  if (usage !== null) run.used(claudeUsage(usage, context.dialect), false);
  readCost(run, result);
  run.state.numTurns = numberOrNull(result["num_turns"]);
  run.state.apiDurationMs = numberOrNull(result["duration_api_ms"]);
  for (const denial of objectsOf(result["permission_denials"])) {
    run.denied(textOf(denial["tool_use_id"]), textOf(denial["tool_name"]), "");
  }
  const structured = result["structured_output"];
  const answer = textOf(result["result"]) || (structured === undefined ? "" : JSON.stringify(structured));
  const isError = result["is_error"] === true;
  // Older versions report success and return the error as the answer.
  const words = isError ? errorWords(result) : errorInAnswer(context.dialect, answer);
  if (words === null) {
    run.recovered();
    run.answer(onceOf(answer, context.joinedAttempts));
  } else {
    const status = statusOrNull(result["api_error_status"]);
    run.error({ message: words, status, code: context.saidError, isFinal: true }, detailOf(result, context.saidError));
  }
  run.finished(words !== null, textOrNull(result["stop_reason"]));
}

/** The newer field is for this run only. The total is for all runs of a resumed session. */
function readCost(run: AgentRun, result: JsonObject): void {
  const models = objectOf(result["model_usage_since_last_result"]);
  if (models !== null) {
    const costs = objectsOf(Object.values(models)).map((model) => numberOrNull(model["costUSD"]) ?? 0);
    return run.cost(
      costs.reduce((sum, cost) => sum + cost, 0),
      false,
    );
  }
  const total = numberOrNull(result["total_cost_usd"]);
  if (total !== null) run.cost(total, true);
}

function errorWords(result: JsonObject): string {
  const errors = listOf(result["errors"]).map(textOf).filter(Boolean);
  return (
    textOrNull(result["result"]) ?? textOrNull(errors.join("; ")) ?? textOf(objectOf(result["error"])?.["message"])
  );
}

/** Further evidence for the classifier. */
function detailOf(result: JsonObject, saidError: string | null): Readonly<Record<string, unknown>> {
  return {
    // The subtype is "success" even for failed requests.
    subtype: result["subtype"] === "success" ? undefined : result["subtype"],
    terminal_reason: result["terminal_reason"],
    error_type: result["api_error_type"],
    stop_reason: result["stop_reason"],
    error_code: saidError === null || VAGUE_ERRORS.has(saidError) ? undefined : saidError,
  };
}

/** Identifiers that Claude Code uses for several causes: a full context window is also called `max_output_tokens`. */
const VAGUE_ERRORS: ReadonlySet<string> = new Set(["unknown", "max_output_tokens", "server_error", "invalid_request"]);
