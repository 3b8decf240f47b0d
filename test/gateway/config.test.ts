// Gateway files: every mistake with its place, and what a good file becomes.

import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MISTAKES as ROWS } from "../../src/gateway/config/mistakes.ts";
import { parseGateway } from "../../src/gateway/config/parse-gateway.ts";
import { Routing } from "../../src/gateway/route/routing.ts";
import { renderDiagnostic, withoutHidden } from "../../src/yaml-file/diagnostic.ts";
import { englishIn } from "../support/english-in.ts";
import { samples } from "../support/grid.ts";

const env = { KEY: "sk-1", CLIENT: "client-1", BROKEN: "sk-1\n", EMPTY: "" };
const TARGETS = `version: 1
targets:
  a: { dialect: openai-chat, base_url: "http://127.0.0.1:1/v1", models: [small] }
  b: { dialect: [anthropic-messages, openai-chat], base_url: "https://api.anthropic.com", api_key_env: KEY, region: eu }
`;

const MISTAKES = [
  { name: "an unknown key", yaml: `${TARGETS}rotes: {}`, says: "5:1 GW002 unknown key `rotes` in the file" },
  {
    name: "an unknown key of a target",
    yaml: `version: 1\ntargets: { a: { dialect: openai-chat, base_url: "http://x", modls: [x] } }`,
    says: "2:61 GW002 unknown key `modls` in targets.a",
  },
  {
    name: "an unknown dialect",
    yaml: `version: 1\ntargets: { a: { dialect: openai, base_url: "http://x" } }`,
    says: "2:26 GW004 targets.a.dialect cannot be `openai`",
  },
  {
    name: "no address",
    yaml: `version: 1\ntargets: { a: { dialect: openai-chat } }`,
    says: "2:12 GW006 targets.a.base_url is missing",
  },
  {
    name: "an address that is none",
    yaml: `version: 1\ntargets: { a: { dialect: openai-chat, base_url: x } }`,
    says: "2:49 GW005 targets.a.base_url must begin with http:// or https://",
  },
  ...["http://[", "http://:80", "http://x:99999"].map((address) => ({
    name: `an address that is none: ${address}`,
    yaml: `version: 1\ntargets: { a: { dialect: openai-chat, base_url: "${address}" } }`,
    says: "2:49 GW003 targets.a.base_url: must be an address, such as https://api.openai.com/v1",
  })),
  {
    name: "a key that is not set",
    yaml: `version: 1\ntargets: { a: { dialect: openai-chat, base_url: "http://x", api_key_env: NOPE } }`,
    says: "2:74 GW101 the environment variable NOPE is not set, so target a has no key",
  },
  {
    name: "a key that cannot be sent",
    yaml: `version: 1\ntargets: { a: { dialect: openai-chat, base_url: "http://x", api_key_env: BROKEN } }`,
    says: "2:74 GW105 the environment variable BROKEN has a line break or another character that no key has",
  },
  { name: "a client without a key", yaml: `${TARGETS}keys: { me: {} }`, says: "5:9 GW102 key me has no value" },
  {
    name: "a client whose variable is not set",
    yaml: `${TARGETS}keys: { me: { unpriced: allow, key_env: NOPE } }`,
    says: "5:41 GW102 the environment variable NOPE is not set",
  },
  {
    name: "a chain with an unknown target",
    yaml: `${TARGETS}routes: { x: { chain: [a/m, c/m] } }`,
    says: "5:29 GW103 there is no target `c`",
  },
  {
    name: "a key with an unknown route",
    yaml: `${TARGETS}keys: { me: { key_env: CLIENT, routes: [y] } }`,
    says: "5:41 GW104 there is no route `y`",
  },
  {
    name: "a model without a price",
    yaml: `${TARGETS}routes: { x: { chain: [a/m] } }\nkeys: { me: { key_env: CLIENT, budget: { per_day_usd: 1 } }, you: {} }`,
    says: "5:24 GW106 no price is known for `a/m`, so it does not answer keys with a budget (me)",
  },
  {
    name: "a route whose texts no target continues",
    yaml: `${TARGETS}routes: { x: { chain: [a/m], mid_stream: continue } }\nkeys: { you: {} }`,
    says: "5:42 GW107 no target of route `x` continues a text, so a stream that breaks ends with an error",
  },
  ...["key_env: CLIENT", `key_sha256: ${createHash("sha256").update(env.CLIENT).digest("hex")}`].map((same) => ({
    name: `two keys with one secret: ${same.slice(0, 10)}`,
    yaml: `${TARGETS}keys: { me: { key_env: CLIENT }, you: { ${same} } }`,
    says: "5:39 GW108 keys me and you have the same secret, so the gateway cannot tell them apart",
  })),
  {
    name: "a key without a target in its regions",
    yaml: `${TARGETS}routes: { x: { chain: [a/m] } }\nkeys: { me: { key_env: CLIENT, routes: [x], regions: [eu, uk] }, you: {} }`,
    says: "6:54 GW109 key me may use no target: none that it can reach has `region: eu` or `uk`",
  },
  {
    name: "a variable of a target that is empty",
    yaml: `version: 1\ntargets: { a: { dialect: openai-chat, base_url: "http://x", api_key_env: EMPTY } }`,
    says: "2:74 GW101 the environment variable EMPTY is empty, so target a has no key",
  },
  {
    name: "a variable of a client that is empty",
    yaml: `${TARGETS}keys: { me: { key_env: EMPTY } }`,
    says: "5:24 GW102 the environment variable EMPTY is empty",
  },
  {
    name: "no targets",
    yaml: "version: 1\ntargets: {}",
    says: "2:10 GW110 the file names no target, so no request can be answered",
  },
  ...["AIzaSyD_abcdefghijk1234567890", "ghp_abcdef", "aB3dE6gH9jK2mN5pQ8sT1vW4"].map((key) => ({
    name: `a key in place of a variable: ${key}`,
    yaml: `version: 1\ntargets: { a: { dialect: openai-chat, base_url: "http://x", api_key_env: ${key} } }`,
    says: "2:74 GW111 `api_key_env` has a key instead of the name of an environment variable",
  })),
  {
    name: "a client's key in place of a variable",
    yaml: `${TARGETS}keys: { me: { key_env: sk_live_abc } }`,
    says: "5:24 GW111 `key_env` has a key instead of the name of an environment variable",
  },
  {
    name: "a client with a variable and a hash",
    yaml: `${TARGETS}keys: { me: { key_env: CLIENT, key_sha256: ${"f".repeat(64)} } }`,
    says: "5:24 GW112 key me has both `key_env` and `key_sha256`, and they may differ",
  },
  ...[
    { dialect: "openai-chat", ending: "/chat/completions" },
    { dialect: "openai-responses", ending: "/responses" },
    { dialect: "anthropic-messages", ending: "/messages" },
    { dialect: "[openai-responses, openai-chat]", ending: "/chat/completions" },
  ].map(({ dialect, ending }) => ({
    name: `an address with the path of ${dialect}`,
    yaml: `version: 1\ntargets:\n  a: { base_url: "http://x/v1${ending}", dialect: ${dialect} }`,
    says: `3:18 GW113 the address of target a ends in \`${ending}\`, which the gateway adds by itself`,
  })),
  ...["?key=1", "#part"].map((rest) => ({
    name: `an address with ${rest}`,
    yaml: `version: 1\ntargets: { a: { dialect: openai-chat, base_url: "http://x/v1${rest}" } }`,
    says: "2:49 GW114 the address of target a has a query or a fragment, which the gateway would not send",
  })),
  {
    name: "an address with a password",
    yaml: `version: 1\ntargets: { a: { dialect: openai-chat, base_url: "http://ann:hunter2@x/v1" } }`,
    says: "2:49 GW115 the address of target a has a user name or a password, which the gateway would not send",
  },
  {
    name: "a price for a pattern that never matches",
    yaml: `version: 1\ntargets: { a: { dialect: openai-chat, base_url: "http://x", prices: { "*-mini": { input: 1, output: 1 } } } }`,
    says: "2:81 GW116 the price pattern `*-mini` never matches: `*` may be only its last character",
  },
  {
    name: "an entry without its model",
    yaml: `${TARGETS}routes: { x: { chain: [a/small, b/] } }`,
    says: "5:33 GW117 this entry names target b and no model after the slash",
  },
  ...[
    { earlier: "*", route: "gpt-*" },
    { earlier: "gpt-*", route: "gpt-5-*" },
    { earlier: "*-mini", route: "gpt-*-mini" },
  ].map(({ earlier, route }) => ({
    name: `a route behind one that takes all its names: ${earlier}, ${route}`,
    yaml: `${TARGETS}routes:\n  "${earlier}": { chain: [a] }\n  "${route}": { chain: [b] }\nkeys: { you: {} }`,
    says: `7:3 GW118 route \`${route}\` never gets a request: \`${earlier}\` stands before it and fits all its names`,
  })),
  {
    name: "a chain with the same entry twice",
    yaml: `${TARGETS}routes: { x: { chain: [a/m, b, a/m] } }\nkeys: { you: {} }`,
    says: "5:32 GW119 `a/m` is in this chain twice; a target that has failed does not answer better in its second place",
  },
  {
    name: "a hedge without a second target",
    yaml: `${TARGETS}routes: { x: { chain: [a/m], hedge: { after: 5 } } }\nkeys: { you: {} }`,
    says: "5:37 GW120 route `x` has one target, so there is no other one to ask when it is silent",
  },
  {
    name: "a provider that is not known",
    yaml: `version: 1\ntargets: { a: { dialect: openai-chat, base_url: "http://x", provider: opnai } }\nkeys: { you: {} }`,
    says: "2:71 GW121 no prices and no facts about models are known for provider `opnai`",
  },
  {
    name: "a budget without a limit",
    yaml: `${TARGETS}keys: { me: { key_env: CLIENT, budget: {} }, you: {} }`,
    says: "5:40 GW122 the budget of key me has no limit in it",
  },
  {
    name: "an hourly budget above the daily one",
    yaml: `${TARGETS}keys: { me: { key_env: CLIENT, budget: { per_hour_usd: 5, per_day_usd: 2 } }, you: {} }`,
    says: "5:56 GW123 key me can never spend its `per_hour_usd` of $5: `per_day_usd` is $2",
  },
  {
    name: "a hedge without a time",
    yaml: `${TARGETS}routes: { x: { chain: [a/m], hedge: {} } }`,
    says: "5:30 GW006 routes.x.hedge.after is missing",
  },
  {
    name: "a target with a name that cannot be used",
    yaml: `version: 1\ntargets: { "a b": { dialect: openai-chat, base_url: "http://x" } }`,
    says: "2:12 GW005 targets.a b must be ASCII letters, digits, dots, dashes and underscores, and begin with a letter or digit",
  },
  {
    name: "a budget of nothing",
    yaml: `${TARGETS}keys: { me: { key_env: CLIENT, budget: { per_day_usd: 0 } } }`,
    says: "5:55 GW005 keys.me.budget.per_day_usd must be at least 0.0001",
  },
];

