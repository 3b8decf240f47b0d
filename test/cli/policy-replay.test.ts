// `faultline policy replay` says what another policy would have changed in a journal, while other processes may write to it.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEFAULT_POLICY, type Entry, type ReplaySummary } from "../../src/core/index.ts";
import { type Journal, openJournal } from "../../src/index.ts";
import { entriesOf, type PastCall } from "../core/record/past-calls.ts";
import { jsonOf, type Run, runCli } from "../support/run-cli.ts";
import { newFolder } from "./journals.ts";

const HOUR_MS = 3_600_000;
const NOW = Date.now();
const busy = (session: string): PastCall => ({
  session,
  call: "t1/1/search",
  tool: "search",
  fails: ["ResourceBusy", "ResourceBusy"],
  microcents: 50_000_000,
});
const FILES = {
  "once.yaml": "version: 1\nrows:\n  - { match: { tool: search }, retry: none, then: [surface] }\n",
  "bad.yaml": "version: 1\nrows:\n  - { match: { code: RateLimted }, then: [fail] }\n",
};

const folder = newFolder();
const file = folder.file("agent.db");
let writer: Journal;

beforeAll(async () => {
  writer = await openJournal(file);
  await append(writer, entriesOf([busy("old")], DEFAULT_POLICY, NOW - 48 * HOUR_MS));
  await append(writer, entriesOf([busy("order-7"), busy("order-8")], DEFAULT_POLICY, NOW - HOUR_MS));
});
afterAll(async () => {
  await writer.close();
  folder.remove();
});

async function append(journal: Journal, entries: readonly Entry[]): Promise<void> {
  for (const { session, seq, at, event } of entries) await journal.append(session, seq - 1, [{ at, event }]);
}

function replay(...args: readonly string[]): Promise<Run> {
  return runCli(["policy", "replay", ...args, "--journal", file], { files: FILES });
}

async function figures(...args: readonly string[]): Promise<ReplaySummary> {
  return jsonOf(await replay(...args, "--json")) as ReplaySummary;
}

describe("policy replay", () => {
  it("reads a journal that another process has open, and shows the changes with their effects", async () => {
    const { stdout, stderr, exit } = await replay("once.yaml");
    expect([stderr, exit]).toEqual(["", "ok"]);
    expect(stdout).toContain("policy once.yaml  6 past decisions in 3 sessions");
    expect(stdout).toContain("  3  ResourceBusy  search  retry → surface  −300 ms\n");
    expect(stdout).toMatch(/waits +saves 900 ms/);
    expect(stdout).toMatch(/attempts +saves 6\n/);
    expect(stdout).toMatch(/cost +saves \$3\.00\n/);
    expect(stdout).toContain("      was: Try again in 100 ms (attempt 2 of 5).\n");
    expect(stdout).toContain("      would be: Tell the model, and let it react.\n");
    expect(stdout).toContain("What a replay cannot know");
  });

  it("says the same in Chinese", async () => {
    const { stdout } = await replay("once.yaml", "--locale", "zh-CN");
    expect(stdout).toContain("3 个会话中的 6 个历史决定");
    expect(stdout).toContain("新决定：告知模型，由其自行应对。");
  });

  it("looks no further back than --since", async () => {
    expect(await figures("once.yaml", "--since", "7d")).toMatchObject({ decisions: 6, sessions: 3 });
    expect(await figures("once.yaml", "--since", "12h")).toMatchObject({ decisions: 4, sessions: 2 });
    expect((await replay("once.yaml", "--since", "1s")).stdout).toContain("There are no decisions to replay");
  });

  it("looks at one session with --run, and describes as many changes as --limit says", async () => {
    expect(await figures("once.yaml", "--run", "order-7")).toMatchObject({ decisions: 2, changed: 1, sessions: 1 });
    const { examples, changed } = await figures("once.yaml", "--limit", "1");
    expect([changed, examples.map(({ session }) => session)]).toEqual([3, ["old"]]);
  });

  it("finds no change under the policy that was in force", async () => {
    expect(await figures("--preset", "default")).toMatchObject({ decisions: 6, same: 6, changed: 0, limits: [] });
  });

  it.each([
    ["no policy", []],
    ["two policies", ["once.yaml", "--preset", "eager"]],
    ["a run that is not there", ["once.yaml", "--run", "nobody"]],
    ["a time without a unit", ["once.yaml", "--since", "7"]],
  ])("refuses %s", async (_what, args) => {
    expect(await replay(...args)).toMatchObject({ stdout: "", exit: "usage" });
  });

  it("shows the mistakes of a bad file", async () => {
    const { stderr, exit } = await replay("bad.yaml");
    expect(exit).toBe("config");
    expect(stderr).toContain("bad.yaml:3:");
  });

  it("names the journal that is missing, and creates none", async () => {
    const { stderr, exit } = await runCli(["policy", "replay", "--preset", "eager", "--journal", "none.db"]);
    expect([exit, stderr.includes("none.db")]).toEqual(["usage", true]);
  });
});
