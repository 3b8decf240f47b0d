// Every mistake in a workflow file is reported at its exact position, before anything runs, with a suggestion.

import { describe, expect, it } from "vitest";
import { MISTAKES } from "../../src/workflow-file/index.ts";
import { FILE, HEAD, LAST, mistakes, nodes, text, top, warnings } from "./workflow-text.ts";

type Row = readonly [kind: keyof typeof MISTAKES, what: string, source: string];

/** The source without its marks, and the position of «these». */
function marked(source: string): { readonly source: string; readonly places: readonly (readonly number[])[] } {
  const places = Array.from(source.matchAll(/«([^»]*)»/g), ({ index, 1: inside = "" }) => {
    const before = source.slice(0, index).replaceAll(/[«»]/g, "");
    const line = before.split("\n").length;
    return [line, before.length - before.lastIndexOf("\n"), Math.max(1, inside.length)] as const;
  });
  return { source: source.replaceAll(/[«»]/g, ""), places };
}

const transform = (next: string): string => `{ type: transform, value: '1', next: ${next} }`;
const agents = (body: string): string =>
  text(...HEAD, `agents: { a: ${body} }`, "nodes:", "  n: { type: agent, agent: a, prompt: Hi }");
const prompt = (words: string): string =>
  text(
    ...HEAD,
    "inputs: { task: {}, token: { secret: true } }",
    "agents: { a: { model: openai/gpt-5.5 } }",
    "nodes:",
    `  first: ${transform("n")}`,
    `  n: { type: agent, agent: a, prompt: ${words} }`,
  );

const tools = (tool: string, node = ""): string =>
  text(
    ...HEAD,
    `tools: { t: ${tool}, u: { command: [y] } }`,
    "nodes:",
    `  n: { type: tool, tool: t, next: m${node === "" ? "" : `, ${node}`} }`,
    "  m: { type: tool, tool: u }",
  );
const twoProviders = (east: string, west: string, fallback: string): string =>
  text(
    ...HEAD,
    `providers: { east: ${east}, west: ${west} }`,
    `agents: { a: { model: east/x, ${fallback}: [west/x] } }`,
    "nodes:",
    "  n: { type: agent, agent: a, prompt: Hi }",
  );

