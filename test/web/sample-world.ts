// A server with something of everything to look at: runs that work, wait, ask, failed and were repaired; reported failures; an open
// breaker; a session with a plan. Browser tests, screenshots and people who work on the dashboard use it. Nothing leaves this machine.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type ChaosOptions, startChaos } from "../../src/chaos/start-chaos.ts";
import { type Client, createClient } from "../../src/client/index.ts";
import { systemClock } from "../../src/host/clock.ts";
import { createFaultline, fault, FaultError, openJournal, step, tool } from "../../src/index.ts";
import { type RunningServer, startServer } from "../../src/server/server.ts";
import { addToken } from "../../src/server/tokens.ts";

export interface SampleWorld {
  readonly url: string;
  readonly journalFile: string;
  readonly tokens: Readonly<Record<"operator" | "viewer", string>>;
  readonly operator: Client;
  readonly server: RunningServer;
  /** Resolves when a run reaches one of these states. */
  readonly until: (run: string, ...states: readonly string[]) => Promise<void>;
  readonly close: () => Promise<void>;
}

const CLIENT_KEYS = { CI_KEY: "sample-key-of-ci", WEB_KEY: "sample-key-of-the-web-app" };
const ENV = { PATH: process.env["PATH"], OPENAI_API_KEY: "sample", ANTHROPIC_API_KEY: "sample", ...CLIENT_KEYS };

/** What each model of the sample provider does. */
const SCENARIO = {
  rules: [
    { when: { model: "claude-sonnet-4-5" }, fault: "overloaded" },
    { when: { model: "gpt-4.1" }, fault: "invalid-key" },
    { "when": { model: "gpt-4.1-mini" }, "fault": "rate-limit", "retry-after": 5_400 },
    { when: { model: "gpt-5.4" }, sequence: ["rate-limit" as const, "server-error" as const] },
    {
      when: { model: "gpt-5.5" },
      answer: "Split the parser from the reader, then add the missing test for empty input.",
    },
  ],
} satisfies ChaosOptions["scenario"];

function workflowFiles(url: string): Readonly<Record<string, string>> {
  const providers = `providers:
  openai: { base_url: "${url}/v1" }
  anthropic: { base_url: "${url}/v1" }
`;
  const head = (id: string, name: string): string =>
    `faultline: 1\nworkflow: { id: ${id}, version: "1", name: "${name}" }\n`;
  return {
    "review.faultline.yaml": `${head("review-pr", "Review a pull request")}${providers}inputs:
  title: { type: string, default: "Fix split() rounding" }
agents:
  planner: { model: openai/gpt-5.5 }
  reviewer: { model: anthropic/claude-sonnet-4-5, fallback: [openai/gpt-4.1] }
nodes:
  fetch: { type: command, run: ["echo 14 files changed"], allow: ["echo *"], next: plan }
  plan: { type: agent, agent: planner, prompt: "Plan the review of {{ inputs.title }}", next: review }
  review: { type: agent, agent: reviewer, prompt: "Review {{ inputs.title }}", next: test }
  test: { type: command, run: ["echo ok"], allow: ["echo *"], next: { to: end, outcome: approved } }
`,
    "triage.faultline.yaml": `${head("triage-inbox", "Triage the inbox")}${providers}agents:
  sorter: { model: openai/gpt-4.1-mini }
nodes:
  load: { type: command, run: ["echo 31 messages"], allow: ["echo *"], next: classify }
  classify: { type: agent, agent: sorter, prompt: Sort these messages, next: end }
`,
    "docs.faultline.yaml": `${head("nightly-docs", "Nightly docs")}${providers}agents:
  writer: { model: openai/gpt-5.4, fallback: [openai/gpt-5.5] }
nodes:
  collect: { type: command, run: ["echo 12 pages"], allow: ["echo *"], next: write }
  write: { type: agent, agent: writer, prompt: Write the pages, next: publish }
  publish: { type: command, run: ["echo published"], allow: ["echo *"], next: { to: end, outcome: published } }
`,
    "tests.faultline.yaml": `${head("fix-slugify", "Fix slugify")}nodes:
  code: { type: command, run: ["echo patched 2 files"], allow: ["echo *"], next: tests }
  tests:
    type: command
    run: ["node -e \\"console.error('3 of 218 tests failed: slugify keeps trailing dashes'); process.exit(1)\\""]
    fails_as: TestsFailed
    next: end
`,
    "release.faultline.yaml": `${head("release", "Release")}inputs:
  version: { type: string, default: 2.4.0 }
nodes:
  build: { type: command, run: ["echo built"], allow: ["echo *"], next: gate }
  gate: { type: human_gate, ask: Confirm, prompt: "Release {{ inputs.version }} to production?", timeout: 20h, next: ship }
  ship: { type: command, run: ["echo shipped"], allow: ["echo *"], next: { to: end, outcome: shipped } }
`,
    "import.faultline.yaml": `${head("import-catalogue", "Import the catalogue")}nodes:
  split:
    type: parallel
    branches: [books, films]
    join: merge
  books: { type: command, run: ["echo 812 books"], allow: ["echo *"], next: merge }
  films: { type: command, run: ["sleep 36000"], allow: ["sleep *"], timeout: 20h, next: merge }
  merge: { type: merge, next: end }
`,
  };
}

