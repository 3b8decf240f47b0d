// Manual changes to a journal's file are detected: verification names the record, and resuming from it is refused. The exceptions
// are columns that do not affect decisions, and they are listed here.

import { copyFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createFaultline, openJournal, step, tool } from "../../src/index.ts";
import { createWorkflows, defineWorkflow, stage } from "../../src/workflow/index.ts";
import { keptDigest as digest } from "../../src/journal/chain.ts";
import { codeOf, readAll } from "../../src/testing/journal-samples.ts";
import { tempFolder } from "./temp-folder.ts";
import { samples } from "../support/grid.ts";

const folder = tempFolder();
const original = folder.file("original.db");

const gated = defineWorkflow({
  id: "gated",
  stages: {
    count: stage({ act: () => ({ amount: 1003 }) }),
    ask: stage({
      act: async (_request, { ask }) => ask({ payload: { kind: "Confirm", prompt: "Go on?" }, timeoutMs: 3e12 }),
    }),
  },
});
const down = tool({
  id: "down",
  run: () => {
    throw Object.assign(new Error("503"), { status: 503 });
  },
});
const pay = tool({ id: "pay", run: () => ({ amount: 1003 }) });

beforeAll(async () => {
  const journal = await openJournal(original);
  const session = await createFaultline({ journal }).session("trip");
  for (let turn = 0; turn < 2; turn++)
    await session.turn({ pay: step(pay, null), down: step(down, null, { optional: true }) });
  await session.leave();
  await journal.append(
    "open",
    0,
    [{ at: 1, event: { type: "extension-started", name: "x" } }],
    [
      { kind: "result", key: "open/c1", value: { amount: 1003 } },
      { kind: "input", key: "open/c1", value: { amount: 1003 } },
      { kind: "snapshot", key: "open", value: { amount: 1003 } },
      { kind: "breaker", key: "api", value: { amount: 1003 } },
      { kind: "incident", key: "i", value: [{ at: 1, worked: true, recourse: "retry" }] },
    ],
  );
  const workflows = createWorkflows({ journal, workflows: [gated] });
  await workflows.runs.start(gated, { run: "run_1" });
  await workflows.runs.advance("run_1");
  await journal.hold("run_1", "somebody", 9e15, 1);
  await workflows.close();
});
afterAll(() => folder.remove());

let copies = 0;
function tampered(change: (db: DatabaseSync) => void): string {
  const path = folder.file(`copy-${++copies}.db`);
  copyFileSync(original, path);
  const db = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  change(db);
  db.close();
  return path;
}

/** The record that verification names, or the refusal to open the file at all. */
async function firstBadOf(path: string): Promise<unknown> {
  const [opening] = await Promise.allSettled([openJournal(path, { readOnly: true })]);
  if (opening.status === "rejected") return opening.reason;
  const { firstBad } = await opening.value.verify();
  await opening.value.close();
  return firstBad;
}

/** Nothing is decided by these: the order of entries of different sessions, when a value was last written, and leases, which appends
 * are fenced against. The store's id is compared when a session is taken up. */
const HARMLESS: ReadonlySet<string> = new Set([
  "events.id",
  "kept.updated_at",
  "holds.key",
  "holds.owner",
  "holds.until",
  "meta.name",
  "meta.value",
  "sessions.number",
]);

interface Cell {
  readonly table: string;
  readonly column: string;
  readonly row: number;
  readonly value: string | number | null;
}

function cells(): readonly Cell[] {
  const db = new DatabaseSync(original, { readOnly: true });
  const found = ["sessions", "events", "kept", "faults", "fault_groups"].flatMap((table) =>
    db
      .prepare(
        `SELECT ${table === "sessions" ? "number" : table === "events" ? "id" : "rowid"} AS row, * FROM ${table}`,
      )
      .all()
      .flatMap(({ row, ...columns }) =>
        Object.entries(columns)
          .filter(([column]) => !HARMLESS.has(`${table}.${column}`))
          .map(([column, value]) => ({ table, column, row: Number(row), value: value as Cell["value"] })),
      ),
  );
  db.close();
  return found;
}

function otherThan(value: Cell["value"], place: number): string | number {
  if (typeof value !== "string" || value === "") return typeof value === "number" ? value + 1 : "x";
  const at = place % value.length;
  const unit = value.charCodeAt(at);
  return `${value.slice(0, at)}${String.fromCharCode(unit === 0x31 ? 0x32 : 0x31)}${value.slice(at + 1)}`;
}

