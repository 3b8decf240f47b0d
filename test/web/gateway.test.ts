// The gateway's page in a browser: keys with their budgets, routes with the words about breaks and hedges, what was spent, and calls with what
// was decided and what was kept of them.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { startChaos } from "../../src/chaos/start-chaos.ts";
import { ask } from "../gateway/dialect-clients.ts";
import { type ServerWorld, startWorld } from "../server/world.ts";
import { inBrowser, look, type LookOptions } from "./browser.ts";

const CI = "key-of-ci-0123456789";
const DEV = "dev-key-0123456789abcdef";
const HOSTILE = "<img src=x onerror=alert(1)> which way is north";

const ends: (() => void | Promise<void>)[] = [];
const atEnd = (end: () => void | Promise<void>): void => void ends.unshift(end);

/** Three calls of `ci`: answered, answered by a hedge, and refused by its budget. */
async function usedGateway(more = ""): Promise<ServerWorld> {
  const chaos = await startChaos({ scenario: { rules: [{ when: { model: "gpt-4o" }, fault: "hang" }] } });
  atEnd(() => chaos.close());
  const folder = mkdtempSync(join(tmpdir(), "faultline-"));
  atEnd(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "gateway.faultline.yaml");
  writeFileSync(
    file,
    `version: 1
targets:
  one: { dialect: openai-chat, base_url: "${chaos.url}/v1", region: us }
  two: { dialect: openai-chat, base_url: "${chaos.url}//v1", region: eu }
routes:
  plain: { chain: [two/gpt-4.1] }
  hedged: { chain: [one/gpt-4o, two/gpt-4.1], hedge: { after: 300 }, mid_stream: restart }
  usual: { chain: [one/gpt-4o, two/gpt-4.1], hedge: { after: p95 } }
keys:
  ci: { key_env: CI_KEY, routes: [plain, hedged], regions: [us, eu], budget: { per_hour_usd: 0.01, per_day_usd: 5 } }
  ops: { key_sha256: "${"0".repeat(64)}" }
${more}
`,
  );
  const world = await startWorld(
    { gateway: file, env: { ...process.env, CI_KEY: CI, DEV_KEY: DEV }, drive: false },
    atEnd,
  );
  const headers = { authorization: `Bearer ${CI}` };
  const body = { max_tokens: 10 };
  for (const model of ["plain", "hedged"])
    expect((await ask(world.url, "openai-chat", { model, headers, body, prompt: HOSTILE })).status).toBe(200);
  expect((await ask(world.url, "openai-chat", { model: "plain", headers, body: { max_tokens: 9_000 } })).status).toBe(
    402,
  );
  await untilCalls(world, 3);
  return world;
}

/** A call is in the list a moment after its answer. */
async function untilCalls({ operator }: ServerWorld, calls: number): Promise<void> {
  await vi.waitFor(async () => expect((await operator.listGatewayCalls()).items.length).toBe(calls), 30_000);
}

