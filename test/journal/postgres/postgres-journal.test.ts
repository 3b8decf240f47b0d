// What only a journal in PostgreSQL has to hold: several processes, a server that goes away, answers that are lost, versions, secrets.

import pg from "pg";
import { afterEach, describe, expect, it } from "vitest";
import { isFaultError } from "../../../src/core/fault/fault.ts";
import type { Journal, Positioned } from "../../../src/journal/journal.ts";
import { openJournal } from "../../../src/journal/open-journal.ts";
import { readAddress } from "../../../src/journal/postgres/address.ts";
import { connectTo } from "../../../src/journal/postgres/database.ts";
import { createReads } from "../../../src/journal/postgres/reads.ts";
import { folderBeside, placeInCommand, shownPlace } from "../../../src/journal/journal-place.ts";
import { SCHEMA_VERSION } from "../../../src/journal/postgres/schema.ts";
import { codeOf, ended, failed, note, readAll } from "../../../src/testing/journal-samples.ts";
import { until } from "../../support/look-again.ts";
import { startCutProxy } from "../../postgres/cut-proxy.ts";
import { startPostgres } from "../../postgres/server.ts";
import { freshJournalUrl, sharedPostgres } from "../../postgres/shared-server.ts";

const PASSWORD = "planted-store-password";
const atEnd: (() => unknown)[] = [];

afterEach(async () => {
  for (const undo of atEnd.splice(0).reverse()) await undo();
});

/** Warnings are part of the output too: none may hold a secret. */
const warnings: string[] = [];

async function open(url: string): Promise<Journal> {
  const journal = await openJournal(url, {
    onWarning: (fault, what) => void warnings.push(`${what} ${JSON.stringify(fault)}`),
  });
  atEnd.push(() => journal.close());
  return journal;
}

async function sql(text: string, values: readonly unknown[] = []): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client(await sharedPostgres());
  await client.connect();
  try {
    return (await client.query(text, [...values])).rows as readonly Record<string, unknown>[];
  } finally {
    await client.end();
  }
}

const schemaOf = (url: string): string => new URL(url).searchParams.get("schema") ?? "";

function follow(journal: Journal, position = 0): { readonly seen: Positioned[]; until(count: number): Promise<void> } {
  const seen: Positioned[] = [];
  let look: () => void = () => undefined;
  atEnd.push(
    journal.subscribe(
      (entry, at) => {
        seen.push({ position: at, entry });
        look();
      },
      { position },
    ),
  );
  return {
    seen,
    until: (count) =>
      new Promise((resolve) => {
        look = () => {
          if (seen.length >= count) resolve();
        };
        look();
      }),
  };
}

async function messageOf(refused: Promise<unknown>): Promise<string> {
  const error: unknown = await refused.then(
    () => new Error("it was not refused"),
    (thrown: unknown) => thrown,
  );
  if (!isFaultError(error)) throw error;
  return [error.message, JSON.stringify(error.fault), String(error.stack), causesOf(error)].join("\n");
}

function causesOf(error: Error): string {
  const { cause } = error;
  return cause instanceof Error ? `${cause.message} ${JSON.stringify(cause)} ${causesOf(cause)}` : "";
}

