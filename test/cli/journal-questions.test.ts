// A person answers a waiting program from a shell, and the program continues with the answer.

import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openJournal, type Question } from "../../src/index.ts";
import { jsonOf, type Run, runCli } from "../support/run-cli.ts";
import { FAR_AHEAD, type Folder, HIDDEN, newFolder, NOON, runAsking } from "./journals.ts";

let folder: Folder;
let agent = "";

beforeEach(() => {
  folder = newFolder();
  agent = folder.file("agent.db");
});
afterEach(() => folder.remove());

function journal(...args: readonly string[]): Promise<Run> {
  return runCli(["journal", ...args]);
}

type Kinds = Readonly<Record<string, string>>;

/** The ids of the open questions, by kind. */
async function idsByKind(): Promise<Kinds> {
  const questions = jsonOf(await journal("questions", agent, "--json")) as readonly Question[];
  return Object.fromEntries(questions.map(({ id, payload }) => [payload.kind, id]));
}

async function put(payload: object, id = "q_1", session = "s"): Promise<void> {
  const store = await openJournal(agent);
  const question = { id, call: "c", turn: "t", session, code: null, payload, askedAt: NOON, expiresAt: FAR_AHEAD };
  await store.keep([{ kind: "question", key: id, value: question }]);
  await store.close();
}

async function keptAnswer(id = "q_1"): Promise<unknown> {
  const store = await openJournal(agent);
  const answer = await store.kept("answer", id);
  await store.close();
  return answer;
}

describe("journal questions", () => {
  it("lists what waits for a person, and how to answer it", async () => {
    await runAsking(agent, FAR_AHEAD);
    const { Approve = "", Ask = "", Select = "" } = await idsByKind();
    const { stdout, stderr, exit } = await journal("questions", agent);
    expect({ stderr, exit }).toEqual({ stderr: "", exit: "ok" });
    expect(stdout).toContain(`${Select}  Select  session report-3  counts as a no after 2999-01-08 00:00 UTC
  model: The account's quota or credit for this service is used up. What now?
    retry  Try again now
    fail  Give up
  $ faultline journal answer ${agent} ${Select} retry|fail
`);
    expect(stdout).toContain(`  $ faultline journal answer ${agent} ${Approve} yes|no\n`);
    expect(stdout).toContain(`  $ faultline journal answer ${agent} ${Ask} '…'\n`);
  });

  it("shows that a question has expired", async () => {
    await runAsking(agent, NOON);
    const { stdout } = await journal("questions", agent);
    expect(stdout).toContain("expired at 2025-01-22 12:00 UTC: without an answer it counts as a no");
  });

  it("shows where to sign in, and with which code", async () => {
    await put({ kind: "Auth.DeviceCode", prompt: "Sign in.", url: "https://example.org/device", code: "ABCD-1234" });
    const { stdout } = await journal("questions", agent);
    expect(stdout).toContain("  Sign in.\n    open https://example.org/device\n    enter ABCD-1234\n");
    expect(stdout).toContain("q_1 yes|no\n");
  });

  it("says that there are no open questions", async () => {
    await (await openJournal(agent)).close();
    expect(await journal("questions", agent)).toEqual({
      stdout: "",
      stderr: "There are no open questions.\n",
      exit: "ok",
    });
    expect(jsonOf(await journal("questions", agent, "--json"))).toEqual([]);
  });

  it("shows no secret, neutralises control characters, and quotes what a shell would run", async () => {
    await put({ kind: "Confirm", prompt: `Delete ${HIDDEN.join("")} now?` }, "q';rm -rf ~;'");
    await put({ kind: "Select" }, "q_torn");
    const { stdout, stderr } = await journal("questions", agent);
    expect(stdout).toContain("Delete [redacted] now?");
    for (const hidden of HIDDEN) expect(stdout).not.toContain(hidden);
    expect(stdout).toContain(String.raw`'q'\'';rm -rf ~;'\'''`);
    expect(stderr).toBe("1 question cannot be read and is not listed.\n");
  });
});

