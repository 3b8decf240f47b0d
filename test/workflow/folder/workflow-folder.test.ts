// A folder of workflows that is edited while a program uses it.

import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fault, FaultError, tool } from "../../../src/index.ts";
import type { FolderReport, WorkflowFolder } from "../../../src/workflow/folder/workflow-folder.ts";
import { kindOfFile } from "../../../src/workflow/folder/workflow-folder.ts";
import { createWorkflows, type Workflows } from "../../../src/workflow/workflows.ts";
import { tempFolder, type TempFolder } from "../../journal/temp-folder.ts";
import { placeFor } from "../../support/test-servers.ts";

let temp: TempFolder;
let path: string;
let workflows: Workflows;
let folder: WorkflowFolder;
let reports: FolderReport[];
let onReport: () => void;

beforeEach(() => {
  temp = tempFolder();
  path = temp.file("workflows");
  mkdirSync(path);
  workflows = createWorkflows({ journal: placeFor(temp.file("journal.db")), env: {} });
  reports = [];
  onReport = () => undefined;
});
afterEach(async () => {
  await workflows.close();
  temp.remove();
});

const open = async (): Promise<void> => {
  folder = await workflows.openFolder(path, {
    onReload: (report) => {
      reports.push(report);
      onReport();
    },
  });
};

/** As editors save: in one step. */
function save(name: string, text: string): void {
  writeFileSync(join(temp.path, "saving"), text);
  renameSync(join(temp.path, "saving"), join(path, name));
}

const remove = (name: string): void => rmSync(join(path, name));

/** Waits for the reload after which this holds. */
function until(holds: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    onReport = () => {
      if (holds()) resolve();
    };
    onReport();
  });
}

const flow = (id: string, version: string, more = ""): string =>
  `faultline: 1\nworkflow: { id: ${id}, version: "${version}" }\n${more}nodes:\n  only: { type: transform, value: "'${version}'" }\n`;
const BROKEN = "faultline: 1\nworkflow: { id: a, version: '1' }\nnodes:\n  only: { type: transfrom }\n";
const POLICY = (maxAttempts: number): string =>
  `version: 1\nrows:\n  - match: { code: ToolUnavailable }\n    retry: { maxAttempts: ${maxAttempts}, backoff: { kind: fixed, initialMs: 0 } }\n    then: [fail]\n`;

const versions = (): readonly string[] => folder.workflows.map(({ id, version }) => `${id} ${version}`);
const stateOf = (name: string): string | undefined => folder.report.files.find(({ file }) => file === name)?.state;

