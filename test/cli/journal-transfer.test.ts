// Sessions travel between real journals through `faultline journal export` and `import`, whole or not at all.

import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openJournal } from "../../src/index.ts";
import { writeRescue } from "../../src/journal/files/rescue.ts";
import { jsonOf, type Run, runCli, runShell } from "../support/run-cli.ts";
import { entryCounts, type Folder, HIDDEN, newFolder, NOON, tamper, writeTrip } from "./journals.ts";

let folder: Folder;
let agent = "";
/** The output of `export`. */
let lines = "";
let count = 0;

beforeAll(async () => {
  folder = newFolder();
  agent = folder.file("agent.db");
  await writeTrip(agent);
  count = (await entryCounts(agent))["trip-42"] ?? 0;
  lines = (await journal("export", agent, "trip-42")).stdout;
});
afterAll(() => folder.remove());

function journal(...args: readonly string[]): Promise<Run> {
  return runCli(["journal", ...args]);
}

function pipedInto(stdin: string, ...args: readonly string[]): Promise<Run> {
  return runCli(["journal", ...args], { stdin });
}

describe("journal export", () => {
  it("prints a header, the entries and a footer", () => {
    const all = lines.trimEnd().split("\n");
    expect(all).toHaveLength(count + 2);
    expect(JSON.parse(all[0] ?? "")).toMatchObject({ format: "faultline-session", session: "trip-42", entries: count });
    expect(JSON.parse(all.at(-1) ?? "")).toMatchObject({ end: true, entries: count, kept: 0 });
    expect(lines).not.toContain(HIDDEN[0]);
  });

  it("adds results on request", async () => {
    const { stdout } = await journal("export", agent, "trip-42", "--with-results");
    expect(stdout).toContain('"kind":"result"');
    expect(lines).not.toContain('"kind":"result"');
  });

  it("writes a new file readable only by its owner, and never overwrites one", async () => {
    const out = folder.file("trip.jsonl");
    expect(await journal("export", agent, "trip-42", "-o", out)).toEqual({
      stdout: `✓ session trip-42 is in ${out}\n`,
      stderr: "",
      exit: "ok",
    });
    expect(readFileSync(out, "utf8")).toBe(lines);
    expect(statSync(out).mode & 0o777).toBe(0o600);
    const before = readFileSync(agent);
    const again = await journal("export", agent, "trip-42", "-o", agent);
    expect(again).toMatchObject({ stdout: "", exit: "usage" });
    expect(again.stderr).toContain("it already exists");
    expect(readFileSync(agent).equals(before)).toBe(true);
  });

  it("leaves no file if it cannot finish", async () => {
    const broken = folder.copy(agent, "broken.db");
    tamper(broken, "DELETE FROM events WHERE seq = 20");
    const out = folder.file("broken.jsonl");
    const run = await journal("export", broken, "trip-42", "-o", out);
    expect(run).toMatchObject({ stdout: "", exit: "config" });
    expect(run.stderr).toContain("Entry 20 of session trip-42 is missing");
    expect(existsSync(out)).toBe(false);
    expect(await journal("export", agent, "trip-43", "-o", out)).toMatchObject({ exit: "usage" });
    expect(existsSync(out)).toBe(false);
  });
});