describe("several processes on one journal in PostgreSQL", () => {
  it("are fenced: of two that append after the same entry one is refused, and can continue after reading", async () => {
    const url = await freshJournalUrl();
    const [a, b] = [await open(url), await open(url)];
    await a.append("s", 0, [note("a1")]);
    await b.append("s", 1, [note("b2")]);
    // What a remembers of the session is old now.
    expect(await codeOf(a.append("s", 1, [note("late")]))).toBe("EngineState");
    await a.append("s", 2, [note("a3")]);
    const race = await Promise.allSettled([a, b].map((journal) => journal.append("s", 3, [note("x")])));
    expect(race.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
    expect((await readAll(b, "s")).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    expect(await a.verify()).toEqual({ sessions: 1, entries: 4, firstBad: null });
  });

  it("write in one order, and a follower in any of them gets every entry once, in that order", async () => {
    const url = await freshJournalUrl();
    const journals = [await open(url), await open(url), await open(url)];
    const followers = journals.map((journal) => follow(journal));
    await Promise.all(
      journals.flatMap((journal, which) =>
        Array.from({ length: 10 }, async (_, index) => {
          for (let after = 0; after < 20; after += 2)
            await journal.append(`s${which}-${index}`, after, [note("x"), failed(1)]);
        }),
      ),
    );
    const all = await journals[0]?.readFrom(0, { limit: Infinity });
    const count = all?.length ?? 0;
    expect(all?.map(({ position }) => position)).toEqual(Array.from({ length: count }, (_, index) => index + 1));
    for (const follower of followers) {
      await follower.until(count);
      expect(follower.seen).toEqual(all);
    }
    expect(await journals[1]?.verify()).toMatchObject({ sessions: 30, firstBad: null });
  });

  it("see values that the others keep, and changes of one value by all of them are all counted", async () => {
    const url = await freshJournalUrl();
    const [a, b] = [await open(url), await open(url)];
    const seen = Promise.withResolvers<unknown>();
    atEnd.push(a.watchKept(["breaker"], (kind, key, value) => seen.resolve([kind, key, value])));
    await a.keptAll("breaker");
    await b.keep([{ kind: "breaker", key: "api", value: 0 }]);
    expect(await seen.promise).toEqual(["breaker", "api", 0]);
    const more = (there: unknown): unknown => Number(there) + 1;
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? a : b).changeKept("breaker", "api", more)),
    );
    expect(await a.kept("breaker", "api")).toBe(40);
    const answers = await Promise.all(
      [a, b].map((journal) => journal.keepFirst({ kind: "answer", key: "q", value: 1 })),
    );
    expect(answers.filter(Boolean)).toHaveLength(1);
  });

  it("remove old sessions while others write to them: a session is removed whole or stays whole", async () => {
    const url = await freshJournalUrl();
    const [a, b] = [await open(url), await open(url)];
    for (let index = 0; index < 10; index++) await a.append(`s${index}`, 0, [failed(1), ended("done", 2)]);
    const taken = a.append("s3", 2, [{ at: 9, event: { type: "session-resumed", interrupted: [] } }]);
    const [removed] = await Promise.all([b.prune({ before: 5 }), Promise.allSettled([taken])]);
    expect([9, 10]).toContain(removed);
    expect(await a.verify()).toMatchObject({ firstBad: null });
    await a.append("s0", 0, [note("new life")]);
    expect((await readAll(b, "s0")).length).toBe(1);
  });
});

describe("the question for the next wake, which each driver asks once a second", () => {
  it("is planned a few times and not each time, however many runs are parked", async () => {
    const url = await freshJournalUrl();
    const journal = await open(url);
    const wakes = Array.from(
      { length: 4_000 },
      (_, run) => ({ kind: "wake", key: `run-${run}`, value: 1e12 + run }) as const,
    );
    await journal.keep(wakes);
    await sql(`ANALYZE ${schemaOf(url)}.kept`);
    const db = connectTo(readAddress(url), () => undefined);
    atEnd.push(() => db.close());
    const { side } = createReads(db.askAlone);
    for (let look = 0; look < 30; look++) {
      const [next] = await side.keptByTime("wake", { order: "oldest", after: { at: 1e12 + look, key: "z" }, limit: 1 });
      expect(next?.key).toBe(`run-${look + 1}`);
    }
    const plans = await db.askAlone(
      "SELECT custom_plans AS again FROM pg_prepared_statements WHERE statement LIKE '%LIMIT 1'",
    );
    // PostgreSQL plans a statement five times before it keeps a plan.
    expect(plans).toEqual([{ again: 5 }]);
  });
});

