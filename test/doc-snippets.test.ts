// Every snippet in the pages works: TypeScript type-checks and runs, JavaScript and Python run, YAML is loaded and used, shell commands run,
// and JSON is what the command before it prints. What cannot run here is listed in one table with its reason.

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startGateway } from "../src/gateway/start-gateway.ts";
import { parseGateway } from "../src/gateway/config/parse-gateway.ts";
import { createFaultline } from "../src/index.ts";
import { parsePolicy } from "../src/policy-file/index.ts";
import { startChaos } from "../src/testing/index.ts";
import { parseToolManifests } from "../src/tool-file/index.ts";
import { createWorkflows } from "../src/workflow/workflows.ts";
import {
  LINES_NOT_RUN,
  LINES_RUN_ONCE,
  LINES_THAT_FAIL,
  RUN_ELSEWHERE,
  SYSTEM_PROGRAMS,
} from "./doc-snippets/not-run.ts";
import { ROOT, type Snippet, SNIPPETS, snippetsIn } from "./doc-snippets/pages.ts";
import { commandsIn, MARK, ranBefore, scriptOf } from "./doc-snippets/shell-script.ts";
import { endServers, type ReaderWorld, startReaderWorld } from "./doc-snippets/world.ts";
import { startWorld } from "./server/world.ts";
import { freePorts } from "./support/free-ports.ts";

let world: ReaderWorld;
beforeAll(async () => {
  world = await startReaderWorld();
}, 120_000);
afterAll(() => world.close());

/** Languages that run; the others are output, and settings of other tools. */
const RUN = ["bash", "js", "json", "python", "sh", "ts", "yaml"];
const SHOWN = ["", "text"];

const runHere = (snippet: Snippet): boolean => !RUN_ELSEWHERE.some((row) => isRow(row, snippet));

function isRow(row: (typeof RUN_ELSEWHERE)[number], { page, language, file }: Snippet): boolean {
  return row.page === page && row.language === language && (row.files !== true || file !== null);
}

describe("the table of what does not run here", () => {
  const commands = snippetsIn("sh").flatMap(commandsIn);

  it("leaves no snippet out: each is in a language that runs, or in one that only shows something", () => {
    expect(SNIPPETS.filter(({ language }) => ![...RUN, ...SHOWN].includes(language))).toEqual([]);
    for (const language of ["sh", "ts", "yaml"]) expect(snippetsIn(language).length, language).toBeGreaterThan(5);
    expect(snippetsIn("bash").filter(runHere), "there is no runner for bash here").toEqual([]);
  });

  it.each([...LINES_NOT_RUN, ...LINES_THAT_FAIL].map(([line]) => line))("needs its row for %s", (line) => {
    expect(commands.filter((command) => line.test(command))).not.toEqual([]);
  });

  it.each(LINES_RUN_ONCE)("runs %s on one page, and leaves it to that page on others", (line) => {
    const has = snippetsIn("sh").flatMap((snippet) =>
      commandsIn(snippet).flatMap((command) => (line.test(command) ? [ranBefore(command, snippet.page)] : [])),
    );
    expect(has).toContain(null);
    expect(has.filter((needs) => needs !== null)).not.toEqual([]);
  });

  it.each(RUN_ELSEWHERE)("names a test that runs the snippets of $page", (row) => {
    expect(SNIPPETS.filter((snippet) => isRow(row, snippet))).not.toEqual([]);
    expect(existsSync(join(ROOT, row.test))).toBe(true);
  });
});

/** What a snippet may use without showing where it comes from. */
const GIVEN: Readonly<Record<string, string>> = {
  fl: 'const fl = (await import("faultline")).createFaultline();',
  model: 'const model = (await import("@ai-sdk/openai")).openai("gpt-5");',
  messages: 'const messages: import("ai").ModelMessage[] = [{ role: "user", content: "Where is Lisbon?" }];',
  agent:
    'const agent = (await import("faultline")).createFaultline().agent([(await import("faultline")).cli("claude")]);',
  prompt: 'const prompt: string = "Where is Lisbon?";',
};

