// Claude's output when it wants to use a tool and when it may not, from a recorded run.

import { captureOf } from "../../../agent/captures/read-captures.ts";

const [begins = "", use = "", denied = "", result = ""] = captureOf("claude-tooldenied-stream").stdout.split("\n");

/** A tool has been used, and its effect has happened. */
export const CLAUDE_USES_A_TOOL = `${[begins, use, result.replace('"is_error":true', '"is_error":false')].join("\n")}\n`;

/** Asks for the same permission as often as it can. */
export const CLAUDE_IS_DENIED_THRICE = ["a", "b", "c"]
  .map((id) => `${[use, denied, result].join("\n").replaceAll("toolu_stub01", id)}\n`)
  .join("");
