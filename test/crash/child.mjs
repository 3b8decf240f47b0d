// The program that is killed. Runs the sessions it is given on a journal in a file or in PostgreSQL, and keeps a diary of its own beside it, so
// that the test can compare the two. `life.ts` bundles it, because it starts often and has to start fast.
//
// The diary is three files that all lives of the program append to, one line each, with the life and the order in it:
//   effects   a tool begins its work, and has done it
//   acks      what the journal was asked to write, what it said was written, and what subscribers were told
//   results   what turns came to, as their caller saw it

import { createHash } from "node:crypto";
import { existsSync, openSync, readFileSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { DatabaseSync, StatementSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { DEFAULT_POLICY } from "../../src/core/index.ts";
import { FaultError, createFaultline, fault, openJournal, step, tool } from "../../src/index.ts";

const job = JSON.parse(process.argv[2]);

const effects = openSync(join(job.folder, "effects"), "a");
const acks = openSync(join(job.folder, "acks"), "a");
const results = openSync(join(job.folder, "results"), "a");
/** More than one page of the store, often more than one of the log. */
const LARGE = 48 * 1024;
/** The call that each session makes outside its turns. */
const OUTSIDE = { tool: "plain-once", kind: "plain", idempotent: false, slowMs: 2, large: false, costs: true };
/** The next round works with what this one brought, so it waits for a whole one. */
const GOES_ON = ["done", "partial"];

const trigger = new Int32Array(new SharedArrayBuffer(4));
let order = 0;
const passed = new Map();

/** The line break comes first: a line that a kill cut off then spoils no other. */
function note(file, line) {
  writeSync(file, `\n${JSON.stringify({ life: job.life, order: ++order, pid: process.pid, ...line })}`);
}

/**
 * Somewhere a signal can be aimed at. The parent learns of it and sends the signal, which takes a moment; or the program does, right here;
 * or a thread of it, a little later, while this one is inside SQLite, where no line of ours runs.
 */
function pass(point) {
  const times = (passed.get(point) ?? 0) + 1;
  passed.set(point, times);
  const { moment } = job;
  if (moment === null || moment.at !== point || moment.nth !== times) return;
  if (moment.by === "parent" || moment.signal === "SIGSTOP") writeSync(1, "moment\n");
  if (moment.by === "itself") process.kill(process.pid, moment.signal);
  if (moment.by === "thread") {
    Atomics.store(trigger, 0, 1);
    Atomics.notify(trigger, 0);
  }
}

/** Starts the thread that kills `delayMicros` after it was triggered. */
async function startKiller(delayMicros) {
  const thread = new Worker(
    `const { parentPort, workerData } = require("node:worker_threads");
     parentPort.postMessage("ready");
     Atomics.wait(workerData.trigger, 0, 0);
     const endAt = process.hrtime.bigint() + BigInt(workerData.delayMicros) * 1000n;
     while (process.hrtime.bigint() < endAt);
     process.kill(process.pid, "SIGKILL");`,
    { eval: true, workerData: { trigger, delayMicros } },
  );
  await new Promise((resolve) => void thread.once("message", resolve));
  thread.unref();
}

function digestOf(value) {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex").slice(0, 16);
}

/** The moment in which the store commits is the one that matters most, and nothing outside can see it. */
function committing() {
  note(acks, { what: "committing" });
  pass("committing");
}

function committed() {
  pass("committed");
  note(acks, { what: "committed" });
}

const runStatement = StatementSync.prototype.run;
StatementSync.prototype.run = function (...values) {
  if (this.sourceSQL !== "COMMIT") return runStatement.apply(this, values);
  committing();
  const done = runStatement.apply(this, values);
  committed();
  return done;
};

if (job.moment?.by === "thread") await startKiller(job.moment.delayMicros);

// The tables of a new journal are made by plain `exec`s, and that can be cut off as well.
const exec = DatabaseSync.prototype.exec;
DatabaseSync.prototype.exec = function (sql) {
  pass("exec");
  return exec.call(this, sql);
};

// In PostgreSQL a commit is a message to the server and its answer, and the tables are made by one statement after the other.
if (/^postgres/.test(job.journal)) {
  const { prototype } = createRequire(import.meta.url)("pg").Client;
  const { query } = prototype;
  prototype.query = function (asked, ...more) {
    if (!/^SELECT[^]*\.write_\d+\(/.test(asked.text ?? asked)) {
      pass("exec");
      return query.call(this, asked, ...more);
    }
    committing();
    return query.call(this, asked, ...more).finally(committed);
  };
}

note(acks, { what: "loaded" });
writeSync(1, "loaded\n");
const program = JSON.parse(readFileSync(join(job.folder, "program.json"), "utf8"));
const journal = await openJournal(job.journal, {
  onWarning: (seen, what) => note(acks, { what: "trouble", code: seen.code, while: what }),
}).catch((error) => {
  // A process that stands still while it closes the journal keeps others from opening it.
  for (const { session } of program) report(session, "stopped", whyOf(error));
  process.exit();
});
note(acks, { what: "opened" });
pass("opened");

journal.subscribe(({ session, seq, event }) => {
  note(acks, { what: "told", session, seq, digest: digestOf(event) });
  pass("told");
});

const watched = {
  ...journal,
  async append(session, after, entries, keeps) {
    const lines = { session, after, digests: entries.map(({ event }) => digestOf(event)) };
    note(acks, { what: "appending", ...lines });
    pass("appending");
    try {
      await journal.append(session, after, entries, keeps);
    } catch (error) {
      note(acks, { what: "refused", ...lines, code: String(error?.fault?.code) });
      throw error;
    }
    note(acks, { what: "appended", ...lines });
    pass("appended");
  },
};

/** The default policy with short waits: what is decided stays the same, and the test ends today. */
const policy = {
  ...DEFAULT_POLICY,
  rows: DEFAULT_POLICY.rows.map((row) =>
    row.retry === null || row.match.code?.includes("StoreUnavailable")
      ? row
      : { ...row, retry: { ...row.retry, backoff: { kind: "fixed", initialMs: 4, maxMs: 4, multiplier: 1 } } },
  ),
};

const fl = createFaultline({ journal: watched, policy });
await Promise.all(program.map(runSession));
await fl.close();

function report(session, came, more = {}) {
  writeSync(1, `${JSON.stringify({ session, came, ...more })}\n`);
}

function whyOf(error) {
  return { code: String(error?.fault?.code), message: String(error?.message) };
}

async function runSession({ session: id, mode, turns }) {
  const before = await journal.session(id);
  if (before !== null && ["done", "failed", "cancelled"].includes(before.status)) return report(id, "over");
  try {
    const session = await fl.session(id, { mode });
    for (const [index, { rounds }] of turns.entries()) {
      const plans = rounds.map((steps) => planOf(id, steps));
      const body = async (turn) => {
        for (const plan of plans) if (!GOES_ON.includes((await turn.run(plan)).status)) return;
      };
      const result = await session.turn(plans.length === 1 ? plans[0] : body);
      const outcomes = Object.entries(result.outcomes).map(([name, { status, value }]) => [
        name,
        status,
        headOf(value),
      ]);
      note(results, { session: id, turn: `t${index + 1}`, status: result.status, outcomes, digest: digestOf(result) });
      pass("turn");
      if (result.status === "waiting") return report(id, "waiting", await moneyOf(session));
      if (result.fault !== null)
        return report(id, "stopped", { code: result.fault.code, message: result.fault.message });
    }
    const outside = await session.protect(toolOf(id, OUTSIDE), { of: [] }, { id: "outside" });
    if (outside.status === "waiting") return report(id, "waiting", await moneyOf(session));
    const money = await moneyOf(session);
    await session.end();
    report(id, "done", money);
  } catch (error) {
    report(id, "stopped", whyOf(error));
  }
}

/** What the session says it has spent, and what its entries say. */
async function moneyOf(session) {
  const costs = (await session.entries()).flatMap(({ event }) => event.cost ?? []);
  const sum = (list) => list.reduce((total, { microcents }) => total + microcents, 0);
  const booked = {
    microcents: sum(costs),
    estimatedMicrocents: sum(costs.filter(({ basis }) => basis === "estimated")),
    unpricedAttempts: 0,
  };
  return { spending: session.spending, booked };
}

function planOf(session, steps) {
  return Object.fromEntries(
    steps.map((spec) => {
      const { name, needs, optional, hasDefault } = spec;
      // What it is given names what the others returned, so that a result that was lost or changed shows as other input.
      const input = (got) => ({ of: needs.map((need) => headOf(got[need])) });
      const options = { needs, optional, ...(hasDefault ? { default: "default" } : {}) };
      return [name, step(toolOf(session, spec), input, options)];
    }),
  );
}

function toolOf(session, spec) {
  const { tool: id, idempotent, slowMs, costs } = spec;
  return tool({
    id,
    idempotent,
    ...(costs ? { cost: { estimate: () => 10 } } : {}),
    run: async (_input, { call, attempt, cost }) => {
      note(effects, { session, call, tool: id, attempt, phase: "begin" });
      pass("begin");
      if (costs) cost(7);
      const done = (ok, value) => {
        note(effects, { session, call, tool: id, attempt, phase: "end", ok, value });
        pass("end");
      };
      if (slowMs > 0) await new Promise((resolve) => setTimeout(resolve, slowMs));
      const failure = failureOf(session, spec, call, attempt);
      if (failure !== null) {
        done(false, "");
        throw new FaultError(failure);
      }
      const value = `${call}#${attempt}@${job.life}`;
      done(true, value);
      return spec.large ? value + " ".repeat(LARGE) : value;
    },
  });
}

function failureOf(session, { kind }, call, attempt) {
  if (kind === "flaky" && attempt === 1) return fault("ResourceBusy", { message: "busy, once" });
  if (kind === "missing") return fault("NotFound", { message: "not there" });
  if (kind !== "asks" && kind !== "refused") return null;
  const granted = existsSync(join(job.folder, "granted", encodeURIComponent(`${session} ${call}`)));
  return granted ? null : fault("AccessDenied", { message: "nobody has allowed this yet" });
}

function headOf(value) {
  return typeof value === "string" ? value.trimEnd() : value;
}
