// The part of the journal suite that is about values beside the entries.

import { describe, expect, it } from "vitest";
import { codeOf, note, type Using } from "./journal-samples.ts";

export function keptSuite(name: string, using: Using): void {
  describe(`${name}: kept values`, () => {
    it("are there together with the entries they came with", () =>
      using(async ({ journal }) => {
        await journal.append(
          "s",
          0,
          [note("a")],
          [
            { kind: "result", key: "s/1", value: { ok: true } },
            { kind: "snapshot", key: "s", value: [1, 2] },
          ],
        );
        expect(await journal.kept("result", "s/1")).toEqual({ ok: true });
        expect(await journal.kept("snapshot", "s")).toEqual([1, 2]);
        expect(await journal.kept("input", "s/1")).toBeNull();
      }));

    it("are replaced by the last one and taken away by null", () =>
      using(async ({ journal }) => {
        await Promise.all([1, 2, 3].map((value) => journal.keep([{ kind: "breaker", key: "api", value }])));
        expect(await journal.kept("breaker", "api")).toBe(3);
        await journal.keep([{ kind: "breaker", key: "api", value: null }]);
        expect(await journal.kept("breaker", "api")).toBeNull();
        expect(await codeOf(journal.keep([{ kind: "breaker", key: "api", value: undefined }]))).toBe("ShapeInvalid");
      }));

    it("can be listed, all of them or what belongs to one session", () =>
      using(async ({ journal }) => {
        const keys = ["s/2", "s", "s/1", "s0", "s-x/1", "t/1"];
        await journal.keep(keys.map((key) => ({ kind: "result", key, value: key })));
        expect((await journal.keptAll("result")).map(({ key }) => key)).toEqual([...keys].sort());
        expect(await journal.keptAll("result", "s")).toEqual(["s", "s/1", "s/2"].map((key) => ({ key, value: key })));
        expect(await journal.keptAll("question")).toEqual([]);
      }));

    it("kept first stay: one of many writers gets a yes", () =>
      using(async ({ journal }) => {
        const answers = await Promise.all(
          ["a", "b", "c"].map((value) => journal.keepFirst({ kind: "answer", key: "q1", value })),
        );
        expect(answers).toEqual([true, false, false]);
        expect(await journal.kept("answer", "q1")).toBe("a");
        expect(await journal.keepFirst({ kind: "answer", key: "q1", value: "later" })).toBe(false);
        expect(await codeOf(journal.keepFirst({ kind: "answer", key: "q2", value: null }))).toBe("ShapeInvalid");
      }));
  });
}
