// The environment of a run's processes, and that they cannot control the run they work for.

import { chmodSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { AGENT_KINDS } from "../../src/agent/parse/agent-state.ts";
import { LOGIN_EVIDENCE } from "../../src/agent/doctor/login-evidence.ts";
import { childEnv, INSIDE_RUN, MINIMAL_ENV } from "../../src/agent/process/child-env.ts";
import { AGENT_CLIS } from "../../src/agent/verdict/cli-table.ts";
import { cliEnvNames } from "../../src/agent/verdict/cli-env.ts";
import { WorkflowWorld } from "./workflow-world.ts";

const CLOUD = { AWS_SECRET_ACCESS_KEY: "cloud-key", STRIPE_KEY: "stripe-key", DATABASE_URL: "db-url", LANG: "C" };
const HEAD = `faultline: 1\nworkflow: { id: env, version: "1" }\n`;
const DUMP = `require("node:fs").writeFileSync("env.json", JSON.stringify(process.env)); console.log('{"ok":true}');`;

/** Each kind of process a workflow can start, with its `env` inserted. */
const KINDS: Readonly<Record<string, (env: string) => string>> = {
  "a command": (env) => `nodes:\n  last: { type: command, run: node dump.cjs${env} }\n`,
  "a tool": (env) => `tools: { say: { command: [node, dump.cjs]${env} } }\nnodes:\n  last: { type: tool, tool: say }\n`,
  "an MCP server": (env) =>
    `tools: { say: { mcp: { command: [node, dump.cjs] }, max_attempts: 1${env} } }\nnodes:\n  last: { type: tool, tool: say }\n`,
  "an agent CLI": (env) =>
    `agents: { a: { cli: { name: generic, command: node, args: [dump.cjs] }${env} } }\nnodes:\n  last: { type: agent, agent: a, prompt: Hi }\n`,
};

async function environmentOf(workflow: string): Promise<Readonly<Record<string, string>>> {
  const world = new WorkflowWorld();
  world.write("dump.cjs", DUMP);
  await world.call(["workflow", "run", world.write("w.yaml", `${HEAD}${workflow}`), "--no-wait"], { env: CLOUD });
  return JSON.parse(world.read("env.json")) as Record<string, string>;
}

describe.each(Object.entries(KINDS))("%s", (_name, workflow) => {
  it("gets the minimal set and nothing else", async () => {
    const got = await environmentOf(workflow(""));
    const isOurs = (name: string): boolean => name.startsWith("FAULTLINE_");
    for (const name of Object.keys(got).filter((one) => !isOurs(one))) {
      const isMinimal = MINIMAL_ENV.some(
        (one) => one === name || (one.endsWith("*") && name.startsWith(one.slice(0, -1))),
      );
      expect(`${name} ${String(isMinimal)}`).toBe(`${name} true`);
    }
    expect(got).toMatchObject({ LANG: "C", [INSIDE_RUN]: "1" });
  });

  it("also gets the variables that the file names, for itself or for all", async () => {
    for (const text of [workflow(", env: [DATABASE_URL]"), `env: [DATABASE_URL]\n${workflow("")}`]) {
      const got = await environmentOf(text);
      expect(got["DATABASE_URL"]).toBe("db-url");
      expect(got["AWS_SECRET_ACCESS_KEY"]).toBeUndefined();
    }
  });

  it("gets everything with `inherit`, and still knows its run", async () => {
    const got = await environmentOf(workflow(", env: inherit"));
    expect(got).toMatchObject({ ...CLOUD, [INSIDE_RUN]: "1" });
  });
});

describe("each agent CLI", () => {
  it.each(AGENT_KINDS)("%s gets the variables for its key, its home and its address", (kind) => {
    const { keyEnv, baseUrlEnv, configHomeEnv } = AGENT_CLIS[kind];
    const evidence = kind === "generic" ? [] : LOGIN_EVIDENCE[kind];
    const folders = evidence.flatMap(({ files }) => files.flatMap(({ folder }) => folder.moved.map(([name]) => name)));
    const needed = [
      ...keyEnv,
      baseUrlEnv ?? "",
      configHomeEnv ?? "",
      ...evidence.flatMap((one) => one.variables),
      ...folders,
    ];
    const all = Object.fromEntries(
      [...needed, "HTTPS_PROXY", "NODE_EXTRA_CA_CERTS"].filter(Boolean).map((name) => [name, "x"]),
    );
    expect(childEnv({ ...all, STRIPE_KEY: "y" }, [], cliEnvNames(kind, all))).toEqual({ ...all, [INSIDE_RUN]: "1" });
  });

  it("gets a cloud's keys only when it is configured for that cloud", () => {
    const env = { AWS_SECRET_ACCESS_KEY: "x" };
    expect(childEnv(env, [], cliEnvNames("claude", env))).not.toHaveProperty("AWS_SECRET_ACCESS_KEY");
    const bedrock = { ...env, CLAUDE_CODE_USE_BEDROCK: "1" };
    expect(childEnv(bedrock, [], cliEnvNames("claude", bedrock))).toMatchObject(bedrock);
  });
});

const MAIN = fileURLToPath(new URL("../../dist/cli/main.js", import.meta.url));

/** Every command that controls a run. */
const DECIDING = [
  ["runs", "answer", "last", "yes"],
  ["runs", "do", "last", "accept-partial"],
  ["runs", "retry", "last"],
  ["runs", "cancel", "last"],
  ["runs", "switch", "last", "--to", "codex"],
  ["runs", "continue", "last", "--text", "go"],
  ["workflow", "resume", "last"],
  ["journal", "answer", "runs.db", "q", "yes"],
  ["journal", "prune", "runs.db", "--older-than", "1d"],
  ["journal", "import", "runs.db", "lines"],
];

describe("inside a run", () => {
  it.each(DECIDING)("refuses %s %s", async (...words) => {
    const world = new WorkflowWorld();
    const got = await world.call(words, { env: { [INSIDE_RUN]: "1" } });
    expect(got).toMatchObject({ exit: "failed", stdout: "" });
    expect(got.stderr).toContain("must not decide about it");
  });

  it("allows reading it", async () => {
    const world = new WorkflowWorld();
    await world.call([
      "workflow",
      "run",
      world.write("w.yaml", `${HEAD}nodes:\n  a: { type: transform, value: "1" }\n`),
    ]);
    expect((await world.call(["runs", "list"], { env: { [INSIDE_RUN]: "1" } })).exit).toBe("ok");
  });

  it.runIf(process.platform === "linux")(
    "a command cannot approve a gate, not even with a cleared environment",
    async () => {
      const world = new WorkflowWorld();
      // The gate is open while the command of the other branch tries to answer it.
      const tries = [
        `"${process.execPath}" "${MAIN}" runs answer first yes`,
        `env -i "${process.execPath}" "${MAIN}" runs answer first yes`,
      ];
      world.write(
        "approve.sh",
        tries
          .map((line) => `${line} --journal "${world.path("runs.db")}" >> out.txt 2>&1; echo "exit $?" >> out.txt`)
          .join("\n"),
      );
      chmodSync(world.path("approve.sh"), 0o700);
      const gate = `nodes:
  both: { type: parallel, branches: [ask, work], join: met, fail_fast: false }
  ask: { type: human_gate, ask: Confirm, prompt: "Ship?", next: met }
  work: { type: command, run: sh approve.sh, next: met }
  met: { type: merge }
`;
      await world.call(["workflow", "run", world.write("w.yaml", `${HEAD}${gate}`), "--run", "first", "--no-wait"]);
      const out = world.read("out.txt");
      expect(out.match(/must not decide about it/g)).toHaveLength(2);
      expect(out).not.toContain("exit 0");
      expect(await world.json(["runs", "show", "first"])).toMatchObject({ status: "paused" });
    },
  );
});

it("is not readable by other users of the machine", async () => {
  const world = new WorkflowWorld();
  const { openJournal } = await import("../../src/journal/open-journal.ts");
  const journal = await openJournal(world.path(".faultline/journal.db"));
  await journal.close();
  expect(statSync(world.path(".faultline")).mode & 0o777).toBe(0o700);
});
