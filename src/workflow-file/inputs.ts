// The inputs of a run: their declarations, and checks of the given values. Words from a command line are converted to numbers,
// booleans and JSON as the type requires.

import { fault, REDACTED, type Fault } from "../core/index.ts";
import { parseJson } from "../core/try-read.ts";
import type { WorkflowInputs } from "../workflow-model/stage.ts";
import { nearest } from "../options/nearest.ts";
import { type WorkflowFinding, finding } from "./codes.ts";
import type { InputSpec, InputType } from "./definition.ts";
import { isMap } from "../core/json-fields.ts";
import type { WorkflowFile, WrittenInput } from "./schema.ts";

interface TypeRow {
  /** The name of the type in messages. */
  readonly words: string;
  readonly fits: (value: unknown) => boolean;
  /** Converts a word from a command line; undefined if it does not fit the type. */
  readonly fromWord: (word: string) => unknown;
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const numberOf = (word: string): unknown => (NUMBER.test(word.trim()) ? Number(word) : undefined);
const TRUTH: ReadonlyMap<string, boolean> = new Map([
  ["true", true],
  ["false", false],
]);

const TYPES: Readonly<Record<InputType, TypeRow>> = {
  string: { words: "text", fits: (value) => typeof value === "string", fromWord: (word) => word },
  number: { words: "a number", fits: (value) => Number.isFinite(value), fromWord: numberOf },
  integer: { words: "a whole number", fits: (value) => Number.isSafeInteger(value), fromWord: numberOf },
  boolean: {
    words: "true or false",
    fits: (value) => typeof value === "boolean",
    fromWord: (word) => TRUTH.get(word.trim().toLowerCase()),
  },
  array: { words: "a list, as JSON on a command line", fits: (value) => Array.isArray(value), fromWord: parseJson },
  object: { words: "an object, as JSON on a command line", fits: isMap, fromWord: parseJson },
};

export function inputSpecs(written: WorkflowFile["inputs"]): readonly InputSpec[] {
  return Object.entries(written ?? {}).map(([name, input]) => ({
    name,
    type: typeOf(input),
    description: input.description ?? "",
    choices: input.enum ?? null,
    default: Object.hasOwn(input, "default") ? { value: input.default } : null,
    required: input.required ?? !Object.hasOwn(input, "default"),
    secret: input.secret ?? false,
  }));
}

/** Default: the type of the choices, else text. */
function typeOf({ type, enum: choices }: WrittenInput): InputType {
  if (type !== undefined) return type;
  const [first] = choices ?? [];
  return typeof first === "number" ? "number" : typeof first === "boolean" ? "boolean" : "string";
}

export function checkInputs(file: WorkflowFile): readonly WorkflowFinding[] {
  return inputSpecs(file.inputs).flatMap((spec) => [
    ...wrongChoices(spec),
    ...wrongDefault(spec),
    ...secretChoices(spec),
  ]);
}

function wrongChoices({ name, type, choices }: InputSpec): readonly WorkflowFinding[] {
  return (choices ?? []).flatMap((choice, index) =>
    TYPES[type].fits(choice)
      ? []
      : [
          finding(
            "bad-input",
            ["inputs", name, "enum", index],
            `a choice of input ${name} must be ${TYPES[type].words}`,
            `the input is of type ${type}`,
            "Correct the value, or the type.",
          ),
        ],
  );
}

/** Anyone who can read the file would know them. */
function secretChoices({ name, secret, choices }: InputSpec): readonly WorkflowFinding[] {
  if (!secret) return [];
  const message = `the choices of the secret input ${name} are written in the file`;
  const help = "Delete the choices, or `secret: true`.";
  return (choices ?? []).map((_choice, index) =>
    finding("written-secret", ["inputs", name, "enum", index], message, "a secret", help),
  );
}

function wrongDefault(spec: InputSpec): readonly WorkflowFinding[] {
  const { name, secret } = spec;
  if (spec.default === null) return [];
  const path = ["inputs", name, "default"];
  if (secret) {
    const message = `the default of the secret input ${name} is written in the file`;
    const help = "Delete the default; give the value when a run is started.";
    return [finding("written-secret", path, message, "a secret", help)];
  }
  const wanted = misfit(spec, spec.default.value);
  if (wanted === null) return [];
  const message = `the default of input ${name} must be ${wanted}`;
  return [finding("bad-input", path, message, "does not fit", "Correct the default, or the type.")];
}

/** What the value would have to be; null if it fits. */
function misfit({ type, choices }: InputSpec, value: unknown): string | null {
  if (!TYPES[type].fits(value)) return TYPES[type].words;
  if (choices === null || choices.some((choice) => choice === value)) return null;
  return `one of ${choices.map((choice) => JSON.stringify(choice)).join(", ")}`;
}

/** The inputs of a run with defaults filled in, or a fault that names the first wrong field. */
export function readInputs(specs: readonly InputSpec[], given: unknown): WorkflowInputs | Fault {
  const fields: unknown = given ?? {};
  if (!isMap(fields)) return refused("inputs", "the inputs must be an object with a value for each name");
  const known = specs.map(({ name }) => name);
  const unknown = Object.keys(fields).find((name) => !known.includes(name));
  if (unknown !== undefined) return refused(unknown, unknownInput(unknown, known));
  const values: [string, unknown][] = [];
  for (const spec of specs) {
    const value = givenOrDefault(spec, fields);
    if (value === undefined) {
      if (spec.required) return refused(spec.name, `input ${spec.name} is missing; it must be ${wantedOf(spec)}`);
    } else if (misfit(spec, value) === null) {
      values.push([spec.name, value]);
    } else {
      return refused(spec.name, `input ${spec.name} must be ${misfit(spec, value) ?? ""}`);
    }
  }
  const secret = new Set(specs.filter((spec) => spec.secret).map(({ name }) => name));
  return {
    values: Object.fromEntries(values),
    shown: Object.fromEntries(values.map(([name, value]) => [name, secret.has(name) ? REDACTED : value])),
    secret: Object.fromEntries(values.filter(([name]) => secret.has(name))),
  };
}

function givenOrDefault(spec: InputSpec, fields: Readonly<Record<string, unknown>>): unknown {
  const given = Object.hasOwn(fields, spec.name) ? fields[spec.name] : undefined;
  if (given === undefined) return spec.default?.value;
  // A word that cannot be converted stays as it is and fails the check.
  return typeof given === "string" ? (TYPES[spec.type].fromWord(given) ?? given) : given;
}

function wantedOf({ type, choices, description }: InputSpec): string {
  const wanted =
    choices === null ? TYPES[type].words : `one of ${choices.map((choice) => JSON.stringify(choice)).join(", ")}`;
  return description === "" ? wanted : `${wanted} (${description})`;
}

function unknownInput(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  const shown = name.slice(0, 64);
  if (known.length === 0) return `there is no input ${shown}: this workflow takes none`;
  const all = known.join(", ");
  if (near === null) return `there is no input ${shown}; there are: ${all}`;
  return `there is no input ${shown}; did you mean ${near}? There are: ${all}`;
}

/** Says what the value must be, but not what it was: it may be a secret. */
function refused(field: string, message: string): Fault {
  return fault("ShapeInvalid", { message: `${message}. Nothing was started.`, context: { field: field.slice(0, 64) } });
}
