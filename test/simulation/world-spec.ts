// What a simulated world is made of, as plain data: tools, a program, people, a disk, deaths. All of it comes from one seed.

import type { BreakerRule } from "../../src/core/policy/policy.ts";
import { PRESET_NAMES, type PresetName } from "../../src/core/policy/presets.ts";
import type { BudgetOptions } from "../../src/core/flow/money.ts";
import type { Manifest } from "../../src/core/record/event.ts";
import type { SessionLimits } from "../../src/runtime/session/session.ts";
import type { RetryOptions } from "../../src/runtime/tool/tool.ts";
import { type Dice, diceFor, weighted } from "./dice.ts";

export interface TargetSpec {
  readonly id: string;
  readonly maxConcurrent: number;
  readonly maxQueued: number;
  readonly breaker: Partial<BreakerRule>;
}

/** How a tool is, and how often one of each comes; `plain` ones are for plain worlds only. */
export const MOODS = { steady: 3, flaky: 3, slow: 1, broken: 1, rude: 1, limited: 1, odd: 0.5 } as const;
export type Mood = keyof typeof MOODS | "plain";

export interface ToolSpec {
  readonly id: string;
  readonly mood: Mood;
  readonly idempotent: boolean;
  readonly timeoutMs: number;
  /** null: as the policy says. */
  readonly retry: RetryOptions | "none" | null;
  readonly optional: boolean;
  readonly hasDefault: boolean;
  readonly alternatives: readonly string[];
  /** `unknown`: it costs something, but the amount is unknown. */
  readonly price: number | "unknown" | "free";
  readonly target: TargetSpec;
}

export interface CallSpec {
  readonly id: string;
  readonly tool: string;
  readonly n: number;
  /** Carries one of the planted secrets. */
  readonly plants: boolean;
  readonly optional: boolean;
  readonly hasDefault: boolean;
}

export interface StepSpec extends CallSpec {
  readonly needs: readonly string[];
}

export type RoundSpec =
  | { readonly kind: "plan"; readonly steps: readonly StepSpec[]; readonly maxParallel: number | null }
  | { readonly kind: "calls"; readonly calls: readonly CallSpec[]; readonly together: boolean };

export interface TurnSpec {
  readonly rounds: readonly RoundSpec[];
  /** Given to the session as a plan and not as a function. */
  readonly isBare: boolean;
  readonly timeoutMs: number | null;
  /** What its function does when its calls are over. */
  readonly last: "return" | "throw" | "hang" | "cancel";
  /** A call outside turns, made before it. */
  readonly before: CallSpec | null;
}

export interface CancelSpec {
  readonly what: "session" | "turn";
  /** Counted from 0. */
  readonly turn: number;
  /** After the beginning of the turn. */
  readonly afterMs: number;
  /** In which life of the program. */
  readonly life: number;
}

export type Person = "nobody" | "yes" | "no" | "silent" | "nonsense" | "throws" | "moody";

export interface DiskSpec {
  readonly latency: "none" | "steps" | "time";
  /** The share of appends that fail, or seem to. */
  readonly refuses: number;
  readonly uncertain: number;
  readonly refusesReads: number;
  /** From this append on nothing is written any more. */
  readonly brokenFrom: number | null;
}

export interface DeathSpec {
  /** The append of that life at which it ends. */
  readonly append: number;
  readonly when: "before" | "after";
}

export interface WorldSpec {
  readonly seed: number;
  /** Nothing in it depends on the number of an attempt or on the order of events, so that it has one right outcome. */
  readonly isPlain: boolean;
  readonly tools: ReadonlyMap<string, ToolSpec>;
  readonly turns: readonly TurnSpec[];
  readonly policy: PresetName;
  readonly mode: Manifest["mode"];
  readonly budget: BudgetOptions;
  readonly limits: Partial<SessionLimits>;
  readonly person: Person;
  /** Answers waiting questions; `yes` and `no` post them, `nobody` lets them expire. */
  readonly desk: "yes" | "no" | "nobody" | "moody";
  readonly disk: DiskSpec;
  /** How the first lives end; the ones after that live on. */
  readonly deaths: readonly DeathSpec[];
  readonly cancels: readonly CancelSpec[];
  /** A program that ends while the last turn still runs does not wait for it. */
  readonly endsEarly: boolean;
  readonly watches: boolean;
  /** Planted secrets: those the program names, and those that only look like one. */
  readonly secrets: readonly string[];
  readonly shaped: readonly string[];
}

