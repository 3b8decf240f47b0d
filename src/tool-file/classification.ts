// "Treat 503 as permanent for this tool": a manifest's rows as rows of the classifier, which stand in front of all built-in ones.

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

/** One row of a manifest becomes one rule, or two where an error code may also stand in the text. */
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

/** `tool/flight_search#2`: written into every fault the row makes. */
export function ruleId(tool: string, row: number): string {
  return `tool/${tool}#${row + 1}`;
}

/** A code with a digit or a single letter between its separators (`E_BUSY`, `ORA-00054`) is never prose; `not_found` would be. */
const STANDS_IN_TEXT = /^(?=.*[A-Za-z])(?:.*\d.*|(?:.*[_-])?[A-Za-z](?:[_-].*)?)$/;

function whenOf({ status, error_code: code, text }: Omit<ToolFileRow, "as">): When {
  return {
    ...(status === undefined ? {} : { status: [status] }),
    ...(typeof code === "string" ? { token: [code.toLowerCase()] } : {}),
    ...(typeof code === "number" ? { rpcCode: [code] } : {}),
    ...(text === undefined ? {} : { says: [[text.replace(/\*+$/, "")]] }),
    // Even without a phrase this makes it a rule on words: the text is read before it is asked, so that a status or code that
    // stands only in the message counts too, and a built-in rule on structure cannot get in before it.
    unless: [],
  };
}

/** A failure the row is about, as a tool would show it. */
export function exampleOf({ status, error_code: code, text }: Omit<ToolFileRow, "as">): Evidence {
  return {
    surface: "tool",
    ...(status === undefined ? {} : { status }),
    ...(typeof code === "string" ? { code } : {}),
    ...(typeof code === "number" ? { body: { error: { code } } } : {}),
    ...(text === undefined ? {} : { message: text }),
  };
}

/**
 * `transient` and `permanent` say whether to try again. They do not say whether the work may have been done, so that stays as the
 * built-in rules see it: a 504 that is permanent may have booked the flight, a 503 that is permanent has not.
 */
const MEANT: Readonly<Record<Meaning, { readonly notDone: FaultCode; readonly maybeDone: FaultCode }>> = {
  transient: { notDone: "ToolUnavailable", maybeDone: "Provider5xx" },
  permanent: { notDone: "Unsupported", maybeDone: "ExecutionFailed" },
};

function meaningOf(as: ToolFileRow["as"], builtIn: Fault): FaultCode {
  if (isFaultCode(as)) return as;
  const { retryable, cancels, mayHaveHappened } = traitsOf(builtIn.code);
  const { notDone, maybeDone } = MEANT[as];
  // What only the manifest knows: called transient, it is said to be worth trying again, which it never would be if it counted as
  // perhaps done; called permanent, nothing is lost by keeping the doubt.
  if (builtIn.evidence.source === "none") return as === "transient" ? notDone : maybeDone;
  if (!cancels && retryable === (as === "transient")) return builtIn.code;
  return mayHaveHappened ? maybeDone : notDone;
}
