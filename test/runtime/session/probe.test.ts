import { expect, it } from "vitest";
import { tool, step, exportSession, importSession, createRedactor, type Keep } from "../../../src/index.ts";
import * as L from "./life.ts";

it("manifest + export", async () => {
  const path = L.newPath();
  const { fl, clock, journal } = await L.lifeOn(path);
  const s = await clock.runUntil(fl.session("s", { mode: "headless" }));
  const ok = tool<object, string>({ id: "ok", run: () => "x" });
  const denied = tool<object, string>({ id: "denied", run: L.fails("AccessDenied") });
  const r = await clock.runUntil(s.turn({ a: step(ok, {}), b: step(denied, {}) }));
  console.log(JSON.stringify((await L.eventsOf(journal, "s"))[0]), r.status, r.questions);
  const lines: string[] = [];
  for await (const l of exportSession(journal, "s", { redactor: createRedactor(), includeResults: true })) lines.push(l);
  console.log(lines.join("\n"));
  const o = await L.lifeOn(L.newPath());
  console.log(await o.clock.runUntil(importSession(o.journal, lines, { adopt: true }).catch((e: unknown) => String(e))));
});

it("body that throws at once", async () => {
  const { fl, clock } = L.life();
  const s = await clock.runUntil(fl.session("s"));
  const r = await clock.runUntil(s.turn(() => { throw new Error("x"); }).catch((e: unknown) => ["rejected", e]));
  console.log(r);
});
it("cancel with hung body", async () => {
  const { fl, clock } = L.life();
  const s = await clock.runUntil(fl.session("s"));
  const hang = tool<object, string>({ id: "hang", run: () => L.never<string>() });
  const t = s.turn(async (turn) => { await turn.protect(hang, {}); await L.never(); });
  await clock.advance(0);
  await clock.runUntil(s.cancel("x").then(() => console.log("cancelled")).catch(console.log)).catch(console.log);
});
it("result order", async () => {
  const { fl, clock } = L.life();
  const s = await clock.runUntil(fl.session("s"));
  const slow = tool<number, number>({ id: "slow", run: (ms) => new Promise((r) => clock.after(ms, () => r(ms))) });
  console.log(Object.keys((await clock.runUntil(s.turn({ a: step(slow, 300), b: step(slow, 100), c: step(slow, 200) }))).outcomes));
  console.log(await clock.runUntil(s.turn((t) => t.run({ a: step(slow, 300) }, { maxParallel: 0 }))));
});
it("bigint", async () => {
  const { fl, clock } = L.life();
  const s = await clock.runUntil(fl.session("s"));
  const big = tool<object, bigint>({ id: "big", run: () => 10n });
  const ok = tool<object, string>({ id: "ok", run: () => "x" });
  console.log(await clock.runUntil(s.turn({ a: step(big, {}) })).catch(e => e));
  console.log(await clock.runUntil(s.turn({ a: step(ok, {}) })).catch(e => e));
});
it("protect after end", async () => {
  const { fl, clock, journal } = L.life();
  const s = await clock.runUntil(fl.session("s"));
  const ok = tool<object, string>({ id: "ok", run: () => "x" });
  await clock.runUntil(s.end());
  console.log(await clock.runUntil(s.protect(ok, {})), (await L.eventsOf(journal, "s")).map(e => e.type));
});
it("late money", async () => {
  const { fl, clock, journal } = L.life();
  const s = await clock.runUntil(fl.session("s"));
  let fin: (x: string) => void = () => undefined;
  const slow = tool<object, string>({ id: "slow", timeoutMs: 1000, retry: "none", cost: { estimate: () => 800 }, run: (_i, { cost }) => { cost(300); return new Promise(r => fin = r); } });
  const p = s.protect(slow, {}); await clock.advance(2000); await clock.runUntil(p);
  console.log(s.spending); fin("x"); await clock.advance(0); console.log(s.spending);
});
