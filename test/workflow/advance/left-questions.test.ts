// A question that is no longer needed is not left open.

import { expect, it } from "vitest";
import { stage } from "../../../src/workflow/define.ts";
import { engineWorld, STORES, thrown } from "../../support/engine-world.ts";

it.each(STORES)(
  "a gate that fails before it takes its answer leaves neither question nor answer, in %s",
  async (store) => {
    let setups = 0;
    const { go, advance, runs, clock, journal } = await engineWorld(
      {
        id: "gate",
        stages: {
          a: stage({
            setup: () => {
              setups += 1;
              if (setups > 1) throw thrown("NotFound");
            },
            act: (_request, { ask }) => ask({ payload: { kind: "Confirm", prompt: "go on?" }, timeoutMs: null }),
          }),
        },
      },
      { store },
    );
    const paused = await go();
    expect(await journal.keptAll("question")).toHaveLength(1);
    await clock.runUntil(runs.answer(paused.questions[0]?.id ?? "", { status: "accepted", value: true }, "ada"));
    expect(await advance(paused.run)).toMatchObject({ status: "failed", fault: { code: "NotFound" } });
    expect([await journal.keptAll("question"), await journal.keptAll("answer")]).toEqual([[], []]);
  },
);
