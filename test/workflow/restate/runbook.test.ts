// The requests to Restate that docs/SCALE.md and deploy/ name, sent as they are written to a real server: before a worker has registered, while a run
// waits for a time, and after its worker is gone.

import { execFileSync, spawnSync } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { openJournal } from "../../../src/index.ts";
import { defineWorkflow, stage } from "../../../src/workflow/define.ts";
import { createWorkflows } from "../../../src/workflow/workflows.ts";
import { SYSTEM_PROGRAMS } from "../../doc-snippets/not-run.ts";
import { ROOT, snippetsIn } from "../../doc-snippets/pages.ts";
import { commandsIn } from "../../doc-snippets/shell-script.ts";
import { newFile, thrown } from "../../support/engine-world.ts";
import { type RestateServers, startRestate } from "../../support/restate-server.ts";
import { placeFor } from "../../support/test-servers.ts";

const ADMIN = "http://127.0.0.1:9070/";
const PAGE = readFileSync(join(ROOT, "docs/SCALE.md"), "utf8");
const COMPOSE = parse(readFileSync(join(ROOT, "deploy/compose.scale.yaml"), "utf8")) as {
  readonly "x-restate": { readonly healthcheck: { readonly test: readonly string[] } };
};

/** Every command of the page that asks Restate, in text and in snippets. */
const COMMANDS = [
  ...Array.from(PAGE.matchAll(/`(curl [^`\n]*:9070[^`\n]*)`/g), ([, command = ""]) => command),
  ...snippetsIn("sh")
    .filter(({ page }) => page === "docs/SCALE.md")
    .flatMap(commandsIn)
    .filter((command) => command.startsWith("curl ")),
];

/** A day: longer than a slice waits by itself. */
const LONG_MS = 86_400_000;
const waiting = defineWorkflow({
  id: "waiting",
  stages: {
    a: stage({
      retryPolicy: {
        maxAttempts: 2,
        backoff: { kind: "fixed", initialMs: LONG_MS, maxMs: LONG_MS },
        jitter: 0,
        maxWaitMs: LONG_MS,
      },
      act: () => {
        throw thrown("RateLimited");
      },
    }),
  },
});

const hasCurl = spawnSync("curl", [...(SYSTEM_PROGRAMS["curl"] ?? [])]).status === 0;
let restate: RestateServers;
beforeAll(async () => {
  restate = await startRestate();
});
afterAll(() => restate.stop());

/** Runs the only command for this path; fails if curl does. */
function ask(path: string): string {
  const found = COMMANDS.filter((command) => command.includes(`${ADMIN}${path}`));
  expect(found).toHaveLength(1);
  const here = (found[0] ?? "").replace(ADMIN, `http://${restate.nodes[0]?.admin}/`);
  return execFileSync("bash", ["-c", here.replace("curl ", "curl --fail --no-progress-meter ")], { encoding: "utf8" });
}

describe.skipIf(!hasCurl)("the runbook's requests to Restate", () => {
  it("are these, and each is asked below", () => {
    expect(COMMANDS.map((command) => /:9070\/(\w+)/.exec(command)?.[1])).toEqual(["health", "services", "query"]);
  });

  it("tell that a node is up, and so does the health check of the compose file", () => {
    ask("health");
    const [kind, ...command] = COMPOSE["x-restate"].healthcheck.test;
    expect(kind).toBe("CMD");
    const here = command.map((part) => part.replace(ADMIN, `http://${restate.nodes[0]?.admin}/`));
    expect(spawnSync(here[0] ?? "", here.slice(1)).status).toBe(0);
  });

  it("name the service of a journal when a worker has registered, and the timer of a run that waits", async () => {
    expect(JSON.parse(ask("services"))).toEqual({ services: [] });
    const journal = await openJournal(placeFor(newFile()), {});
    const workflows = createWorkflows({ journal, workflows: [waiting], env: {} });
    const paused = Promise.withResolvers<undefined>();
    const driver = await workflows.restateDriver({
      ...{ url: restate.url, worker: { port: 0 } },
      onAdvanced: () => paused.resolve(undefined),
    });
    onTestFinished(async () => {
      await driver.stop();
      await workflows.close();
    });
    await driver.start();
    const service = `faultline-${journal.storeId}`;
    expect(JSON.parse(ask("services"))).toMatchObject({ services: [{ name: service }] });
    const run = await workflows.runs.start(waiting);
    await paused.promise;
    const target = `${service}/${run}/advance`;
    // The slice is over in the journal a moment before its invocation is over at Restate.
    await expect.poll(() => rowsOf(ask("query"))).toEqual([expect.objectContaining({ target, status: "scheduled" })]);
  });

  it("say why a worker cannot be called", async () => {
    const journal = await openJournal(placeFor(newFile()), {});
    const workflows = createWorkflows({ journal, workflows: [waiting], env: {} });
    const worker = await workflows.restateDriver({ url: restate.url, worker: { port: 0 } });
    const server = await workflows.restateDriver({ url: restate.url });
    onTestFinished(async () => {
      await server.stop();
      await workflows.close();
    });
    await worker.start();
    await worker.stop();
    await server.start();
    const run = await workflows.runs.start(waiting);
    const target = `faultline-${journal.storeId}/${run}/advance`;
    const failure = { target, status: "backing-off", last_failure: expect.stringContaining("connect") as string };
    await expect.poll(() => rowsOf(ask("query"))).toContainEqual(expect.objectContaining(failure));
  });
});

function rowsOf(answer: string): readonly unknown[] {
  return (JSON.parse(answer) as { readonly rows: readonly unknown[] }).rows;
}