it.each(MISTAKES)("reports $name", ({ yaml, says }) => {
  const { settings, diagnostics } = parseGateway(yaml, "gateway.yaml", env);
  expect(settings).toBeNull();
  expect(diagnostics.map(({ line, column, code, message }) => `${line}:${column} ${code} ${message}`)).toContain(says);
});

it.each([
  "routes: { gpt-5-*: { chain: [a] }, gpt-*: { chain: [b] }, '*': { chain: [b] }, exact: { chain: [a] } }",
  "routes: { a-*: { chain: [a] }, 'b*': { chain: [b] }, '*-a': { chain: [a] } }",
  "routes: { x: { chain: [a/m, b/m, a/n], hedge: { after: 5 } } }",
  "keys: { me: { key_env: CLIENT, budget: { per_hour_usd: 1, per_day_usd: 1, per_month_usd: 20 } } }",
])("says nothing of what is in order: %s", (yaml) => {
  expect(said(`${TARGETS}${yaml}`)).toEqual([]);
});

it("says nothing of an unknown provider with prices of its own, or of vendors that it knows", () => {
  const of = (more: string): string =>
    `version: 1\ntargets: { a: { dialect: openai-chat, base_url: "http://x", ${more} } }`;
  expect(said(of("provider: local, prices: { '*': { input: 0, output: 0 } }"))).toEqual([]);
  for (const provider of ["mistral", "groq", "azure", "deepseek"])
    expect(said(of(`provider: ${provider}`))).toEqual([]);
});

