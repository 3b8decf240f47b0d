// What `/metrics` shows: read by a parser that follows the specifications, and compared with what really happened.

import { readFileSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  type Chance,
  type Clock,
  createFaultline,
  createMemoryJournal,
  fault,
  FaultError,
  type Faultline,
  type Journal,
  tool,
} from "../../src/index.ts";
import { formatFor, OPENMETRICS, PROMETHEUS } from "../../src/telemetry/exposition.ts";
import { createMetrics, type Metrics } from "../../src/telemetry/index.ts";
import { METRICS, sampleNames } from "../../src/telemetry/metric-table.ts";
import { ATTRIBUTES, EVENTS, SEMCONV_VERSION, SPANS } from "../../src/telemetry/span-names.ts";
import { createFakeClock, createSeededChance } from "../../src/testing/index.ts";
import { createRuns } from "../../src/workflow/runs.ts";
import { defineWorkflow, stage } from "../../src/workflow/define.ts";
import { type MetricFamily, readMetrics, type Sample } from "../support/open-metrics.ts";

const FORMATS = { openmetrics: OPENMETRICS, prometheus: PROMETHEUS } as const;
type Format = keyof typeof FORMATS;

interface World {
  readonly fl: Faultline;
  readonly home: { readonly clock: Clock; readonly chance: Chance; readonly journal: Journal };
  readonly metrics: Metrics;
  readonly until: <T>(work: Promise<T>) => Promise<T>;
  readonly read: (format?: Format) => Promise<ReadonlyMap<string, MetricFamily>>;
  readonly value: (name: string, labels?: Readonly<Record<string, string>>) => Promise<number | undefined>;
}

function world(): World {
  const clock = createFakeClock();
  const chance = createSeededChance(1);
  const journal = createMemoryJournal({ clock, chance });
  const home = { clock, chance, journal };
  const fl = createFaultline(home);
  const metrics = createMetrics(fl, "1.2.3");
  onTestFinished(() => {
    metrics.close();
    return fl.close();
  });
  const read: World["read"] = async (format = "openmetrics") => {
    const { contentType, body } = await metrics.expose(FORMATS[format]);
    expect(contentType).toBe(FORMATS[format]);
    return readMetrics(body, format);
  };
  const value: World["value"] = async (name, labels = {}) => {
    const samples = [...(await read()).values()].flatMap((family) => family.samples);
    const isIt = (one: Sample): boolean =>
      Object.keys(one.labels).length === Object.keys(labels).length &&
      Object.entries(labels).every(([label, text]) => one.labels[label] === text);
    return samples.find((one) => one.name === name && isIt(one))?.value;
  };
  return { fl, home, metrics, read, value, until: (work) => clock.runUntil(work) };
}

function failing(times: number): () => string {
  let calls = 0;
  return () => {
    if (++calls <= times) throw new FaultError(fault("ToolUnavailable", { message: "secret" }));
    return "ok";
  };
}

const b = tool({ id: 'b "\\\n', run: () => "from b" });

async function makeTrouble({ fl, until }: World): Promise<void> {
  const cost = { estimate: () => 1_000_000 };
  await until(fl.protect(tool({ id: "a", idempotent: true, retry: { maxAttempts: 3 }, cost, run: failing(2) }), 1));
  await until(fl.protect(tool({ id: "c", retry: "none", alternatives: [b], run: failing(1) }), 1));
  await until(fl.protect(tool({ id: "d", retry: "none", breaker: { failures: 1 }, run: failing(9) }), 1));
  const stop = new AbortController();
  await until(fl.protect(tool({ id: "e", run: () => new Promise(() => stop.abort()) }), 1, { signal: stop.signal }));
}

describe.each(["openmetrics", "prometheus"] as const)("as %s", (format) => {
  it("every metric is there with its type, unit and help, and nothing else", async () => {
    const all = world();
    await makeTrouble(all);
    const families = await all.read(format);
    const isOpen = format === "openmetrics";
    const suffix = { counter: "_total", info: "_info", gauge: "", histogram: "" } as const;
    expect([...families.keys()]).toEqual(
      Object.entries(METRICS).map(([name, { type }]) => (isOpen ? name : `${name}${suffix[type]}`)),
    );
    const names = new Set([...families.values()].flatMap(({ samples }) => samples.map(({ name }) => name)));
    expect(sampleNames()).toEqual(expect.arrayContaining([...names]));
    const labels = JSON.stringify([...families.values()].map(({ samples }) => samples.map((one) => one.labels)));
    expect(labels).not.toMatch(/secret|call_|ses_/);
  });
});

it("counts what happened", async () => {
  const all = world();
  await makeTrouble(all);
  // prettier-ignore
  const expected: readonly (readonly [string, Readonly<Record<string, string>>, number])[] = [
    ["faultline_attempts_total", { tool: "a", outcome: "failed" }, 2],
    ["faultline_attempts_total", { tool: "a", outcome: "succeeded" }, 1],
    ["faultline_attempts_total", { tool: "e", outcome: "cancelled" }, 1],
    ["faultline_retries_total", { tool: "a" }, 2],
    ["faultline_recoveries_total", { tool: "a" }, 1],
    ["faultline_recoveries_total", { tool: 'b "\\\n' }, 1],
    ["faultline_errors_total", { class: "ToolTransient", code: "ToolUnavailable", tool: "a" }, 2],
    ["faultline_fallbacks_total", { from: "c", to: 'b "\\\n' }, 1],
    ["faultline_backoff_seconds_count", {}, 2],
    ["faultline_recovery_seconds_count", {}, 2],
    ["faultline_circuit_transitions_total", { tool: "d", from: "closed", to: "open" }, 1],
    ["faultline_circuit_state", { target: "d", state: "open" }, 1],
    ["faultline_circuit_state", { target: "d", state: "closed" }, 0],
    ["faultline_circuit_state", { target: "a", state: "closed" }, 1],
    ["faultline_inbox_pending", {}, 0],
    ["faultline_spend_usd_total", { tool: "a" }, 0.03],
    ["faultline_build_info", { version: "1.2.3" }, 1],
  ];
  for (const [name, labels, value] of expected)
    expect([name, labels, await all.value(name, labels)]).toEqual([name, labels, value]);
  expect(
    await all.value("faultline_errors_total", { class: "Cancellation", code: "ToolCancelled", tool: "e" }),
  ).toBeUndefined();
});

