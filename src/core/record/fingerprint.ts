// A short, stable name for one kind of failure at one place, so that what was learned about it is
// found again: `RateLimited@tool:flight_search#words/rate-limit`. Nothing of the message goes in: it changes, and may hold secrets.

import type { Fault } from "../fault/fault.ts";
import type { Place } from "../policy/policy.ts";

/** `code@surface/provider:tool#rule+status`; an unknown part is left out, with its sign. */
export function fingerprint({ code, context, evidence }: Fault, { surface, provider, tool }: Place): string {
  const status = context["status"];
  return [
    code,
    `@${surface}`,
    provider === "" ? "" : `/${name(provider)}`,
    tool === "" ? "" : `:${name(tool)}`,
    `#${cut(evidence.rule.replaceAll(SIGNS_IN_RULE, escaped))}`,
    typeof status === "number" ? `+${status}` : "",
  ].join("");
}

/** Signs that part the fields, and what cannot be seen: written out, so that two places never share a name. */
const SIGNS = /[%@/:#+\s\p{C}]/gu;
/** A rule's own name has slashes, and nothing but a status comes after it. */
const SIGNS_IN_RULE = /[%@#+\s\p{C}]/gu;

function name(text: string): string {
  return cut(text.replaceAll(SIGNS, escaped));
}

function escaped(sign: string): string {
  return `%${(sign.codePointAt(0) ?? 0).toString(16)};`;
}

const LONGEST_NAME = 64;

/** A long name keeps its beginning plus a hash of the whole, so that names with the same beginning differ. */
function cut(text: string): string {
  return text.length <= LONGEST_NAME ? text : `${text.slice(0, LONGEST_NAME - 9)}~${checksum(text)}`;
}

/** FNV-1a, 32 bits. */
function checksum(text: string): string {
  let sum = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) sum = Math.imul(sum ^ text.charCodeAt(index), 0x01000193);
  return (sum >>> 0).toString(16).padStart(8, "0");
}