it.each([
  {
    secret: "hunter2",
    yaml: 'targets: { a: { base_url: "http://ann:hunter2@x/v1", dialect: openai-chat, api_key_env: NOPE } }',
  },
  {
    secret: "9jK2mN5pQ8",
    yaml: 'targets: { a: { dialect: openai-chat, base_url: "http://x", api_key_env: aB3dE6gH9jK2mN5pQ8sT1vW4 } }',
  },
  {
    secret: "house.key",
    yaml: 'targets: { a: { dialect: openai-chat, base_url: "http://x", api_key_env: house.key.17 } }',
  },
])("prints no secret that was written in a wrong place: $yaml", ({ secret, yaml }) => {
  const source = `version: 1\n${yaml}\n`;
  const { diagnostics } = parseGateway(source, "gateway.yaml", env);
  expect(diagnostics.length).toBeGreaterThan(0);
  const safe = withoutHidden(source, diagnostics);
  const printed = diagnostics.map((one) => renderDiagnostic(one, safe)).join("\n");
  expect(`${printed}${JSON.stringify(diagnostics)}`).not.toContain(secret);
});

it("says what a client's name is, not what a target's is", () => {
  const { diagnostics } = parseGateway(`${TARGETS}keys: { "a/b": { key_env: CLIENT } }`, "gateway.yaml", env);
  expect(diagnostics).toMatchObject([{ code: "GW005", help: expect.stringContaining("client") as string }]);
});

