// A provider whose key is refused until someone puts it right, and runs that failed because of it.

import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { openJournal } from "../../src/index.ts";
import { createWorkflows, type Workflows } from "../../src/workflow/workflows.ts";

export type ProviderMode =
  | "refuse" // 401
  | "busy" // 503
  | "limit" // 429 for an hour
  | "pause" // 429 for 40 seconds
  | "answer"
  | "hold"; // answers when told to

export interface FailingProvider {
  readonly url: string;
  mode: ProviderMode;
  readonly requests: number;
  /** Answers that are held back. */
  readonly held: number;
  /** Resolves when this many requests are held back. */
  untilHeld(count: number): Promise<void>;
  /** Answers everything that is held back, as the mode says; a mode of `hold` answers well. */
  release(): void;
  close(): Promise<void>;
}

const ANSWER = JSON.stringify({
  id: "a",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "done" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});
const REFUSAL = JSON.stringify({ error: { message: "Incorrect API key provided.", code: "invalid_api_key" } });

const REPLIES: Readonly<Record<ProviderMode, readonly [number, string]>> = {
  refuse: [401, REFUSAL],
  busy: [503, JSON.stringify({ error: { message: "The server is overloaded." } })],
  limit: [429, JSON.stringify({ error: { message: "Rate limit reached." } })],
  pause: [429, JSON.stringify({ error: { message: "Rate limit reached." } })],
  answer: [200, ANSWER],
  hold: [200, ANSWER],
};

export async function startFailingProvider(): Promise<FailingProvider> {
  let [mode, requests]: [ProviderMode, number] = ["refuse", 0];
  const held = new Set<ServerResponse>();
  const waiting = new Set<() => void>();
  const answer = (response: ServerResponse): void => {
    const [status, text] = REPLIES[mode];
    response
      .writeHead(status, {
        ...JSON_TYPE,
        ...LIMITS,
        "x-ratelimit-remaining-requests": String(60 - requests),
        ...(mode === "limit" ? { "retry-after": "3600" } : {}),
        ...(mode === "pause" ? { "retry-after": "40" } : {}),
      })
      .end(text);
  };
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      requests++;
      if (mode !== "hold") return answer(response);
      held.add(response);
      response.on("close", () => held.delete(response));
      for (const look of [...waiting]) look();
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get mode() {
      return mode;
    },
    set mode(next) {
      mode = next;
    },
    get requests() {
      return requests;
    },
    get held() {
      return held.size;
    },
    untilHeld: (count) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (held.size < count) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    release() {
      for (const response of [...held]) answer(response);
      held.clear();
    },
    async close() {
      const over = once(server, "close");
      server.close();
      server.closeAllConnections();
      await over;
    },
  };
}

const LIMITS = { "x-ratelimit-limit-requests": "60", "x-ratelimit-reset-requests": "90s" };
const JSON_TYPE = { "content-type": "application/json", "connection": "close" };

/** Runs that have failed, each with the provider's refusal. */
export async function failRuns(
  journalFile: string,
  provider: FailingProvider,
  count: number,
): Promise<readonly string[]> {
  return withRuns(journalFile, provider, count, async ({ runs }, run) => void (await runs.advance(run)));
}

/** Runs that were started, for a server to advance. */
export async function writeRuns(
  journalFile: string,
  provider: FailingProvider,
  count: number,
): Promise<readonly string[]> {
  return withRuns(journalFile, provider, count, () => Promise.resolve());
}

async function withRuns(
  journalFile: string,
  { url }: FailingProvider,
  count: number,
  work: (workflows: Workflows, run: string) => Promise<void>,
): Promise<readonly string[]> {
  const file = join(dirname(journalFile), "flow.yaml");
  writeFileSync(
    file,
    `faultline: 1
workflow: { id: flow, version: "1" }
providers:
  east: { type: openai-compatible, base_url: "${url}" }
agents:
  writer: { model: east/m, stream: false }
nodes:
  write: { type: agent, role: reviewer, agent: writer, prompt: Write it. }
`,
  );
  const workflows = createWorkflows({ journal: await openJournal(journalFile), env: {} });
  try {
    const { workflow, diagnostics } = await workflows.file(file);
    if (workflow === null) throw new Error(JSON.stringify(diagnostics));
    const runs: string[] = [];
    for (let index = 0; index < count; index++) {
      const run = await workflows.runs.start(workflow);
      await work(workflows, run);
      runs.push(run);
    }
    return runs;
  } finally {
    await workflows.close();
  }
}
