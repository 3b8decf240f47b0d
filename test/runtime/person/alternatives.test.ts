// A person who has to choose gets the real alternatives: targets of the chain and declared tools that can do the work.

import { describe, expect, it } from "vitest";
import { DEFAULT_POLICY, FAULT_CODES, withRows } from "../../../src/core/index.ts";
import { fault, type Question, tool, type Tool, traitsOf } from "../../../src/index.ts";
import { otherTargets, type Target } from "../../../src/core/decide/fallback.ts";
import { payloadFor } from "../../../src/core/flow/question-words.ts";
import { scriptedInteractor } from "../../../src/testing/scripted-interactor.ts";
import { fails, life, lifeOn, newPath } from "../session/life.ts";

const ASKING = withRows(DEFAULT_POLICY, [
  {
    match: { tool: ["ocr"] },
    retry: null,
    then: ["ask", "alternative", "fail"],
    origin: { layer: "file", at: "test" },
  },
]);
const other = tool<string, string>({ id: "ocr-b", run: (text) => `read ${text}` });
const lacking: Tool<string, string> = tool<string, string>({
  id: "ocr",
  run: fails("MissingModality"),
  alternatives: [other],
});

function idsOf({ payload }: Question): readonly string[] {
  return payload.kind === "Select" ? payload.options.map(({ id }) => id) : [];
}

describe("a missing capability", () => {
  it("asks a person and offers the declared alternative, which then does the work", async () => {
    const ada = scriptedInteractor("ada", [{ status: "accepted", value: "use:ocr-b" }]);
    const { fl, clock } = life({ policy: ASKING, interactors: [ada] });
    const session = await clock.runUntil(fl.session("s"));
    const outcome = await clock.runUntil(session.protect(lacking, "scan.png"));
    expect(ada.asked.map(idsOf)).toEqual([["use:ocr-b", "fail"]]);
    expect(outcome).toMatchObject({ status: "done", value: "read scan.png", from: "ocr-b" });
  });

  it("that is answered later by another program continues with the chosen tool", async () => {
    const path = newPath();
    const first = await lifeOn(path, { policy: ASKING });
    const session = await first.clock.runUntil(first.fl.session("s", { mode: "headless" }));
    const waiting = await first.clock.runUntil(session.protect(lacking, "scan.png", { id: "read" }));
    expect(waiting).toMatchObject({ status: "waiting" });
    const next = await lifeOn(path, { policy: ASKING, startAt: 9_000_000 });
    const [question] = await next.clock.runUntil(next.fl.questions());
    expect(
      await next.clock.runUntil(next.fl.answer(question?.id ?? "", { status: "accepted", value: "use:ocr-b" })),
    ).toBe(true);
    const again = await next.clock.runUntil(next.fl.session("s", { mode: "headless" }));
    expect(await next.clock.runUntil(again.protect(lacking, "scan.png", { id: "read" }))).toMatchObject({
      status: "done",
      from: "ocr-b",
    });
  });

  it("offers no tool that the call has already tried", async () => {
    const ada = scriptedInteractor("ada", [
      { status: "accepted", value: "use:ocr-b" },
      { status: "accepted", value: "fail" },
    ]);
    const b = tool<string, string>({ id: "ocr-b", run: fails("MissingModality") });
    const a = tool<string, string>({ id: "ocr", run: fails("MissingModality"), alternatives: [b] });
    const both = withRows(DEFAULT_POLICY, [
      { match: {}, retry: null, then: ["ask", "alternative", "fail"], origin: { layer: "file", at: "test" } },
    ]);
    const { fl, clock } = life({ policy: both, interactors: [ada] });
    const session = await clock.runUntil(fl.session("s"));
    expect(await clock.runUntil(session.protect(a, "scan.png"))).toMatchObject({ status: "failed" });
    expect(ada.asked.map(idsOf)).toEqual([
      ["use:ocr-b", "fail"],
      ["retry", "fail"],
    ]);
  });
});

describe("targets that a person may choose", () => {
  const target = (id: string, over: Partial<Target> = {}): Target => ({
    ...{ id, endpoint: id, account: "key", model: id, capabilities: ["vision"], contextWindowTokens: 1_000 },
    ...{ available: true, backAt: 0, ...over },
  });
  const failed = target("a", { capabilities: [] });

  it.each([
    ["has the capability", target("b"), true],
    ["lacks the capability", target("b", { capabilities: ["tools"] }), false],
    ["has too small a window", target("b", { contextWindowTokens: 10 }), false],
    ["is paused, which a person may overrule", target("b", { available: false, backAt: 5 }), true],
    ["is the failed one under another name", { ...failed, id: "b", capabilities: ["vision"] }, false],
  ])("one that %s", (_, one, isOffered) => {
    const chain = { targets: [failed, one], current: 0, needs: ["vision"], minContextTokens: 100 };
    expect(otherTargets(chain, "model").map(({ id }) => id)).toEqual(isOffered ? ["b"] : []);
  });

  it("exclude targets that are certain to fail the same way", () => {
    const same = target("b", { endpoint: "a", account: "key" });
    const chain = { targets: [target("a"), same, target("c")], current: 0, needs: [], minContextTokens: 0 };
    expect(otherTargets(chain, "account").map(({ id }) => id)).toEqual(["c"]);
  });
});

describe("a question to a person", () => {
  const asked = { tool: "t", schema: { type: "object" }, others: ["b"], canSkip: false };

  it.each(FAULT_CODES)(
    "about %s names the alternatives or carries the schema, where its kind of question can",
    (code) => {
      const { asks } = traitsOf(code);
      const payload = payloadFor(asks, { ...asked, fault: fault(code) }, "en");
      if (payload.kind === "Select") expect(payload.options[0]).toEqual({ id: "use:b", label: "Use b instead" });
      if (payload.kind === "Ask") expect(payload.schema).toEqual({ type: "object" });
      expect(payload.kind === asks || asks === "Auth.DeviceCode").toBe(true);
    },
  );

  it("about a wrong input is an Ask; about a missing capability it is a Select", () => {
    for (const code of ["InputInvalid", "NotFound"] as const) expect(traitsOf(code).asks).toBe("Ask");
    const lacks = FAULT_CODES.filter((code) => traitsOf(code).cause === "capability-missing");
    expect(lacks.length).toBeGreaterThan(3);
    for (const code of lacks) expect(traitsOf(code).asks).toBe("Select");
  });

  it("omits a schema that is too long to show", () => {
    const schema = { type: "object", description: "x".repeat(20_000) };
    expect(payloadFor("Ask", { ...asked, schema, fault: fault("InputInvalid") }, "en")).not.toHaveProperty("schema");
  });
});
