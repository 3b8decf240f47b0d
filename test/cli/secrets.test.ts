// Plants a secret in every place where one can enter a run, reads every surface that shows something of the run, and finds it on
// none of them. A grid: entries × surfaces × kinds of secret.

import { createServer, type Server } from "node:http";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { openJournal } from "../../src/journal/open-journal.ts";
import { secretsIn } from "../../src/workflow/define.ts";
import { WorkflowWorld } from "./workflow-world.ts";

/** None of them has a recognisable shape. */
const TOKEN = "zebra paints 'Quux' \"at\" noon";
const PIN = 918273645;
const INNER = "marmalade-seven-Oaks";
const KEY = "plainwordskeynobodyknows";
const REGISTERED = "underTheThirdStone";
/** Parts that quoting and escaping do not change. */
const PLANTED = ["zebra paints", "noon", "918273645", ...piecesOf(INNER), KEY, REGISTERED];

/** A cut through the secret would leave one of these. */
function piecesOf(value: string): readonly string[] {
  return Array.from({ length: value.length - 7 }, (_, at) => value.slice(at, at + 8));
}

const ENV = { EAST: KEY, DB_PASSWORD: REGISTERED };
const GIVEN = [
  "--input",
  `token=${TOKEN}`,
  "--input",
  `pin=${PIN}`,
  "--input",
  `card=${JSON.stringify({ holder: { code: INNER }, numbers: [PIN] })}`,
];

const HEAD = `faultline: 1
workflow: { id: planted, version: "1" }
inputs:
  token: { type: string, secret: true }
  pin: { type: integer, secret: true }
  card: { type: object, secret: true }
`;

/** A small program for a command or a tool: it prints its input wherever it can. */
const ECHO = `
const input = process.argv.slice(2).join(" ") + (process.env.READ === undefined ? "" : require("node:fs").readFileSync(0, "utf8"));
console.log(JSON.stringify({ said: input, password: process.env.DB_PASSWORD ?? "" }));
console.error("trace: " + input);
`;

/** The nodes of a workflow, by the place where secrets enter. Failing ones leave files behind. */
const ENTRIES: Readonly<Record<string, string>> = {
  "a transform": `nodes:
  last: { type: transform, value: "({ token: inputs.token, pin: inputs.pin, both: [inputs.token + inputs.pin], card: inputs.card })" }
`,
  "an expression that throws": `nodes:
  last: { type: transform, value: "(() => { throw new Error('no ' + inputs.token + inputs.pin + inputs.card.holder.code) })()" }
`,
  "a condition with no such case": `nodes:
  last: { type: condition, when: "inputs.card.holder.code", cases: { a: end, b: end } }
`,
  "a command": `nodes:
  last: { type: command, run: { from: "['node echo.cjs ' + inputs.card.holder.code + ' ' + inputs.pin]" }, allow: ["node *"] }
`,
  "a command that fails": `nodes:
  last: { type: command, run: { from: "['node fail.cjs ' + inputs.card.holder.code + ' ' + inputs.pin]" }, allow: ["node *"], retry: { max_attempts: 2, initial: 1ms } }
`,
  "a command that is not allowed": `nodes:
  last: { type: command, run: { from: "['rm ' + inputs.card.holder.code + ' ' + inputs.pin]" }, allow: ["node *"] }
`,
  "a tool": `tools:
  say: { command: [node, read.cjs] }
nodes:
  last: { type: tool, tool: say, input: { token: "{{ inputs.token }}", pin: "{{ inputs.pin }}", card: "{{ inputs.card }}" } }
`,
  "a tool that fails": `tools:
  say: { command: [node, readfail.cjs], max_attempts: 2, idempotent: true }
nodes:
  last: { type: tool, tool: say, input: { token: "{{ inputs.token }}", pin: "{{ inputs.pin }}", card: "{{ inputs.card }}" } }
`,
  "a tool that says much and fails": `tools:
  say: { command: [node, muchfail.cjs] }
nodes:
  last: { type: tool, tool: say, input: { token: "{{ inputs.token }}", pin: "{{ inputs.pin }}", card: "{{ inputs.card }}" } }
`,
  "a command that says much and fails": `nodes:
  last: { type: command, run: { from: "['node much.cjs ' + inputs.card.holder.code + ' ' + inputs.pin]" }, allow: ["node *"] }
`,
  "the prompt of a gate": `nodes:
  made: { type: transform, value: "inputs", next: last }
  last: { type: human_gate, ask: Confirm, prompt: "Use {{ inputs.token }} and {{ inputs.pin }} of {{ nodes.made.output.card.holder.code }}?" }
`,
  "a model that answers with it": `agents: { writer: { model: east/gpt-5.5 } }
nodes:
  last: { type: agent, agent: writer, prompt: "Say {{ inputs.token }} {{ inputs.pin }} {{ inputs.card.holder.code }}" }
`,
  "a provider that refuses and says the key": `agents: { writer: { model: east/gpt-5.5, system: refuse } }
nodes:
  last: { type: agent, agent: writer, prompt: "Say {{ inputs.token }} {{ inputs.pin }} {{ inputs.card.holder.code }}" }
`,
};