it("says nothing of two keys without a secret being equal, or of regions that a target has", () => {
  const codes = (keys: string): readonly string[] =>
    parseGateway(`${TARGETS}keys: { ${keys} }`, "gateway.yaml", env).diagnostics.map(({ code }) => code);
  expect(codes("me: {}, you: {}")).toEqual(["GW102", "GW102"]);
  expect(codes("me: { key_env: CLIENT, regions: [eu, uk] }, you: { key_env: KEY }")).toEqual([]);
  expect(codes("me: { key_env: CLIENT, regions: [uk] }")).toEqual(["GW109"]);
});

const said = (yaml: string): readonly string[] =>
  parseGateway(yaml, "gateway.yaml", env).diagnostics.map(({ line, column, code }) => `${line}:${column} ${code}`);

it("reports a key that stands twice together with all other mistakes", () => {
  expect(said(`${TARGETS}routes: { x: { chain: [c/m], chain: [d/m] } }\nother_paths: e`)).toEqual([
    "5:24 GW103",
    "5:30 GW001",
    "5:38 GW103",
    "6:14 GW103",
  ]);
  const twice = `routes:\n  x: { chain: [c/m], mid_stream: maybe }\n  x: { chain: [d/m], affinity: 5 }\n  y: { chain: [e/m] }`;
  expect(said(`${TARGETS}${twice}`)).toEqual([
    "6:16 GW103",
    "6:34 GW004",
    "7:3 GW001",
    "7:16 GW103",
    "7:32 GW003",
    "8:16 GW103",
  ]);
  const { settings } = parseGateway(`${TARGETS}other_paths: a\nother_paths: b`, "gateway.yaml", env);
  expect(settings).toBeNull();
});

it("knows the names of both values of a repeated key", () => {
  const other = `targets: { c: { dialect: openai-chat, base_url: "http://x" } }\nroutes: { x: { chain: [a/m, c/m] } }`;
  expect(said(`${TARGETS}${other}`)).toEqual(["5:1 GW001"]);
});

