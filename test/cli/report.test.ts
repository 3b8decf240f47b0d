// `faultline report` prints or writes the incident report about a run or a session.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DEFAULT_POLICY } from "../../src/core/index.ts";
import { openJournal } from "../../src/index.ts";
import { entriesOf } from "../core/record/past-calls.ts";
import { jsonOf, type Run, runCli, runShell } from "../support/run-cli.ts";
import { newFolder } from "./journals.ts";

const SECRET = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789";
const folder = newFolder();
const file = folder.file("agent.db");
const tool = `search ${SECRET}`;

beforeAll(async () => {
  const journal = await openJournal(file);
  const past = [{ session: "order-7", call: "t1/1/search", tool, fails: ["ResourceBusy", "Forbidden"] }] as const;
  for (const { session, seq, at, event } of entriesOf(past, DEFAULT_POLICY))
    await journal.append(session, seq - 1, [{ at, event }]);
  await journal.close();
});
afterAll(() => folder.remove());

function report(...args: readonly string[]): Promise<Run> {
  return runCli(["report", ...args, "--journal", file]);
}

describe("report", () => {
  it("prints a page without secrets", async () => {
    const { stdout, stderr, exit } = await report("order-7");
    expect([stderr, exit]).toEqual(["", "ok"]);
    expect(stdout).toMatch(/^# Incident report: order-7\n/);
    expect(stdout).toContain("Resource in use (`ToolTransient/ResourceBusy`)");
    expect(stdout).toContain("  - → Try again in 100 ms (attempt 2 of 5).\n");
    expect(stdout).not.toContain(SECRET);
  });

  it("prints it in Chinese, and as data", async () => {
    expect((await report("order-7", "--locale", "zh-CN")).stdout).toContain("## 时间线");
    const { stdout } = await report("order-7", "--json");
    expect(stdout).not.toContain(SECRET);
    expect(jsonOf({ stdout, stderr: "", exit: "ok" })).toMatchObject({ kind: "session", name: "order-7" });
  });

  it("writes it to a new file, and overwrites none", async () => {
    const env = { FAULTLINE_JOURNAL: file };
    const { stdout, exit } = await runShell(
      "faultline report order-7 -o r.md 2>/dev/null && head -1 r.md && faultline report order-7 -o r.md",
      { env },
    );
    expect([stdout, exit]).toEqual(["# Incident report: order-7\n", "usage"]);
  });

  it("refuses a run that is not there", async () => {
    expect(await report("nobody")).toMatchObject({ stdout: "", exit: "usage" });
  });
});
