// The tables of docs/agent-clis.md, generated from a whole run. Values that change from run to run (ports, ids, exact times) are
// left out.

import { readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { expectedOf } from "./campaign.ts";
import { type RealCli, RELEASES } from "./install.ts";
import type { Seen } from "./one-run.ts";
import { type CliScenario, SCENARIOS } from "./scenarios.ts";
import { SETUPS } from "./setups.ts";

const PAGE = new URL("../../docs/agent-clis.md", import.meta.url);
const START = "<!-- runs: made by npm run test:clis -->";
const END = "<!-- /runs -->";

export function writePage(all: readonly Seen[], today: string): void {
  const page = readFileSync(PAGE, "utf8");
  const [from, to] = [page.indexOf(START), page.indexOf(END)];
  if (from === -1 || to === -1) throw new Error(`docs/agent-clis.md has no place for the runs: ${START} … ${END}`);
  writeFileSync(PAGE, `${page.slice(0, from)}${START}\n\n${runsText(all, today)}\n\n${page.slice(to)}`);
}

function runsText(all: readonly Seen[], today: string): string {
  const kinds = RELEASES.map(({ kind }) => kind).filter((kind) => all.some((seen) => seen.kind === kind));
  const when = `${all.length} runs on ${today}, Node ${process.versions.node}, ${process.platform} ${process.arch}.`;
  return [when, "### At a glance", overview(all, kinds), ...kinds.map((kind) => section(all, kind))].join("\n\n");
}

function overview(all: readonly Seen[], kinds: readonly RealCli[]): string {
  const rows = SCENARIOS.map((scenario) => [
    scenario.title,
    ...kinds.map((kind) => {
      const seen = runOf(all, kind, scenario);
      return seen === undefined ? "–" : (seen.fault?.code ?? "works");
    }),
  ]);
  return table(["what happens", ...kinds], rows);
}

function section(all: readonly Seen[], kind: RealCli): string {
  const release = RELEASES.find((known) => known.kind === kind);
  const rows = SCENARIOS.flatMap((scenario) => {
    const seen = runOf(all, kind, scenario);
    return seen === undefined ? [] : [rowOf(seen)];
  });
  const reasons = SCENARIOS.flatMap((scenario) => {
    const why = expectedOf(kind, scenario).because ?? scenario.notFor?.[kind];
    return why === undefined ? [] : [`- ${scenario.title}: ${why}`];
  });
  return [
    `### ${kind}: ${release?.npmPackage ?? ""} ${release?.version ?? ""}`,
    `Settings: ${SETUPS[kind].settings}.`,
    table(["what happens", "exit", "requests", "took", "in words", "fault", "what is known", "then"], rows),
    ...(reasons.length === 0 ? [] : [`Exceptions:\n\n${reasons.join("\n")}`]),
  ].join("\n\n");
}

function runOf(all: readonly Seen[], kind: RealCli, { id }: CliScenario): Seen | undefined {
  return all.find((seen) => seen.kind === kind && seen.scenario.id === id);
}

function rowOf(seen: Seen): readonly string[] {
  const { scenario, ending, requests, durationMs, fault } = seen;
  return [
    scenario.title,
    ending,
    requests > MANY_REQUESTS ? `more than ${MANY_REQUESTS}` : String(requests),
    bucketOf(durationMs),
    fault === null ? "" : `\`${wordsOf(fault.cause?.message ?? fault.message)}\``,
    fault?.code ?? "",
    knownOf(seen).join(", "),
    THEN[seen.then] ?? seen.then,
  ];
}

const MANY_REQUESTS = 20;

const BUCKETS: readonly (readonly [number, string])[] = [
  [5_000, "under 5 s"],
  [15_000, "5–15 s"],
  [60_000, "15–60 s"],
  [Infinity, "over 1 min"],
];

function bucketOf(durationMs: number): string {
  return BUCKETS.find(([limitMs]) => durationMs < limitMs)?.[1] ?? "";
}

const LONGEST_WORDS = 110;

/** Removes values that change each time. */
function wordsOf(message: string): string {
  const plain = message
    .replaceAll(tmpdir(), "…")
    .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:…")
    .replaceAll(/\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\breq_\w+|\bses_\w+/g, "…")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z?/g, "…")
    .replaceAll(/\s+/g, " ")
    .replaceAll("`", "'");
  return plain.length > LONGEST_WORDS ? `${plain.slice(0, LONGEST_WORDS)}…` : plain;
}

function knownOf({ fault, faultAt, sessionId, hasUsage, costUsd, retriesReported }: Seen): readonly string[] {
  const context = fault?.context ?? {};
  const text = (name: string): string | null => (context[name] === undefined ? null : String(context[name]));
  const known: readonly (readonly [boolean, string])[] = [
    [text("phase") !== null, `timer: ${text("phase") ?? ""}`],
    [text("stopped") !== null, `stopped: ${text("stopped") ?? ""}`],
    [fault?.cause !== undefined, `because of ${fault?.cause?.code ?? ""}`],
    [fault?.retryAfterMs !== undefined, `wait ${Math.round((fault?.retryAfterMs ?? 0) / 1000)} s`],
    [fault?.resetAt !== undefined, `lifts in ${hoursOf((fault?.resetAt ?? 0) - faultAt)}`],
    [text("next") !== null, `next: ${text("next")?.replaceAll("`", "") ?? ""}`],
    [retriesReported > 0, `retries reported: ${retriesReported > MANY_REQUESTS ? "many" : retriesReported}`],
    [sessionId !== null, "session"],
    [hasUsage, "usage"],
    [costUsd !== null, "cost"],
  ];
  return known.filter(([holds]) => holds).map(([, words]) => words);
}

function hoursOf(ms: number): string {
  if (ms < 60_000) return "less than a minute";
  return ms < 3_600_000 ? "less than an hour" : `${Math.round(ms / 3_600_000)} h`;
}

/** What a recourse means here, where a fallback is next in the chain. */
const THEN: Readonly<Record<string, string>> = {
  "": "",
  "fallback": "the next CLI answers",
  "compact": "nothing to shorten, so the next CLI answers",
  "regenerate": "is run once more, then handed to the program",
  "ask": "asks a person",
  "surface": "handed to the program",
  "fail": "fails",
};

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}
