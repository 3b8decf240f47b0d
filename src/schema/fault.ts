// The faults a schema leads to: a value that does not fit it, and a schema that is not valid.

import { fault, FaultError, type Fault, type FaultEvidence } from "../core/index.ts";
import type { FailedCheck, Issue } from "./check.ts";

const CODES = { input: "InputInvalid", output: "OutputMalformed" } as const;
const NEXT = {
  input: "Nothing was run. Correct these and call it again.",
  output: "The tool ran; check what it did before it is called again.",
} as const;

/** The check's result has all issues; a message is for people. */
const MAX_ISSUES_TOLD = 5;

/** What a tool was given, or gave, does not fit its schema. The first issue's place is the fault's `field`. */
export function schemaFault(
  kind: "input" | "output",
  tool: string,
  { issues, thrown }: Pick<FailedCheck, "issues" | "thrown">,
): Fault {
  const shown = issues.slice(0, MAX_ISSUES_TOLD).map(({ path, message }) => `${path} ${message}`);
  const rest = issues.length - shown.length;
  const list = [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join("; ");
  const field = fieldOf(issues[0]?.path ?? "$");
  return fault(CODES[kind], {
    message: `The ${kind} of tool ${tool} does not fit its schema${list === "" ? "" : `: ${list}`}. ${NEXT[kind]}`,
    context: field === "" ? { tool } : { tool, field },
    cause: thrown?.fault,
    ...(kind === "input" ? { evidence: { ...RAISED, issues: issues.map(toldOf) } } : {}),
  });
}

/** Our own code saw it. */
const RAISED: FaultEvidence = { rule: "raised", source: "raised", nearly: [], excerpt: "" };

function toldOf({ path, message, got }: Issue): NonNullable<FaultEvidence["issues"]>[number] {
  return { path, expected: message, got };
}

/** `$.items[0].price` → `items.0.price`: only what looks like a name is shown to a model. */
function fieldOf(path: string): string {
  return path
    .replace(/^\$\.?/, "")
    .replace(/\["?([^\]"]*)"?\]/g, ".$1")
    .replace(/^\./, "");
}

/** A schema that cannot be used is a mistake in the program's own set-up. */
export function invalidSchema(what: string, why: string, next: string, cause?: unknown): FaultError {
  const message = `The schema of ${what} cannot be used: ${why.replace(/[.\s]+$/, "")}. ${next}`;
  return new FaultError(
    fault("ConfigSchemaViolation", { message, context: { schema: what } }),
    cause === undefined ? {} : { cause },
  );
}