/** Calls of the functions that a snippet only declares. */
const CALLS: readonly (readonly [declared: string, call: string])[] = [
  [
    "function handler(",
    'if ((await handler({ question: "Where is Lisbon?" })).status !== 200) throw new Error("no answer");',
  ],
  [
    "function ask(files",
    `const { connectMcp } = await import("faultline/mcp");
const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
const transport = () => new StdioClientTransport({ command: "my-file-server", stderr: "pipe" });
const connection = await connectMcp(fl, { name: "files", transport });
await ask(connection, "What does plan.md say?");
await connection.close();`,
  ],
];

function wholeModule(text: string): string {
  const calls = CALLS.filter(([declared]) => text.includes(declared)).map(([, call]) => call);
  const body = [text, ...calls].join("\n");
  const given = Object.entries(GIVEN).filter(
    ([name]) =>
      new RegExp(`\\b${name}\\b`).test(body) && !new RegExp(`(?:const|let) (?:\\{[^}]*)?\\b${name}\\b`).test(body),
  );
  return [...given.map(([, line]) => line), body, "export {};", ""].join("\n");
}

const EXAMPLE = /^ +\* @example\n +\* ```ts\n([\s\S]*?)^ +\* ```/gm;

/** The examples in the comments of the source, as editors show them. */
function examplesInSource(): readonly (readonly [place: string, text: string])[] {
  const files = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => {
      const content = readFileSync(join(ROOT, "src", file), "utf8");
      expect(content.match(/\* @example$/gm)?.length, `${file}: an example is TypeScript`).toBe(
        content.match(EXAMPLE)?.length,
      );
      return Array.from(content.matchAll(EXAMPLE), (match) => {
        const line = content.slice(0, match.index).split("\n").length;
        return [`src/${file}:${line}`, (match[1] ?? "").replaceAll(/^ +\* ?/gm, "")] as const;
      });
    });
}

const COMPILER_OPTIONS = {
  strict: true,
  noEmit: true,
  target: "esnext",
  module: "nodenext",
  allowImportingTsExtensions: true,
  skipLibCheck: true,
  types: ["node"],
};

describe("TypeScript snippets", () => {
  const snippets = snippetsIn("ts");
  const modules = snippets.filter(runHere);

  it("call every function that they only declare", () => {
    const declared = modules.flatMap(({ place, text }) =>
      Array.from(text.matchAll(/^(?:export )?(?:async )?function (\w+)/gm), ([, name = ""]) => ({ place, text, name })),
    );
    expect(declared.length).toBeGreaterThan(0);
    for (const { place, text, name } of declared) {
      expect(wholeModule(text).split(`${name}(`).length, `${place} ${name}`).toBeGreaterThan(2);
    }
  });

  it("type-check in a project that has the package installed", () => {
    const examples = examplesInSource();
    expect(examples.length).toBeGreaterThan(15);
    const folder = join(world.folder, "types");
    mkdirSync(folder);
    const checked = [...snippets.map(({ place, text }) => [place, text] as const), ...examples];
    for (const [place, text] of checked)
      writeFileSync(join(folder, `${place.replaceAll(/[/:]/g, "_")}.ts`), wholeModule(text));
    for (const { file, text } of snippets) if (file !== null) writeFileSync(join(folder, file), text);
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions: COMPILER_OPTIONS, include: ["*.ts"] }),
    );
    const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
    expect(
      spawnSync(process.execPath, [tsc, "--singleThreaded", "-p", folder], { cwd: folder, encoding: "utf8" }).stdout,
    ).toBe("");
  });

  it(
    "run to their end, and print what their comments say; so do the examples for editors",
    { timeout: 120_000 },
    async () => {
      const server = await startWorld();
      const examples = examplesInSource().map(([place, text]) => ({ place, text }));
      const jobs = [...modules, ...examples].map(({ place, text }) => {
        const folder = world.newFolder(place);
        const file = join(folder, "snippet.ts");
        writeFileSync(file, world.here(wholeModule(text)).replaceAll("http://127.0.0.1:7431", server.url));
        return { place, text, folder, file };
      });
      const { stdout, stderr } = await world.run(
        process.execPath,
        [join(ROOT, "test/fixtures/run-snippets.mjs")],
        world.folder,
        {
          stdin: jobs.map(({ folder, file }) => `${JSON.stringify({ folder, file })}\n`).join(""),
          env: { FAULTLINE_TOKEN: server.tokens.operator },
        },
      );
      const results = stdout
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as { readonly printed: string; readonly error: string | null });
      const failed = jobs.flatMap(({ place, text }, index) => {
        const { printed = "", error = `did not run: ${stderr}` } = results[index] ?? {};
        if (error !== null) return [`${place}: ${error}`];
        const promised = Array.from(text.matchAll(/console\.log\(.*\); \/\/ ([\w-]+)/g), ([, word = ""]) => word);
        return promised.filter((word) => !printed.includes(word)).map((word) => `${place}: did not print ${word}`);
      });
      expect(failed).toEqual([]);
    },
  );
});