describe("journal import", () => {
  it("imports a session into another journal through a pipe", async () => {
    const file = folder.file("elsewhere.db");
    expect(await pipedInto(lines, "import", file, "-", "--adopt")).toEqual({
      stdout:
        `✓ session trip-42: ${count} entries written, 0 already there\n` +
        "It was taken over from another store: do not continue it there.\n",
      stderr: "",
      exit: "ok",
    });
    const shown = async (of: string): Promise<string> =>
      (await journal("show", of, "trip-42")).stdout.replaceAll(of, "JOURNAL");
    expect(await shown(file)).toBe(await shown(agent));
    expect(await journal("verify", file)).toMatchObject({ stdout: `✓ 1 session, ${count} entries, all unchanged\n` });
  });

  it("is harmless when repeated", async () => {
    const again = await pipedInto(lines, "import", folder.copy(agent, "twice.db"), "--json");
    expect(jsonOf(again)).toEqual({ session: "trip-42", appended: 0, already: count, adopted: false });
  });

  it("imports a rescue file", async () => {
    const file = folder.copy(agent, "rescued.db");
    const store = await openJournal(file);
    await store.append("lost", 0, [
      {
        at: NOON,
        event: {
          type: "session-started",
          manifest: {
            sessionId: "lost",
            storeId: store.storeId,
            contract: 1,
            mode: "attended",
            createdAt: NOON,
            labels: {},
          },
        },
      },
    ]);
    const rest = [{ at: NOON + 1, event: { type: "session-ended", status: "done", fault: null } }] as const;
    const rescue = await writeRescue([folder.path], {
      storeId: store.storeId,
      session: "lost",
      after: 1,
      entries: rest,
      keeps: [],
      at: NOON + 2,
    });
    await store.close();
    expect(await journal("import", file, rescue)).toMatchObject({
      stdout: "✓ session lost: 1 entry written, 0 already there\n",
      exit: "ok",
    });
    expect(jsonOf(await journal("sessions", file, "--status", "done", "--limit", "1", "--json"))).toMatchObject([
      { session: "lost", lastSeq: 2 },
    ]);
  });

  it("refuses a session of another store without --adopt", async () => {
    const other = folder.file("other.db");
    await writeTrip(other, NOON, "other-1");
    const run = await pipedInto(lines, "import", other);
    expect(run).toMatchObject({ stdout: "", exit: "failed" });
    expect(run.stderr).toContain("was written by store");
    expect(jsonOf(await journal("sessions", other, "--json"))).toHaveLength(1);
  });

  it.each([
    ["changed", (text: string) => text.replace('"ada"', '"eve"'), "was changed"],
    ["cut", (text: string) => text.slice(0, -200), "cut"],
    ["something else", () => '{"hello":1}\n', "it is not the header of a session file"],
  ])("creates no journal for a file that is %s", async (what, change, why) => {
    const file = folder.file(`untrusted ${what}.db`);
    const run = await pipedInto(change(lines), "import", file, "--adopt");
    expect(run).toMatchObject({ stdout: "", exit: "config" });
    expect(run.stderr).toContain(why);
    expect(readdirSync(folder.path).filter((name) => name.startsWith(`untrusted ${what}`))).toEqual([]);
  });

  it("reports that nothing was imported", async () => {
    const run = await journal("import", agent);
    expect(run).toMatchObject({ stdout: "", exit: "usage" });
    expect(run.stderr).toContain("Nothing to import");
    expect((await journal("import", agent, folder.file("none.jsonl"))).stderr).toContain("there is no such file");
  });

  it("says why a journal is needed first", async () => {
    const run = await pipedInto(lines, "import", folder.file("none.db"));
    expect(run.stderr).toContain("Without --adopt, a session can only be imported into the store that wrote it.");
    expect(run.exit).toBe("usage");
  });
});

it("a copy that is repeated says that nothing was new", async () => {
  const to = folder.file("copied.db");
  expect((await journal("copy", agent, to)).stdout).toMatch(/^✓ [1-9]\d* entries copied; /);
  expect((await journal("copy", agent, to)).stdout).toMatch(
    /^✓ no new entries to copy; .* are the same in both journals\n/,
  );
  expect((await journal("copy", agent, to, "--locale", "zh-CN")).stdout).toContain("没有新条目需要复制");
});

it("a copy that finds no room names the target, and continues when there is some", async () => {
  const [from, to] = [folder.file("long.db"), folder.file("short.db")];
  const many = await openJournal(from);
  const text = "x".repeat(20_000);
  for (let index = 0; index < 20; index++)
    await many.keep([{ kind: "transcript", key: `call_${index}`, value: { at: 1, text } }]);
  await many.close();
  // The shell lets files grow to 100 kB, as a disk that is nearly full does.
  const run = await runShell(`ulimit -f 200; faultline journal copy ${from} ${to}`);
  expect(run.exit).toBe("failed");
  expect(run.stderr).toContain(to);
  expect(run.stderr).not.toContain(from);
  expect(run.stderr).not.toContain("unexpected error");
  expect((await journal("copy", from, to)).exit).toBe("ok");
});

it("a damaged file is not answered with the command that has just found it", async () => {
  const file = folder.copy(agent, "damaged.db");
  const bytes = readFileSync(file);
  bytes.fill(0x5a, 4_096, 4_096 * 6);
  writeFileSync(file, bytes);
  for (const [locale, advice] of [
    ["en", "Restore a copy of the file, or move it away and begin a new one."],
    ["zh-CN", "请换回文件的副本，或把它移走后重新开始。"],
  ] as const) {
    const { stderr } = await journal("verify", file, "--locale", locale);
    expect(stderr).toContain(advice);
    expect(stderr).not.toMatch(/verif|校验/);
  }
});

it("a missing journal is answered with all commands that create one", async () => {
  const { stderr } = await journal("sessions", folder.file("none.db"));
  for (const command of ["workflow run", "run --journal", "serve", "worker", "gateway"])
    expect(stderr).toContain(`\`faultline ${command}\``);
});