it("finds an anchor that only one value of a repeated key has", () => {
  expect(said(`${TARGETS}routes: { x: { chain: &c [a/m] }, x: { chain: [b/m] }, y: { chain: *c } }`)).toEqual([
    "5:35 GW001",
  ]);
});

it("reports a key that is written into the file once", () => {
  const yaml = `version: 1\ntargets: { a: { dialect: openai-chat, base_url: "http://x", api_key: sk-123 } }`;
  expect(said(yaml)).toEqual(["2:61 GW002"]);
});

it("names no target that is none, and says nothing of its use", () => {
  const yaml = `${TARGETS}  c/d: { dialect: openai-chat, base_url: "http://x" }\nroutes: { x: { chain: [c/d, c/d/m, e] } }`;
  expect(said(yaml)).toEqual(["5:3 GW005", "6:36 GW103"]);
  const { diagnostics } = parseGateway(yaml, "gateway.yaml", env);
  expect(diagnostics[1]).toMatchObject({ help: "Known here: a, b." });
});

it.each([
  { what: "a list", yaml: "routes: { x: { chain: a } }", help: "Write a list: `chain: [openai/gpt-5]`." },
  {
    what: "a map",
    yaml: "routes: { x: { chain: [a], hedge: p95 } }",
    help: "Write a map of keys and values: `hedge: { after: p95 }`.",
  },
  {
    what: "a map of keep",
    yaml: "keep: yes",
    help: "Write a map of keys and values: `keep: { prompts: true, answers: true }`.",
  },
])("shows an example where $what is missing: $yaml", ({ yaml, help }) => {
  const { diagnostics } = parseGateway(`${TARGETS}${yaml}`, "gateway.yaml", env);
  expect(diagnostics.map((one) => one.help)).toContain(help);
});

it.each([
  { field: "base_url", yaml: "targets: { a: { dialect: openai-chat, base_url: x } }" },
  { field: "base_url", yaml: 'targets: { a: { dialect: openai-chat, base_url: "http://[" } }' },
  { field: "api_key_env", yaml: 'targets: { a: { dialect: openai-chat, base_url: "http://x", api_key_env: sk-1 } }' },
  {
    field: "max_concurrent",
    yaml: 'targets: { a: { dialect: openai-chat, base_url: "http://x", max_concurrent: 0 } }',
  },
  { field: "a name", yaml: 'targets: { a/b: { dialect: openai-chat, base_url: "http://x" } }' },
  {
    field: "key_sha256",
    yaml: 'targets: { a: { dialect: openai-chat, base_url: "http://x" } }\nkeys: { me: { key_sha256: x } }',
  },
  { field: "max_body_mb", yaml: 'targets: { a: { dialect: openai-chat, base_url: "http://x" } }\nmax_body_mb: 0' },
])("says what to write for $field instead, in both languages: $yaml", ({ yaml }) => {
  const helps = (["en", "zh-CN"] as const).map((locale) => {
    const { diagnostics } = parseGateway(`version: 1\n${yaml}`, "gateway.yaml", env, locale);
    expect(diagnostics).toHaveLength(1);
    return diagnostics[0]?.help ?? "";
  });
  expect(helps[0]).toMatch(/[a-z]/);
  expect(helps[1]).toMatch(/\p{Script=Han}/u);
});

it("reports an address without its scheme once", () => {
  expect(said(`version: 1\ntargets: { a: { dialect: openai-chat, base_url: "127.0.0.1:80" } }`)).toEqual([
    "2:49 GW005",
  ]);
});

it("says all that a value may be, names and other kinds", () => {
  const { diagnostics } = parseGateway(
    `${TARGETS}routes: { x: { chain: [a/m, b/m], hedge: { after: p59 } } }`,
    "gateway.yaml",
    env,
  );
  expect(diagnostics).toMatchObject([{ label: "did you mean `p95`?", help: "Known here: p95, a number." }]);
});

