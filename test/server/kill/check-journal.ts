// Compares the journal with what the server acknowledged and with what the readers of its stream saw.

import type { Journal, Positioned } from "../../../src/journal/journal.ts";
import type { Entry } from "../../../src/core/record/event.ts";
import type { Acknowledged } from "./executor.ts";
import type { Follower } from "./follower.ts";

export interface Found {
  readonly problems: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
}

/** `all`: the entries of the journal, in order. */
export function compare(
  all: readonly Positioned[],
  acknowledged: readonly Acknowledged[],
  followers: readonly Follower[],
): Found {
  const { decisions, ends, problems } = decisionsIn(all);
  const lost = acknowledged.flatMap((told) => lostIn(decisions, ends, told));
  const missed = followers.flatMap((follower) => missedBy(follower, all));
  return {
    problems: [...problems, ...lost, ...missed],
    counts: {
      "decisions in the journal": decisions.size,
      "entries in the journal": all.length,
      "events seen by readers": followers.reduce((sum, { positions }) => sum + positions.length, 0),
    },
  };
}

export async function entriesOf(journal: Journal): Promise<readonly Positioned[]> {
  const all: Positioned[] = [];
  for (;;) {
    const page = await journal.readFrom(all.at(-1)?.position ?? 0, { limit: 1_000 });
    if (page.length === 0) return all;
    all.push(...page);
  }
}

interface Decisions {
  /** By call, tool and attempt. */
  readonly decisions: ReadonlyMap<string, string>;
  /** How a call ended, by its id. */
  readonly ends: ReadonlyMap<string, string>;
  readonly problems: readonly string[];
}

function decisionsIn(all: readonly Positioned[]): Decisions {
  const decisions = new Map<string, string>();
  const ends = new Map<string, string>();
  const problems: string[] = [];
  for (const { entry } of all) {
    const { session, event } = entry;
    if (event.type === "call-failed") {
      const key = `${session}~${event.call} ${event.tool} ${event.attempt}`;
      if (decisions.has(key)) problems.push(`${key} was decided twice`);
      decisions.set(key, contentIn(event));
    }
    if (event.type === "call-succeeded" || event.type === "call-cancelled") {
      const id = `${session}~${event.call}`;
      if (ends.has(id)) problems.push(`${id} ended twice`);
      ends.set(id, event.type === "call-succeeded" ? "succeeded" : "cancelled");
    }
  }
  return { decisions, ends, problems };
}

type Failed = Extract<Entry["event"], { readonly type: "call-failed" }>;

function contentIn({ fault, decision }: Failed): string {
  return JSON.stringify([fault.code, decision.recourse, "delayMs" in decision ? decision.delayMs : null]);
}

function lostIn(
  decisions: ReadonlyMap<string, string>,
  ends: ReadonlyMap<string, string>,
  told: Acknowledged,
): readonly string[] {
  if (told.what === "outcome") {
    const found = ends.get(told.id);
    return found === told.status ? [] : [`${told.id} was acknowledged as ${told.status}, the journal has ${found}`];
  }
  const { tool, attempt, answer } = told;
  const found = decisions.get(`${answer.id} ${tool} ${attempt}`);
  const { recourse, delayMs = null } = answer.decision;
  const expected = JSON.stringify([answer.fault.code, recourse, delayMs]);
  if (found === expected) return [];
  return [`${answer.id} ${tool} ${attempt} was acknowledged as ${expected}, the journal has ${found}`];
}

/** The position of the last entry that a follower will see. */
export function lastFor(follower: Follower, all: readonly Positioned[]): number {
  return expectedBy(follower, all).at(-1)?.position ?? 0;
}

function expectedBy({ types }: Follower, all: readonly Positioned[]): readonly Positioned[] {
  return all.filter(({ entry }) => types === null || types.includes(entry.event.type));
}

function missedBy(follower: Follower, all: readonly Positioned[]): readonly string[] {
  const expected = expectedBy(follower, all);
  const name = follower.types?.join(", ") ?? "everything";
  // A session may have ended after the journal was read.
  const seen = follower.positions.filter((position) => position <= (all.at(-1)?.position ?? 0));
  const wrong = expected.findIndex(({ position }, index) => seen[index] !== position);
  if (wrong !== -1) return [`the reader of ${name} saw ${seen[wrong]} where ${expected[wrong]?.position} is next`];
  const extra = seen.length - expected.length;
  return extra === 0 ? [] : [`the reader of ${name} saw ${extra} events more than there are`];
}
