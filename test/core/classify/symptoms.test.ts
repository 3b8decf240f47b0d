// Every row of the tables recognises the real signal it quotes, and says which row it was.

import { describe, expect, it } from "vitest";
import { classify, TIMING_RULES } from "../../../src/core/classify/classify.ts";
import type { Evidence } from "../../../src/core/classify/evidence.ts";
import { normalise } from "../../../src/core/classify/read-text.ts";
import type { Rule } from "../../../src/core/classify/rule.ts";
import { SYMPTOMS } from "../../../src/core/classify/symptoms/index.ts";

const RULES = SYMPTOMS.flatMap(({ rules }) => rules());

function evidenceOf({ example }: Rule): Evidence {
  return typeof example === "string" ? { surface: "cli", message: example } : example;
}

describe("symptoms", () => {
  it("have unique names", () => {
    const ids = RULES.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  it.each(RULES.map((rule) => [rule.id, rule] as const))("%s recognises its example", (id, rule) => {
    const evidence = evidenceOf(rule);
    const fault = classify(evidence);
    const onTool = evidence.surface === "tool" || evidence.surface === "mcp";
    expect({ rule: fault.evidence.rule, code: fault.code }).toEqual({
      rule: id,
      code: onTool ? (rule.onTool ?? rule.means) : rule.means,
    });
  });

  it.each(RULES.map((rule) => [rule.id, rule] as const))(
    "%s writes identifiers the way they are compared",
    (_id, { when }) => {
      for (const token of [...(when.token ?? []), ...(when.stop ?? [])]) expect(token).toBe(token.toLowerCase());
      for (const errno of [...(when.errno ?? []), ...(when.signal ?? [])]) expect(errno).toBe(errno.toUpperCase());
      for (const phrase of [...(when.says ?? []).flat(), ...(when.unless ?? [])]) {
        const written = phrase.replace(/\*$/, "");
        expect(normalise(written), "phrases are compared in lower case, without _ - quotes and file names").toBe(
          written,
        );
      }
    },
  );

  it.each(TIMING_RULES.map((rule) => [rule.id, rule] as const))(
    "%s recognises its example",
    (id, { example, means }) => {
      const fault = classify({ surface: "cli", message: example });
      expect({ rule: fault.evidence.rule, code: fault.code }).toEqual({ rule: id, code: means });
    },
  );
});
