// `faultline runs show`: one run with its stages, its failure, the failed target, and the commands to type.

import { describe, expect, it, onTestFinished } from "vitest";
import { startChaos } from "../../../src/chaos/start-chaos.ts";
import { openJournal } from "../../../src/journal/open-journal.ts";
import { createWorkflows, defineWorkflow, stage } from "../../../src/workflow/index.ts";
import { GATED, gated, lastLine, QUICK, WorkflowWorld } from "../workflow-world.ts";

interface Action {
  readonly id: string;
  readonly key: string;
  readonly command: string;
}

const actionsOf = (shown: Record<string, unknown>): readonly Action[] => shown["actions"] as readonly Action[];

describe("a run whose process died in the middle of a stage", () => {
  it("is shown as stopped everywhere, never as running", async () => {
    const world = new WorkflowWorld();
    const journal = await openJournal(world.path("runs.db"));
    const workflows = createWorkflows({ journal });
    const entered = Promise.withResolvers<null>();
    const hangs = stage({
      act: () => {
        entered.resolve(null);
        return new Promise(() => undefined);
      },
    });
    await workflows.runs.start(defineWorkflow({ id: "w", stages: { coder: hangs } }), { run: "ship" });
    const advanced = Promise.allSettled([workflows.runs.advance("ship")]);
    await entered.promise;
    await workflows.close();
    await advanced;
    await journal.close();
    const { stdout } = await world.call(["runs", "show", "ship"]);
    expect(stdout).toMatch(/^run ship +stopped$/m);
    expect(stdout).toContain("coder was stopped and waits to be resumed");
    expect(stdout).toMatch(/coder +stopped/);
    expect(stdout).not.toContain("running");
  });
});

describe("the name of a run", () => {
  it("may be a prefix or `last`, if it is unambiguous", async () => {
    const world = new WorkflowWorld();
    const file = world.write("quick.yaml", QUICK);
    await world.call(["workflow", "run", file, "--run", "run_abc1"]);
    await world.call(["workflow", "run", file, "--run", "run_abd2"]);
    expect(await world.json(["runs", "show", "last"])).toMatchObject({
      run: "run_abd2",
    });
    expect(await world.json(["runs", "show", "run_abc"])).toMatchObject({
      run: "run_abc1",
    });
    expect(await world.json(["runs", "show", "abc"])).toMatchObject({
      run: "run_abc1",
    });
    const many = await world.call(["runs", "show", "run_ab"]);
    expect(many.exit).toBe("usage");
    expect(many.stderr).toContain("matches several runs: run_abd2, run_abc1");
    const none = await world.call(["runs", "show", "xyz"]);
    expect(none.exit).toBe("usage");
    expect(lastLine(none)).toContain("There is no run xyz. List the runs: faultline runs list");
  });
});