it("counts the runs and calls of sessions, as a server that drives runs sees them, and never goes down", async () => {
  const all = world();
  const { home, until } = all;
  const workflow = defineWorkflow({
    id: "team",
    stages: {
      works: stage({ act: async (_request, { turn }) => (await turn.protect(b, 1)).status }),
      breaks: stage({
        act: () => {
          throw new FaultError(fault("TestsFailed"));
        },
      }),
    },
  });
  const runs = createRuns({ ...home, workflows: [workflow] });
  const samples = async (): Promise<ReadonlyMap<string, number>> => {
    const families = [...(await all.read()).values()].filter(({ type }) => type === "counter" || type === "histogram");
    return new Map(families.flatMap((one) => one.samples.map((s) => [JSON.stringify([s.name, s.labels]), s.value])));
  };
  let before = new Map<string, number>() as ReadonlyMap<string, number>;
  for (let round = 1; round <= 3; round++) {
    const run = await until(runs.start(workflow));
    await until(runs.advance(run));
    const now = await samples();
    for (const [key, value] of before) expect(now.get(key)).toBeGreaterThanOrEqual(value);
    before = now;
    expect(await all.value("faultline_runs_total", { status: "started" })).toBe(round);
    expect(await all.value("faultline_runs_total", { status: "failed" })).toBe(round);
    expect(await all.value("faultline_attempts_total", { tool: 'b "\\\n', outcome: "succeeded" })).toBe(round);
    expect(await all.value("faultline_stage_failures_total", { code: "TestsFailed", next: "failed" })).toBe(round);
  }
});

it("a thousand tools make two hundred series, and one for the others", async () => {
  const { fl, until, read } = world();
  for (let n = 0; n < 1_000; n++) await until(fl.protect(tool({ id: `t${n}`, run: () => 1 }), 1));
  const { samples = [] } = (await read()).get("faultline_attempts") ?? {};
  expect(samples).toHaveLength(201);
  expect(samples.find(({ labels }) => labels["tool"] === "(other)")?.value).toBe(800);
});

it.each([
  ["", PROMETHEUS],
  ["*/*", PROMETHEUS],
  ["text/plain", PROMETHEUS],
  ["application/openmetrics-text; version=1.0.0", OPENMETRICS],
  ["application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.1", OPENMETRICS],
  ["application/openmetrics-text;q=0.1,text/plain;q=0.9", PROMETHEUS],
  ["application/openmetrics-text;q=0", PROMETHEUS],
])("Accept: %s", (accept, format) => {
  expect(formatFor(accept)).toBe(format);
});

describe("the documents", () => {
  const page = readFileSync(new URL("../../docs/TELEMETRY.md", import.meta.url), "utf8");
  const rows = (heading: string): readonly string[] => {
    const [, section = ""] = page.split(`\n## ${heading}\n`);
    const [own = ""] = section.split("\n## ");
    return Array.from(own.matchAll(/^\| `([^`]+)`/gm), ([, name = ""]) => name);
  };

  it("docs/TELEMETRY.md has a row for every name, and for nothing else", () => {
    expect(page).toContain(SEMCONV_VERSION);
    expect(rows("Spans")).toEqual(Object.values(SPANS));
    expect(rows("Attributes")).toEqual(Object.values(ATTRIBUTES));
    expect(rows("Events")).toEqual(Object.values(EVENTS));
    const labelled = Object.entries(METRICS).map(([name, { type, labels }]) => {
      const sample = `${name}${type === "counter" ? "_total" : type === "info" ? "_info" : ""}`;
      return labels.length === 0 ? sample : `${sample}{${labels.join(",")}}`;
    });
    expect(rows("Metrics")).toEqual(labelled);
  });

  it("every query of the Grafana dashboard uses metrics and labels that exist", () => {
    const text = readFileSync(new URL("../../docs/grafana-dashboard.json", import.meta.url), "utf8");
    const { panels } = JSON.parse(text) as {
      readonly panels: readonly { readonly targets?: readonly { readonly expr: string }[] }[];
    };
    const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    expect(queries.length).toBeGreaterThan(8);
    const used = queries.flatMap((query) => query.match(/\bfaultline_\w+/g) ?? []);
    for (const name of used) expect(sampleNames()).toContain(name);
    const labels = new Set(["le", ...Object.values(METRICS).flatMap((row): readonly string[] => row.labels)]);
    for (const query of queries) {
      const grouped = Array.from(query.matchAll(/\bby \(([^)]*)\)/g), ([, list = ""]) => list.split(/,\s*/)).flat();
      const matched = Array.from(query.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g), ([, label = ""]) => label);
      for (const label of [...grouped, ...matched]) expect(labels, query).toContain(label);
    }
    for (const name of sampleNames().filter((one) => !/_(?:sum|count|info)$/.test(one))) expect(used).toContain(name);
  });
});