/** Answers with its prompt, or refuses with its prompt and key. */
async function startProvider(): Promise<string> {
  const server: Server = createServer((request, response) => {
    let body = "";
    request.on("data", (piece: Buffer) => void (body += piece.toString()));
    request.on("end", () => {
      const key = request.headers.authorization?.replace("Bearer ", "") ?? "";
      const told = `you said ${body} with ${key}`;
      if (body.includes("refuse")) {
        response.writeHead(400, { "content-type": "application/json" });
        return response.end(JSON.stringify({ error: { message: told, type: "invalid_request_error", param: null } }));
      }
      response.writeHead(200, { "content-type": "application/json" });
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
      const choices = [{ index: 0, message: { role: "assistant", content: told }, finish_reason: "stop" }];
      return response.end(
        JSON.stringify({ id: "x", object: "chat.completion", created: 1, model: "m", choices, usage }),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return `http://127.0.0.1:${address.port}/v1`;
}

async function planted(entry: string): Promise<WorkflowWorld> {
  const world = new WorkflowWorld();
  world.write("echo.cjs", ECHO);
  world.write("fail.cjs", `${ECHO}\nprocess.exitCode = 3;`);
  world.write("read.cjs", `process.env.READ = "1";\n${ECHO}`);
  world.write("readfail.cjs", `process.env.READ = "1";\n${ECHO}\nprocess.exitCode = 3;`);
  // The secret repeated, so that anything that keeps only a head or a tail cuts through it.
  const much =
    'const much = Array(9000).fill(input.match(/marma[a-z-]+Oaks/)[0]).join("."); console.log(much); console.error(much); process.exitCode = 3;';
  world.write("much.cjs", `${ECHO}\n${much}`);
  world.write("muchfail.cjs", `process.env.READ = "1";\n${ECHO}\n${much}`);
  const url = await startProvider();
  const providers = `providers: { east: { type: openai-compatible, base_url: "${url}", api_key_env: EAST } }\n`;
  world.write("planted.yaml", `${HEAD}${entry.includes("east/") ? providers : ""}${entry}`);
  return world;
}

function filesUnder(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

/** Everything visible, by name. */
async function surfacesOf(world: WorkflowWorld): Promise<ReadonlyMap<string, string>> {
  const journal = world.path("runs.db");
  const file = world.path("planted.yaml");
  const shown = new Map<string, string>();
  const look = async (...args: readonly string[]): Promise<void> => {
    const { stdout, stderr } = await world.call(args, { env: ENV });
    shown.set(args.join(" ").replaceAll(world.folder, "."), stdout + stderr);
  };
  await look("workflow", "run", file, "--run", "plain", "--no-wait", ...GIVEN);
  shown.set("workflow run", [...shown.values()][0] ?? "");
  for (const name of [...shown.keys()]) if (name.includes("token=")) shown.delete(name);
  const json = await world.call(["workflow", "run", file, "--run", "json", "--no-wait", ...GIVEN, "--json"], {
    env: ENV,
  });
  shown.set("workflow run --json", json.stdout + json.stderr);
  const lines = await world.call(["workflow", "run", file, "--run", "lines", "--no-wait", ...GIVEN, "--jsonl"], {
    env: ENV,
  });
  shown.set("workflow run --jsonl", lines.stdout + lines.stderr);
  // From here on as another process would see it, with another environment.
  const elsewhere = async (...args: readonly string[]): Promise<void> => {
    const { stdout, stderr } = await world.call(args);
    shown.set(args.join(" ").replaceAll(world.folder, "."), stdout + stderr);
  };
  await elsewhere("runs", "list");
  await elsewhere("runs", "list", "--json");
  await elsewhere("runs", "show", "plain");
  await elsewhere("runs", "show", "plain", "--json");
  for (const format of ["jsonl", "cloudevents"]) await elsewhere("runs", "export", "plain", "--format", format);
  await elsewhere("runs", "export", "plain", "--format", "bundle", "--out", world.path("bundle"));
  await elsewhere("journal", "sessions", journal, "--json");
  await elsewhere("journal", "show", journal, "plain");
  await elsewhere("journal", "show", journal, "plain", "--json");
  await elsewhere("journal", "export", journal, "plain");
  await elsewhere("journal", "questions", journal);
  await elsewhere("journal", "questions", journal, "--json");
  const retried = await world.call(["runs", "retry", "plain", "--json"], { env: ENV });
  shown.set("runs retry", retried.stdout + retried.stderr);
  await elsewhere("runs", "show", "last", "--json");
  // Everything on disk except the store itself.
  for (const path of filesUnder(world.folder)) {
    if (/runs\.db(-wal|-shm)?$|\.cjs$/.test(path)) continue;
    shown.set(path.replace(world.folder, "."), readFileSync(path, "utf8"));
  }
  const store = await openJournal(journal);
  for (const { session } of await store.sessions()) {
    let text = "";
    for await (const entry of store.read(session)) text += JSON.stringify(entry);
    shown.set(`entries of ${session}`, text);
  }
  for (const kind of ["question", "run", "snapshot", "incident"] as const) {
    shown.set(`kept: ${kind}`, JSON.stringify(await store.keptAll(kind)));
  }
  await store.close();
  return shown;
}

describe("a secret that enters through", () => {
  it.each(Object.entries(ENTRIES))("%s is on no surface", async (_name, entry) => {
    const world = await planted(entry);
    const shown = await surfacesOf(world);
    expect(shown.size).toBeGreaterThan(20);
    const leaks = [...shown].flatMap(([surface, text]) => {
      const lower = text.toLowerCase();
      return PLANTED.map((value) => lower.indexOf(value.toLowerCase()))
        .filter((at) => at !== -1)
        .map((at) => `${surface}: ${text.slice(Math.max(0, at - 80), at + 40)}`);
    });
    expect(leaks).toEqual([]);
    // The secret did arrive where it is used: otherwise a run that never had it would pass too.
    expect(shown.get("workflow run")).not.toContain("is missing");
    expect([...shown.values()].join("")).toContain("[redacted]");
  });

  it("reaches the command it is meant for, also in a successor run", async () => {
    const world = await planted(`nodes:
  kept: { type: transform, value: "inputs.token.length", next: last }
  last: { type: command, run: { from: "['node keep.cjs ' + inputs.card.holder.code + ' ' + inputs.pin]" }, allow: ["node *"] }
`);
    world.write(
      "keep.cjs",
      `require("node:fs").appendFileSync("got.txt", process.argv.slice(2).join(" ") + "\\n"); process.exitCode = 1;`,
    );
    await world.call(["workflow", "run", world.path("planted.yaml"), "--run", "first", "--no-wait", ...GIVEN]);
    await world.call(["runs", "retry", "first"]);
    expect(world.read("got.txt")).toBe(`${INNER} ${PIN}\n${INNER} ${PIN}\n`);
  });
});

it("recognises variables that hold secrets, and does not take the working folder for a password", () => {
  const env = {
    PWD: "/home/me/project",
    OLDPWD: "/home/me",
    DB_PWD: "one",
    DB_PASSWORD: "two",
    OPENAI_API_KEY: "three",
  };
  expect(secretsIn(env)).toEqual(["one", "two", "three"]);
});
