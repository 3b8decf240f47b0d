// A name belongs to one run, from however many processes it is started, and however close together.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it, onTestFinished } from "vitest";
import { createFaultline, type Journal, openJournal } from "../../src/index.ts";
import { defineWorkflow, stage } from "../../src/workflow/define.ts";
import { createRuns } from "../../src/workflow/runs.ts";
import { createWorkflows } from "../../src/workflow/workflows.ts";
import { bundledProgram } from "../support/bundled-program.ts";
import { engineWorld, eventsIn, newFile, only, STORES, worker } from "../support/engine-world.ts";

const workflow = { id: "one", stages: { a: stage({ act: (_request, _tools, { inputs }) => inputs["from"] }) } };

/** Holds back every append until two have arrived, so that both starts have seen that the name is free. */
function together(journal: Journal): Journal {
  const waiting: (() => void)[] = [];
  return {
    ...journal,
    append: async (session, after, entries, keeps) => {
      if (after === 0) {
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
          if (waiting.length === 2) for (const go of waiting.splice(0)) go();
        });
      }
      return journal.append(session, after, entries, keeps);
    },
  };
}

describe.each(STORES)("two starts of one name, with %s", (store) => {
  it.each([
    ["with other inputs", { from: "first" }, { from: "second" }],
    ["that are the same, word for word", { from: "first" }, { from: "first" }],
  ])("%s: one is accepted, the other fails because the name is taken", async (_what, first, second) => {
    const { clock, journal, chance, workflow: made } = await engineWorld(workflow, { store });
    const shared = together(journal);
    const starts = [first, second].map((inputs) => {
      const runs = createRuns({ workflows: [made], worker: worker(), clock, chance, journal: shared });
      return runs.start(made, { run: "mine", inputs });
    });
    const ended = await clock.runUntil(Promise.allSettled(starts));
    expect(ended.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    const refused = ended.find((one) => one.status === "rejected");
    expect(refused?.reason).toMatchObject({ fault: { code: "EngineState" } });
    expect(String(refused?.reason)).toContain("mine is taken");
    const events = await eventsIn(journal, "mine");
    expect(events.slice(0, 2).map(({ type }) => type)).toEqual(["session-started", "run-started"]);
    expect(only(events, "run-started")).toHaveLength(1);
  });

  it("from one program are one run too", async () => {
    const { clock, journal, runs, workflow: made } = await engineWorld(workflow, { store });
    const starts = Array.from({ length: 20 }, (_, from) => runs.start(made, { run: "mine", inputs: { from } }));
    const ended = await clock.runUntil(Promise.allSettled(starts));
    expect(ended.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(only(await eventsIn(journal, "mine"), "run-started")).toHaveLength(1);
  });
});

it("a run cannot start under the name of an existing session, open or not", async () => {
  const { clock, journal, runs, workflow: made } = await engineWorld(workflow);
  const session = await clock.runUntil(createFaultline({ clock, journal }).session("mine"));
  await expect(clock.runUntil(runs.start(made, { run: "mine" }))).rejects.toThrow("mine is taken");
  await clock.runUntil(session.end());
  await expect(clock.runUntil(runs.start(made, { run: "mine" }))).rejects.toThrow("mine is taken");
  expect(only(await eventsIn(journal, "mine"), "run-started")).toEqual([]);
});

it("of two processes that start the same forty runs at once, each run belongs to one of them", async () => {
  const path = newFile();
  await (await openJournal(path, {})).close();
  const script = bundledProgram(new URL("../support/starting-process.ts", import.meta.url));
  const env = { ...process.env, NODE_NO_WARNINGS: "1" };
  const children = ["left", "right"].map((name) =>
    spawn(process.execPath, [script, path, name, "40"], { stdio: "pipe", env }),
  );
  onTestFinished(() => {
    for (const child of children) child.kill("SIGKILL");
  });
  const said = children.map(() => "");
  for (const [index, child] of children.entries()) {
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (said[index] = `${said[index] ?? ""}${chunk}`));
  }
  // Both are ready before either starts.
  await Promise.all(children.map((child) => once(child.stdout, "data")));
  for (const child of children) child.stdin.end("go\n");
  await Promise.all(children.map((child) => once(child, "close")));
  const accepted = said.flatMap((lines) => lines.split("\n").filter((line) => line.startsWith("accepted ")));
  const journal = await openJournal(path, {});
  const workflows = createWorkflows({ journal, workflows: [defineWorkflow(workflow)] });
  onTestFinished(() => workflows.close());
  expect(accepted).toHaveLength(40);
  for (const line of accepted) {
    const [, run = "", by = ""] = line.split(" ");
    const report = await workflows.runs.show(run);
    expect(report?.summary.run).toBe(run);
    expect(await journal.kept("input", `${run}/inputs`)).toEqual({ from: by });
    expect(only(await eventsIn(journal, run), "run-started")).toHaveLength(1);
  }
});