describe("YAML snippets are loaded and used", () => {
  const WORKFLOW_HEAD = 'faultline: 1\nworkflow: { id: part, version: "1" }\n';
  const GATEWAY_HEAD = `version: 1
targets: { a: { dialect: openai-chat, base_url: https://a.example/v1, api_key_env: OPENAI_API_KEY, region: eu } }
routes: { "claude-*": { chain: [a/gpt-5] } }
`;

  const USES: readonly (readonly [kind: RegExp, use: (text: string, place: string) => Promise<void>])[] = [
    [
      /^rules:/m,
      async (text) => {
        const chaos = await startChaos({ scenario: text });
        await chaos.close();
      },
    ],
    [
      /^(?:routes|keys|targets):/m,
      async (text) => {
        const whole = /^targets:/m.test(text) ? text : `${GATEWAY_HEAD}${text}`;
        const { settings, diagnostics } = parseGateway(whole, "gateway", world.env);
        expect(diagnostics).toEqual([]);
        if (settings === null) return;
        const faultline = createFaultline();
        const started = await startGateway(faultline, settings, { host: "127.0.0.1", port: 0 }, {});
        await started.close();
        await faultline.close();
      },
    ],
    [
      /^rows:/m,
      async (text) => {
        const { policy, diagnostics } = parsePolicy(text, "policy");
        expect(diagnostics).toEqual([]);
        if (policy !== null) await createFaultline({ policy }).close();
      },
    ],
    [
      /^tools?:\n {2}(?:-|id:)/m,
      async (text) => {
        const { manifests, diagnostics } = parseToolManifests(text, "tools");
        expect(diagnostics).toEqual([]);
        if (manifests !== null) await createFaultline({ manifests }).close();
      },
    ],
    [
      /^(?:journal|gateway): /m,
      async (text) => {
        const folder = world.newFolder("config");
        writeFileSync(join(folder, "faultline.config.yaml"), text);
        const { stdout, code } = await world.run("faultline", ["config", "--show-origin"], folder);
        expect([code, stdout.match(/faultline\.config\.yaml/g)?.length]).toEqual([0, text.trim().split("\n").length]);
      },
    ],
    [
      /^(?:faultline|nodes):/m,
      async (text, place) => {
        const folder = world.newFolder(place);
        const file = join(folder, "snippet.faultline.yaml");
        const provider = `providers: { openai: { base_url: "${world.chaos.openaiUrl}", api_key_env: OPENAI_API_KEY } }\n`;
        const whole = /^faultline:/m.test(text) ? text : `${WORKFLOW_HEAD}${text}`;
        writeFileSync(file, whole.includes("model: openai/") ? `${whole}${provider}` : whole);
        writeFileSync(join(folder, "deploy.sh"), "#!/bin/sh\n", { mode: 0o755 });
        const workflows = createWorkflows({ env: world.env });
        const { workflow, diagnostics } = await workflows.file(file);
        expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
        if (workflow === null) return;
        const inputs = whole.includes("inputs:") ? { task: "Fix slugify" } : {};
        const run = await workflows.runs.start(workflow, { inputs });
        expect((await workflows.runs.advance(run)).status).toBe("completed");
        await workflows.close();
      },
    ],
  ];

  it.each(snippetsIn("yaml").filter(runHere))("$place", async ({ place, text }) => {
    const [, use] = USES.find(([kind]) => kind.test(text)) ?? [];
    expect(use).toBeDefined();
    await use?.(text, place);
  });
});

