// Reads Codex's `exec --json` events, and the transcript of its text mode, which goes to stderr. `error` events may be progress
// ("Reconnecting... 1/5"), and items of type error are warnings. Only `turn.failed` is final.

import type { AgentRun } from "./agent-run.ts";
import type { CliReader } from "./cli-reader.ts";
import {
  countOf,
  type JsonObject,
  numberOrNull,
  objectOf,
  statusOrNull,
  textOf,
  textOrNull,
} from "../../core/json-fields.ts";

export function createCodexReader(run: AgentRun): CliReader {
  let header: "before" | "inside" | "after" = "before";
  let hasWorked = false;
  const readers: ReadonlyMap<string, (value: JsonObject) => void> = new Map([
    ["thread.started", (value: JsonObject) => run.started(textOrNull(value["thread_id"]), null)],
    ["turn.started", () => undefined],
    ["turn.completed", readCompleted],
    ["turn.failed", readFailed],
    ["error", (value: JsonObject) => readError(textOf(value["message"]))],
    ["item.started", (value: JsonObject) => readItem(objectOf(value["item"]) ?? {}, false)],
    ["item.updated", () => undefined],
    ["item.completed", (value: JsonObject) => readItem(objectOf(value["item"]) ?? {}, true)],
  ]);

  function readCompleted(value: JsonObject): void {
    const usage = objectOf(value["usage"]);
    if (usage !== null) {
      const cacheRead = countOf(usage["cached_input_tokens"]);
      const cacheWrite = countOf(usage["cache_write_input_tokens"]);
      const input = Math.max(0, countOf(usage["input_tokens"]) - cacheRead - cacheWrite);
      run.used({ input, output: countOf(usage["output_tokens"]), cacheRead, cacheWrite }, true);
    }
    run.recovered();
    run.finished(false, null);
  }

  function readFailed(value: JsonObject): void {
    const message = textOf(objectOf(value["error"])?.["message"]);
    run.error({ message, status: statusIn(message), code: null, isFinal: true });
    run.finished(true, null);
  }

  function readError(message: string): void {
    const retry = RECONNECTING.exec(message);
    if (retry === null) return run.error({ message, status: statusIn(message), code: null, isFinal: false });
    const [, attempt, of, reason = ""] = retry;
    // Codex waits forever. That is right for a run that has done work and cannot be restarted.
    if (!hasWorked) run.state.networkWaits = attempt === undefined ? run.state.networkWaits + 1 : 0;
    run.retrying({
      attempt: attempt === undefined ? null : Number(attempt),
      of: of === undefined ? null : Number(of),
      delayMs: null,
      reason,
      status: statusIn(reason),
    });
  }

  function readItem(item: JsonObject, isComplete: boolean): void {
    const type = textOf(item["type"]);
    const id = textOf(item["id"]);
    hasWorked ||= TOOL_NAMES.has(type);
    if (type === "agent_message") {
      if (!isComplete) return;
      // There is one item per attempt, and comments between tools. The last item is the answer.
      run.answer("");
      run.text(textOf(item["text"]));
    } else if (type === "reasoning") run.thinking(isComplete ? textOf(item["text"]) : "");
    else if (type === "error") run.notice("warning", textOf(item["message"]));
    else if (TOOL_NAMES.has(type) && !isComplete) run.toolUse(id, toolName(item, type));
    else if (TOOL_NAMES.has(type)) {
      const status = item["status"];
      const denial = status === "declined" ? `${toolName(item, type)} was declined` : null;
      run.toolResult(id, status === "failed" || denial !== null, denial);
    }
  }

  function readHeader(line: string): void {
    if (header === "before" && line.startsWith(BANNER)) {
      run.state.hasTranscriptOnStderr = true;
      header = "inside";
    } else if (header === "inside") {
      const [, field, value = ""] = /^(session id|model): (\S+)$/.exec(line) ?? [];
      if (field === "session id") {
        run.started(value, null);
        header = "after";
      } else if (field === "model") run.started(null, value);
    }
  }

  return {
    value: (value) => {
      const read = readers.get(textOf(value["type"]));
      read?.(value);
      return read !== undefined;
    },
    stderr: (line) => {
      readHeader(line);
      // The model's text is not marked like this. Start-up errors are left to the verdict.
      if (run.state.hasTranscriptOnStderr && line.startsWith("ERROR: ")) readError(line.slice("ERROR: ".length));
    },
  };
}

const BANNER = "OpenAI Codex v";
/** `Reconnecting... 1/5 (cause)`, `Reconnecting... waiting for network (cause)`, in text mode without the cause. */
const RECONNECTING = /^Reconnecting\.\.\.(?: (\d{1,4})\/(\d{1,4})| waiting for network)?(?: \(([^]*)\))?$/;

/** Item types that are tool calls, with a name for those that do not name their tool. */
const TOOL_NAMES: ReadonlyMap<string, string> = new Map([
  ["command_execution", "shell"],
  ["file_change", "edit"],
  ["mcp_tool_call", "mcp"],
  ["collab_tool_call", "agent"],
  ["web_search", "web_search"],
]);

function toolName(item: JsonObject, type: string): string {
  return textOrNull(item["tool"]) ?? TOOL_NAMES.get(type) ?? type;
}

/** `unexpected status 503 Service Unavailable: …`, `exceeded retry limit, last status: 429 Too Many Requests` */
function statusIn(message: string): number | null {
  const status = /^(?:unexpected status|exceeded retry limit, last status:) (\d{3})\b/.exec(message)?.[1];
  return statusOrNull(numberOrNull(Number(status)));
}