describe("a journal file that was changed by hand", () => {
  it("is sound before the change", async () => {
    expect(await firstBadOf(original)).toBeNull();
  });

  it("is detected for every changed cell", async () => {
    const all = cells();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...all), fc.nat(), async ({ table, column, row, value }, place) => {
        const changed = otherThan(value, place);
        fc.pre(changed !== value);
        const path = tampered((db) => {
          const id = table === "sessions" ? "number" : table === "events" ? "id" : "rowid";
          db.prepare(`UPDATE OR IGNORE ${table} SET ${column} = ? WHERE ${id} = ?`).run(changed, row);
          fc.pre(Number(db.prepare("SELECT changes() AS n").get()?.["n"]) === 1);
        });
        expect(await firstBadOf(path), `${table}.${column} of row ${row}`).not.toBeNull();
      }),
      { numRuns: samples(50, 200) },
    );
  });

  it.each(["events", "sessions"])("is detected for every deleted row of %s", async (table) => {
    const db = new DatabaseSync(original, { readOnly: true });
    const count = Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.["n"]);
    db.close();
    for (let row = 0; row < count; row++) {
      const id = table === "events" ? "id" : "number";
      const path = tampered((copy) =>
        copy.exec(`DELETE FROM ${table} WHERE ${id} = (SELECT ${id} FROM ${table} LIMIT 1 OFFSET ${row})`),
      );
      expect(await firstBadOf(path), `row ${row} of ${table}`).not.toBeNull();
    }
  });

  it.each(["result", "input"])("is detected when a %s is deleted or swapped", async (kind) => {
    expect(
      await firstBadOf(tampered((db) => db.exec(`DELETE FROM kept WHERE kind = '${kind}' AND key LIKE 'open%'`))),
    ).toMatchObject({ session: "open" });
    const swapped = tampered((db) =>
      db.exec(`UPDATE kept SET key = 'open/c2' WHERE kind = '${kind}' AND key = 'open/c1'`),
    );
    expect(await firstBadOf(swapped)).not.toBeNull();
  });

  it.each(["result", "input", "snapshot", "breaker", "run", "wake", "question", "incident"] as const)(
    "refuses to hand out a %s that was changed",
    async (kind) => {
      const path = tampered((db) => db.exec(`UPDATE kept SET value = value || ' ' WHERE kind = '${kind}'`));
      const journal = await openJournal(path);
      const db = new DatabaseSync(path, { readOnly: true });
      const keys = db
        .prepare("SELECT key FROM kept WHERE kind = ?")
        .all(kind)
        .map((row) => String(row["key"]));
      db.close();
      expect(keys.length).toBeGreaterThan(0);
      for (const key of keys) expect(await codeOf(journal.kept(kind, key))).toBe("ManifestDrift");
      expect(await codeOf(journal.keptAll(kind))).toBe("ManifestDrift");
      await journal.close();
    },
  );

  it("refuses a result with a recomputed checksum: its entry has the hash", async () => {
    const path = tampered((db) => {
      const { value } = db.prepare("SELECT value FROM kept WHERE kind = 'result' AND key = 'open/c1'").get() as {
        value: string;
      };
      const forged = value.replace("1003", "9003");
      db.prepare("UPDATE kept SET value = ?, hash = ? WHERE kind = 'result' AND key = 'open/c1'").run(
        forged,
        digest("result", "open/c1", forged),
      );
    });
    const journal = await openJournal(path);
    expect(await codeOf(journal.kept("result", "open/c1"))).toBe("ManifestDrift");
    expect((await journal.verify()).firstBad).toMatchObject({ session: "open" });
    await journal.close();
  });

  it("does not resume a session with a changed result or entry", async () => {
    const changes = [
      "UPDATE kept SET value = replace(value, '1003', '9003') WHERE kind = 'result' AND key LIKE 'trip%'",
      "UPDATE kept SET value = replace(value, '1', '2') WHERE kind = 'snapshot' AND key = 'trip'",
      "DELETE FROM kept WHERE kind = 'snapshot'; UPDATE events SET body = replace(body, 'pay', 'pax') WHERE session = 'trip' AND seq = 4",
      "DELETE FROM kept WHERE kind = 'snapshot'; DELETE FROM events WHERE session = 'trip' AND seq = (SELECT max(seq) FROM events WHERE session = 'trip')",
    ];
    for (const change of changes) {
      const journal = await openJournal(tampered((db) => db.exec(change)));
      let ran = 0;
      const fl = createFaultline({ journal });
      const goOn = async (): Promise<unknown> => {
        const session = await fl.session("trip");
        const result = await session.turn({ pay: step(tool({ id: "pay", run: () => ({ amount: ++ran }) }), null) });
        if (result.fault !== null) throw Object.assign(new Error(), { code: result.fault.code });
        return result;
      };
      await expect(goOn(), change).rejects.toThrow();
      expect(ran, change).toBe(0);
      await journal.close();
    }
  });

  it.each(["trip", "open"])(
    "names the first entry that is missing, whichever of the last of %s are gone",
    async (session) => {
      const sound = await openJournal(tampered(() => undefined));
      const { length } = await readAll(sound, session);
      await sound.close();
      for (let left = 0; left < length; left++) {
        const path = tampered((db) =>
          db.prepare("DELETE FROM events WHERE session = ? AND seq > ?").run(session, left),
        );
        const journal = await openJournal(path);
        await expect(readAll(journal, session), `${left} are left`).rejects.toThrow(`Entry ${left + 1} of session`);
        await journal.close();
      }
    },
  );

  it("is read completely when it was not changed", async () => {
    const journal = await openJournal(tampered(() => undefined));
    expect((await readAll(journal, "trip")).length).toBeGreaterThan(5);
    await journal.close();
  });
});