describe("a folder of workflows", () => {
  it("is loaded with a diagnostic for each file that has a mistake", async () => {
    save("a.yaml", flow("a", "1"));
    save("b.yaml", BROKEN);
    save("policy.yaml", POLICY(2));
    save("notes.txt", "not a workflow");
    await open();
    expect(versions()).toEqual(["a 1"]);
    expect(folder.report.files.map(({ file, kind, state }) => [file, kind, state])).toEqual([
      ["a.yaml", "workflow", "loaded"],
      ["b.yaml", "workflow", "refused"],
      ["policy.yaml", "policy", "loaded"],
    ]);
    const [diagnostic] = folder.report.files[1]?.diagnostics ?? [];
    expect(diagnostic).toMatchObject({ severity: "error", file: "b.yaml", line: 4 });
    expect((await workflows.known()).map(({ workflow, canStart }) => [workflow.id, canStart])).toEqual([["a", true]]);
  });

  it("that does not exist is refused", async () => {
    await expect(workflows.openFolder(temp.file("nowhere"))).rejects.toThrow("cannot be read: check that it exists");
  });

  it.each<[string, () => void, readonly string[], Partial<Record<string, string>>]>([
    ["added", () => save("b.yaml", flow("b", "1")), ["a 1", "b 1"], { "a.yaml": "loaded", "b.yaml": "loaded" }],
    ["changed", () => save("a.yaml", flow("a", "2")), ["a 2"], { "a.yaml": "loaded" }],
    ["written in place", () => writeFileSync(join(path, "a.yaml"), flow("a", "3")), ["a 3"], { "a.yaml": "loaded" }],
    ["broken", () => save("a.yaml", BROKEN), ["a 1"], { "a.yaml": "kept" }],
    ["emptied", () => save("a.yaml", ""), ["a 1"], { "a.yaml": "kept" }],
    ["removed", () => remove("a.yaml"), [], {}],
    ["renamed", () => renameSync(join(path, "a.yaml"), join(path, "z.yaml")), ["a 1"], { "z.yaml": "loaded" }],
    ["copied", () => save("copy.yaml", flow("a", "1")), ["a 1"], { "a.yaml": "loaded", "copy.yaml": "refused" }],
  ])("takes up a file that is %s", async (_how, change, expected, states) => {
    save("a.yaml", flow("a", "1"));
    await open();
    change();
    await until(() => reports.length === 2);
    expect(versions()).toEqual(expected);
    expect(Object.fromEntries(folder.report.files.map(({ file, state }) => [file, state]))).toEqual(states);
  });

  it("keeps the last good version until the file is fixed, and forgets it when the file is removed", async () => {
    save("a.yaml", flow("a", "1"));
    await open();
    save("a.yaml", BROKEN);
    await until(() => stateOf("a.yaml") === "kept");
    save("a.yaml", flow("a", "2"));
    await until(() => stateOf("a.yaml") === "loaded");
    expect(versions()).toEqual(["a 2"]);
    save("a.yaml", BROKEN);
    await until(() => stateOf("a.yaml") === "kept");
    remove("a.yaml");
    await until(() => stateOf("a.yaml") === undefined);
    save("a.yaml", BROKEN);
    await until(() => stateOf("a.yaml") === "refused");
    expect(versions()).toEqual([]);
  });

  it("reloads when a schema file in a folder below the workflow changes", async () => {
    mkdirSync(join(path, "schemas"));
    writeFileSync(join(path, "schemas", "out.json"), '{ "type": "string" }');
    const agent = "agents:\n  writer: { model: openai/gpt-5, output_schema: schemas/out.json }\n";
    save(
      "a.yaml",
      `faultline: 1\nworkflow: { id: a, version: "1" }\n${agent}nodes:\n  only: { type: agent, agent: writer, prompt: Hi }\n`,
    );
    await open();
    const before = folder.workflows[0]?.digest;
    expect(before).toBeDefined();
    writeFileSync(join(path, "schemas", "out.json"), '{ "type": "number" }');
    await until(() => folder.workflows[0]?.digest !== before);
    expect(reports.at(-1)?.changed).toEqual(["a.yaml"]);
  });

  it("ends with the last of 100 rapid saves, in fewer reloads", async () => {
    save("a.yaml", flow("a", "0"));
    await open();
    for (let version = 1; version <= 100; version++) save("a.yaml", flow("a", String(version)));
    await until(() => versions()[0] === "a 100");
    expect(reports.length).toBeLessThan(50);
  });

  it("keeps what has not changed: the same object, so that its tools stay connected", async () => {
    save("a.yaml", flow("a", "1"));
    await open();
    const [before] = folder.workflows;
    save("b.yaml", flow("b", "1"));
    await until(() => versions().length === 2);
    expect(folder.workflows[0]).toBe(before);
  });

  it.each([
    ["team.yaml", "workflow"],
    ["team.yml", "workflow"],
    ["policy.yaml", "policy"],
    ["team.policy.yaml", "policy"],
    ["tools.yaml", "tools"],
    ["search.tool.yaml", "tools"],
    ["gateway.yaml", "workflow"],
    ["gateway.faultline.yaml", null],
    ["team.gateway.faultline.yml", null],
    [".team.yaml.swp", null],
    [".team.yaml", null],
    ["#team.yaml#", null],
    ["team.yaml~", null],
    ["team.yaml.tmp", null],
    ["4913", null],
    ["readme.md", null],
  ])("reads %s as %s", (name, kind) => {
    expect(kindOfFile(name)).toBe(kind);
  });
});

describe("a run", () => {
  const GATED = (version: string): string =>
    `faultline: 1\nworkflow: { id: a, version: "${version}" }\nnodes:\n  ask: { type: human_gate, ask: Confirm, prompt: Go on?, next: last }\n  last: { type: transform, value: "'${version}'" }\n`;
  const outputOf = async (run: string): Promise<unknown> => {
    const shown = await workflows.runs.show(run);
    return [shown?.summary.version, shown?.summary.status];
  };

  it("finishes on the definition it began with, while new runs use the new one", async () => {
    save("a.yaml", GATED("1"));
    await open();
    const start = async (): Promise<string> => {
      const [known] = await workflows.known();
      if (known === undefined) throw new Error("there is no workflow");
      const run = await workflows.runs.start(known.workflow);
      await workflows.runs.advance(run);
      return run;
    };
    const finish = async (run: string): Promise<void> => {
      const [question] = (await workflows.runs.show(run))?.questions ?? [];
      await workflows.runs.answer(question?.id ?? "", { status: "accepted", value: true } as never);
      await workflows.runs.advance(run);
    };
    const old = await start();
    save("a.yaml", GATED("2"));
    await until(() => versions()[0] === "a 2");
    const fresh = await start();
    remove("a.yaml");
    await until(() => versions().length === 0);
    await finish(old);
    await finish(fresh);
    expect([await outputOf(old), await outputOf(fresh)]).toEqual([
      ["1", "completed"],
      ["2", "completed"],
    ]);
  });
});

