// A file or a folder that the system refuses ends every command with a sentence, exit code 2 and no stack. The commands run as a user
// without rights.

import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fault, FaultError } from "../../src/core/index.ts";
import { refusedBySystem, refusedFile } from "../../src/cli/system-refusal.ts";
import { runCli } from "../support/run-cli.ts";
import { type Folder, newFolder, writeTrip } from "./journals.ts";
import { GATED } from "./workflow-world.ts";

const GATEWAY = `version: 1
targets: { a: { dialect: openai-chat, base_url: "http://127.0.0.1:1/v1" } }
routes: { team: { chain: [a/gpt-4o] } }
`;

let folder: Folder;

beforeAll(async () => {
  folder = newFolder();
  chmodSync(folder.path, 0o755);
  writeFileSync(folder.file("gated.yaml"), GATED);
  writeFileSync(folder.file("gateway.yaml"), GATEWAY);
  writeFileSync(folder.file("a-file"), "");
  await writeTrip(folder.file("trip.db"));
  chmodSync(folder.file("trip.db"), 0o644);
  const { stdout } = await runCli(["journal", "export", folder.file("trip.db"), "trip-42"]);
  writeFileSync(folder.file("trip.jsonl"), stdout);
  // A copy opens the journal it reads from for writing.
  mkdirSync(folder.file("open"));
  chmodSync(folder.file("open"), 0o777);
  chmodSync(folder.copy(folder.file("trip.db"), "open/trip.db"), 0o666);
  mkdirSync(folder.file("closed"));
  chmodSync(folder.file("closed"), 0o555);
  await writeTrip(folder.file("secret.db"));
  chmodSync(folder.file("secret.db"), 0o000);
  mkdirSync(folder.file("private"));
  chmodSync(folder.file("private"), 0o700);
});
afterAll(() => {
  chmodSync(folder.file("closed"), 0o755);
  folder.remove();
});

const NO_FOLDER =
  "Cannot create the folder {}/closed/.faultline: permission denied. Choose a folder that you can write to.";
const NO_JOURNAL = "Cannot create {}/closed/new.db: permission denied. Choose a folder that you can write to.";

/** In a folder that the user cannot write to. */
const MAKERS: readonly (readonly [command: string, sentence: string])[] = [
  ["serve --port 0", NO_FOLDER],
  ["worker", NO_FOLDER],
  ["gateway --config ../gateway.yaml --port 0", NO_FOLDER],
  ["workflow run ../gated.yaml", NO_FOLDER],
  ["token add ci", NO_FOLDER],
  ["run --journal .faultline/journal.db -- true", NO_FOLDER],
  ["serve --port 0 --journal new.db", NO_JOURNAL],
  ["worker --journal new.db", NO_JOURNAL],
  ["gateway --config ../gateway.yaml --port 0 --journal new.db", NO_JOURNAL],
  ["workflow run ../gated.yaml --journal new.db", NO_JOURNAL],
  ["run --journal new.db -- true", NO_JOURNAL],
  ["journal copy ../open/trip.db new.db", NO_JOURNAL],
  ["journal import new.db ../trip.jsonl --adopt", NO_JOURNAL],
  ["journal export ../trip.db trip-42 -o new.jsonl", "Cannot write new.jsonl: permission denied."],
  ["token add ci --journal new.db", "Cannot open {}/closed/.tokens.lock: permission denied."],
  ["init gateway .", "Cannot write {}/closed/gateway.faultline.yaml: permission denied."],
  [
    "init team new",
    "Cannot create the folder {}/closed/new: permission denied. Choose a folder that you can write to.",
  ],
];

/** The path leads through a file. */
const THROUGH_A_FILE: readonly (readonly [command: string, sentence: string])[] = [
  [
    "serve --port 0 --journal ../a-file/j.db",
    "Cannot write the journal ../a-file/j.db: a part of its path is a file. Name another place.",
  ],
  ["worker --journal ../a-file/j.db", "Cannot create the folder {}/a-file: a part of its path is a file."],
  ["run --journal ../a-file/j.db -- true", "Cannot create the folder {}/a-file: a part of its path is a file."],
  ["token add ci --journal ../a-file/x/j.db", "Cannot open {}/a-file/x: a part of its path is a file."],
];

/** The system lets no user make anything there, and says "no such file". */
const NOT_ALLOWED: readonly (readonly [command: string, sentence: string])[] = [
  [
    "gateway --config ../gateway.yaml --port 0 --journal /proc/x/j.db",
    "Cannot create the folder /proc/x: the system does not allow a new folder there. Choose a folder that you can write to.",
  ],
  [
    "serve --port 0 --journal /proc/j.db",
    "Cannot create /proc/j.db: the system does not allow a new file there. Choose a folder that you can write to.",
  ],
];

/** Commands that write another user's journal, without permission to read it or to enter its folder. */
const WRITERS: readonly (readonly [words: readonly string[], journal: string])[] = [
  [["gateway", "--config", "{}/gateway.yaml", "--port", "0", "--journal"], "secret.db"],
  [["gateway", "--config", "{}/gateway.yaml", "--port", "0", "--journal"], "private/j.db"],
  [["serve", "--port", "0", "--journal"], "secret.db"],
  [["serve", "--port", "0", "--journal"], "private/j.db"],
  [["worker", "--journal"], "secret.db"],
  [["run", "--journal"], "secret.db"],
];

/** Commands that read it. */
const READERS: readonly (readonly string[])[] = [
  ["runs", "list", "--journal"],
  ["journal", "verify"],
  ["journal", "sessions"],
  ["journal", "questions"],
];

