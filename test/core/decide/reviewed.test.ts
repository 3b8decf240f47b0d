// What the functions of this folder answer in every situation of a grid, compared with files. Breakers, pauses, budgets and chains have many
// small boundaries, and a line per case shows each of them. A change that is meant shows as a difference of these files
// (`npx vitest run test/core/decide/reviewed.test.ts -u` writes them again).

import { describe, expect, it } from "vitest";
import {
  admit,
  borrow,
  type Breaker,
  type BreakerCause,
  CLOSED,
  earn,
  extendPause,
  isolate,
  letProbe,
  liftPause,
  mergeBreakers,
  mergePauses,
  movedBy,
  NO_PAUSE,
  type Pause,
  record,
  release,
  spend,
  type Ticket,
  useBudget,
  withCause,
} from "../../../src/core/decide/breaker.ts";
import type { Decision } from "../../../src/core/decide/decision.ts";
import { explain, recourseStep, recourseWord } from "../../../src/core/decide/explain.ts";
import {
  type ChainState,
  firstBack,
  nextTarget,
  otherTargets,
  type Target,
} from "../../../src/core/decide/fallback.ts";
import { DEFAULT_POLICY, fault, type FaultScope, RECOURSES } from "../../../src/core/index.ts";

const line = (...values: readonly unknown[]): string =>
  values.map((value) => (typeof value === "string" ? value : JSON.stringify(value))).join(" ");

async function expectFile(name: string, lines: readonly string[]): Promise<void> {
  await expect(`${lines.join("\n")}\n`).toMatchFileSnapshot(`reviewed/${name}.txt`);
}

const RULE = {
  ...DEFAULT_POLICY.breaker,
  failures: 2,
  successes: 2,
  openMs: 100,
  growth: 1.01,
  maxOpenMs: 195,
  probeTimeoutMs: 50,
};
const CAUSE: BreakerCause = { code: "Overloaded", message: "busy" };
const PROBED = { state: "half-open", generation: 5, opens: 1, successes: 1, probes: 2 } as const;

const BREAKERS: Readonly<Record<string, Breaker>> = {
  "new": CLOSED,
  "failed once": { ...CLOSED, state: "closed", generation: 4, failures: 1, observed: 1, opens: 0 },
  "recovered": { state: "closed", generation: 4, failures: 0, observed: 1, opens: 0, settledAt: 1_000 },
  "of an older version": { state: "closed", generation: 4, failures: 1, opens: 0 },
  "closed by hand": { state: "closed", generation: 4, failures: 0, observed: 0, opens: 0, byHandAt: 900 },
  "open": { state: "open", generation: 5, opens: 1, openedAt: 1_000, openMs: 100 },
  "open with a cause": { state: "open", generation: 5, opens: 1, openedAt: 1_000, openMs: 100, cause: CAUSE },
  "open after a release": { state: "open", generation: 5, opens: 1, openedAt: 1_000, openMs: 100, byHandAt: 900 },
  "without a probe": { ...PROBED, probeStartedAt: null },
  "with a probe": { ...PROBED, probeStartedAt: 1_050, cause: CAUSE },
  "with a probe by hand": { ...PROBED, probeStartedAt: 1_050, cause: null, byHandAt: 1_200 },
  "opened 63 times": { ...PROBED, probeStartedAt: 1_050, opens: 63 },
  "opened 64 times": { ...PROBED, probeStartedAt: 1_050, opens: 64 },
  "opened 65 times": { ...PROBED, probeStartedAt: 1_050, opens: 65 },
  "isolated": { state: "isolated", generation: 5, opens: 1, since: 1_000, reason: "maintenance", byHandAt: 1_000 },
};
const SITES = Object.entries(BREAKERS);

/** The ticket of the call that runs, and tickets that differ from it in one number. */
function ticketsOf(breaker: Breaker): readonly Ticket[] {
  const observed = breaker.state === "closed" ? (breaker.observed ?? 0) : 0;
  const own = { generation: breaker.generation, probe: breaker.state === "half-open" ? breaker.probes : 0, observed };
  return [own, { ...own, generation: own.generation - 1 }, { ...own, probe: own.probe - 1 }, { ...own, observed: 7 }];
}

/** Breakers that differ from `breaker` in one fact, which is larger. */
function neighboursOf(breaker: Breaker): readonly (readonly [string, Breaker])[] {
  const facts = Object.entries(breaker).filter(([, value]) => typeof value === "number");
  return facts.map(([key, value]) => [`a larger ${key}`, { ...breaker, [key]: Number(value) + 1 }]);
}

