// JSON Schema, by ajv. Compiled once per schema object; messages are about the schema only, so they hold nothing of the value.
// Schemas come from MCP servers too, and values from models and servers, so both are hostile:
// J1  a schema is compiled within COMPILE_MS, and only if its text is not longer than MAX_SCHEMA_CHARS.
// J2  a value is checked within CHECK_MS. Schemas that cannot take longer than their size times that of the value run without the guard.

import { createRequire } from "node:module";
import type { Ajv, ErrorObject, Options, ValidateFunction } from "ajv";
import type { FormatsPlugin } from "ajv-formats";
import { classify } from "../core/index.ts";
import { type Check, failed, type Issue } from "./check.ts";
import { invalidSchema } from "./fault.ts";
import { kindOf, pathText } from "./path.ts";
import { isPlainSchema } from "./plain-schema.ts";
import type { Script } from "node:vm";
import { fieldOf, tryRead } from "../core/try-read.ts";

/** A plain object, or `true` for anything and `false` for nothing. */
export type JsonSchema = boolean | Readonly<Record<string, unknown>>;

const compiled = new WeakMap<object, Check>();

/** How long it may take to compile a schema, and to check a value. */
export interface SchemaTimes {
  readonly compileMs: number;
  readonly checkMs: number;
}

export function compileJsonSchema(
  schema: Readonly<Record<string, unknown>>,
  what: string,
  { compileMs, checkMs }: SchemaTimes = { compileMs: COMPILE_MS, checkMs: CHECK_MS },
): Check {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const text = textOf(schema, what);
  const { $schema: address = DEFAULT_DIALECT, ...rest } = schema;
  const dialect = dialectOf(address, what);
  if (rest["$async"] === true) throw invalidSchema(what, "`$async` is not supported", "Remove `$async`.");
  const compile = (makeAjv: MakeAjv): Check => {
    // We choose the dialect, so ajv does not have to know how its address is spelled.
    const validate = validatorOf(rest, makeAjv, what, compileMs);
    return checkWith(isLinear(text) ? validate : (value) => boundedTime(checkMs, () => validate(value)), validate);
  };
  const makeAjv = makers.get(dialect) ?? requireAjv(dialect);
  const check = makeAjv === null ? compiledLater(dialect, compile) : compile(makeAjv);
  compiled.set(schema, check);
  return check;
}

/** A bundled program has no ajv to require, and importing it takes a moment. So the schema is compiled at its first check. */
function compiledLater(dialect: Dialect, compile: (makeAjv: MakeAjv) => Check): Check {
  let compiling: Promise<Check> | undefined;
  return async (value) => {
    try {
      const check = await (compiling ??= importAjv(dialect).then(compile));
      return await check(value);
    } catch (error) {
      return failed([], { fault: classify({ surface: "schema", error }), error });
    }
  };
}

const MAX_SCHEMA_CHARS = 256 * 1024;
const COMPILE_MS = 5_000;
// Real time: on a machine that is busy, an honest check may have to wait for its turn.
const CHECK_MS = 1_000;

function textOf(schema: Readonly<Record<string, unknown>>, what: string): string {
  let text: string;
  try {
    text = JSON.stringify(schema);
  } catch (error) {
    throw invalidSchema(what, "it is nested too deeply, contains itself or cannot be read", "Correct the schema.", error);
  }
  if (text.length <= MAX_SCHEMA_CHARS) return text;
  const size = `its text has ${text.length.toLocaleString("en")} characters; the limit is ${MAX_SCHEMA_CHARS.toLocaleString("en")}`;
  throw invalidSchema(what, size, "Use a smaller schema.");
}

/** Without these a check visits each part of the value once for each part of the schema. Property names of that kind cost a guard only. */
const COSTLY = /"(?:pattern|patternProperties|uniqueItems|\$ref|\$dynamicRef|\$recursiveRef)":/;
const MAX_LINEAR_CHARS = 4 * 1024;

function isLinear(text: string): boolean {
  return text.length <= MAX_LINEAR_CHARS && !COSTLY.test(text);
}

