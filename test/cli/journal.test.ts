// `faultline journal` shows real journals as they are, and changes nothing it must not touch.

import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openJournal } from "../../src/index.ts";
import { englishIn } from "../support/english-in.ts";
import { jsonLinesOf, jsonOf, type Run, runCli } from "../support/run-cli.ts";
import {
  entryCounts,
  FAR_AHEAD,
  type Folder,
  HIDDEN,
  newFolder,
  NOON,
  runAsking,
  tamper,
  writeInterrupted,
  writeTrip,
} from "./journals.ts";

let folder: Folder;
let agent = "";
let entries: Readonly<Record<string, number>> = {};

beforeAll(async () => {
  folder = newFolder();
  agent = folder.file("agent.db");
  await writeTrip(agent);
  await runAsking(agent, NOON + 60_000);
  await writeInterrupted(agent);
  entries = await entryCounts(agent);
});
afterAll(() => folder.remove());

/** Padded to its column. */
function count(session: string): string {
  return String(entries[session]).padStart("entries".length);
}

function journal(...args: readonly string[]): Promise<Run> {
  return runCli(["journal", ...args]);
}

describe("journal sessions", () => {
  it("lists them newest first", async () => {
    expect(await journal("sessions", agent)).toEqual({
      stdout: `session   status   started (UTC)     last change       entries
report-3  waiting  2025-01-15 12:01  2025-01-15 12:01  ${count("report-3")}
order-7   done     2025-01-15 12:00  2025-01-16 12:00  ${count("order-7")}
trip-42   done     2025-01-15 12:00  2025-01-15 12:00  ${count("trip-42")}
`,
      stderr: "",
      exit: "ok",
    });
  });

  it("filters by status and limit, and says when there are more", async () => {
    const done = await journal("sessions", agent, "--status", "done", "--json");
    expect(jsonOf(done)).toMatchObject([
      { session: "order-7" },
      { session: "trip-42", startedAt: NOON, lastSeq: entries["trip-42"] },
    ]);
    const first = await journal("sessions", agent, "--limit", "1");
    expect(first.stdout).toContain("report-3");
    expect(first.stdout).not.toContain("order-7");
    expect(first.stderr).toBe("Only the newest 1 are shown; --limit shows more.\n");
    const none = await journal("sessions", agent, "--status", "cancelled");
    expect(none).toEqual({ stdout: "", stderr: "No session matches.\n", exit: "ok" });
  });

  it("speaks Chinese", async () => {
    const { stdout } = await journal("sessions", agent, "--locale", "zh-CN");
    expect(stdout).toMatch(/^会话 +状态 +开始（UTC） +最后变动 +条目\nreport-3 +等待中 /);
  });
});

