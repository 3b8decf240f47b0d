// What a simulated tool does in one attempt. A pure function of the world's seed, the call, the tool and the attempt's
// number: never of what else has happened, so that two runs of one world can be compared.

import { FAULT_CODES, type FaultCode, traitsOf } from "../../src/core/fault/catalogue.ts";
import { fault, FaultError } from "../../src/core/fault/fault.ts";
import { type Dice, diceFor, weighted } from "./dice.ts";
import type { Mood, ToolSpec, WorldSpec } from "./world-spec.ts";

export interface Act {
  readonly ends: "value" | "throw" | "never";
  /** 0: before it returns. */
  readonly afterMs: number;
  readonly value: unknown;
  readonly error: unknown;
  /** Puts down what it has before it ends. */
  readonly partial: boolean;
  /** Some items of its value are missing. */
  readonly isPartialValue: boolean;
  /** Reported at once, and just before it ends: what the whole attempt cost, as far as it is known then. */
  readonly costAtFirst: number | null;
  readonly costAtLast: number | null;
  /** Stops on request. */
  readonly listens: boolean;
  /** The work is done, whatever it looks like from outside. */
  readonly hasEffect: boolean;
}

type Kind =
  | "value"
  | "slow"
  | "late"
  | "hang"
  | "transient"
  | "limited"
  | "terminal"
  | "access"
  | "any"
  | "raw"
  | "odd-value";

// prettier-ignore
const ACTS: Readonly<Record<Mood, Partial<Record<Kind, number>>>> = {
  "steady":  { value: 20, slow: 2 },
  "plain":   { value: 6, slow: 2, terminal: 3, transient: 1 },
  "flaky":   { value: 6, slow: 2, transient: 8, raw: 1 },
  "slow":    { value: 2, slow: 6, late: 4, hang: 2 },
  "broken":  { value: 1, transient: 8, terminal: 6, access: 2, any: 2 },
  "rude":    { value: 4, raw: 8, any: 3, hang: 1 },
  "limited": { value: 4, limited: 8 },
  "odd":     { "value": 4, "odd-value": 4, "raw": 1 },
};

/** From this attempt on a tool makes up its mind, so that every world comes to an end. */
const LAST_MOODY_ATTEMPT = 8;

export function actOf(world: WorldSpec, tool: ToolSpec, call: string, attempt: number): Act {
  // In a plain world every attempt goes the same way.
  const dice = diceFor(world.seed, "act", tool.id, call, world.isPlain ? 1 : attempt);
  const kind = attempt > LAST_MOODY_ATTEMPT ? "value" : weighted(dice, ACTS[tool.mood]);
  const planted = [...world.secrets, ...world.shaped];
  const secret = planted.length > 0 && dice.chance(0.5) ? dice.pick(planted) : null;
  const cost = costsOf(dice, tool);
  const common = {
    ...cost,
    afterMs: dice.chance(0.5) ? 0 : dice.int(1, 60),
    partial: dice.chance(0.2),
    isPartialValue: dice.chance(0.1),
    listens: dice.chance(0.5),
    value: valueOf(dice, kind, tool, call, secret),
    error: null,
    hasEffect: true,
  };
  switch (kind) {
    case "value":
    case "odd-value":
      return { ...common, ends: "value" };
    case "slow":
      return { ...common, ends: "value", afterMs: Math.floor(tool.timeoutMs * 0.6) };
    case "late":
      return {
        ...common,
        ends: dice.chance(0.7) ? "value" : "throw",
        error: new Error("too late"),
        afterMs: tool.timeoutMs + dice.int(1, 3_000),
      };
    case "hang":
      return { ...common, ends: "never" };
    case "raw":
      return { ...common, ends: "throw", error: rawError(dice, secret), partial: dice.chance(0.3), hasEffect: false };
    default: {
      const code = dice.pick(CODES[kind]);
      return {
        ...common,
        ends: "throw",
        error: faultError(dice, code, secret, world.isPlain),
        hasEffect: traitsOf(code).mayHaveHappened,
      };
    }
  }
}

