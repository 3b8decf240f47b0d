// Durations and money as people write them: `30m`, `max_cost_usd: 2`. The code uses only milliseconds and micro-cents.

import { microcentsOf } from "../core/flow/money.ts";
import type { Path } from "../yaml-file/locate.ts";
import { type WorkflowFinding, finding, said } from "./codes.ts";
import { DURATION } from "./field.ts";
import { fieldsOf } from "./grammar.ts";
import type { WorkflowFile } from "./schema.ts";

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};
const DAY_MS = 86_400_000;
/** Longer than any run; a single timer cannot wait much longer. */
const LONGEST_MS = 24 * DAY_MS;
const MAX_DOLLARS = 1_000_000;

/** Milliseconds; null if it is not a duration. */
export function durationMs(written: unknown): number | null {
  if (typeof written === "number") return Number.isInteger(written) && written >= 0 ? written : null;
  if (typeof written !== "string") return null;
  const [, amount, unit = ""] = DURATION.exec(written.trim()) ?? [];
  const ms = Number(amount) * (UNIT_MS[unit] ?? NaN);
  return Number.isFinite(ms) ? Math.round(ms) : null;
}

/** The amount in micro-cents (1e-8 dollars); null if it is not an amount. */
export function microcents(dollars: unknown): number | null {
  if (typeof dollars !== "number" || !(dollars > 0) || dollars > MAX_DOLLARS) return null;
  // A ninth decimal would be smaller than the smallest unit.
  return Number(dollars.toFixed(8)) === dollars ? microcentsOf(dollars) : null;
}

export function checkAmounts(file: WorkflowFile): readonly WorkflowFinding[] {
  const places = amountsIn(file);
  return [
    ...places.durations.flatMap(({ path, least }) => {
      const written = valueAt(file, path);
      return written === undefined ? [] : wrongDuration(path, written, least);
    }),
    ...places.money.flatMap((path) => {
      const written = valueAt(file, path);
      return written === undefined || microcents(written) !== null ? [] : [wrongMoney(path, written)];
    }),
  ];
}

interface DurationPlace {
  readonly path: Path;
  readonly least: number;
}

function amountsIn(file: WorkflowFile): {
  readonly durations: readonly DurationPlace[];
  readonly money: readonly Path[];
} {
  const nodes = Object.keys(file.nodes).map((id) => ["nodes", id]);
  const agents = Object.keys(file.agents ?? {}).map((id) => ["agents", id]);
  const tools = Object.keys(file.tools ?? {}).map((id) => ["tools", id]);
  const timeouts = [["limits", "timeout"], ...[...nodes, ...tools].map((path) => [...path, "timeout"])];
  const waits = [...nodes, ...agents].flatMap((path) => [
    [...path, "retry", "initial"],
    [...path, "retry", "max"],
  ]);
  return {
    durations: [...timeouts.map((path) => ({ path, least: 1 })), ...waits.map((path) => ({ path, least: 0 }))],
    money: [["limits", "max_cost_usd"], ...agents.map((path) => [...path, "budget", "max_cost_usd"])],
  };
}

function valueAt(file: WorkflowFile, path: Path): unknown {
  return path.reduce<unknown>((held, key) => fieldsOf(held)[key], file);
}

function wrongDuration(path: Path, written: unknown, least: number): readonly WorkflowFinding[] {
  const ms = durationMs(written);
  if (ms !== null && ms >= least && ms <= LONGEST_MS) return [];
  const [message, label] =
    ms === null
      ? [`${said(path)} is not a duration`, "not a duration"]
      : ms < least
        ? [`${said(path)} must be longer than 0`, "too short"]
        : [`${said(path)} must be at most ${LONGEST_MS / DAY_MS}d`, "too long"];
  const help = "Write a number with a unit, such as `90s`, `30m`, `2h` or `1d`; or whole milliseconds.";
  return [finding("bad-duration", path, message, label, help)];
}

function wrongMoney(path: Path, written: unknown): WorkflowFinding {
  const [message, label] =
    typeof written !== "number"
      ? [`${said(path)} must be a number`, "not an amount"]
      : written > MAX_DOLLARS
        ? [`${said(path)} must be at most ${MAX_DOLLARS}`, "too much"]
        : written > 0
          ? [`${said(path)} has more than eight decimals`, "smaller than the smallest unit"]
          : [`${said(path)} must be more than 0`, "too small"];
  const help = "Write dollars as a plain number, such as `2` or `0.25`; leave it out for no limit.";
  return finding("bad-money", path, message, label, help);
}
