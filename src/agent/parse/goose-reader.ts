// Reads goose's json and stream-json output. Every provider failure exits with 0, status "completed" and the error as assistant text. A run
// whose tokens were never counted had no complete answer.

import type { AgentRun } from "./agent-run.ts";
import { errorInAnswer } from "./answer-error.ts";
import type { CliReader } from "./cli-reader.ts";
import { denialIn } from "./denial.ts";
import {
  countOf,
  type JsonObject,
  numberOrNull,
  objectOf,
  objectsOf,
  statusOrNull,
  textOf,
} from "../../core/json-fields.ts";
import { parseEvent } from "./json-line-reader.ts";

export function createGooseReader(run: AgentRun): CliReader {
  let answering: string | null = null;

  function readMessage(message: JsonObject): void {
    const id = textOf(message["id"]);
    const isAssistant = message["role"] === "assistant";
    for (const part of objectsOf(message["content"])) {
      const read = PARTS.get(textOf(part["type"]));
      if (read !== undefined) read(run, part);
      else if (isAssistant && part["type"] === "text") readText(id, textOf(part["text"]));
    }
  }

  function readText(id: string, text: string): void {
    const words = errorInAnswer("goose", text);
    if (words !== null) {
      const status = statusOrNull(numberOrNull(Number(STATUS.exec(words)?.[1])));
      return run.error({ message: words, status, code: null, isFinal: true });
    }
    if (id !== answering) run.answer("");
    answering = id;
    run.text(text);
  }

  function readEnd(totals: JsonObject): void {
    const isCounted = numberOrNull(totals["total_tokens"]) !== null;
    if (isCounted) {
      const input = countOf(totals["input_tokens"]);
      const output = countOf(totals["output_tokens"]);
      run.used({ input, output, cacheRead: 0, cacheWrite: 0 }, false);
    }
    if (isCounted || run.state.lastError?.isFinal === true) run.finished(run.state.lastError !== null, null);
    // goose reports "complete" even if the connection was lost in the middle of an answer.
    else if (!run.isSilent) run.state.stalledSteps = 1;
  }

  return {
    value: (value) => {
      const type = textOf(value["type"]);
      if (type === "message") readMessage(objectOf(value["message"]) ?? {});
      else if (type === "complete") readEnd(value);
      else if (type === "error") {
        run.error({
          message: textOf(value["error"]) || textOf(value["message"]),
          status: null,
          code: null,
          isFinal: true,
        });
      } else if (type === "notification") run.notice("warning", textOf(value["message"]));
      else if (type === "" && Array.isArray(value["messages"])) {
        for (const message of objectsOf(value["messages"])) readMessage(message);
        readEnd(objectOf(value["metadata"]) ?? {});
      } else return false;
      return true;
    },
    // An interrupted run prints a question before its last event, on the same line.
    behindText: (line) => {
      const at = line.indexOf('{"type":');
      return at > 0 ? (parseEvent(line.slice(at)) ?? null) : null;
    },
  };
}

/** `Bad request (400)`, `Status: 401 Unauthorized`, `Server error (500 Internal Server Error)` */
const STATUS = /(?:\(|Status: )(\d{3})[ )]/;

const PARTS: ReadonlyMap<string, (run: AgentRun, part: JsonObject) => void> = new Map([
  ["thinking", (run: AgentRun, part: JsonObject) => run.thinking(textOf(part["thinking"]))],
  [
    "toolRequest",
    (run: AgentRun, part: JsonObject) => {
      const call = objectOf(objectOf(part["toolCall"])?.["value"]);
      run.toolUse(textOf(part["id"]), textOf(call?.["name"]));
    },
  ],
  [
    "toolResponse",
    (run: AgentRun, part: JsonObject) => {
      const result = objectOf(part["toolResult"]) ?? {};
      const isError = result["status"] === "error" || objectOf(result["value"])?.["isError"] === true;
      run.toolResult(textOf(part["id"]), isError, isError ? denialIn(textOf(result["error"])) : null);
    },
  ],
  [
    "systemNotification",
    (run: AgentRun, part: JsonObject) => {
      const message = textOf(part["msg"]);
      if (part["notificationType"] !== "creditsExhausted") return run.notice("warning", message);
      run.error({ message: `credits exhausted: ${message}`, status: 402, code: null, isFinal: true });
    },
  ],
]);
