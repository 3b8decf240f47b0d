// A CLI that never started costs nothing: neither money, nor an attempt without a price, in or outside a session with a budget.

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AGENT_CLIS } from "../../../src/agent/verdict/cli-table.ts";
import { type AgentKind, cli, createFaultline } from "../../../src/index.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "faultline-never-started-"));
  for (const [name, text, mode] of [
    ["no-right", "#!/bin/sh\necho ran\n", 0o644],
    ["no-interpreter", "#!/nowhere/interpreter\n", 0o755],
  ] as const) {
    writeFileSync(join(folder, name), text);
    chmodSync(join(folder, name), mode);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const NAMES = Object.keys(AGENT_CLIS) as AgentKind[];
const NOTHING = { microcents: 0, estimatedMicrocents: 0, unpricedAttempts: 0 };

describe.each(NAMES)("%s", (name) => {
  it.each(["missing", "no-right", "no-interpreter"])("whose binary is %s costs nothing", async (file) => {
    const fl = createFaultline();
    const session = await fl.session("s", { budget: { maxUsd: 0.00001, onExceed: "fail" } });
    for (const within of [{}, { within: session }]) {
      const outcome = await fl.agent([cli(name, { command: join(folder, file) })], within).run("say hello");
      expect(outcome.status).not.toBe("done");
    }
    expect([fl.spending, session.spending]).toEqual([NOTHING, NOTHING]);
    const [row] = Object.values(fl.metrics());
    expect(row).toMatchObject({ call_count: 2, success_count: 0, cost_microcents: 0, unpriced_count: 0 });
  });
});