const ERRORS: readonly Row[] = [
  ["syntax", "a list that is not closed", "faultline: «[»1\n"],
  ["syntax", "the same key twice", "faultline: 1\n«f»aultline: 1\n"],
  ["syntax", "a text of braces without quotes", prompt("«{{» inputs.task }}")],
  ["unknown-key", "a key of the file nobody knows", top("«agnets»: {}")],
  ["unknown-key", "a key of a node nobody knows", nodes("a: { type: transform, value: '1', «nxt»: end }")],
  [
    "unknown-key",
    "a key of an edge nobody knows",
    nodes("a: { type: transform, value: '1', next: [{ to: end, «wen»: '1' }] }"),
  ],
  [
    "unknown-key",
    "a key of an inline policy nobody knows",
    top("policy: { rows: [{ match: { «cod»: Overloaded }, then: [fail] }] }"),
  ],
  [
    "unknown-key",
    "a key of a target in a case",
    nodes("a: { type: condition, when: x, cases: { b: { to: last, «mx»: 3 } } }", LAST),
  ],
  ["unknown-key", "the key of a key written down", top("providers: { openai: { «api_key»: abc } }")],
  ["wrong-type", "a list of nodes", text(...HEAD, "nodes: «[1]»")],
  [
    "wrong-type",
    "a number as the version",
    text("faultline: 1", "workflow: { id: a, version: «1» }", "nodes:", `  ${LAST}`),
  ],
  ["wrong-type", "a number as the next node", nodes("a: { type: transform, value: '1', next: «3» }")],
  ["unknown-value", "a kind of node there is not", nodes("a: { type: «tranform», value: '1' }")],
  [
    "unknown-value",
    "another version of the format",
    text("faultline: «2»", 'workflow: { id: flow, version: "1" }', "nodes:", `  ${LAST}`),
  ],
  ["unknown-value", "a resolution there is not", nodes("a: { type: transform, value: '1', resolution: «ignore» }")],
  ["out-of-range", "no attempt at all", nodes("a: { type: transform, value: '1', retry: { max_attempts: «0» } }")],
  ["out-of-range", "no round at all", agents("{ model: openai/x, turn_cap: «0» }")],
  [
    "out-of-range",
    "an edge that is never open",
    nodes("a: { type: transform, value: '1', next: { to: end, max: «0» } }"),
  ],
  ["out-of-range", "an address that is none", top("providers: { openai: { base_url: «'ftp://x'» } }")],
  ["missing", "a node without a type", nodes("«a»: { value: '1' }")],
  ["missing", "a workflow without nodes", text(...HEAD, "«nodes»: {}")],
  [
    "missing",
    "an agent node without a prompt",
    text(...HEAD, "agents: { a: { cli: claude } }", "nodes:", "  «n»: { type: agent, agent: a }"),
  ],
  ["bad-name", "a name that JavaScript uses", nodes("«constructor»: { type: transform, value: '1' }")],
  ["bad-name", "a name that would change the object", nodes("«__proto__»: { type: transform, value: '1' }")],
  ["bad-name", "such a name deep inside", nodes("a: { type: tool, tool: t, input: { x: { «__proto__»: 1 } } }")],
  ["bad-name", "a name that no expression can use", nodes("«run-tests»: { type: transform, value: '1' }")],
  ["bad-name", "the name of the end", nodes("«end»: { type: transform, value: '1' }")],
  [
    "bad-name",
    "a case that every object has",
    nodes("a: { type: condition, when: x, cases: { «toString»: last } }", LAST),
  ],
  [
    "too-large",
    "501 nodes",
    text(...HEAD, "«nodes»:", ...Array.from({ length: 501 }, (_, n) => `  n${n}: { type: transform, value: '1' }`)),
  ],
  ["bad-duration", "a unit there is not", top("limits: { timeout: «30x» }")],
  ["bad-duration", "no time at all", top("limits: { timeout: «0» }")],
  [
    "bad-duration",
    "a part of a millisecond",
    nodes("a: { type: transform, value: '1', retry: { max_attempts: 2, initial: «0.5» } }"),
  ],
  ["bad-duration", "a year", top("limits: { timeout: «365d» }")],
  ["bad-money", "no money at all", top("limits: { max_cost_usd: «0» }")],
  ["bad-money", "a word", agents("{ model: openai/x, budget: { max_cost_usd: «free» } }")],
  ["bad-money", "less than the smallest unit", top("limits: { max_cost_usd: «0.123456789» }")],
  ["unknown-node", "an edge to nowhere", nodes(`a: ${transform("«lst»")}`, LAST)],
  [
    "unknown-node",
    "an edge in a list to nowhere",
    nodes(`a: ${transform("[{ to: «lst», when: 'true' }, last]")}`, LAST),
  ],
  [
    "unknown-node",
    "a way out of a failure to nowhere",
    nodes("a: { type: transform, value: '1', on_failure: { to: «repair» } }"),
  ],
  ["unknown-node", "a case to nowhere", nodes("a: { type: condition, when: x, cases: { b: «nowhere» } }")],
  ["unknown-node", "a start that is not there", top("start: «lost»")],
  [
    "unknown-node",
    "a join that is not there",
    nodes("a: { type: parallel, branches: [b], join: «m» }", `b: ${transform("end")}`),
  ],
  [
    "unknown-node",
    "a branch that is not there",
    nodes("a: { type: parallel, branches: [«b», c], join: m }", `c: ${transform("m")}`, "m: { type: merge }"),
  ],
  ["unknown-agent", "an agent that is not there", nodes("a: { type: agent, agent: «codr», prompt: Hi }")],
  ["unknown-tool", "a tool that is not there", nodes("a: { type: tool, tool: «lookup» }")],
  [
    "unknown-tool",
    "an alternative that is not there",
    tools("{ command: [x], idempotent: true, alternatives: [«v»] }"),
  ],
  ["conflict", "a tool that stands in for itself", tools("{ command: [x], idempotent: true, alternatives: [u, «t»] }")],
  ["conflict", "an alternative named twice", tools("{ command: [x], idempotent: true, alternatives: [u, «u»] }")],
  ["unknown-tool", "a tool of an agent that is not there", agents("{ model: openai/x, tools: [«lookup»] }")],
  ["unknown-provider", "a provider there is not", agents("{ model: «opnai/x» }")],
  ["unknown-provider", "a model without a provider", agents("{ model: openai/x, fallback: [«gpt-5»] }")],
  [
    "unknown-provider",
    "a provider of which nobody knows what it speaks",
    text(
      ...HEAD,
      "providers: { «local»: { base_url: 'http://x/v1' } }",
      "agents: { a: { model: local/x } }",
      "nodes:",
      "  n: { type: agent, agent: a, prompt: Hi }",
    ),
  ],
  ["unknown-cli", "a CLI there is not", agents("{ cli: «cluade» }")],
  ["unknown-cli", "a CLI in a map there is not", agents("{ cli: { name: «cluade», model: opus } }")],
  ["unknown-cli", "a stand-in that is neither a model nor a CLI", agents("{ model: openai/x, fallback: [«clude»] }")],
  [
    "bad-join",
    "a join that is not a merge node",
    nodes("a: { type: parallel, branches: [b], join: «last» }", `b: ${transform("last")}`, LAST),
  ],
  ["bad-join", "a merge node without a fan-out", nodes("«m»: { type: merge }")],
  [
    "bad-join",
    "a merge node for two",
    nodes(
      "p: { type: parallel, branches: [q], join: m }",
      "q: { type: parallel, branches: [a], join: «m» }",
      `a: ${transform("m")}`,
      "m: { type: merge }",
    ),
  ],
  [
    "lost-branch",
    "a branch that ends elsewhere",
    nodes("p: { type: parallel, branches: [«a»], join: m }", `a: ${transform("end")}`, "m: { type: merge }"),
  ],
  ["endless-cycle", "a node that leads to itself", nodes(`a: ${transform("«a»")}`)],
  [
    "endless-cycle",
    "a cycle through a case, a failure and a fan-out",
    nodes(
      "a: { type: condition, when: x, then: p, else: end }",
      "p: { type: parallel, branches: [b], join: m }",
      "b: { type: transform, value: '1', next: m, on_failure: [{ to: c, when: 'true' }] }",
      "m: { type: merge, next: { to: a, max: 2 } }",
      `c: ${transform("«b»")}`,
    ),
  ],
  [
    "unknown-fault",
    "a fault there is not",
    nodes("a: { type: transform, value: '1', retry: { max_attempts: 2, on: [«NetworkDisconect»] } }"),
  ],
  [
    "fatal-fault",
    "a fault that trying again cannot help",
    agents("{ cli: claude, retry: { max_attempts: 2, on: [NetworkDisconnect, «AuthFailed»] } }"),
  ],
  ["bad-expression", "half an expression", nodes("a: { type: transform, value: «'1 +'» }")],
  [
    "bad-expression",
    "half a condition of an edge",
    nodes("a: { type: transform, value: '1', next: [{ to: end, when: «'('» }] }"),
  ],
  [
    "bad-expression",
    "half an assert",
    nodes("a: { type: transform, value: '1', assert: [{ that: «'}'», reason: x }] }"),
  ],
  ["bad-template", "braces that are not closed", prompt('"Do «{{» inputs.task"')],
  ["bad-template", "braces with an expression", prompt('"Do {{ inputs.task }} {{ «1 + 1» }}"')],
  ["unknown-path", "an input that is not there", prompt('"Do {{ inputs.task }} and {{ «inputs.tsk» }}"')],
  ["unknown-path", "an input that is not there, in quotes with escapes", prompt('"A \\u00e9\\t{{ «inputs.tsk» }}"')],
  ["unknown-path", "a node that is not there", prompt('"Do {{ «nodes.nobody.output» }}"')],
  ["unknown-path", "a field no node has", prompt('"Do {{ «nodes.first.result» }}"')],
  ["unknown-path", "a scope there is not", prompt('"Do {{ «output» }}"')],
  [
    "unknown-path",
    "in a block of text",
    text(
      ...HEAD,
      "agents: { a: { cli: claude } }",
      "nodes:",
      "  n:",
      "    type: agent",
      "    agent: a",
      "    prompt: |",
      "      Hello {{ run.id }}",
      "      and {{ «inputs.tsk?» }}",
    ),
  ],
  [
    "unknown-path",
    "in the input of a tool",
    text(
      ...HEAD,
      "tools: { t: { command: [x] } }",
      "nodes:",
      '  n: { type: tool, tool: t, input: { a: ["{{ «inputs.q» }}"] } }',
    ),
  ],
  [
    "bad-schema",
    "a type there is not",
    agents("{ model: openai/x, output_schema: { type: object, properties: { a: { type: «strin» } } } }"),
  ],
  ["unreadable-file", "a schema that is not there", agents("{ model: openai/x, output_schema: «nope.json» }")],
  [
    "unreadable-file",
    "a prompt that is not there",
    text(
      ...HEAD,
      "agents: { a: { cli: claude } }",
      "nodes:",
      "  n: { type: agent, agent: a, prompt: { file: «nope.md» } }",
    ),
  ],
  ["unreadable-file", "a policy outside of the folder", top("policy: «../faults.yaml»")],
  ["unreadable-file", "a file of the machine", top("policy: «/etc/passwd»")],
  [
    "no-allow-list",
    "commands from an expression",
    text(...HEAD, "inputs: { c: {} }", "nodes:", "  a: { type: command, «run»: { from: inputs.c } }"),
  ],
  ["no-allow-list", "commands with a place in them", nodes("a: { type: command, «run»: 'npm test {{ run.id }}' }")],
  ["written-secret", "a key in a prompt", prompt("«Use sk-ant-api03-AAAABBBBCCCCDDDD for it»")],
  ["written-secret", "a password in an address", agents("{ model: openai/x, system: «'http://me:hunter22@host/'» }")],
  ["written-secret", "the default of a secret", top("inputs: { t: { secret: true, default: «abc» } }")],
  ["bad-input", "a default of another type", top("inputs: { n: { type: integer, default: «1.5» } }")],
  ["bad-input", "a default that is not a choice", top("inputs: { n: { enum: [a, b], default: «c» } }")],
  ["bad-input", "a choice of another type", top("inputs: { n: { type: string, enum: [a, «1»] } }")],
  ["conflict", "a model and a CLI", agents("{ model: openai/x, «cli»: claude }")],
  ["conflict", "neither", text(...HEAD, "agents: { «a»: {} }", "nodes:", "  n: { type: agent, agent: a, prompt: Hi }")],
  [
    "conflict",
    "tools for a CLI",
    text(
      ...HEAD,
      "tools: { t: { command: [x] } }",
      "agents: { a: { cli: claude, «tools»: [t] } }",
      "nodes:",
      "  n: { type: agent, agent: a, prompt: Hi }",
    ),
  ],
  ["conflict", "any command, but which", agents("{ cli: «generic» }")],
  ["conflict", "a server without an address", agents("{ model: «openai-compatible/llama» }")],
  [
    "conflict",
    "a tool that nobody runs",
    text(...HEAD, "tools: { «t»: {} }", "nodes:", "  n: { type: tool, tool: t }"),
  ],
  ["conflict", "a choice of nothing", nodes("a: { type: human_gate, ask: «Select», prompt: Hi }")],
  [
    "conflict",
    "choices nobody is offered",
    nodes("a: { type: human_gate, prompt: Hi, «options»: [{ id: a, label: A }] }"),
  ],
  [
    "conflict",
    "the same choice twice",
    nodes("a: { type: human_gate, ask: Select, prompt: Hi, options: [{ id: a, label: A }, { id: «a», label: B }] }"),
  ],
  ["conflict", "a condition without an else", nodes("«a»: { type: condition, when: x, then: end }")],
  [
    "conflict",
    "the same branch twice",
    nodes("p: { type: parallel, branches: [a, «a»], join: m }", `a: ${transform("m")}`, "m: { type: merge }"),
  ],
  ["bad-command", "a line for a shell", nodes("a: { type: command, run: «npm test && ls» }")],
  ["bad-command", "a list of which one is for a shell", nodes("a: { type: command, run: [npm test, «ls | wc»] }")],
  [
    "bad-command",
    "an entry that allows nothing",
    nodes("a: { type: command, run: npm test, allow: [npm test, «'*'»] }"),
  ],
];