function validatorOf(
  schema: Readonly<Record<string, unknown>>,
  makeAjv: MakeAjv,
  what: string,
  compileMs: number,
): ValidateFunction {
  try {
    const reader = isPlainSchema(schema) ? null : metaAjv(makeAjv);
    return boundedTime(compileMs, () => {
      if (reader !== null && reader.validateSchema(schema) !== true)
        throw new TypeError(reader.errorsText(reader.errors, { dataVar: "schema" }));
      // An instance of its own, so that two schemas may use the same `$id` and neither is kept for ever.
      return makeAjv({ ...OPTIONS, validateSchema: false }).compile(schema);
    });
  } catch (error) {
    if (error instanceof OutOfTime)
      throw invalidSchema(what, `compiling it ${error.message}`, "Use a simpler schema.", error);
    const { message } = classify({ surface: "schema", error });
    throw invalidSchema(what, message, "Correct the schema.", error);
  }
}

/** No strict mode: users' schemas contain keywords of other programs. No logger: ajv must not print. */
const OPTIONS: Options = { allErrors: true, strict: false, logger: false };

type MakeAjv = (options: Options) => Ajv;

const DEFAULT_DIALECT = "https://json-schema.org/draft/2020-12/schema";

interface Dialect {
  readonly address: RegExp;
  readonly module: string;
  /** The same module, written so that bundlers see it. */
  readonly load: () => Promise<object>;
  /** What the module calls its class. */
  readonly name: string;
}