describe("a mistake of form in a key does not hide one of meaning in the same key", () => {
  const MEANING = [
    { field: "key_env", written: "key_env: NOPE", code: "GW102" },
    { field: "regions", written: "regions: [uk]", code: "GW109" },
    { field: "routes", written: "routes: [nowhere]", code: "GW104" },
  ];
  const FORM = [
    { field: "budget", written: "budget: 3" },
    { field: "budget", written: "budget: { per_day_usd: lots }" },
    { field: "budget", written: "buget: { per_day_usd: 1 }" },
    { field: "", written: "whatever: 1" },
    { field: "unpriced", written: "unpriced: alow" },
    { field: "unpriced", written: "unpriced: never" },
    { field: "other_paths", written: "other_paths: maybe" },
    { field: "keep", written: "keep: { prompts: 3 }" },
    { field: "routes", written: "routes: one" },
    { field: "regions", written: "regions: [eu, 5]" },
  ];
  const pairs = MEANING.flatMap((meaning) =>
    FORM.filter(({ field }) => field !== meaning.field).map((form) => ({ meaning, form: form.written })),
  );

  it.each(pairs)("$meaning.written with $form", ({ meaning: { field, written, code }, form }) => {
    const client = field === "key_env" ? "" : "key_env: CLIENT, ";
    const found = said(
      `${TARGETS}routes: { one: { chain: [a/gpt-5] } }\nkeys:\n  me: { ${client}${written}, ${form} }`,
    );
    expect(found.some((one) => one.endsWith(code))).toBe(true);
    expect(found.some((one) => /GW00\d$/.test(one))).toBe(true);
  });

  it("says of a key that has no secret and a mistake of form both", () => {
    expect(said(`${TARGETS}keys:\n  me: { budget: 3 }`)).toEqual(["6:3 GW102", "6:17 GW003"]);
    expect(said(`${TARGETS}keys:\n  me: { key_env: 3 }`)).toEqual(["6:18 GW003"]);
    expect(said(`${TARGETS}keys:\n  me: { key_sha256: abc }`)).toEqual(["6:21 GW005"]);
  });
});

it("points at the step without a price, also behind a target that does not exist", () => {
  const yaml = `${TARGETS}routes:\n  x: { chain: [c/m, a/m] }\nkeys: { me: { key_env: CLIENT, budget: { per_day_usd: 1 } } }`;
  expect(said(yaml)).toEqual(["6:16 GW103", "6:21 GW106"]);
});

it("reports mistakes of form and of meaning together", () => {
  const yaml = `targets:
  a: { dialect: openai, base_url: "http://x", api_key_env: NOPE, modls: [x] }
  b: { dialect: openai-chat, base_url: 5, prices: { small: { input: cheap, output: 1 } } }
routes:
  one: { chain: [a/gpt-5, c/m], affinity: sometimes }
  two: { chain: [b/small] }
keys:
  me: { key_env: CLIENT, routes: [one, three], budget: { per_day_usd: 1 } }
  you: { key_evn: KEY }
`;
  const { diagnostics } = parseGateway(yaml, "gateway.yaml", env);
  expect(diagnostics.map(({ line, code, message }) => `${line} ${code} ${message}`).sort()).toEqual([
    "1 GW006 version is missing",
    "2 GW002 unknown key `modls` in targets.a",
    "2 GW004 targets.a.dialect cannot be `openai`",
    "2 GW101 the environment variable NOPE is not set, so target a has no key",
    "3 GW003 targets.b.base_url must be text",
    "3 GW003 targets.b.prices.small.input must be a number",
    "5 GW003 routes.one.affinity must be true or false",
    "5 GW103 there is no target `c`",
    "8 GW104 there is no route `three`",
    "9 GW002 unknown key `key_evn` in keys.you",
  ]);
});

