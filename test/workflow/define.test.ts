// What a workflow keeps secret, and what it makes unchangeable.

import { describe, expect, it } from "vitest";
import { deepFreeze, keysOf, secretsIn } from "../../src/workflow/define.ts";

describe("the secrets of an environment", () => {
  it.each([
    ["OPENAI_API_KEY", true],
    ["ANTHROPIC_API_KEY", true],
    ["MY_TOKEN", true],
    ["DB_PASSWORD", true],
    ["HOME", false],
    ["PATH", false],
    ["PWD", false],
    ["OLDPWD", false],
    ["MY_PWD", true],
  ])("hold %s: %s", (name, isSecret) => {
    expect(secretsIn({ [name]: "a value", [`${name}_UNSET`]: undefined })).toEqual(isSecret ? ["a value"] : []);
    expect(secretsIn({ [name]: "" })).toEqual([]);
  });

  it("hold the variables that a file names as keys, each once", () => {
    const model = (apiKeyEnv: string): object => ({ kind: "model", apiKeyEnv });
    const nodes = [
      {
        kind: "agent",
        agent: { targets: [model("ONE"), model("TWO"), { kind: "cli" }, model("UNSET"), model("EMPTY")] },
      },
      { kind: "agent", agent: { targets: [model("ONE"), model("SAME")] } },
      { kind: "gate" },
    ];
    const env = { ONE: "first", TWO: "second", SAME: "first", EMPTY: "", OTHER: "third" };
    expect(keysOf({ nodes } as never, env)).toEqual(["first", "second"]);
  });
});

describe("what is frozen", () => {
  it("is all data, however deep, and nothing with a life of its own", () => {
    class Connection {
      open = true;
    }
    const bare = Object.assign(Object.create(null) as object, { inner: { a: 1 } });
    const value = { list: [{ a: 1 }], bare, connection: new Connection(), when: new Date(0), text: "x", none: null };
    expect(deepFreeze(value)).toBe(value);
    const frozen = [value, value.list, value.list[0], bare, bare.inner].map((one) => Object.isFrozen(one));
    expect(frozen).toEqual([true, true, true, true, true]);
    expect([value.connection, value.when].map((one) => Object.isFrozen(one))).toEqual([false, false]);
    for (const plain of [null, "x", 7]) expect(deepFreeze(plain)).toBe(plain);
  });
});