describe("one run", () => {
  it("is shown with its stages, its question, and the commands to type", async () => {
    const world = await gated();
    const { stdout, exit } = await world.call(["runs", "show", "ship"]);
    expect(exit).toBe("ok");
    expect(stdout).toMatch(/^run ship {2}needs you\n/);
    expect(stdout).toMatch(/✓ build {2}done · 1 call · /);
    expect(stdout).toMatch(/\? ask {4}waiting · /);
    expect(stdout).toContain("    Ship a page?\n    faultline runs answer ship 'yes|no'\n");
    expect(stdout).toContain("  faultline workflow resume ship\n");
    expect(stdout).toContain("  faultline runs cancel ship\n");
  });

  it("shows no deadline for a gate without one", async () => {
    const world = new WorkflowWorld();
    const file = world.write("patient.yaml", GATED.replace("timeout: 1h, ", ""));
    const ran = await world.call(["workflow", "run", file, "--run", "ship"]);
    expect(ran.stderr).not.toMatch(/ in \d+ d/);
    const { stdout } = await world.call(["runs", "show", "ship"]);
    expect(stdout).toMatch(/\? ask {4}waiting · [^·]*\n/);
    expect(stdout).toMatch(/^ {2}q_\S+ {2}Confirm$/m);
    expect(await world.json(["runs", "show", "ship"])).toMatchObject({
      wakeAt: null,
      questions: [{ expiresAt: null }],
    });
    const listed = await world.call(["journal", "questions", world.path("runs.db")]);
    expect(listed.stdout).toContain("waits without a time limit");
    const events = await world.call(["runs", "export", "ship", "--format", "cloudevents"]);
    expect(events.stdout).toContain('"expiresAt":null');
    expect((await world.call(["runs", "answer", "ship", "yes"])).exit).toBe("ok");
    expect((await world.call(["workflow", "resume", "ship"])).stdout).toBe("shipped\n");
  });

  it("includes the journal in its commands if it was given explicitly", async () => {
    const world = await gated();
    const journal = world.path("runs.db");
    const { stdout } = await world.call(["runs", "show", "ship", "--journal", journal], {
      env: { FAULTLINE_JOURNAL: "" },
    });
    expect(stdout).toContain(`  faultline runs cancel ship --journal ${journal}\n`);
  });

  it("has the failure, the actions and the files in JSON", async () => {
    const world = new WorkflowWorld(true);
    const { chaos, file } = await world.withModels(["write: { type: agent, agent: writer, prompt: Write. }"]);
    chaos.script(["bad-request"]);
    await world.call(["workflow", "run", file, "--run", "f"]);
    const shown = await world.json(["runs", "show", "f"]);
    expect(shown).toMatchObject({
      status: "failed",
      code: "RequestInvalid",
      held: false,
      successor: null,
    });
    expect(shown["visits"]).toMatchObject([
      {
        node: "write",
        execution: 1,
        state: "failed",
        attempt: 1,
        fault: { code: "RequestInvalid", next: expect.any(String) as string },
      },
    ]);
    expect(shown["files"]).toContain("rounds/01/write_raw.md");
    expect(actionsOf(shown)[0]?.command).toBe("faultline runs do f edit-and-retry --text '…'");
    const { stdout } = await world.call(["runs", "show", "f"]);
    expect(stdout).toContain("✗ write  failed");
    expect(stdout).toContain("    rounds/01/write_raw.md\n");
  });

  it.each([
    [
      "the last lines of its stderr",
      "console.log('out'); for (let i = 1; i < 8; i++) console.error('line ' + i); process.exit(3)",
      ["line 3", "line 7"],
      "│ line 2",
    ],
    ["its stdout when stderr is empty", "console.log('only out'); process.exit(3)", ["only out"], "│ line"],
    ["no line that it did not print", "process.exit(3)", [], "│"],
  ])("of a command that failed shows %s", async (_what, script, has, hasNot) => {
    const world = new WorkflowWorld();
    world.write("fail.cjs", script);
    const file = world.write(
      "fails.yaml",
      [
        "faultline: 1",
        'workflow: { id: fails, version: "1" }',
        "nodes:",
        "  boom: { type: command, run: node fail.cjs }",
        "",
      ].join("\n"),
    );
    await world.call(["workflow", "run", file, "--run", "b"]);
    const { stdout } = await world.call(["runs", "show", "b"]);
    expect(stdout).toContain("ended with exit code 3");
    for (const line of has) expect(stdout).toContain(`    │ ${line}\n`);
    expect(stdout).not.toContain(hasNot);
  });
});

describe("a run whose agent CLI is not installed", () => {
  it("shows the command that installs it", async () => {
    const world = new WorkflowWorld();
    const file = world.write(
      "missing.yaml",
      `faultline: 1
workflow: { id: missing, version: "1" }
agents:
  writer: { cli: { name: claude, command: ./no-such-claude } }
nodes:
  write: { type: agent, agent: writer, prompt: Write. }
`,
    );
    await world.call(["workflow", "run", file, "--run", "m"]);
    const { stdout } = await world.call(["runs", "show", "m"]);
    expect(stdout).toContain("Agent program not found (BinaryMissing)");
    expect(stdout).toContain("  npm install -g @anthropic-ai/claude-code\n");
  });
});

