// `npm run test:clis -- [--only claude,codex] [--scenario 401,cut,gateway] [--workers 3] [--raw]`: installs the real agent CLIs, drives them
// against the chaos server, checks what Faultline makes of them, and writes the table in docs/agent-clis.md when all of them ran. The
// scenario `gateway` is a task with a tool through the gateway, whose first provider always fails; `python` is the same with the Python SDKs.

import { parseArgs } from "node:util";
import { runCampaign } from "../test/clis/campaign.ts";
import { seeGatewayTask, TASK_FAULTS } from "../test/clis/gateway-task.ts";
import { installClis, RELEASES } from "../test/clis/install.ts";
import { writePage } from "../test/clis/page.ts";
import { installPython, seePythonClients } from "../test/clis/python-clients.ts";
import { SCENARIOS } from "../test/clis/scenarios.ts";

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    scenario: { type: "string" },
    workers: { type: "string", default: "3" },
    raw: { type: "boolean", default: false },
  },
});
const tell = (line: string): void => void process.stderr.write(`${line}\n`);
const chosen = <T>(all: readonly T[], names: string | undefined, nameOf: (one: T) => string): readonly T[] =>
  names === undefined ? all : all.filter((one) => names.split(",").includes(nameOf(one)));

const installable = RELEASES.filter(({ runsHere }) => runsHere);
const releases = chosen(installable, values.only, ({ kind }) => kind);
const scenarios = chosen(SCENARIOS, values.scenario, ({ id }) => id);
const asksFor = (name: string): boolean => values.scenario?.split(",").includes(name) ?? true;
const needsClis = scenarios.length > 0 || asksFor("gateway");
const commands = needsClis ? installClis(installable, tell) : "";
const startedAt = performance.now();
let wrong = 0;
const seen = await runCampaign({
  releases,
  scenarios,
  commands,
  workers: Number(values.workers),
  onRun(run, problems) {
    const { kind, scenario, ending, requests, durationMs, fault, then, answeredBy } = run;
    const seconds = `${(durationMs / 1000).toFixed(1)} s`;
    const made = fault === null ? "works" : `${fault.code}, ${then}, answered by ${answeredBy ?? "no CLI"}`;
    tell(
      `${problems.length === 0 ? "✓" : "✗"} ${kind} ${scenario.id}: exit ${ending}, ${requests} requests, ${seconds}: ${made}`,
    );
    for (const problem of problems) tell(`    ${problem}`);
    if (values.raw || problems.length > 0) tell(run.raw.replaceAll(/^/gm, "    | ").slice(0, 6_000));
    wrong += problems.length;
  },
});
tell(`${seen.length} runs in ${((performance.now() - startedAt) / 1000).toFixed(0)} s, ${wrong} problems`);
const tasks = asksFor("gateway")
  ? releases.flatMap(({ kind }) => [
      ...TASK_FAULTS.map((fault) => ({ kind, fault, asDocumented: false })),
      { kind, fault: TASK_FAULTS[0], asDocumented: true },
    ])
  : [];
const doTasks = async (): Promise<void> => {
  for (let next = tasks.shift(); next !== undefined; next = tasks.shift()) {
    const task = await seeGatewayTask(next.kind, next.fault, commands, next.asDocumented);
    const { kind, fault, ending, failed, rescued, durationMs, problems, printed } = task;
    const took = `${failed} failed and ${rescued} answered requests, ${(durationMs / 1000).toFixed(1)} s`;
    tell(
      `${problems.length === 0 ? "✓" : "✗"} ${kind} behind the gateway${next.asDocumented ? " as in the docs" : ""}, ${fault}: exit ${ending}, ${took}`,
    );
    for (const problem of problems) tell(`    ${problem}`);
    if (values.raw || problems.length > 0) tell(printed.replaceAll(/^/gm, "    | ").slice(-6_000));
    wrong += problems.length;
  }
};
await Promise.all(Array.from({ length: Number(values.workers) }, doTasks));
if (asksFor("python")) await askPython();
async function askPython(): Promise<void> {
  const found = installPython(tell);
  if ("missing" in found) return void tell(`– python: skipped, because ${found.missing}`);
  for (const fault of TASK_FAULTS) {
    const { cases, failed, problems, printed } = await seePythonClients(found.python, fault);
    const met = `${cases} cases, ${failed} requests at the failing provider`;
    tell(`${problems.length === 0 ? "✓" : "✗"} Python's openai and anthropic behind the gateway, ${fault}: ${met}`);
    for (const problem of problems) tell(`    ${problem}`);
    if (values.raw || problems.length > 0) tell(printed.replaceAll(/^/gm, "    | ").slice(-6_000));
    wrong += problems.length;
  }
}
const isWhole = releases.length === RELEASES.length && scenarios.length === SCENARIOS.length;
if (wrong > 0) process.exitCode = 1;
else if (isWhole) writePage(seen, new Date().toISOString().slice(0, 10));
if (!isWhole) tell("docs/agent-clis.md is written by a run of all CLIs and scenarios only.");
