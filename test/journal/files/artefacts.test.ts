// Artefacts: safe names, no secrets, a size limit, and nothing lost that fits.

import fc from "fast-check";
import { isUtf8 } from "node:buffer";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve, sep } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createRedactor, REDACTED, SHAPE_REDACTOR } from "../../../src/core/fault/redact.ts";
import {
  artefactsFolder,
  fit,
  keepArtefact,
  readArtefact,
  removeArtefacts,
} from "../../../src/journal/files/artefacts.ts";
import { sha256 } from "../../../src/journal/chain.ts";
import { fileNameOf, isFileName } from "../../../src/journal/files/artefact-names.ts";
import { folderStore } from "../../../src/journal/files/file-store.ts";
import { codeOf } from "../../../src/testing/journal-samples.ts";
import { tempFolder, type TempFolder } from "../temp-folder.ts";
import { samples } from "../../support/grid.ts";
import { anyText } from "../../support/any-text.ts";

let folder: TempFolder;
let place: string;
beforeEach(() => {
  folder = tempFolder();
  place = artefactsFolder(folder.file("journal.db"));
});
afterEach(() => folder.remove());

const keep = (content: string | Uint8Array, name = "stdout.txt", maxBytes = 1_048_576) =>
  keepArtefact(
    folderStore(place),
    { session: "ses_1", call: "call_1", name, content },
    { redactor: SHAPE_REDACTOR, maxBytes },
  );
const textOf = async (ref: string): Promise<string> => Buffer.from((await readArtefact(place, ref)) ?? []).toString();

describe("an artefact", () => {
  it("is stored beside the journal, readable only by its owner, and reads back unchanged", async () => {
    const kept = await keep("line 1\nline 2 \ud83d\ude00\n");
    expect(kept).toEqual({ ref: "ses_1/call_1/stdout.txt", bytes: 19, cut: false });
    const path = folder.file("journal.db.artefacts/ses_1/call_1/stdout.txt");
    expect(readFileSync(path, "utf8")).toBe("line 1\nline 2 \ud83d\ude00\n");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(place, "ses_1")).mode & 0o777).toBe(0o700);
    expect(await textOf(kept.ref)).toBe("line 1\nline 2 \ud83d\ude00\n");
  });

  it("with a name that exists gets a number, so that journaled references stay valid", async () => {
    const refs = [];
    for (const content of ["one", "two", "three"]) refs.push((await keep(content)).ref);
    expect(refs).toEqual(["stdout.txt", "stdout.txt~2", "stdout.txt~3"].map((name) => `ses_1/call_1/${name}`));
    expect(await Promise.all(refs.map(textOf))).toEqual(["one", "two", "three"]);
  });

  it("is removed with its session", async () => {
    const { ref } = await keep("x");
    removeArtefacts(place, "ses_1");
    removeArtefacts(place, "ses_1");
    expect(await readArtefact(place, ref)).toBeNull();
    expect(readdirSync(place)).toEqual([]);
  });

  it("that cannot be written makes the store unavailable", async () => {
    writeFileSync(place, "a file where a folder should be");
    expect(await codeOf(keep("x"))).toBe("StoreUnavailable");
    expect(await codeOf(readArtefact(place, "a/b/c"))).toBe("StoreUnavailable");
    expect(await codeOf(keep("x", "name", 10))).toBe("ShapeInvalid");
    expect(await codeOf(keep("x", ""))).toBe("ShapeInvalid");
  });

  it("is not found by a reference that leads elsewhere", async () => {
    writeFileSync(folder.file("secret"), "x");
    for (const ref of [
      "../secret",
      "a/../../secret",
      "..",
      "a/b/../..",
      "a/b",
      "a/b/c/d",
      "/etc/passwd",
      "a//b",
      "a/b/.",
      "a/b\\..\\c/d",
      "a/b/c\0",
    ]) {
      expect(await codeOf(readArtefact(place, ref))).toBe("ShapeInvalid");
    }
  });
});