describe("a server that goes away", () => {
  it(
    "loses nothing that was acknowledged and does nothing twice, and followers miss nothing",
    { timeout: 120_000 },
    async () => {
      const server = await startPostgres();
      atEnd.push(() => server.stop());
      const [a, b] = [await open(server.url), await open(server.url)];
      const follower = follow(b);
      let acknowledged = 0;
      let isOver = false;
      const writer = async (name: string): Promise<number> => {
        let after = 0;
        while (!isOver) {
          await a.append(
            name,
            after,
            [note(`${name} ${after}`)],
            [{ kind: "result", key: `${name}/${after}`, value: after }],
          );
          after++;
          acknowledged++;
        }
        return after;
      };
      const writers = ["s", "t", "u"].map(writer);
      for (let round = 1; round <= 3; round++) {
        const enough = acknowledged + 50;
        await until(() => acknowledged >= enough);
        await server.crash();
      }
      const last = acknowledged + 50;
      await until(() => acknowledged >= last);
      isOver = true;
      const counts = await Promise.all(writers);
      const total = counts.reduce((sum, count) => sum + count, 0);
      expect(await b.verify()).toEqual({ sessions: 3, entries: total, firstBad: null });
      for (const [index, name] of ["s", "t", "u"].entries())
        expect(await readAll(b, name)).toHaveLength(counts[index] ?? 0);
      await follower.until(total);
      expect(follower.seen.map(({ position }) => position)).toEqual(
        Array.from({ length: total }, (_, index) => index + 1),
      );
    },
  );

  it("that answered into a lost connection has done the write once", async () => {
    const url = await freshJournalUrl();
    const proxy = await startCutProxy(url);
    atEnd.push(() => proxy.close());
    const journal = await open(proxy.url);
    await journal.append("s", 0, [note("a")]);
    proxy.loseAnswerTo("lost-entry");
    await journal.append("s", 1, [note("lost-entry")]);
    proxy.loseAnswerTo("lost-value");
    expect(await journal.keepFirst({ kind: "answer", key: "q", value: "lost-value" })).toBe(true);
    proxy.loseAnswerTo("lost-loser");
    expect(await journal.keepFirst({ kind: "answer", key: "q", value: "lost-loser" })).toBe(false);
    proxy.loseAnswerTo("lost-change");
    expect(await journal.changeKept("breaker", "b", (there) => [there, "lost-change"])).toEqual([null, "lost-change"]);
    await journal.append("s", 2, [note("b")]);
    expect((await readAll(journal, "s")).map(({ event }) => event)).toEqual(
      [note("a"), note("lost-entry"), note("b")].map(({ event }) => event),
    );
    expect(await journal.kept("answer", "q")).toBe("lost-value");
  });

  it("has done a write once, whatever another process wrote before it was sent again", async () => {
    const url = await freshJournalUrl();
    const proxy = await startCutProxy(url);
    atEnd.push(() => proxy.close());
    const [far, near] = [await open(proxy.url), await open(url)];
    const plus = (text: string) => (there: unknown) => [...((there ?? []) as readonly string[]), text];
    proxy.loseAnswerTo("far-1", () => near.changeKept("breaker", "b", plus("near")));
    await far.changeKept("breaker", "b", plus("far-1"));
    expect(await near.kept("breaker", "b")).toEqual(["far-1", "near"]);
    proxy.loseAnswerTo("far-2", () => near.append("s", 1, [note("near")]));
    await far.append("s", 0, [note("far-2")]);
    expect((await readAll(near, "s")).map(({ event }) => event)).toEqual([note("far-2").event, note("near").event]);
    proxy.loseAnswerTo("far-3", () => near.keep([{ kind: "breaker", key: "c", value: "near" }]));
    await far.keep([{ kind: "breaker", key: "c", value: "far-3" }]);
    expect(await near.kept("breaker", "c")).toBe("near");
    proxy.loseAnswerTo("far-4", () => near.keep([{ kind: "answer", key: "q", value: null }]));
    expect(await far.keepFirst({ kind: "answer", key: "q", value: "far-4" })).toBe(true);
    expect(await near.verify()).toMatchObject({ firstBad: null });
  });

  it("gets a message that was held up behind the one that repeated it, and does nothing with it", async () => {
    const url = await freshJournalUrl();
    const journal = await open(url);
    await journal.keep([{ kind: "breaker", key: "c", value: 1 }]);
    await journal.keep([{ kind: "breaker", key: "c", value: 2 }]);
    const [last] = await sql(`SELECT writer, call::int FROM ${schemaOf(url)}.writers`);
    expect(last).toMatchObject({ call: 2 });
    for (const call of [1, 2])
      await sql(
        `SELECT ${schemaOf(url)}.write_3($1, $2, 'c', 'n', 0, NULL, NULL, NULL, NULL,
          ARRAY[('breaker', 'c', '3', 'h', NULL, 0, NULL, NULL)::${schemaOf(url)}.keep], NULL, NULL, NULL)`,
        [last?.["writer"], call],
      );
    expect(await journal.kept("breaker", "c")).toBe(2);
  });

  it("comes back: a follower whose connection was cut reads what it missed", async () => {
    const url = await freshJournalUrl();
    const proxy = await startCutProxy(url);
    atEnd.push(() => proxy.close());
    const [far, near] = [await open(proxy.url), await open(url)];
    const follower = follow(far);
    await near.append("s", 0, [note("a")]);
    await follower.until(1);
    proxy.shut();
    await near.append("s", 1, [note("b"), note("c")]);
    proxy.open();
    await near.append("s", 3, [note("d")]);
    await follower.until(4);
    expect(follower.seen.map(({ entry }) => entry.seq)).toEqual([1, 2, 3, 4]);
  });

  it("and is not heard any more: what waits on dead connections is given up and done again, once", async () => {
    const proxy = await startCutProxy(`${await freshJournalUrl()}&statement_timeout=300`);
    atEnd.push(() => proxy.close());
    const journal = await open(proxy.url);
    const follower = follow(journal);
    await journal.append("s", 0, [note("a")]);
    await Promise.all(Array.from({ length: 6 }, () => journal.session("s")));
    await follower.until(1);
    proxy.silence();
    const [hold, session] = await Promise.all([
      journal.hold("k", "me", 2, 1),
      journal.session("s"),
      journal.append("s", 1, [note("b")]),
      journal.changeKept("breaker", "b", (there) => Number(there) + 1),
    ]);
    expect(hold).toMatchObject({ granted: true });
    expect(session?.session).toBe("s");
    await follower.until(2);
    expect(await readAll(journal, "s")).toHaveLength(2);
    expect(await journal.kept("breaker", "b")).toBe(1);
    await journal.close();
  });

  it("and ends a connection in the middle of a transaction fails the transaction, not the process", async () => {
    const proxy = await startCutProxy(await freshJournalUrl());
    atEnd.push(() => proxy.close());
    const journal = await open(proxy.url);
    await journal.append("s", 0, [note("a")]);
    for (const statement of ["BEGIN ISOLATION", "SELECT"]) {
      proxy.endBehindAnswerTo(statement);
      expect(await codeOf(journal.verify())).toBe("StoreUnavailable");
    }
    expect(await journal.verify()).toEqual({ sessions: 1, entries: 1, firstBad: null });
  });

  it("works behind a pooler that gives each transaction another connection: followers look by themselves", async () => {
    const url = `${await freshJournalUrl()}&pooler=transaction&connections=2`;
    const [a, b] = [await open(url), await open(url)];
    const follower = follow(b);
    await a.append("s", 0, [note("a")]);
    await b.append("s", 1, [note("b")]);
    await follower.until(2);
    expect(await a.hold("k", "a", 2, 1)).toMatchObject({ granted: true });
    // Nothing is left behind in a connection that the next client gets.
    expect(await sql("SELECT count(*)::int AS count FROM pg_prepared_statements")).toEqual([{ count: 0 }]);
  });
});