describe("journal answer", () => {
  it("lets the program continue where it waited", async () => {
    expect((await runAsking(agent, FAR_AHEAD)).status).toBe("waiting");
    const { Approve = "", Ask = "", Select = "" } = await idsByKind();
    expect(await journal("answer", agent, Approve, "yes", "--by", "ada")).toEqual({
      stdout: `✓ question ${Approve} is answered\nNext: a running program continues by itself. Otherwise run it again to continue session report-3.\n`,
      stderr: "",
      exit: "ok",
    });
    expect(jsonOf(await journal("answer", agent, Select, "fail", "--json"))).toEqual({
      question: Select,
      session: "report-3",
      by: "cli",
    });
    expect(await journal("answer", agent, Ask, '{"query":"cats"}')).toMatchObject({ exit: "ok" });
    const { stdout: waiting, stderr: told } = await journal("questions", agent);
    expect(waiting).toBe("");
    expect(told).toContain(
      `Question ${Approve} was answered by ada and is no longer open. Next: a running program continues by itself.`,
    );
    expect(await idsByKind()).toEqual({});

    const after = await runAsking(agent, FAR_AHEAD + 60_000);
    expect(after).toMatchObject({
      status: "failed",
      outcomes: {
        second: { status: "done", value: "a summary" },
        search: { status: "done", value: "9 lives" },
        model: { status: "failed" },
      },
    });
    const { stdout } = await journal("show", agent, "report-3");
    expect(stdout).toContain(`a person answered  ${Approve} · by ada`);
    expect(await idsByKind()).toEqual({});
  });

  it("accepts only the first answer", async () => {
    await put({ kind: "Confirm", prompt: "Go on?" });
    await journal("answer", agent, "q_1", "no", "--by", "ada");
    const second = await journal("answer", agent, "q_1", "yes");
    expect(second).toMatchObject({ stdout: "", exit: "failed" });
    expect(second.stderr).toContain("Question q_1 was already answered by ada, and the first answer counts.");
    expect(await keptAnswer()).toEqual({ answer: { status: "accepted", value: false }, by: "ada" });
  });

  it("refuses a question that is not open", async () => {
    await put({ kind: "Confirm", prompt: "Go on?" });
    const run = await journal("answer", agent, "q_2", "yes");
    expect(run).toMatchObject({ stdout: "", exit: "usage" });
    expect(run.stderr).toContain("There is no open question q_2");
  });

  it.each([
    ["Confirm", { kind: "Confirm", prompt: "?" }, ["maybe"], "takes `yes` or `no`"],
    [
      "Select",
      { kind: "Select", prompt: "?", options: [{ id: "a", label: "First" }] },
      ["b"],
      "takes one of: a (First).",
    ],
    ["Ask", { kind: "Ask", prompt: "?", field: "input" }, ["{not json"], "is read as JSON"],
    ["Auth.Password", { kind: "Auth.Password", prompt: "?" }, ["hunter2"], "Answer it where the program runs"],
    [
      "Confirm",
      { kind: "Confirm", prompt: "?" },
      [],
      "An answer is missing. Give one, or --reject with a reason: faultline journal answer ",
    ],
    ["Confirm", { kind: "Confirm", prompt: "?" }, ["yes", "--reject", "no"], "not both"],
  ])("refuses an invalid answer for %s", async (_kind, payload, args, why) => {
    await put(payload);
    const run = await journal("answer", agent, "q_1", ...args);
    expect(run).toMatchObject({ stdout: "", exit: "usage" });
    expect(run.stderr).toContain(why);
    expect(await keptAnswer()).toBeNull();
  });

  it.each([
    ["a text", ["just words"], "just words"],
    ["a number, which is meant as a text", ["42"], "42"],
    ["JSON", ['["a"]'], ["a"]],
    ["a text in quotes", ['"{a}"'], "{a}"],
  ])("reads %s", async (_what, args, value) => {
    await put({ kind: "Ask", prompt: "?", field: "input" });
    await journal("answer", agent, "q_1", ...args);
    expect(await keptAnswer()).toEqual({ answer: { status: "accepted", value }, by: "cli" });
  });

  it("accepts only a no for a secret", async () => {
    await put({ kind: "Auth.Password", prompt: "?" });
    expect((await journal("questions", agent)).stdout).toContain(`answer ${agent} q_1 --reject '…'`);
    const piped = await runCli(["journal", "answer", agent, "q_1", "-"], { stdin: "hunter2\n" });
    expect(piped).toMatchObject({ stdout: "", exit: "usage" });
    expect(piped.stderr).not.toContain("hunter2");
    await journal("answer", agent, "q_1", "--reject", "not here");
    expect(await keptAnswer()).toEqual({ answer: { status: "rejected", reason: "not here" }, by: "cli" });
  });

  it("declines any kind of question", async () => {
    await put({ kind: "Ask", prompt: "?", field: "input" });
    await journal("answer", agent, "q_1", "--reject", "we do not know");
    expect(await keptAnswer()).toEqual({ answer: { status: "rejected", reason: "we do not know" }, by: "cli" });
  });

  it("asks for a newer version if it does not know the kind", async () => {
    await put({ kind: "Sign", prompt: "?" });
    const run = await journal("answer", agent, "q_1", "yes");
    expect(run).toMatchObject({ stdout: "", exit: "failed" });
    expect(run.stderr).toContain("Upgrade Faultline.");
  });
});
