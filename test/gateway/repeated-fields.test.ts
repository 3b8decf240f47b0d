// A field that a request has twice, in another case, or of another kind, is refused: the gateway would check one value, and the target might use another one.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { repeatedField } from "../../src/gateway/request/repeated-field.ts";
import type { Protocol } from "../../src/provider/wire/protocol.ts";
import { shareOf } from "../support/grid.ts";
import { type Asking, bodyOf, DIALECTS, pathOf } from "./dialect-clients.ts";
import { gatewayWorld } from "./gateway-world.ts";
import { type GatewayWorld, twoDialects } from "./open-world.ts";

const FIELDS = [
  { name: "model", first: `"model":"forbidden"`, second: `"model":"team"` },
  { name: "model", first: `"mod\\u0065l":"forbidden"`, second: `"model":"team"` },
  { name: "model", first: `"Model":"forbidden"`, second: `"model":"team"` },
  { name: "max_tokens", first: `"max_tokens":99999`, second: `"max_tokens" : 1` },
  { name: "max_completion_tokens", first: `"max_completion_tokens":99999`, second: `"max_completion_tokens":1` },
  { name: "max_output_tokens", first: `"max_output_tokens":99999`, second: `"max_output_t\\u006fkens":1` },
  { name: "n", first: `"n":50`, second: `"\\u006E":1` },
  { name: "generationConfig", first: `"generationConfig":{"maxOutputTokens":99999}`, second: `"generationConfig":{}` },
  {
    name: "maxOutputTokens",
    first: `"generationConfig":{"maxOutputTokens":99999,"maxOutputTokens":1}`,
    second: `"z":1`,
  },
  {
    name: "candidateCount",
    first: `"a":[{}],"generationConfig":{"candidateCount":9,"candidateCount":1}`,
    second: `"z":1`,
  },
];

/** The request of the dialect with these fields, and without its own fields of the same names. */
function textWith(dialect: (typeof DIALECTS)[number], streaming: boolean, first: string, second: string): string {
  const own = Object.entries(bodyOf(dialect, { streaming }) as Record<string, unknown>);
  const kept = own.filter(([name]) => !`${first},${second}`.includes(`"${name}"`));
  return `{${first},${JSON.stringify(Object.fromEntries(kept)).slice(1, -1)},${second}}`;
}

const ODD_CASES = [
  { sent: "MAX_TOKENS", usual: "max_tokens", value: 99_999 },
  { sent: "Max_Completion_Tokens", usual: "max_completion_tokens", value: 99_999 },
  { sent: "max_Output_tokens", usual: "max_output_tokens", value: 99_999 },
  { sent: "N", usual: "n", value: 50 },
  { sent: "Model", usual: "model", value: "forbidden" },
  { sent: "STREAM", usual: "stream", value: true },
  { sent: "generationconfig", usual: "generationConfig", value: { maxOutputTokens: 99_999 } },
  { sent: "Service_Tier", usual: "service_tier", value: "priority" },
  { sent: "max_token\u017F", usual: "max_tokens", value: 99_999 },
  { sent: "max_to\u212Aens", usual: "max_tokens", value: 99_999 },
];

/** Inside of other fields. */
const ODD_NESTED = [
  { sent: "MaxOutputTokens", usual: "maxOutputTokens", body: { generationConfig: { MaxOutputTokens: 99_999 } } },
  { sent: "MAX_OUTPUT_TOKENS", usual: "max_output_tokens", body: { generationConfig: { MAX_OUTPUT_TOKENS: 99_999 } } },
  { sent: "maxoutputtokens", usual: "maxOutputTokens", body: { generation_config: { maxoutputtokens: 99_999 } } },
  {
    sent: "MAXOUTPUTTOKENS",
    usual: "maxOutputTokens",
    body: { generationConfig: { maxOutputTokens: 1, MAXOUTPUTTOKENS: 99_999 } },
  },
  { sent: "CandidateCount", usual: "candidateCount", body: { generationConfig: { CandidateCount: 50 } } },
  { sent: "ThinkingConfig", usual: "thinkingConfig", body: { generationConfig: { ThinkingConfig: {} } } },
  {
    sent: "thinkingbudget",
    usual: "thinkingBudget",
    body: { generationConfig: { thinkingConfig: { thinkingbudget: 99_999 } } },
  },
  { sent: "Budget_Tokens", usual: "budget_tokens", body: { thinking: { type: "enabled", Budget_Tokens: 99_999 } } },
  { sent: "THINKING", usual: "thinking", body: { THINKING: { type: "enabled", budget_tokens: 99_999 } } },
  { sent: "Include_Usage", usual: "include_usage", body: { stream_options: { Include_Usage: false } } },
  { sent: "Stream_Options", usual: "stream_options", body: { Stream_Options: { include_usage: false } } },
  { sent: "Effort", usual: "effort", body: { reasoning: { Effort: "high" } } },
  { sent: "Type", usual: "type", body: { response_format: { Type: "json_object" } } },
  { sent: "Format", usual: "format", body: { text: { Format: { type: "json_object" } } } },
];

