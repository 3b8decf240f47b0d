// The filters of the list of runs: their names in the page's address, and what they ask of the server.

import type { Input } from "../../../src/client/index.ts";

export type RunsQuery = NonNullable<Input<"listRuns">["query"]>;

/** Names that the address and the server share. */
const SAME = ["state", "cause", "workflow", "target", "code", "q"] as const;

const [HOUR, DAY] = [3_600_000, 86_400_000];
export const WITHIN = { "1h": HOUR, "24h": DAY, "7d": 7 * DAY, "30d": 30 * DAY } as const;
export type Within = keyof typeof WITHIN;

export const RUN_FILTERS = [...SAME, "within", "superseded"] as const;
/** What `superseded` says in the address to show runs that were continued in another one. */
export const SUPERSEDED_SHOWN = "show";

type Address = (name: string) => string | null;

/** What the filters in an address ask for. Runs that were continued are left out unless the address wants them. */
export function queryOf(address: Address, now: number): RunsQuery {
  const given = SAME.flatMap((name) => {
    const value = address(name);
    return value === null ? [] : [[name, value] as const];
  });
  const within = address("within");
  return {
    ...(Object.fromEntries(given) as RunsQuery),
    ...(within !== null && isWithin(within) ? { since: now - WITHIN[within] } : {}),
    superseded: address("superseded") === SUPERSEDED_SHOWN ? "show" : "hide",
  };
}

/** The same for the same filters, whatever the time is. */
export function keyOf(address: Address): string {
  return JSON.stringify(RUN_FILTERS.map(address));
}

function isWithin(text: string): text is Within {
  return Object.hasOwn(WITHIN, text);
}