const WARNINGS: readonly Row[] = [
  ["unreached-node", "a node nobody leads to", nodes(LAST, "«lonely»: { type: transform, value: '1' }")],
  ["closed-edge", "an edge behind one that is always open", nodes(`a: ${transform("[last, «{ to: end }»]")}`, LAST)],
  ["unknown-word", "an expression about nobody", nodes("a: { type: transform, value: «nodes.nobody.output» }")],
  ["unused", "an agent nobody asks", top("agents: { «a»: { cli: claude } }")],
  ["secret-in-prompt", "a secret for a model", prompt('"Use {{ «inputs.token» }}"')],
  ["not-yet-there", "a result from the future", prompt('"Use {{ «nodes.n.output» }}"')],
  [
    "cannot-bind",
    "a command that comes again later",
    nodes("a: { type: command, run: npm test, «resolution»: retry-later }"),
  ],
  [
    "cannot-bind",
    "a command that is tried again",
    nodes("a: { type: command, run: npm test, «retry»: { max_attempts: 2 } }"),
  ],
  [
    "cannot-bind",
    "a command that is tried again after a time limit",
    nodes("a: { type: command, run: npm test, «retry»: { max_attempts: 2, on: [RateLimited, ExecutionTimeout] } }"),
  ],
  ["cannot-bind", "a tool node that is tried again", tools("{ command: [x] }", "«retry»: { max_attempts: 2 }")],
  ["cannot-bind", "a tool with an alternative", tools("{ command: [x], «alternatives»: [u] }")],
  ["shared-domain", "two models of one account", agents("{ model: openai/x, «fallback»: [openai/y] }")],
  ["shared-domain", "two models of one CLI", agents("{ cli: claude, «fallback»: [{ name: claude, model: opus }] }")],
  [
    "shared-domain",
    "two keys at one address",
    twoProviders("{ type: openai, api_key_env: A }", "{ type: openai, api_key_env: B }", "«fallback»"),
  ],
];

