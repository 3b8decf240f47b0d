// An executor that reports failures and outcomes to a server which dies again and again. It sends every request until it is answered.

import type { z } from "zod";
import { failureAnswer } from "../../../src/api/failures.ts";
import type { Chance } from "../../../src/host/chance.ts";

export type Answer = z.output<typeof failureAnswer>;

/** What the campaign gives its executors. */
export interface Wire {
  /** Resolves with the address of the server once it runs. */
  up(): Promise<string>;
  readonly token: string;
  readonly isOver: () => boolean;
  readonly told: (acknowledged: Acknowledged) => void;
  readonly blame: (problem: string) => void;
  readonly count: (what: "cut off" | "repeated on purpose" | "decided before the kill") => void;
}

/** A request that the server has answered: from then on its effect must be in the journal. */
export type Acknowledged =
  | { readonly what: "decision"; readonly tool: string; readonly attempt: number; readonly answer: Answer }
  | { readonly what: "outcome"; readonly id: string; readonly status: "succeeded" | "cancelled" };

interface Failure {
  readonly tool: string;
  readonly alternatives?: readonly string[];
  readonly evidence?: Readonly<Record<string, unknown>>;
  readonly code?: string;
}

const FAILURES: readonly Failure[] = [
  { tool: "search", evidence: { status: 503 } },
  { tool: "mail", evidence: { status: 429, headers: { "retry-after": "1" } } },
  { tool: "shell", evidence: { exitCode: 1, message: "connect ECONNREFUSED 10.0.0.7:443" } },
  { tool: "fetch", alternatives: ["fetch_mirror"], evidence: { message: "socket hang up", code: "ECONNRESET" } },
  { tool: "lookup", alternatives: ["lookup_cache"], code: "NotFound" },
];

const MAX_REPORTS = 6;
const MAX_TRIES = 200;

/** Reports calls, one after the other, until the campaign is over. */
export async function runExecutor(wire: Wire, name: string, chance: Chance): Promise<void> {
  for (let call = 1; !wire.isOver(); call++) {
    const failure = FAILURES[Math.floor(chance.roll() * FAILURES.length)] ?? { tool: "search" };
    await runCall(wire, failure, { session: name, call: `c${call}` }, chance);
  }
}

async function runCall(
  wire: Wire,
  { tool: first, ...seen }: Failure,
  names: { readonly session: string; readonly call: string },
  chance: Chance,
): Promise<void> {
  // A call is recognised by its own names, or by the key of its first report.
  const isKeyed = chance.roll() < 0.5;
  let [tool, attempt, id] = [first, 1, ""];
  for (let reports = 0; reports < MAX_REPORTS && !wire.isOver(); reports++) {
    const about = id === "" ? (isKeyed ? {} : names) : { failure: id };
    const body = { tool, attempt, idempotent: true, ...seen, ...about };
    const key = isKeyed || chance.roll() < 0.5 ? `${names.session}.${names.call}.${tool}.${attempt}` : null;
    const answer = await decided(wire, body, key, chance.roll() < 0.2);
    if (answer === null) return;
    wire.told({ what: "decision", tool, attempt, answer });
    ({ id } = answer);
    if (answer.action !== "attempt") return;
    attempt = answer.tool === tool ? attempt + 1 : 1;
    ({ tool } = answer);
    if (chance.roll() < 0.3) break;
  }
  if (id === "") return;
  const status = chance.roll() < 0.7 ? "succeeded" : "cancelled";
  const key = chance.roll() < 0.5 ? `${id}.outcome` : null;
  const ended = await send(wire, `/v1/failures/${encodeURIComponent(id)}/outcome`, { status }, key);
  if (ended === null) return;
  if (ended.end !== (status === "succeeded" ? "done" : status))
    wire.blame(`${id}: the outcome ${status} was answered with ${ended.end}`);
  wire.told({ what: "outcome", id, status });
}

/** Reports a failure; sometimes once more, as an executor does that lost the answer. */
async function decided(wire: Wire, body: object, key: string | null, isAgain: boolean): Promise<Answer | null> {
  const answer = await send(wire, "/v1/failures", body, key);
  if (answer === null || !isAgain) return answer;
  const again = await send(wire, "/v1/failures", body, key);
  if (again === null) return null;
  wire.count("repeated on purpose");
  if (!again.repeated || contentOf(again) !== contentOf(answer))
    wire.blame(`${answer.id}: reported again, and got ${contentOf(again)} instead of ${contentOf(answer)}`);
  return answer;
}

/** What may not differ between two answers about one attempt. */
function contentOf({ id, fault: { code }, decision: { recourse, delayMs, target, tool } }: Answer): string {
  return JSON.stringify({ id, code, recourse, delayMs, to: target ?? tool });
}

/** Sends until there is an answer; null when the campaign is over first. */
export async function send(wire: Wire, path: string, body: object, key: string | null): Promise<Answer | null> {
  for (let tries = 1; tries <= MAX_TRIES; tries++) {
    const url = await wire.up();
    if (wire.isOver() && tries > 1) return null;
    const response = await post(url + path, wire.token, body, key);
    if (response === null) {
      wire.count("cut off");
      continue;
    }
    if (response.status === 200) {
      const answer = failureAnswer.parse(JSON.parse(response.text));
      if (tries > 1 && answer.repeated) wire.count("decided before the kill");
      return answer;
    }
    wire.blame(`${path} answered ${response.status}: ${response.text} to ${JSON.stringify(body)}`);
    return null;
  }
  wire.blame(`${path} got no answer in ${MAX_TRIES} tries`);
  return null;
}

/** null when the connection broke before the whole answer was there. */
async function post(
  url: string,
  token: string,
  body: object,
  key: string | null,
): Promise<{ readonly status: number; readonly text: string } | null> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "authorization": `Bearer ${token}`,
        "content-type": "application/json",
        ...(key === null ? {} : { "idempotency-key": key }),
      },
      body: JSON.stringify(body),
    });
    return { status: response.status, text: await response.text() };
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}