describe("JavaScript snippets", () => {
  it.each(snippetsIn("js").filter(runHere))(
    "$place runs, and computes what its comments say",
    async ({ place, text }) => {
      const folder = world.newFolder(place);
      mkdirSync(join(folder, "node_modules"));
      symlinkSync(join(folder, "your-repository"), join(folder, "node_modules", "split-bill"));
      const compared = text.replaceAll(/^(.+); \/\/ (\[.*\])$/gm, "assert.deepEqual($1, $2);");
      writeFileSync(join(folder, "snippet.mjs"), `import assert from "node:assert";\n${compared}`);
      expect(await world.run(process.execPath, ["snippet.mjs"], folder)).toMatchObject({ code: 0, stderr: "" });
    },
  );
});

describe("JSON snippets", () => {
  /** The names in a value, without its values. */
  const shapeOf = (value: unknown): unknown =>
    typeof value !== "object" || value === null
      ? typeof value
      : Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shapeOf(one)]));

  it.each(snippetsIn("json"))(
    "$place has the fields that the command before it prints",
    async ({ place, page, text }) => {
      const before = SNIPPETS.slice(
        0,
        SNIPPETS.findIndex((one) => one.place === place),
      );
      const command = before.findLast((one) => one.page === page && one.language === "sh")?.text ?? "";
      const { code, stdout } = await world.run("bash", ["-c", command], world.newFolder(place));
      expect([code, shapeOf(JSON.parse(stdout))]).toEqual([0, shapeOf(JSON.parse(text))]);
    },
  );
});

describe("Python snippets", () => {
  const lacks = spawnSync("python3", ["-c", "import anthropic, openai"]).status !== 0;

  it.for(snippetsIn("python").filter(runHere))("$place", { timeout: 60_000 }, async ({ place, text }, { skip }) => {
    skip(lacks, "needs python3 with the packages openai and anthropic");
    const folder = world.newFolder(place);
    const file = readFileSync(join(folder, "gateway.faultline.yaml"), "utf8");
    const { settings } = parseGateway(file, "gateway", world.env);
    const faultline = createFaultline();
    const gateway = await startGateway(faultline, settings ?? expect.fail("docs/GATEWAY.md has no gateway"), {
      host: "127.0.0.1",
      port: 0,
    });
    // Each client's first request fails once behind the gateway.
    world.chaos.script(["overloaded", "ok", "overloaded", "ok"]);
    writeFileSync(join(folder, "client.py"), text.replaceAll("http://127.0.0.1:7430", gateway.url));
    const { code, stdout, stderr } = await world.run("python3", ["client.py"], folder);
    await gateway.close();
    await faultline.close();
    expect([code, stdout.match(/Where is Lisbon\?/g)?.length, stderr]).toEqual([0, 2, ""]);
  });
});

describe("shell snippets run, page by page", () => {
  const snippets = snippetsIn("sh").filter(runHere);
  const pages = [...new Set(snippets.map(({ page }) => page))];

  const missing = Object.entries(SYSTEM_PROGRAMS).flatMap(([program, args]) =>
    spawnSync(program, args).status === 0 ? [] : [program],
  );

  it.for(pages)("%s", { timeout: 120_000 }, async (page, { skip }) => {
    const own = snippets.filter((one) => one.page === page);
    const text = own.map((one) => one.text).join("\n");
    const lacks = missing.filter((program) => text.includes(program));
    skip(lacks.length > 0, `needs ${lacks.join(", ")}`);
    const folder = world.newFolder(`sh-${page}`);
    const servers = join(world.folder, `servers-${page.replaceAll(/\W/g, "_")}`);
    mkdirSync(servers);
    const [chaos = 0, gateway = 0, serve = 0] = await freePorts(3);
    const ports = { 7429: chaos, 7430: gateway, 7431: serve };
    const script = world.here(scriptOf(own), ports);
    const { code, stdout, stderr } = await world.run("bash", ["-c", script], folder, {
      env: {
        READER: folder,
        SERVERS: servers,
        PORT_chaos: String(chaos),
        PORT_gateway: String(gateway),
        PORT_serve: String(serve),
        FAULTLINE_URL: `http://127.0.0.1:${serve}`,
      },
    });
    const pids = readdirSync(servers).filter((name) => name.endsWith(".pid"));
    endServers(servers, pids);
    const last = stderr.slice(stderr.lastIndexOf(MARK));
    expect(code, `${last}\n${stdout.slice(-2_000)}`).toBe(0);
  });
});
