// The four walks of docs/ARCHITECTURE.md, as programs.

import { createOpenAI } from "@ai-sdk/openai";
import { streamText } from "ai";
import { createFaultline, fault, FaultError, openJournal, step, tool } from "../../src/index.ts";
import { classify } from "../../src/core/classify/classify.ts";
import { decide } from "../../src/core/decide/decide.ts";
import { explain } from "../../src/core/decide/explain.ts";
import { situation } from "../../src/core/decide/situation.ts";
import { DEFAULT_POLICY } from "../../src/core/policy/matrix.ts";
import { viewFor } from "../../src/core/fault/view.ts";
import { startChaos } from "../../src/testing/index.ts";
import { createWorkflows, defineWorkflow, stage } from "../../src/workflow/index.ts";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Runs the part of a program that is the walk itself, without its set-up. */
type Measured = (work: () => Promise<unknown>) => Promise<void>;

interface Walk {
  readonly title: string;
  readonly walk: (measured: Measured) => Promise<void>;
}

export const WALKS: readonly Walk[] = [
  { title: "one failing tool call", walk: failingToolCall },
  { title: "one model call on a chain", walk: modelCallOnAChain },
  { title: "one failing stage of a run", walk: failingStage },
  { title: "how a failure is classified", walk: classifiedFailure },
];

/** It hangs, then answers 503, and its alternative works. */
async function failingToolCall(measured: Measured): Promise<void> {
  await inFolder(async (path) => {
    const other = tool({ id: "flight_search_b", run: () => "found" });
    let attempts = 0;
    const search = tool({
      id: "flight_search",
      idempotent: true,
      timeoutMs: 20,
      retry: { maxAttempts: 2, backoff: { initialMs: 1 } },
      alternatives: [other],
      run: (): Promise<string> => {
        attempts += 1;
        if (attempts === 1) return new Promise(() => undefined);
        return Promise.reject(Object.assign(new Error("503 Service Unavailable"), { status: 503 }));
      },
    });
    const fl = createFaultline({ journal: await openJournal(path), tools: [search, other] });
    const session = await fl.session("trip");
    await measured(() => session.turn({ search: step(search, {}) }));
    await session.end();
    await fl.close();
  });
}

/** The first model answers 529 twice, the second one streams. */
async function modelCallOnAChain(measured: Measured): Promise<void> {
  const chaos = await startChaos();
  const openai = createOpenAI({ baseURL: chaos.openaiUrl, apiKey: "none" });
  const fl = createFaultline();
  chaos.script(["overloaded", "overloaded"]);
  const model = fl.model([openai("gpt-5"), openai("gpt-5-mini")]);
  await measured(async () => streamText({ model, prompt: "hi" }).text);
  await fl.close();
  await chaos.close();
}

/** The stage is tried twice; then a person retries it in a successor. */
async function failingStage(measured: Measured): Promise<void> {
  await inFolder(async (path) => {
    let isDown = true;
    const publish = tool({
      id: "publish",
      idempotent: true,
      retry: { maxAttempts: 2, backoff: { initialMs: 1 } },
      run: () => {
        if (isDown) throw new FaultError(fault("ToolUnavailable"));
        return "done";
      },
    });
    const print = stage({
      idempotent: true,
      retryPolicy: { maxAttempts: 2, backoff: { initialMs: 1 } },
      act: async (_request, { turn }) => {
        const outcome = await turn.protect(publish, {});
        if (outcome.status !== "done") throw new FaultError("fault" in outcome ? outcome.fault : fault("Uncaught"));
        return outcome.value;
      },
    });
    const workflow = defineWorkflow({ id: "letter", stages: { print } });
    const workflows = createWorkflows({ workflows: [workflow], journal: await openJournal(path) });
    const first = await workflows.runs.start(workflow);
    await measured(async () => {
      await workflows.runs.advance(first);
      isDown = false;
      const { run } = await workflows.runs.act(first, "retry-stage", { by: "ann" });
      await workflows.runs.advance(run);
    });
    await workflows.close();
  });
}

async function classifiedFailure(measured: Measured): Promise<void> {
  await measured(() => {
    const error = { code: "rate_limit_exceeded", message: "Rate limit reached. Please try again in 1.4s." };
    const seen = classify({ surface: "http", status: 429, body: { error } });
    explain(decide(situation(seen), DEFAULT_POLICY), "en");
    viewFor("model", seen, { correlationId: "c" });
    viewFor("operator", seen, { correlationId: "c" });
    return Promise.resolve();
  });
}

async function inFolder(walk: (path: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "faultline-walk-"));
  try {
    await walk(join(folder, "journal.db"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
