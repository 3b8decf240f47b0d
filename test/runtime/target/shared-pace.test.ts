// A limit of a service holds for all processes of a journal together: they use it up, and hardly ever run into it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../../src/host/clock.ts";
import { tempFolder } from "../../journal/temp-folder.ts";
import { freshJournalUrl } from "../../postgres/shared-server.ts";
import { bundledProgram } from "../../support/bundled-program.ts";

const LIMIT = 100;
const WINDOW_MS = 2_500;
const WORKERS = 3;
const WINDOWS = 4;

interface Window {
  admitted: number;
  refused: number;
}

/** Admits `LIMIT` requests in each window of time and says what is left. Resolves when it has seen enough windows. */
function startLimited(): Promise<{ readonly url: string; readonly seen: Promise<readonly Window[]> }> {
  const windows: Window[] = [];
  const enough = Promise.withResolvers<readonly Window[]>();
  let startedAt: number | null = null;
  const server = createServer((_request, response) => {
    startedAt ??= Date.now();
    const sinceMs = Date.now() - startedAt;
    const index = Math.floor(sinceMs / WINDOW_MS);
    const window = (windows[index] ??= { admitted: 0, refused: 0 });
    const leftMs = WINDOW_MS - (sinceMs % WINDOW_MS);
    const isAdmitted = window.admitted < LIMIT;
    if (isAdmitted) window.admitted++;
    else window.refused++;
    if (index > WINDOWS) enough.resolve(windows);
    response.writeHead(isAdmitted ? 200 : 429, {
      "x-ratelimit-limit-requests": LIMIT,
      "x-ratelimit-remaining-requests": LIMIT - window.admitted,
      "x-ratelimit-reset-requests": `${Math.ceil(leftMs)}ms`,
      "retry-after-ms": Math.ceil(leftMs),
    });
    response.end("done");
  });
  onTestFinished(() => void server.close());
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      resolve({ url: `http://127.0.0.1:${port}`, seen: enough.promise });
    });
  });
}

it.each(["SQLite", "PostgreSQL"])(
  "three workers use up the limit of a service in every window, and hardly any request is refused, on a journal in %s",
  { timeout: 120_000 },
  async (store) => {
    const folder = tempFolder();
    onTestFinished(() => folder.remove());
    const journal = store === "SQLite" ? folder.file("journal.db") : await freshJournalUrl();
    const { url, seen } = await startLimited();
    const script = bundledProgram(new URL("pace-process.ts", import.meta.url));
    const workers = Array.from({ length: WORKERS }, () =>
      spawn(process.execPath, [script, journal, url], { env: { ...process.env, NODE_NO_WARNINGS: "1" } }),
    );
    onTestFinished(() => workers.forEach((worker) => void worker.kill("SIGKILL")));
    const windows = (await seen).slice(1, WINDOWS + 1);
    for (const worker of workers) worker.stdin.end();
    await Promise.all(workers.map((worker) => once(worker, "exit")));
    const total = (count: (window: Window) => number): number =>
      windows.reduce((sum, window) => sum + count(window), 0);
    expect(total(({ admitted }) => admitted)).toBeGreaterThanOrEqual(0.95 * LIMIT * WINDOWS);
    expect(total(({ refused }) => refused)).toBeLessThanOrEqual(0.03 * LIMIT * WINDOWS);
  },
);

const PER_MINUTE = 1_200;
const SPACING_MS = 60_000 / PER_MINUTE;
const STARTS = 120;

it.each(["SQLite", "PostgreSQL"])(
  "three workers begin no more calls than `maxPerMinute` says, all of them together, on a journal in %s",
  { timeout: 120_000 },
  async (store) => {
    const folder = tempFolder();
    onTestFinished(() => folder.remove());
    const journal = store === "SQLite" ? folder.file("journal.db") : await freshJournalUrl();
    const script = bundledProgram(new URL("limited-process.ts", import.meta.url));
    const begunAt = Date.now();
    const workers = Array.from({ length: WORKERS }, () =>
      spawn(process.execPath, [script, journal, String(PER_MINUTE)], {
        env: { ...process.env, NODE_NO_WARNINGS: "1" },
      }),
    );
    onTestFinished(() => workers.forEach((worker) => void worker.kill("SIGKILL")));
    const lines = workers.map(({ stdout }) => createInterface({ input: stdout })[Symbol.asyncIterator]());
    await Promise.all(lines.map((line) => line.next()));
    await new Promise((resolve) => void systemClock.after(STARTS * SPACING_MS, () => resolve(undefined)));
    for (const worker of workers) worker.stdin.end();
    const printed = await Promise.all(lines.map((line) => line.next()));
    const each = printed.map(({ value }) => (JSON.parse(value ?? "[]") as readonly (readonly number[])[])[0] ?? []);
    const times = each.flat().toSorted((a, b) => a - b);
    expect(Math.min(...each.map((starts) => starts.length))).toBeGreaterThan(0);
    // A call may begin late, and never early. Each worker alone would begin as many as all of them may.
    expect(times.length).toBeLessThanOrEqual(((times.at(-1) ?? 0) - begunAt) / SPACING_MS + 1);
  },
);
