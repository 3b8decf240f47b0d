// What claude prints when it wants to use a tool, and when it may not: taken from a recorded run.

import { captureOf } from "../../../agent/captures/read-captures.ts";

const [begins = "", use = "", denied = "", result = ""] = captureOf("claude-tooldenied-stream").stdout.split("\n");

/** A tool has been used, and whatever it did is done. */
export const CLAUDE_USES_A_TOOL = `${[begins, use, result.replace('"is_error":true', '"is_error":false')].join("\n")}\n`;

/** Asks for the same permission again and again, as often as it is let. */
export const CLAUDE_IS_DENIED_THRICE = ["a", "b", "c"]
  .map((id) => `${[use, denied, result].join("\n").replaceAll("toolu_stub01", id)}\n`)
  .join("");