const TITLES = [
  "Fix split() rounding",
  "Cache the tokenizer",
  "Retry uploads",
  "Escape file names",
  "Drop the old parser",
];

export async function startSampleWorld(folder: string, { port = 0 } = {}): Promise<SampleWorld> {
  const chaos = await startChaos({ clock: systemClock, scenario: SCENARIO });
  const workflows = join(folder, "workflows");
  mkdirSync(workflows, { recursive: true });
  for (const [name, text] of Object.entries(workflowFiles(chaos.url))) writeFileSync(join(workflows, name), text);
  const journalFile = join(folder, "journal.db");
  const gateway = join(folder, "gateway.faultline.yaml");
  writeFileSync(gateway, gatewayFile(chaos.url));
  const viewer = await addToken(folder, "viewer", "viewer", Date.now());
  const server = await startServer({
    journal: journalFile,
    port,
    workflowsFolder: workflows,
    gateway,
    env: ENV,
    version: "sample",
  });
  const tokens = { operator: readFileSync(server.tokenFile, "utf8").trim(), viewer };
  const operator = createClient({ baseUrl: server.url, token: tokens.operator });
  const until = waiter(operator);
  await runPlan(journalFile);
  await askQuestions(journalFile);
  await breakTool(journalFile);
  await reportFailures(operator);
  await startRuns(operator, until);
  await callGateway(server.url);
  return {
    ...{ url: server.url, journalFile, tokens, operator, server, until },
    close: async () => {
      await server.close();
      await chaos.close();
    },
  };
}

function gatewayFile(url: string): string {
  return `version: 1
targets:
  anthropic: { dialect: anthropic-messages, base_url: "${url}/v1", region: eu }
  openai: { dialect: [openai-chat, openai-responses], base_url: "${url}/v1", region: us }
routes:
  code: { chain: [anthropic/claude-sonnet-4-5, openai/gpt-5.5] }
  chat: { chain: [openai/gpt-5.5], mid_stream: restart }
  gpt-*: { chain: [openai, anthropic/claude-sonnet-4-5] }
keys:
  ci: { key_env: CI_KEY, routes: [code], regions: [eu, us], budget: { per_hour_usd: 0.004, per_day_usd: 1, per_month_usd: 20 } }
  web-app: { key_env: WEB_KEY }
`;
}

/** Calls of two clients: answered at once, by a fallback, and not at all. */
async function callGateway(url: string): Promise<void> {
  const ask = async (key: string, model: string, prompt: string): Promise<void> => {
    const headers = { "authorization": `Bearer ${key}`, "content-type": "application/json" };
    const body = JSON.stringify({ model, max_tokens: 60, messages: [{ role: "user", content: prompt }] });
    await (await fetch(`${url}/v1/chat/completions`, { method: "POST", headers, body })).text();
  };
  for (const prompt of ["one", "two", "three", "four"]) await ask(CLIENT_KEYS.CI_KEY, "code", prompt);
  await ask(CLIENT_KEYS.WEB_KEY, "chat", "hello");
  await ask(CLIENT_KEYS.WEB_KEY, "gpt-<img src=x onerror=alert(1)>", "hello");
  await ask(CLIENT_KEYS.WEB_KEY, "openai/gpt-4.1", "hello");
}

function waiter(client: Client): SampleWorld["until"] {
  return async (run, ...states) => {
    const leaving = new AbortController();
    // Subscribed first, so that nothing happens between the look and the wait.
    const events = client.stream({ session: run, signal: leaving.signal });
    const isThere = async (): Promise<boolean> => states.includes((await client.showRun({ params: { run } })).state.id);
    const heard = events.next();
    if (!(await isThere())) {
      await heard;
      for (;;) {
        if (await isThere()) break;
        await events.next();
      }
    }
    leaving.abort();
  };
}

/** A session of a program: a turn whose plan has a step that fails and one that is skipped because of it. */
async function runPlan(journalFile: string): Promise<void> {
  const journal = await openJournal(journalFile, { clock: systemClock });
  const fl = createFaultline({ journal });
  const ok = (id: string, value: unknown) => tool({ id, idempotent: true, run: () => value });
  const flights = tool({
    ...{ id: "flight_search", idempotent: true, retry: { maxAttempts: 3 } },
    run: () => {
      throw new FaultError(fault("ToolUnavailable", { message: "503 from the flights API" }));
    },
  });
  const session = await fl.session("plan-a-trip");
  await session.turn({
    weather: step(ok("weather", { sky: "clear" }), { city: "Oslo" }),
    flights: step(flights, { to: "OSL" }),
    hotels: step(ok("hotels", { rooms: 3 }), { city: "Oslo" }),
    book: step(ok("book_flight", "booked"), {}, { needs: ["flights"] }),
    summary: step(ok("summary", "Oslo, clear, 3 rooms"), {}, { needs: ["weather", "hotels"] }),
  });
  await session.end();
  await fl.close();
}