describe("the policy of a folder", () => {
  const FAILING = `faultline: 1\nworkflow: { id: a, version: "1" }\ntools:\n  down: { command: ["false"], idempotent: true }\nnodes:\n  only: { type: tool, tool: down, input: {} }\n`;

  it("applies to workflows that set none, and a new one to new runs only", async () => {
    save("a.yaml", FAILING);
    save("policy.yaml", POLICY(2));
    await open();
    const first = folder.workflows[0];
    expect(first?.policy?.rows.some(({ retry }) => retry?.maxAttempts === 2)).toBe(true);
    save("policy.yaml", POLICY(4));
    await until(() => folder.workflows[0] !== first);
    expect(folder.workflows[0]?.policy?.rows.some(({ retry }) => retry?.maxAttempts === 4)).toBe(true);
    expect(folder.workflows[0]?.digest).not.toBe(first?.digest);
    save("policy.yaml", "version: 1\nrows: nonsense\n");
    await until(() => stateOf("policy.yaml") === "kept");
    expect(folder.workflows[0]?.policy?.rows.some(({ retry }) => retry?.maxAttempts === 4)).toBe(true);
    remove("policy.yaml");
    await until(() => folder.workflows[0]?.policy === null);
  });

  it("changes while a breaker is open, which stays open; new calls use it", async () => {
    const { faultline } = workflows;
    const down = (id: string) =>
      tool<null, never>({
        id,
        idempotent: true,
        run: () => {
          throw new FaultError(fault("ToolUnavailable"));
        },
      });
    save("policy.yaml", POLICY(1));
    await open();
    for (let made = 0; made < 5; made++) await faultline.protect(down("api"), null);
    save("policy.yaml", POLICY(3));
    await until(() => reports.length === 2);
    expect(faultline.targets()).toMatchObject([{ target: "api", breaker: "open" }]);
    expect(await faultline.protect(down("api"), null)).toMatchObject({ attempts: 0, fault: { code: "CircuitOpen" } });
    expect(await faultline.protect(down("other"), null)).toMatchObject({ attempts: 3 });
  });

  it("is part of what the journal keeps, so a run continues with it where the folder is gone", async () => {
    save("a.yaml", flow("a", "1"));
    save("policy.yaml", POLICY(2));
    await open();
    const [workflow] = folder.workflows;
    if (workflow === undefined) throw new Error("there is no workflow");
    await workflows.runs.start(workflow);
    await workflows.close();
    rmSync(path, { recursive: true });
    workflows = createWorkflows({ journal: placeFor(temp.file("journal.db")), env: {} });
    const [known] = await workflows.known();
    expect(known).toMatchObject({ canStart: false, workflow: { digest: workflow.digest } });
    const { name = "", rows = [] } = known?.workflow.policy ?? {};
    expect(known?.workflow.policy).toEqual({ ...workflow.policy, name, rows });
    expect(known?.workflow.policy?.rows.some(({ retry }) => retry?.maxAttempts === 2)).toBe(true);
  });
});

describe("a tool manifest of a folder", () => {
  const SLOW = `faultline: 1\nworkflow: { id: a, version: "1" }\ntools:\n  slow: { command: [sleep, "60"], timeout: 50s, max_attempts: 1 }\nnodes:\n  only: { type: tool, tool: slow, input: {} }\n`;

  it("goes before what a workflow says about its tool, also when it changes", async () => {
    save("tools.yaml", "tool:\n  id: slow\n  timeout_ms: 20\n");
    save("a.yaml", SLOW);
    await open();
    const [before] = folder.workflows;
    if (before === undefined) throw new Error("there is no workflow");
    const { fault: seen } = await workflows.runs.advance(await workflows.runs.start(before));
    expect(seen).toMatchObject({ code: "ExecutionTimeout", context: { limit: 20 } });
    save("tools.yaml", "tool:\n  id: slow\n  timeout_ms: 30\n");
    await until(() => folder.workflows[0] !== before);
    expect(reports.at(-1)?.changed).toEqual(["a.yaml", "tools.yaml"]);
    const [after] = folder.workflows;
    if (after === undefined) throw new Error("there is no workflow");
    const again = await workflows.runs.advance(await workflows.runs.start(after));
    expect(again.fault).toMatchObject({ code: "ExecutionTimeout", context: { limit: 30 } });
  });
});
