// Files of a journal in a bucket of a real S3 server: the same as in a folder or a database, gone with their session, moved with a copy, and no
// key in any message.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { isFaultError } from "../../../src/core/fault/fault.ts";
import { copyJournal } from "../../../src/journal/copy/copy-journal.ts";
import { openBucketFiles } from "../../../src/journal/files/bucket-store.ts";
import type { Journal } from "../../../src/journal/journal.ts";
import { openJournal } from "../../../src/journal/open-journal.ts";
import { ended, note } from "../../../src/testing/journal-samples.ts";
import { freshJournalUrl } from "../../postgres/shared-server.ts";
import { type S3Server, startS3 } from "../../support/s3-server.ts";
import { tempFolder } from "../temp-folder.ts";

let s3: S3Server;
const before = { ...process.env };
const atEnd: (() => unknown)[] = [];

beforeAll(async () => {
  s3 = await startS3();
  Object.assign(process.env, s3.env);
});
afterAll(async () => {
  process.env = before;
  await s3.stop();
});
afterEach(async () => {
  for (const undo of atEnd.splice(0).reverse()) await undo();
});

let prefixes = 0;
const newPlace = (): string => `s3://${s3.bucket}/team ${++prefixes}/ä`;

async function withFiles(files: string): Promise<string> {
  const url = new URL(await freshJournalUrl());
  url.searchParams.set("files", files);
  return url.href;
}

async function open(url: string): Promise<Journal> {
  const journal = await openJournal(url);
  atEnd.push(() => journal.close());
  return journal;
}

const bytes = (text: string): Uint8Array => Buffer.from(text);

async function saidBy(refused: Promise<unknown>): Promise<string> {
  const error: unknown = await refused.then(
    () => new Error("it was not refused"),
    (thrown: unknown) => thrown,
  );
  if (!isFaultError(error)) throw error;
  return [error.message, JSON.stringify(error.fault), String(error.stack), String(error.cause)].join("\n");
}

describe("files in a bucket", () => {
  it.each(["", "x", "€ 💥", "z".repeat(3_000_000)])("are read back unchanged (case %#)", async (text) => {
    const { artefacts } = await openBucketFiles(newPlace());
    const name = await artefacts.writeNew("s/c", "out.txt", bytes(text));
    expect(name).toBe("out.txt");
    expect(Buffer.from((await artefacts.read("s/c/out.txt")) ?? []).equals(bytes(text))).toBe(true);
    expect(await artefacts.read("s/c/other.txt")).toBeNull();
  });

  it("get a number when their name is taken, are replaced whole, and are listed in order within their folder", async () => {
    const { artefacts, runs } = await openBucketFiles(newPlace());
    const names = ["a", "a", "a"].map(() => "a b+c&<ü>.txt");
    const given: string[] = [];
    for (const name of names) given.push(await runs.writeNew("r", name, bytes(name)));
    expect(given).toEqual(["a b+c&<ü>.txt", "a b+c&<ü>.txt~2", "a b+c&<ü>.txt~3"]);
    await runs.replace("r/z", "first, and longer");
    await runs.replace("r/z", "second");
    expect(Buffer.from((await runs.read("r/z")) ?? []).toString()).toBe("second");
    expect(await runs.list()).toEqual([...given.map((name) => `r/${name}`), "r/z"].toSorted());
    expect(await runs.within("r").list()).toEqual([...given, "z"].toSorted());
    expect(await artefacts.list()).toEqual([]);
  });

  it("are listed page by page, however many there are", async () => {
    const { artefacts } = await openBucketFiles(newPlace());
    const paths = Array.from({ length: 1_100 }, (_, index) => `s/${String(index).padStart(5, "0")}`);
    for (let from = 0; from < paths.length; from += 100)
      await Promise.all(paths.slice(from, from + 100).map((path) => artefacts.replace(path, "")));
    expect(await artefacts.list()).toEqual(paths);
  });
});

