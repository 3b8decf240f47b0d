// A tool's declared failure handling applies to every failure and wherever the tool is called: by a program, as a step of a turn,
// as a node of a workflow, by a model. Real processes, real runs.

import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { SHAPE_REDACTOR } from "../../src/core/index.ts";
import { createFaultline, createMemoryJournal, type ToolOptions, tool } from "../../src/index.ts";
import { systemClock } from "../../src/host/clock.ts";
import { offeredTools, runToolCalls } from "../../src/workflow/node/agent-tools.ts";
import { toolsOf } from "../../src/workflow/node/workflow-tools.ts";
import { createWorkflows } from "../../src/workflow/workflows.ts";
import { parseWorkflow } from "../../src/workflow-file/index.ts";
import { shareOf } from "../support/grid.ts";

/** What the program does after it started its work. The time limit of `hangs` is short; all others are generous. */
const FAILURES = {
  "401": "echo '401 Unauthorized: invalid api key' >&2; exit 1",
  "402": "echo '402 Payment Required: insufficient quota' >&2; exit 1",
  "403": "echo '403 Forbidden: permission denied' >&2; exit 1",
  "TLS": "echo 'Error: certificate has expired (CERT_HAS_EXPIRED)' >&2; exit 1",
  "an unknown error": "echo 'the frobnicator is sad' >&2; exit 1",
  "an exit code": "exit 3",
  "a crash": "kill -9 $$",
  // The shell becomes the program, so that nothing is left when the program's own tool kills it.
  "a time limit": "exec sleep 600",
  "a missing binary": null,
} as const satisfies Readonly<Record<string, string | null>>;
type Failure = keyof typeof FAILURES;

const lineOf = (failure: Failure): readonly string[] => {
  const script = FAILURES[failure];
  return script === null ? ["a-program-that-is-not-there"] : ["sh", "-c", script];
};
const limitOf = (failure: Failure): number => (failure === "a time limit" ? 200 : 60_000);

/** The declaration in YAML and in a program, and its result. */
const DECLARED = {
  optional: { yaml: "optional: true", options: { optional: true }, status: "skipped", value: null },
  default: { yaml: "default: { n: 0 }", options: { default: { n: 0 } }, status: "defaulted", value: { n: 0 } },
  alternative: {
    yaml: "idempotent: true, alternatives: [other]",
    options: { idempotent: true },
    status: "done",
    value: "other",
  },
} as const;
type Declared = keyof typeof DECLARED;

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), "faultline-declared-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

function libraryTool(failure: Failure, declared: Declared) {
  const [command = "", ...args] = lineOf(failure);
  const other = tool<object, unknown>({ id: "other", run: () => "other" });
  const options: Partial<ToolOptions<object, unknown>> = DECLARED[declared].options;
  return tool<object, unknown>({
    id: "it",
    retry: "none",
    timeoutMs: limitOf(failure),
    ...options,
    ...(declared === "alternative" ? { alternatives: [other] } : {}),
    run: (_input, { signal }) => promisify(execFile)(command, args, { signal }),
  });
}

const yamlOf = (failure: Failure, declared: Declared): string => `faultline: 1
workflow: { id: flow, version: "1" }
tools:
  it: { command: ${JSON.stringify(lineOf(failure))}, timeout: ${limitOf(failure)}, max_attempts: 1, ${DECLARED[declared].yaml} }
  other: { command: [echo, other] }
nodes:
  work: { type: tool, tool: it, next: [{ to: last, when: "true" }] }
  last: { type: tool, tool: other }
`;

const env = { PATH: process.env["PATH"] ?? "" };

