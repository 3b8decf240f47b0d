// Text that tries to be markup or script, in every field that comes from outside: what was reported, tools, inputs, file names, a policy.

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { systemClock } from "../../src/host/clock.ts";
import { createFaultline, fault, FaultError, openJournal, step, tool } from "../../src/index.ts";
import type { SampleWorld } from "./sample-world.ts";

export const PAYLOADS = [
  `<img src=x onerror="window.hacked=1">`,
  `"><script>window.hacked=1</script>`,
  `<svg/onload=window.hacked=1>`,
  `javascript:window.hacked=1`,
  `<a href="javascript:window.hacked=1">click</a>`,
  "{{constructor.constructor('window.hacked=1')()}}",
] as const;
export const ALL_PAYLOADS = PAYLOADS.join(" ");
/** As names of files and of steps, which have no slash. */
const WITHOUT_SLASH = PAYLOADS.filter((one) => !one.includes("/"));

/** A policy for tools of such names. */
export const HOSTILE_POLICY = `version: 1
preset: default
rows:
  - match: { tool: ${JSON.stringify(PAYLOADS)} }
    retry: { maxAttempts: 2, backoff: { kind: fixed, initialMs: 250 } }
    then: [fail]
`;

export async function poison({ operator, journalFile, until }: SampleWorld): Promise<void> {
  const evidence = {
    ...{ status: 503, message: ALL_PAYLOADS, body: ALL_PAYLOADS },
    headers: { "x-note": PAYLOADS[0], "server": PAYLOADS[1] },
  };
  await operator.reportFailure({ body: { tool: "poisoned", session: "poisoned", call: "c1", evidence } });
  for (const name of PAYLOADS) await operator.reportFailure({ body: { tool: name, target: name, evidence } });
  await callTools(journalFile);
  await operator.startRun({ body: { workflow: "review-pr", run: "poisoned-run", inputs: { title: ALL_PAYLOADS } } });
  await operator.startRun({ body: { workflow: "release", run: "poisoned-gate", inputs: { version: ALL_PAYLOADS } } });
  await until("poisoned-gate", "asking");
  await until("poisoned-run", "failed");
  const { folder } = await operator.showRun({ params: { run: "poisoned-run" } });
  if (folder === undefined) throw new Error("The failed run has no folder.");
  for (const name of WITHOUT_SLASH) writeFileSync(join(folder, name), ALL_PAYLOADS);
}

/** A session of a program whose tools and steps are named like this. */
async function callTools(journalFile: string): Promise<void> {
  const fl = createFaultline({ journal: await openJournal(journalFile, { clock: systemClock }) });
  const session = await fl.session("poisoned-tools");
  const broken = (id: string) =>
    tool({
      ...{ id, retry: { maxAttempts: 1 } },
      run: () => {
        throw new FaultError(fault("ToolUnavailable", { message: ALL_PAYLOADS }));
      },
    });
  await session.turn(Object.fromEntries(WITHOUT_SLASH.map((name) => [name, step(broken(name), { note: name })])));
  await session.end();
  await fl.close();
}
