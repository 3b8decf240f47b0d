// `faultline explain` on calls of a gateway: which target failed how, what was decided about it, and calls that met no failure.

import { expect, it, onTestFinished } from "vitest";
import { ask } from "../gateway/dialect-clients.ts";
import { systemChance } from "../../src/host/chance.ts";
import { FIRST, oneDialect, openWorld, SECOND, twoDialects, type WorldOptions } from "../gateway/open-world.ts";
import { tempFolder } from "../journal/temp-folder.ts";
import { always } from "../provider/chain/chain-world.ts";
import { englishIn } from "../support/english-in.ts";
import { jsonOf, runCli } from "../support/run-cli.ts";

/** Asks a gateway once; the journal, and the call's id. */
async function called(options: WorldOptions, streaming = false): Promise<{ call: string; journal: string }> {
  const folder = tempFolder();
  onTestFinished(() => folder.remove());
  const journal = folder.file("journal.db");
  const world = await openWorld({ ...options, faultline: { journal, chance: systemChance } });
  const heard = await world.run(ask(world.url, "openai-chat", { streaming }));
  const call = heard.headers.get("x-faultline-call") ?? /: x-faultline-call: (\S+)/.exec(heard.raw)?.[1] ?? "";
  await world.close();
  await world.fl.close();
  return { call, journal };
}

const explained = async (id: string, journal: string, ...more: readonly string[]): Promise<string> => {
  const { stdout, stderr, exit } = await runCli(["explain", id, "--journal", journal, ...more]);
  expect({ stderr, exit }).toEqual({ stderr: "", exit: "ok" });
  return stdout;
};

it("names the target of each failure and what was decided, not what a policy would do", async () => {
  const rules = [always(FIRST, { fault: "unavailable" })];
  const { call, journal } = await called({ file: twoDialects("openai-chat", "anthropic-messages"), rules });
  const text = await explained(call, journal);
  expect(text).toMatch(/Answered {2}A target answered in the end/);
  expect(text).toContain(`two/${SECOND} answered · 3 attempts`);
  expect(text).toContain("key anyone · route team · model team · openai-chat");
  expect(text).toContain(`  one/${FIRST}, attempt 1: `);
  expect(text).toMatch(
    new RegExp(
      `What the gateway did about this call\\n {2}#1 {2}one/${FIRST}, attempt 1: .* → retried\\n {2}#2 .* → fell back`,
    ),
  );
  expect(text).not.toContain("What Faultline does");
  expect(text).not.toContain("use another tool");
  const json = jsonOf(await runCli(["explain", call, "--journal", journal, "--json"]));
  expect(json).toMatchObject({
    id: call,
    call: { target: `two/${SECOND}`, attempts: 3, decisions: [{ id: `${call}#1` }, { id: `${call}#2` }] },
    faults: [
      { target: `one/${FIRST}`, attempt: 1, recourse: "retry" },
      { target: `one/${FIRST}`, attempt: 2, recourse: "fallback" },
    ],
  });
  expect(json).not.toHaveProperty("policy");
});

it("shows one decision if that is asked for", async () => {
  const rules = [always(FIRST, { fault: "unavailable" })];
  const { call, journal } = await called({ file: oneDialect("openai-chat"), rules });
  const text = await explained(`${call}#2=fallback`, journal);
  expect(text).toContain("#2  ");
  expect(text).not.toContain("#1  ");
  const { exit } = await runCli(["explain", `${call}#9`, "--journal", journal]);
  expect(exit).toBe("usage");
});

it("shows the ledger's line of a call without a failure", async () => {
  const { call, journal } = await called({});
  const text = await explained(call, journal);
  expect(text).toMatch(/Answered {2}The first attempt answered\./);
  // The model has no price.
  expect(text).toMatch(new RegExp(`one/${FIRST} answered · 1 attempt · .* · no price`));
  expect(text).toContain("Nothing had to be decided.");
  const json = jsonOf(await runCli(["explain", call, "--journal", journal, "--json"]));
  expect(json).toMatchObject({ id: call, call: { call, attempts: 1 }, faults: [] });
});

it("shows a hedge", async () => {
  const rules = [always(FIRST, { "fault": "slow-first-token", "wait-ms": 8_000 })];
  const { call, journal } = await called(
    { file: twoDialects("openai-chat", "openai-chat", ", hedge: { after: 500 }"), rules },
    true,
  );
  for (const id of [call, `${call}#1=hedge`]) {
    const text = await explained(id, journal);
    expect(text).toContain(`#1  one/${FIRST}, attempt 1: Silent for longer than usual → asked another target, too`);
  }
});

it("says how slow a stream was, and sends no operator to the network for it", async () => {
  const rules = [always("*", { "fault": "slow-drip", "wait-ms": 3_000 })];
  const file = oneDialect("openai-chat");
  const { call, journal } = await called(
    { file: (urls) => file(urls).replace("] }", "], min_characters_per_second: 20 }"), rules },
    true,
  );
  const text = await explained(call, journal);
  expect(text).toMatch(/the stream sent \d+\.\d characters per second; the minimum is 20/);
  expect(text).toContain("Answer too slow");
  expect(text).not.toContain("proxy and DNS");
  const chinese = await explained(call, journal, "--locale", "zh-CN");
  expect(chinese).toMatch(/流每秒发送 \d+\.\d 个字符；下限是 20/);
});

it("says all of it in Chinese", async () => {
  const rules = [always(FIRST, { fault: "unavailable" })];
  const { call, journal } = await called({ file: oneDialect("openai-chat"), rules });
  const text = await explained(call, journal, "--locale", "zh-CN");
  const lines = text.split("\n").filter((line) => line.includes("one/") || line.includes("two/"));
  expect(lines.length).toBeGreaterThan(2);
  expect(englishIn(lines.join("\n").replaceAll(/(?:one|two)\/[\w-]+|\w+（\w+）|（\w+）/g, ""))).toEqual([]);
});
