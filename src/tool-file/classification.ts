// "Treat 503 as permanent for this tool": turns a manifest's rows into classifier rules that precede all built-in ones.

import { defined } from "../core/defined.ts";
import {
  classify,
  isFaultCode,
  type Evidence,
  type Fault,
  type FaultCode,
  type Rule,
  traitsOf,
  type When,
} from "../core/index.ts";
import type { MEANINGS, ToolFileRow } from "./schema.ts";

type Meaning = (typeof MEANINGS)[number];

/** One row of a manifest becomes one rule, or two if an error code may also appear in the text. */
export function rulesOf(tool: string, rows: readonly ToolFileRow[]): readonly Rule[] {
  return rows.flatMap((row, index) => {
    if (conditionsOf(row).length === 0) return [];
    const id = ruleId(tool, index);
    const example = exampleOf(row);
    const means = meaningOf(row.as, classify(example));
    const rule: Rule = { id, when: whenOf(row), means, example };
    if (typeof row.error_code !== "string" || !STANDS_IN_TEXT.test(row.error_code)) return [rule];
    const { error_code: code, ...rest } = row;
    const said = whenOf(rest);
    const message = row.text === undefined ? code : `${code} ${row.text}`;
    const inText: Rule = {
      id: `${id}-text`,
      when: { ...said, says: [[code], ...(said.says ?? [])] },
      means,
      example: { ...exampleOf(rest), message },
    };
    return [rule, inText];
  });
}

const CONDITIONS = ["status", "error_code", "text"] as const;
export type Condition = (typeof CONDITIONS)[number];

export function conditionsOf(row: ToolFileRow): readonly Condition[] {
  return CONDITIONS.filter((name) => row[name] !== undefined);
}

/** `tool/flight_search#2`: recorded in every fault that the row produces. */
export function ruleId(tool: string, row: number): string {
  return `tool/${tool}#${row + 1}`;
}

/** A code with a digit or a single letter between its separators (`E_BUSY`, `ORA-00054`) is never prose; `not_found` could be. */
const STANDS_IN_TEXT = /^(?=.*[A-Za-z])(?:.*\d.*|(?:.*[_-])?[A-Za-z](?:[_-].*)?)$/;

function whenOf({ status, error_code: code, text }: Omit<ToolFileRow, "as">): When {
  return {
    ...(status === undefined ? {} : { status: [status] }),
    ...(typeof code === "string" ? { token: [code.toLowerCase()] } : {}),
    ...(typeof code === "number" ? { rpcCode: [code] } : {}),
    ...(text === undefined ? {} : { says: [[text.replace(/\*+$/, "")]] }),
    // Even an empty phrase list makes this a rule on text: the text is parsed first, so that a status or code inside the message
    // counts, and no built-in rule on structure matches before it.
    unless: [],
  };
}

/** An example failure that the row matches, in the form a tool would produce. */
export function exampleOf({ status, error_code: code, text }: Omit<ToolFileRow, "as">): Evidence {
  return {
    surface: "tool",
    ...defined({ status }),
    ...(typeof code === "string" ? { code } : {}),
    ...(typeof code === "number" ? { body: { error: { code } } } : {}),
    ...defined({ message: text }),
  };
}

/**
 * `transient` and `permanent` say whether a retry helps, not whether the work may have been done. The latter stays as the
 * built-in rules see it: a permanent 504 may have booked the flight, a permanent 503 has not.
 */
const MEANT: Readonly<Record<Meaning, { readonly notDone: FaultCode; readonly maybeDone: FaultCode }>> = {
  transient: { notDone: "ToolUnavailable", maybeDone: "Provider5xx" },
  permanent: { notDone: "Unsupported", maybeDone: "ExecutionFailed" },
};

function meaningOf(as: ToolFileRow["as"], builtIn: Fault): FaultCode {
  if (isFaultCode(as)) return as;
  const { retryable, cancels, mayHaveHappened } = traitsOf(builtIn.code);
  const { notDone, maybeDone } = MEANT[as];
  // Only the manifest knows this failure. Transient means that a retry is wanted, which "maybe done" would prevent; for
  // permanent, keeping the doubt costs nothing.
  if (builtIn.evidence.source === "none") return as === "transient" ? notDone : maybeDone;
  if (!cancels && retryable === (as === "transient")) return builtIn.code;
  return mayHaveHappened ? maybeDone : notDone;
}