const TRAVELLERS = {
  type: "object",
  required: ["city", "nights", "travellers", "breakfast"],
  properties: {
    city: { type: "string", title: "City", description: "Where the hotel should be.", minLength: 2 },
    nights: { type: "integer", title: "Nights", minimum: 1, maximum: 30 },
    room: { title: "Room", enum: ["single", "double", "suite"] },
    breakfast: { type: "boolean", title: "With breakfast" },
    travellers: {
      type: "array",
      title: "Travellers",
      minItems: 1,
      items: {
        type: "object",
        required: ["name"],
        properties: { name: { type: "string", title: "Name" }, age: { type: "integer", title: "Age", minimum: 0 } },
      },
    },
  },
} as const;

/** Questions of a program, one of each kind. No person is present, so they wait in the journal. */
async function askQuestions(journalFile: string): Promise<void> {
  const journal = await openJournal(journalFile, { clock: systemClock });
  const fl = createFaultline({ journal });
  const session = await fl.session("book-a-hotel");
  await session.ask("input", {
    ...{ kind: "Ask", prompt: "book_hotel: its input did not fit. Which input should it get instead?", field: "input" },
    schema: TRAVELLERS,
    issues: [{ path: "$.nights", expected: "must be integer", got: "string" }],
  });
  await session.ask("quota", {
    ...{ kind: "Select", prompt: "codex: the plan limit is used up until 18:00. What now?" },
    options: [
      { id: "use:claude", label: "Use claude instead" },
      { id: "wait", label: "Wait until 18:00" },
      { id: "fail", label: "Give up" },
    ],
  });
  await session.ask("sign-in", {
    ...{ kind: "Auth.DeviceCode", prompt: "codex: the sign-in has expired. Sign in again." },
    ...{ url: "https://auth.example.com/device", code: "WDJB-MJHT" },
  });
  await session.ask("password", { kind: "Auth.Password", prompt: "Password for the package registry:" });
  await session.abandon("the program waits for its answers");
  await fl.close();
}

/** Calls of a program to a tool that is down, until its breaker opens. */
async function breakTool(journalFile: string): Promise<void> {
  const journal = await openJournal(journalFile, { clock: systemClock });
  const fl = createFaultline({ journal });
  const payments = tool({
    ...{ id: "payments_api", idempotent: true, retry: { maxAttempts: 1 }, breaker: { failures: 3, openMs: 600_000 } },
    run: () => {
      throw new FaultError(fault("ToolUnavailable", { message: "502 from the payments gateway" }));
    },
  });
  const session = await fl.session("charge-cards");
  for (const card of ["4410", "4411", "4412"]) await session.turn({ charge: step(payments, { card }) });
  await session.end();
  await fl.close();
}

/** Failures of programs in other languages. */
async function reportFailures(client: Client): Promise<void> {
  for (let call = 0; call < 8; call++) {
    const { id } = await client.reportFailure({
      body: { tool: "search_index", idempotent: true, evidence: { status: 503, body: "upstream connect error" } },
    });
    if (call < 2) await client.reportOutcome({ params: { id }, body: { status: "succeeded", durationMs: 180 } });
  }
  await client.reportFailure({
    body: { tool: "send_invoice", evidence: { message: "ETIMEDOUT: no answer after 30000 ms" } },
  });
}

async function startRuns(client: Client, until: SampleWorld["until"]): Promise<void> {
  const start = (workflow: string, run: string, inputs: Readonly<Record<string, unknown>> = {}): Promise<unknown> =>
    client.startRun({ body: { workflow, run, inputs } });
  await start("nightly-docs", "nightly-docs-17");
  await start("fix-slugify", "fix-slugify-3");
  for (const [index, title] of TITLES.entries()) await start("review-pr", `review-pr-${4408 + index}`, { title });
  await start("triage-inbox", "triage-inbox-9");
  await start("release", "release-2.4", { version: "2.4.0" });
  await start("release", "release-2.3", { version: "2.3.9" });
  await start("import-catalogue", "import-catalogue-2");
  await until("release-2.3", "asking");
  await client.cancelRun({ params: { run: "release-2.3" } });
  await Promise.all([
    until("nightly-docs-17", "completed", "failed"),
    until("release-2.4", "asking"),
    until("triage-inbox-9", "retrying", "failed"),
    ...TITLES.map((_title, index) => until(`review-pr-${4408 + index}`, "failed")),
  ]);
}