const QUIET_DISK: DiskSpec = { latency: "none", refuses: 0, uncertain: 0, refusesReads: 0, brokenFrom: null };

export function worldFrom(seed: number): WorldSpec {
  const dice = diceFor("world", seed);
  const isPlain = dice.chance(0.25);
  const plants = dice.chance(0.3);
  const tools = toolsFrom(dice, isPlain);
  const turns = Array.from({ length: dice.int(1, dice.pick([1, 2, 3])) }, (_, turn) =>
    turnFrom(dice, tools, turn, isPlain, plants),
  );
  const deaths = deathsFrom(dice, isPlain);
  return {
    seed,
    isPlain,
    tools: new Map(tools.map((tool) => [tool.id, tool])),
    turns,
    policy: isPlain ? dice.pick(["default", "eager", "headless"] as const) : dice.pick(PRESET_NAMES),
    mode: dice.chance(0.4) ? "headless" : "attended",
    budget: isPlain || dice.chance(0.6) ? {} : budgetFrom(dice),
    limits: isPlain ? { turnTimeoutMs: 1e9 } : limitsFrom(dice),
    person: weighted(dice, { nobody: 3, yes: 3, no: 2, silent: 1, nonsense: 1, throws: 1, moody: 3 }),
    desk: dice.pick(["yes", "no", "nobody", "moody"]),
    disk: diskFrom(dice, isPlain),
    deaths,
    cancels: isPlain || dice.chance(0.7) ? [] : [cancelFrom(dice, turns.length)],
    endsEarly: !isPlain && dice.chance(0.1),
    watches: dice.chance(0.25),
    secrets: plants ? [`open sesame ${seed}`, `pa55-${hex(dice)}${hex(dice)}`] : [],
    shaped: plants ? [`sk-ant-api03-${hex(dice)}${hex(dice)}`] : [],
  };
}

function hex(dice: Dice): string {
  return dice.int(0x10000000, 0xffffffff).toString(16);
}

function toolsFrom(dice: Dice, isPlain: boolean): readonly ToolSpec[] {
  const targets = Array.from({ length: dice.int(1, 3) }, (_, index) => targetFrom(dice, `target${index}`, isPlain));
  const names = Array.from({ length: dice.int(2, 5) }, (_, index) => `tool${index}`);
  return names.map((id, index) => {
    const others = names.slice(index + 1).filter(() => dice.chance(0.2));
    return {
      id,
      mood: isPlain ? dice.pick(["steady", "plain"] as const) : weighted(dice, MOODS),
      idempotent: isPlain || dice.chance(0.5),
      timeoutMs: isPlain ? 30_000 : dice.pick([200, 1_000, 5_000, 30_000]),
      retry: retryFrom(dice, isPlain),
      optional: dice.chance(0.15),
      hasDefault: dice.chance(0.2),
      alternatives: others,
      price: weighted(dice, { free: 5, unknown: 2, known: 5 }) === "known" ? dice.int(1, 50) * 10 : dice.pick(PRICES),
      target: dice.pick(targets),
    };
  });
}

const PRICES = ["free", "unknown"] as const;

function targetFrom(dice: Dice, id: string, isPlain: boolean): TargetSpec {
  // A breaker, a queue or a budget makes what one call gets depend on what others do, and when.
  if (isPlain)
    return { id, maxConcurrent: dice.pick([1, 3, Infinity]), maxQueued: 1_000, breaker: { failures: 1_000 } };
  return {
    id,
    maxConcurrent: dice.pick([1, 2, 5, Infinity]),
    maxQueued: dice.pick([0, 1, 1_000]),
    breaker: {
      failures: dice.int(1, 5),
      successes: dice.int(1, 2),
      openMs: dice.pick([50, 500, 5_000, 30_000]),
      probeTimeoutMs: dice.pick([1_000, 60_000]),
      counts: dice.pick(["calls", "attempts"] as const),
    },
  };
}

function retryFrom(dice: Dice, isPlain: boolean): ToolSpec["retry"] {
  if (isPlain || dice.chance(0.5)) return null;
  if (dice.chance(0.2)) return "none";
  return {
    maxAttempts: dice.int(1, 4),
    backoff: { initialMs: dice.pick([0, 10, 1_000]) },
    jitter: dice.pick([0, 0.5]),
  };
}

