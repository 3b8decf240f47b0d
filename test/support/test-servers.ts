// The servers that a whole test run uses: `npm run test:workflow` names them, so that the workflow suite keeps its journals in PostgreSQL
// and Restate begins every slice. Without them each test takes what it asks for, most often memory or a file.

import { openRestateEndpoint } from "../../src/workflow/restate/restate-endpoint.ts";
import { readRestateAddress } from "../../src/workflow/restate/restate-address.ts";
import { RestateClient } from "../../src/workflow/restate/restate-client.ts";
import { systemClock } from "../../src/host/clock.ts";
import { beginUnderWay } from "../postgres/under-way.ts";
import { journalIn } from "./journal-in.ts";

const postgres = addressIn("FAULTLINE_TEST_POSTGRES");
const restate = addressIn("FAULTLINE_TEST_RESTATE");

export const TEST_SERVERS = {
  /** The addresses of both; null: there is none. */
  postgres,
  restate,
  /** Somebody has chosen: journals are durable then, in files if not in PostgreSQL. */
  isChosen: process.env["FAULTLINE_TEST_POSTGRES"] !== undefined,
} as const;

/** The ports of these servers, and those on which they call this process. */
export const FOREIGN_PORTS = new Set<number>([
  ...(postgres === null ? [] : [Number(new URL(postgres).port)]),
  ...(restate === null ? [] : portsIn(restate)),
]);

/** An empty one stands for a file, and for no driver. */
function addressIn(variable: string): string | null {
  const address = process.env[variable] ?? "";
  return address === "" ? null : address;
}

function portsIn(url: string): readonly number[] {
  const { ingress, admin } = readRestateAddress(url);
  return [...ingress, ...admin].map((origin) => Number(new URL(origin).port));
}

/** Where the journal of this file is: there, or in a schema for it. */
export function placeFor(file: string): string {
  return postgres === null ? file : journalIn(postgres, file);
}

interface Endpoint {
  readonly client: RestateClient;
  readonly service: string;
}

let endpoint: Promise<Endpoint> | null = null;
let slices = 0;
const waiting = new Map<string, () => Promise<unknown>>();

/** Advances a run: at once, or in an invocation of Restate. */
export async function driven<T>(advance: () => Promise<T>): Promise<T> {
  if (restate === null) return advance();
  const begun = beginUnderWay();
  const { client, service } = await (endpoint ??= open(restate));
  const ended = Promise.withResolvers<T>();
  const slice = `${process.pid}-${++slices}`;
  waiting.set(slice, () => {
    begun();
    const work = advance();
    ended.resolve(work);
    return work;
  });
  await client.hand(service, slice);
  return ended.promise;
}

async function open(url: string): Promise<Endpoint> {
  const client = new RestateClient(readRestateAddress(url), systemClock, null);
  const service = `suite-${process.pid}-${Date.now().toString(36)}`;
  const advance = async (slice: string): Promise<null> => {
    const work = waiting.get(slice);
    waiting.delete(slice);
    await Promise.allSettled([work?.()]);
    return null;
  };
  const { port } = await openRestateEndpoint(
    { clock: systemClock, service, advance },
    { host: "127.0.0.1", port: 0, maxStreams: 16, identityKeys: [] },
  );
  FOREIGN_PORTS.add(port);
  await client.register(`http://127.0.0.1:${port}`, service);
  return { client, service };
}
