// Runs as a reader of a role may see them: words in the reader's language, and for viewers no data of the user's own.

import type { graphView, runEventsQuery, runEventView, runLine, runView } from "../api/runs.ts";
import { isFaultCode, traitsOf } from "../core/fault/catalogue.ts";
import { pillOf } from "../core/fault/words/pills.ts";
import type { Locale } from "../core/fault/words/words.ts";
import type { Question } from "../core/flow/interaction.ts";
import { turnOf, type Visit } from "../core/flow/visit.ts";
import { keyOf } from "../core/flow/run-state.ts";
import { currentWait, reasonOf, STANDING_WORDS, standingOf, type Surroundings } from "../core/flow/run-standing.ts";
import {
  describeRun,
  visitCode,
  visitLabel,
  visitNextAt,
  visitReason,
  type VisitStanding,
  visitStanding,
} from "../core/flow/run-words.ts";
import type { Move, VisitTimes } from "../core/record/timeline.ts";
import { filesOfVisit } from "../workflow/report/run-files.ts";
import type { RunReport, RunSummary } from "../workflow/runs-api.ts";
import type { WorkflowOutline } from "../workflow-model/stage.ts";
import { faultFor, questionFor, type Reader } from "./views.ts";
import type { Role, Shaped } from "../api/route.ts";
import { toCloudEvent } from "../core/record/cloud-event.ts";
import type { RunStreamEvent } from "../core/record/run-stream.ts";
import { levelOf, RUN_EVENT_LEVELS } from "../core/record/run-stream-event.ts";
import { typesOf } from "./events/event-hub.ts";

interface Pill<Id extends string = string> {
  id: Id;
  label: string;
}

/** null for no code, and for one that this program does not know. */
export function causeFor(code: string | null, locale: Locale): Pill | null {
  if (code === null) return null;
  return isFaultCode(code) ? { id: traitsOf(code).cause, label: pillOf(code, locale) } : { id: "unknown", label: code };
}

/** `asked`: the question that it asks, if it asks one. */
export function runLineFor(
  { locale }: Pick<Reader, "locale">,
  summary: RunSummary,
  around: Surroundings,
  asked: Question | null,
): Shaped<typeof runLine> {
  const { run, workflow, version, status, outcome, nodes, code, questions, wakeAt } = summary;
  // A stage that asks no model or agent is its own target.
  const target = summary.target ?? (status === "failed" ? (nodes[0] ?? null) : null);
  const { startedAt, updatedAt, endedAt, spentMicrocents, predecessor, successor } = summary;
  const standing = standingOf(summary, around);
  const wait = around.isHeld && status === "running" ? currentWait(summary, around.now) : null;
  const { attempt = 0, of = 0 } = wait ?? summary;
  return {
    run,
    workflow,
    version,
    status,
    outcome,
    target,
    code,
    state: { id: standing, label: STANDING_WORDS[locale][standing] },
    cause: causeFor(code, locale),
    reason: reasonOf(summary, standing, locale, asked === null ? "" : askedIn(asked.payload.prompt)),
    nodes,
    questions,
    nextAt: wait?.nextAt ?? wakeAt,
    attempt,
    of,
    startedAt,
    updatedAt,
    endedAt: endedAt === 0 ? null : endedAt,
    spentMicrocents,
    predecessor,
    successor,
    held: around.isHeld,
  };
}