/** Values that lenient servers read as another kind. */
const ODD_NUMBERS = ["300000", "20", "", [1_000_000], { value: 9 }, true] as const;
const NUMBERS = ["max_tokens", "max_completion_tokens", "max_output_tokens", "n", "best_of"].map((name) => ({
  name,
  body: (value: unknown) => ({ [name]: value }),
}));
const CONFIG_NUMBERS = ["maxOutputTokens", "max_output_tokens", "candidateCount", "candidate_count"].flatMap((name) =>
  ["generationConfig", "generation_config"].map((config) => ({
    name,
    body: (value: unknown) => ({ [config]: { [name]: value } }),
  })),
);
const OTHER_KINDS = [
  ...["true", 1, 0, ["true"]].map((value) => ({ name: "stream", must: "true or false", body: { stream: value } })),
  { name: "budget_tokens", must: "a number", body: { thinking: { type: "enabled", budget_tokens: "9000" } } },
  {
    name: "thinkingBudget",
    must: "a number",
    body: { generationConfig: { thinkingConfig: { thinkingBudget: "9000" } } },
  },
  { name: "service_tier", must: "a text", body: { service_tier: ["priority"] } },
  { name: "generationConfig", must: "an object", body: { generationConfig: [{ maxOutputTokens: 99_999 }] } },
];
/** Sends a request of the dialect with these fields besides, or instead of, its own. */
function send(world: GatewayWorld, dialect: Protocol, asking: Asking, fields: object): Promise<Response> {
  return fetch(`${world.url}${pathOf(dialect, asking)}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...(bodyOf(dialect, asking) as object), ...fields }),
  });
}

const ODD_KINDS = [
  ...[...NUMBERS, ...CONFIG_NUMBERS].flatMap(({ name, body }) =>
    ODD_NUMBERS.map((value) => ({ name, must: "a number", body: body(value) as object })),
  ),
  ...OTHER_KINDS,
];

describe.each(DIALECTS)("a client of %s", (dialect) => {
  const row = DIALECTS.indexOf(dialect);

  it("learns which bound is of the wrong kind, because a lenient target would heed it", async () => {
    const world = await gatewayWorld({ file: twoDialects(dialect, dialect) });
    for (const [at, { name, must, body }] of ODD_KINDS.entries())
      for (const streaming of shareOf([true, false], 2, at + row)) {
        const asking = send(world, dialect, { streaming }, body);
        const response = await world.run(asking);
        expect([body, response.status]).toEqual([body, 400]);
        expect(await response.text()).toContain(JSON.stringify(`the field "${name}" must be ${must}`).slice(1, -1));
      }
    expect(world.asked()).toEqual([]);
  });

  it("may send null for a bound that it does not set", async () => {
    const world = await gatewayWorld({ file: twoDialects(dialect, dialect) });
    const none = Object.fromEntries(NUMBERS.map(({ name }) => [name, null]));
    const { max_tokens: limit } = bodyOf(dialect, {}) as Record<string, unknown>;
    const own = { ...none, stream: null, service_tier: null, generationConfig: null, max_tokens: limit ?? null };
    const asking = send(world, dialect, {}, own);
    expect((await world.run(asking)).status).toBe(200);
  });

  it("learns how nested fields are written", async () => {
    const world = await gatewayWorld({ file: twoDialects(dialect, dialect) });
    for (const [at, { sent, usual, body }] of ODD_NESTED.entries())
      for (const streaming of shareOf([true, false], 2, at + row)) {
        const asking = send(world, dialect, { streaming }, body);
        const response = await world.run(asking);
        expect([sent, response.status]).toEqual([sent, 400]);
        expect(await response.text()).toContain(JSON.stringify(`"${sent}"; write it as "${usual}"`).slice(1, -1));
      }
    expect(world.asked()).toEqual([]);
  });

  it("may use any case where nothing is bounded or paid by it", async () => {
    const world = await gatewayWorld({ file: twoDialects(dialect, dialect) });
    const body = { ...(bodyOf(dialect, {}) as object), metadata: { Model: "x", MAX_TOKENS: 1 }, Custom: { Type: 1 } };
    const asking = fetch(`${world.url}${pathOf(dialect, {})}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    expect((await world.run(asking)).status).toBe(200);
  });

  it.each(ODD_CASES)("learns that $sent is written $usual", async ({ sent, usual, value }) => {
    const world = await gatewayWorld({ file: twoDialects(dialect, dialect) });
    const { [usual]: _own, ...rest } = bodyOf(dialect, {}) as Record<string, unknown>;
    const asking = fetch(`${world.url}${pathOf(dialect, {})}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ ...rest, [sent]: value }),
    });
    const response = await world.run(asking);
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(JSON.stringify(`"${sent}"; write it as "${usual}"`).slice(1, -1));
    expect(world.asked()).toEqual([]);
  });

  describe.each(DIALECTS)("with a target of %s", (target) => {
    it("learns which field it sent twice", async () => {
      const world = await gatewayWorld({ file: twoDialects(target, target) });
      const turn = row + DIALECTS.indexOf(target);
      for (const [at, { name, first, second }] of FIELDS.entries())
        for (const streaming of shareOf([true, false], 2, at + turn)) {
          const asking = fetch(`${world.url}${pathOf(dialect, { streaming })}`, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: textWith(dialect, streaming, first, second),
          });
          const response = await world.run(asking);
          expect([first, response.status]).toEqual([first, 400]);
          expect(response.headers.get("x-faultline-code")).toBe("RequestInvalid");
          const said = (await response.json()) as { readonly error: { readonly message: string } };
          expect(said.error.message).toContain(`the body has the field "${name}" twice`);
        }
      expect(world.asked()).toEqual([]);
    });
  });
});

it.each([
  { path: "/v1/messages/count_tokens", headers: { "anthropic-version": "1" } },
  { path: "/v1/completions", headers: {} },
])("$path refuses it, too", async ({ path, headers }) => {
  const file = twoDialects("openai-chat", "anthropic-messages");
  const world = await gatewayWorld({ file: (urls) => `${file(urls)}other_paths: one\n` });
  for (const [twice, says] of [
    [`"model":"team"`, "twice"],
    [`"MAX_TOKENS":99999`, "write it as"],
    [`"n":"20"`, "must be a number"],
  ] as const) {
    const body = `{"model":"team","messages":[],"prompt":"a",${twice}}`;
    const response = await world.run(fetch(`${world.url}${path}`, { method: "POST", headers, body }));
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(says);
  }
  expect(world.received()).toEqual([]);
});

it.each([
  { name: "a byte order mark", headers: {}, body: `\uFEFF{"model":"team"}`, says: "byte order mark" },
  { name: "compressed", headers: { "content-encoding": "gzip" }, body: "\u001F\u008B", says: "compressed" },
])("a body that cannot be read says why: $name", async ({ headers, body, says }) => {
  const world = await gatewayWorld();
  const response = await world.run(fetch(`${world.url}/v1/chat/completions`, { method: "POST", headers, body }));
  expect(response.status).toBe(400);
  expect(await response.text()).toContain(says);
});

it.each([
  { text: `{"model":"model","a":["model","model"],"b":{"model":1}}`, field: null },
  { text: `{"a":[{"x":1},{"x":1}],"b":{"x":1},"c":{"x":{"y":1,"y":2}}}`, field: null },
  { text: `{"a":"\\",\\"a\\":","b":"\\\\","c":[[",\\"a\\""]]}`, field: null },
  { text: `{"a":{"x":"y","y":"x"},"x":1,"y":"a"}`, field: null },
  { text: `{"a":"\\\\","a":1}`, field: "a" },
  { text: ` { "a" : [1,{"b":2}] , "a" : 1 } `, field: "a" },
  { text: `{"":1,"b":{"c":[]},"":2}`, field: "" },
  { text: `{"b":{"c":[],"c":1}}`, field: "c" },
  { text: `{"metadata":{"Foo":1,"foo":2}}`, field: null },
  { text: `{"Foo":1,"foo":2}`, field: "foo" },
  { text: `{"b":{},"__proto__":1,"__proto__":2}`, field: "__proto__" },
])("$text", ({ text, field }) => {
  expect(repeatedField(text)).toBe(field);
});

it("finds a repeated field in any request, and none where there is none", () => {
  const names = fc.uniqueArray(fc.string(), { minLength: 1, selector: (name) => name.toUpperCase().toLowerCase() });
  fc.assert(
    fc.property(names, fc.func(fc.jsonValue()), fc.nat(), fc.boolean(), (fields, valueOf, pick, isSpaced) => {
      const parts = fields.map((name) => {
        const value = { deep: [valueOf(name)] };
        return `${JSON.stringify(name)}:${JSON.stringify(value, null, isSpaced ? 2 : 0)}`;
      });
      expect(repeatedField(`{${parts.join(",")}}`)).toBeNull();
      const again = parts[pick % parts.length] ?? "";
      expect(repeatedField(`{${[...parts, again].join(",")}}`)).toBe(fields[pick % parts.length]);
    }),
  );
});

describe.each(DIALECTS)("a request of %s that is nested deeply", (dialect) => {
  it.each([
    { levels: 400, status: 200 },
    { levels: 600, status: 400 },
    { levels: 20_000, status: 400 },
  ])("gets a $status at $levels levels", async ({ levels, status }) => {
    const world = await gatewayWorld({ file: twoDialects(dialect, dialect, "") });
    const own = JSON.stringify(bodyOf(dialect, {})).slice(0, -1);
    const body = `${own},"extra":${"[".repeat(levels)}${"]".repeat(levels)}}`;
    const response = await world.run(fetch(`${world.url}${pathOf(dialect, {})}`, { method: "POST", body }));
    const text = await response.text();
    expect(response.status, text).toBe(status);
    if (status === 400) expect(text).toContain("nested more than 500 levels deep");
  });
});