// prettier-ignore
const DIALECTS: readonly Dialect[] = [
  { address: /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/, module: "ajv/dist/2020.js", load: () => import("ajv/dist/2020.js"), name: "Ajv2020" },
  { address: /^https?:\/\/json-schema\.org\/draft\/2019-09\/schema#?$/, module: "ajv/dist/2019.js", load: () => import("ajv/dist/2019.js"), name: "Ajv2019" },
  { address: /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/, module: "ajv", load: () => import("ajv"), name: "Ajv" },
];

const makers = new Map<Dialect, MakeAjv>();

function dialectOf(address: unknown, what: string): Dialect {
  const dialect = DIALECTS.find((one) => typeof address === "string" && one.address.test(address));
  if (dialect !== undefined) return dialect;
  throw invalidSchema(what, "its `$schema` names a dialect that is not supported", "Use 2020-12, 2019-09 or draft-07.");
}

/** Loaded with the first JSON Schema: most programs have none, and ajv takes longer to load than all the rest. Null in a bundle. */
function requireAjv(dialect: Dialect): MakeAjv | null {
  const found = tryRead(() => {
    const load = createRequire(import.meta.url);
    return [load(dialect.module), load("ajv-formats")] as const;
  }, null);
  return found === null ? null : keepMaker(dialect, ...found);
}

async function importAjv(dialect: Dialect): Promise<MakeAjv> {
  return makers.get(dialect) ?? keepMaker(dialect, await dialect.load(), await import("ajv-formats"));
}

function keepMaker(dialect: Dialect, ajv: unknown, formats: unknown): MakeAjv {
  const AjvClass = exportOf(ajv, dialect.name) as new (options: Options) => Ajv;
  const addFormats = exportOf(formats, "default") as FormatsPlugin;
  const make: MakeAjv = (options) => addFormats(new AjvClass(options));
  makers.set(dialect, make);
  return make;
}

/** An export of a CommonJS module. When the module is imported, it may be under `default`. */
function exportOf(module: unknown, name: string): unknown {
  const outer = module as Readonly<Record<string, unknown>>;
  const inner = (outer["default"] ?? outer) as Readonly<Record<string, unknown>>;
  const found = inner[name] ?? outer[name];
  if (typeof found !== "function") throw new TypeError(`ajv has no ${name}`);
  return found;
}

const metaAjvs = new Map<MakeAjv, Ajv>();

/** One instance per dialect checks the schemas themselves: compiling a dialect's own schema is the slow part. */
function metaAjv(make: MakeAjv): Ajv {
  const known = metaAjvs.get(make);
  if (known !== undefined) return known;
  const made = make(OPTIONS);
  // Compiles the dialect's own schema now: later it would run under a time limit, and stay half done when that is reached.
  void made.validateSchema({});
  metaAjvs.set(make, made);
  return made;
}

function checkWith(fits: (value: unknown) => unknown, validate: ValidateFunction): Check {
  return (value) => {
    try {
      if (fits(value) === true) return { ok: true, value };
      return failed((validate.errors ?? []).map((error) => issueOf(error, value)));
    } catch (error) {
      if (error instanceof OutOfTime)
        return failed([{ path: "$", message: `cannot be checked: the schema is too costly, the check ${error.message}`, got: "unknown" }]);
      // A value nested too deeply, or one whose getters throw.
      const { code } = classify({ surface: "schema", error });
      return failed([{ path: "$", message: `cannot be checked (${code}): it is nested too deeply or cannot be read`, got: "unknown" }]);
    }
  };
}

/** Places messages about a key at that key, and completes messages that leave out values. All of the text comes from the schema. */
const WORDS: Readonly<Record<string, (params: Params) => { readonly step?: unknown; readonly message: string }>> = {
  required: ({ missingProperty }) => ({ step: missingProperty, message: "is required" }),
  dependentRequired: ({ missingProperty, property }) => ({
    step: missingProperty,
    message: `is required when \`${String(property)}\` is present`,
  }),
  additionalProperties: ({ additionalProperty }) => ({ step: additionalProperty, message: "is not known here" }),
  unevaluatedProperties: ({ unevaluatedProperty }) => ({ step: unevaluatedProperty, message: "is not known here" }),
  enum: ({ allowedValues }) => ({ message: `must be one of ${shortJson(allowedValues)}` }),
  const: ({ allowedValue }) => ({ message: `must be ${shortJson(allowedValue)}` }),
};

type Params = Readonly<Record<string, unknown>>;

function issueOf(error: ErrorObject, value: unknown): Issue {
  const { step, message } = WORDS[error.keyword]?.(error.params) ?? { message: error.message ?? "is not valid" };
  const steps = [...stepsOf(error.instancePath), ...(typeof step === "string" ? [step] : [])];
  // ajv reports a wrong property name at the object that has the property.
  const about = error.propertyName === undefined ? "" : "has a property whose name ";
  return { path: pathText(steps, value), message: `${about}${message}`.slice(0, MAX_MESSAGE_CHARS), got: kindOf(steps, value) };
}

const MAX_MESSAGE_CHARS = 300;

/** From a JSON pointer: `/items/0/price`. */
function stepsOf(pointer: string): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function shortJson(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

// Runs synchronous code that others have influenced, and ends it when its time is up. A schema can make a check endless in many ways:
// a pattern that backtracks (`^(a+)+$`), references that double at each level, `uniqueItems` over many objects. Looking for each of them
// would miss some, and a linear regular expression engine would refuse patterns that are harmless. A time limit covers all of them.
//
// It costs about 0.1 ms a call, because Node starts a watchdog thread for it.

class OutOfTime extends Error {}

/** Made on first use: a context costs a program a millisecond at its start. */
let guard: { readonly box: { work: () => void }; readonly script: Script } | undefined;

function makeGuard(): NonNullable<typeof guard> {
  const { createContext, Script } = process.getBuiltinModule("node:vm");
  const box = createContext({ work: (): void => undefined }) as { work: () => void };
  return { box, script: new Script("work()", { filename: "bounded-check" }) };
}

/** Throws OutOfTime after `limitMs`. What `work` throws is thrown on. */
function boundedTime<T>(limitMs: number, work: () => T): T {
  const { box, script } = (guard ??= makeGuard());
  let result: { readonly value: T } | undefined;
  box.work = () => void (result = { value: work() });
  try {
    script.runInContext(box, { timeout: limitMs });
  } catch (error) {
    const code = fieldOf(error, "code");
    throw code === "ERR_SCRIPT_EXECUTION_TIMEOUT" ? new OutOfTime(`was not done after ${limitMs} ms`) : error;
  } finally {
    box.work = () => undefined;
  }
  return (result as { readonly value: T }).value;
}