const options = { read: () => null };

describe("an error", () => {
  it.each(ERRORS)("%s: %s", async (kind, _what, written) => {
    const { source, places } = marked(written);
    const found = await mistakes(source, options);
    const errors = found.filter(({ severity }) => severity === "error");
    expect(errors.map(({ code, line, column, length }) => [code, line, column, length])).toEqual(
      places.map((place) => [MISTAKES[kind].code, ...place]),
    );
    for (const { file, message, help } of errors) {
      expect(file).toBe(FILE);
      expect(message).not.toBe("");
      expect(help).not.toBe("");
    }
  });

  it("of every kind is in the table above", () => {
    const seen = new Set([...ERRORS, ...WARNINGS].map(([kind]) => kind));
    expect(Object.keys(MISTAKES).filter((kind) => !seen.has(kind as never))).toEqual(["variable-not-set"]);
  });

  it("comes with all others, in the order of the file", async () => {
    const found = await mistakes(
      nodes(
        `a: ${transform("lst")}`,
        "b: { type: transform, value: '(' }",
        "c: { type: agent, agent: nobody, prompt: '{{ x }}' }",
      ),
    );
    expect(found.filter(({ severity }) => severity === "error").map(({ code, line }) => [code, line])).toEqual([
      ["WFL011", 4],
      ["WFL022", 5],
      ["WFL012", 6],
      ["WFL024", 6],
    ]);
  });

  it("is never hidden behind more warnings than anybody reads", async () => {
    const lonely = Array.from({ length: 80 }, (_, n) => `n${n}: { type: transform, value: '1' }`);
    const found = await mistakes(nodes(...lonely, "z: { type: transform, value: '(' }"));
    expect(found.map(({ code }) => code)).toEqual(["WFL022"]);
  });

  it.each([
    [top("agnets: {}"), "agents"],
    [nodes(`a: ${transform("lst")}`, LAST), "last"],
    [agents("{ model: opnai/x }"), "openai"],
    [agents("{ cli: cluade }"), "claude"],
    [
      nodes("a: { type: transform, value: '1', retry: { max_attempts: 2, on: [NetworkDisconect] } }"),
      "NetworkDisconnect",
    ],
    [prompt('"{{ inputs.tsk }}"'), "task"],
  ])("suggests what was meant", async (source, meant) => {
    expect(await mistakes(source)).toContainEqual(expect.objectContaining({ label: `did you mean \`${meant}\`?` }));
  });

  it("about a missing key with one possible value shows the line to add", async () => {
    const [first] = await mistakes(text('workflow: { id: flow, version: "1" }', "nodes:", `  ${LAST}`));
    expect(first).toMatchObject({ message: "faultline is missing", help: "Add `faultline: 1`." });
  });

  it("names the whole cycle", async () => {
    const [found] = await mistakes(nodes(`a: ${transform("b")}`, `b: ${transform("c")}`, `c: ${transform("b")}`));
    expect(found?.message).toBe("this cycle could run forever: b → c → b");
  });

  it("says that a comma ended a value by accident", async () => {
    const found = await mistakes(
      text("faultline: 1", 'workflow: { id: a, version: "1", name: Code, review }', "nodes:", `  ${LAST}`),
    );
    expect(found).toMatchObject([
      { code: "WFL002", line: 2, column: 46, help: expect.stringContaining("quotes") as string },
    ]);
  });

  it("in a file the workflow refers to is reported in that file", async () => {
    const files: Record<string, string> = {
      "p.md": "One\ntwo {{ inputs.tsk }}\n",
      "x.yaml": "version: 1\npreset: nope\n",
    };
    const source = text(
      ...HEAD,
      "policy: x.yaml",
      "agents: { a: { cli: claude } }",
      "nodes:",
      "  n: { type: agent, agent: a, prompt: { file: p.md } }",
    );
    const found = await mistakes(source, { read: (name) => files[name] ?? null });
    expect(found.map(({ file, code, line, column, length }) => [file, code, line, column, length])).toEqual([
      ["team/p.md", "WFL024", 2, 8, 10],
      ["team/x.yaml", "POL004", 2, 9, 4],
    ]);
  });

  it("that a reader of files throws becomes a diagnostic without its words", async () => {
    const found = await mistakes(top("policy: x.yaml"), {
      read: () => {
        throw Object.assign(new Error("EACCES: /home/me/x.yaml"), { code: "EACCES" });
      },
    });
    expect(found).toMatchObject([{ code: "WFL026" }]);
    expect(found[0]?.message).not.toContain("/home/me");
  });
});