describe("names of files", () => {
  it("stay inside their folder, stay distinct and are accepted again, for any characters", () => {
    const nasty = fc.oneof(
      anyText({ minLength: 1, maxLength: 300 }),
      fc.constantFrom(
        "..",
        ".",
        "../../x",
        "/etc/passwd",
        "C:\\x",
        "con",
        "NUL.txt",
        "a.",
        ".hidden",
        "a/b",
        "%2E",
        "~2",
        "x~2",
        "-",
      ),
    );
    fc.assert(
      fc.property(nasty, nasty, (a, b) => {
        const [nameA, nameB] = [fileNameOf(a), fileNameOf(b)];
        expect(isFileName(nameA)).toBe(true);
        expect(resolve("/root", nameA).startsWith(`/root${sep}`)).toBe(true);
        expect(nameA.length).toBeLessThanOrEqual(120);
        expect(nameA).toMatch(/^[A-Za-z0-9._%~-]+$/);
        // Lone surrogates cannot be distinguished once written.
        if (a.toWellFormed() !== b.toWellFormed()) expect(nameA).not.toBe(nameB);
      }),
    );
    expect(["../x", "con", "NUL.txt", "a b", "a.", "ü"].map(fileNameOf)).toEqual([
      "%2E.%2Fx",
      "%63on",
      "%4EUL.txt",
      "a%20b",
      "a%2E",
      "%C3%BC",
    ]);
  });

  it.each([
    ["a".repeat(120), "a".repeat(120)],
    ["a".repeat(121), `${"a".repeat(80)}~${sha256("a".repeat(121)).slice(0, 24)}`],
    [`${"a".repeat(118)}ü`, `${"a".repeat(80)}~${sha256(`${"a".repeat(118)}ü`).slice(0, 24)}`],
    [".", "%2E"],
    ["..", "%2E%2E"],
    [".a.", "%2Ea%2E"],
    ["a.b", "a.b"],
    ["com1.txt", "%63om1.txt"],
    ["com1x", "com1x"],
    ["lpt9", "%6Cpt9"],
    ["console", "console"],
    ["\t~", "%09%7E"],
  ])("%j is %j", (name, file) => {
    expect(fileNameOf(name)).toBe(file);
  });
});

