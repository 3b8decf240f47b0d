// What was wrong with the work of a node, in words for the model or person that does it again: the fault without secrets, and
// what the command that failed has said.

import type { Fault } from "../../core/fault/fault.ts";
import { SHAPE_REDACTOR } from "../../core/fault/redact.ts";
import { readField } from "../../core/try-read.ts";

export function failureFeedback(seen: Fault | null, output: unknown): string {
  const message = seen === null ? "" : SHAPE_REDACTOR.text(seen.message);
  return [message, ...saidByCommand(output)].filter((part) => part !== "").join("\n\n");
}

/** A command node names the command that failed under `failed`. */
function saidByCommand(output: unknown): readonly string[] {
  const failed = fieldOf(output, "failed");
  return ["command", "stdout", "stderr"].flatMap((name) => {
    const text = fieldOf(failed, name);
    return typeof text === "string" && text.trim() !== "" ? [`${name}: ${text.trim()}`] : [];
  });
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? readField(value, name) : undefined;
}