describe("a misspelled key", () => {
  it.each([
    { place: "of a target", yaml: `version: 1\ntargets: { a: { dialect: openai-chat, base_urll: "http://x" } }` },
    { place: "of a route", yaml: `${TARGETS}routes: { x: { chian: [a/m] } }` },
    {
      place: "of a price",
      yaml: `version: 1\ntargets: { a: { dialect: openai-chat, base_url: "http://x", prices: { m: { inptu: 1, output: 1 } } } }`,
    },
    { place: "of a hedge", yaml: `${TARGETS}routes: { x: { chain: [a/m, b/m], hedge: { aftr: 5 } } }` },
    { place: "of a client", yaml: `${TARGETS}keys: { me: { key_evn: CLIENT } }` },
    { place: "of the file", yaml: TARGETS.replace("targets", "tragets") },
  ])("$place is reported once, with the key that was meant", ({ yaml }) => {
    const { diagnostics } = parseGateway(yaml, "gateway.yaml", env);
    expect(diagnostics).toMatchObject([
      { code: "GW002", label: expect.stringMatching(/^did you mean `\w+`\?$/) as string },
    ]);
  });

  it("does not hide the mistakes behind it", () => {
    const yaml = `${TARGETS}rotes:
  one: { chian: [a/m, c/m], hegde: { aftr: soon } }
kyes:
  me: { key_evn: NOPE, routs: [one, two] }
`;
    const { diagnostics } = parseGateway(yaml, "gateway.yaml", env);
    expect(diagnostics.map(({ line, column, code, message }) => `${line}:${column} ${code} ${message}`)).toEqual([
      "5:1 GW002 unknown key `rotes` in the file",
      "6:10 GW002 unknown key `chian` in routes.one",
      "6:23 GW103 there is no target `c`",
      "6:29 GW002 unknown key `hegde` in routes.one",
      "6:38 GW002 unknown key `aftr` in routes.one.hedge",
      "6:44 GW004 routes.one.hedge.after cannot be `soon`",
      "7:1 GW002 unknown key `kyes` in the file",
      "8:9 GW002 unknown key `key_evn` in keys.me",
      "8:18 GW102 the environment variable NOPE is not set",
      "8:24 GW002 unknown key `routs` in keys.me",
      "8:37 GW104 there is no route `two`",
    ]);
  });

  it("does not take the place of a key that is there", () => {
    expect(said(`${TARGETS}routes: { x: { chain: [a/m], chian: [c/m] } }`)).toEqual(["5:30 GW002"]);
  });
});

it("ends for any file, and reports at least one mistake when it has no settings", () => {
  const word = fc.constantFrom(
    "version",
    "targets",
    "routes",
    "keys",
    "a",
    "dialect",
    "base_url",
    "chain",
    "chian",
    "rotes",
    "constructor",
  );
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof({ maxDepth: 4 }, fc.jsonValue({ maxDepth: 0 }), tie("map"), fc.array(tie("tree"), { maxLength: 3 })),
    map: fc.dictionary(word, tie("tree"), { maxKeys: 5 }),
  }));
  fc.assert(
    fc.property(tree, (value) => {
      const { settings, diagnostics } = parseGateway(JSON.stringify(value), "gateway.yaml", env);
      expect(settings !== null || diagnostics.length > 0).toBe(true);
    }),
    { numRuns: samples(100, 300) },
  );
});

describe("in Chinese", () => {
  it("there is a case for every row of the table of mistakes", () => {
    const covered = MISTAKES.map(({ says }) => says.split(" ")[1]);
    for (const { code } of Object.values(ROWS)) expect(covered).toContain(code);
  });

  it.each(MISTAKES)("nothing English is left: $name", ({ yaml }) => {
    const { diagnostics } = parseGateway(yaml, "gateway.yaml", env, "zh-CN");
    expect(diagnostics.length).toBeGreaterThan(0);
    for (const { message, label, help } of diagnostics) expect(englishIn(`${message}\n${label}\n${help}`)).toEqual([]);
  });
});

