// A session with its own policy runs on the same runtime: decisions about its calls differ, and everything else is shared.

import { describe, expect, it } from "vitest";
import { PRESETS, withRows } from "../../../src/core/index.ts";
import { EXTENSION_CONTRACT } from "../../../src/runtime/extension/extension.ts";
import {
  defineExtension,
  fault,
  FaultError,
  type Policy,
  type PolicyRow,
  type Tool,
  tool,
  type Turn,
} from "../../../src/index.ts";
import { life } from "./life.ts";

const ONCE: Policy = withRows(PRESETS.default, [
  { match: { code: ["ToolUnavailable"] }, retry: null, then: ["fail"], origin: { layer: "file", at: "once" } },
]);

function dead(): { readonly tool: Tool<null, never>; readonly runs: () => number } {
  let runs = 0;
  const down: Tool<null, never> = tool({
    id: "down",
    idempotent: true,
    run: (): never => {
      runs += 1;
      throw new FaultError(fault("ToolUnavailable"));
    },
  });
  return { tool: down, runs: () => runs };
}

describe("a session's own policy", () => {
  it("decides about its calls and no other session's", async () => {
    const { fl, clock } = life();
    const { tool: down, runs } = dead();
    const strict = await fl.session("strict", { policy: ONCE });
    const usual = await fl.session("usual");
    expect(await clock.runUntil(strict.protect(down, null))).toMatchObject({ status: "failed", attempts: 1 });
    expect(await clock.runUntil(usual.protect(down, null))).toMatchObject({ attempts: 5 });
    expect(runs()).toBe(6);
  });

  it("uses a stage's rows in that stage alone, not in a program's own turn with a name like an attempt of it", async () => {
    const { fl, clock } = life();
    const { tool: down } = dead();
    const row: PolicyRow = {
      ...{ match: { code: ["ToolUnavailable"], stage: ["review"] }, retry: null, then: ["fail"] },
      origin: { layer: "file", at: "review" },
    };
    const session = await fl.session("own", { policy: withRows(PRESETS.default, [row]) });
    const attempts: (number | undefined)[] = [];
    const body = async (turn: Turn): Promise<void> => void attempts.push((await turn.protect(down, null)).attempts);
    const writes = { events: [], keeps: [] };
    await clock.runUntil(session.turn(body, { id: "review#1.1" }));
    const ofStage = { stage: "review", opening: writes, closing: () => Promise.resolve(writes) };
    await clock.runUntil(session.turn(body, { id: "review#1.2" }, ofStage));
    expect(attempts).toEqual([5, 1]);
  });

  it("may be a preset's name, and an unknown preset is refused by name", async () => {
    const { fl } = life();
    await fl.session("eager", { policy: "eager" });
    await expect(fl.session("odd", { policy: "odd" as "eager" })).rejects.toThrow(
      /policy is "odd"; it must be a preset/,
    );
  });

  it.each(["strict first", "usual first"])("shares the breaker of a target with other policies: %s", async (order) => {
    const { fl, clock } = life();
    const { tool: down, runs } = dead();
    const strict = await fl.session("strict", { policy: ONCE });
    const usual = await fl.session("usual");
    const [breaking, meeting] = order === "strict first" ? [strict, usual] : [usual, strict];
    for (let call = 0; call < 5; call++) await clock.runUntil(breaking.protect(down, null));
    expect(fl.targets()).toMatchObject([{ target: "down", breaker: "open" }]);
    const before = runs();
    expect(await clock.runUntil(meeting.protect(down, null))).toMatchObject({ fault: { code: "CircuitOpen" } });
    expect(runs()).toBe(before);
  });

  it("keeps the rows that extensions contribute", async () => {
    const alone: PolicyRow = {
      match: { code: ["ToolUnavailable"] },
      retry: null,
      then: ["surface"],
      origin: { layer: "adapter", at: "cautious" },
    };
    const cautious = defineExtension({
      name: "cautious",
      contractVersion: EXTENSION_CONTRACT,
      setup: (host) => host.policyRows([alone]),
    });
    const { fl, clock } = life({ extensions: [cautious] });
    const { tool: down } = dead();
    const eager = await fl.session("eager", { policy: "eager" });
    expect(await clock.runUntil(eager.protect(down, null))).toMatchObject({ status: "surfaced", attempts: 1 });
  });
});
