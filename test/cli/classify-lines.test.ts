// `faultline classify --jsonl` answers every line, in order, with little memory, and a bad line affects only itself.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { jsonLinesOf, type Run, runCli, runShell } from "../support/run-cli.ts";

const CORPUS = readFileSync(new URL("../../corpus/failures.jsonl", import.meta.url), "utf8");
const good = (id: string | number): string =>
  JSON.stringify({ id, surface: "cli", input: { message: "API Error: 529 Overloaded" } });

function classifyLines(stdin: string | Buffer): Promise<Run> {
  return runCli(["classify", "--jsonl"], { stdin });
}

const codesOf = (run: Run): unknown[] =>
  jsonLinesOf(run).map((answer) => {
    const { id, fault } = answer as { id: unknown; fault?: { code: string } };
    return [id, fault?.code];
  });

describe("good lines", () => {
  it("answers the whole corpus, in order, with exactly the documented fields", async () => {
    const run = await classifyLines(CORPUS);
    expect({ stderr: run.stderr, exit: run.exit }).toEqual({ stderr: "", exit: "ok" });
    const answers = jsonLinesOf(run) as readonly { id: string; fault: object }[];
    const ids = CORPUS.trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { id: string }).id);
    expect(answers.map(({ id }) => id)).toEqual(ids);
    const shapes = new Set(answers.map((answer) => [Object.keys(answer), Object.keys(answer.fault)].join(" : ")));
    expect([...shapes]).toEqual(["id,fault : class,code,retryable,retryAfterMs,resetAt,rule"]);
  });

  it("reads a file as well as stdin", async () => {
    const files = { "failures.jsonl": `${good("a")}\n${good("b")}\n` };
    const run = await runCli(["classify", "--jsonl", "failures.jsonl"], { files });
    expect(run.exit).toBe("ok");
    expect(codesOf(run)).toEqual([
      ["a", "Overloaded"],
      ["b", "Overloaded"],
    ]);
  });

  it.each([
    ["a last line without its newline", `${good(1)}\n${good(2)}`],
    ["CRLF line ends", `${good(1)}\r\n${good(2)}\r\n`],
    ["empty and blank lines", `\n${good(1)}\n\n   \n\r\n${good(2)}\n\n`],
    ["a byte order mark", `\uFEFF${good(1)}\n${good(2)}\n`],
  ])("takes %s", async (_what, stdin) => {
    const run = await classifyLines(stdin);
    expect({ stderr: run.stderr, exit: run.exit }).toEqual({ stderr: "", exit: "ok" });
    expect(codesOf(run)).toEqual([
      [1, "Overloaded"],
      [2, "Overloaded"],
    ]);
  });

  it("accepts a line with bytes that are not UTF-8", async () => {
    const [head = "", tail = ""] = good("bytes").split("Overloaded");
    const run = await classifyLines(
      Buffer.concat([
        Buffer.from(`${head}Overloaded `),
        Buffer.from([0xff, 0xfe, 0xc3]),
        Buffer.from(`${tail}\n${good("next")}\n`),
      ]),
    );
    expect(run.exit).toBe("ok");
    expect(codesOf(run)).toEqual([
      ["bytes", "Overloaded"],
      ["next", "Overloaded"],
    ]);
  });

  it("accepts a character that crosses two chunks", async () => {
    const long = JSON.stringify({ id: "界", surface: "cli", input: { message: "界".repeat(100_000) } });
    const run = await classifyLines(`${long}\n${good(2)}\n`);
    expect(codesOf(run)).toEqual([
      ["界", "Unclassified"],
      [2, "Overloaded"],
    ]);
  });

  it("accepts a line of three megabytes", async () => {
    const long = JSON.stringify({ id: "long", surface: "cli", input: { message: `Overloaded ${"x".repeat(3e6)}` } });
    const run = await classifyLines(`${long}\n${good("next")}\n`);
    expect(run.exit).toBe("ok");
    expect(jsonLinesOf(run)).toMatchObject([{ id: "long", fault: {} }, { id: "next" }]);
  });

  it("prints nothing for no lines", async () => {
    expect(await classifyLines("")).toEqual({ stdout: "", stderr: "", exit: "ok" });
  });
});

describe("bad lines", () => {
  const refused = (id: unknown, line: number, field: string, message: RegExp): unknown => ({
    id,
    line,
    error: { class: "Validation", code: "ShapeInvalid", field, message: expect.stringMatching(message) as string },
  });

  it("get an error object with line and field, and the run continues", async () => {
    const lines = [
      good("first"),
      "this is not JSON",
      '{"id":"where","surface":"web","input":{}}',
      "",
      '{"id":7,"surface":"cli","input":{"message":5}}',
      '{"id":"none","surface":"cli"}',
      "[1]",
      "null",
      good("last"),
    ];
    const run = await classifyLines(lines.join("\n"));
    expect(run.exit).toBe("partial");
    expect(run.stderr).toBe("faultline: 6 lines were unusable and got an error object; 2 lines were classified.\n");
    expect(jsonLinesOf(run)).toEqual([
      expect.objectContaining({ id: "first" }),
      refused(null, 2, "", /not JSON/),
      refused("where", 3, "surface", /^surface: .*"http"/),
      refused(7, 5, "input.message", /^input\.message: .*string.*number/),
      refused("none", 6, "input", /^input: /),
      refused(null, 7, "", /object/),
      refused(null, 8, "", /object/),
      expect.objectContaining({ id: "last" }),
    ]);
  });

  it("make the command fail if there was no good one", async () => {
    const run = await classifyLines("nope\n");
    expect(run.exit).toBe("failed");
    expect(jsonLinesOf(run)).toEqual([refused(null, 1, "", /not JSON/)]);
  });

  it("that are too long are refused by number, and the next one is answered", async () => {
    const run = await classifyLines(`${"x".repeat(17 * 1024 * 1024)}\n${good("next")}\n`);
    expect(run.exit).toBe("partial");
    expect(jsonLinesOf(run)).toEqual([refused(null, 1, "", /longer than/), expect.objectContaining({ id: "next" })]);
  });

  it.each([
    ["missing", "nowhere.jsonl", "there is no such file"],
    ["a folder", ".", "it is a folder"],
  ])("a file that is %s is a wrong call", async (_what, path, why) => {
    const run = await runCli(["classify", "--jsonl", path]);
    expect(run).toEqual({ stdout: "", stderr: `faultline: Cannot read ${path}: ${why}.\n`, exit: "usage" });
  });
});

describe("many lines", () => {
  const LINES = 100_000;

  function* generated(): Generator<string> {
    for (let id = 0; id < LINES; id += 1000)
      yield Array.from({ length: 1000 }, (_, offset) => `${good(id + offset)}\n`).join("");
  }

  it("need no more memory than few", async () => {
    const run = await runCli(["classify", "--jsonl"], { stdin: generated(), nodeArgs: ["--max-old-space-size=64"] });
    expect({ stderr: run.stderr, exit: run.exit }).toEqual({ stderr: "", exit: "ok" });
    const ids = [...run.stdout.matchAll(/^\{"id":(\d+),/gm)].map(([, id]) => Number(id));
    expect(ids).toEqual(Array.from({ length: LINES }, (_, id) => id));
  });

  it("may be cut off by the reader: a closed pipe is a normal end", async () => {
    const run = await runShell('{ faultline classify --jsonl; echo "exit $?" >&2; } | head -1', { stdin: generated() });
    expect(run.stderr).toBe("exit 0\n");
    expect(codesOf(run)).toEqual([[0, "Overloaded"]]);
  });
});