describe("a warning", () => {
  it.each(WARNINGS)("%s: %s", async (kind, _what, written) => {
    const { source, places } = marked(written);
    const found = await warnings(source, options);
    expect(found.map(({ severity, code, line, column, length }) => [severity, code, line, column, length])).toEqual(
      places.map((place) => ["warning", MISTAKES[kind].code, ...place]),
    );
  });

  it.each([
    ["a command that may run twice", nodes("a: { type: command, run: ls, idempotent: true, resolution: retry-later }")],
    [
      "a command that is meant to run once",
      nodes("a: { type: command, run: ls, idempotent: false, retry: { max_attempts: 2 } }"),
    ],
    ["tests", nodes("a: { type: command, run: ls, fails_as: TestsFailed, retry: { max_attempts: 2 } }")],
    ["faults before the work", nodes("a: { type: command, run: ls, retry: { max_attempts: 2, on: [RateLimited] } }")],
    [
      "a verdict that asks for another attempt",
      nodes(
        "a: { type: command, run: ls, retry: { max_attempts: 2 }, assert: [{ that: output, reason: x, verdict: retry }] }",
      ),
    ],
    ["one attempt", nodes("a: { type: command, run: ls, retry: { max_attempts: 1 } }")],
    [
      "an idempotent tool",
      tools("{ command: [x], idempotent: true, alternatives: [u] }", "retry: { max_attempts: 2 }"),
    ],
    ["two vendors", agents("{ model: openai/x, fallback: [anthropic/y] }")],
    ["a model and a CLI", agents("{ model: openai/x, fallback: [codex] }")],
    ["two CLIs", agents("{ cli: claude, fallback: [codex] }")],
    [
      "two commands",
      agents(
        "{ cli: { name: generic, command: node, args: [a] }, fallback: [{ name: generic, command: node, args: [b] }] }",
      ),
    ],
    [
      "two addresses of one vendor",
      twoProviders("{ type: openai }", "{ type: openai, base_url: 'http://127.0.0.1:1/v1' }", "fallback"),
    ],
  ])("about declarations is not given for %s", async (_what, source) => {
    expect(await warnings(source, options)).toEqual([]);
  });

  it("about targets that fail together says what they share", async () => {
    const found = async (source: string): Promise<unknown> => (await warnings(source))[0]?.message;
    expect(await found(agents("{ model: openai/x, fallback: [openai/y] }"))).toBe(
      "all targets of agents.a are reached at https://api.openai.com with the same account, so they can fail together",
    );
    const keys = ["{ type: openai, api_key_env: A }", "{ type: openai, api_key_env: B }"] as const;
    expect(await found(twoProviders(...keys, "fallback"))).toBe(
      "all targets of agents.a are reached at https://api.openai.com and ask for the same model, so they can fail together",
    );
    expect(await found(agents("{ cli: codex, fallback: [{ name: codex, model: o }] }"))).toMatch(
      /reached at codex with/,
    );
  });

  it("about targets that fail together reads addresses from the environment", async () => {
    const source = twoProviders("{ type: openai }", "{ type: openai, base_url: 'http://gw.test/v1' }", "fallback");
    expect(await warnings(source, { env: {} })).toEqual([]);
    const env = { OPENAI_BASE_URL: "http://gw.test/v1/" };
    expect(await warnings(source, { env })).toMatchObject([{ code: MISTAKES["shared-domain"].code }]);
  });

  it("tells of a variable that is not set, when the environment is known", async () => {
    const source = text(
      ...HEAD,
      "providers: { openai: { api_key_env: MY_KEY } }",
      "agents: { a: { model: openai/x } }",
      "nodes:",
      "  n: { type: agent, agent: a, prompt: Hi }",
    );
    expect(await warnings(source, { env: {} })).toMatchObject([{ code: "WFL105", line: 3, column: 37, length: 6 }]);
    expect(await warnings(source, { env: { MY_KEY: "x" } })).toEqual([]);
    expect(await warnings(source)).toEqual([]);
  });

  it("of an inline policy points at its row and names rows by their lines", async () => {
    const source = top("policy:", "  rows:", "    - { match: {}, then: [fail] }", "    - { match: {}, then: [fail] }");
    expect(await warnings(source)).toMatchObject([
      { code: "POL101", file: FILE, line: 6, column: 7, message: expect.stringContaining(`${FILE}:5`) as string },
    ]);
  });
});