describe("a breaker", () => {
  it("admits calls as the file says, to the millisecond", async () => {
    const times = [999, 1_099, 1_100, 1_101];
    const lines = SITES.flatMap(([name, breaker]) =>
      times.map((now) => line(name, "at", now, admit(breaker, RULE, now))),
    );
    await expectFile("breaker-admits", lines);
  });

  it("counts the end of a call as the file says, whichever ticket the call has", async () => {
    const results = ["success", "failure", "neutral"] as const;
    const lines = SITES.flatMap(([name, breaker]) =>
      ticketsOf(breaker).flatMap((ticket) =>
        results.map((result) => line(name, result, ticket, record(breaker, RULE, ticket, result, 1_100))),
      ),
    );
    await expectFile("breaker-records", lines);
  });

  it("follows a person and a clock that is set as the file says", async () => {
    const lines = SITES.flatMap(([name, breaker]) => [
      line(name, "isolated", isolate(breaker, "repairs", 1_100)),
      line(name, "released", release(breaker, 1_100)),
      line(name, "let probe", letProbe(breaker, 1_100)),
      line(name, "clock set", movedBy(breaker, 25)),
      line(name, "with a cause", withCause(breaker, CAUSE)),
    ]);
    await expectFile("breaker-by-hand", lines);
  });

  it("merges with any other as the file says, and either way round", async () => {
    const lines = SITES.flatMap(([name, own]) =>
      [...SITES, ...neighboursOf(own)].map(([other, breaker]) => {
        const merged = mergeBreakers(own, breaker);
        expect(mergeBreakers(breaker, own)).toEqual(merged);
        return line(name, "and", other, "→", merged === own ? name : other);
      }),
    );
    await expectFile("breaker-merges", lines);
  });

  it("keeps the one it holds when two are equal", () => {
    for (const [, own] of SITES) expect(mergeBreakers(own, { ...own })).toBe(own);
  });

  it("opens for no time at all where its rule says 0, however often it opened", () => {
    const rule = { ...RULE, openMs: 0, growth: 10 };
    const often: Breaker = { ...PROBED, opens: 5_000, probeStartedAt: 1_050 };
    const [ticket] = ticketsOf(often);
    expect(ticket === undefined ? null : record(often, rule, ticket, "failure", 1_100)).toMatchObject({ openMs: 0 });
  });
});

describe("a pause", () => {
  const [busy, gone] = [fault("Overloaded", { message: "busy" }), fault("RateLimited", { message: "slow down" })];
  const pauses: Readonly<Record<string, Pause>> = {
    "none": NO_PAUSE,
    "short": { until: 1_000, fault: busy, liftedAt: 0 },
    "short, of another fault": { until: 1_000, fault: gone, liftedAt: 0 },
    "short, of no fault": { until: 1_000, fault: null, liftedAt: 0 },
    "long": { until: 2_000, fault: busy, liftedAt: 0 },
    "lifted": { until: 0, fault: null, liftedAt: 900 },
    "lifted again": { until: 0, fault: null, liftedAt: 1_500 },
    "asked for after it was lifted": { until: 2_000, fault: gone, liftedAt: 900 },
  };

  it("is extended, lifted and merged as the file says", async () => {
    const shown = ({ until, liftedAt, fault: asked }: Pause): string => line(until, liftedAt, asked?.code ?? "-");
    const lines = Object.entries(pauses).flatMap(([name, pause]) => [
      ...[999, 1_000, 1_001].map((until) => line(name, "until", until, shown(extendPause(pause, until, gone)))),
      ...[899, 900, 999, 1_000, 1_001].map((now) => line(name, "lifted at", now, shown(liftPause(pause, now)))),
      ...Object.entries(pauses).map(([other, held]) => {
        expect(mergePauses(held, pause)).toEqual(mergePauses(pause, held));
        return line(name, "and", other, "→", mergePauses(pause, held) === pause ? name : other);
      }),
    ]);
    await expectFile("pauses", lines);
    for (const pause of Object.values(pauses)) expect(mergePauses(pause, { ...pause })).toBe(pause);
  });

  it("stays the same object when nothing changes", () => {
    const { long = NO_PAUSE } = pauses;
    expect(extendPause(long, long.until, gone)).toBe(long);
    expect(liftPause(long, long.until)).toBe(long);
  });
});

