// Reads the last line of Claude Code and qwen-code: how the run ended, what it cost, and which tools were denied.

import type { AgentRun } from "./agent-run.ts";
import { errorInAnswer } from "./answer-error.ts";
import { claudeUsage } from "./token-usage.ts";
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
import { onceOf } from "./repeated-text.ts";

export interface ResultContext {
  readonly dialect: "claude" | "qwen";
  /** The identifier of the last error message. The result does not repeat it. */
  readonly saidError: string | null;
  readonly joinedAttempts: number;
}

export function readClaudeResult(run: AgentRun, result: JsonObject, context: ResultContext): void {
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