describe("a journal in PostgreSQL with files in a bucket", () => {
  it("keeps them there for every process, also for one whose address does not name the bucket", async () => {
    const url = await withFiles(newPlace());
    const journal = await open(url);
    await journal.files?.artefacts.writeNew("s/c", "out", bytes("there"));
    const plain = new URL(url);
    plain.searchParams.delete("files");
    const other = await open(plain.href);
    expect(Buffer.from((await other.files?.artefacts.read("s/c/out")) ?? []).toString()).toBe("there");
  });

  it("removes the files of a session with it, and no others", async () => {
    const journal = await open(await withFiles(newPlace()));
    for (const session of ["old", "older", "new"]) {
      await journal.append(session, 0, session === "new" ? [note("x")] : [note("x"), ended("done", 1)]);
      await journal.files?.artefacts.replace(`${session}/c/out`, session);
      await journal.files?.runs.replace(`${session}/report.md`, session);
    }
    expect(await journal.prune({ before: 5 })).toBe(2);
    expect(await journal.files?.artefacts.list()).toEqual(["new/c/out"]);
    expect(await journal.files?.runs.list()).toEqual(["new/report.md"]);
  });

  it("is copied with its files: from a folder to a bucket, to a database, and back to a folder", async () => {
    const folder = tempFolder();
    atEnd.push(() => folder.remove());
    const [first, last] = [folder.file("first.db"), folder.file("last.db")];
    const journal = await openJournal(first);
    await journal.append("s", 0, [note("x")]);
    await journal.files?.runs.replace("s/report.md", "what happened");
    await journal.close();
    const places = [first, await withFiles(newPlace()), await freshJournalUrl(), last];
    for (const [index, to] of places.slice(1).entries()) {
      const counts = await copyJournal(places[index] ?? "", to);
      expect(counts).toMatchObject({ entries: 1, files: 1 });
      const copy = await openJournal(to);
      expect(Buffer.from((await copy.files?.runs.read("s/report.md")) ?? []).toString()).toBe("what happened");
      await copy.close();
    }
  });

  it("is refused with another bucket than the one it has, and with a bucket when its files are in the database", async () => {
    const url = await withFiles(newPlace());
    await (await openJournal(url)).close();
    const other = new URL(url);
    other.searchParams.set("files", newPlace());
    expect(await saidBy(openJournal(other.href))).toContain("keeps its files in s3://journal-files/");
    const plain = await freshJournalUrl();
    const journal = await openJournal(plain);
    await journal.files?.runs.replace("r/a", "x");
    await journal.close();
    const moved = new URL(plain);
    moved.searchParams.set("files", newPlace());
    expect(await saidBy(openJournal(moved.href))).toContain("has files in its database");
    expect(await saidBy(withFiles("https://example.org").then((bad) => openJournal(bad)))).toContain(
      "s3://bucket/prefix",
    );
  });
});

describe("a bucket that cannot be used", () => {
  const SECRET = "planted-bucket-secret";

  it.each([
    [
      "has another key",
      { AWS_SECRET_ACCESS_KEY: SECRET, AWS_ACCESS_KEY_ID: `${SECRET}-id` },
      /refused: 403 InvalidAccessKeyId\. Check AWS_ACCESS_KEY_ID/,
    ],
    ["has no key", { AWS_SECRET_ACCESS_KEY: "" }, /Set AWS_ACCESS_KEY_ID/],
    ["is not there", { AWS_ENDPOINT_URL: "http://127.0.0.1:9" }, /does not answer/],
    ["has a password in its address", { AWS_ENDPOINT_URL: `http://user:${SECRET}@127.0.0.1:9` }, /without a user/],
    ["has no address", { AWS_ENDPOINT_URL: SECRET }, /must be an address/],
  ])("is named with what to do, without its keys: it %s", { timeout: 30_000 }, async (_what, env, message) => {
    const use = async (): Promise<unknown> =>
      (await openBucketFiles(newPlace(), { ...process.env, ...env })).artefacts.read("a/b");
    const said = await saidBy(use());
    expect(said).toMatch(message);
    expect(said).not.toContain(SECRET);
  });

  it.each([
    { status: 400, isOfKeys: false },
    { status: 401, isOfKeys: true },
    { status: 403, isOfKeys: true },
    { status: 405, isOfKeys: false },
  ])("says to check the keys if they are the cause: status $status", async ({ status, isOfKeys }) => {
    const server = createServer((_request, response) => response.writeHead(status).end("<Code>Refused</Code>"));
    onTestFinished(() => void server.close());
    await once(server.listen(0, "127.0.0.1"), "listening");
    const { port } = server.address() as AddressInfo;
    const env = { ...process.env, AWS_ENDPOINT_URL: `http://127.0.0.1:${port}` };
    const read = async (): Promise<unknown> => (await openBucketFiles(newPlace(), env)).artefacts.read("a/b");
    const said = await saidBy(read());
    expect(said).toContain(`refused: ${status} Refused.`);
    expect(said.includes("Check AWS_ACCESS_KEY_ID")).toBe(isOfKeys);
  });
});