describe("a mistake of form in a node does not hide mistakes of meaning", () => {
  const FORM = [
    "type: comand, run: ls",
    "type: frobnicate, run: ls",
    "type: command, run: ls, retries: x",
    "type: command, run: ls, whatever: 1",
    "type: command, run: 5",
    "type: command",
    "type: agent, prompt: Hi, agent: 7",
    "run: ls",
  ];
  const MEANING = [
    { written: "next: nowhere", code: MISTAKES["unknown-node"].code },
    { written: "on_failure: [{ to: nowhere }]", code: MISTAKES["unknown-node"].code },
    { written: "retry: { max_attempts: 2, on: [Nonsense] }", code: MISTAKES["unknown-fault"].code },
  ];
  const pairs = FORM.flatMap((form) => MEANING.map((meaning) => ({ form, ...meaning })));

  it.each(pairs)("in the same node: $form, $written", async ({ form, written, code }) => {
    const found = await mistakes(nodes(`a: { ${form}, ${written} }`, LAST));
    expect(found.map((one) => one.code)).toContain(code);
    expect(found.some((one) => /^WFL00[2-6]$/.test(one.code))).toBe(true);
  });

  it("in another node, an agent, or a tool; and a secret anywhere", async () => {
    const source = text(
      ...HEAD,
      "agents: { a: { model: nobody/x, fallbak: [claude] }, b: 5 }",
      "nodes:",
      "  n: { type: agent, agent: b, prompt: Hi, next: m }",
      "  m: { type: agent, agent: c, prompt: 5, timeout: soon }",
      "  o: { type: comand, run: echo sk-ant-api03-0123456789abcdefghijklmnop, next: p }",
      "  p: 5",
    );
    expect((await mistakes(source)).map(({ line, code }) => `${line} ${code}`)).toEqual([
      "3 WFL014",
      "3 WFL002",
      "3 WFL003",
      "6 WFL012",
      "6 WFL003",
      "6 WFL009",
      "7 WFL004",
      "7 WFL028",
      "8 WFL003",
    ]);
  });
});

