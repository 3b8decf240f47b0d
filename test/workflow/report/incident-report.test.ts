// The incident report of a run, page by page, in both languages. `npx vitest run test/workflow/report/incident-report.test.ts --update` writes the pages again.

import { describe, expect, it } from "vitest";
import {
  createFaultline,
  createMemoryJournal,
  FaultError,
  step,
  type Tool,
  tool,
  type Turn,
} from "../../../src/index.ts";
import type { Locale } from "../../../src/core/index.ts";
import { createFakeClock } from "../../../src/testing/fake-clock.ts";
import { createSeededChance } from "../../../src/testing/seeded-chance.ts";
import { stage } from "../../../src/workflow/define.ts";
import { createRuns } from "../../../src/workflow/runs.ts";
import { APPROVE, type EngineWorld, engineWorld, thrown, worker, YES } from "../../support/engine-world.ts";

const LANGUAGES: readonly Locale[] = ["en", "zh-CN"];

/** Fails as often as the list says, then answers. */
function flaky(id: string, fails: readonly Parameters<typeof thrown>[]): Tool<unknown, string> {
  let tries = 0;
  return tool({
    id,
    idempotent: true,
    cost: { estimate: () => 2_000_000 },
    run: () => {
      const failure = fails[tries++];
      if (failure !== undefined) throw thrown(...failure);
      return "done";
    },
  });
}

/** A stage whose call fails ends with the fault of that call. */
async function use(turn: Turn, work: ReturnType<typeof flaky>): Promise<unknown> {
  const outcome = await turn.protect(work, {});
  if (outcome.status === "done") return outcome.value;
  // A turn that waits ends here, whatever its body does.
  throw new FaultError(outcome.fault);
}

interface Case {
  readonly name: string;
  readonly run: () => Promise<{ readonly world: EngineWorld; readonly run: string }>;
}

const CASES: readonly Case[] = [
  {
    name: "failed",
    run: async () => {
      const review = flaky("review", [
        ["ResourceBusy", { message: "the index is being rebuilt" }],
        ["ExecutionFailed", { message: "exit 3: assertion `a | b` failed at /srv/app/review.ts:7:3" }],
        ["ExecutionFailed", { message: "exit 3: <b>again</b>" }],
      ]);
      const world = await engineWorld({
        id: "team",
        stages: {
          code: stage({ act: () => "code" }),
          review: stage({
            retryPolicy: { maxAttempts: 2 },
            idempotent: true,
            act: (_request, { turn }) => use(turn, review),
          }),
        },
      });
      return { world, run: (await world.go()).run };
    },
  },
  {
    name: "recovered",
    run: async () => {
      const search = flaky("search", [["RateLimited", { retryAfterMs: 1_500 }], ["ToolUnavailable"]]);
      const world = await engineWorld({
        id: "find",
        stages: { search: stage({ act: (_request, { turn }) => use(turn, search) }) },
      });
      return { world, run: (await world.go()).run };
    },
  },
  {
    name: "parked",
    run: async () => {
      const quota = flaky("model", [["QuotaExhausted", { retryAfterMs: 7_200_000, message: "monthly quota is used" }]]);
      const world = await engineWorld({
        id: "wait",
        stages: { ask: stage({ act: (_request, { turn }) => use(turn, quota) }) },
      });
      return { world, run: (await world.go()).run };
    },
  },
  {
    name: "cancelled",
    run: async () => {
      const world = await engineWorld({
        id: "gate",
        stages: {
          gate: stage({
            act: (_request, { ask }) => ask({ payload: { ...APPROVE, prompt: "Ship it?" }, timeoutMs: null }),
          }),
        },
      });
      const { run } = await world.go();
      await world.clock.runUntil(world.runs.cancel(run, "ann"));
      await world.advance(run);
      return { world, run };
    },
  },
  {
    name: "superseded",
    run: async () => {
      const build = flaky("build", [["ExecutionFailed", { message: "disk full" }]]);
      const world = await engineWorld({
        id: "build",
        stages: {
          build: stage({ act: (_request, { turn }) => use(turn, build) }),
          gate: stage({
            act: (_request, { ask }) => ask({ payload: { ...APPROVE, prompt: "Ship it?" }, timeoutMs: null }),
          }),
        },
      });
      const { run } = await world.go();
      const { run: successor } = await world.clock.runUntil(world.runs.act(run, "retry-stage", { by: "bob" }));
      const { questions } = await world.advance(successor);
      await world.clock.runUntil(world.runs.answer(questions[0]?.id ?? "", YES, "carol"));
      await world.advance(successor);
      const { markdown } = await world.clock.runUntil(world.runs.report(successor));
      await expect(markdown).toMatchFileSnapshot("incident-reports/successor.en.txt");
      return { world, run };
    },
  },
];

describe("an incident report", () => {
  it.each(CASES)("of a run that is $name", async ({ name, run: play }) => {
    const { world, run } = await play();
    for (const locale of LANGUAGES) {
      const { markdown } = await world.clock.runUntil(world.runs.report(run, { locale }));
      await expect(markdown).toMatchFileSnapshot(`incident-reports/${name}.${locale}.txt`);
    }
  });

  it("of a plain session says the same about its calls", async () => {
    const clock = createFakeClock(1_000_000);
    const chance = createSeededChance(7);
    const journal = createMemoryJournal({ clock, chance });
    const fl = createFaultline({ journal, clock, chance });
    const session = await clock.runUntil(fl.session("order-7"));
    await clock.runUntil(session.turn({ search: step(flaky("search", [["ResourceBusy"], ["Forbidden"]]), {}) }));
    await clock.runUntil(session.end());
    const runs = createRuns({ workflows: [], worker: worker(), clock, chance, journal });
    const { incident, markdown } = await clock.runUntil(runs.report("order-7"));
    expect(incident).toMatchObject({ kind: "session", workflow: "", costs: [{ attempts: 2, failed: 2 }] });
    await expect(markdown).toMatchFileSnapshot("incident-reports/session.en.txt");
    await expect(clock.runUntil(runs.report("nobody"))).rejects.toThrow(FaultError);
  });
});