describe("what cannot be trusted in PostgreSQL", () => {
  it("is refused and left as it is: a newer journal, one that lacks a table, a schema of another program", async () => {
    const newer = await freshJournalUrl();
    await (await open(newer)).close();
    await sql(`UPDATE ${schemaOf(newer)}.meta SET value = $1 WHERE name = 'version'`, [String(SCHEMA_VERSION + 1)]);
    expect(await messageOf(openJournal(newer))).toContain("a newer program wrote it");
    for (const version of ["0", "abc"]) {
      await sql(`UPDATE ${schemaOf(newer)}.meta SET value = $1 WHERE name = 'version'`, [version]);
      expect(await messageOf(openJournal(newer))).toContain("does not say which version it has");
    }
    const torn = await freshJournalUrl();
    await (await open(torn)).close();
    await sql(`DROP TABLE ${schemaOf(torn)}.holds`);
    expect(await messageOf(openJournal(torn))).toContain("lacks holds");
    const foreign = await freshJournalUrl();
    await sql(`CREATE SCHEMA ${schemaOf(foreign)}`);
    await sql(`CREATE TABLE ${schemaOf(foreign)}.orders (id integer)`);
    expect(await messageOf(openJournal(foreign))).toContain("tables of another program");
    const missing = await freshJournalUrl();
    expect(await codeOf(openJournal(missing, { readOnly: true }))).toBe("NotFound");
    expect(await sql("SELECT 1 FROM information_schema.schemata WHERE schema_name = $1", [schemaOf(missing)])).toEqual(
      [],
    );
  });

  it("is brought up to date: a journal of version 1, whose functions go, so that a program that needs them is refused", async () => {
    const url = await freshJournalUrl();
    const before = await open(url);
    await before.append("s", 0, [note("a")], [{ kind: "result", key: "s/1", value: 1 }]);
    await before.close();
    const schema = schemaOf(url);
    for (const table of ["sessions", "kept"])
      await sql(`ALTER TABLE ${schema}.${table} ADD writer text NOT NULL DEFAULT 'w'`);
    for (const undo of [
      `DROP TABLE ${schema}.writers`,
      `DROP TYPE ${schema}.moved_head, ${schema}.begun_head, ${schema}.entry, ${schema}.keep CASCADE`,
      `CREATE FUNCTION ${schema}.write_1(integer) RETURNS integer LANGUAGE sql AS 'SELECT 1'`,
      `CREATE FUNCTION ${schema}.of_somebody_else() RETURNS integer LANGUAGE sql AS 'SELECT 1'`,
      `UPDATE ${schema}.meta SET value = '1' WHERE name = 'version'`,
    ])
      await sql(undo);
    const after = await open(url);
    await after.append("s", 1, [note("b")]);
    expect(await after.verify()).toEqual({ sessions: 1, entries: 2, firstBad: null });
    const functions = await sql("SELECT proname AS name FROM pg_proc WHERE pronamespace = $1::regnamespace", [schema]);
    const names = functions.map(({ name }) => name);
    expect(names).toContain("of_somebody_else");
    expect(names).not.toContain("write_1");
  });

  it("is refused while it is open: a newer program has changed the schema", async () => {
    const url = await freshJournalUrl();
    const journal = await open(url);
    await journal.append("s", 0, [note("a")]);
    const [found] = await sql(
      "SELECT oid::regprocedure::text AS name FROM pg_proc WHERE proname = 'write_3' AND pronamespace = $1::regnamespace",
      [schemaOf(url)],
    );
    await sql(`DROP FUNCTION ${String(found?.["name"])}`);
    const said = await messageOf(journal.append("s", 1, [note("b")]));
    expect(said).toContain("ManifestDrift");
    expect(said).toContain("newer program");
  });

  it("is found by name: an entry, a value or a count that was changed by hand", async () => {
    const changes: readonly (readonly [string, RegExp])[] = [
      ["UPDATE @.events SET body = replace(body, 'one', 'two') WHERE seq = 1", /does not fit its hash/],
      ["DELETE FROM @.events WHERE seq = 2", /missing/],
      ["UPDATE @.kept SET value = '2' WHERE kind = 'result'", /checksum/],
      ["DELETE FROM @.kept WHERE kind = 'result'", /missing/],
      ["UPDATE @.fault_groups SET count = count + 1", /groups of failures/],
      ["UPDATE @.faults SET message = 'other'", /index of failures/],
      ["DELETE FROM @.kept_tags", /not listed/],
      ["UPDATE @.sessions SET status = 'done'", /status or times/],
      ["DELETE FROM @.sessions", /session it belongs to is missing/],
    ];
    for (const [change, why] of changes) {
      const url = await freshJournalUrl();
      const journal = await open(url);
      await journal.append(
        "s",
        0,
        [note("one"), failed(1), note("three")],
        [
          { kind: "result", key: "s/1", value: 1 },
          { kind: "run", key: "s", value: { startedAt: 1, status: "running" } },
        ],
      );
      expect(await journal.verify()).toMatchObject({ firstBad: null });
      await sql(change.replaceAll("@.", `${schemaOf(url)}.`));
      expect([change, (await journal.verify()).firstBad?.why]).toEqual([change, expect.stringMatching(why)]);
    }
  });
});

