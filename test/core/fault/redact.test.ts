// Secrets do not get through: by shape, by the name of their field, by known value in any of its spellings.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRedactor, REDACTED, SECRET_SHAPES, SHAPE_REDACTOR } from "../../../src/core/fault/redact.ts";

describe("by shape", () => {
  it.each(SECRET_SHAPES.map(({ name, example }) => [name, example]))("takes out a %s", (_name, example) => {
    const out = SHAPE_REDACTOR.text(`before ${example} after`);
    expect(out).toContain(REDACTED);
    expect(out.startsWith("before ")).toBe(true);
    expect(out.length).toBeLessThan(`before ${example} after`.length + REDACTED.length + 2);
  });

  it.each([
    ["max_tokens: 4096", "a count of tokens"],
    ["Please run /login", "a command"],
    ["model gpt-5.4-mini in region eu-west-1", "names"],
    ["https://example.com/v1/models?limit=10", "a harmless query"],
    ["tokens per min (TPM): Limit 30000, Used 29500", "limits"],
    ["Basic authentication failed", "a way to sign in"],
    ["Token validation failed", "a step"],
    ["Unexpected token: something in JSON", "a word of a parser"],
    ["token: 1234 tokens used", "a count"],
    ["sk_learn_module_not_found", "a module"],
    ["https://x.test/?code=context_length_exceeded", "an error code"],
    ["x-ratelimit-reset-tokens: 6m11.52s", "the header that explains a limit"],
    ["thinking.budget_tokens: 32000000 must be less than max_tokens", "a budget"],
    ["npm_config_registry_timeout_ms", "a setting"],
    ["sk-learn-contrib-1.2.3", "a package"],
    ["manifest digest sha256:0011223344556677 not found", "a digest"],
    ["Authorization: header is required", "a sentence about a header"],
    ["password: String must contain at least 8 character(s)", "a sentence about a field"],
    ["API keys: https://platform.openai.com/account/api-keys", "a page"],
    ["docker run -u 1000:1000 img", "a user"],
  ])("leaves %j alone (%s)", (text) => {
    expect(SHAPE_REDACTOR.text(text)).toBe(text);
  });
});

const SECRET = "Zq7Vw9Kx2Lm4";

describe("by name, in text", () => {
  it.each([
    `PASSWORD="correct ${SECRET} horse"`,
    `x {"password":"ab\\"c ${SECRET}"} y`,
    `Cookie: a=b1234; session=${SECRET}`,
    `Set-Cookie: lang=english; sid=${SECRET}`,
    `Authorization: ApiKey ${SECRET}`,
    `Authorization: Digest username="x", response="${SECRET}"`,
    `> Authorization: AWS4-HMAC-SHA256 Credential=a, Signature=${SECRET}`,
    `redis://:${SECRET}@host`,
    `postgres://user:p@${SECRET}@db`,
    `https://${SECRET}@github.com`,
    `deploy --password ${SECRET}`,
    `deploy --api-key=${SECRET}`,
    `curl -u user:${SECRET} x`,
    `Incorrect API key provided: ${SECRET}`,
    `<password>${SECRET}</password>`,
    `{'api_key': b'${SECRET}'}`,
    `:password=>"${SECRET}"`,
    `AccountKey=${SECRET};EndpointSuffix=x`,
    `_auth=${SECRET}`,
    `密码：${SECRET}`,
    `API密钥：${SECRET}`,
    `密码是 ${SECRET}`,
    `password: |\n  ${SECRET}`,
    `curl --user admin:${SECRET} x`,
    `DB_PASS=${SECRET}`,
    `PGPASSWORD=${SECRET}`,
    `dbPassword=${SECRET}`,
    `export AWS_SECRET_ACCESS_KEY=${SECRET}`,
    `https://h/x?user=a&api_key=${SECRET}`,
  ])("%s", (text) => {
    expect(SHAPE_REDACTOR.text(text)).not.toContain(SECRET);
  });
});

