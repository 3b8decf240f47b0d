// Reads opencode's `run --format json` events. If the stream is cut, a step may end with the reason "unknown", and the agent starts the
// next step at once, without limit. It prints nothing while it retries.

import type { AgentUsage } from "../event/agent-event.ts";
import type { AgentRun } from "./agent-run.ts";
import { addUsage, NOTHING_USED } from "./token-usage.ts";
import type { CliReader } from "./cli-reader.ts";
import { denialIn } from "./denial.ts";
import { countOf, type JsonObject, objectOf, statusOrNull, textOf, textOrNull } from "../../core/json-fields.ts";

export function createOpencodeReader(run: AgentRun): CliReader {
  let used: AgentUsage = NOTHING_USED;
  let costUsd = 0;
  let answering: string | null = null;
  let steps = 0;
  const readers: ReadonlyMap<string, (part: JsonObject, value: JsonObject) => void> = new Map([
    ["step_start", () => undefined],
    ["text", readText],
    ["reasoning", (part: JsonObject) => run.thinking(textOf(part["text"]))],
    ["tool_use", readTool],
    ["step_finish", readStepFinish],
    ["error", (_part: JsonObject, value: JsonObject) => readError(objectOf(value["error"]) ?? {})],
  ]);

  function readText(part: JsonObject): void {
    const message = textOf(part["messageID"]);
    if (message !== answering) run.answer("");
    answering = message;
    run.text(textOf(part["text"]));
  }

  /** opencode reports a tool when it has finished. */
  function readTool(part: JsonObject): void {
    const id = textOf(part["callID"]);
    const state = objectOf(part["state"]) ?? {};
    const isError = state["status"] === "error";
    run.toolUse(id, textOf(part["tool"]));
    run.toolResult(id, isError, isError ? denialIn(textOf(state["error"])) : null);
  }

  function readStepFinish(part: JsonObject): void {
    const tokens = objectOf(part["tokens"]) ?? {};
    const cache = objectOf(tokens["cache"]) ?? {};
    used = addUsage(used, {
      input: countOf(tokens["input"]),
      output: countOf(tokens["output"]) + countOf(tokens["reasoning"]),
      cacheRead: countOf(cache["read"]),
      cacheWrite: countOf(cache["write"]),
    });
    run.used(used, false);
    costUsd += countOf(part["cost"]);
    run.cost(costUsd, false);
    steps++;
    run.state.numTurns = steps;
    const reason = textOf(part["reason"]);
    run.state.stopReason = reason;
    run.state.stalledSteps = reason === "unknown" ? run.state.stalledSteps + 1 : 0;
    if (LAST_STEPS.has(reason)) run.finished(false, reason);
  }

  function readError(error: JsonObject): void {
    const data = objectOf(error["data"]) ?? {};
    run.error(
      {
        message: textOf(data["message"]),
        status: statusOrNull(data["statusCode"]),
        code: textOrNull(error["name"]),
        isFinal: true,
      },
      { name: error["name"], responseHeaders: data["responseHeaders"], responseBody: data["responseBody"] },
    );
  }

  return {
    value: (value) => {
      run.started(textOrNull(value["sessionID"]), null);
      const read = readers.get(textOf(value["type"]));
      read?.(objectOf(value["part"]) ?? {}, value);
      return read !== undefined;
    },
    stderr: (line) => {
      if (line.startsWith("! permission requested: ")) run.notice("warning", line.slice(2));
    },
  };
}

/** Reasons after which no further step follows. */
const LAST_STEPS: ReadonlySet<string> = new Set(["stop", "length", "content-filter", "error"]);
