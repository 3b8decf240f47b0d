// What a model reads of a call that gave no value.

import type { Fault } from "../../core/fault/fault.ts";
import { viewFor, type ViewOptions } from "../../core/fault/view.ts";

/** `ToolTransient/ToolUnavailable: …`, what is wrong with the arguments, and what `modelDetail` allows of the tool's own words. */
export function faultText(seen: Fault, options: ViewOptions): string {
  const { class: family, code, message, issues = [], detail = "" } = viewFor("model", seen, options);
  const wrong = issues.map(({ path, expected, got }) => `${path} ${expected} (got ${got})`);
  return [`${family}/${code}: ${message}`, ...wrong, ...(detail === "" ? [] : [detail])].join("\n");
}