describe("journal show", () => {
  it("shows what failed, what was decided and why, how it ended and what it cost", async () => {
    const { stdout, stderr, exit } = await journal("show", agent, "trip-42");
    expect({ stderr, exit }).toEqual({ stderr: "", exit: "ok" });
    expect(stdout).toBe(`session trip-42  done
started 2025-01-15 12:00 · last change 2025-01-15 12:00 · ${entries["trip-42"]} entries

2025-01-15 (UTC)
12:00:00.000  ▶ the session starts  headless · user=ada
turn plan
12:00:00.010  ✗ hotels  NotFound  attempt 1 · 10 ms
                no such city
                → Continue without this step.
                  not retried: the policy has no retry for it
12:00:00.010  ○ taxi  skipped without running  needs hotels · NotFound
                needs hotels, which was skipped: no such city
12:00:00.020  ✗ weather  Unsupported  attempt 1 · 20 ms
                no forecast, key [redacted]
                → Use the declared default value.
                  not retried: the policy has no retry for it
12:00:00.350  · flight_search is held back for all its callers  until 2025-01-15T12:00:20.350Z
12:00:00.350  ✗ flight_search (flights)  RateLimited  attempt 1 · 350 ms · $0.0075
                Rate limit reached for gpt-5.5.
                → Try again in 20 s, as the server asked (attempt 2 of 6).
12:00:20.700  ✓ flight_search (flights)  succeeded  attempt 2 · 350 ms · $0.0075
12:00:21.700  ✗ book  ExecutionTimeout  attempt 1 · 1 s
                book did not answer within 1000 ms
                → Tell the model, and let it react.
                  not retried: the work may have been done, and doing it twice is not declared safe
12:00:21.700  ■ the turn ends: partly done
turn ride
12:00:21.700  ✓ taxi  succeeded  attempt 1 · 0 ms
12:00:21.700  ■ the turn ends: done
12:00:21.700  ■ the session ends: done

per tool
tool           calls  ok  errors  transient  permanent  timeouts  retries  that helped    cost
flight_search      1   1       1          1          0         0        1        100 %  $0.015
hotels             1   0       1          0          1         0        0            –   $0.00
weather            1   0       1          0          1         0        0            –   $0.00
book               1   0       1          1          0         1        0            –   $0.00
taxi               1   1       0          0          0         0        0            –   $0.00

${["plan/1/hotels", "plan", "plan/1/weather", "plan/1/flights", "plan/1/book"]
  .map((id) => `Causes: faultline explain trip-42/${id} --journal ${agent}\n`)
  .join("")}`);
  });

  it("shows a crash on another day, and what was in flight", async () => {
    const { stdout } = await journal("show", agent, "order-7");
    expect(stdout).toContain(`
2025-01-16 (UTC)
12:00:00.000  ▶ the program resumes the session  in flight when it stopped: t1/1/ship
turn t1
12:00:00.000  ✗ ship  Interrupted  attempt 1 · 0 ms
`);
  });

  it("ends with what to do when the session waits for a person", async () => {
    const { stdout } = await journal("show", agent, "report-3");
    expect(stdout).toMatch(
      /\? summarise \(second\) {2}a person is asked \(Approve\) {2}q\S+ · until 2025-01-22T12:01:00Z\n/,
    );
    expect(stdout).toContain(
      "$ summarise (second)  the budget is not enough: $0.0075 of $0.01 is spent  this would cost up to $0.008\n",
    );
    expect(stdout.endsWith(`\nNext: faultline journal questions ${agent}\n`)).toBe(true);
  });

  it("filters by turn", async () => {
    const { stdout } = await journal("show", agent, "trip-42", "--turn", "ride");
    expect(stdout).toContain("turn ride\n");
    expect(stdout).toMatch(/\ntool {2}calls {2}ok {2}errors\ntaxi +1 +1 +0\n$/);
    expect(stdout).not.toContain("flight_search");
    const { stdout: json } = await journal("show", agent, "trip-42", "--turn", "ride", "--json");
    expect(JSON.parse(json)).toMatchObject({
      trace: [{ event_type: "ToolSucceeded", turn_id: "ride" }, { event_type: "TurnEnded" }],
      metrics: { taxi: { call_count: 1 } },
    });
    const events = jsonLinesOf(await journal("show", agent, "trip-42", "--turn", "ride", "--events"));
    expect(events[0]).toMatchObject({ event: { type: "turn-started", turn: "ride" } });
    expect(events.at(-1)).toMatchObject({ event: { type: "turn-ended", turn: "ride" } });
  });

  it("is one JSON document, with the names of the specification", async () => {
    const document = jsonOf(await journal("show", agent, "trip-42", "--json"));
    expect(document).toMatchObject({
      session: { session: "trip-42", status: "done", startedAt: NOON, lastSeq: entries["trip-42"] },
      metrics: { flight_search: { call_count: 1, retry_count: 1, retry_success_rate: 1, cost_microcents: 1_500_000 } },
    });
    const { trace } = document as { trace: readonly Record<string, unknown>[] };
    expect(
      trace.find((record) => record["tool_id"] === "flight_search" && record["event_type"] === "ToolError"),
    ).toMatchObject({
      session_id: "trip-42",
      classification: "transient",
      decision: "retry",
      delay_ms: 20_000,
      code: "RateLimited",
    });
  });

  it("prints the raw entries, one per line", async () => {
    const all = jsonLinesOf(await journal("show", agent, "trip-42", "--events"));
    expect(all).toHaveLength(entries["trip-42"] ?? 0);
    expect(all[0]).toMatchObject({
      session: "trip-42",
      seq: 1,
      at: NOON,
      event: { type: "session-started", manifest: { sessionId: "trip-42", labels: { user: "ada" } } },
    });
    expect(all.at(-1)).toMatchObject({ event: { type: "session-ended", status: "done" } });
  });

  it("speaks Chinese", async () => {
    const { stdout } = await journal("show", agent, "trip-42", "--locale", "zh-CN");
    expect(stdout).toContain("→ 20 秒后重试（按服务端要求）（第 2/6 次）。");
    expect(stdout).not.toMatch(/attempt|the turn|not retried|calls/);
  });

  it.each([
    ["the story", []],
    ["the story in colour", ["--color", "always"]],
    ["JSON", ["--json"]],
    ["entries", ["--events"]],
  ])("leaks neither secrets nor control characters as %s", async (_what, args) => {
    const { stdout } = await journal("show", agent, "trip-42", ...args);
    expect(stdout).toContain("no forecast");
    // Only our own colours may be left.
    const text = stdout.replace(/\u001b\[\d+m/g, "");
    for (const hidden of HIDDEN) expect(text).not.toContain(hidden);
  });

  it.each([
    [
      "a session",
      ["trip-43"],
      "There is no session trip-43 in this journal; `faultline journal sessions agent.db` lists all.",
    ],
    ["a turn", ["trip-42", "--turn", "plam"], "Session trip-42 has no turn plam. It has: plan, ride."],
    ["a turn among the entries", ["trip-42", "--turn", "plam", "--events"], "It has: plan, ride."],
  ])("refuses %s that does not exist", async (_what, args, why) => {
    const run = await runCli(["journal", "show", "agent.db", ...args], { files: { "agent.db": readFileSync(agent) } });
    expect(run).toMatchObject({ stdout: "", exit: "usage" });
    expect(run.stderr).toContain(why);
  });

  it("reports an entry that was changed, and still shows it as it is", async () => {
    const file = folder.file("odd.db");
    const odd = await openJournal(file);
    await odd.append("odd", 0, [{ at: NOON, event: { type: "call-failed", call: "c", tool: 7 } as never }]);
    await odd.close();
    for (const args of [[], ["--json"]]) {
      const run = await journal("show", file, "odd", ...args);
      expect(run).toMatchObject({ stdout: "", exit: "failed" });
      expect(run.stderr).toContain("--events shows the raw entry");
      expect(run.stderr).not.toContain("unexpected error");
    }
    expect(jsonLinesOf(await journal("show", file, "odd", "--events"))).toMatchObject([{ event: { tool: 7 } }]);
  });
});

describe("journal verify", () => {
  it("counts the unchanged records", async () => {
    const all = Object.values(entries).reduce((sum, one) => sum + one, 0);
    expect(await journal("verify", agent)).toEqual({
      stdout: `✓ 3 sessions, ${all} entries, all unchanged\n`,
      stderr: "",
      exit: "ok",
    });
    expect(jsonOf(await journal("verify", agent, "--json"))).toEqual({
      ok: true,
      sessions: 3,
      entries: all,
      firstBad: null,
    });
  });

  it("names the first changed record", async () => {
    const file = folder.copy(agent, "tampered.db");
    tamper(file, "UPDATE events SET body = replace(body, 'trip', 'trap') WHERE session = 'trip-42' AND seq = 1");
    const { stdout, exit } = await journal("verify", file);
    expect(exit).toBe("failed");
    expect(stdout).toBe(
      "✗ session trip-42, entry 1: it does not fit its hash and the one before: it, or its neighbour, was changed\n",
    );
    const json = await journal("verify", file, "--json");
    expect(json.exit).toBe("failed");
    expect(jsonOf(json)).toMatchObject({ ok: false, firstBad: { session: "trip-42", seq: 1 } });
  });
});

describe("a file that is not a journal", () => {
  const reading = [
    ["sessions"],
    ["show", "s"],
    ["verify"],
    ["export", "s"],
    ["import", "lines.jsonl"],
    ["prune", "--older-than", "30d"],
    ["questions"],
    ["answer", "q", "yes"],
  ].map((args) => [args[0] ?? "", args] as const);

  it.each(reading)("is not created by `%s`", async (_name, [name = "", ...args]) => {
    const file = folder.file(`nowhere-${name}.db`);
    const run = await journal(name, file, ...args);
    expect(run).toMatchObject({ stdout: "", exit: "usage" });
    expect(run.stderr).toContain(`There is no journal at ${file}.`);
    expect(existsSync(file)).toBe(false);
  });

  it("stays empty if it was empty", async () => {
    const file = folder.file("empty.db");
    writeFileSync(file, "");
    expect(await journal("sessions", file)).toMatchObject({
      stderr: expect.stringContaining(`There is no journal at ${file}. \`faultline workflow run\`,`) as string,
      exit: "usage",
    });
    expect(statSync(file).size).toBe(0);
  });

  it("may be a folder", async () => {
    const run = await journal("sessions", folder.path);
    expect(run).toEqual({
      stdout: "",
      stderr: `faultline: Cannot read ${folder.path}: it is a folder.\n`,
      exit: "usage",
    });
  });

  it.each([
    [
      "of another program",
      (file: string) => tamper(file, "CREATE TABLE own (x)"),
      "the SQLite file of another program",
    ],
    ["of text", (file: string) => writeFileSync(file, "hello, I am no database"), "it is not an SQLite file"],
    [
      "torn",
      (file: string) => writeFileSync(file, readFileSync(agent).subarray(0, 5_000)),
      "was cut off: its last page has 904 of 4096 bytes",
    ],
    [
      "of a newer program",
      (file: string) => tamper(folder.copy(agent, file.slice(folder.path.length + 1)), "PRAGMA user_version = 99"),
      "a newer program wrote it",
    ],
  ])("is refused with the journal's own message when it is %s, and not changed", async (what, make, why) => {
    const file = folder.file(`refused ${what}.db`);
    make(file);
    const before = readFileSync(file);
    const run = await journal("sessions", file);
    expect(run).toMatchObject({ stdout: "", exit: "config" });
    expect(run.stderr).toContain(why);
    expect(run.stderr).toMatch(/^faultline: .+\n$/);
    expect(readFileSync(file).equals(before)).toBe(true);
    const chinese = await journal("sessions", file, "--locale", "zh-CN");
    expect(chinese.stderr).toMatch(/^faultline: .+\p{Script=Han}/u);
    expect(englishIn(chinese.stderr.replaceAll(file, "•"))).toEqual([]);
  });
});

describe("journal prune", () => {
  it("removes what ended long ago, and nothing that waits or is recent", async () => {
    const file = folder.copy(agent, "prune.db");
    await writeTrip(file, FAR_AHEAD, "young");
    const dry = await journal("prune", file, "--older-than", "30d", "--dry-run");
    expect(dry).toMatchObject({ stderr: "", exit: "ok" });
    expect(dry.stdout).toMatch(/^session .*\norder-7 .*\ntrip-42 .*\n2 sessions would be removed\n$/);
    expect(await journal("prune", file, "--older-than", "30d")).toEqual({
      stdout: "2 sessions removed\n",
      stderr: "",
      exit: "ok",
    });
    expect(jsonOf(await journal("sessions", file, "--json"))).toMatchObject([
      { session: "young" },
      { session: "report-3" },
    ]);
    expect(jsonOf(await journal("prune", file, "--older-than", "90m", "--json"))).toMatchObject({ removed: 0 });
  });

  it.each(["30", "d", "-1d", "1y", ""])("refuses %j as a time", async (time) => {
    const run = await journal("prune", agent, "--older-than", time);
    expect(run).toMatchObject({ stdout: "", exit: "usage" });
    expect(run.stderr).toContain("15m, 2h, 7d");
  });

  it("requires an age", async () => {
    expect(await journal("prune", agent)).toMatchObject({ stdout: "", exit: "usage" });
  });
});
