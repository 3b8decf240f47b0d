// Checks options once, where the program passes them: unknown names, wrong types, values out of range. A kind says what fits.

import { type Fault, fault, FaultError } from "../core/fault/fault.ts";
import { nearest } from "./nearest.ts";

/** Throws a ConfigSchemaViolation that names the option and what it accepts. `door` is the function that the program called. */
export function checkOptions<T>(door: string, given: T, kinds: Shape<T>): T {
  const refused = optionsFault(door, given, kinds);
  if (refused !== null) throw new FaultError(refused);
  return given;
}

/** The same for functions that return a fault instead of throwing. */
export function optionsFault<T>(door: string, given: T, kinds: Shape<T>): Fault | null {
  const options: unknown = given;
  if (!isPlain(options)) return faultOf(door, "options", "its options must be an object");
  const mistake = mistakeIn(options, kinds);
  return mistake === null ? null : faultOf(door, mistake.field, mistake.message);
}

/** Checks an object that may have members besides those listed. */
export function checkMembers<T extends object>(door: string, given: T, kinds: Shape<T>): T {
  const mistake = mistakeIn(given, kinds, "", true);
  if (mistake !== null) throw invalidOption(door, mistake.field, mistake.message);
  return given;
}

export function invalidOption(door: string, field: string, message: string): FaultError {
  return new FaultError(faultOf(door, field, message));
}

function faultOf(door: string, field: string, message: string): Fault {
  return fault("ConfigSchemaViolation", { message: `${door}: ${message}`, context: { field } });
}

// The kinds of values that options accept. A kind describes itself in words, so that an error message can say what is expected.

/** One mistake in a set of options. */
interface Mistake {
  /** `timeouts.idleMs`, `prices[0].input` */
  readonly field: string;
  readonly message: string;
}

export interface Kind {
  /** Completes the sentence "it must be …". */
  readonly says: string;
  readonly fits: (value: unknown) => boolean;
  /** The first mistake inside a value of the right kind. */
  readonly inside?: (value: never, path: string) => Mistake | null;
  /** The message repeats a wrong text. Leave it out where the text may be a secret. */
  readonly showsText?: boolean;
  /** The option is required. */
  readonly isRequired?: boolean;
}

/** Every option of `T`, by name. The compiler rejects a table that misses one. */
export type Shape<T> = { readonly [Name in keyof T]-?: Kind };
type AnyShape = Readonly<Record<string, Kind>>;

/** Without a prototype, so that an option called `toString` is unknown too. */
export function shape<T>(kinds: Shape<T>): Shape<T> {
  return Object.freeze(Object.assign(Object.create(null) as Shape<T>, kinds));
}

export const text: Kind = {
  says: "a string that is not empty",
  fits: (value) => typeof value === "string" && value.trim() !== "",
};
export const anyText: Kind = { says: "a string", fits: (value) => typeof value === "string" };
export const flag: Kind = { says: "true or false", fits: (value) => typeof value === "boolean", showsText: true };
export const callable: Kind = { says: "a function", fits: (value) => typeof value === "function" };
export const anything: Kind = { says: "anything", fits: () => true };
export const signal: Kind = {
  says: "an AbortSignal",
  fits: (value) => isObject(value) && "aborted" in value && "addEventListener" in value,
};

export const anyNumber: Kind = {
  says: "a number",
  showsText: true,
  fits: (value) => typeof value === "number" && !Number.isNaN(value),
};

export function number(least: number, most = Infinity): Kind {
  const says = most === Infinity ? `a number from ${least} up` : `a number from ${least} to ${most}`;
  return { says, showsText: true, fits: (value) => typeof value === "number" && value >= least && value <= most };
}

export const positive: Kind = {
  says: "a number above 0",
  showsText: true,
  fits: (value) => typeof value === "number" && value > 0,
};

/** A whole number, or Infinity if there is no upper bound. */
export function whole(least: number, most = Infinity): Kind {
  const { says, fits } = number(least, most);
  return {
    says: says.replace("a number", "a whole number"),
    showsText: true,
    fits: (value) => fits(value) && (value === Infinity || Number.isInteger(value)),
  };
}

export function oneOf(names: readonly string[]): Kind {
  return {
    says: `one of ${names.map((name) => JSON.stringify(name)).join(", ")}`,
    showsText: true,
    fits: (value) => typeof value === "string" && names.includes(value),
  };
}

