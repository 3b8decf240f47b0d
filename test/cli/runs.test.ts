// Proves `faultline runs`: lists, shows, watches, exports, and every way to act on a run.

import { existsSync, readdirSync } from "node:fs";
import { describe, expect, it, onTestFinished } from "vitest";
import { startChaos } from "../../src/chaos/start-chaos.ts";
import { openJournal } from "../../src/journal/open-journal.ts";
import { createWorkflows, defineWorkflow, stage } from "../../src/workflow/index.ts";
import { GATED, lastLine, QUICK, WorkflowWorld } from "./workflow-world.ts";

interface Action {
  readonly id: string;
  readonly key: string;
  readonly command: string;
}

const actionsOf = (shown: Record<string, unknown>): readonly Action[] => shown["actions"] as readonly Action[];

async function gated(run = "ship"): Promise<WorkflowWorld> {
  const world = new WorkflowWorld();
  await world.call(["workflow", "run", world.write("gated.yaml", GATED), "--run", run]);
  return world;
}

describe("the list of runs", () => {
  it("is empty in words before there is one", async () => {
    const world = new WorkflowWorld();
    expect((await world.call(["runs", "list"])).exit).toBe("usage");
    await world.call(["workflow", "run", world.write("quick.yaml", QUICK), "--input", "none=1"]);
    const got = await world.call(["runs", "list"]);
    expect(got).toMatchObject({ stdout: "", exit: "ok" });
    expect(got.stderr).toContain("There are no runs in this journal yet");
  });

  it("shows how each stands and what to do next, the newest first", async () => {
    const world = await gated();
    await world.call(["workflow", "run", world.write("quick.yaml", QUICK), "--run", "second"]);
    const { stdout } = await world.call(["runs", "list"]);
    const [head, first, second] = stdout.split("\n");
    expect(head).toMatch(/^run +workflow +status +node +started \(UTC\) +cost +next$/);
    expect(first).toMatch(/^second +quick +completed: fine +\d{4}-\d\d-\d\d \d\d:\d\d +\$0\.00$/);
    expect(second).toMatch(/^ship +gated +waiting +ask +.* +\$0\.00 +answer$/);
  });

  it("shortens ids where the terminal is narrow, as far as they stay apart", async () => {
    const world = new WorkflowWorld();
    const file = world.write("quick.yaml", QUICK);
    for (const run of ["run_0123456789abcd", "run_0123456780abcd"])
      await world.call(["workflow", "run", file, "--run", run]);
    const { stdout } = await world.call(["runs", "list"], { columns: 75 });
    expect(stdout).toMatch(/^run_0123456780 {2}quick/m);
    expect(stdout).toMatch(/^run_0123456789 {2}quick/m);
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(75);
  });

  it("keeps to a status and a workflow, and is JSON on demand", async () => {
    const world = await gated();
    await world.call(["workflow", "run", world.write("quick.yaml", QUICK), "--run", "second"]);
    const { stdout } = await world.call(["runs", "list", "--status", "paused", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject([{ run: "ship", status: "paused", held: false }]);
    expect(JSON.parse((await world.call(["runs", "list", "--workflow", "quick", "--json"])).stdout)).toHaveLength(1);
    const none = await world.call(["runs", "list", "--status", "failed"]);
    expect(none).toMatchObject({ stdout: "", exit: "ok" });
    expect((await world.call(["runs", "list", "--limit", "1"])).stderr).toContain("more than 1");
  });
});

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
  it("may be its beginning or `last`, as long as it is clear", async () => {
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
    expect(stdout).toMatch(/^run ship {2}waiting\n/);
    expect(stdout).toMatch(/✓ build {2}done · 1 call · /);
    expect(stdout).toMatch(/◷ ask {4}waiting · /);
    expect(stdout).toContain("    Ship a page?\n    faultline runs answer ship yes\n");
    expect(stdout).toContain("  faultline workflow resume ship\n");
    expect(stdout).toContain("  faultline runs cancel ship\n");
  });

  it("tells no time at which a gate without one would be over", async () => {
    const world = new WorkflowWorld();
    const file = world.write("patient.yaml", GATED.replace("timeout: 1h, ", ""));
    const ran = await world.call(["workflow", "run", file, "--run", "ship"]);
    expect(ran.stderr).not.toMatch(/ in \d+ d/);
    const { stdout } = await world.call(["runs", "show", "ship"]);
    expect(stdout).toMatch(/◷ ask {4}waiting · [^·]*\n/);
    expect(stdout).toMatch(/^ {2}q_\S+ {2}Confirm$/m);
    expect(await world.json(["runs", "show", "ship"])).toMatchObject({
      wakeAt: null,
      questions: [{ expiresAt: null }],
    });
    const listed = await world.call(["journal", "questions", world.path("runs.db")]);
    expect(listed.stdout).toContain("waits as long as it takes");
    const events = await world.call(["runs", "export", "ship", "--format", "cloudevents"]);
    expect(events.stdout).toContain('"expiresAt":null');
    expect((await world.call(["runs", "answer", "ship", "yes"])).exit).toBe("ok");
    expect((await world.call(["workflow", "resume", "ship"])).stdout).toBe("shipped\n");
  });

  it("names the journal in its commands when it was named", async () => {
    const world = await gated();
    const journal = world.path("runs.db");
    const { stdout } = await world.call(["runs", "show", "ship", "--journal", journal], {
      env: { FAULTLINE_JOURNAL: "" },
    });
    expect(stdout).toContain(`  faultline runs cancel ship --journal ${journal}\n`);
  });

  it("has what failed, what to do and its files in JSON", async () => {
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

describe("watching", () => {
  it("tells a run from its beginning, or behind a number, and ends as the run did", async () => {
    const world = new WorkflowWorld();
    await world.call(["workflow", "run", world.write("quick.yaml", QUICK), "--run", "w"]);
    const told = await world.call(["runs", "watch", "w"]);
    expect(told).toMatchObject({ stdout: "fine\n", exit: "ok" });
    expect(told.stderr).toContain("faultline: run w of quick\n");
    const all = (await world.call(["runs", "watch", "w", "--jsonl"])).stdout.trimEnd().split("\n");
    const some = (await world.call(["runs", "watch", "w", "--jsonl", "--after", "3"])).stdout.trimEnd().split("\n");
    expect(some).toEqual(all.slice(3));
    expect(JSON.parse(all[0] ?? "")).toMatchObject({
      specversion: "1.0",
      id: "w/1",
      sequence: "000000000001",
    });
  });

  it("sees what another process does, until the run is over", async () => {
    const world = await gated();
    const other = new WorkflowWorld();
    const answering: Promise<unknown>[] = [];
    const watching = world.call(["runs", "watch", "ship"], {
      onStderr: (text) => {
        if (!text.includes("asks: Ship a page?") || answering.length > 0) return;
        const env = { FAULTLINE_JOURNAL: world.path("runs.db") };
        const answered = other.call(["runs", "answer", "ship", "yes"], { env });
        answering.push(answered.then(() => other.call(["workflow", "resume", "ship"], { env })));
      },
    });
    const got = await watching;
    await Promise.all(answering);
    expect({ stdout: got.stdout, exit: got.exit }).toEqual({
      stdout: "shipped\n",
      exit: "ok",
    });
    expect(got.stderr).toContain("faultline: ask: answered by cli\n");
  });
});

describe("answering", () => {
  it("takes the id of an option, and the first answer counts", async () => {
    const world = new WorkflowWorld();
    const select = GATED.replace(
      "ask: Confirm,",
      "ask: Select, options: [{ id: ship, label: Ship }, { id: stop, label: Stop }],",
    ).replace("nodes.ask.output.approved", "nodes.ask.output.choice");
    await world.call(["workflow", "run", world.write("select.yaml", select), "--run", "s"]);
    const shown = await world.json(["runs", "show", "s"]);
    const [{ id }] = shown["questions"] as readonly [{ id: string }];
    const wrong = await world.call(["runs", "answer", "s", "perhaps"]);
    expect(wrong).toMatchObject({ stdout: "", exit: "usage" });
    expect(wrong.stderr).toContain("ship (Ship), stop (Stop)");
    expect(await world.json(["runs", "answer", id, "stop", "--by", "ada", "--no-wait"])).toMatchObject({
      question: id,
      run: "s",
      by: "ada",
    });
    const late = await world.call(["runs", "answer", id, "ship"]);
    expect(late.exit).toBe("failed");
    expect(late.stderr).toContain("ada");
    expect(await world.json(["workflow", "resume", "s"])).toMatchObject({
      output: { said: "stop" },
    });
  });

  it("continues the run, and is not listed as open before the run has taken it up", async () => {
    const world = await gated();
    await world.call(["runs", "answer", "ship", "yes", "--no-wait"]);
    const { questions, actions, message } = await world.json(["runs", "show", "ship"]);
    expect(questions).toEqual([]);
    expect(message).toContain("ask was stopped and waits to be resumed");
    const { stdout } = await world.call(["runs", "show", "ship"]);
    expect(stdout).not.toMatch(/waits for|waiting/);
    expect(stdout).toContain("faultline workflow resume ship");
    expect((actions as readonly { id: string }[]).map(({ id }) => id)).not.toContain("answer");
    expect((await world.call(["runs", "list"])).stdout).toMatch(/ship .* resume\n/);
    const other = await gated();
    expect(await other.json(["runs", "answer", "ship", "yes"])).toMatchObject({
      status: "completed",
      by: "cli",
    });
    expect((await other.call(["runs", "output", "ship"])).exit).toBe("ok");
    expect((await other.call(["runs", "output", "ship", "nowhere"])).stderr).toContain("It has come to: ");
  });

  it("may be a no to anything", async () => {
    const world = await gated();
    expect((await world.call(["runs", "answer", "ship", "--reject", "not now", "--no-wait"])).exit).toBe("ok");
    expect((await world.call(["runs", "answer", "ship", "yes"])).exit).toBe("failed");
  });

  it("needs an answer, and a question", async () => {
    const world = await gated();
    expect((await world.call(["runs", "answer", "ship"])).exit).toBe("usage");
    expect((await world.call(["runs", "answer", "q_nothing", "yes"])).exit).toBe("usage");
    await world.call(["workflow", "run", world.write("quick.yaml", QUICK), "--run", "done"]);
    const none = await world.call(["runs", "answer", "done", "yes"]);
    expect(none.exit).toBe("failed");
    expect(none.stderr).toContain("has no open question");
  });
});

describe("acting on a run", () => {
  it("that waits tries it now, in the same run", async () => {
    const world = new WorkflowWorld(true);
    const { chaos, file } = await world.withModels(["write: { type: agent, agent: writer, prompt: Write. }"]);
    chaos.script([{ "fault": "quota-reset", "retry-after": 3600 }, "ok"]);
    expect((await world.call(["workflow", "run", file, "--run", "p"])).exit).toBe("parked");
    const got = await world.json(["runs", "retry", "p", "--now"]);
    expect(got).toMatchObject({
      run: "p",
      status: "completed",
      action: "retry-now",
      predecessor: null,
    });
  });

  it("that failed goes on in another run; with --detach that is only begun", async () => {
    const world = new WorkflowWorld(true);
    const { chaos, file } = await world.withModels(["write: { type: agent, agent: writer, prompt: Write. }"]);
    chaos.script(["invalid-key", "ok"]);
    expect((await world.call(["workflow", "run", file, "--run", "f"])).exit).toBe("failed");
    const [first] = actionsOf(await world.json(["runs", "show", "f"]));
    const begun = await world.call(["runs", "do", "f", first?.id ?? "", "--key", first?.key ?? "", "--detach"]);
    const successor = begun.stdout.trim();
    expect(begun.exit).toBe("ok");
    expect(successor).toMatch(/^run_/);
    const twice = await world.json(["runs", "do", "f", first?.id ?? "", "--key", first?.key ?? "", "--detach"]);
    expect(twice).toMatchObject({
      run: successor,
      did: false,
      predecessor: "f",
    });
    expect((await world.call(["workflow", "resume", successor])).stdout).toBe("completed\n");
    expect((await world.call(["runs", "list"])).stdout).toContain(`→ ${successor}`);
  });

  it("switches to the other provider when there is one", async () => {
    const world = new WorkflowWorld(true);
    const { chaos, file } = await world.withModels(["write: { type: agent, agent: patient, prompt: Write. }"]);
    chaos.script(["bad-request", "ok"]);
    expect((await world.call(["workflow", "run", file, "--run", "p"])).exit).toBe("failed");
    const wrong = await world.call(["runs", "switch", "p", "--to", "none"]);
    expect(wrong).toMatchObject({ stdout: "", exit: "usage" });
    expect(wrong.stderr).toContain("one of the targets that are offered");
    expect(await world.json(["runs", "switch", "p"])).toMatchObject({
      status: "completed",
      action: "switch-provider",
    });
  });

  it("lets a discussion go on with a word", async () => {
    const world = new WorkflowWorld();
    const select = GATED.replace(
      "ask: Confirm,",
      "ask: Select, options: [{ id: continue, label: Go on }, { id: stop, label: Stop }],",
    ).replace("nodes.ask.output.approved", "nodes.ask.output");
    await world.call(["workflow", "run", world.write("select.yaml", select), "--run", "d"]);
    const got = await world.json(["runs", "continue", "d", "--text", "think of the old clients"]);
    expect(got).toMatchObject({
      status: "completed",
      action: "continue-discussion",
    });
    expect(JSON.stringify(got["output"])).toContain("think of the old clients");
  });

  it("cancels one that waits, and says so", async () => {
    const world = await gated();
    const got = await world.call(["runs", "cancel", "ship"]);
    expect(got).toMatchObject({
      stdout: "✓ Run ship is cancelled.\n",
      exit: "ok",
    });
    expect(await world.json(["runs", "show", "ship"])).toMatchObject({
      status: "cancelled",
    });
    const again = await world.call(["runs", "cancel", "ship"]);
    expect(again.exit).toBe("failed");
    expect(again.stderr).toContain("run ship is over");
    expect((await world.call(["workflow", "resume", "ship"])).exit).toBe("cancelled");
  });

  it("cannot cancel one that is over, and is told what fits how it ended", async () => {
    const world = new WorkflowWorld(true);
    await world.call(["workflow", "run", world.write("quick.yaml", QUICK), "--run", "done"]);
    const { chaos, file } = await world.withModels(["write: { type: agent, agent: writer, prompt: Write. }"]);
    chaos.script(["bad-request"]);
    await world.call(["workflow", "run", file, "--run", "broken"]);
    await world.call(["workflow", "run", file, "--run", "gone", "--detach"]);
    await world.call(["runs", "cancel", "gone"]);
    const said = async (run: string): Promise<string> => lastLine(await world.call(["runs", "cancel", run]));
    expect(await said("done")).toBe(
      "faultline: run done is over (completed, fine); it did all there was to do; start another run to do it again.",
    );
    expect(await said("broken")).toMatch(/\(failed, \w+\); show it to see how to go on from where it failed\.$/);
    expect(await said("gone")).toMatch(/\(cancelled, \w+\); it was cancelled for good; start another run\.$/);
  });

  it("cancels one of a workflow in TypeScript, which the command line knows nothing of", async () => {
    const world = new WorkflowWorld();
    const workflows = createWorkflows({
      journal: await openJournal(world.path("runs.db")),
    });
    const asks = {
      payload: { kind: "Confirm", prompt: "Ship it?" },
      timeoutMs: null,
    } as const;
    const typed = defineWorkflow({
      id: "gated",
      stages: { gate: stage({ act: (_r, { ask }) => ask(asks) }) },
    });
    await workflows.runs.start(typed, { run: "ship" });
    expect((await workflows.runs.advance("ship")).status).toBe("paused");
    await workflows.close();
    const resumed = await world.call(["workflow", "resume", "ship"]);
    expect([resumed.exit, resumed.stderr]).toEqual(["config", expect.stringContaining("definition") as string]);
    const got = await world.call(["runs", "cancel", "ship"]);
    expect(got).toMatchObject({
      stdout: "✓ Run ship is cancelled.\n",
      exit: "ok",
    });
    const shown = await world.json(["runs", "show", "ship"]);
    expect(shown).toMatchObject({
      status: "cancelled",
      outcome: "canceled",
      questions: [],
    });
    expect((await world.call(["runs", "show", "ship"])).stdout).toMatch(/^run ship {2}cancelled\n/);
    const { stdout } = await world.call(["runs", "watch", "ship", "--jsonl"]);
    expect(stdout.match(/"run\.cancelled"/g)).toHaveLength(1);
  });

  it("asks whoever advances it to cancel", async () => {
    const world = await gated();
    const journal = await openJournal(world.path("runs.db"));
    const now = world.clock.now();
    await journal.hold("ship", "elsewhere:1:x", now + 60_000, now);
    const got = await world.call(["runs", "cancel", "ship", "--detach"]);
    await journal.close();
    expect(got.stdout).toBe("✓ Asked the process that works on run ship to stop it.\n");
  });

  it("refuses what is not offered, and what is no action", async () => {
    const world = await gated();
    const got = await world.call(["runs", "retry", "ship"]);
    expect(got).toMatchObject({ stdout: "", exit: "failed" });
    expect(got.stderr).toContain("offered now: answer, resume, cancel");
    const none = await world.call(["runs", "do", "ship", "send-bck"]);
    expect(none.exit).toBe("usage");
    expect(none.stderr).toContain("Did you mean `send-back`?");
  });

  it("raises a limit", async () => {
    const world = new WorkflowWorld();
    const file = world.write(
      "two.yaml",
      `faultline: 1
workflow: { id: two, version: "1" }
limits: { max_nodes: 1 }
nodes:
  one: { type: transform, value: "1", next: two }
  two: { type: transform, value: "2" }
`,
    );
    const failed = await world.call(["workflow", "run", file, "--run", "n"]);
    expect(failed.exit).toBe("failed");
    expect(lastLine(failed)).toBe("faultline: Next: faultline runs do n raise-limit --max-nodes '…'");
    const got = await world.json(["runs", "do", "n", "raise-limit", "--max-nodes", "5"]);
    expect(got).toMatchObject({
      status: "completed",
      output: 2,
      predecessor: "n",
    });
  });
});

describe("exporting", () => {
  it("writes journal lines and CloudEvents to stdout or a new file", async () => {
    const world = new WorkflowWorld();
    await world.call(["workflow", "run", world.write("quick.yaml", QUICK), "--run", "e"]);
    const lines = await world.call(["runs", "export", "e"]);
    const out = world.path("e.jsonl");
    expect(await world.call(["runs", "export", "e", "--out", out])).toMatchObject({
      stdout: `✓ Run e is in ${out}.\n`,
    });
    expect(world.read("e.jsonl")).toBe(lines.stdout);
    expect((await world.call(["runs", "export", "e", "--out", out])).exit).toBe("usage");
    const events = await world.call(["runs", "export", "e", "--format", "cloudevents"]);
    expect(events.stdout).toBe((await world.call(["runs", "watch", "e", "--jsonl"])).stdout);
  });

  it("makes a folder with everything about the run", async () => {
    const world = new WorkflowWorld(true);
    const { chaos, file } = await world.withModels(["write: { type: agent, agent: writer, prompt: Write. }"]);
    chaos.script(["bad-request"]);
    await world.call(["workflow", "run", file, "--run", "b"]);
    const out = world.path("bundle");
    expect((await world.call(["runs", "export", "b", "--format", "bundle"])).exit).toBe("usage");
    expect(await world.json(["runs", "export", "b", "--format", "bundle", "--out", out])).toEqual({
      run: "b",
      format: "bundle",
      out,
    });
    expect(readdirSync(out).toSorted()).toEqual([
      "entries.jsonl",
      "events.jsonl",
      "files",
      "run.json",
      "workflow.yaml",
    ]);
    expect(existsSync(`${out}/files/rounds/01/write_raw.md`)).toBe(true);
    expect(JSON.parse(world.read("bundle/run.json"))).toMatchObject({
      run: "b",
      status: "failed",
    });
    expect((await world.call(["runs", "export", "b", "--format", "bundle", "--out", out])).exit).toBe("usage");
  });
});

describe("two providers of one type", () => {
  it("appear under the operator's own names wherever a run says who failed", async () => {
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
    expect(ran.stderr).toContain("failed at review (provider_auth_error): Sign-in failed · west/unauthorized.");
    const { stdout } = await world.call(["runs", "show", "two"]);
    expect(stdout).toContain("Sign-in failed (AuthFailed), west/unauthorized: ");
    expect(stdout).toContain("set a valid key for west/unauthorized first");
    const shown = JSON.parse((await world.call(["runs", "show", "two", "--json"])).stdout) as Record<string, unknown>;
    expect(shown["visits"]).toMatchObject([
      { node: "write" },
      { node: "review", fault: { target: "west/unauthorized" } },
    ]);
    const events = await world.call(["runs", "export", "two", "--format", "cloudevents"]);
    expect(events.stdout).toContain('"target":"west/unauthorized"');
  });
});