const CODES: Readonly<Record<"transient" | "limited" | "terminal" | "access" | "any", readonly FaultCode[]>> = {
  transient: ["ResourceBusy", "ToolUnavailable", "Overloaded", "ExecutionTimeout", "NetworkDisconnect", "Provider5xx"],
  limited: ["RateLimited", "RateLimited", "QuotaExhausted", "ResourceBusy", "Overloaded"],
  terminal: ["NotFound", "Unsupported", "Forbidden", "InputInvalid", "ResourceExhausted"],
  access: ["AuthFailed", "RequestInvalid", "ContextOverflow", "SchemaInvalid", "MissingModality", "ModelNotFound"],
  any: FAULT_CODES,
};

function costsOf(dice: Dice, tool: ToolSpec): Pick<Act, "costAtFirst" | "costAtLast"> {
  // A tool without a price may still find out what it cost.
  if (tool.price === "free" && dice.chance(0.9)) return { costAtFirst: null, costAtLast: null };
  const first = dice.chance(0.3) ? dice.int(0, 200) : null;
  return { costAtFirst: first, costAtLast: dice.chance(0.5) ? (first ?? 0) + dice.int(0, 300) : null };
}

function valueOf(dice: Dice, kind: Kind, tool: ToolSpec, call: string, secret: string | null): unknown {
  if (kind === "odd-value") return ODD_VALUES[dice.int(0, ODD_VALUES.length - 1)]?.();
  const value = { by: tool.id, of: call, n: dice.int(0, 1_000) };
  return secret === null ? value : { ...value, note: noteWith(dice, secret) };
}

/** Values that JSON drops, bends or refuses. */
const ODD_VALUES: readonly (() => unknown)[] = [
  () => undefined,
  () => null,
  () => NaN,
  () => [undefined, -0, Infinity],
  () => new Date(0),
  () => new Map([["a", 1]]),
  () => "",
  () => ({ "__proto__x": 1, "": { "": [] } }),
  () => 10n,
  () => {
    const ring: Record<string, unknown> = {};
    ring["self"] = ring;
    return ring;
  },
];

/** Longer than what is shown of a text, with the secret across the cut. */
const CUT_AT = 400;

export function noteWith(dice: Dice, secret: string): unknown {
  const forms = [
    secret,
    `use ${secret} please`,
    `${"x".repeat(CUT_AT - dice.int(1, secret.length - 1))} ${secret} ${"y".repeat(50)}`,
    { password: secret },
    [["Authorization", `Basic ${secret}`], { [secret]: 1 }],
    JSON.stringify({ deep: { er: secret } }),
  ];
  return dice.pick(forms);
}

/** A server's wait holds back all its callers, so plain worlds have none. */
function faultError(dice: Dice, code: FaultCode, secret: string | null, isPlain: boolean): FaultError {
  const message = secret === null ? `simulated ${code}` : `simulated ${code} with ${secret}`;
  const waits = !isPlain && traitsOf(code).lifts && dice.chance(0.5) ? { retryAfterMs: dice.pick(WAITS_MS) } : {};
  const context = secret === null ? {} : { detail: secret };
  return new FaultError(fault(code, { message, context, ...waits }));
}

const WAITS_MS = [0, 7, 300, 4_000, 90_000, 1_200_000];

function rawError(dice: Dice, secret: string | null): unknown {
  const told = secret ?? "nothing to hide";
  return dice.pick(RAW_ERRORS)(told);
}

/** What foreign code throws. None of these has done its work. */
const RAW_ERRORS: readonly ((told: string) => unknown)[] = [
  (told) => told,
  () => null,
  () => undefined,
  () => 42,
  () => Symbol("thrown"),
  (told) => new Error(told),
  (told) => Object.assign(new Error(`connect failed: ${told}`), { code: "ECONNREFUSED", errno: -111 }),
  (told) => Object.assign(new Error(`read ${told}`), { code: "ECONNRESET", errno: -104, syscall: "read" }),
  () => Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" }),
  (told) => ({ status: 429, headers: { "retry-after": "2" }, message: told }),
  (told) => ({ status: 503, body: told }),
  (told) => new AggregateError([new Error(told), null], "several"),
  (told) => new Error("outer", { cause: new Error(told, { cause: told }) }),
  () => new DOMException("The operation was aborted", "AbortError"),
  () => Object.freeze({ then: 1 }),
  () => ({
    get message(): string {
      throw new TypeError("not even this can be read");
    },
  }),
];