function turnFrom(dice: Dice, tools: readonly ToolSpec[], turn: number, isPlain: boolean, plants: boolean): TurnSpec {
  const call = (id: string): CallSpec => callFrom(dice, tools, id, plants);
  const isBare = dice.chance(0.5);
  const rounds = Array.from({ length: isBare ? 1 : dice.int(1, dice.pick([2, 3])) }, (): RoundSpec => {
    if (isBare || dice.chance(0.6)) {
      const steps = stepsFrom(dice, call);
      return { kind: "plan", steps, maxParallel: !isBare && dice.chance(0.2) ? dice.int(1, 2) : null };
    }
    const calls = Array.from({ length: dice.int(1, 3) }, (_, index) => call(`c${index}`));
    return { kind: "calls", calls, together: dice.chance(0.5) };
  });
  return {
    rounds,
    isBare,
    timeoutMs: isPlain || dice.chance(0.5) ? null : dice.pick([0, 300, 3_000, 20_000]),
    last: isPlain ? "return" : weighted(dice, { return: 20, throw: 1, hang: 1, cancel: 1 }),
    before: dice.chance(0.2) ? call(`outside${turn}`) : null,
  };
}

function stepsFrom(dice: Dice, call: (id: string) => CallSpec): readonly StepSpec[] {
  const names = Array.from({ length: dice.int(1, dice.pick([2, 4, 8])) }, (_, index) => `s${index}`);
  return names.map((id, index) => {
    const needs = names.slice(0, index).filter(() => dice.chance(0.25));
    return { ...call(id), needs };
  });
}

function callFrom(dice: Dice, tools: readonly ToolSpec[], id: string, plants: boolean): CallSpec {
  return {
    id,
    tool: dice.pick(tools).id,
    n: dice.int(0, 99),
    plants: plants && dice.chance(0.4),
    optional: dice.chance(0.2),
    hasDefault: dice.chance(0.15),
  };
}

function budgetFrom(dice: Dice): BudgetOptions {
  return {
    maxUsd: dice.int(1, 200) / 1e7,
    onExceed: dice.pick(["warn", "pause_for_approval", "fail"] as const),
    warnAtPercent: dice.pick([0, 50, 80, 100]),
  };
}

function limitsFrom(dice: Dice): Partial<SessionLimits> {
  return {
    maxTurns: dice.chance(0.1) ? 1 : 50,
    maxToolRounds: dice.chance(0.1) ? 1 : 16,
    turnTimeoutMs: dice.pick([1_000, 30_000, 300_000]),
    runTimeoutMs: dice.chance(0.15) ? dice.pick([500, 10_000, 100_000]) : Infinity,
    maxParallel: dice.pick([1, 2, 16]),
  };
}

function diskFrom(dice: Dice, isPlain: boolean): DiskSpec {
  const latency = weighted(dice, { none: 4, steps: 3, time: 2 });
  if (dice.chance(0.6)) return { ...QUIET_DISK, latency };
  return {
    latency,
    refuses: dice.pick([0, 0.1, 0.4]),
    uncertain: dice.pick([0, 0.1, 0.3]),
    refusesReads: !isPlain && dice.chance(0.3) ? 0.2 : 0,
    brokenFrom: !isPlain && dice.chance(0.1) ? dice.int(1, 40) : null,
  };
}

/** A plain world dies once: work that is cut down twice may be given up, and then its outcome is another. */
function deathsFrom(dice: Dice, isPlain: boolean): readonly DeathSpec[] {
  if (!isPlain && dice.chance(0.4)) return [];
  const length = isPlain ? 1 : dice.int(1, 3);
  return Array.from({ length }, () => ({ append: dice.int(1, dice.pick([6, 30])), when: dice.pick(MOMENTS) }));
}

const MOMENTS = ["before", "after"] as const;

function cancelFrom(dice: Dice, turns: number): CancelSpec {
  return {
    what: dice.pick(["session", "turn"] as const),
    turn: dice.int(0, turns - 1),
    afterMs: dice.pick([0, 0, 5, 50, 200, 1_000, 5_000]),
    life: dice.pick([0, 0, 0, 1, 2]),
  };
}