/** A prompt may be a page of Markdown that ends with the question; without one, its first line says what it is about. */
function askedIn(prompt: string): string {
  const lines = prompt.split("\n").filter((one) => one.trim() !== "");
  const line = lines.findLast((one) => /[?？]\s*$/u.test(one)) ?? lines[0] ?? "";
  return line.replace(/^[\s#>*-]+/, "").trim();
}

/** What a run is shown with, besides its report. */
interface RunSurroundings extends Surroundings {
  readonly times: ReadonlyMap<string, VisitTimes>;
  readonly moves: readonly Move[];
  /** By `node#execution`. */
  readonly outputs: ReadonlyMap<string, unknown>;
  /** null when the definition is not known here. */
  readonly outline: WorkflowOutline | null;
}

export function runFor(reader: Reader, report: RunReport, around: RunSurroundings): Shaped<typeof runView> {
  const { who, locale } = reader;
  const { summary, state, spending, questions, actions, files, folder } = report;
  const isOperator = who.role === "operator";
  return {
    ...runLineFor(reader, summary, around, questions[0] ?? null),
    digest: summary.digest,
    message: describeRun(state, locale),
    limits: summary.limits,
    spending,
    fault: state.fault === null ? null : faultFor(reader, state.fault, summary.run),
    visits: state.visits.slice(-MAX_VISITS).map((visit) => visitFor(reader, report, visit, around)),
    olderVisits: Math.max(0, state.visits.length - MAX_VISITS),
    asked: questions.map((question) => questionFor(question, locale)),
    actions,
    files: files.map((name) => ({ name })),
    graph: graphFor(around, state.visits, locale),
    ...(isOperator && summary.file !== null ? { file: summary.file } : {}),
    ...(isOperator && folder !== null ? { folder } : {}),
  };
}

const MAX_VISITS = 500;
const NO_TIMES: VisitTimes = { queuedMs: 0, waitedMs: 0, workedMs: 0 };

function visitFor(
  reader: Reader,
  { summary, files }: RunReport,
  visit: Visit,
  { now, times, outputs }: RunSurroundings,
): Shaped<typeof runView>["visits"][number] {
  const { locale, who } = reader;
  const { node, execution, kind, attempt, of, phase, startedAt, endedAt, callAttempts, spentMicrocents } = visit;
  const { fault, pause, skipped, inherited, target = null, targets = [] } = visit;
  const key = keyOf(visit);
  const output = outputs.get(key);
  return {
    node,
    execution,
    kind,
    attempt,
    of,
    phase,
    callAttempts,
    spentMicrocents,
    target,
    skipped,
    inherited,
    state: pillFor(visitStanding(visit, now), locale),
    reason: visitReason(visit, now, locale),
    cause: causeFor(visitCode(visit, now), locale),
    startedAt: startedAt === 0 ? null : startedAt,
    endedAt: endedAt === 0 ? null : endedAt,
    nextAt: visitNextAt(visit, now),
    ...(times.get(key) ?? NO_TIMES),
    targets,
    fault: fault === null ? null : faultFor(reader, fault, `${summary.run}/${turnOf(visit)}`),
    questions: pause?.questions.map(({ id }) => id) ?? [],
    files: filesOfVisit(visit, files),
    ...(who.role === "operator" && output !== undefined ? { output } : {}),
  };
}

function pillFor(standing: VisitStanding, locale: Locale): Pill<VisitStanding> {
  return { id: standing, label: visitLabel(standing, locale) };
}

/** The workflow's graph with the path that the run took. Edges that the definition does not show, as in a workflow written in TypeScript, are added. */
function graphFor(
  { outline, moves, now }: Pick<RunSurroundings, "outline" | "moves" | "now">,
  visits: readonly Visit[],
  locale: Locale,
): Shaped<typeof graphView> {
  const taken = new Map<string, number>();
  for (const { from, to } of moves) taken.set(`${from}\n${to}`, (taken.get(`${from}\n${to}`) ?? 0) + 1);
  const edges = (outline?.edges ?? []).map((edge) => ({ ...edge, taken: taken.get(`${edge.from}\n${edge.to}`) ?? 0 }));
  const known = new Set(edges.map(({ from, to }) => `${from}\n${to}`));
  const others = [...taken].filter(([key]) => !known.has(key));
  const nodes = outline?.nodes ?? [];
  const ids = new Set([...nodes.map(({ id }) => id), ...visits.map(({ node }) => node)]);
  return {
    nodes: Array.from(ids, (id) => {
      const drawn = nodes.find((node) => node.id === id);
      const own = visits.filter(({ node }) => node === id);
      const newest = own.at(-1);
      return {
        id,
        kind: drawn?.kind ?? newest?.kind ?? "stage",
        targets: [...(drawn?.targets ?? newest?.targets ?? [])],
        tools: [...(drawn?.tools ?? [])],
        state: newest === undefined ? null : pillFor(visitStanding(newest, now), locale),
        visits: own.length,
      };
    }),
    edges: [
      ...edges,
      ...others.map(([key, count]) => {
        const [from = "", to = ""] = key.split("\n");
        return { from, to, kind: "taken" as const, when: null, max: null, outcome: "", taken: count };
      }),
    ],
  };
}

// The events of a run as a reader of a role may see and search them.

/** Fields that hold data of the user's own; viewers do not see them. */
const HIDDEN = new Set(["inputs", "output"]);

type ShownEvent = Omit<RunStreamEvent, "data"> & { readonly data: Readonly<Record<string, unknown>> };

function shownTo(role: Role, event: RunStreamEvent): ShownEvent {
  if (role === "operator") return event as ShownEvent;
  const data = Object.entries(event.data).filter(([field]) => !HIDDEN.has(field));
  return { ...event, data: Object.fromEntries(data) };
}

export function eventFor(role: Role, event: RunStreamEvent): Shaped<typeof runEventView> {
  return { ...toCloudEvent(event), level: levelOf(event), data: { ...shownTo(role, event) } };
}

type Filter = Omit<Shaped<typeof runEventsQuery>, "limit" | "after">;

/** The events that fit a filter, in their order. Words are searched only in the fields that the reader may see. */
export function matching(
  events: readonly RunStreamEvent[],
  { types, level, node, q }: Filter,
  role: Role,
): readonly RunStreamEvent[] {
  const wanted = typesOf(types);
  const lowest = RUN_EVENT_LEVELS.indexOf(level ?? "info");
  const words = (q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted === null && lowest === 0 && node === undefined && words.length === 0) return events;
  return events.filter(
    (event) =>
      (wanted === null || wanted.has(event.type)) &&
      RUN_EVENT_LEVELS.indexOf(levelOf(event)) >= lowest &&
      (node === undefined || event.node === node) &&
      (words.length === 0 || hasAll(textOf(role, event), words)),
  );
}

function hasAll(text: string, words: readonly string[]): boolean {
  return words.every((word) => text.includes(word));
}

/** The searchable text of each event, made once: a search runs again with every key that a person types. */
const TEXTS: Readonly<Record<Role, WeakMap<RunStreamEvent, string>>> = {
  viewer: new WeakMap(),
  operator: new WeakMap(),
};

function textOf(role: Role, event: RunStreamEvent): string {
  const known = TEXTS[role].get(event);
  if (known !== undefined) return known;
  const { type, node, data } = shownTo(role, event);
  const text = `${type} ${node} ${JSON.stringify(data)}`.toLowerCase();
  TEXTS[role].set(event, text);
  return text;
}
