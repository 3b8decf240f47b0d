// What a surface passes in with an action, checked: a table of what each need takes. What does not fit is a fault that names the
// field and says what it must be; the given value is never quoted, as it may be a secret.

import { fault, type Fault, withContext } from "../fault/fault.ts";
import { readField, tryRead } from "../try-read.ts";
import type { ActionId } from "./action-words.ts";
import type { ActionAccepts, ActionNeeds, OfferedAction } from "./action.ts";
import { checkAnswer, type Question } from "./interaction.ts";

export interface CheckedParams {
  /** As stored with the action: only the fields it takes, as plain data. */
  readonly params: Readonly<Record<string, unknown>>;
}

/** Told apart by `"params" in checked`. `questions` are those that are open: an answer has to fit its own. */
export function checkActionParams(
  action: OfferedAction,
  given: unknown,
  questions: readonly Question[] = [],
): CheckedParams | Fault {
  const unreadable = wrong(action, "params", "is an object that can be read");
  const checked = tryRead(() => readParams(action, given), unreadable);
  const question = questions.find(({ id }) => id === action.question);
  if (!("params" in checked) || question === undefined || action.needs !== "answer") return checked;
  const answer = checkAnswer(question, checked.params["answer"]);
  return "status" in answer ? checked : withContext(answer, { action: action.id, field: "answer" });
}

/** Longer texts belong in a file the prompt names. */
export const MAX_TEXT_BYTES = 64 * 1024;
const MAX_NAMES = 100;
const MAX_NAME_CHARS = 1000;
/** A grant names what it grants. */
const EVERYTHING = "*";

interface FieldRow {
  readonly name: string;
  readonly required: boolean;
  readonly wants: string;
  /** The value as plain data, or undefined when it does not fit. */
  readonly read: (value: unknown, action: OfferedAction) => unknown;
}

const TEXT: FieldRow = {
  name: "text",
  required: true,
  wants: "a text that is not empty and at most 64 KiB long",
  read: readText,
};
const NAMES = {
  required: true,
  wants: "a list of names, at least one and at most 100, none of them *",
  read: readNames,
} as const;

// prettier-ignore
const FIELDS: Readonly<Record<ActionNeeds, readonly FieldRow[]>> = {
  nothing:  [],
  text:     [TEXT],
  target:   [{ name: "target", required: true, wants: "one of the targets that are offered", read: (value, { choices }) => choices.find((choice) => choice === value) }],
  limits:   [{ name: "limits", required: true, wants: "an object with at least one of the limits that are offered, each a whole number higher than it is now", read: readLimits }],
  answer:   [{ name: "answer", required: true, wants: "an answer: accepted with a value that was offered, or rejected with a reason", read: readAnswer }],
  commands: [{ name: "commands", ...NAMES }],
  tools:    [{ name: "tools", ...NAMES }],
};

const OPTIONAL: Readonly<Record<ActionAccepts, FieldRow>> = {
  text: { ...TEXT, required: false },
  commands: { name: "commands", ...NAMES, required: false },
};

/** What an action means, whatever was passed in. */
const MEANS: Readonly<Partial<Record<ActionId, (action: OfferedAction) => Readonly<Record<string, unknown>>>>> = {
  "cancel": () => ({ cancel: true }),
  "continue-discussion": () => ({ option: "continue" }),
  "send-back": ({ choices }) => ({ to: choices[0] }),
};

function readParams(action: OfferedAction, given: unknown): CheckedParams | Fault {
  if (given !== undefined && (typeof given !== "object" || given === null || Array.isArray(given))) {
    return wrong(action, "params", "is an object");
  }
  const params: object = given ?? {};
  const fields = [...FIELDS[action.needs], ...action.accepts.map((each) => OPTIONAL[each])];
  const unknown = Object.keys(params).find((key) => !fields.some(({ name }) => name === key));
  if (unknown !== undefined) {
    const known = fields.length === 0 ? "nothing" : fields.map(({ name }) => name).join(", ");
    return wrong(action, unknown.slice(0, 40), `is not one of its fields: it takes ${known}`);
  }
  const read: Record<string, unknown> = { ...MEANS[action.id]?.(action) };
  for (const { name, required, wants, read: readValue } of fields) {
    const value = readField(params, name);
    if (value === undefined && !required) continue;
    const fitting = readValue(value, action);
    if (fitting === undefined) return wrong(action, name, `must be ${wants}`);
    read[name] = fitting;
  }
  return { params: read };
}

function readText(value: unknown): string | undefined {
  if (typeof value !== "string" || value.trim() === "" || value.length > MAX_TEXT_BYTES) return undefined;
  return new TextEncoder().encode(value).length > MAX_TEXT_BYTES ? undefined : value;
}

function readNames(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_NAMES) return undefined;
  const names = value.filter((name): name is string => typeof name === "string" && name.trim() !== "");
  const areFit = names.every((name) => name.length <= MAX_NAME_CHARS && name.trim() !== EVERYTHING);
  return names.length === value.length && areFit ? names : undefined;
}

function readLimits(value: unknown, { limits }: OfferedAction): Readonly<Record<string, number>> | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const raised: Record<string, number> = {};
  for (const [name, limit] of Object.entries(value)) {
    const now = limits[name];
    if (now === undefined || !Number.isSafeInteger(limit) || !((limit as number) > now)) return undefined;
    raised[name] = limit as number;
  }
  return Object.keys(raised).length === 0 ? undefined : raised;
}

/** Only what can be seen from the offer; whether the value fits the question is checked where it is answered. */
function readAnswer(value: unknown, { choices }: OfferedAction): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  const status = readField(value, "status");
  if (status === "rejected") {
    const reason = readText(readField(value, "reason"));
    return reason === undefined ? undefined : { status, reason };
  }
  const chosen = readField(value, "value");
  if (status !== "accepted" || chosen === undefined) return undefined;
  return choices.length > 0 && !choices.some((choice) => choice === chosen) ? undefined : { status, value: chosen };
}

function wrong({ id }: OfferedAction, field: string, why: string): Fault {
  return fault("ShapeInvalid", {
    message: `the action ${id} was not taken: ${JSON.stringify(field)} ${why}`,
    context: { action: id, field },
  });
}
