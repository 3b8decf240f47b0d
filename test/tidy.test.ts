// Rules that matter are tests: who may import whom, what core may not touch, what belongs in one place only.

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { FAULT_CODES } from "../src/core/index.ts";
import { ACTION_IDS } from "../src/core/flow/action.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SOURCES = filesIn("src").filter((file) => file.endsWith(".ts"));

function filesIn(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .filter((file) => !file.includes("/node_modules/"));
}

function textOf(file: string): string {
  return readFileSync(join(ROOT, file), "utf8");
}

/** Code without comments and strings, so that prose about a rule does not break it. */
function codeOf(file: string): string {
  return textOf(file)
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/(?<!["'`:\\])\/\/.*$/gm, "")
    .replace(/"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g, '""');
}

interface Import {
  readonly from: string;
  readonly to: string;
  readonly isType: boolean;
}

function importsOf(file: string): readonly Import[] {
  // The examples in comments import the package itself.
  const code = textOf(file).replaceAll(/^ *\/\*\*$[^]*?\*\/$/gm, "");
  const found = code.matchAll(/^(?:import|export)\s+(type\s)?[^;]*?from\s+"([^"]+)";/gms);
  const dynamic = textOf(file).matchAll(/\b(?:import|getBuiltinModule)\("([^"]+)"\)/g);
  const at = (target: string): string =>
    target.startsWith(".") ? relative(ROOT, resolve(ROOT, dirname(file), target)).replaceAll("\\", "/") : target;
  return [
    ...Array.from(found, ([, type, target = ""]) => ({ from: file, to: at(target), isType: type !== undefined })),
    ...Array.from(dynamic, ([, target = ""]) => ({ from: file, to: at(target), isType: false })),
  ];
}

/** The part of the tree a file belongs to, longest prefix first. */
const PARTS = [
  "src/core/fault",
  "src/core/classify",
  "src/core/policy",
  "src/core/decide",
  "src/core/flow",
  "src/core/record",
  "src/core",
  "src/host",
  "src/error-classifier",
  "src/options",
  "src/yaml-file",
  "src/policy-file",
  "src/tool-file",
  "src/schema",
  "src/journal",
  "src/telemetry",
  "src/runtime",
  "src/chaos",
  "src/provider",
  "src/mcp",
  "src/agent",
  "src/sandbox",
  "src/workflow-file",
  "src/workflow-model",
  "src/workflow",
  "src/gateway",
  "src/testing",
  "src/api",
  "src/client",
  "src/server",
  "src/cli",
  "src",
] as const;
type Part = (typeof PARTS)[number];

const CORE = [
  "src/core",
  "src/core/fault",
  "src/core/classify",
  "src/core/policy",
  "src/core/decide",
  "src/core/flow",
  "src/core/record",
] as const;

const MAY_IMPORT: Readonly<Record<Part, readonly Part[]>> = {
  "src/core/fault": ["src/core"],
  "src/core/classify": ["src/core", "src/core/fault"],
  "src/core/policy": ["src/core", "src/core/fault", "src/core/classify"],
  "src/core/decide": ["src/core", "src/core/fault", "src/core/policy"],
  "src/core/flow": ["src/core", "src/core/fault", "src/core/policy", "src/core/decide"],
  "src/core/record": ["src/core", "src/core/fault", "src/core/policy", "src/core/decide", "src/core/flow"],
  "src/core": CORE,
  "src/host": [],
  "src/error-classifier": ["src/core/fault"],
  "src/options": ["src/core/fault"],
  "src/yaml-file": ["src/core", "src/options"],
  "src/policy-file": ["src/core", "src/yaml-file"],
  "src/tool-file": ["src/core", "src/yaml-file"],
  "src/schema": ["src/core"],
  "src/journal": [...CORE, "src/host", "src/options"],
  "src/telemetry": [...CORE, "src/host"],
  "src/runtime": [...CORE, "src/host", "src/journal", "src/options", "src/schema", "src/telemetry"],
  "src/chaos": [...CORE, "src/host", "src/options", "src/yaml-file"],
  "src/provider": [...CORE, "src/host", "src/options", "src/schema", "src/runtime", "src/telemetry"],
  "src/mcp": [...CORE, "src/host", "src/options", "src/schema", "src/runtime", "src/telemetry"],
  "src/agent": [...CORE, "src/host", "src/options", "src/journal", "src/runtime", "src/telemetry"],
  "src/sandbox": [...CORE, "src/host"],
  "src/workflow-file": [
    ...CORE,
    "src/host",
    "src/options",
    "src/yaml-file",
    "src/policy-file",
    "src/tool-file",
    "src/schema",
    "src/sandbox",
    "src/workflow-model",
    "src/agent",
  ],
  "src/workflow-model": [
    ...CORE,
    "src",
    "src/host",
    "src/runtime",
    "src/provider",
    "src/agent",
    "src/sandbox",
    "src/schema",
  ],
  "src/workflow": [
    ...CORE,
    "src",
    "src/host",
    "src/journal",
    "src/options",
    "src/schema",
    "src/runtime",
    "src/telemetry",
    "src/provider",
    "src/mcp",
    "src/agent",
    "src/sandbox",
    "src/workflow-model",
    "src/workflow-file",
    "src/yaml-file",
    "src/policy-file",
    "src/tool-file",
  ],
  "src/gateway": [
    ...CORE,
    "src",
    "src/host",
    "src/options",
    "src/yaml-file",
    "src/journal",
    "src/runtime",
    "src/telemetry",
    "src/provider",
  ],
  "src/testing": [...CORE, "src/host", "src/journal", "src/runtime", "src/chaos", "src"],
  "src/api": [...CORE, "src/runtime"],
  "src/client": ["src/api"],
  "src/server": [
    ...CORE,
    "src",
    "src/api",
    "src/gateway",
    "src/host",
    "src/journal",
    "src/options",
    "src/runtime",
    "src/workflow",
    "src/workflow-model",
    "src/workflow-file",
    "src/policy-file",
    "src/tool-file",
    "src/yaml-file",
    "src/telemetry",
  ],
  "src/cli": [
    "src",
    "src/api",
    "src/server",
    "src/core",
    "src/core/fault",
    "src/core/decide",
    "src/core/flow",
    "src/core/record",
    "src/host",
    "src/options",
    "src/yaml-file",
    "src/policy-file",
    "src/tool-file",
    "src/journal",
    "src/runtime",
    "src/chaos",
    "src/agent",
    "src/workflow",
    "src/workflow-model",
    "src/workflow-file",
    "src/gateway",
  ],
  "src": [
    "src/core",
    "src/host",
    "src/options",
    "src/journal",
    "src/runtime",
    "src/schema",
    "src/provider",
    "src/agent",
  ],
};

const MAY_DEPEND: Readonly<Record<Part, readonly string[]>> = {
  "src/core/fault": [],
  "src/core/classify": [],
  "src/core/policy": [],
  "src/core/decide": [],
  "src/core/flow": [],
  "src/core/record": [],
  "src/core": [],
  "src/host": [
    "node:crypto",
    "node:fs",
    "node:path",
    "node:url",
    "node:fs/promises",
    "node:http",
    "node:net",
    "node:os",
    "node:util",
  ],
  "src/error-classifier": [],
  "src/options": ["fastest-levenshtein"],
  "src/yaml-file": ["zod", "yaml", "get-east-asian-width"],
  "src/policy-file": ["zod", "yaml"],
  "src/tool-file": ["zod"],
  "src/schema": [
    "@standard-schema/spec",
    "ajv",
    "ajv/dist/2019.js",
    "ajv/dist/2020.js",
    "ajv-formats",
    "node:module",
    "node:vm",
  ],
  "src/journal": [
    "pg",
    "aws4fetch",
    "node:async_hooks",
    "node:buffer",
    "node:sqlite",
    "node:crypto",
    "node:fs",
    "node:fs/promises",
    "node:path",
    "node:string_decoder",
    "node:url",
  ],
  "src/runtime": [
    "@standard-schema/spec",
    "@clack/prompts",
    "node:async_hooks",
    "node:crypto",
    "node:stream",
    "node:util",
  ],
  "src/telemetry": ["@opentelemetry/api", "node:diagnostics_channel", "node:module"],
  "src/chaos": ["node:http", "node:net", "node:crypto", "zod"],
  "src/provider": ["@ai-sdk/provider", "eventsource-parser"],
  "src/mcp": [
    "@modelcontextprotocol/sdk/client/index.js",
    "@modelcontextprotocol/sdk/shared/transport.js",
    "@modelcontextprotocol/sdk/types.js",
  ],
  "src/agent": ["execa", "node:fs", "node:fs/promises", "node:os", "node:path", "node:stream"],
  "src/sandbox": ["quickjs-emscripten-core", "@jitl/quickjs-singlefile-mjs-release-sync"],
  "src/workflow-file": ["zod", "yaml"],
  "src/workflow-model": [
    "@ai-sdk/provider",
    "@ai-sdk/openai",
    "@ai-sdk/anthropic",
    "@ai-sdk/google",
    "@ai-sdk/openai-compatible",
  ],
  "src/workflow": [
    "@ai-sdk/provider",
    "@modelcontextprotocol/sdk/client/index.js",
    "@modelcontextprotocol/sdk/client/stdio.js",
    "@modelcontextprotocol/sdk/client/streamableHttp.js",
    "@modelcontextprotocol/sdk/shared/transport.js",
    "@restatedev/restate-sdk",
    "node:events",
    "node:fs",
    "node:fs/promises",
    "node:http2",
    "node:net",
    "node:path",
  ],
  "src/gateway": [
    "@ai-sdk/provider",
    "@ai-sdk/openai",
    "@ai-sdk/anthropic",
    "@ai-sdk/google",
    "undici",
    "zod",
    "yaml",
    "node:crypto",
    "node:http",
    "node:net",
    "node:zlib",
  ],
  "src/testing": ["vitest"],
  "src/api": ["zod"],
  "src/client": ["eventsource-parser"],
  "src/server": [
    "@hono/node-server",
    "node:child_process",
    "hono",
    "zod",
    "node:crypto",
    "node:fs/promises",
    "node:http",
    "node:net",
    "node:path",
    "node:stream",
    "node:fs",
    "node:zlib",
  ],
  "src/cli": [
    "commander",
    "diff",
    "zod",
    "fastest-levenshtein",
    "node:child_process",
    "node:fs",
    "node:fs/promises",
    "node:module",
    "node:os",
    "node:path",
    "node:perf_hooks",
    "node:stream",
    "node:url",
    "node:util",
    "node:v8",
  ],
  "src": ["@ai-sdk/provider"],
};

function partOf(file: string): Part {
  const part = PARTS.find((prefix) => file.startsWith(`${prefix}/`));
  if (part === undefined) throw new Error(`${file} belongs to no part: add it to PARTS`);
  return part;
}

function expectNoRing(edges: ReadonlyMap<string, ReadonlySet<string>>): void {
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (node: string): void => {
    if (done.has(node)) return;
    expect(path, `ring: ${[...path, node].join(" → ")}`).not.toContain(node);
    path.push(node);
    edges.get(node)?.forEach(visit);
    path.pop();
    done.add(node);
  };
  for (const node of edges.keys()) visit(node);
}

describe("imports", () => {
  it.each(SOURCES)("%s imports only what its part may", (file) => {
    const own = partOf(file);
    for (const { to } of importsOf(file)) {
      if (!to.startsWith("src/")) expect(MAY_DEPEND[own], `${file} depends on ${to}`).toContain(to);
      else if (partOf(to) !== own) expect(MAY_IMPORT[own], `${file} imports ${to}`).toContain(partOf(to));
    }
  });

  const sourcesImportedBy = (file: string): readonly string[] =>
    importsOf(file)
      .map(({ to }) => to)
      .filter((to) => to.startsWith("src/"));

  it("form no ring of files, not even of types", () => {
    expectNoRing(new Map(SOURCES.map((file) => [file, new Set(sourcesImportedBy(file))])));
  });

  it("form no ring of folders", () => {
    const edges = new Map<string, Set<string>>();
    // The rooms of core are held in order by their boundaries above.
    const folderOf = (file: string): string => /^src\/[^/]+(?=\/)/.exec(file)?.[0] ?? "src";
    for (const file of SOURCES) {
      const from = folderOf(file);
      const to = edges.get(from) ?? new Set<string>();
      edges.set(from, to);
      for (const imported of sourcesImportedBy(file)) if (folderOf(imported) !== from) to.add(folderOf(imported));
    }
    expectNoRing(edges);
  });

  it("reach every file: nothing lies around unused", () => {
    expect(filesIn("src").filter((file) => !file.endsWith(".ts"))).toEqual([]);
    const { bin, exports: doorsOf } = JSON.parse(textOf("package.json")) as {
      readonly bin: Readonly<Record<string, string>>;
      readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
    };
    const doors = [
      ...Object.values(bin),
      ...Object.values(doorsOf).map((to) => (typeof to === "string" ? to : to.default)),
    ]
      .filter((path) => path.endsWith(".js"))
      .map((path) => path.replace("./dist/", "src/").replace(/\.js$/, ".ts"));
    expect(doors.length).toBeGreaterThan(10);
    const reached = new Set<string>();
    const visit = (file: string): void => {
      if (reached.has(file)) return;
      reached.add(file);
      importsOf(file).forEach(({ to }) => {
        if (to.startsWith("src/")) visit(to);
      });
    };
    doors.forEach(visit);
    expect(SOURCES.filter((file) => !reached.has(file))).toEqual([]);
  });

  it("use the real file name, and no door re-exports a whole module", () => {
    for (const file of SOURCES) {
      for (const { to } of importsOf(file))
        if (to.startsWith("src/")) expect(SOURCES, `${file} imports ${to}`).toContain(to);
      expect(codeOf(file), file).not.toMatch(/export \* from/);
    }
  });
});

describe("names", () => {
  it("an exported type name means one thing in all of src", () => {
    const places = new Map<string, string[]>();
    for (const file of SOURCES) {
      for (const [, name = ""] of textOf(file).matchAll(
        /^export (?:declare )?(?:abstract )?(?:interface|type|class) (\w+)/gm,
      ))
        places.set(name, [...(places.get(name) ?? []), file]);
    }
    expect(places.size).toBeGreaterThan(700);
    expect([...places].filter(([, files]) => files.length > 1)).toEqual([]);
  });
});

interface Ban {
  readonly call: RegExp;
  /** Comments and strings count too. */
  readonly inComments?: true;
  readonly instead: string;
  readonly where: RegExp;
  readonly except: readonly string[];
}

const BANNED: readonly Ban[] = [
  {
    call: /\bDate\.now\(|new Date\(\)|performance\.now\(|process\.uptime\(/,
    instead: "an argument, or the Clock of src/host/clock.ts",
    where: /^src\//,
    except: ["src/host/clock.ts"],
  },
  {
    call: /\bMath\.random\(|randomUUID|getRandomValues/,
    instead: "the Chance of src/host/chance.ts",
    where: /^src\//,
    // A page has no host.
    except: ["src/host/chance.ts", "src/client/client.ts"],
  },
  {
    call: /\bset(?:Timeout|Interval|Immediate)\(/,
    instead: "the Clock of src/host/clock.ts",
    where: /^src\//,
    except: ["src/host/clock.ts", "src/client/event-stream.ts"],
  },
  {
    call: /\basync\b|\bawait\b|\bPromise\b/,
    instead: "a plain value: core decides, it does not wait",
    where: /^src\/core\//,
    except: [],
  },
  { call: /\bprocess\.|\brequire\(|\bfetch\(|\bconsole\./, instead: "an argument", where: /^src\/core\//, except: [] },
  { call: /\bconsole\./, instead: "the Io of src/cli/io.ts", where: /^src\//, except: [] },
  {
    call: /\\(?:u001b|x1b|e\[|033)|\bstyleText\(/,
    inComments: true,
    instead: "src/cli/render",
    where: /^src\/(?!core\/)/,
    except: [
      "src/cli/render/live-screen.ts",
      "src/cli/render/paint.ts",
      "src/agent/parse/without-colours.ts", // takes escape codes away
      "src/runtime/person/terminal-screen.ts", // draws a prompt without the command line
    ],
  },
  {
    call: /\bcatch\b/,
    instead: "tryRead() of src/core/try-read.ts",
    where: /^src\/core\//,
    except: ["src/core/try-read.ts"],
  },
  {
    call: /\bas any\b|: any\b|@ts-ignore|@ts-expect-error|(?:ox|es)lint-disable/,
    inComments: true,
    instead: "a type that tells the truth",
    // A type test says with `@ts-expect-error` what must not compile.
    where: /^(?:src|bench|test(?!\/types))\//,
    except: ["test/tidy.test.ts", "test/lint.test.ts"],
  },
  { call: /\.(?:only|skip|todo)\(/, instead: "a test that runs", where: /^test\//, except: ["test/tidy.test.ts"] },
  {
    call: /\bsetTimeout\(|\bsleep\(/,
    instead: "an event, or a clock of the test's own",
    where: /^test\//,
    // The campaign is a program, not a test: it limits the time of the processes it starts.
    except: ["test/tidy.test.ts", "test/mutants/campaign.ts"],
  },
];

describe("calls", () => {
  const files = [...SOURCES, ...filesIn("test"), ...filesIn("bench")].filter((file) => file.endsWith(".ts"));

  it.each(BANNED.map((ban) => [String(ban.call), ban] as const))(
    "%s stand where they belong",
    (_call, { call, instead, where, except, inComments }) => {
      const guilty = files.filter(
        (file) =>
          where.test(file) && !except.includes(file) && call.test(inComments === true ? textOf(file) : codeOf(file)),
      );
      expect(guilty, `use ${instead}`).toEqual([]);
    },
  );

  it("no code outside the tables asks for a fault by its name", () => {
    const deciding = SOURCES.filter(
      (file) => !/^src\/(?:core\/(?:classify|fault)|testing)\//.test(file) && !/matrix|presets/.test(file),
    );
    const asks = new RegExp(`(?:[!=]==|case|includes\\(|has\\(|Set\\(\\[) ?"(?:${FAULT_CODES.join("|")})"`);
    expect(deciding.length).toBeGreaterThan(400);
    expect(deciding.filter((file) => asks.test(textOf(file)))).toEqual([]);
  });

  it("no code outside the table asks for an action by its id", () => {
    const others = SOURCES.filter((file) => !/^src\/core\/flow\/action(?:-\w+)?\.ts$/.test(file));
    expect(others.length).toBeGreaterThan(400);
    expect(others.filter((file) => asksForAction(textOf(file)))).toEqual([]);
  });

  it.each([
    [true, 'if (action === "send-back") return;'],
    [true, 'if ("send-back" !== id) return;'],
    [true, 'case "accept-partial":'],
    [true, 'const ACCEPT = "accept-partial";'],
    [true, 'const LASTING = new Set([GRANT, "raise-limit"]);'],
    [true, 'if (["retry-now", "retry-stage"].includes(id)) return;'],
    [false, 'act(run, now === true ? "retry-now" : "retry-stage", options);'],
    [false, 'const EDITS = { "send-back": COMMENTED };'],
    [false, 'if (actionHas(action, "sends-back")) return;'],
  ])("the rule about actions answers %s to: %s", (isRefused, code) => {
    expect(asksForAction(code)).toBe(isRefused);
  });
});

/** Ids of one word ("answer", "resume", "cancel") are ordinary words, and the effects of an action have the same names. */
const ONE_ACTION = `"(?:${ACTION_IDS.filter((id) => id.includes("-")).join("|")})"`;
const ASKS_FOR_ACTION = new RegExp(
  `(?:[!=]==? ?|case |includes\\(|const \\w+ = )${ONE_ACTION}|${ONE_ACTION} [!=]==|Set\\(\\[[^\\]]*${ONE_ACTION}|${ONE_ACTION}\\]\\.includes`,
);

function asksForAction(code: string): boolean {
  return ASKS_FOR_ACTION.test(code);
}

describe("files", () => {
  it.each(SOURCES)("%s says what it is", (file) => {
    const text = textOf(file);
    expect(text.replace(/^#!.*\n/, ""), "starts with a sentence about itself").toMatch(/^\/\/ \S/);
    expect(file).not.toMatch(/util|helper|misc|common/i);
  });

  it("of documentation have one title each", () => {
    const docs = [...filesIn("docs"), "README.md", "CHANGELOG.md", "CONTRIBUTING.md"].filter((file) =>
      file.endsWith(".md"),
    );
    for (const file of docs) {
      const titles =
        textOf(file)
          .replace(/^```[\s\S]*?^```/gm, "")
          .match(/^# .+$/gm) ?? [];
      expect(titles, file).toHaveLength(1);
    }
  });

  it("name no machine, no registry and no download address", () => {
    const all = [
      ...SOURCES,
      ...filesIn("docs"),
      ...filesIn("scripts"),
      "README.md",
      "package.json",
      "package-lock.json",
      "CONTRIBUTING.md",
      "CHANGELOG.md",
    ];
    for (const file of all) expect(textOf(file), file).not.toMatch(/\/work\/|\/root\/|registry\.npmjs|"resolved"/);
  });
});