describe("the kept part of an artefact", () => {
  it.each(["a", "é", "ก", "€", "😀"])("never ends or begins inside a character such as %s", (letter) => {
    const text = letter.repeat(2_000);
    for (let maxBytes = 900; maxBytes < 916; maxBytes++) {
      const { bytes, cut } = fit(text, maxBytes, createRedactor());
      const kept = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
      expect([cut, bytes.length <= maxBytes]).toEqual([true, true]);
      expect(kept.startsWith(letter) && kept.endsWith(letter)).toBe(true);
      // No letter is left out for which there is room.
      const [size, mark] = [Buffer.byteLength(letter), Buffer.byteLength(kept.replaceAll(letter, ""))];
      const tail = Math.floor((maxBytes - mark) / 2);
      const letters = Math.floor((maxBytes - mark - tail) / size) + Math.floor(tail / size);
      expect(bytes.length).toBe(mark + letters * size);
    }
  });

  const redactor = createRedactor(["correct-horse-battery"]);

  it("contains no secrets, in text and in bytes", async () => {
    const key = "sk-ant-api03-AAAABBBBCCCCDDDD";
    expect(await textOf((await keep(`key ${key} end`)).ref)).toBe(`key ${REDACTED} end`);
    const binary = Buffer.concat([Buffer.from([0, 255, 254, 128]), Buffer.from(key), Buffer.from([200, 0])]);
    const { ref } = await keep(binary, "core.bin");
    const expected = Buffer.concat([Buffer.from([0, 255, 254, 128]), Buffer.from(REDACTED), Buffer.from([200, 0])]);
    expect(await readArtefact(place, ref)).toEqual(expected);
  });

  it.each<[string, readonly number[]]>([
    ["an emoji without its last byte, which takes as many bytes as the sign for an unknown letter", [0xf0, 0x9f, 0x98]],
    ["a letter without its last byte", [0xc3]],
    ["a byte that begins no letter", [0xff]],
    ["the sign for an unknown letter itself", [0xef, 0xbf, 0xbd]],
    ["a letter", [0xc3, 0xa9]],
  ])("keeps every byte, also of %s", (_what, bytes) => {
    const given = Buffer.from([0x61, ...bytes, 0x62]);
    expect(Buffer.from(fit(given, 1_000, createRedactor()).bytes)).toEqual(given);
  });

  it.each([0, 1, 2, 3])("is read in pieces that split no letter, after %i other letters", (letters) => {
    const text = `${"x".repeat(letters)}${"😀".repeat(150_000)}`;
    expect(Buffer.from(fit(text, 10_000_000, redactor).bytes).toString()).toBe(text);
  });

  it.each([
    [1_048_575, false],
    [1_048_576, false],
    [1_048_577, true],
  ])("of %i bytes is cut when no limit is given: %s", async (size, cut) => {
    const artefact = { session: "ses_1", call: "call_1", name: "log", content: "x".repeat(size) };
    const kept = await keepArtefact(folderStore(place), artefact, { redactor: SHAPE_REDACTOR });
    expect([kept.cut, kept.bytes]).toEqual([cut, Math.min(size, 1_048_576)]);
  });

  it("may be limited to 256 bytes, and not to fewer", async () => {
    expect(await keep("x", "name", 256)).toMatchObject({ bytes: 1 });
    expect([await codeOf(keep("x", "name", 255)), await codeOf(keep("x", "name", NaN))]).toEqual([
      "ShapeInvalid",
      "ShapeInvalid",
    ]);
  });

  it("is everything if it fits, even if it is longer than the redactor reads at a time", () => {
    const text = Array.from({ length: 20_000 }, (_, index) => `line ${index} of a long log\n`).join("");
    expect(text.length).toBeGreaterThan(400_000);
    const { bytes, cut } = fit(text, 1_048_576, redactor);
    expect(cut).toBe(false);
    expect(Buffer.from(bytes).toString()).toBe(text);
  });

  it.each([1, 11, 20])("contains no part of a secret of which %i letters are in one piece", (letters) => {
    const secret = "correct-horse-battery";
    const before = "plain words ".repeat(11_000).slice(0, 131_072 - letters - 1);
    const { bytes } = fit(`${before} ${secret} end`, 1_048_576, redactor);
    expect(Buffer.from(bytes).toString()).toBe(`${before} ${REDACTED} end`);
  });

  it("is the head and the tail with a mark between if it does not", () => {
    const text = `first line\n${"middle\n".repeat(100_000)}last line \ud83d\ude00\n`;
    const { bytes, cut } = fit(text, 4096, redactor);
    const kept = Buffer.from(bytes).toString();
    expect(cut).toBe(true);
    expect(bytes.length).toBeLessThanOrEqual(4096);
    expect(bytes.length).toBeGreaterThan(4000);
    expect(kept.startsWith("first line\nmiddle\n")).toBe(true);
    expect(kept.endsWith("middle\nlast line \ud83d\ude00\n")).toBe(true);
    expect(kept).toContain(`cut here: ${Buffer.byteLength(text)} bytes were given, 4096 are kept`);
    expect(kept).not.toContain("\ufffd");
  });

  it("never contains part of a secret, wherever the cuts fall", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 131_072 - 80, max: 131_072 + 80 }),
        fc.constantFrom(
          "correct-horse-battery",
          "sk-ant-api03-AAAABBBBCCCCDDDD",
          `ghp_${"a1".repeat(20)}`,
          `Bearer ${"a1B2".repeat(12)}`,
        ),
        fc.constantFrom("x", " ", "word "),
        fc.constantFrom(600_000, 4096),
        (at, secret, filler, maxBytes) => {
          const before = filler.repeat(Math.ceil(at / filler.length)).slice(0, at);
          const text = `${before} ${secret} ${filler.repeat(Math.ceil(160_000 / filler.length))} ${secret} ${before.slice(0, at - 129_000)}`;
          const kept = Buffer.from(fit(text, maxBytes, redactor).bytes).toString();
          for (let start = 0; start + 12 <= secret.length; start += 4) {
            expect(kept.includes(secret.slice(start, start + 12)) && secret.slice(start, start + 12)).toBe(false);
          }
        },
      ),
      { numRuns: samples(20, 60) },
    );
  });

  it("has no broken character and wastes no room, however little room there is beside the mark", () => {
    const text = "😀".repeat(1_000);
    const markBytes = Buffer.byteLength("\n… cut here: 4000 bytes were given, 99 are kept …\n");
    for (let maxBytes = markBytes; maxBytes < 99; maxBytes++) {
      const { bytes } = fit(text, maxBytes, redactor);
      expect([maxBytes, isUtf8(bytes)]).toEqual([maxBytes, true]);
      // At most three bytes of a character at each side of the mark.
      expect(bytes.length).toBeGreaterThanOrEqual(maxBytes - 6);
    }
  });

  it("never splits a character and never exceeds the limit", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 2000, size: "max" }),
        fc.integer({ min: 256, max: 3000 }),
        (text, maxBytes) => {
          const { bytes, cut } = fit(text, maxBytes, redactor);
          expect(bytes.length).toBeLessThanOrEqual(maxBytes);
          expect(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)).toBeTypeOf("string");
          if (!cut) expect(Buffer.from(bytes).toString()).toBe(redactor.text(text.toWellFormed()));
        },
      ),
    );
  });
});