describe("by name, in data", () => {
  it.each([
    "openaiApiKey",
    "dbPassword",
    "githubToken",
    "apiSecret",
    "awsSecretAccessKey",
    "proxyAuthorization",
    "encryptionKey",
    "sshPassphrase",
    "x-amz-security-token",
    "MY_APP_DB_PASSWORD",
    "service_account_private_key",
    "PRIVATE_KEY_PEM",
    "_authToken",
    "passwords",
    "apiKeys",
    "jwt",
    "sessionId",
    "OPENAI_KEY",
    "ocp-apim-subscription-key",
    "x-functions-key",
  ])("%s", (name) => {
    expect(SHAPE_REDACTOR.value({ [name]: SECRET })).toEqual({ [name]: REDACTED });
  });

  it.each<[string, unknown]>([
    ["a usage", { prompt_tokens_details: { cached_tokens: 1 }, reasoning_tokens: 5, remaining_tokens: 7 }],
    ["headers of a limit", { "x-ratelimit-limit-tokens": "30000", "x-ratelimit-reset-tokens": "6m0s" }],
    ["a validation path", { path: ["credentials", "region"], required: ["api_key", "model"] }],
    ["facts about secrets", { hasPassword: true, withCredentials: true, secretName: "s", eos_token: "</s>" }],
  ])("leaves %s alone", (_what, value) => {
    expect(SHAPE_REDACTOR.value(value)).toEqual(value);
  });

  it.each([
    "max_tokens",
    "totalTokens",
    "key",
    "monkey",
    "tokenizer",
    "author",
    "nextPageToken",
    "keyboard",
    "compass",
  ])("not %s", (name) => {
    expect(SHAPE_REDACTOR.value({ [name]: 4096 })).toEqual({ [name]: 4096 });
  });

  it.each<[string, unknown]>([
    ["pairs", { headers: [["authorization", SECRET]] }],
    ["names and values in turn", { rawHeaders: ["Accept", "x", "Authorization", SECRET] }],
    ["objects of name and value", { headers: [{ name: "Authorization", value: SECRET }] }],
    ["arguments", { args: ["--password", SECRET] }],
    ["errors inside an AggregateError", new AggregateError([new Error(`password=${SECRET}`)], "all failed")],
  ])("in %s", (_how, value) => {
    expect(JSON.stringify(SHAPE_REDACTOR.value(value))).not.toContain(SECRET);
  });
});

describe("by field", () => {
  it("takes the value of a secret field whatever it looks like, at any depth", () => {
    const out = SHAPE_REDACTOR.value({
      headers: { "Authorization": "opaque", "x-api-key": "hunter2", "content-type": "application/json" },
      nested: [{ password: 12345678 }, { client_secret: { deep: "x" } }],
    });
    expect(out).toEqual({
      headers: { "Authorization": REDACTED, "x-api-key": REDACTED, "content-type": "application/json" },
      nested: [{ password: REDACTED }, { client_secret: REDACTED }],
    });
  });

  it("finds it in JSON inside a string, also inside that", () => {
    const inner = JSON.stringify({ api_key: "p@ss word, with spaces", ok: 1 });
    const out = JSON.stringify(SHAPE_REDACTOR.value({ body: JSON.stringify({ error: inner }) }));
    expect(out).not.toContain("p@ss word");
    expect(out).toContain("ok");
  });

  it("reads Headers, Maps, URLs and errors", () => {
    const out = JSON.stringify(
      SHAPE_REDACTOR.value({
        headers: new Headers({ authorization: "Bearer abcdefgh12345678", accept: "text/plain" }),
        map: new Map([["cookie", "session=1"]]),
        url: new URL("https://user:pa55word@example.com/?api_key=abcd1234"),
        error: new Error("bad key sk-abcdefghijklmnop"),
      }),
    );
    for (const secret of ["abcdefgh12345678", "session=1", "pa55word", "abcd1234", "sk-abcdefghijklmnop"]) {
      expect(out).not.toContain(secret);
    }
    expect(out).toContain("text/plain");
  });
});