describe("the address of a journal", () => {
  it("is never shown with its user, its password or its settings", () => {
    expect(shownPlace(`postgres://ada:${PASSWORD}@db.example.com:5433/agents?sslmode=verify-full&schema=team`)).toBe(
      "postgres://db.example.com:5433/agents?schema=team",
    );
    expect(shownPlace("team.db")).toBe("team.db");
    expect(shownPlace(`postgres://ada:${PASSWORD}@[`)).toBe("postgres://…");
    expect(folderBeside("postgres://db/agents")).toBe(".faultline");
  });

  it.each([
    [`postgres://ada:${PASSWORD}@db:5433/agents?sslmode=require`, "postgres://ada@db:5433/agents?sslmode=require"],
    [`postgres://db/agents?user=ada&password=${PASSWORD}`, "postgres://db/agents?user=ada"],
    ["postgres://ada@db/agents?files=s3://b/p", "postgres://ada@db/agents?files=s3://b/p"],
    ["postgres://db/agents", "postgres://db/agents"],
    [`postgres://ada:${PASSWORD}@[`, "postgres://…"],
    ["team.db", "team.db"],
  ])("loses only its password in a command that can be run again: %s", (place, command) => {
    expect(placeInCommand(place)).toBe(command);
  });

  it.each([
    ["?shema=team_a", "has `shema` after its `?`, which neither Faultline nor `pg` knows. Did you mean `schema`?"],
    ["?sslmode=require&conections=3", "Did you mean `connections`?"],
    ["?dbname=agents", "has `dbname` after its `?`"],
    ["?x=1", "Known ones are schema, pooler, files, connections,"],
  ])("is refused with a parameter that would be ignored: %s", (query, said) => {
    expect(() => readAddress(`postgres://ada@db/agents${query}`)).toThrow(said);
  });

  it("is refused without repeating a password that has an unescaped question mark", () => {
    expect(() => readAddress("postgres://ada:1?hunter&two@db/agents")).toThrow(/has a parameter after its `\?`/);
  });

  it("may hold what vendors and `pg` write into it", () => {
    const query =
      "sslmode=require&channel_binding=require&connect_timeout=10&application_name=x&target_session_attrs=any";
    expect(readAddress(`postgres://ada@db/agents?${query}`).schema).toBe("faultline");
  });

  // Less than the 15 s for which a server that was there before is waited for.
  it("that is wrong is refused soon, in a sentence that says what to check", { timeout: 12_000 }, async () => {
    const good = new URL(await freshJournalUrl());
    const wrong = (change: (url: URL) => void): Promise<string> => {
      const url = new URL(good);
      change(url);
      return messageOf(openJournal(url.href, { onWarning: () => undefined }));
    };
    const said = await Promise.all([
      wrong((url) => (url.hostname = "no-such-host.invalid")),
      wrong((url) => (url.port = "1")),
      wrong((url) => (url.password = "other")),
      wrong((url) => (url.pathname = "/nothing-here")),
      wrong((url) => url.searchParams.set("sslmode", "verify-full")),
      wrong((url) => {
        url.searchParams.set("sslmode", "verify-full");
        url.searchParams.set("sslrootcert", "/no/such/file.pem");
      }),
    ]);
    expect(said).toEqual([
      expect.stringMatching(
        /does not answer: .*no-such-host\.invalid\. Check host and port, in the address or in PGHOST/,
      ),
      expect.stringMatching(/does not answer: connect ECONNREFUSED 127\.0\.0\.1:1\. Check host and port/),
      expect.stringMatching(/password authentication failed.*Check user and password/),
      expect.stringMatching(/database "nothing-here" does not exist\. Create the database first/),
      expect.stringMatching(/refused: The server does not support SSL connections\. Check TLS/),
      expect.stringMatching(/refused: ENOENT.*Check TLS/),
    ]);
  });

  it("may hold a password that no refusal, cause or warning repeats", async () => {
    const url = new URL(await freshJournalUrl());
    const other = (change: (to: URL) => void): string => {
      const changed = new URL(url);
      change(changed);
      return changed.href;
    };
    const wrong = [
      other((to) => (to.password = "p%40ss-planted-other")),
      other((to) => (to.pathname = "/nothing-here")),
      other((to) => to.searchParams.set("schema", "Not A Schema")),
      other((to) => to.searchParams.set("connections", "many")),
      other((to) => to.searchParams.set("pooler", "magic")),
      `postgres://ada:${PASSWORD}@[`,
    ];
    for (const address of wrong) {
      const said = await messageOf(openJournal(address));
      expect(said).not.toContain("planted");
    }
    const journal = await open(url.href);
    const long =
      PASSWORD +
      Array.from({ length: 1_900 }, (_, index) => String.fromCodePoint(0x4e00 + ((index * 7919) % 20_000))).join("");
    const said = await messageOf(journal.keep([{ kind: "secret", key: `x/${long}`, value: "secret-value-planted" }]));
    expect(said).toContain("ShapeInvalid");
    expect(said).not.toContain("secret-value-planted");
    expect(warnings.join("\n")).not.toContain("planted");
  });
});
