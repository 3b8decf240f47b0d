// The least that a durable event can cost: node:sqlite with the pragmas of our journal, one table, one insert.

import { DatabaseSync } from "node:sqlite";

export class BareSqlite {
  readonly #db: DatabaseSync;
  readonly #insert: (session: string, seq: number, body: string) => void;

  constructor(path: string) {
    this.#db = new DatabaseSync(path);
    this.#db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
      CREATE TABLE IF NOT EXISTS entry (
        session TEXT NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL, body TEXT NOT NULL, UNIQUE (session, seq)
      )`);
    const statement = this.#db.prepare("INSERT INTO entry (session, seq, at, body) VALUES (?, ?, ?, ?)");
    this.#insert = (session, seq, body) => void statement.run(session, seq, 0, body);
  }

  insert(session: string, seq: number, body: string): void {
    this.#insert(session, seq, body);
  }

  /** All inserts of `work` in one transaction. */
  together(work: () => void): void {
    this.#db.exec("BEGIN IMMEDIATE");
    work();
    this.#db.exec("COMMIT");
  }

  /** Reads a session and parses each body; returns how many there were. */
  readAll(session: string): number {
    let events = 0;
    const rows = this.#db.prepare("SELECT seq, at, body FROM entry WHERE session = ? ORDER BY seq").iterate(session);
    for (const row of rows) {
      const event = JSON.parse(String(row["body"])) as { readonly type: string };
      if (event.type !== "") events++;
    }
    return events;
  }

  close(): void {
    this.#db.close();
  }
}
