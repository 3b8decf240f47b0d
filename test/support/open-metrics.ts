// A strict reader of what Prometheus reads: OpenMetrics 1.0 and text format 0.0.4. It throws at the first thing that either
// specification forbids, and shares no code with the writer.

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface MetricFamily {
  readonly name: string;
  type: string;
  unit: string;
  help: string;
  readonly samples: Sample[];
}

/** What may stand behind a family's name in its samples. */
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  counter: ["_total"],
  gauge: [""],
  info: ["_info"],
  histogram: ["_bucket", "_sum", "_count"],
};

export function readMetrics(text: string, format: "openmetrics" | "prometheus"): ReadonlyMap<string, MetricFamily> {
  if (!text.endsWith("\n")) throw new Error("the last line has no end");
  const lines = text.slice(0, -1).split("\n");
  const isOpen = format === "openmetrics";
  if ((lines.at(-1) === "# EOF") !== isOpen) throw new Error("`# EOF` is the last line of OpenMetrics, and only there");
  const families = new Map<string, MetricFamily>();
  let current = null as MetricFamily | null;
  for (const line of isOpen ? lines.slice(0, -1) : lines) {
    const [, key, name, rest = ""] = /^# (TYPE|UNIT|HELP) ([a-zA-Z_:][\w:]*)(?: (.*))?$/.exec(line) ?? [];
    if (key !== undefined && name !== undefined) {
      if (current?.name !== name) {
        if (families.has(name)) throw new Error(`the lines of ${name} do not stand together`);
        current = { name, type: "", unit: "", help: "", samples: [] };
        families.set(name, current);
      }
      if (current.samples.length > 0) throw new Error(`${key} of ${name} comes behind its samples`);
      describe(current, key, rest, isOpen);
    } else current?.samples.push(sampleOf(line, current, isOpen));
  }
  for (const family of families.values()) check(family, isOpen);
  return families;
}

function describe(family: MetricFamily, key: string, rest: string, isOpen: boolean): void {
  if (key === "UNIT" && !isOpen) throw new Error("the older format has no units");
  if (key === "HELP" && /\\(?![\\n"])/.test(rest)) throw new Error(`a wrong escape in the help of ${family.name}`);
  const field = key === "TYPE" ? "type" : key === "UNIT" ? "unit" : "help";
  if (family[field] !== "") throw new Error(`${key} of ${family.name} comes twice`);
  family[field] = rest;
}

function sampleOf(line: string, { name, type }: MetricFamily, isOpen: boolean): Sample {
  const [, sample = "", labels = "", value = ""] = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  const suffixes = isOpen || type === "histogram" ? (SUFFIXES[type] ?? []) : [""];
  if (!suffixes.some((suffix) => sample === `${name}${suffix}`))
    throw new Error(`${sample} is no sample of ${type} ${name}`);
  if (!/^(?:[+-]?(?:\d+\.?\d*(?:e[+-]?\d+)?|Inf)|NaN)$/i.test(value)) throw new Error(`${value} is no number`);
  return { name: sample, labels: labelsOf(labels), value: Number(value.replace("Inf", "Infinity")) };
}

function labelsOf(text: string): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  let rest = text;
  while (rest !== "") {
    const [whole = "", name = "", value = ""] = /^([a-zA-Z_]\w*)="((?:[^"\\]|\\[\\"n])*)"(?:,(?=.)|$)/.exec(rest) ?? [];
    if (whole === "" || name in found) throw new Error(`wrong labels: ${rest}`);
    found[name] = value.replaceAll(/\\(.)/g, (_escape, letter: string) => (letter === "n" ? "\n" : letter));
    rest = rest.slice(whole.length);
  }
  return found;
}

function check({ name, type, unit, help, samples }: MetricFamily, isOpen: boolean): void {
  if (!(type in SUFFIXES) || help === "") throw new Error(`${name} has no type or no help`);
  if (unit !== "" && !name.endsWith(`_${unit}`)) throw new Error(`${name} does not end with its unit`);
  if (isOpen && name.endsWith("_total")) throw new Error(`the family ${name} ends with _total`);
  if (!isOpen && type === "counter" && !name.endsWith("_total")) throw new Error(`${name} does not end with _total`);
  const seen = new Set(samples.map((one) => JSON.stringify([one.name, one.labels])));
  if (seen.size !== samples.length) throw new Error(`${name} has a series twice`);
  for (const { value } of samples) if (type !== "gauge" && !(value >= 0)) throw new Error(`${name} is below zero`);
  if (type === "histogram") checkBuckets(name, samples);
}

function checkBuckets(name: string, samples: readonly Sample[]): void {
  const buckets = samples.filter((one) => one.name === `${name}_bucket`);
  const bounds = buckets.map(({ labels }) => Number((labels["le"] ?? "").replace("+Inf", "Infinity")));
  const isRising = (list: readonly number[]): boolean =>
    list.every((one, at) => at === 0 || one >= (list[at - 1] ?? 0));
  if (!isRising(bounds) || !isRising(buckets.map(({ value }) => value)))
    throw new Error(`the buckets of ${name} do not rise`);
  const count = samples.find((one) => one.name === `${name}_count`)?.value;
  if (bounds.at(-1) !== Infinity || buckets.at(-1)?.value !== count) throw new Error(`${name} has no bucket for all`);
}
