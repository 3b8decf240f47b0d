// The text that Prometheus reads, in OpenMetrics 1.0 or in the older format. About a hundred lines, and no dependency: a client
// library would bring a registry and collectors of its own beside the counters that are here already.

import type { MetricRow } from "./metric-table.ts";

export interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  /** For a histogram: how many values fell into each bucket, not cumulative. The last one counts the values above all bounds. */
  readonly counts?: readonly number[];
}

export interface Family {
  readonly name: string;
  readonly row: MetricRow;
  readonly series: readonly Series[];
}

export const OPENMETRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8";
export const PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";

/** The format that the reader prefers; the older one, which every reader knows, if it does not say. */
export function formatFor(accept: string): typeof OPENMETRICS | typeof PROMETHEUS {
  const wished = accept.split(",").map((part) => {
    const [type = "", ...params] = part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/);
    const weight = Number(params.find((param) => param.startsWith("q="))?.slice(2) ?? 1);
    return { type, weight: Number.isFinite(weight) ? weight : 0 };
  });
  const weightOf = (...types: readonly string[]): number =>
    Math.max(0, ...wished.filter(({ type }) => types.includes(type)).map(({ weight }) => weight));
  const openMetrics = weightOf("application/openmetrics-text");
  return openMetrics > 0 && openMetrics >= weightOf("text/plain", "text/*", "*/*") ? OPENMETRICS : PROMETHEUS;
}

export function exposition(families: readonly Family[], format: typeof OPENMETRICS | typeof PROMETHEUS): string {
  const isOpen = format === OPENMETRICS;
  const lines = families.flatMap((family) => linesOf(family, isOpen));
  return `${[...lines, ...(isOpen ? ["# EOF"] : [])].join("\n")}\n`;
}

const SUFFIX = { counter: "_total", info: "_info", gauge: "", histogram: "" } as const;

function linesOf({ name, row, series }: Family, isOpen: boolean): readonly string[] {
  const sample = `${name}${SUFFIX[row.type]}`;
  // The older format names the family as its samples are named, and has no type `info`.
  const family = isOpen ? name : sample;
  const type = !isOpen && row.type === "info" ? "gauge" : row.type;
  return [
    `# TYPE ${family} ${type}`,
    ...(isOpen && row.unit !== undefined ? [`# UNIT ${family} ${row.unit}`] : []),
    `# HELP ${family} ${escaped(row.help, isOpen)}`,
    ...series.flatMap((one) =>
      one.counts === undefined
        ? [`${sample}${labelsOf(one.labels)} ${one.value}`]
        : histogramLines(name, row.buckets ?? [], one, one.counts),
    ),
  ];
}

function histogramLines(
  name: string,
  bounds: readonly number[],
  { labels, value }: Series,
  counts: readonly number[],
): readonly string[] {
  let sum = 0;
  const buckets = [...bounds, Infinity].map((bound, index) => {
    sum += counts[index] ?? 0;
    const le = bound === Infinity ? "+Inf" : Number.isInteger(bound) ? `${bound}.0` : String(bound);
    return `${name}_bucket${labelsOf({ ...labels, le })} ${sum}`;
  });
  return [...buckets, `${name}_sum${labelsOf(labels)} ${value}`, `${name}_count${labelsOf(labels)} ${sum}`];
}

function labelsOf(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value, true)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

/** Quotes are escaped in labels and in OpenMetrics' help texts, and not in the older ones. */
function escaped(text: string, quotes: boolean): string {
  const safe = text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
  return quotes ? safe.replaceAll('"', '\\"') : safe;
}
