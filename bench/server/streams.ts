// Many readers of the event stream under a steady load of decisions: does each get every event, once and in order?

import { get, type IncomingMessage } from "node:http";
import { print } from "../measure.ts";
import { Load, percentile, type Target } from "./load.ts";
import type { MemoryLeft } from "./memory-probe.ts";

export interface StreamsScale {
  readonly readers: number;
  readonly seconds: number;
  readonly perSecond: number;
  /** Of the server, after a garbage collection. */
  readonly memory: () => Promise<MemoryLeft>;
}

/** Seconds after the start at which the server's memory is looked at. */
const LOOKS_AT = [0, 10, 30, 60, 120, 180, 300, 600];

const NEWLINE = 10;

/** Counts the events of one stream by their ids, without building strings. */
class StreamReader {
  /** The position of the last event. */
  last = 0;
  count = 0;
  disordered = 0;
  #rest: Buffer = Buffer.alloc(0);

  take(chunk: Buffer): void {
    const all = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let start = 0;
    for (let end = all.indexOf(NEWLINE, start); end !== -1; end = all.indexOf(NEWLINE, start)) {
      // `id: store_….17`
      if (all[start] === 105) {
        const line = all.toString("latin1", start, end);
        const position = Number(line.slice(line.lastIndexOf(".") + 1));
        // A heartbeat repeats the last id.
        if (position !== this.last && position !== this.last + 1 && this.last !== 0) this.disordered++;
        if (position > this.last) this.count++;
        this.last = position;
      }
      start = end + 1;
    }
    this.#rest = all.subarray(start);
  }
}

export async function streams(target: Target, { readers, seconds, perSecond, memory }: StreamsScale): Promise<void> {
  const connected = await Promise.all(
    Array.from({ length: readers }, async () => {
      const reader = new StreamReader();
      const response = await connect(target);
      response.on("data", (chunk: Buffer) => reader.take(chunk));
      return { reader, response };
    }),
  );
  const looks: Promise<string>[] = [];
  const load = new Load(target, 32);
  const times: number[] = [];
  const pending: Promise<void>[] = [];
  const body = JSON.stringify({ tool: "search", idempotent: true, evidence: { status: 503 } });
  const startedAt = performance.now();
  let sent = 0;
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const elapsedMs = performance.now() - startedAt;
      const due = Math.min(seconds * perSecond, Math.floor((elapsedMs / 1000) * perSecond));
      for (; sent < due; sent++) pending.push(load.post("/v1/failures", body).then(({ ms }) => void times.push(ms)));
      if (elapsedMs / 1000 >= (LOOKS_AT[looks.length] ?? Infinity)) looks.push(look(memory, elapsedMs / 1000));
      if (sent < seconds * perSecond) return;
      clearInterval(timer);
      resolve();
    }, 5);
  });
  await Promise.all(pending);
  const expected = Math.max(...connected.map(({ reader }) => reader.last));
  await until(() => connected.every(({ reader }) => reader.last >= expected), 10_000);
  for (const { response } of connected) response.destroy();
  load.close();
  const counts = connected.map(({ reader }) => reader.count);
  const disordered = connected.reduce((sum, { reader }) => sum + reader.disordered, 0);
  times.sort((a, b) => a - b);
  print("");
  print(`${readers} readers of the event stream, ${perSecond} decisions a second for ${seconds} s`);
  print(
    `  events for each reader     ${Math.min(...counts)} to ${Math.max(...counts)} (${sent} decisions); out of order or missing: ${disordered}`,
  );
  print(
    `  decisions                  p50 ${percentile(times, 0.5).toFixed(2)} ms  p99 ${percentile(times, 0.99).toFixed(2)} ms`,
  );
  print("  memory of the server, after a garbage collection");
  for (const line of await Promise.all(looks)) print(line);
}

async function look(memory: StreamsScale["memory"], seconds: number): Promise<string> {
  const { heap, external, resident } = await memory();
  return `    ${seconds.toFixed(0).padStart(4)} s                   heap ${heap} MB, buffers ${external} MB, resident ${resident} MB`;
}

function connect({ url, token }: Target): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    get(`${url}/v1/events`, { headers: { authorization: `Bearer ${token}` }, agent: false }, resolve).on(
      "error",
      reject,
    );
  });
}

async function until(isTrue: () => boolean, maxMs: number): Promise<void> {
  const endAt = performance.now() + maxMs;
  while (!isTrue() && performance.now() < endAt) await new Promise((resolve) => setImmediate(resolve));
}