describe("routes", () => {
  const routing = (): Routing => {
    const yaml = `${TARGETS}routes:
  exact: { chain: [a/one] }
  team-*: { chain: [a/two, b] }
  "*": { chain: [b/rest] }
`;
    const { settings } = parseGateway(yaml, "gateway.yaml", env);
    if (settings === null) throw new Error("the file has mistakes");
    return new Routing(settings, () => true);
  };

  it.each([
    { model: "exact", steps: ["a/one"] },
    { model: "team-x", steps: ["a/two", "b/null"] },
    { model: "b/claude-x", steps: ["b/claude-x"] },
    { model: "anything", steps: ["b/rest"] },
  ])("$model", ({ model, steps }) => {
    const taken = routing().take(model, null);
    if (typeof taken === "string") throw new Error(taken);
    expect(taken.steps.map((step) => `${step.target.name}/${step.model}`)).toEqual(steps);
  });

  it("takes the same route again for the same key, and another key's own", () => {
    const { settings } = parseGateway(`${TARGETS}routes: { "*": { chain: [a, b] } }`, "gateway.yaml", env);
    if (settings === null) throw new Error("the file has mistakes");
    const limits = { hour: null, day: null, month: null };
    const may = { routes: null, mayUseUnpriced: false, mayUseOtherPaths: false, keep: null };
    const far = { name: "far", sha256: "", limits, regions: new Set(["moon"]), ...may };
    const own = new Routing(settings, () => true);
    const taken = own.take("any", null);
    expect(own.take("any", far)).toBe("no-region");
    expect(own.take("any", null)).toBe(taken);
    expect(own.take("other", null)).not.toBe(taken);
  });

  it("adds the version to an address without a path, as the vendor's SDK does", () => {
    const { settings } = parseGateway(TARGETS, "gateway.yaml", env);
    expect(settings?.targets.get("b")?.baseUrl).toBe("https://api.anthropic.com/v1");
    expect(settings?.targets.get("b")?.dialects).toEqual(["anthropic-messages", "openai-chat"]);
  });

  it("a model that a target offers needs no route", () => {
    const { settings } = parseGateway(TARGETS, "gateway.yaml", env);
    if (settings === null) throw new Error("the file has mistakes");
    const taken = new Routing(settings, () => true).take("small", null);
    expect(taken).toMatchObject({ steps: [{ target: { name: "a" }, model: "small" }] });
    expect(new Routing(settings, () => true).take("large", null)).toBe("unknown-model");
  });
});

describe("a budget and models without a price", () => {
  const check = (keys: string, more = ""): readonly string[] => {
    const yaml = `version: 1
targets:
  a: { dialect: openai-chat, base_url: "http://127.0.0.1:1/v1"${more} }
  b: { dialect: openai-chat, base_url: "http://127.0.0.1:2/v1", region: eu }
routes:
  priced: { chain: [a/gpt-4o] }
  own: { chain: [a/gpt-4o, a/own-model] }
  far: { chain: [b/own-model] }
  any-*: { chain: [a] }
keys:
  me: { key_env: CLIENT, ${keys} }
`;
    const { settings, diagnostics } = parseGateway(yaml, "gateway.yaml", env);
    expect(settings).not.toBeNull();
    return diagnostics.map(
      ({ severity, line, column, code, message }) => `${severity} ${line}:${column} ${code} ${message}`,
    );
  };
  const warning = "no price is known for `a/own-model`, so it does not answer keys with a budget (me)";

  it("warns where a chain has one", () => {
    expect(check("routes: [own, priced], budget: { per_day_usd: 1 }")).toEqual([`warning 7:28 GW106 ${warning}`]);
  });

  it.each([
    { name: "without a budget", keys: "routes: [own]" },
    { name: "for routes that no such key may use", keys: "routes: [priced], budget: { per_day_usd: 1 }" },
    { name: "for targets in other regions", keys: "regions: [us], budget: { per_day_usd: 1 }" },
    { name: "if the key may use them", keys: "routes: [own], unpriced: allow, budget: { per_day_usd: 1 }" },
    { name: "for a route whose models only its clients know", keys: "routes: [any-*], budget: { per_day_usd: 1 }" },
  ])("says nothing $name", ({ keys }) => {
    expect(check(keys).filter((line) => line.includes("GW106"))).toEqual([]);
  });

  it("says nothing if the file states the price", () => {
    const prices = ", prices: { own-*: { input: 1, output: 2 } }";
    expect(check("routes: [own], budget: { per_day_usd: 1 }", prices)).toEqual([]);
  });
});