/** An object with at least these members: a clock, a journal, a model. */
export function having(says: string, ...members: readonly string[]): Kind {
  return { says, fits: (value) => isObject(value) && members.every((member) => member in value) };
}

export function group<T>(kinds: Shape<T>): Kind {
  return { says: "an object", fits: isPlain, inside: (value, path) => mistakeIn(value, kinds, path) };
}

export function listOf(kind: Kind): Kind {
  return {
    says: "a list",
    fits: Array.isArray,
    inside: (list: readonly unknown[], path) => firstMistake(list.entries(), (index) => `${path}[${index}]`, kind),
  };
}

export function mapOf(kind: Kind): Kind {
  return {
    says: "an object",
    fits: isPlain,
    inside: (map: object, path) => firstMistake(Object.entries(map), (name) => `${path}.${name}`, kind),
  };
}

/** A value of any of these kinds; the first kind that fits checks the inside. */
export function either(...kinds: readonly Kind[]): Kind {
  return {
    says: kinds.map(({ says }) => says).join(", or "),
    showsText: kinds.every(({ showsText }) => showsText),
    fits: (value) => kinds.some(({ fits }) => fits(value)),
    inside: (value, path) => kinds.find(({ fits }) => fits(value))?.inside?.(value, path) ?? null,
  };
}

/** The same kind with a better description. */
export function described(says: string, kind: Kind): Kind {
  return { ...kind, says };
}

export function required(kind: Kind): Kind {
  return { ...kind, isRequired: true };
}

/** The first mistake in a set of options; null if there is none. `isOpen`: other members are allowed. */
function mistakeIn(given: object, kinds: object, path = "", isOpen = false): Mistake | null {
  const known = kinds as AnyShape;
  const prefix = path === "" ? "" : `${path}.`;
  for (const name in isOpen ? known : given) {
    const kind = known[name];
    if (kind === undefined) return unknownOption(`${prefix}${name}`, name, Object.keys(known));
    const value = (given as Readonly<Record<string, unknown>>)[name];
    if (value === undefined) continue;
    const mistake = mistakeOf(value, kind, `${prefix}${name}`);
    if (mistake !== null) return mistake;
  }
  for (const name of requiredIn(known)) {
    if ((given as Readonly<Record<string, unknown>>)[name] !== undefined) continue;
    const field = `${prefix}${name}`;
    return { field, message: `${field} is missing; it must be ${known[name]?.says ?? "given"}` };
  }
  return null;
}

/** Computed once per shape: every protected call checks its options, and most shapes require nothing. */
const REQUIRED = new WeakMap<object, readonly string[]>();

function requiredIn(known: AnyShape): readonly string[] {
  const found = REQUIRED.get(known);
  if (found !== undefined) return found;
  const names = Object.keys(known).filter((name) => known[name]?.isRequired === true);
  REQUIRED.set(known, names);
  return names;
}

function mistakeOf(value: unknown, kind: Kind, field: string): Mistake | null {
  if (kind.fits(value)) return kind.inside?.(value as never, field) ?? null;
  return { field, message: `${field} is ${shown(value, kind.showsText === true)}; it must be ${kind.says}` };
}

function firstMistake<Key>(
  entries: Iterable<[Key, unknown]>,
  fieldOf: (key: Key) => string,
  kind: Kind,
): Mistake | null {
  for (const [key, value] of entries) {
    const mistake = mistakeOf(value, kind, fieldOf(key));
    if (mistake !== null) return mistake;
  }
  return null;
}

function unknownOption(field: string, name: string, known: readonly string[]): Mistake {
  const meant = nearest(name, known);
  const help = meant === null ? `it takes ${known.join(", ")}` : `did you mean ${meant}?`;
  return { field, message: `there is no option ${field}; ${help}` };
}

const MAX_SHOWN = 40;

function shown(value: unknown, showsText: boolean): string {
  if (typeof value === "string" && value.trim() === "") return "empty";
  if (typeof value === "string") return showsText && value.length <= MAX_SHOWN ? JSON.stringify(value) : "a string";
  if (value === null || typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

export function isPlain(value: unknown): value is object {
  return isObject(value) && !Array.isArray(value);
}

/** `given` over `defaults`; an option that is undefined counts as left out. */
export function over<T extends object>(defaults: T, given: Partial<T> | undefined): T {
  const set = Object.entries(given ?? {}).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(set) };
}

export const clockKind: Kind = having("a clock", "now", "after", "soon");
export const chanceKind: Kind = having("an object with roll() and newId()", "roll", "newId");
