// What a person typed for an action, as the parameters that the server takes. The server checks them again.

import type { Client } from "../../src/client/index.ts";

export type Action = Awaited<ReturnType<Client["showRun"]>>["actions"][number];
type Params = Readonly<Record<string, unknown>>;

/** What stands in the fields of an action's dialog. */
export interface Draft {
  readonly text: string;
  readonly target: string;
  /** By name, in the unit that is shown. */
  readonly limits: Readonly<Record<string, string>>;
  /** One name per line. */
  readonly names: string;
  /** undefined until the question has an answer that fits. */
  readonly answer: unknown;
}

/** How many of what the server counts are one of what a person types: dollars, minutes. */
const UNITS: Readonly<Record<string, number>> = { maxCostMicrocents: 1e8, timeoutMs: 60_000 };

export function shownLimit(name: string, amount: number): number {
  return amount / (UNITS[name] ?? 1);
}

/** Suggests twice as much as there is now. */
export function emptyDraft({ choices, limits }: Pick<Action, "choices" | "limits">): Draft {
  const twice = Object.entries(limits).map(([name, now]) => [name, String(shownLimit(name, now * 2) || "")] as const);
  return { text: "", target: choices[0] ?? "", limits: Object.fromEntries(twice), names: "", answer: undefined };
}

/** null while something is missing. */
const READERS: Readonly<Record<Action["needs"], (draft: Draft, action: Pick<Action, "limits">) => Params | null>> = {
  nothing: () => ({}),
  text: ({ text }) => (text.trim() === "" ? null : { text }),
  target: ({ target }) => (target === "" ? null : { target }),
  limits: ({ limits }, { limits: now }) => higherLimits(limits, now),
  answer: ({ answer }) => (answer === undefined ? null : { answer }),
  commands: ({ names }) => listed("commands", names),
  tools: ({ names }) => listed("tools", names),
};

export function paramsOf(action: Pick<Action, "needs" | "accepts" | "limits">, draft: Draft): Params | null {
  const needed = READERS[action.needs](draft, action);
  if (needed === null) return null;
  // An optional field that was left empty is not sent.
  return Object.assign({}, ...action.accepts.map((each) => READERS[each](draft, action)), needed) as Params;
}

function listed(field: string, lines: string): Params | null {
  const names = lines
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  return names.length === 0 ? null : { [field]: names };
}

/** Those that were raised. One that is not higher than now stops the whole. */
function higherLimits(typed: Draft["limits"], now: Action["limits"]): Params | null {
  const raised: Record<string, number> = {};
  for (const [name, text] of Object.entries(typed)) {
    if (text.trim() === "") continue;
    const amount = Math.round(Number(text) * (UNITS[name] ?? 1));
    if (!Number.isSafeInteger(amount) || amount <= (now[name] ?? 0)) return null;
    raised[name] = amount;
  }
  return Object.keys(raised).length === 0 ? null : { limits: raised };
}
