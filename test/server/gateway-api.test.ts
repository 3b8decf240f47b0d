// What the server shows of its gateway: keys, budgets, routes with the health of their targets, spend and calls.

import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { startChaos } from "../../src/chaos/start-chaos.ts";
import { createClient } from "../../src/client/index.ts";
import { STOPPING } from "../../src/gateway/ledger/call-ending.ts";
import type { LedgerLine } from "../../src/gateway/ledger/ledger-line.ts";
import { type Entry, openJournal } from "../../src/index.ts";
import type { Keep } from "../../src/journal/journal.ts";
import type { ServerOptions } from "../../src/server/options.ts";
import { ANSWER, ask, DIALECTS, PROMPT } from "../gateway/dialect-clients.ts";
import { runCli } from "../support/run-cli.ts";
import { journalPath, startWorld, type ServerWorld } from "./world.ts";

const OPS = "ops-key-0123456789abcdef";
const SECRET = "ci-key-0123456789abcdef";
const headers = { authorization: `Bearer ${SECRET}` };

async function gatewayOptions(more = ""): Promise<Partial<ServerOptions>> {
  const rules = [{ when: { model: "gpt-4o" }, fault: "unavailable" as const }];
  const chaos = await startChaos({ scenario: { rules } });
  onTestFinished(() => chaos.close());
  const folder = mkdtempSync(join(tmpdir(), "faultline-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "gateway.faultline.yaml");
  writeFileSync(
    file,
    `version: 1
targets:
  one: { dialect: openai-chat, base_url: "${chaos.openaiUrl}" }
  two: { dialect: anthropic-messages, base_url: "${chaos.anthropicUrl}", region: eu }
routes:
  team: { chain: [one/gpt-4o, two/claude-sonnet-4-5] }
  spare-*: { chain: [two], mid_stream: restart }
keys:
  ci: { key_env: CI_KEY, routes: [team], budget: { per_day_usd: 2 } }
  ops: { key_sha256: "${createHash("sha256").update(OPS).digest("hex")}" }
${more}
`,
  );
  return { gateway: file, env: { ...process.env, CI_KEY: SECRET }, drive: false };
}

async function gatewayWorld(more = ""): Promise<ServerWorld> {
  return startWorld(await gatewayOptions(more));
}

it("shows keys with their budgets, routes with their targets, what was spent, and every call with its decisions", async () => {
  const world = await gatewayWorld();
  for (const dialect of DIALECTS) expect((await ask(world.url, dialect, { headers })).text).toBe(ANSWER);
  await expect.poll(async () => (await world.viewer.listGatewayCalls()).items.length).toBe(4);
  const sick = (await world.viewer.listTargets()).items.find(({ tools }) => tools.includes("one/gpt-4o"));
  await world.operator.isolateTarget({ params: { target: sick?.target ?? "" }, body: { reason: "it is down" } });
  const shown = await world.viewer.showGateway();
  expect(shown.keys).toMatchObject([
    {
      ...{ name: "ci", routes: ["team"], regions: null, otherPaths: false },
      budgets: [{ window: { id: "day", label: "today" }, limitMicrocents: 200_000_000, state: { id: "fine" } }],
    },
    { name: "ops", routes: null, otherPaths: true, budgets: [] },
  ]);
  const [budget] = shown.keys[0]?.budgets ?? [];
  expect(budget?.spentMicrocents).toBeGreaterThan(0);
  expect(shown.routes).toMatchObject([
    {
      name: "team",
      steps: [
        { name: "one/gpt-4o", dialects: ["openai-chat"], state: { id: "isolated" } },
        { name: "two/claude-sonnet-4-5", region: "eu", state: { id: "in-service", label: "In service" } },
      ],
    },
    { name: "spare-*", midStream: "restart", steps: [{ name: "two", state: { id: "in-service" } }] },
  ]);
  const { items } = await world.viewer.listGatewayCalls();
  const { length: failed } = items
    .flatMap(({ decisions }) => decisions)
    .filter(({ target, attempt }) => target === "one/gpt-4o" && attempt > 0);
  const spend = async () => (await world.viewer.showGateway()).spend;
  // The sums are written beside the calls, not before them.
  await expect.poll(spend).toMatchObject({
    total: { calls: 4, failed: 0, microcents: budget?.spentMicrocents },
    byKey: [{ name: "ci", calls: 4 }],
    byTarget: [
      { name: "two/claude-sonnet-4-5", calls: 4, failed: 0 },
      { name: "one/gpt-4o", calls: failed, failed, microcents: 0 },
    ],
  });
  const { byDay } = await spend();
  expect([byDay.length, byDay.at(-1)]).toMatchObject([14, { calls: 4 }]);
  const first = items.at(-1);
  expect(first).toMatchObject({
    ...{ key: "ci", route: "team", model: "team", target: "two/claude-sonnet-4-5", state: { id: "completed" } },
    decisions: [
      { id: `${first?.call}#1`, target: "one/gpt-4o", attempt: 1, code: "Overloaded", recourse: "retry" },
      { id: `${first?.call}#2`, target: "one/gpt-4o", attempt: 2, recourse: "fallback" },
    ],
  });
  expect(JSON.stringify([shown, items])).not.toContain(SECRET);
  expect(JSON.stringify(items)).not.toMatch(/north|You said/);
});

it("counts each attempt of a call once in its metrics, also after the call is in the journal", async () => {
  const world = await gatewayWorld();
  await ask(world.url, "openai-chat", { headers });
  // The journal has it now.
  await expect.poll(async () => (await world.viewer.listFaultGroups()).items.length).toBe(1);
  const text = await (await world.send("/metrics")).text();
  const counted = (name: string, labels: string): number =>
    Number(text.split(`${name}_total{${labels}} `)[1]?.split("\n")[0]);
  expect({
    failed: counted("faultline_attempts", 'tool="one/gpt-4o",outcome="failed"'),
    succeeded: counted("faultline_attempts", 'tool="two/claude-sonnet-4-5",outcome="succeeded"'),
    retries: counted("faultline_retries", 'tool="one/gpt-4o"'),
    fallbacks: counted("faultline_fallbacks", 'from="one/gpt-4o",to="two/claude-sonnet-4-5"'),
  }).toEqual({ failed: 2, succeeded: 1, retries: 1, fallbacks: 1 });
});

it("names a target as the gateway's file does, also if only another process has used it", async () => {
  const options = await gatewayOptions();
  const user = await startWorld(options);
  await ask(user.url, "openai-chat", { headers });
  const used = (await user.viewer.listTargets()).items.find(({ tools }) => tools.includes("one/gpt-4o"));
  await user.operator.isolateTarget({ params: { target: used?.target ?? "" }, body: { reason: "it is down" } });
  const other = await startWorld({ ...options, journal: user.journalFile });
  const named = { target: used?.target, name: "one/gpt-4o", tools: [] };
  expect((await other.viewer.listTargets()).items).toContainEqual(expect.objectContaining(named));
  expect((await other.viewer.overview()).targets).toContainEqual(expect.objectContaining(named));
});

it("says how each call ended, and why a target was not asked", async () => {
  const world = await gatewayWorld();
  const ended = async (count: number) => {
    await expect.poll(async () => (await world.viewer.listGatewayCalls()).items.length).toBe(count);
    return (await world.viewer.listGatewayCalls()).items[0];
  };
  await ask(world.url, "openai-chat", { headers });
  expect(await ended(1)).toMatchObject({ attempts: 3, says: "A target answered in the end. The decisions say how." });
  const sick = (await world.viewer.listTargets()).items.find(({ tools }) => tools.includes("one/gpt-4o"));
  await world.operator.isolateTarget({ params: { target: sick?.target ?? "" }, body: { reason: "it is down" } });
  const past = await ask(world.url, "openai-chat", { headers });
  expect(past.headers.get("x-faultline-decisions")).toBe(`${past.headers.get("x-faultline-call")}#1=fallback`);
  expect(await ended(2)).toMatchObject({
    ...{ attempts: 1, target: "two/claude-sonnet-4-5", says: "A target answered in the end. The decisions say how." },
    decisions: [{ target: "one/gpt-4o", attempt: 0, code: "CircuitOpen", recourse: "fallback" }],
  });
  await world.operator.resetTarget({ params: { target: sick?.target ?? "" } });
  await ask(world.url, "openai-chat", { headers, body: { max_tokens: 100_000_000 } });
  expect(await ended(3)).toMatchObject({
    ...{ attempts: 0, target: null, says: "No target was asked.", fault: { code: "BudgetExceeded" } },
    decisions: [{ attempt: 0, code: "BudgetExceeded" }],
  });
});

it("tells a call whose cost is not known from one that cost nothing", async () => {
  const world = await gatewayWorld();
  const ops = { authorization: `Bearer ${OPS}` };
  const models = ["two/house-model", "two/claude-sonnet-4-5"];
  for (const model of models) expect((await ask(world.url, "openai-chat", { headers: ops, model })).status).toBe(200);
  await expect.poll(async () => (await world.viewer.listGatewayCalls()).items.length).toBe(2);
  const { items } = await world.operator.listGatewayCalls();
  expect(items.map(({ isUnpriced, microcents }) => [isUnpriced, microcents === 0])).toEqual([
    [false, false],
    [true, true],
  ]);
  const byKey = async () => (await world.operator.showGateway()).spend.byKey;
  // The sums are written beside the calls, not before them.
  await expect.poll(byKey).toMatchObject([{ name: "ops", calls: 2, unpriced: 1 }]);
});

/** A journal with these calls in its ledger, the oldest first. */
async function journalWith(lines: readonly Partial<LedgerLine>[]): Promise<string> {
  const file = journalPath();
  const journal = await openJournal(file);
  const pages = lines.map((line, index): Keep => {
    const at = Date.now() - 60_000 + index;
    return {
      kind: "ledger",
      key: `page-${index}`,
      value: { at, lines: [{ ...LINE, call: `call_${index}`, at, ...line }] },
    };
  });
  await journal.keep(pages);
  await journal.close();
  return file;
}

const LINE: Omit<LedgerLine, "call" | "at"> = {
  ...{ tookMs: 5, key: "ci", route: "team", dialect: "openai-chat", model: "team", target: "two/claude-sonnet-4-5" },
  ...{ attempts: 1, status: "done", code: null, microcents: 0, isExact: true, omitted: [], decisions: [] },
};

it("says of a call without decisions what ended it, in both languages", async () => {
  const journal = await journalWith([
    {},
    { target: null, attempts: 0, status: "failed", code: "BudgetExceeded" },
    { target: null, status: "failed", code: "Overloaded" },
    { target: null, status: "cancelled", code: "CallCancelled" },
    { target: null, status: "cancelled", code: STOPPING.code },
  ]);
  const world = await startWorld({ ...(await gatewayOptions()), journal });
  const says = async (language: "en" | "zh-CN") => {
    const client = createClient({ baseUrl: world.url, token: world.tokens.viewer, language });
    return (await client.listGatewayCalls()).items.map((call) => call.says).toReversed();
  };
  expect(await says("en")).toEqual([
    "The first attempt answered.",
    "No target was asked.",
    "No target gave a whole answer.",
    "The client left before it had the whole answer.",
    "The gateway stopped before the client had the whole answer.",
  ]);
  expect(await says("zh-CN")).toEqual([
    "第一次尝试即得到回答。",
    "没有询问任何目标。",
    "没有目标给出完整的回答。",
    "客户端在收到完整回答之前已离开。",
    "网关在客户端收到完整回答之前已停止。",
  ]);
});

it("finds a call by the id that its client got, or by that of a decision: on the page, in the search, and with explain", async () => {
  const world = await gatewayWorld();
  const call = (await ask(world.url, "openai-chat", { headers })).headers.get("x-faultline-call") ?? "";
  await expect.poll(async () => (await world.viewer.listFaultGroups()).items.length).toBe(1);
  for (const id of [call, `${call}#1`, `${call}#2=fallback`]) {
    expect((await world.viewer.lookUp({ query: { id } })).found).toEqual({ kind: "gateway-call", call });
    expect(await world.viewer.showGatewayCall({ params: { call: id } })).toMatchObject({
      call,
      attempts: 3,
      kept: null,
    });
  }
  const explain = async (id: string) => runCli(["explain", id, "--journal", world.journalFile, "--json"]);
  const faults = async (id: string) => (JSON.parse((await explain(id)).stdout) as { faults: unknown }).faults;
  const [first, second] = [1, 2].map((count) => ({ event: "call-failed", id: `${call}#${count}`, code: "Overloaded" }));
  expect(await faults(call)).toMatchObject([first, second]);
  expect(await faults(`${call}#2`)).toMatchObject([second]);
  const other = `${call}0`;
  expect((await world.viewer.lookUp({ query: { id: other } })).found).toBeNull();
  await expect(world.viewer.showGatewayCall({ params: { call: other } })).rejects.toMatchObject({
    problem: { status: 404 },
  });
  for (const id of [other, "call_0123456789", `${call}#x`])
    expect(await explain(id)).toMatchObject({
      exit: "usage",
      stderr: expect.stringContaining("No failure is recorded") as string,
    });
});

it("finds an old call behind many others, and explains one that was cut off from the ledger alone", async () => {
  const call = "call_0123456789abcdef.7";
  const lines = Array.from({ length: 250 }, () => ({}));
  const old = { call, target: null, status: "cancelled", code: STOPPING.code };
  const journal = await journalWith([old, ...lines]);
  const world = await startWorld({ ...(await gatewayOptions()), journal });
  expect(await world.viewer.showGatewayCall({ params: { call } })).toMatchObject({ call, state: { id: "cancelled" } });
  const { items } = await world.viewer.listGatewayCalls({ query: { state: "cancelled" } });
  expect(items.map((one) => one.call)).toEqual([call]);
  const { stdout } = await runCli(["explain", call, "--journal", journal]);
  expect(stdout).toContain(STOPPING.code);
});

it("shows the same states as the list of targets, also those that only the journal knows", async () => {
  const options = await gatewayOptions();
  const first = await startWorld(options);
  for (const dialect of DIALECTS) await ask(first.url, dialect, { headers });
  const listed = (await first.viewer.listTargets()).items;
  const sick = listed.find(({ tools }) => tools.includes("one/gpt-4o"));
  await first.operator.isolateTarget({ params: { target: sick?.target ?? "" }, body: { reason: "it is down" } });
  await first.server.close();
  // The next server has not called any target yet.
  const next = await startWorld({ ...options, journal: first.journalFile });
  const [known] = (await next.viewer.listTargets()).items;
  expect(known).toMatchObject({ target: sick?.target, state: { id: "isolated" }, usedAt: null });
  const [team] = (await next.viewer.showGateway()).routes;
  expect(team?.steps[0]).toMatchObject({ name: "one/gpt-4o", state: known?.state, says: known?.says });
});

it("shows a target that a route asks for any model as in service, and names the models that are not", async () => {
  const world = await gatewayWorld();
  const all = { authorization: `Bearer ${OPS}` };
  for (const model of ["spare-1", "spare-2", "two/other"])
    await ask(world.url, "anthropic-messages", { headers: all, model });
  const isolate = async (name: string) => {
    const one = (await world.viewer.listTargets()).items.find(({ tools }) => tools.includes(name));
    await world.operator.isolateTarget({ params: { target: one?.target ?? "" }, body: { reason: "it is down" } });
  };
  const spare = async (client = world.operator) => (await client.showGateway()).routes[1]?.steps[0];
  await isolate("two/other");
  expect(await spare()).toMatchObject({ name: "two", state: { id: "in-service" }, except: [] });
  await isolate("two/spare-1");
  const except = [{ model: "spare-1", state: { id: "isolated", label: "Isolated" } }];
  expect(await spare()).toMatchObject({ name: "two", state: { id: "in-service" }, except });
  expect(await spare(world.viewer)).toMatchObject({ except: [{ model: "" }] });
  await isolate("two/spare-2");
  expect(await spare()).toMatchObject({ name: "two", state: { id: "isolated" }, except: [] });
});

it("counts failures of its calls in the groups of failures, the search and the overview, without words of a target", async () => {
  const world = await gatewayWorld();
  await ask(world.url, "openai-chat", { headers });
  await expect.poll(async () => (await world.operator.listFaultGroups()).items.length).toBe(1);
  const [group] = (await world.operator.listFaultGroups()).items;
  expect(group).toMatchObject({ code: "Overloaded", tool: "one/gpt-4o", count: 2, sessions: 1 });
  const found = (await world.operator.search({ query: { q: "Overloaded" } })).items;
  expect(found).toMatchObject([
    { kind: "fault", code: "Overloaded", fault: { tool: "one/gpt-4o" } },
    { kind: "fault", code: "Overloaded", fault: { tool: "one/gpt-4o" } },
  ]);
  const seen = await world.viewer.overview();
  expect(seen).toMatchObject({ isWell: true, programs: { count: 0 }, faults: { count: 2 } });
  const session = found[0]?.session ?? "";
  const journal = await openJournal(world.journalFile, { readOnly: true });
  onTestFinished(() => journal.close());
  const entries: Entry[] = [];
  for await (const entry of journal.read(session)) entries.push(entry);
  expect(entries.map(({ event }) => event.type)).toEqual([
    ...["session-started", "session-ended", "call-started", "call-admitted", "call-failed"],
    ...["call-admitted", "call-failed", "call-admitted", "call-succeeded"],
  ]);
  const words = JSON.stringify(entries);
  expect(words).not.toMatch(/north|You said|test server|ci-key/);
  // The next call of the hour is recorded in the same session, which stays ended.
  await ask(world.url, "anthropic-messages", { headers });
  await expect.poll(async () => (await world.operator.listFaultGroups()).items[0]?.count).toBeGreaterThan(2);
  expect((await world.operator.listFaultGroups()).items[0]?.sessions).toBe(1);
  expect((await world.viewer.overview()).programs.count).toBe(0);
});

it("shows prompts and answers that are kept to operators only", async () => {
  const world = await gatewayWorld("keep: { prompts: true, answers: true }");
  await ask(world.url, "openai-chat", { headers });
  await expect.poll(async () => (await world.operator.listGatewayCalls()).items.length).toBe(1);
  const [call] = (await world.operator.listGatewayCalls()).items;
  expect(call?.kept?.prompt).toContain(PROMPT);
  expect(call?.kept?.answer).toContain("You said");
  expect(call?.kept?.text).toBe(ANSWER);
  expect((await world.viewer.listGatewayCalls()).items[0]?.kept).toBeNull();
  const off = await gatewayWorld();
  await ask(off.url, "openai-chat", { headers });
  await expect.poll(async () => (await off.operator.listGatewayCalls()).items.length).toBe(1);
  expect((await off.operator.listGatewayCalls()).items[0]?.kept).toBeNull();
});

it("pages its calls, filters them by key, and speaks Chinese", async () => {
  const world = await gatewayWorld();
  for (let call = 0; call < 5; call++) await ask(world.url, "openai-chat", { headers });
  await expect.poll(async () => (await world.viewer.listGatewayCalls()).items.length).toBe(5);
  const all = (await world.viewer.listGatewayCalls()).items.map(({ call }) => call);
  const paged: string[] = [];
  let cursor: string | null = null;
  do {
    const query: { limit: number; cursor?: string } = { limit: 2, ...(cursor === null ? {} : { cursor }) };
    const page: Awaited<ReturnType<typeof world.viewer.listGatewayCalls>> = await world.viewer.listGatewayCalls({
      query,
    });
    paged.push(...page.items.map(({ call }) => call));
    cursor = page.next;
  } while (cursor !== null);
  expect(paged).toEqual(all);
  expect((await world.viewer.listGatewayCalls({ query: { key: "ops" } })).items).toEqual([]);
  const chinese = createClient({ baseUrl: world.url, token: world.tokens.viewer, language: "zh-CN" });
  expect((await chinese.showGateway()).keys[0]?.budgets[0]?.window.label).toBe("今天");
});

it("says that there is none on a server without a gateway", async () => {
  const world = await startWorld({ drive: false });
  expect((await world.viewer.overview()).hasGateway).toBe(false);
  await expect(world.viewer.showGateway()).rejects.toMatchObject({ problem: { status: 404 } });
  expect((await (await gatewayWorld()).viewer.overview()).hasGateway).toBe(true);
});

it("counts the gateway's spending and the failures of its calls in the overview", async () => {
  const world = await gatewayWorld();
  const before = await world.viewer.overview();
  expect([before.isWell, before.spentMicrocents]).toEqual([true, 0]);
  expect((await ask(world.url, "openai-chat", { headers })).status).toBe(200);
  await expect.poll(async () => (await world.viewer.overview()).spentMicrocents).toBeGreaterThan(0);
  const body = { max_tokens: 100_000_000 };
  expect((await ask(world.url, "openai-chat", { headers, body })).status).toBe(402);
  // Two attempts at the first target, and the budget that refused the second call.
  await expect.poll(async () => (await world.viewer.overview()).faults.count).toBe(3);
  expect((await world.viewer.overview()).says).toContain("Calls met 3 failures in the last 24 hours");
});
