// The failure domains of a model: its endpoint, account and name, as far as its settings show them, and the keys that must not be shown.

import type { LanguageModelV4 } from "@ai-sdk/provider";
import { describe, expect, it } from "vitest";
import { accountIn, keysIn } from "../../../src/provider/domain/account.ts";
import { endpointAt, originOf } from "../../../src/provider/domain/endpoint.ts";
import { type DomainOptions, domainsOf, keysOf } from "../../../src/provider/domain/model-domains.ts";

const KEY = "sk-0123456789";
const modelOf = (config: object | null, modelId = "m", provider = "acme.chat"): LanguageModelV4 =>
  ({ provider, modelId, ...(config === null ? {} : { config }) }) as unknown as LanguageModelV4;
const [first, second] = [
  (): Promise<Response> => fetch("http://127.0.0.1"),
  (): Promise<Response> => fetch("http://[::1]"),
];
const headers = { authorization: `Bearer ${KEY}` };

describe("the endpoint of a model", () => {
  const BASE = "https://acme.example/v1";
  it.each<[string, object | null, string]>([
    ["a text", { baseURL: BASE }, "https://acme.example"],
    ["a text in the older spelling", { baseUrl: BASE }, "https://acme.example"],
    ["a function", { baseURL: () => BASE }, "https://acme.example"],
    [
      "a function that builds the URL of a request",
      { url: ({ path }: { path: string }) => `${BASE}${path}` },
      "https://acme.example",
    ],
    [
      "a function before one that builds URLs",
      { baseURL: () => BASE, url: () => "https://other.example" },
      "https://acme.example",
    ],
  ])("is read from %s", (_what, config, expected) => {
    const [domains] = domainsOf([{ model: modelOf(config) }]);
    expect(originOf(domains?.endpoint ?? "")).toBe(expected);
  });

  it.each<[string, object | null]>([
    ["no settings", null],
    ["no address", {}],
    ["a number", { baseURL: 7 }],
    [
      "a function that throws",
      {
        baseURL: () => {
          throw new Error("no");
        },
      },
    ],
    ["an address of another kind", { baseURL: "ftp://acme.example" }],
  ])("is the name of its provider with %s", (_what, config) => {
    expect(domainsOf([{ model: modelOf(config) }])[0]).toMatchObject({ endpoint: "acme", model: "m" });
  });

  it("is what the program names, as an address or as a word", () => {
    const named = (endpoint: string): string | undefined => domainsOf([{ model: modelOf({}), endpoint }])[0]?.endpoint;
    expect(originOf(named("https://east.example/v1/") ?? "")).toBe("https://east.example");
    expect(named("east")).toBe("east");
  });

  it("leaves out versions, trailing slashes and user names", () => {
    const at = (url: string): string | null => endpointAt(url, "acme.chat");
    expect(at("https://user:pw@acme.example/api/v1beta1//")).toBe(at("https://acme.example/api"));
    expect(at("https://acme.example/api")).not.toBe(at("https://acme.example"));
    expect([at("acme.example"), at("file:///x")]).toEqual([null, null]);
    expect([originOf("acme"), originOf("acme+file:///x")]).toEqual([null, null]);
  });
});

describe("models that look alike", () => {
  const endpoints = (...targets: readonly DomainOptions[]): readonly string[] =>
    domainsOf(targets).map(({ endpoint }) => endpoint.replace(/^.*#/, "#"));
  const shown = { baseURL: "https://acme.example", headers };
  const same = "openai+https://acme.example";

  it.each<[string, readonly DomainOptions[], readonly string[]]>([
    ["two that hide their address", [{ model: modelOf({}) }, { model: modelOf({}) }], ["acme", "#2"]],
    ["three of them", [{ model: modelOf({}) }, { model: modelOf({}) }, { model: modelOf({}) }], ["acme", "#2", "#3"]],
    ["two with address and key", [{ model: modelOf(shown) }, { model: modelOf(shown) }], [same, same]],
    [
      "two that hide their key",
      [{ model: modelOf({ baseURL: shown.baseURL }) }, { model: modelOf({ baseURL: shown.baseURL }) }],
      [same, "#2"],
    ],
    [
      "two with a fetch of their own",
      [{ model: modelOf({ ...shown, fetch: first }) }, { model: modelOf({ ...shown, fetch: second }) }],
      [same, "#2"],
    ],
    ["two with other names", [{ model: modelOf({}, "m") }, { model: modelOf({}, "n") }], ["acme", "acme"]],
    [
      "two with credentials of other names",
      [
        { model: modelOf({}), credential: "a" },
        { model: modelOf({}), credential: "b" },
      ],
      ["acme", "acme"],
    ],
    [
      "two with a named endpoint",
      [
        { model: modelOf({}), endpoint: "x" },
        { model: modelOf({}), endpoint: "x" },
      ],
      ["x", "x"],
    ],
    [
      "one that hides its address, behind one whose endpoint is named",
      [
        { model: modelOf({}), endpoint: shown.baseURL, credential: "a" },
        { model: modelOf(shown), credential: "a" },
      ],
      [same, same],
    ],
    [
      "one whose endpoint is named, behind one that shows its address and hides its key",
      [
        { model: modelOf(shown), credential: "a" },
        { model: modelOf({}), endpoint: shown.baseURL, credential: "a" },
      ],
      [same, same],
    ],
  ])("have endpoints of their own if they may reach other servers: %s", (_what, targets, expected) => {
    expect(endpoints(...targets)).toEqual(expected);
  });

  it("are one endpoint if they are one object", () => {
    const model = modelOf({});
    expect(endpoints({ model }, { model })).toEqual(["acme", "acme"]);
  });
});

describe("the keys of a model", () => {
  it.each<[string, unknown, readonly string[]]>([
    ["an object", headers, [KEY]],
    ["a function", () => headers, [KEY]],
    [
      "a function that fails",
      () => {
        throw new Error("no key");
      },
      [],
    ],
    ["a promise", () => Promise.reject(new Error("no key")), []],
    ["nothing", () => null, []],
    ["null", null, []],
    ["a text", "authorization", []],
  ])("are read from %s", (_what, given, expected) => {
    expect(keysOf(modelOf({ headers: given }))).toEqual(expected);
  });

  it("are asked for once", () => {
    let asked = 0;
    const config = { headers: () => (asked++, headers) };
    expect([keysOf(modelOf(config)), keysOf(modelOf(config)), asked]).toEqual([[KEY], [KEY], 1]);
  });

  it("are the values of key headers that are long enough to be one", () => {
    expect(
      keysIn([
        ["X-Api-Key", "0123456789ab"],
        ["api-key", "0123456789a"],
        ["accept", "0123456789abcdef"],
        ["authorization", 7],
      ]),
    ).toEqual(["0123456789ab"]);
  });

  it("tell accounts apart without showing them", () => {
    const [one, other, none] = [
      accountIn([["Authorization", "a"]]),
      accountIn([["authorization", "b"]]),
      accountIn([["accept", "b"]]),
    ];
    expect(one).toMatch(/^key-/);
    expect(new Set([one, other, none]).size).toBe(3);
    expect([accountIn([["authorization", ""]]), accountIn([["authorization", 7]])]).toEqual([none, none]);
  });
});
