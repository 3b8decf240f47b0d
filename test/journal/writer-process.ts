// A process that works on a journal: `node writer-process.ts <action> <path> <session> <count>`.

import { once } from "node:events";
import { DatabaseSync } from "node:sqlite";
import { isFaultError } from "../../src/core/fault/fault.ts";
import { openSqliteJournal } from "../../src/journal/sqlite/sqlite-journal.ts";
import { note } from "../../src/testing/journal-samples.ts";
import type { Journal } from "../../src/journal/journal.ts";

const [, , action = "", path = "", session = "", count = "0"] = process.argv;

const ACTIONS: Readonly<Record<string, () => Promise<void>>> = {
  /** Fills its own session, and competes for a shared one. */
  async hammer() {
    const journal = await openJournal();
    for (let after = 0; after < Number(count); after++) {
      await insist(() => journal.append(session, after, [note(`${session}-${after}`)]));
      if (after % 5 === 0) await fight(journal, `${session}-${after}`);
      if (after % 7 === 0)
        await insist(() => journal.keep([{ kind: "breaker", key: "shared", value: { session, after } }]));
    }
    await journal.close();
  },
  /** Prints which entries are on disk, until it is killed. */
  async acknowledge() {
    const journal = await openJournal();
    for (let after = 0; ; after++) {
      await insist(() => journal.append(session, after, [note("x".repeat(300))]));
      process.stdout.write(`${after + 1}\n`);
    }
  },
  /** Locks the store until its stdin ends. */
  async hold() {
    const db = new DatabaseSync(path);
    db.exec("BEGIN IMMEDIATE");
    process.stdout.write("held\n");
    await once(process.stdin.resume(), "end");
    db.exec("COMMIT");
    db.close();
  },
  /** When its stdin ends it asks for many keys, and prints each one that it got. */
  async claim() {
    const journal = await openJournal();
    process.stdout.write("ready\n");
    await once(process.stdin.resume(), "end");
    for (let number = 0; number < Number(count); number++) {
      const { granted } = await insist(() => journal.hold(`k${number}`, session, 1000, 1));
      if (granted) process.stdout.write(`k${number}\n`);
    }
    await journal.close();
  },
  /** Subscribes, writes, and forgets to close anything. */
  async forget() {
    const journal = await openJournal();
    journal.subscribe(({ seq }) => void process.stdout.write(`${seq}\n`));
    await journal.append(session, 0, [note("a")]);
  },
};

function openJournal(): Promise<Journal> {
  return openSqliteJournal(path, { onWarning: () => undefined });
}

/** Many processes at once may block one for longer than its timeout. */
async function insist<T>(write: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await write();
    } catch (error) {
      if (!isFaultError(error) || error.fault.code !== "StoreUnavailable") throw error;
    }
  }
}

/** Reads the end of the shared session and appends to it; a loser reads again. */
async function fight(journal: Journal, name: string): Promise<void> {
  for (;;) {
    const after = (await journal.session("shared"))?.lastSeq ?? 0;
    try {
      await insist(() => journal.append("shared", after, [note(name)]));
      return;
    } catch (error) {
      if (!isFaultError(error) || error.fault.code !== "EngineState") throw error;
    }
  }
}

await ACTIONS[action]?.();
