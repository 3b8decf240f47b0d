// A journal copied from SQLite to PostgreSQL and back is the same journal: entries, hashes, kept values, lists and files.

import { spawnSync } from "node:child_process";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { copyJournal } from "../../../src/journal/copy/copy-journal.ts";
import type { Journal } from "../../../src/journal/journal.ts";
import { openJournal } from "../../../src/journal/open-journal.ts";
import { codeOf, ended, failed, note, readAll, started, succeeded } from "../../../src/testing/journal-samples.ts";
import { freshJournalUrl } from "../../postgres/shared-server.ts";
import { bundledProgram } from "../../support/bundled-program.ts";
import { tempFolder, type TempFolder } from "../temp-folder.ts";

const PROGRAM = bundledProgram(new URL("copy-process.ts", import.meta.url));

let folder: TempFolder;
beforeEach(() => {
  folder = tempFolder();
});
afterEach(() => folder.remove());

async function using<T>(place: string, work: (journal: Journal) => Promise<T>): Promise<T> {
  const journal = await openJournal(place);
  try {
    return await work(journal);
  } finally {
    await journal.close();
  }
}

const run = (id: string, status: string): object => ({ run: id, workflow: "deploy", status, nodes: [], startedAt: 5 });

/** Sessions that take turns, values that were replaced or removed, a gap, failures, files. */
async function fill(place: string, rounds = 40): Promise<void> {
  await using(place, async (journal) => {
    await journal.append("gone", 0, [note("x"), ended("done", 1)]);
    for (let round = 0; round < rounds; round++) {
      for (const session of ["a", "b", "c"])
        await journal.append(
          session,
          round * 2,
          [
            round === 0 ? started(session, journal.storeId, 10) : note(`€ ${round}`, round + 0.5),
            failed(round, { call: `c${round}` }),
          ],
          [
            { kind: "result", key: `${session}/last`, value: { round } },
            { kind: "result", key: `${session}/${round - 1}`, value: null },
            { kind: "result", key: `${session}/${round}`, value: "\u0000" },
            { kind: "snapshot", key: session, value: [round] },
            { kind: "run", key: session, value: run(session, round % 2 === 0 ? "running" : "failed") },
          ],
        );
    }
    await journal.append("a", rounds * 2, [succeeded(99, `c${rounds - 1}`)]);
    await journal.keep([
      { kind: "breaker", key: "api", value: { state: "open" } },
      { kind: "wake", key: "a", value: 12.5 },
      { kind: "question", key: "q", value: { session: "b", askedAt: 3 } },
      { kind: "follower", key: "hub", value: 7 },
    ]);
    await journal.prune({ before: 5 });
    await journal.files?.artefacts.writeNew(
      "a/call",
      "out",
      Uint8Array.from({ length: 300_000 }, (_, at) => at % 256),
    );
    await journal.files?.runs.within("a").replace("rounds/01/coder.md", "text €");
  });
}

/** Everything a reader can see of a journal, but for positions, which are given again. */
function contentOf(place: string): Promise<unknown> {
  return using(place, async (journal) => {
    const withoutPosition = (rows: readonly { readonly position: number }[]): unknown =>
      rows.map((row) => ({ ...row, position: 0 }));
    const groups = await journal.faultGroups({ limit: 99 });
    const kinds = ["result", "snapshot", "run", "breaker", "wake", "question"] as const;
    return {
      storeId: journal.storeId,
      verified: await journal.verify(),
      sessions: await journal.sessions(),
      order: withoutPosition(await journal.readFrom(0, { limit: Infinity })),
      entries: await Promise.all(["a", "b", "c", "gone"].map((session) => readAll(journal, session))),
      kept: await Promise.all(kinds.map((kind) => journal.keptAll(kind))),
      runs: await journal.keptByTime("run", { order: "newest", limit: 9, tags: ["status:failed"] }),
      groups,
      faults: await Promise.all(
        groups.map(async ({ fingerprint }) => withoutPosition(await journal.faultsOf(fingerprint, { limit: 999 }))),
      ),
      helped: await Promise.all(groups.map(({ fingerprint }) => journal.faultRecourses(fingerprint))),
      found: (await journal.search("deploy", { limit: 9 })).length,
      files: [await journal.files?.artefacts.list(), await journal.files?.runs.list()],
      file: Buffer.from((await journal.files?.artefacts.read("a/call/out")) ?? []).toString("base64"),
    };
  });
}

