// `npm run drill:clis -- [--only claude,codex] [--fault stall,quota] [--workers 3] [--timeout 60] [--results file.json]`: installs the real
// agent CLIs, drills each bare and behind the gateway, with its own retries, and writes the table in docs/DRILL.md. With `--results` the
// table can be made in several runs: what the file has is not drilled again.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { AGENT_CLIS } from "../src/agent/verdict/cli-table.ts";
import { DRILLS, PROMPT } from "../src/cli/drill/drills.ts";
import { type DrilledAgent, type DrillResult, runDrills } from "../src/cli/drill/run-drills.ts";
import { scoreOf } from "../src/cli/drill/scorecard.ts";
import { DRILL_WORDS } from "../src/cli/render/words/drill-words.ts";
import { systemClock } from "../src/host/clock.ts";
import { installClis, type RealCli, RELEASES } from "../test/clis/install.ts";
import { cleanEnvironment, SETUPS } from "../test/clis/setups.ts";

const PAGE = new URL("../docs/DRILL.md", import.meta.url);
const PLACE = /(<!-- clis: made by npm run drill:clis -->\n)[\s\S]*?(<!-- \/clis -->)/;

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    fault: { type: "string" },
    workers: { type: "string", default: "3" },
    timeout: { type: "string", default: "60" },
    results: { type: "string" },
  },
});
const tell = (line: string): void => void process.stderr.write(`${line}\n`);
const words = DRILL_WORDS.en;
const installable = RELEASES.filter(({ runsHere }) => runsHere);
const releases = installable.filter(({ kind }) => values.only?.split(",").includes(kind) ?? true);
const drills = DRILLS.filter(({ id }) => values.fault?.split(",").includes(id) ?? true);
const commands = installClis(installable, tell);
const homes = mkdtempSync(join(tmpdir(), "faultline-drill-"));

interface Column {
  readonly kind: RealCli;
  readonly hasGateway: boolean;
  readonly results: { readonly id: string; readonly verdict: DrillResult["verdict"] }[];
  /** Why it was not drilled. */
  problem: string | null;
}

function agentAt(kind: RealCli, url: string): DrilledAgent {
  const home = mkdtempSync(join(homes, `${kind}-`));
  for (const folder of ["work", "tmp"]) mkdirSync(join(home, folder));
  const place = { url, openaiUrl: `${url}/v1`, anthropicUrl: url };
  const { env, extraArgs = [], model = null } = SETUPS[kind].options(place, home, "own");
  const { oneShotArgs, subcommandWords } = AGENT_CLIS[kind];
  const args = oneShotArgs({ prompt: PROMPT, model, resume: null }).toSpliced(subcommandWords, 0, ...extraArgs);
  const whole = { ...process.env, ...cleanEnvironment(home), ...env };
  return { command: join(commands, kind), args, cwd: join(home, "work"), env: whole };
}

async function drill(column: Column): Promise<void> {
  const { kind, hasGateway, results } = column;
  const name = `${kind} ${hasGateway ? "behind the gateway" : "bare"}`;
  const baseline = await runDrills({
    agentAt: (url) => agentAt(kind, url),
    drills,
    hasGateway,
    timeoutMs: Number(values.timeout) * 1000,
    clock: systemClock,
    signal: new AbortController().signal,
    onResult: (result) => {
      results.push({ id: result.drill.id, verdict: result.verdict });
      const { exitCode, requests, rescued, durationMs } = result.seen;
      const seconds = (durationMs / 1000).toFixed(1);
      tell(
        `${name}, ${result.drill.id}: ${words.verdicts[result.verdict]} (exit ${exitCode ?? "none"}, ${requests.length}+${rescued} requests, ${seconds} s)`,
      );
    },
  });
  if (baseline.works) return;
  column.problem = `${name} does not work without a fault: ${baseline.notStarted ?? baseline.printed.slice(-600)}`;
  tell(column.problem);
}

function cell({ results, problem }: Column, id: string): string {
  const result = results.find((one) => one.id === id);
  if (problem !== null || result === undefined) return "–";
  return words.verdicts[result.verdict];
}

function table(all: readonly Column[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  const of = (kind: RealCli, hasGateway: boolean): Column | undefined =>
    all.find((column) => column.kind === kind && column.hasGateway === hasGateway);
  const both = (kind: RealCli, show: (column: Column) => string): string =>
    [of(kind, false), of(kind, true)].map((column) => (column === undefined ? "–" : show(column))).join(" → ");
  const kinds = drilled.map(({ kind }) => kind);
  const score = ({ results, problem }: Column): string => {
    const { good, met } = scoreOf(results);
    return problem === null ? `${good} of ${met}` : "–";
  };
  return [
    line(["bare → behind the gateway", ...kinds]),
    line(["---", ...kinds.map(() => "---")]),
    ...drills.map(({ id }) => line([id, ...kinds.map((kind) => both(kind, (column) => cell(column, id)))])),
    line(["**handled**", ...kinds.map((kind) => `**${both(kind, score)}**`)]),
  ].join("\n");
}

const columns: Column[] =
  values.results !== undefined && existsSync(values.results)
    ? (JSON.parse(readFileSync(values.results, "utf8")) as Column[])
    : [];
const isDone = (kind: RealCli, hasGateway: boolean): boolean =>
  columns.some((column) => column.kind === kind && column.hasGateway === hasGateway);
const waiting = releases.flatMap(({ kind }) =>
  [false, true].flatMap((hasGateway): readonly Column[] =>
    isDone(kind, hasGateway) ? [] : [{ kind, hasGateway, results: [], problem: null }],
  ),
);
const work = async (): Promise<void> => {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    await drill(next);
    columns.push(next);
    if (values.results !== undefined) writeFileSync(values.results, JSON.stringify(columns));
  }
};
await Promise.all(Array.from({ length: Number(values.workers) }, work));
rmSync(homes, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });

const drilled = installable.filter(({ kind }) => isDone(kind, true) || isDone(kind, false));
const versions = drilled.map(({ kind, npmPackage, version }) => `${kind} (${npmPackage} ${version})`).join(", ");
const text = `Measured on ${new Date().toISOString().slice(0, 10)}: ${versions}.

Each CLI kept its own retries. ${drills.length} of the ${DRILLS.length} drills, one run each, at most ${values.timeout} seconds for a run, ${values.workers} runs side by side.

${table(columns)}

A dash stands for a CLI that did not answer even without a fault. "Hung" says only that it was still running at the time limit: with more time some of
them give up or recover.
`;
writeFileSync(
  PAGE,
  readFileSync(PAGE, "utf8").replace(PLACE, (_all, open: string, close: string) => `${open}\n${text}\n${close}`),
);
process.stdout.write(`${text}\n`);
