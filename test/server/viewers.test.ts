// What a viewer reads, route by route: words, and never what came from outside, a path, a stack or a secret.

import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { PATHS, type RouteName } from "../../src/api/paths.ts";
import type { RouteSpec } from "../../src/api/route.ts";
import { ROUTES } from "../../src/api/routes.ts";
import { ENV, fromText, runWorld, type RunWorld } from "./run-world.ts";

/** A node that returns a planted value, and commands that fail with planted words: one is skipped, one ends the run. */
const LEAKY = `faultline: 1
workflow: { id: leaky, version: "1" }
inputs:
  task: { type: string }
  password: { type: string, secret: true }
nodes:
  build: { type: transform, value: "({ built: 'PLANTED-output ' + inputs.task })", next: skip }
  skip: { type: command, run: ["sh fail.sh"], allow: ["sh *"], resolution: skip, next: fail }
  fail: { type: command, run: ["sh fail.sh"], allow: ["sh *"], next: end }
`;

const gatewayFile = (port: number): string => `version: 1
targets: { one: { dialect: openai-chat, base_url: "http://127.0.0.1:${port}/v1" } }
routes: { "*": { chain: [one/gpt-5] } }
`;

/** The port of a provider that refuses every request: the call fails, and is in the ledger. */
async function refusing(): Promise<number> {
  const server = createServer((_request, response) => void response.writeHead(400).end("PLANTED refusal"));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const PLANTED = ["PLANTED", "hunter2", "fail.sh", "    at "];

/** Routes that need a query. */
const QUERIES: Readonly<Partial<Record<RouteName, string>>> = {
  search: "?q=leaky",
  lookUp: "?id=leaky",
  replayProgress: "?progress=leaky",
};

/** Answers without an end, and those about the server itself. */
const NOT_READ: readonly RouteName[] = ["events", "openapi", "health", "ready"];

const READ = (Object.keys(PATHS) as RouteName[]).filter(
  (name) => PATHS[name].method === "GET" && (ROUTES[name] as RouteSpec).role === "viewer" && !NOT_READ.includes(name),
);

/** A run that failed, and its successor, which took over its visits and failed again. */
async function leakyRuns(): Promise<{ readonly world: RunWorld; readonly runs: readonly string[] }> {
  const { workflow, journal } = await fromText("leaky.yaml", LEAKY);
  const gateway = join(dirname(journal), "gateway.faultline.yaml");
  writeFileSync(gateway, gatewayFile(await refusing()));
  const world = await runWorld([workflow], { journal, env: ENV, gateway });
  const body = JSON.stringify({ model: "PLANTED-model", messages: [], PLANTED_field: 1 });
  await (await fetch(`${world.url}/v1/chat/completions`, { method: "POST", body })).text();
  await expect.poll(async () => (await world.viewer.listGatewayCalls()).items.length).toBe(1);
  const inputs = { task: "PLANTED-input", password: "hunter2-hunter2" };
  const { run } = await world.operator.startRun({ body: { workflow: "leaky", inputs } });
  await world.event(run, "run-ended");
  const { actions } = await world.operator.showRun({ params: { run } });
  const [offer] = actions.filter(({ needs }) => needs === "nothing");
  const acted = await world.operator.act({ params: { run }, body: { action: offer?.id ?? "", key: offer?.key ?? "" } });
  await world.event(acted.run, "run-ended");
  return { world, runs: [run, acted.run] };
}

describe("a viewer", () => {
  it("reads nothing that came from outside, whatever route it asks", async () => {
    const { world, runs } = await leakyRuns();
    const [group] = (await world.viewer.listFaultGroups()).items;
    // Every parameter of a path has a value here: a new route cannot be forgotten.
    const values: Readonly<Record<string, readonly string[]>> = {
      run: runs,
      session: runs,
      workflow: ["leaky"],
      fingerprint: [group?.fingerprint ?? ""],
      question: ["q_none"],
      id: ["none"],
      bulk: ["none"],
      call: (await world.viewer.listGatewayCalls()).items.map(({ call }) => call),
    };
    const found: string[] = [];
    for (const name of READ) {
      const { path } = PATHS[name];
      const parameter = /\{(\w+)\}/.exec(path)?.[1];
      for (const value of parameter === undefined ? [""] : (values[parameter] ?? [])) {
        const address = path.replace(/\{\w+\}/, encodeURIComponent(value)) + (QUERIES[name] ?? "");
        const response = await world.send(address, {
          token: world.tokens.viewer,
        });
        const text = await response.text();
        if (!value.includes("none")) expect([name, response.status]).toEqual([name, 200]);
        for (const planted of [...PLANTED, dirname(world.journalFile)])
          if (text.includes(planted))
            found.push(`${name}: ${text.slice(Math.max(0, text.indexOf(planted) - 80), text.indexOf(planted) + 40)}`);
      }
      expect([name, parameter === undefined || parameter in values]).toEqual([name, true]);
    }
    expect(found).toEqual([]);
  });

  it("misses what an operator finds", async () => {
    const { world, runs } = await leakyRuns();
    const [run = ""] = runs;
    const seen = JSON.stringify([
      await world.operator.showRun({ params: { run } }),
      await world.operator.listAttempts({ params: { run } }),
      await world.operator.listEntries({ params: { session: run }, query: { limit: 200 } }),
    ]);
    for (const planted of ["PLANTED-output", "PLANTED-input", "fail.sh", dirname(world.journalFile)])
      expect(seen).toContain(planted);
    expect(seen).not.toContain("hunter2");
  });
});