describe("a command", () => {
  it.each([...MAKERS, ...THROUGH_A_FILE, ...NOT_ALLOWED])(
    "that cannot write says so in one sentence: %s",
    async (command, sentence) => {
      const got = await runCli(command.split(" "), { asNobody: true, isHere: true, folder: folder.file("closed") });
      expect(got).toEqual({ stdout: "", stderr: `faultline: ${sentence.replace("{}", folder.path)}\n`, exit: "usage" });
    },
  );

  it.each(WRITERS)("that cannot write a journal says so, and what to do: %j %s", async (words, name) => {
    const journal = folder.file(name);
    const named = words.map((word) => word.replace("{}", folder.path));
    const command = words[0] === "run" ? ["--", "true"] : [];
    const got = await runCli([...named, journal, ...command], { asNobody: true, isHere: true, folder: folder.path });
    const next = "Get write permission for the file and its folder, or name another place.";
    expect(got).toEqual({
      stdout: "",
      stderr: `faultline: Cannot write the journal ${journal}: permission denied. ${next}\n`,
      exit: "usage",
    });
  });

  it.each(READERS.map((words) => [words]))("that cannot read a journal says so in one sentence: %j", async (words) => {
    const secret = folder.file("secret.db");
    const got = await runCli([...words, secret], { asNobody: true, isHere: true, folder: folder.path });
    expect(got).toEqual({
      stdout: "",
      stderr: `faultline: Cannot open ${secret}: permission denied.\n`,
      exit: "usage",
    });
  });
});

// What a full or a read-only disk throws cannot be produced here, so these errors have the shape that Node gives them.
const thrown = (code: string, syscall: string, path?: string): Error =>
  Object.assign(new Error(`${code}: ${syscall}`), { code, syscall, ...(path === undefined ? {} : { path }) });

describe("what the system refuses", () => {
  it.each([
    ["EROFS", "Cannot create the folder /x: the disk is read-only. Choose a folder that you can write to."],
    ["ENOSPC", "Cannot create the folder /x: the disk is full. Free some space, or choose a folder on another disk."],
    [
      "EDQUOT",
      "Cannot create the folder /x: your disk quota is used up. Free some space, or choose a folder on another disk.",
    ],
    ["EACCES", "Cannot create the folder /x: permission denied. Choose a folder that you can write to."],
    ["EPERM", "Cannot create the folder /x: permission denied. Choose a folder that you can write to."],
    ["ENOTDIR", "Cannot create the folder /x: a part of its path is a file."],
    ["EEXIST", "Cannot create the folder /x: a part of its path is a file."],
    [
      "ENOENT",
      "Cannot create the folder /x: the system does not allow a new folder there. Choose a folder that you can write to.",
    ],
    ["ENAMETOOLONG", "Cannot create the folder /x: the name is too long."],
    ["ELOOP", "Cannot create the folder /x: the links in its path lead in a circle."],
  ])("is a sentence in both languages: %s", (code, sentence) => {
    const said = refusedBySystem(thrown(code, "mkdir", "/x"));
    const exit = sentence.includes("Free some space") ? "failed" : "usage";
    expect([said?.exit, said?.in("en")]).toEqual([exit, sentence]);
    expect(said?.in("zh-CN")).toMatch(/^无法创建文件夹 \/x：[^A-Za-z]+。$/);
  });

  it("differs from a bug of Faultline", () => {
    expect(refusedBySystem(new TypeError("x is not a function"))).toBeNull();
    expect(refusedBySystem(thrown("ENOENT", "open", "/our/own/file"))).toBeNull();
    expect(refusedBySystem(thrown("EACCES", "listen"))).toBeNull();
    expect(refusedBySystem(undefined)).toBeNull();
  });

  it("names the journal and not the files beside it", () => {
    const readonly = Object.assign(new Error("attempt to write a readonly database"), { errcode: 8 | (1 << 8) });
    expect(refusedBySystem(readonly, "/x/j.db", true)?.in("en")).toBe("Cannot open /x/j.db: permission denied.");
    expect(refusedBySystem(readonly, "/x/j.db")?.in("en")).toBe(
      "Cannot write the journal /x/j.db: permission denied. Get write permission for the file and its folder, or name another place.",
    );
    expect(refusedBySystem(thrown("ENOENT", "open", "/x/other"), "/x/j.db")).toBeNull();
    expect(refusedBySystem(thrown("EROFS", "open", "/x/j.db.new_1"), "/x/j.db")?.in("en")).toBe(
      "Cannot create /x/j.db: the disk is read-only. Choose a folder that you can write to.",
    );
  });

  it("says of a full disk that the file cannot be written, which is not wrong usage", () => {
    const full = Object.assign(new Error("database or disk is full"), { errcode: 13 });
    const inFault = new FaultError(fault("StoreUnavailable", { context: { path: "/y/target.db" } }), { cause: full });
    for (const [error, path] of [
      [full, "/x/j.db"],
      [inFault, "/y/target.db"],
      [thrown("ENOSPC", "write", "/x/j.db"), "/x/j.db"],
    ] as const) {
      const said = refusedBySystem(error, "/x/j.db");
      const sentence = `Cannot write ${path}: the disk is full. Free some space, or choose a folder on another disk.`;
      expect([said?.exit, said?.in("en")]).toEqual(["failed", sentence]);
    }
  });

  it("keeps a code that has no words", () => {
    expect(refusedFile("read", "/x", thrown("EIO", "read")).in("en")).toBe("Cannot read /x: EIO.");
  });
});
