// The journal suite's tests of holds, which let one owner at a time advance a session.

import { describe, expect, it } from "vitest";
import { codeOf, type Using } from "./journal-samples.ts";

/** Far beyond any test, and still a valid date. */
const FAR_AWAY = 8.64e15;

export function holdSuite(name: string, using: Using): void {
  describe(`${name}: a hold`, () => {
    it("is granted to one owner and refused to others until it expires", () =>
      using(async ({ journal }) => {
        expect(await journal.hold("k", "a", 100, 10)).toEqual({ granted: true, owner: "a", until: 100 });
        expect(await journal.hold("k", "b", 200, 99)).toEqual({ granted: false, owner: "a", until: 100 });
        expect(await journal.hold("other", "b", 150, 99)).toEqual({ granted: true, owner: "b", until: 150 });
        expect(await journal.hold("k", "b", 200, 100)).toEqual({ granted: true, owner: "b", until: 200 });
        expect(await journal.hold("k", "a", 300, 100)).toEqual({ granted: false, owner: "b", until: 200 });
      }));

    it("can be renewed by its owner, even after it expired, unless another owner took it", () =>
      using(async ({ journal }) => {
        await journal.hold("k", "a", 100, 10);
        expect(await journal.hold("k", "a", 200, 20)).toEqual({ granted: true, owner: "a", until: 200 });
        expect(await journal.hold("k", "b", 300, 150)).toMatchObject({ granted: false, until: 200 });
        expect(await journal.hold("k", "a", 500, 400)).toEqual({ granted: true, owner: "a", until: 500 });
      }));

    it("is granted to the first of several owners that ask in the same turn", () =>
      using(async ({ journal }) => {
        const answers = await Promise.all(["a", "b", "c"].map((owner) => journal.hold("k", owner, 100, 1)));
        expect(answers.map(({ granted }) => granted)).toEqual([true, false, false]);
        expect(answers.map(({ owner }) => owner)).toEqual(["a", "a", "a"]);
      }));

    it("is released only by its owner", () =>
      using(async ({ journal }) => {
        expect(await journal.release("k", "a")).toBe(false);
        await journal.hold("k", "a", 100, 1);
        expect(await journal.release("k", "b")).toBe(false);
        expect(await journal.release("K", "a")).toBe(false);
        expect(await journal.hold("k", "b", 200, 1)).toMatchObject({ granted: false, owner: "a" });
        expect(await journal.release("k", "a")).toBe(true);
        expect(await journal.release("k", "a")).toBe(false);
        expect(await journal.hold("k", "b", 200, 1)).toMatchObject({ granted: true, owner: "b" });
      }));

    it("can be taken over from exactly the named owner, whether or not it has expired", () =>
      using(async ({ journal }) => {
        await journal.hold("k", "dead", FAR_AWAY, 1);
        expect(await journal.takeFrom("k", "somebody", "b", 50)).toEqual({
          granted: false,
          owner: "dead",
          until: FAR_AWAY,
        });
        expect(await journal.takeFrom("k", "dead", "b", 50)).toEqual({ granted: true, owner: "b", until: 50 });
        // A second process that noticed the same death is too late. The first one may repeat its request if it missed the answer.
        expect(await journal.takeFrom("k", "dead", "c", 90)).toEqual({ granted: false, owner: "b", until: 50 });
        expect(await journal.takeFrom("k", "dead", "b", 60)).toEqual({ granted: true, owner: "b", until: 60 });
        expect(await journal.release("k", "dead")).toBe(false);
        expect(await journal.takeFrom("free", "dead", "c", 90)).toEqual({ granted: true, owner: "c", until: 90 });
      }));

    it("is listed by key with its owner", () =>
      using(async ({ journal }) => {
        expect(await journal.holds()).toEqual([]);
        for (const key of ["b/1", "a", "\ud83d\ude00", "\uffee", "b"]) await journal.hold(key, "me", 2.5, 1);
        await journal.release("b", "me");
        expect(await journal.holds()).toEqual(
          ["a", "b/1", "\uffee", "\ud83d\ude00"].map((key) => ({ key, granted: true, owner: "me", until: 2.5 })),
        );
      }));

    it("is neither a kept value nor a session, and is pruned only long after it expired", () =>
      using(async ({ journal }) => {
        await journal.hold("old", "a", 50, 1);
        await journal.hold("young", "a", 100, 1);
        await journal.hold("held", "a", FAR_AWAY, 1);
        const keys = async (): Promise<readonly string[]> => (await journal.holds()).map(({ key }) => key);
        expect(await journal.sessions()).toEqual([]);
        expect(await journal.prune({ before: 100 })).toBe(0);
        expect(await keys()).toEqual(["held", "young"]);
        // A hold that is valid today is never pruned, whatever date is given.
        await journal.prune({ before: Number.MAX_SAFE_INTEGER });
        expect(await keys()).toEqual(["held"]);
      }));

    it("rejects an invalid key, owner or time without affecting other writes", () =>
      using(async ({ journal }) => {
        const refused = [
          journal.hold("", "a", 2, 1),
          journal.hold("k", "", 2, 1),
          journal.hold("k", "a\n", 2, 1),
          journal.hold("k", "a", Infinity, 1),
          journal.hold("k", "a", 2, Number.NaN),
          journal.release("k", ""),
          journal.takeFrom("k", "", "b", 2),
          journal.takeFrom("k", "a", "b", Number.NaN),
        ].map(codeOf);
        const good = journal.hold("good", "a", 2, 1);
        expect(await Promise.all(refused)).toEqual(refused.map(() => "ShapeInvalid"));
        expect(await good).toMatchObject({ granted: true });
        expect((await journal.holds()).map(({ key }) => key)).toEqual(["good"]);
      }));
  });
}