describe("two providers of one type", () => {
  it("appear under the operator's own names wherever a run names the failed target", async () => {
    const world = new WorkflowWorld(true);
    const [east, west] = await Promise.all([startChaos({ clock: world.clock }), startChaos({ clock: world.clock })]);
    onTestFinished(() => Promise.all([east.close(), west.close()]).then(() => undefined));
    const text = [
      "faultline: 1",
      'workflow: { id: two, version: "1" }',
      "providers:",
      `  east: { type: openai-chat, base_url: "${east.openaiUrl}", api_key_env: EAST }`,
      `  west: { type: openai-chat, base_url: "${west.openaiUrl}", api_key_env: WEST }`,
      "agents:",
      "  writer: { model: east/server-error, fallback: [west/llama-3] }",
      "  reviewer: { model: west/unauthorized }",
      "nodes:",
      "  write: { type: agent, agent: writer, prompt: Write, next: review }",
      "  review: { type: agent, agent: reviewer, prompt: Review }",
      "",
    ].join("\n");
    const env = { EAST: "key-of-east", WEST: "key-of-west" };
    const ran = await world.call(["workflow", "run", world.write("two.yaml", text), "--run", "two"], { env });
    expect(ran.stderr).toContain("east/server-error → west/llama-3");
    expect(ran.stderr).toContain("review: failed: Sign-in failed · west/unauthorized");
    expect(ran.stderr).toContain("failed at review: Sign-in failed · west/unauthorized (provider_auth_error).");
    const { stdout } = await world.call(["runs", "show", "two"]);
    expect(stdout).toContain("Sign-in failed (AuthFailed), west/unauthorized: ");
    expect(stdout).toContain("First sign in or set a valid key for west/unauthorized.");
    const shown = JSON.parse((await world.call(["runs", "show", "two", "--json"])).stdout) as Record<string, unknown>;
    expect(shown["visits"]).toMatchObject([
      { node: "write" },
      { node: "review", fault: { target: "west/unauthorized" } },
    ]);
    const events = await world.call(["runs", "export", "two", "--format", "cloudevents"]);
    expect(events.stdout).toContain('"target":"west/unauthorized"');
  });
});

describe("an answer that does not fit its schema", () => {
  it.each([
    ["reviewer", "review_schema_invalid"],
    ["tester", "tester_schema_invalid"],
    ["coder", "provider_runtime_error"],
  ])("of a %s ends the run as %s", async (role, outcome) => {
    const world = new WorkflowWorld(true);
    const chaos = await startChaos({ clock: world.clock });
    onTestFinished(() => chaos.close());
    chaos.script(["schema-invalid", "schema-invalid"]);
    const text = [
      "faultline: 1",
      'workflow: { id: judge, version: "1" }',
      `providers: { openai: { base_url: "${chaos.openaiUrl}", api_key_env: OPENAI_API_KEY } }`,
      "agents:",
      "  judge: { model: openai/gpt-5.5, output_schema: { type: object, required: [decision], properties: { decision: { type: string } } } }",
      `nodes: { judge: { type: agent, agent: judge, role: ${role}, prompt: Judge. } }`,
      "",
    ].join("\n");
    await world.call(["workflow", "run", world.write("judge.yaml", text), "--run", "r"]);
    const { stdout } = await world.call(["runs", "show", "r"]);
    expect(stdout).toContain("run r  failed: schema invalid\n");
    expect(stdout).toContain(`outcome ${outcome}`);
    expect(stdout).toContain("judge gave a result that could not be used.");
    expect(stdout).toContain("the answer does not fit its schema: $.decision is required");
    expect((await world.call(["runs", "list"])).stdout).toContain("failed: schema invalid");
  });
});