describe("a retry budget", () => {
  it("is earned, spent, borrowed from and shared as the file says", async () => {
    const rule = { capacity: 4, perCall: 0.25, perSecond: 2 };
    const lines = [-4, -3.5, 0, 0.75, 1, 3, 3.875, 4].flatMap((tokens) =>
      [9_000, 10_000, 10_250].flatMap((now) => {
        const budget = { tokens, at: 10_000 };
        return [
          line(tokens, "at", now, "earned", earn(budget, rule, now)),
          line(tokens, "at", now, "spent", spend(budget, rule, now)),
          line(tokens, "at", now, "borrowed", borrow(budget, rule, now)),
          line(tokens, "at", now, "shared", useBudget(budget, rule, { earned: 3, spent: 1 }, now)),
        ];
      }),
    );
    await expectFile("budgets", [...lines, line("none", useBudget(null, rule, { earned: 3, spent: 9 }, 5))]);
  });
});

describe("a chain", () => {
  /** Numbers that only look random, so that the same chains come again. */
  function* choices(seed: number): Generator<number> {
    for (let last = seed; ; last = (last * 1_103_515_245 + 12_345) % 2_147_483_648) yield Math.floor(last / 4_096);
  }
  const SCOPES: readonly FaultScope[] = ["account", "rate", "model", "endpoint", "output", "tool"];

  function chainOf(seed: number): ChainState {
    const numbers = choices(seed * 7_919);
    const pick = <T>(list: readonly [T, ...T[]]): T => list[numbers.next().value % list.length] ?? list[0];
    const targets = Array.from({ length: pick([1, 2, 3, 4, 5]) }, (_, index): Target => ({
      id: `${index}`,
      endpoint: pick(["p", "q"]),
      account: pick(["k", "l"]),
      model: pick(["m", "n"]),
      capabilities: pick([["tools"], ["tools"], []]),
      contextWindowTokens: pick([500, 499, 1_000]),
      available: pick([true, false]),
      backAt: pick([5_000, 6_000, Infinity]),
    }));
    return { targets, current: pick([0, 0, 1, 9]), needs: pick([["tools"], []]), minContextTokens: 500 };
  }

  it("continues, waits and offers others as the file says", async () => {
    const lines = Array.from({ length: 120 }, (_, index) => {
      const chain = chainOf(index + 1);
      const shown = chain.targets.map(({ id, endpoint, account, model, capabilities, ...facts }) =>
        [id, endpoint, account, model, capabilities.length, ...Object.values(facts)].join(""),
      );
      const byScope = SCOPES.map((scope) => {
        const { target, sharesTheFailure, passedOver } = nextTarget(chain, scope);
        const next = `${target?.id ?? "-"}${sharesTheFailure ? "!" : ""}`;
        const others = otherTargets(chain, scope).map(({ id }) => id);
        return `  ${scope} ${next} ${line(passedOver.map(({ id, why }) => `${id} ${why}`))} ${line(others)}`;
      });
      const { current, needs } = chain;
      return [line(shown.join(" "), current, needs, "back:", firstBack(chain)?.id ?? "-"), ...byScope].join("\n");
    });
    await expectFile("chains", lines);
  });
});

describe("a decision", () => {
  const story = { row: { layer: "matrix", at: "x" }, considered: [], passedOver: [], preferred: null } as const;
  const retry = { ...story, recourse: "retry", delayMs: 1_500, maxAttempts: 3 } as const;
  const decisions: readonly Decision[] = [
    ...[2, 3].flatMap((attempt) =>
      [true, false].flatMap((serverWait) => [
        { ...retry, attempt, serverWait, left: [] },
        { ...retry, attempt, serverWait, left: ["fallback" as const] },
        { ...retry, attempt, serverWait, left: ["fallback" as const, "fail" as const] },
      ]),
    ),
    { ...story, left: [], recourse: "fallback", target: "b" },
    { ...story, left: ["skip"], recourse: "fallback", target: "b", preferred: "fallback" },
    { ...story, left: ["skip", "fail"], recourse: "alternative", tool: "b" },
    { ...story, left: [], recourse: "park", wakeAt: 90_000_000 },
    {
      ...story,
      left: [],
      recourse: "ask",
      question: "Approve",
      considered: [{ recourse: "retry", refused: "deadline" }],
    },
    { ...story, left: [], recourse: "fail" },
  ];

  it.each(["en", "zh-CN"] as const)("is explained in %s as the file says", async (locale) => {
    const words = RECOURSES.map((one) => line(one, recourseWord(one, locale), recourseStep(one, locale)));
    const explained = decisions.map((decision) => {
      const { what, why, next } = explain(decision, locale);
      return [what, ...why, next].join(" | ");
    });
    await expectFile(`explained.${locale}`, [...explained, ...words, recourseWord("unheard-of", locale)]);
  });
});
