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
    `#${ruleName(evidence.rule)}`,
    typeof status === "number" ? `+${status}` : "",
  ].join("");
}

/** What the failures of a group have in common; empty parts are unknown. */
export interface FingerprintParts {
  readonly code: string;
  readonly surface: string;
  readonly provider: string;
  readonly tool: string;
  /** The row that named the fault. */
  readonly rule: string;
  readonly status: number | null;
}

const FORM =
  /^(?<code>[^@]*)@(?<surface>[^/:#]*)(?:\/(?<provider>[^:#]*))?(?::(?<tool>[^#]*))?#(?<rule>[^+]*)(?:\+(?<status>\d+))?$/u;

/** Reads a fingerprint back; a text that is none has no parts. Long names come back shortened, as the fingerprint has them. */
export function readFingerprint(text: string): FingerprintParts {
  const parts: Readonly<Record<string, string | undefined>> = FORM.exec(text)?.groups ?? {};
  const part = (which: string): string =>
    (parts[which] ?? "").replaceAll(/%([\da-f]{1,6});/gu, (_all, sign: string) =>
      String.fromCodePoint(parseInt(sign, 16)),
    );
  return {
    code: part("code"),
    surface: part("surface"),
    provider: part("provider"),
    tool: part("tool"),
    rule: part("rule"),
    status: parts["status"] === undefined ? null : Number(parts["status"]),
  };
}

/** Signs that part the fields, and what cannot be seen, are written out, so that two places never share a name. */
function name(text: string): string {
  return cut(text.replaceAll(/[%@/:#+\s\p{C}]/gu, escaped));
}

/** A rule's own name has slashes, and nothing but a status comes after it. */
function ruleName(text: string): string {
  return cut(text.replaceAll(/[%@#+\s\p{C}]/gu, escaped));
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