describe("a copy", () => {
  it(
    "to PostgreSQL, and from there back to a file, has the same content, and goes on",
    { timeout: 120_000 },
    async () => {
      const [file, url, back] = [folder.file("a.db"), await freshJournalUrl(), folder.file("b.db")];
      await fill(file);
      const before = await contentOf(file);
      expect(await copyJournal(file, url)).toMatchObject({ entries: 241, files: 2 });
      expect(await contentOf(url)).toEqual(before);
      await copyJournal(url, back);
      expect(await contentOf(back)).toEqual(before);
      expect(await copyJournal(url, back)).toMatchObject({ entries: 0 });
      await using(url, async (journal) => {
        expect(await journal.kept("follower", "hub")).toBeNull();
        await journal.append("b", 80, [note("more")]);
        expect(await journal.verify()).toMatchObject({ firstBad: null });
      });
    },
  );

  it("that was broken off continues where it stopped", { timeout: 120_000 }, async () => {
    const [file, url] = [folder.file("a.db"), await freshJournalUrl()];
    await fill(file, 200);
    const broken = copyJournal(file, url, (count) => {
      if (count >= 500) throw new Error("the power went out");
    });
    await expect(broken).rejects.toThrow("the power went out");
    const { entries } = await copyJournal(file, url);
    expect(entries).toBe(1_201 - 500);
    expect(await contentOf(url)).toEqual(await contentOf(file));
  });

  it("whose process was killed with SIGKILL continues, as often as it takes", { timeout: 120_000 }, async () => {
    const [file, url] = [folder.file("a.db"), await freshJournalUrl()];
    await fill(file, 200);
    const copy = (killedAfter: number): NodeJS.Signals | null =>
      spawnSync(process.execPath, [PROGRAM, file, url, String(killedAfter)]).signal;
    expect([copy(500), copy(500)]).toEqual(["SIGKILL", "SIGKILL"]);
    expect(copy(Infinity)).toBeNull();
    expect(await contentOf(url)).toEqual(await contentOf(file));
  });

  it.each([
    ["an entry", "UPDATE events SET body = replace(body, '€ 3', '€ 4') WHERE seq = 7", /Entry 7 of session a/],
    ["a hash", `UPDATE events SET hash = '${"0".repeat(64)}' WHERE seq = 9`, /Entry 9 of session a/],
    ["a kept value", `UPDATE kept SET value = '{"round":1}' WHERE key = 'a/last'`, /The result kept under a\/last/],
  ])("of a journal in which %s was changed is refused by name", async (_what, change, said) => {
    const [file, url] = [folder.file("a.db"), await freshJournalUrl()];
    await fill(file, 10);
    const db = new DatabaseSync(file);
    db.exec(change);
    db.close();
    await expect(copyJournal(file, url)).rejects.toThrow(said);
  });

  it.each([
    { target: "SQLite", to: () => Promise.resolve(folder.file("target.db")) },
    { target: "PostgreSQL", to: freshJournalUrl },
  ])("into a journal in $target that only keeps values is refused, too", async ({ to: fresh }) => {
    const [from, to] = [folder.file("source.db"), await fresh()];
    await fill(from, 2);
    await using(to, (journal) => journal.keep([{ kind: "breaker", key: "api", value: "mine" }]));
    expect(await codeOf(copyJournal(from, to))).toBe("ShapeInvalid");
    expect(await using(to, (journal) => journal.kept("breaker", "api"))).toBe("mine");
  });

  it("into a journal with sessions of its own is refused, and changes nothing there", async () => {
    const [file, url] = [folder.file("a.db"), await freshJournalUrl()];
    await fill(file, 2);
    await using(url, (journal) => journal.append("own", 0, [note("x")]));
    expect(await codeOf(copyJournal(file, url))).toBe("ShapeInvalid");
    expect(await codeOf(copyJournal(file, file))).toBe("ShapeInvalid");
    await using(url, async (journal) => {
      expect((await journal.sessions()).map(({ session }) => session)).toEqual(["own"]);
    });
  });
});