inBrowser("the gateway's page", () => {
  let world: ServerWorld;
  /** Keeps texts, and has had a call of `dev` to a model without a price. */
  let keeping: ServerWorld;

  beforeAll(async () => {
    [world, keeping] = await Promise.all([
      usedGateway(),
      usedGateway("  dev: { key_env: DEV_KEY }\nkeep: { prompts: true, answers: true }"),
    ]);
    const headers = { authorization: `Bearer ${DEV}` };
    expect((await ask(keeping.url, "openai-chat", { model: "one/house-model", headers })).status).toBe(200);
    await untilCalls(keeping, 4);
  });

  afterAll(async () => {
    for (const end of ends) await end();
  });

  it("shows each key with what it may use and what is left of its budgets", async () => {
    const page = await look(world, "/gateway");
    const ci = page.locator(".gateway-key").filter({ has: page.getByRole("heading", { name: "ci" }) });
    await ci.getByText("routes plain, hedged · regions us, eu", { exact: true }).waitFor();
    const hour = ci.getByRole("meter", { name: "Budget of ci, this hour" });
    expect(Number(await hour.getAttribute("aria-valuenow"))).toBeGreaterThan(0);
    await ci.getByRole("meter", { name: "Budget of ci, today" }).waitFor();
    await ci.getByText("of $5.00", { exact: false }).waitFor();
    const ops = page.locator(".gateway-key").filter({ has: page.getByRole("heading", { name: "ops" }) });
    await ops.getByText("No budget", { exact: true }).waitFor();
    expect(await page.content()).not.toContain(CI);
  });

  it.each<[LookOptions["language"] & string, string, string]>([
    [
      "en",
      "The next target is asked, too, after 300 ms of silence",
      "The next target is asked, too, when one is silent for longer than usual (p95)",
    ],
    ["zh-CN", "后同时询问下一个目标", "沉默时间超过平常（p95）时同时询问下一个目标"],
  ])("says in %s what a route does about silence and breaks", async (language, fixed, usual) => {
    const page = await look(world, "/gateway", { language });
    const route = (name: string) =>
      page.locator(".gateway-route").filter({ has: page.getByRole("heading", { name, exact: true }) });
    await route("hedged").getByText(fixed, { exact: false }).waitFor();
    await route("usual").getByText(usual, { exact: false }).waitFor();
    expect(await route("plain").locator("p").count()).toBe(1);
    await route("hedged").getByRole("link", { name: "one/gpt-4o" }).waitFor();
  });

  it("shows what was spent by day, key and target", async () => {
    const page = await look(world, "/gateway?tab=spend");
    await page.getByText("for 3 calls in 14 days", { exact: false }).waitFor();
    const row = (name: string) => page.getByRole("row").filter({ has: page.getByRole("rowheader", { name }) });
    expect(await row("ci").getByRole("cell").allTextContents()).toEqual([
      "3",
      "1",
      expect.stringContaining("$") as string,
    ]);
    await row("two/gpt-4.1").waitFor();
  });

  it("says of a hedged call that the first target was silent and another one was asked", async () => {
    const page = await look(world, "/gateway?tab=calls", { width: 1280 });
    const row = page.getByRole("row").filter({ hasText: "hedged" });
    await row.click();
    const panel = page.locator(".gateway-panel");
    await panel.getByText("Attempt 1 at one/gpt-4o", { exact: true }).waitFor();
    await panel.getByText("Silent for longer than usual → asked another target, too", { exact: true }).waitFor();
    expect(await panel.getByText("Prompt", { exact: true }).count()).toBe(0);
    // The panel covers no column of the list.
    const [last, beside] = [await row.getByRole("gridcell").last().boundingBox(), await panel.boundingBox()];
    expect((last?.x ?? 0) + (last?.width ?? 0)).toBeLessThanOrEqual(beside?.x ?? 0);
  });

  it("shows a prompt and an answer that the file says to keep to operators, as text, and not to viewers", async () => {
    const open = async (as: "operator" | "viewer") => {
      const page = await look(keeping, "/gateway?tab=calls", { as });
      await page.getByRole("row").filter({ hasText: "hedged" }).click();
      return page.locator(".gateway-panel");
    };
    const panel = await open("operator");
    await panel.getByText("Prompt", { exact: true }).click();
    await panel.locator("pre").filter({ hasText: HOSTILE }).first().waitFor();
    await panel.getByText("Answer", { exact: true }).click();
    await panel
      .locator("pre")
      .filter({ hasText: /^You said: </ })
      .waitFor();
    expect(await panel.locator("pre").first().textContent()).toContain('{\n  "');
    await panel.getByText("As it was sent", { exact: true }).click();
    await panel.locator("pre").filter({ hasText: '"chat.completion"' }).waitFor();
    const seen = await open("viewer");
    await seen.getByText("Attempt 1 at one/gpt-4o", { exact: true }).waitFor();
    expect(await seen.locator("pre").count()).toBe(0);
  });

  it.each<[LookOptions["language"] & string, string, string]>([
    ["en", "No target was asked.", "two/gpt-4.1 was not asked"],
    ["zh-CN", "没有询问任何目标。", "未询问 two/gpt-4.1"],
  ])(
    "lists in %s the calls that failed, and says of one that no target was asked",
    async (language, says, notAsked) => {
      const page = await look(world, "/gateway?tab=calls&state=failed", { language, width: 1280 });
      await expect.poll(() => page.locator(".gateway-call-name").allTextContents()).toHaveLength(1);
      const [name] = await page.locator(".gateway-call-name b").allTextContents();
      expect(name).toBe("–");
      await page.locator(".gateway-call-name").click();
      await page.locator(".gateway-panel").getByText(says, { exact: true }).waitFor();
      await page.locator(".gateway-panel").getByText(notAsked, { exact: true }).waitFor();
    },
  );

  it.each<[LookOptions["language"] & string, string]>([
    ["en", "no price"],
    ["zh-CN", "没有价格"],
  ])("shows in %s that the cost of a call is not known, where it is not known", async (language, says) => {
    const page = await look(keeping, "/gateway?tab=calls&key=dev", { language, width: 1280 });
    const row = page.getByRole("row").filter({ hasText: "one/house-model" });
    await row.getByText(says, { exact: true }).waitFor();
    await row.click();
    await page.locator(".gateway-panel").getByText(says, { exact: true }).waitFor();
    const spend = await look(keeping, "/gateway?tab=spend", { language, width: 1280 });
    const spent = spend.getByRole("row").filter({ has: spend.getByRole("rowheader", { name: "dev" }) });
    await spent.getByText(says, { exact: true }).waitFor();
  });

  it("leads from the id of a call to its panel, also when the list does not show it", async () => {
    const failed = (await world.operator.listGatewayCalls({ query: { state: "failed" } })).items[0]?.call ?? "";
    const page = await look(world, `/search?q=${encodeURIComponent(`${failed}#1`)}`, { width: 1280 });
    await page.getByRole("region", { name: `Call ${failed}` }).waitFor();
    const other = await look(world, `/gateway?tab=calls&state=completed&call=${failed}`, { width: 1280 });
    await other.getByRole("region", { name: `Call ${failed}` }).waitFor();
  });
});