/** How a tool is called. */
const WAYS = {
  "a tool of a program": async (failure, declared) => {
    const { status, value } = DECLARED[declared];
    const outcome = await createFaultline().protect(libraryTool(failure, declared), {});
    expect(outcome).toMatchObject({ status, ...(status === "skipped" ? {} : { value }) });
    // The failure that was skipped is recorded.
    if (status !== "done") expect(outcome).toHaveProperty("fault.code");
  },

  "a step of a turn": async (failure, declared) => {
    const { status, value } = DECLARED[declared];
    const fl = createFaultline({ journal: createMemoryJournal() });
    const session = await fl.session("s");
    // The step declares it, not the tool.
    const own = declared === "alternative" ? {} : DECLARED[declared].options;
    const bare = { ...libraryTool(failure, declared), optional: false, fallbackValue: null };
    const { outcomes, status: turn } = await session.turn({ work: { tool: bare, input: {}, ...own } });
    expect(outcomes["work"]).toMatchObject({ status, ...(status === "skipped" ? {} : { value }) });
    expect(["done", "partial"]).toContain(turn);
  },

  "a tool of a workflow that a node calls": async (failure, declared) => {
    const { value } = DECLARED[declared];
    const cwd = folder();
    writeFileSync(join(cwd, "flow.yaml"), yamlOf(failure, declared));
    const journal = createMemoryJournal();
    const workflows = createWorkflows({ journal, env });
    onTestFinished(() => workflows.close());
    const { workflow, diagnostics } = await workflows.file(join(cwd, "flow.yaml"));
    if (workflow === null) throw new Error(JSON.stringify(diagnostics));
    const run = await workflows.runs.start(workflow, { inputs: {} });
    expect(await workflows.runs.advance(run)).toMatchObject({ status: "completed" });
    expect(await journal.kept("result", `${run}/node/work#1`)).toMatchObject({ value });
  },

  "a tool of a workflow that a model calls": async (failure, declared) => {
    const { status, value } = DECLARED[declared];
    const { definition } = await parseWorkflow(yamlOf(failure, declared), "flow.yaml", { read: () => null });
    const fl = createFaultline();
    const tools = toolsOf(definition?.tools ?? [], { runtime: fl, env, cwd: folder(), clock: systemClock });
    onTestFinished(() => tools.close());
    const offered = offeredTools(["it"], (id) => tools.find(id), "a");
    const call = { type: "tool-call", toolCallId: "c1", toolName: "it", input: "{}" } as const;
    const [result] = await runToolCalls([call], 1, {
      tools: offered,
      protect: (called, input) => fl.protect(called, input),
      signal: new AbortController().signal,
      redactor: SHAPE_REDACTOR,
    });
    if (status === "skipped") expect(result?.output).toMatchObject({ type: "error-json" });
    else expect(result?.output).toMatchObject({ value });
  },
} as const satisfies Readonly<Record<string, (failure: Failure, declared: Declared) => Promise<void>>>;

/** Each way a tool is called meets each failure and each declaration; for each failure it is another declaration. */
const GRID = (Object.keys(FAILURES) as Failure[]).flatMap((failure, row) => {
  const all = Object.keys(DECLARED) as Declared[];
  const cells = (Object.keys(WAYS) as (keyof typeof WAYS)[]).flatMap((way, turn) => {
    const from = turn % all.length;
    return [...all.slice(from), ...all.slice(0, from)].map((declared) => ({ failure, declared, way }));
  });
  return shareOf(cells, all.length, row);
});

it.each(GRID)("$failure, with $declared, as $way", ({ failure, declared, way }) => WAYS[way](failure, declared));

describe.each(Object.keys(FAILURES) as Failure[])("a command node that may be skipped: %s", (failure) => {
  it("is skipped, and the run continues", async () => {
    const cwd = folder();
    writeFileSync(join(cwd, "fail.sh"), FAILURES[failure] ?? "");
    const line = FAILURES[failure] === null ? "a-program-that-is-not-there" : `sh ${join(cwd, "fail.sh")}`;
    const node = `work: { type: command, run: ${JSON.stringify(line)}, timeout: ${limitOf(failure)}, resolution: skip, next: last }`;
    const text = `faultline: 1\nworkflow: { id: flow, version: "1" }\nnodes:\n  ${node}\n  last: { type: transform, value: "7" }\n`;
    writeFileSync(join(cwd, "flow.yaml"), text);
    const journal = createMemoryJournal();
    const workflows = createWorkflows({ journal, env });
    onTestFinished(() => workflows.close());
    const { workflow, diagnostics } = await workflows.file(join(cwd, "flow.yaml"));
    if (workflow === null) throw new Error(JSON.stringify(diagnostics));
    const run = await workflows.runs.start(workflow, { inputs: {} });
    expect(await workflows.runs.advance(run)).toMatchObject({ status: "completed" });
    expect(await journal.kept("result", `${run}/node/last#1`)).toMatchObject({ value: 7 });
  });
});
