// Runs over HTTP: listed, started, shown, acted upon and exported, by real runs that the server drives.

import { describe, expect, it } from "vitest";
import { createClient } from "../../src/client/index.ts";
import { defineWorkflow } from "../../src/workflow/define.ts";
import { createWorkflows } from "../../src/workflow/workflows.ts";
import { WorkflowWorld } from "../cli/workflow-world.ts";
import { ENV, FAILING_COMMAND, fragile, fromText, GATED, problemOf, runWorld, twoProviders } from "./run-world.ts";

describe("a run over HTTP", () => {
  it("starts, fails, and tells a viewer why without what came from outside", async () => {
    const { workflow } = fragile();
    const world = await runWorld([workflow]);
    const { run } = await world.operator.startRun({
      body: { workflow: "fragile", run: "ship-1", inputs: { task: "a page", password: "hunter2-hunter2" } },
    });
    expect(run).toBe("ship-1");
    await world.event(run, "run-ended");
    const shown = await world.operator.showRun({ params: { run } });
    expect(shown).toMatchObject({
      status: "failed",
      state: { id: "failed", label: "failed" },
      cause: { id: "network-error", label: "network error" },
      nodes: ["ship"],
      held: false,
      visits: [
        { node: "build", state: { id: "completed" }, output: { built: "a page" } },
        { node: "ship", state: { id: "failed" }, attempt: 1 },
      ],
      graph: {
        nodes: [
          { id: "build", visits: 1 },
          { id: "ship", visits: 1 },
        ],
        edges: [{ from: "build", to: "ship", kind: "taken", taken: 1 }],
      },
    });
    expect(shown.reason).toMatch(/^ship: /);
    expect(shown.actions.map(({ id }) => id)).toContain("retry-stage");
    expect(shown.actions[0]?.redoes).not.toBe("");
    expect(shown.visits[1]?.fault?.detail).toContain("ECONNREFUSED");
    expect(shown.visits[1]?.files).toContain("rounds/01/ship_raw.md");
    const seen = JSON.stringify(await world.viewer.showRun({ params: { run } }));
    const report = await world.operator.text("reportOnRun", { params: { run } });
    expect(report).toMatch(/^# .*ship-1/);
    for (const secret of ["/secret/path", "hunter2", world.journalFile]) expect(report).not.toContain(secret);
    for (const secret of ["ECONNREFUSED", "/secret/path", "hunter2", "a page", world.journalFile])
      expect(seen).not.toContain(secret);
    expect(JSON.stringify(shown)).not.toContain("hunter2");
  });

  it("tells what was decided about a command stage that failed, and by which row", async () => {
    const { workflow, journal } = await fromText("tests.yaml", FAILING_COMMAND);
    const world = await runWorld([workflow], { journal });
    const { run } = await world.operator.startRun({ body: { workflow: "tests" } });
    await world.event(run, "run-ended");
    const { spans } = await world.operator.traceSession({ params: { session: run } });
    const decided = spans.filter(({ node, decision }) => node === "check" && decision !== null);
    expect(decided.map(({ attempt, decision }) => [attempt, decision?.recourse, decision?.row])).toEqual([
      [1, "fail", { layer: "stage", at: "check" }],
    ]);
    expect(decided[0]?.decision?.why).not.toEqual([]);
    // The command itself is drawn as failed, too: its attempt, its call and the node's attempt.
    const drawn = spans.filter(({ node, kind }) => node === "check" && kind !== "wait");
    expect(drawn.map(({ kind, state }) => [kind, state.id])).toEqual([
      ["turn", "failed"],
      ["call", "failed"],
      ["attempt", "failed"],
    ]);
  });

  it("says what an action can take besides what it needs, and takes it", async () => {
    const { workflow, journal } = await fromText("tests.yaml", FAILING_COMMAND);
    const world = await runWorld([workflow], { journal });
    const { run } = await world.operator.startRun({ body: { workflow: "tests" } });
    await world.event(run, "run-ended");
    const { actions } = await world.operator.showRun({ params: { run } });
    const edit = actions.find(({ id }) => id === "edit-and-retry");
    expect(edit).toMatchObject({ needs: "text", accepts: ["commands"] });
    const typed = { text: "echo mended", commands: ["echo *"] };
    const acted = await world.operator.act({ params: { run }, body: { action: "edit-and-retry", params: typed } });
    expect(await world.event(acted.run, "run-ended")).toMatchObject({ status: "completed" });
  });

  it("speaks the reader's language", async () => {
    const { workflow } = fragile();
    const world = await runWorld([workflow]);
    const { run } = await world.operator.startRun({ body: { workflow: "fragile" } });
    await world.event(run, "run-ended");
    const reader = createClient({ baseUrl: world.url, token: world.tokens.viewer, language: "zh-CN" });
    const shown = await reader.showRun({ params: { run } });
    expect(shown).toMatchObject({ state: { id: "failed", label: "失败" }, cause: { label: "网络错误" } });
    expect(shown.actions[0]?.label).toMatch(/\p{Script=Han}/u);
    expect(shown.message).toMatch(/\p{Script=Han}/u);
    const [line] = (await reader.listRuns()).items;
    expect(line?.reason).toMatch(/^ship：\p{Script=Han}/u);
    const problem = await problemOf(reader.showRun({ params: { run: "nothing" } }));
    expect(problem).toMatchObject({ status: 404, title: "未找到" });
  });

  it("is retried by an action, once for one key, and links to its successor", async () => {
    const { workflow, mend } = fragile();
    const world = await runWorld([workflow]);
    const { run } = await world.operator.startRun({ body: { workflow: "fragile" } });
    await world.event(run, "run-ended");
    const { actions } = await world.operator.showRun({ params: { run } });
    const offer = actions.find(({ id }) => id === "retry-stage");
    expect(offer).toMatchObject({ effect: "successor", node: "ship", needs: "nothing" });
    mend();
    const body = { action: "retry-stage", key: offer?.key ?? "" };
    const first = await world.operator.act({ params: { run }, body });
    expect(first).toMatchObject({ did: true });
    await world.event(first.run, "run-ended");
    const again = await world.operator.act({ params: { run }, body });
    expect(again).toEqual({ run: first.run, did: false });
    expect(await world.viewer.showRun({ params: { run: first.run } })).toMatchObject({
      status: "completed",
      predecessor: run,
      visits: [
        { node: "build", inherited: true },
        { node: "ship", inherited: false },
      ],
    });
    expect(await world.viewer.showRun({ params: { run } })).toMatchObject({ successor: first.run, actions: [] });
    const refused = await problemOf(world.operator.act({ params: { run: first.run }, body: { action: "send-back" } }));
    expect(refused).toMatchObject({ status: 409, code: "EngineState" });
  });

  it("continues at another provider when an operator switches it", async () => {
    const { chaos, workflow, journal } = await twoProviders();
    chaos.script(["bad-request", "ok"]);
    const world = await runWorld([workflow], { journal, env: ENV });
    const { run } = await world.operator.startRun({ body: { workflow: "models" } });
    await world.event(run, "run-ended");
    const { actions } = await world.operator.showRun({ params: { run } });
    const offer = actions.find(({ id }) => id === "switch-provider");
    expect(offer).toMatchObject({ needs: "target", choices: ["openai/gpt-5.4"] });
    const wrong = { action: "switch-provider", params: { target: "none" } };
    expect(await problemOf(world.operator.act({ params: { run }, body: wrong }))).toMatchObject({ status: 422 });
    const acted = await world.operator.act({
      params: { run },
      body: { action: "switch-provider", key: offer?.key ?? "", params: { target: "openai/gpt-5.4" } },
    });
    await world.event(acted.run, "run-ended");
    expect(await world.viewer.showRun({ params: { run: acted.run } })).toMatchObject({
      status: "completed",
      target: "openai/gpt-5.4",
      visits: [{ node: "write", targets: ["openai/gpt-5.4", "openai/gpt-5.5"] }],
    });
    expect((await world.viewer.listRuns({ query: { target: "openai/gpt-5.4" } })).items).toHaveLength(1);
    const { items } = await world.operator.listAttempts({ params: { run } });
    expect(items.map(({ kind, status }) => [kind, status])).toEqual([
      ["node", "failed"],
      ["call", "failed"],
    ]);
    expect(items[1]).toMatchObject({ tool: "openai/gpt-5.5", attempt: 1, attempted: true, turn: "write#1.1" });
    expect(items[1]?.decision?.says).not.toBe("");
    const evidence = ["excerpt", "causes", "thrown", "requestIds"];
    for (const field of evidence) expect(items[1]?.fault).toHaveProperty(field);
    expect(Object.values(items[1]?.fault?.requestIds ?? {})).toEqual([expect.stringMatching(/^req_/)]);
    const newest = await world.operator.listAttempts({ params: { run }, query: { order: "newest", limit: 1 } });
    expect(newest.items).toEqual([items[1]]);
    const behind = { order: "newest" as const, cursor: newest.next ?? "" };
    expect((await world.operator.listAttempts({ params: { run }, query: behind })).items).toEqual([items[0]]);
    const viewed = await world.viewer.listAttempts({ params: { run } });
    for (const field of evidence) expect(viewed.items[1]?.fault).not.toHaveProperty(field);
    expect(viewed.items[1]).not.toHaveProperty("input");
  });

  it("says where the workflow sent a failure, and why the command's row failed", async () => {
    const sent = FAILING_COMMAND.replace(
      "next: end }",
      "next: end, on_failure: fix }\n  fix: { type: transform, value: '1', next: end }",
    );
    const { workflow, journal } = await fromText("tests.yaml", sent);
    const world = await runWorld([workflow], { journal, env: ENV });
    const { run } = await world.operator.startRun({ body: { workflow: "tests" } });
    await world.event(run, "run-ended");
    const { items } = await world.viewer.listAttempts({ params: { run } });
    const [check, command] = items.filter(({ node }) => node === "check");
    expect(check).toMatchObject({ kind: "node", status: "failed" });
    expect(check?.decision?.says).toMatch(/→ fix$/);
    expect(command).toMatchObject({ kind: "call", status: "failed", fault: null, cause: check?.cause });
    expect(command?.cause).not.toBeNull();
  });

  it("is cancelled, and then refuses to be cancelled again", async () => {
    const { workflow, journal } = await fromText("gated.yaml", GATED);
    const world = await runWorld([workflow], { journal, env: ENV });
    const { run } = await world.operator.startRun({ body: { workflow: "gated" } });
    await world.event(run, "node-paused");
    expect(await world.operator.cancelRun({ params: { run } })).toEqual({ run, did: true });
    await world.event(run, "run-ended");
    expect(await world.viewer.showRun({ params: { run } })).toMatchObject({
      state: { id: "cancelled" },
      actions: [{ id: "retry-stage", effect: "successor" }],
    });
    const again = await problemOf(world.operator.cancelRun({ params: { run } }));
    expect(again).toMatchObject({ status: 409, code: "EngineState" });
    expect(again["reason"]).toContain("a cancelled run cannot continue");
    expect(await problemOf(world.operator.resumeRun({ params: { run } }))).toMatchObject({ status: 409 });
  });

  it("that a dead process left is resumed by an operator", async () => {
    const { workflow, journal: file } = await fromText("gated.yaml", GATED);
    const world = await runWorld([workflow], { journal: file, env: ENV, drive: false });
    const { run } = await world.operator.startRun({ body: { workflow: "gated" } });
    expect(await world.viewer.showRun({ params: { run } })).toMatchObject({ state: { id: "stopped" } });
    expect(await world.operator.resumeRun({ params: { run } })).toEqual({ run, did: true });
    const other = createWorkflows({ journal: world.journal, env: ENV });
    await other.runs.advance(run);
    expect(await world.viewer.showRun({ params: { run } })).toMatchObject({
      state: { id: "asking", label: "needs you" },
      visits: [
        { node: "build", state: { id: "completed" } },
        { node: "find", state: { id: "completed" } },
        { node: "ask", state: { id: "asking" } },
      ],
    });
  });

  it("is refused to start with words: unknown workflow, wrong inputs, a name that is taken", async () => {
    const { workflow, journal } = await fromText("gated.yaml", GATED);
    const world = await runWorld([workflow], { journal, env: ENV, drive: false });
    const start = (body: { workflow: string; inputs?: Record<string, unknown>; run?: string }) =>
      problemOf(world.operator.startRun({ body }));
    expect(await start({ workflow: "nothing" })).toMatchObject({ status: 404, code: "cannot-start" });
    expect(await start({ workflow: "gated", inputs: { task: 5 } })).toMatchObject({ status: 422 });
    for (const run of ["../x", ".", ".."]) {
      expect(await start({ workflow: "gated", run })).toMatchObject({ status: 422 });
    }
    await world.operator.startRun({ body: { workflow: "gated", run: "one" } });
    expect(await start({ workflow: "gated", run: "one" })).toMatchObject({ status: 409 });
    const viewed = await problemOf(world.viewer.startRun({ body: { workflow: "gated" } }));
    expect(viewed).toMatchObject({ status: 403, code: "role-too-low" });
  });
});

describe("the events, output and files of a run", () => {
  it("are numbered without gaps over pages, and exported as the command line does", async () => {
    const { workflow, journal } = await fromText("gated.yaml", GATED);
    const world = await runWorld([workflow], { journal, env: ENV });
    const { run } = await world.operator.startRun({ body: { workflow: "gated", inputs: { task: "a poem" } } });
    const { questions } = await world.event(run, "node-paused");
    await world.operator.answerQuestion({
      params: { question: questions[0]?.id ?? "" },
      body: { status: "accepted", value: true },
    });
    await world.event(run, "run-ended");
    const all = await world.operator.listRunEvents({ params: { run }, query: { limit: 200 } });
    const paged: unknown[] = [];
    for (let after: number | null = 0; after !== null;) {
      const page: typeof all = await world.operator.listRunEvents({ params: { run }, query: { limit: 3, after } });
      paged.push(...page.items);
      after = page.next;
    }
    expect(paged).toEqual(all.items);
    expect(all.items.map(({ data }) => data["sequence"])).toEqual(all.items.map((_item, index) => index + 1));
    const viewed = await world.viewer.listRunEvents({ params: { run }, query: { limit: 200 } });
    expect(viewed.items).toHaveLength(all.items.length);
    expect(all.total).toBe(all.items.length);
    const FILTERS = [
      [{ types: "gate.paused,gate.resumed" }, ["gate.paused", "gate.resumed"]],
      [{ level: "warning" as const }, ["gate.paused", "run.paused"]],
      [{ node: "last", types: "node.completed" }, ["node.completed"]],
      [{ q: "COMPLETED poem" }, ["node.completed"]],
      [{ level: "error" as const }, []],
    ] as const;
    for (const [filter, types] of FILTERS) {
      const found = await world.operator.listRunEvents({ params: { run }, query: filter });
      expect(found.items.map(({ type }) => type.replace("dev.faultline.", ""))).toEqual(types);
      expect(found.total).toBe(types.length);
    }
    const hidden = await world.viewer.listRunEvents({ params: { run }, query: { q: "completed poem" } });
    expect(hidden.total).toBe(0);
    expect(JSON.stringify(all)).toContain("a poem");
    expect(JSON.stringify(viewed.items.filter(({ type }) => !type.endsWith("gate.paused")))).not.toContain("a poem");
    expect(await world.operator.showOutput({ params: { run } })).toEqual({
      run,
      node: "last",
      execution: 1,
      output: { task: "a poem", said: true },
    });
    const none = await problemOf(world.operator.showOutput({ params: { run }, query: { node: "nothing" } }));
    expect(none).toMatchObject({ status: 404, code: "no-output" });
    const cli = new WorkflowWorld();
    for (const format of ["jsonl", "cloudevents"] as const) {
      const exported = await world.operator.text("exportRun", { params: { run }, query: { format } });
      const printed = await cli.call(["runs", "export", run, "--format", format, "--journal", world.journalFile]);
      expect(exported).toBe(printed.stdout);
    }
  });

  it("gives files by the names it lists, to operators only, and no others", async () => {
    const { workflow } = fragile();
    const world = await runWorld([workflow]);
    const { run } = await world.operator.startRun({ body: { workflow: "fragile" } });
    await world.event(run, "run-ended");
    const { items } = await world.viewer.listFiles({ params: { run } });
    expect(items.map(({ name }) => name)).toContain("rounds/01/ship.meta.json");
    const text = await world.operator.text("showFile", { params: { run, file: "rounds/01/ship.meta.json" } });
    expect(JSON.parse(text)).toMatchObject({ code: "NetworkDisconnect" });
    for (const file of ["../../journal.db", "/etc/passwd", "rounds/../../../journal.db", "rounds", "nothing"]) {
      const response = await world.send(`/v1/runs/${run}/files/${encodeURIComponent(file)}`);
      expect([file, response.status]).toEqual([file, 404]);
    }
    const viewed = await world.send(`/v1/runs/${run}/files/${encodeURIComponent("rounds/01/ship.meta.json")}`, {
      token: world.tokens.viewer,
    });
    expect(viewed.status).toBe(403);
  });

  it("tell queueing, waiting and working apart", async () => {
    const { workflow, journal } = await fromText("gated.yaml", GATED);
    const world = await runWorld([workflow], { journal, env: ENV });
    const { run } = await world.operator.startRun({ body: { workflow: "gated" } });
    const paused = await world.event(run, "node-paused");
    await world.operator.answerQuestion({
      params: { question: paused.questions[0]?.id ?? "" },
      body: { status: "accepted", value: true },
    });
    await world.event(run, "run-ended");
    const trace = await world.viewer.traceSession({ params: { session: run } });
    const waits = trace.spans.filter(({ kind }) => kind === "wait").map(({ name, why, status }) => [name, why, status]);
    // The person is waited for once.
    expect(waits.filter(([, why]) => why !== "queue")).toEqual([["ask#1", "gate", "done"]]);
    expect(trace.spans.filter(({ kind }) => kind === "turn").map(({ name }) => name)).toEqual(
      expect.arrayContaining(["build#1.1", "ask#1.1", "last#1.1"]),
    );
    for (const { startAt, endAt } of trace.spans) expect(endAt ?? -1).toBeGreaterThanOrEqual(startAt);
    const { visits } = await world.viewer.showRun({ params: { run } });
    const ask = visits.find(({ node }) => node === "ask");
    const waited = trace.spans.find(({ name, why }) => name === "ask#1" && why === "gate");
    expect(ask?.waitedMs).toBe((waited?.endAt ?? 0) - (waited?.startAt ?? 0));
  });
});

describe("a long run", () => {
  it("is shown by its newest visits, with all of them in its graph", async () => {
    let count = 0;
    const loop = defineWorkflow({
      id: "loop",
      limits: { maxNodes: 1_000 },
      stages: { again: { act: () => ++count, next: () => (count < 510 ? "again" : null) } },
    });
    const world = await runWorld([loop]);
    const { run } = await world.operator.startRun({ body: { workflow: "loop" } });
    await world.event(run, "run-ended");
    const shown = await world.viewer.showRun({ params: { run } });
    expect([shown.visits.length, shown.olderVisits, shown.visits.at(-1)?.execution]).toEqual([500, 10, 510]);
    expect(shown.graph).toMatchObject({ nodes: [{ id: "again", visits: 510 }], edges: [{ taken: 509 }] });
    const attempts = new Set<string>();
    for (let cursor: string | null = ""; cursor !== null;) {
      const query = { limit: 100, ...(cursor === "" ? {} : { cursor }) };
      const page: Awaited<ReturnType<typeof world.viewer.listAttempts>> = await world.viewer.listAttempts({
        params: { run },
        query,
      });
      for (const { turn } of page.items) attempts.add(turn);
      cursor = page.next;
    }
    expect(attempts.size).toBe(510);
  });
});

describe("the list of runs", () => {
  it("is filtered by status, workflow, code and words", async () => {
    const { workflow } = fragile();
    const fine = defineWorkflow({ id: "fine", stages: { only: { act: () => "ok" } } });
    const world = await runWorld([workflow, fine]);
    for (const [id, run] of [
      ["fragile", "alpha"],
      ["fine", "beta"],
      ["fine", "gamma"],
    ] as const) {
      await world.operator.startRun({ body: { workflow: id, run } });
      await world.event(run, "run-ended");
    }
    const names = async (query: Record<string, string>) =>
      (await world.viewer.listRuns({ query })).items.map(({ run }) => run);
    expect(await names({})).toEqual(["gamma", "beta", "alpha"]);
    expect(await names({ status: "failed" })).toEqual(["alpha"]);
    expect(await names({ workflow: "fine" })).toEqual(["gamma", "beta"]);
    expect(await names({ code: "NetworkDisconnect" })).toEqual(["alpha"]);
    expect(await names({ q: "ALPH" })).toEqual(["alpha"]);
    expect(await names({ q: "fine", status: "completed" })).toEqual(["gamma", "beta"]);
    expect(await names({ q: "fine", status: "failed" })).toEqual([]);
    expect(await names({ q: "fine", state: "completed" })).toEqual(["gamma", "beta"]);
    expect(await names({ q: "alpha", cause: "network-error" })).toEqual(["alpha"]);
    expect(await names({ q: "alpha", cause: "overloaded" })).toEqual([]);
    expect(await names({ q: "fine", since: "0", until: "1" })).toEqual([]);
    const first = await world.viewer.listRuns({ query: { q: "fine", limit: 1 } });
    const second = await world.viewer.listRuns({ query: { q: "fine", limit: 1, cursor: first.next ?? "" } });
    expect([first.items[0]?.run, second.items[0]?.run, second.next]).toEqual(["gamma", "beta", null]);
    const refused = await problemOf(world.viewer.listRuns({ query: { cursor: "bm90IG91cnM" } }));
    expect(refused).toMatchObject({ status: 422, errors: [{ pointer: "/query/cursor" }] });
  });

  it("pages over 500 runs without a gap or a double while others start", async () => {
    const fine = defineWorkflow({ id: "fine", stages: { only: { act: () => "ok" } } });
    const world = await runWorld([fine], { drive: false });
    const other = createWorkflows({ journal: world.journal, workflows: [fine] });
    const before = Array.from({ length: 500 }, (_one, index) => `run-${index}`);
    await Promise.all(before.map((run) => other.runs.start(fine, { run })));
    const seen: string[] = [];
    let started = 0;
    for (let cursor: string | null = ""; cursor !== null;) {
      const query = { limit: 37, ...(cursor === "" ? {} : { cursor }) };
      const page: Awaited<ReturnType<typeof world.viewer.listRuns>> = await world.viewer.listRuns({ query });
      seen.push(...page.items.map(({ run }) => run));
      cursor = page.next;
      await other.runs.start(fine, { run: `later-${started++}` });
    }
    expect(seen.filter((run) => run.startsWith("run-")).toSorted()).toEqual(before.toSorted());
    expect(new Set(seen).size).toBe(seen.length);
  });
});
