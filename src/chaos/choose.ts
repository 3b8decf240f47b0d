// Chooses the fault and the model's answer for a request. In order of precedence: the request's header, the name of its model,
// the script, the first matching rule of the scenario; otherwise a good answer.
// C1  Every rule counts every request that matches it, even if something else decides that request: `request: 2` is the second
//     match.
// C2  A script or a sequence advances only when its step is used.
// C3  A roll depends on the seed, the rule, the model and the number of its matching requests: never on time or on the requests
//     of other models.

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
  /** The caller asked for a fault in a wrong way. It gets this message instead of an answer that would prove nothing. */
  readonly complaint: string | null;
}

/** An unreadable request uses up no step. */
export const UNCHOSEN: ChaosChoice = chosen({ fault: null, params: {}, scripted: null }, "default");

export function createChooser(scenario: Scenario, seed: number) {
  const rules = (scenario.rules ?? []).map((rule, index) => createRule(rule, index, seed));
  const script: ResolvedStep[] = [];

  return {
    /** Steps for the next requests; they take precedence over the scenario. */
    script: (steps: readonly ChaosStep[]) => void script.push(...steps.map(resolveStep)),
    choose(asked: ChaosRequest, header: string | null, isKey: (written: string) => boolean): ChaosChoice {
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

/** Asking for a streaming fault on a request that does not stream is an error, so that the fault is not silently skipped. */
function strictly(step: ResolvedStep, by: ChosenBy, asked: ChaosRequest): ChaosChoice {
  if (step.fault?.needs === "stream" && !asked.streaming) {
    return complaining(`\`${step.fault.id}\` affects streams only, and this request does not stream.`, by);
  }
  return chosen(step, by);
}

function chosen({ fault, params, scripted }: ResolvedStep, by: ChosenBy): ChaosChoice {
  return { by, fault, params: withDefaults(fault, params), scripted, complaint: null };
}

function complaining(complaint: string, by: ChosenBy): ChaosChoice {
  return { by, fault: null, params: withDefaults(null, {}), scripted: null, complaint };
}

function createRule(rule: ScenarioRule, index: number, seed: number) {
  const { when = {}, times = Infinity, probability = 1, sequence, repeat = false } = rule;
  const single = sequence === undefined ? resolveStep(rule) : null;
  const steps = (sequence ?? []).map(resolveStep);
  const isModel = patternOf(when.model ?? "*");
  const isNumber = numbersOf(when.request, when.every);
  const places = new Map<string, number>();
  const fittedOf = new Map<string, number>();
  let fitted = 0;
  let used = 0;

  /** One step per request of a model; null once the sequence is over. */
  function nextStep(model: string): ResolvedStep | null {
    const place = places.get(model) ?? 0;
    const step = steps[repeat ? place % steps.length : place];
    if (step !== undefined) places.set(model, place + 1);
    return step ?? null;
  }

  return {
    /** Whether the request matches; if so, it is counted. */
    counts(asked: ChaosRequest, isKey: (written: string) => boolean): boolean {
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
    /** The step for the request that was counted last; null if the rule does not apply. */
    use(asked: ChaosRequest): ResolvedStep | null {
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

/** A rule skips requests that its fault cannot affect. It calls its tools once: a request with tool results gets text. */
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

/** A number in [0, 1): FNV-1a over the parts, then mixed so that similar names give unrelated rolls. */
function rollFor(seed: number, ...parts: readonly (string | number)[]): number {
  let hash = 0x811c9dc5;
  for (const part of [seed, ...parts]) {
    for (const char of `${part}\u0000`) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