describe("the help", () => {
  it("shows a number that must be text in quotes, as it stands in the file", async () => {
    const source = text("faultline: 1", "workflow: { id: a, version: 1.10 }", "nodes:", `  ${LAST}`);
    expect(await mistakes(source)).toMatchObject([
      { message: "workflow.version must be text", help: 'Put it in quotes: `version: "1.10"`.' },
    ]);
  });

  it("says how to write several commands, and does not repeat the mistake", async () => {
    expect(await mistakes(nodes("a: { type: command, run: npm ci && npm test, next: last }", LAST))).toMatchObject([
      {
        message: 'the command line "npm ci && npm test" cannot be run: & would start another command',
        help: "Commands run without a shell. Quote special characters, or list several commands: `run: [npm ci, npm test]`.",
      },
    ]);
  });
});

describe("a variable of a shell", () => {
  const running = (line: string): string => tools(`{ command: [bash, -c, ${JSON.stringify(line)}] }`);

  it.each([
    "deploy token=$DEPLOY_TOKEN",
    "deploy token=${DEPLOY_TOKEN}",
    "git clone https://$GH_TOKEN@git.example/a",
    "git clone https://bot:${GH_TOKEN}@git.example/a",
  ])("is not a secret: %s", async (line) => expect(await warnings(running(line))).toEqual([]));

  it.each([
    "deploy token=$DEPLOY_TOKENabc1",
    "deploy password=$ecret1234",
    "deploy $STAGE token=abcd1234",
    "git clone https://bot:hunter22@git.example/$REPO",
    "git clone https://bot:hunter22$A@git.example/a",
  ])("does not hide one: %s", async (line) =>
    expect(await mistakes(running(line))).toMatchObject([{ code: "WFL028" }]),
  );
});
