// Which fault a request gets, and what the model says: by its header, else by the name of its model, else by the script, else by
// the first rule of the scenario that fits, else a good answer.
// C1  every rule counts every request that fits it, whoever decides about that request: `request: 2` is the second that fits.
// C2  a script and a sequence go one step on only when the step is used.
// C3  what is rolled depends on the seed, the rule, the model and how many of its requests fitted: never on time, nor on what
//     other models ask meanwhile.

import { type ChaosFault, withDefaults } from "./faults.ts";
import type { Parameters } from "./faults/fault-row.ts";
import type { Scripted } from "./good-model.ts";
import { faultInModel, readFault, type WrittenFault } from "./notation.ts";
import { resolveStep, type ResolvedStep } from "./scenario.ts";
import type { ChaosStep, Scenario, ScenarioRule } from "./scenario-schema.ts";
import type { ChaosRequest } from "./wire.ts";

export type ChosenBy = "header" | "model" | "script" | "scenario" | "default";

export interface ChaosChoice {
  readonly by: ChosenBy;
  readonly fault: ChaosFault | null;
  readonly params: Parameters;
  readonly scripted: Scripted | null;
  /** Whoever asked for the fault made a mistake, and is told so instead of getting an answer that proves nothing. */
  readonly complaint: string | null;
}

/** A request that cannot be read is nobody's turn. */
export const UNCHOSEN: ChaosChoice = chosen({ fault: null, params: {}, scripted: null }, "default");

export interface Chooser {
  choose(asked: ChaosRequest, header: string | null, isKey: (written: string) => boolean): ChaosChoice;
  /** Steps for the next requests, before the scenario is asked. */
  script(steps: readonly ChaosStep[]): void;
}

export function createChooser(scenario: Scenario, seed: number): Chooser {
  const rules = (scenario.rules ?? []).map((rule, index) => createRule(rule, index, seed));
  const script: ResolvedStep[] = [];

  return {
    script: (steps) => void script.push(...steps.map(resolveStep)),
    choose(asked, header, isKey) {
      const fitting = rules.filter((rule) => rule.counts(asked, isKey));
      const written = header === null ? faultInModel(asked.model) : readFault(header);
      if (written !== null) return asWritten(written, header === null ? "model" : "header", asked);
      const next = script.shift();
      if (next !== undefined) return strictly(next, "script", asked);
      for (const rule of fitting) {
        const step = rule.use(asked);
        if (step !== null) return strictly(step, "scenario", asked);
      }
      return UNCHOSEN;
    },
  };
}

function asWritten(written: WrittenFault, by: ChosenBy, asked: ChaosRequest): ChaosChoice {
  if ("complaint" in written) return complaining(written.complaint, by);
  return strictly({ ...written, scripted: null }, by, asked);
}

/** A fault that only a stream can have is not silently left out. */
function strictly(step: ResolvedStep, by: ChosenBy, asked: ChaosRequest): ChaosChoice {
  if (step.fault?.needs === "stream" && !asked.streaming) {
    return complaining(`\`${step.fault.id}\` happens to streams only, and this request does not stream.`, by);
  }
  return chosen(step, by);
}

function chosen({ fault, params, scripted }: ResolvedStep, by: ChosenBy): ChaosChoice {
  return { by, fault, params: withDefaults(fault, params), scripted, complaint: null };
}

function complaining(complaint: string, by: ChosenBy): ChaosChoice {
  return { by, fault: null, params: withDefaults(null, {}), scripted: null, complaint };
}

interface LiveRule {
  /** Whether the request fits; if so it is counted. */
  counts(asked: ChaosRequest, isKey: (written: string) => boolean): boolean;
  /** What the rule says about the request it counted last; null when it has nothing to say. */
  use(asked: ChaosRequest): ResolvedStep | null;
}

function createRule(rule: ScenarioRule, index: number, seed: number): LiveRule {
  const { when = {}, times = Infinity, probability = 1, sequence, repeat = false } = rule;
  const single = sequence === undefined ? resolveStep(rule) : null;
  const steps = (sequence ?? []).map(resolveStep);
  const isModel = patternOf(when.model ?? "*");
  const isNumber = numbersOf(when.request, when.every);
  const places = new Map<string, number>();
  const fittedOf = new Map<string, number>();
  let fitted = 0;
  let used = 0;

  /** One step per request of a model; the rule says nothing any more when its sequence is over. */
  function nextStep(model: string): ResolvedStep | null {
    const place = places.get(model) ?? 0;
    const step = steps[repeat ? place % steps.length : place];
    if (step !== undefined) places.set(model, place + 1);
    return step ?? null;
  }

  return {
    counts(asked, isKey) {
      const fits =
        isModel.test(asked.model) &&
        (when.protocol === undefined || when.protocol === asked.protocol) &&
        (when.streaming === undefined || when.streaming === asked.streaming) &&
        (when.key === undefined || isKey(when.key));
      if (!fits) return false;
      fitted++;
      fittedOf.set(asked.model, (fittedOf.get(asked.model) ?? 0) + 1);
      return true;
    },
    use(asked) {
      if (!isNumber(fitted) || used >= times) return null;
      if (single !== null && !suits(single, asked)) return null;
      const nth = fittedOf.get(asked.model) ?? 0;
      if (probability < 1 && rollFor(seed, "rule", index, asked.model, nth) >= probability) return null;
      const step = single ?? nextStep(asked.model);
      if (step !== null) used++;
      return step;
    },
  };
}

/** A rule leaves requests alone that its fault cannot happen to, and calls its tools once: the result is answered in words. */
function suits({ fault, scripted }: ResolvedStep, asked: ChaosRequest): boolean {
  if (fault?.needs === "stream" && !asked.streaming) return false;
  return scripted?.kind !== "calls" || asked.toolResults.length === 0;
}

function patternOf(written: string): RegExp {
  const parts = written.split("*").map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join("[^]*")}$`);
}

function numbersOf(request: number | string | undefined, every: number | undefined): (number: number) => boolean {
  const [from = "1", to = ""] = request === undefined ? [] : String(request).split("-");
  const first = Number(from);
  const last = typeof request === "number" ? first : to === "" ? Infinity : Number(to);
  return (number) => number >= first && number <= last && (every === undefined || number % every === 0);
}

/** In [0, 1). FNV-1a over the parts, then mixed so that similar names give unrelated rolls. */
function rollFor(seed: number, ...parts: readonly (string | number)[]): number {
  let hash = 0x811c9dc5;
  for (const part of [seed, ...parts]) {
    for (const char of `${part}\u0000`) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
