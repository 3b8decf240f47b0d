// Connections run out: other programs have all of the server's, or slow statements have all of the pool's. Work waits for a free one; what waits
// too long fails with a sentence that says what to do, and nothing is lost or done twice.

import pg from "pg";
import { afterEach, describe, expect, it } from "vitest";
import { isFaultError } from "../../../src/core/fault/fault.ts";
import type { Journal } from "../../../src/journal/journal.ts";
import { openJournal } from "../../../src/journal/open-journal.ts";
import { note, readAll } from "../../../src/testing/journal-samples.ts";
import { freshJournalUrl } from "../../postgres/shared-server.ts";

const atEnd: (() => unknown)[] = [];

afterEach(async () => {
  for (const undo of atEnd.splice(0).reverse()) await undo();
});

async function open(url: string, onWarning: (what: string) => void = () => undefined): Promise<Journal> {
  const journal = await openJournal(url, { onWarning: (_fault, what) => onWarning(what) });
  atEnd.push(() => journal.close());
  return journal;
}

async function connected(url: string): Promise<pg.Client> {
  const { pathname, username, password, host } = new URL(url);
  const client = new pg.Client(`postgres://${username}:${password}@${host}${pathname}`);
  await client.connect();
  atEnd.push(() => client.end());
  return client;
}

let roles = 0;

/** A journal of a user who may have so many connections at a time; `ruler` is not limited. */
async function limited(connections: number): Promise<{ readonly url: string; readonly ruler: pg.Client }> {
  const url = new URL(await freshJournalUrl());
  const ruler = await connected(url.href);
  const role = `few_${process.pid}_${++roles}`;
  await ruler.query(`CREATE ROLE ${role} LOGIN PASSWORD 'few' CONNECTION LIMIT ${connections}`);
  await ruler.query(`GRANT CREATE ON DATABASE ${url.pathname.slice(1)} TO ${role}`);
  url.username = role;
  url.password = "few";
  return { url: url.href, ruler };
}

async function refusalOf(work: Promise<unknown>): Promise<{ readonly code: string; readonly message: string }> {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!isFaultError(error)) throw new Error("it was not refused", { cause: error });
  return { code: error.fault.code, message: error.message };
}

describe("connections of the server that other programs have", () => {
  it("are waited for, and everything that waited is done once, in order", { timeout: 60_000 }, async () => {
    const { url } = await limited(2);
    const others = [await connected(url), await connected(url)];
    const isWaiting = Promise.withResolvers<string>();
    const opening = open(`${url}&connections=1`, isWaiting.resolve);
    expect(await isWaiting.promise).toContain("trying again");
    await others[0]?.end();
    const journal = await opening;
    // The pool has one; the writer waits for its own.
    const writes = Promise.all([1, 2, 3].map((index) => journal.append("s", index - 1, [note(`entry ${index}`)])));
    await others[1]?.end();
    await writes;
    expect((await readAll(journal, "s")).map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(await journal.verify()).toEqual({ sessions: 1, entries: 3, firstBad: null });
  });

  it("and that never get free fail a write after a while; it can be made again", { timeout: 60_000 }, async () => {
    const { url } = await limited(2);
    const other = await connected(url);
    const journal = await open(`${url}&connections=1`);
    const { code, message } = await refusalOf(journal.append("s", 0, [note("a")]));
    expect(code).toBe("StoreUnavailable");
    expect(message).toMatch(
      /too many connections for role .*\. Raise max_connections of the server, lower \?connections= of each process, or use a pooler\.$/,
    );
    expect(await readAll(journal, "s")).toEqual([]);
    await other.end();
    await journal.append("s", 0, [note("a")]);
    expect(await readAll(journal, "s")).toHaveLength(1);
  });
});

describe("connections of the pool that slow statements have", () => {
  async function blocked(
    more: string,
  ): Promise<{ readonly journal: Journal; readonly release: () => Promise<unknown> }> {
    const url = await freshJournalUrl();
    const journal = await open(`${url}&connections=1${more}`);
    await journal.append("s", 0, [note("a")]);
    const blocker = await connected(url);
    await blocker.query(
      `BEGIN; LOCK TABLE ${new URL(url).searchParams.get("schema")}.sessions IN ACCESS EXCLUSIVE MODE`,
    );
    return { journal, release: () => blocker.query("COMMIT") };
  }

  it("are waited for in line by reads, and by writes that need a look first", async () => {
    const { journal, release } = await blocked("");
    const waiting = [
      ...Array.from({ length: 20 }, () => journal.session("s")),
      journal.append("s", 1, [note("b")]),
      journal.hold("k", "me", Date.now() + 60_000, Date.now()),
    ];
    await release();
    const [first, ...others] = await Promise.all(waiting);
    expect(first).toMatchObject({ session: "s" });
    expect(others.at(-1)).toMatchObject({ granted: true });
    expect(await readAll(journal, "s")).toHaveLength(2);
  });

  it("get free when the server stops them: the statement fails with its reason, and the next one has its turn", async () => {
    const { journal, release } = await blocked("&statement_timeout=200");
    const asked = [journal.session("s"), journal.session("s"), journal.session("s")].map(refusalOf);
    for (const { code, message } of await Promise.all(asked)) {
      expect(code).toBe("StoreUnavailable");
      expect(message).toContain("The statement took longer than `statement_timeout` allows");
    }
    await release();
    expect(await journal.session("s")).toMatchObject({ session: "s" });
  });
});
