// The declared failure handling of a tool, a step or a stage applies to every fault.

import { describe, expect, it } from "vitest";
import {
  decide,
  fault,
  FAULT_CODES,
  type FaultCode,
  type Policy,
  PRESETS,
  type Recourse,
  situation,
  traitsOf,
  withRows,
} from "../../../src/core/index.ts";

const RAN = [undefined, true, false] as const;
const CODES: readonly FaultCode[] = FAULT_CODES.filter((code) => !traitsOf(code).cancels);
const ALWAYS: readonly Recourse[] = ["park", "ask", "surface", "fail"];
const LATER = 10 * 24 * 3_600_000;

const DECLARATIONS = {
  alternative: ["alternative"],
  default: ["default"],
  skip: ["skip"],
  everything: ["alternative", "default", "skip"],
} as const satisfies Readonly<Record<string, readonly Recourse[]>>;

/** Rows that name none of the declared recourses, or name other things first. */
const BARE: Policy = withRows(
  PRESETS.default,
  ([["fail"], ["ask", "fail"], ["surface"], []] as const).map((then, index) => ({
    match: { code: CODES.filter((_code, at) => at % 4 === index) },
    retry: null,
    then,
    origin: { layer: "file" as const, at: `own.yaml:${index + 1}` },
  })),
);

const POLICIES: Readonly<Record<string, Policy>> = {
  default: PRESETS.default,
  eager: PRESETS.eager,
  headless: PRESETS.headless,
  bare: BARE,
};

/** Attempts are spent, so that only the declarations come before people and models. */
function decided(
  code: FaultCode,
  ran: boolean | undefined,
  idempotent: boolean,
  declared: readonly Recourse[],
  policy: Policy,
) {
  const met = fault(code, { context: ran === undefined ? {} : { ran }, resetAt: LATER });
  const alternatives = declared.includes("alternative") ? ["other"] : [];
  const offers = new Set<Recourse>([...ALWAYS, ...declared]);
  return decide(situation(met, { attempt: 99, idempotent, alternatives, offers }), policy);
}

function mayHaveRun(code: FaultCode, ran: boolean | undefined): boolean {
  return ran ?? traitsOf(code).mayHaveHappened;
}

describe.each(Object.entries(POLICIES))("under the %s policy", (_name, policy) => {
  describe.each(Object.entries(DECLARATIONS))("declared: %s", (_declaration, declared) => {
    it("is what happens for every code, whether it ran or not, idempotent or not", () => {
      const wrong: string[] = [];
      for (const code of CODES) {
        for (const ran of RAN) {
          for (const idempotent of [true, false]) {
            const mayRepeat = idempotent || !mayHaveRun(code, ran);
            const bound: readonly Recourse[] = declared.filter((one) => one !== "alternative" || mayRepeat);
            const { recourse } = decided(code, ran, idempotent, declared, policy);
            const expected = bound[0];
            const isRight = expected === undefined ? !isDeclared(recourse) : recourse === expected;
            if (!isRight) wrong.push(`${code} ran=${String(ran)} idempotent=${idempotent}: ${recourse}`);
          }
        }
      }
      expect(wrong).toEqual([]);
    });
  });

  it("does nothing of it after a cancellation", () => {
    for (const code of FAULT_CODES.filter((one) => traitsOf(one).cancels)) {
      expect(decided(code, undefined, true, DECLARATIONS.everything, policy).recourse).toBe("fail");
    }
  });
});

it("asks first where the policy says so, and does what was declared after a no", () => {
  const offers = new Set<Recourse>([...ALWAYS, "alternative", "default", "skip"]);
  for (const code of CODES) {
    const met = fault(code, { resetAt: LATER, context: { ran: false } });
    const about = situation(met, { attempt: 99, alternatives: ["other"], offers });
    const first = decide(about, PRESETS.cautious).recourse;
    expect(["ask", "alternative"], code).toContain(first);
    expect(decide({ ...about, denied: ["retry", "ask"] }, PRESETS.cautious).recourse, code).toBe("alternative");
  }
});

function isDeclared(recourse: string): boolean {
  return recourse === "alternative" || recourse === "default" || recourse === "skip";
}