describe("by known value", () => {
  const secret = fc
    .string({ unit: "grapheme-ascii", minLength: 8, maxLength: 40 })
    .filter((value) => /[a-z0-9]{6}/i.test(value));

  it("takes it out of text around it", () => {
    fc.assert(
      fc.property(secret, fc.string(), fc.string(), (value, before, after) => {
        expect(createRedactor([value]).text(`${before} ${value} ${after}`)).not.toContain(value);
      }),
    );
  });

  it("takes out its base64, at any alignment, its hex and its URL form", () => {
    fc.assert(
      fc.property(secret, fc.nat(5), fc.nat(5), (value, before, after) => {
        const bytes = Buffer.concat([Buffer.alloc(before, 65), Buffer.from(value), Buffer.alloc(after, 66)]);
        const { text } = createRedactor([value]);
        const encoded = bytes.toString("base64");
        // The characters that hold nothing but the secret: everything but the groups it shares with its neighbours.
        const own = encoded.slice(Math.ceil((before * 8) / 6) + 1, Math.floor(((before + value.length) * 8) / 6) - 1);
        expect(text(encoded)).not.toContain(own);
        expect(text(bytes.toString("base64url"))).not.toContain(own.replaceAll("+", "-").replaceAll("/", "_"));
        expect(text(bytes.toString("hex"))).not.toContain(Buffer.from(value).toString("hex"));
        expect(text(`?q=${encodeURIComponent(value)}`)).not.toContain(encodeURIComponent(value));
      }),
    );
  });

  it("takes it out of keys and values of any object", () => {
    fc.assert(
      fc.property(secret, fc.object({ maxDepth: 4 }), (value, object) => {
        const out = createRedactor([value]).value({ object, [value]: [value, { deep: `x${value}y` }] });
        expect(JSON.stringify(out)).not.toContain(JSON.stringify(value).slice(1, -1));
      }),
    );
  });

  it("takes out other spellings of it, and a number", () => {
    const value = 'p@ss w/ord+1 "é中"';
    const redactor = createRedactor([value, "12345678"]);
    for (const spelling of [
      new URLSearchParams({ a: value }).toString(),
      encodeURIComponent(encodeURIComponent(value)),
      encodeURI(value),
      JSON.stringify(JSON.stringify(JSON.stringify(value))),
    ]) {
      expect(redactor.text(spelling)).toContain(REDACTED);
    }
    expect(redactor.value({ pin: 12345678 })).toEqual({ pin: REDACTED });
  });

  it("takes it out where a long text is cut, and accepts unset and very long values", () => {
    expect(createRedactor(["SUPERSECRET99"]).text(`${"x".repeat(262_140)}SUPERSECRET99`)).not.toContain("SUPER");
    const long = "a1".repeat(150_000);
    expect(createRedactor([undefined, "", long]).text(`before ${long} after`)).toBe(`before ${REDACTED} after`);
  });

  it("ignores values too short to be told from words", () => {
    expect(createRedactor(["a", "key"]).text("a key fact")).toBe("a key fact");
  });
});

describe("hostile values", () => {
  it("cuts cycles, throwing getters, deep trees and bytes without throwing", () => {
    const cyclic: Record<string, unknown> = { bytes: new Uint8Array(3), big: 1n, gone: undefined, call: () => 1 };
    cyclic["self"] = cyclic;
    Object.defineProperty(cyclic, "trap", {
      enumerable: true,
      get() {
        throw new Error("no");
      },
    });
    let deep: unknown = "bottom";
    for (let i = 0; i < 10_000; i++) deep = { deep };
    cyclic["deep"] = deep;
    const out = SHAPE_REDACTOR.value(cyclic) as Record<string, unknown>;
    expect(out).toMatchObject({ bytes: "[3 bytes]", big: "1", self: "[circular]", trap: "[unreadable]" });
    expect(JSON.stringify(out)).not.toContain("bottom");
  });

  it("does not let an object choose its own prototype", () => {
    const out = SHAPE_REDACTOR.value(JSON.parse('{"__proto__": {"polluted": true}}')) as Record<string, unknown>;
    expect(Object.getPrototypeOf(out)).toBe(Object.prototype);
    expect((out as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it("accepts any value", () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true }), (value) => {
        JSON.stringify(SHAPE_REDACTOR.value(value));
      }),
    );
  });
});
