// The journal suite's tests of files: whole or not there, found under their names, and gone with their session.

import { describe, expect, it } from "vitest";
import { fileNameOf } from "../journal/files/artefact-names.ts";
import { ended, note, type Using } from "./journal-samples.ts";

const text = (bytes: Uint8Array | null): string | null => (bytes === null ? null : new TextDecoder().decode(bytes));

export function fileSuite(name: string, using: Using): void {
  describe(`${name}: files`, () => {
    it("are read back unchanged, of any size, and a second one of the same name gets a number", () =>
      using(async ({ journal }) => {
        if (journal.files === null) return;
        const { artefacts } = journal.files;
        const large = Uint8Array.from({ length: 700_000 }, (_, index) => (index * 7) % 256);
        expect(await artefacts.writeNew("s/call", "out", large)).toBe("out");
        expect(await artefacts.writeNew("s/call", "out", new Uint8Array())).toBe("out~2");
        expect(await artefacts.writeNew("s/call", "out", new TextEncoder().encode("three"))).toBe("out~3");
        expect(Buffer.from((await artefacts.read("s/call/out")) ?? []).equals(Buffer.from(large))).toBe(true);
        expect(text(await artefacts.read("s/call/out~2"))).toBe("");
        expect(text(await artefacts.read("s/call/out~3"))).toBe("three");
        expect(await artefacts.read("s/call/other")).toBeNull();
        expect(await journal.files.runs.read("s/call/out")).toBeNull();
      }));

    it("are replaced whole, and listed in order within their folder", () =>
      using(async ({ journal }) => {
        if (journal.files === null) return;
        const run = journal.files.runs.within("run_1");
        expect(await run.list()).toEqual([]);
        await run.replace("rounds/02/coder.md", "x".repeat(600_000));
        await run.replace("rounds/02/coder.md", "short €");
        await run.replace("rounds/01/coder.md", "first");
        await journal.files.runs.within("run_10").replace("other.md", "of another run");
        expect(await run.list()).toEqual(["rounds/01/coder.md", "rounds/02/coder.md"]);
        expect(text(await run.read("rounds/02/coder.md"))).toBe("short €");
      }));

    it("are removed with their session, and those of others stay", () =>
      using(async ({ journal }) => {
        if (journal.files === null) return;
        const { artefacts, runs } = journal.files;
        for (const session of ["old", "older"]) {
          await journal.append(session, 0, [note("x"), ...(session === "old" ? [ended("done", 1)] : [])]);
          await artefacts.writeNew(`${fileNameOf(session)}/call`, "out", new Uint8Array(9));
          await runs.within(fileNameOf(session)).replace("report.md", "text");
        }
        expect(await journal.prune({ before: 5 })).toBe(1);
        expect(await artefacts.read("old/call/out")).toBeNull();
        expect(await runs.within("old").list()).toEqual([]);
        expect(await artefacts.read("older/call/out")).toHaveLength(9);
        expect(await runs.within("older").list()).toEqual(["report.md"]);
      }));
  });
}
