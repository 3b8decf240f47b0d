// Commands that only read a journal create and change nothing, even where they could not: in a file and a folder of another user.
// The commands run as another user if the tests run as root, who may write everywhere: here, and as processes where the program asks the
// system what it may do, or where another process has the journal.

import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Run, runCli } from "../support/run-cli.ts";
import { type Folder, newFolder, writeTrip } from "./journals.ts";
import { QUICK, WorkflowWorld } from "./workflow-world.ts";

let folder: Folder;
let file = "";

beforeAll(async () => {
  folder = newFolder();
  chmodSync(dirname(folder.file("x")), 0o755);
  mkdirSync(folder.file("theirs"));
  file = folder.file("theirs/agent.db");
  await writeTrip(file);
  chmodSync(file, 0o444);
  chmodSync(folder.file("theirs"), 0o555);
});
afterAll(() => {
  chmodSync(folder.file("theirs"), 0o755);
  folder.remove();
});

function asAnother(args: readonly string[], isHere = true): Promise<Run> {
  return runCli(args, { asNobody: true, isHere, folder: folder.path });
}

function contents(path: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    readdirSync(path, { withFileTypes: true })
      .filter((one) => one.isFile())
      .map(({ name }) => [name, `${statSync(join(path, name)).mtimeMs} ${readFileSync(join(path, name), "latin1")}`]),
  );
}

const LOOKS = [
  ["journal sessions", (path: string) => ["journal", "sessions", path], "trip-42"],
  ["journal show", (path: string) => ["journal", "show", path, "trip-42"], "per tool"],
  ["journal verify", (path: string) => ["journal", "verify", path], "all unchanged"],
  ["journal questions", (path: string) => ["journal", "questions", path], "There are no open questions"],
  ["journal export", (path: string) => ["journal", "export", path, "trip-42"], '"end":true'],
  [
    "journal prune --dry-run",
    (path: string) => ["journal", "prune", path, "--older-than", "1d", "--dry-run"],
    "would be removed",
  ],
  ["runs list", (path: string) => ["runs", "list", "--journal", path], "There are no runs in this journal"],
] as const;

describe("a read-only command", () => {
  it.each(LOOKS)("shows a journal without write permission, and leaves it alone: %s", async (_name, args, shown) => {
    const before = contents(dirname(file));
    const got = await asAnother(args(file));
    expect(got.stdout + got.stderr).toContain(shown);
    expect(got.exit).toBe("ok");
    expect(contents(dirname(file))).toEqual(before);
  });

  it.each(LOOKS)("creates no missing journal: %s", async (_name, args) => {
    const missing = folder.file("none/agent.db");
    const got = await asAnother(args(missing));
    expect(got).toMatchObject({ exit: "usage", stdout: "" });
    expect(got.stderr).toContain(`There is no journal at ${missing}.`);
    expect(readdirSync(dirname(dirname(missing)))).not.toContain("none");
  });

  it.each(LOOKS)("refuses a journal of a newer version, and leaves it unchanged: %s", async (_name, args) => {
    const newer = folder.file("newer.db");
    await writeTrip(newer);
    const db = new DatabaseSync(newer);
    db.exec("PRAGMA user_version = 99");
    db.close();
    chmodSync(newer, 0o644);
    const before = contents(dirname(newer));
    const got = await asAnother(args(newer));
    expect(got.exit).toBe("config");
    expect(got.stderr).toContain("a newer program wrote it. It was not changed; upgrade this program.");
    expect(contents(dirname(newer))).toEqual(before);
    rmSync(newer);
  });

  it.each(["show", "watch", "export"])("shows another user's run: runs %s", async (command) => {
    const world = new WorkflowWorld();
    await world.call(["workflow", "run", world.write("quick.yaml", QUICK), "--run", "one"]);
    chmodSync(world.path("runs.db"), 0o444);
    chmodSync(world.folder, 0o555);
    const before = contents(world.folder);
    // `watch` asks whether it may write, to answer what the run asks.
    const got = await asAnother(["runs", command, "one", "--journal", world.path("runs.db")], command !== "watch");
    expect(got.stdout + got.stderr).toContain("fine");
    expect(got.exit).toBe("ok");
    expect(contents(world.folder)).toEqual(before);
    chmodSync(world.folder, 0o755);
  });

  it("that reports whether the journal is writable does not migrate an older one: doctor", async () => {
    const old = folder.file("old.db");
    await writeTrip(old);
    const db = new DatabaseSync(old);
    db.exec("DROP TABLE holds; DROP INDEX kept_by_time; PRAGMA user_version = 2");
    db.close();
    const before = contents(dirname(old));
    const got = await runCli(["doctor", "codex", "--journal", old]);
    expect(got.stdout).toContain(`journal: ${old}; ok\n`);
    expect(contents(dirname(old))).toEqual(before);
    const theirs = await asAnother(["doctor", "codex", "--journal", file], false);
    expect(theirs.stdout).toContain("You have no write permission for its folder.");
    chmodSync(folder.file("theirs"), 0o777);
    const locked = await asAnother(["doctor", "codex", "--journal", file], false);
    chmodSync(folder.file("theirs"), 0o555);
    expect(locked.stdout).toContain("You have no write permission for the file.");
    rmSync(old);
  });

  it("says what to do about an unreadable log", async () => {
    const place = folder.file("died");
    mkdirSync(place);
    const died = join(place, "agent.db");
    await writeTrip(died);
    const writer = new DatabaseSync(died);
    writer.exec("INSERT INTO meta VALUES ('x', 'y')");
    for (const name of ["agent.db", "agent.db-wal"]) chmodSync(join(place, name), 0o444);
    rmSync(`${died}-shm`);
    chmodSync(place, 0o555);
    const got = await asAnother(["journal", "sessions", died], false);
    writer.close();
    chmodSync(place, 0o755);
    expect(got.exit).not.toBe("ok");
    expect(got.stderr).toContain("to a folder of your own, and look at them there.");
  });
});
