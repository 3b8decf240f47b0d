// Real prompts on a terminal that the test types into and reads from.

import { getEventListeners } from "node:events";
import { describe, expect, it } from "vitest";
import {
  type Answer,
  INTERACTION_KINDS,
  type Question,
  type QuestionPayload,
} from "../../../src/core/flow/interaction.ts";
import { createInteractors } from "../../../src/runtime/person/interactors.ts";
import { terminalInteractor } from "../../../src/runtime/person/terminal-interactor.ts";
import { createFakeClock } from "../../../src/testing/fake-clock.ts";
import { scriptedInteractor } from "../../../src/testing/scripted-interactor.ts";
import { runChild } from "../../support/child.ts";
import { FakeTerminal } from "../../support/fake-terminal.ts";
import { thrownBy } from "../../support/thrown.ts";

const APPROVE: QuestionPayload = {
  kind: "Approve",
  prompt: "Retry the tool call?",
  tool: "bash",
  approvalKey: "bash:ls",
};
const ASK: QuestionPayload = { kind: "Ask", prompt: "Provide a replacement input?", field: "city" };
const PASSWORD: QuestionPayload = { kind: "Auth.Password", prompt: "Password for the registry:" };
const SELECT: QuestionPayload = {
  kind: "Select",
  prompt: "What now?",
  options: [
    { id: "retry", label: "Try again" },
    { id: "skip", label: "Go on without" },
    { id: "fail", label: "" },
  ],
};
const DEVICE: QuestionPayload = {
  kind: "Auth.DeviceCode",
  prompt: "Authenticate again?",
  url: "https://login.test/device",
  code: "ABCD-1234",
};

const INTERACTOR_FILE = new URL("../../../src/runtime/person/terminal-interactor.ts", import.meta.url).href;

const ENTER = "\r";
const DOWN = "\u001b[B";
const CTRL_C = "\u0003";
const CTRL_D = "\u0004";

function question(payload: QuestionPayload): Question {
  return { id: "q_1", call: "c", turn: "t", session: "s", code: null, payload, askedAt: 0, expiresAt: 60_000 };
}

interface Shown {
  readonly terminal: FakeTerminal;
  readonly dismissal: AbortController;
  readonly answer: Promise<Answer>;
}

/** Asks, and waits until the prompt can be read. */
async function show(
  payload: QuestionPayload,
  locale: "en" | "zh-CN" = "en",
  terminal = new FakeTerminal(),
  turn = "t",
): Promise<Shown> {
  const dismissal = new AbortController();
  const answer = terminalInteractor({ ...terminal.streams, locale }).answer(
    { ...question(payload), turn },
    dismissal.signal,
  );
  await terminal.sees("└");
  return { terminal, dismissal, answer };
}

async function answerTo(payload: QuestionPayload, keys: string): Promise<Answer> {
  const { terminal, answer } = await show(payload);
  terminal.type(keys);
  return answer;
}

describe("the terminal", () => {
  it("asks for a text", async () => {
    const { terminal, answer } = await show(ASK);
    expect(terminal.screen).toContain("Provide a replacement input?");
    terminal.type(`Berlin${ENTER}`);
    expect(await answer).toEqual({ status: "accepted", value: "Berlin" });
    expect(await answerTo(ASK, ENTER)).toEqual({ status: "accepted", value: "" });
  });

  it("shows a form for an answer with a schema: one prompt per field; wrong values are refused, optional ones may be left out", async () => {
    const schema = {
      type: "object",
      required: ["city", "nights", "room", "breakfast"],
      properties: {
        city: { type: "string", description: "where to" },
        nights: { type: "integer" },
        room: { enum: ["single", "double"] },
        breakfast: { type: "boolean" },
        extras: { type: "array" },
        note: { type: "string" },
      },
    };
    const issues = [{ path: "$.nights", expected: "must be integer", got: "string" }];
    const { terminal, answer } = await show({ ...ASK, schema, issues });
    expect(terminal.screen).toContain("$.nights must be integer");
    expect(terminal.screen).toContain("city: where to");
    terminal.type(`Lisbon${ENTER}`);
    await terminal.sees("nights");
    terminal.type(`two${ENTER}`);
    await terminal.sees("This field takes a number.");
    terminal.type(`\u0015${ENTER}`);
    await terminal.sees("This field is required.");
    terminal.type(`2${ENTER}`);
    await terminal.sees("double");
    terminal.type(`${DOWN}${ENTER}`);
    await terminal.sees("breakfast");
    terminal.type(ENTER);
    await terminal.sees("extras (optional)");
    terminal.type(`["towels"]${ENTER}`);
    await terminal.sees("note (optional)");
    terminal.type(ENTER);
    expect(await answer).toEqual({
      status: "accepted",
      value: { city: "Lisbon", nights: 2, room: "double", breakfast: true, extras: ["towels"] },
    });
  });

  it("closes a form with Ctrl-C at any field", async () => {
    const schema = { properties: { a: { type: "string" }, b: { type: "string" } } };
    const { terminal, answer } = await show({ ...ASK, schema });
    terminal.type(`x${ENTER}`);
    await terminal.sees("b (optional)");
    terminal.type(CTRL_C);
    expect(await answer).toMatchObject({ status: "rejected" });
  });

  it("asks for a yes or a no; Enter alone means no", async () => {
    const { terminal, answer } = await show(APPROVE);
    expect(terminal.screen).toContain("Tool: bash");
    expect(terminal.screen).toContain("○ Yes / ● No");
    terminal.type(ENTER);
    expect(await answer).toEqual({ status: "accepted", value: false });
    const gate = await show({ ...APPROVE, tool: "ask" }, "en", new FakeTerminal(), "ask#1.1");
    expect(gate.terminal.screen).not.toContain("Tool:");
    gate.terminal.type(ENTER);
    await gate.answer;
    const named = await show({ ...APPROVE, prompt: "bash failed. Try it again?" });
    expect(named.terminal.screen).not.toContain("Tool:");
    named.terminal.type("n");
    expect(await named.answer).toEqual({ status: "accepted", value: false });
    expect(await answerTo(APPROVE, "y")).toEqual({ status: "accepted", value: true });
    expect(await answerTo({ kind: "Confirm", prompt: "Delete it?" }, ENTER)).toEqual({
      status: "accepted",
      value: false,
    });
    expect(await answerTo({ kind: "Confirm", prompt: "Delete it?" }, "n")).toEqual({
      status: "accepted",
      value: false,
    });
  });

  it("offers options, each under its label or else its id", async () => {
    const { terminal, answer } = await show(SELECT);
    expect(terminal.screen).toMatch(/● Try again\n.*○ Go on without\n.*○ fail/);
    terminal.type(`${DOWN}${ENTER}`);
    expect(await answer).toEqual({ status: "accepted", value: "skip" });
  });

  it("shows where to sign in and waits until it is done", async () => {
    const { terminal, answer } = await show(DEVICE);
    expect(terminal.screen).toContain("Open: https://login.test/device");
    expect(terminal.screen).toContain("Code: ABCD-1234");
    terminal.type(ENTER);
    expect(await answer).toEqual({ status: "accepted", value: true });
  });

  it("accepts a password without ever echoing it", async () => {
    const { terminal, answer } = await show(PASSWORD);
    terminal.type("ÖÄÜß");
    await terminal.sees("▪▪▪▪");
    terminal.type(ENTER);
    expect(await answer).toEqual({ status: "accepted", value: "ÖÄÜß" });
    expect(terminal.output.written).not.toMatch(/[ÖÄÜß]/);
    expect(await answerTo(PASSWORD, ENTER)).toEqual({ status: "accepted", value: "" });
  });

  it("speaks Chinese", async () => {
    const { terminal, answer } = await show(APPROVE, "zh-CN");
    expect(terminal.screen).toContain("○ 是 / ● 否");
    terminal.type(ENTER);
    await answer;
    const select = await show(SELECT, "zh-CN");
    expect(select.terminal.screen).not.toContain("navigate");
    select.terminal.type(ENTER);
    await select.answer;
  });

  it.each([
    ["Ctrl-C", CTRL_C],
    ["Ctrl-D", CTRL_D],
  ])("takes %s for a no, whatever it asked", async (_name, key) => {
    for (const payload of [ASK, APPROVE, SELECT, DEVICE, PASSWORD]) {
      const { terminal, answer } = await show(payload);
      terminal.type(key);
      expect(await answer, payload.kind).toEqual({ status: "rejected", reason: "the person closed the prompt" });
      expect(terminal.screen.match(/■/g), payload.kind).toHaveLength(1);
      expect(terminal.screen, payload.kind).not.toContain("◆");
      expect(terminal.input.isRaw).toBe(false);
    }
  });
});

describe("a dismissed prompt", () => {
  it.each([ASK, APPROVE, SELECT, DEVICE, PASSWORD])(
    "of kind $kind is wiped off the screen, at once",
    async (payload) => {
      const terminal = new FakeTerminal();
      terminal.output.write("what stood there before\n");
      const { dismissal, answer } = await show(payload, "en", terminal);
      terminal.type("ab");
      const reason = new Error("answered elsewhere");
      dismissal.abort(reason);
      expect(terminal.screen).toBe("what stood there before");
      terminal.output.write("and this comes after\n");
      expect(await thrownBy(answer)).toBe(reason);
      expect(terminal.screen).toBe("what stood there before\nand this comes after");
      expect(terminal.output.written.lastIndexOf("\u001b[?25h")).toBeGreaterThan(
        terminal.output.written.lastIndexOf("\u001b[?25l"),
      );
    },
  );

  it("leaves nothing behind, and neither does an answered one", async () => {
    const terminal = new FakeTerminal();
    const before = terminal.listeners;
    const dismissed = await show(ASK, "en", terminal);
    expect(terminal.input.isRaw).toBe(true);
    dismissed.dismissal.abort();
    await thrownBy(dismissed.answer);
    const answered = await show(APPROVE, "en", terminal);
    terminal.type("y");
    expect(await answered.answer).toEqual({ status: "accepted", value: true });
    expect([terminal.listeners, terminal.input.isRaw]).toEqual([before, false]);
    for (const { dismissal } of [dismissed, answered]) expect(getEventListeners(dismissal.signal, "abort")).toEqual([]);
    const { written } = terminal.output;
    answered.dismissal.abort();
    expect(terminal.output.written).toBe(written);
  });

  it("is not drawn if it was dismissed before its turn", async () => {
    const terminal = new FakeTerminal();
    const reason = new Error("too late");
    const answer = terminalInteractor(terminal.streams).answer(question(ASK), AbortSignal.abort(reason));
    expect(await thrownBy(answer)).toBe(reason);
    expect(terminal.output.written).toBe("");
  });
});

describe("what a prompt shows", () => {
  it("cannot move the cursor, set a title, hide or reverse text, or add an option", async () => {
    const hostile = `Run \u001b[2J\u001b[H\u001b]0;title\u0007ls\u0000?\r\u202egnp\u200b.\u009b31m\tok`;
    const terminal = new FakeTerminal();
    const payload: QuestionPayload = {
      kind: "Select",
      prompt: hostile,
      options: [{ id: "a", label: `one\n● two\u001b[1A${hostile}` }],
    };
    const { answer } = await show(payload, "en", terminal);
    expect(terminal.screen).toContain("Run ls ?");
    expect(terminal.screen.match(/^.*●/gm)).toHaveLength(1);
    expect(terminal.output.written).not.toMatch(/title|\u001b\[2J|\u001b\[H|\u202e|\u200b|\u009b|\u0000|\t/);
    terminal.type(ENTER);
    expect(await answer).toEqual({ status: "accepted", value: "a" });
  });

  it("keeps its lines behind the bar, so that none of them looks like a prompt", async () => {
    for (const payload of [ASK, APPROVE, PASSWORD]) {
      const { terminal, answer } = await show({ ...payload, prompt: "first\nsecond" });
      expect(terminal.screen, payload.kind).toMatch(/first\n│ {2}second/);
      terminal.type(CTRL_C);
      await answer;
    }
  });

  it("is cut when it is too long or too tall, and says by how much", async () => {
    const long = await show({ ...APPROVE, prompt: "x".repeat(2_500) });
    expect(long.terminal.screen).toContain("… (+500)");
    expect(long.terminal.screen).toContain("● No");
    long.terminal.type(ENTER);
    const tall = await show({ ...APPROVE, prompt: "y\n".repeat(100) });
    expect(tall.terminal.screen).toContain("… (+160)");
    tall.terminal.type(ENTER);
    await Promise.all([long.answer, tall.answer]);
  });
});

describe("the terminal as one of several", () => {
  function interactorsWith(terminal: FakeTerminal): ReturnType<typeof createInteractors> & { readonly told: string[] } {
    const told: string[] = [];
    const interactors = createInteractors({
      clock: createFakeClock(),
      suppress: (fault, reason) => void told.push(`${fault.code}: ${reason}`),
    });
    interactors.attach(terminalInteractor(terminal.streams));
    return Object.assign(interactors, { told });
  }

  it("answers nothing unless input and output are terminals", async () => {
    for (const sides of [{ inputIsTTY: false }, { outputIsTTY: false }]) {
      const terminal = new FakeTerminal(sides);
      const interactors = interactorsWith(terminal);
      expect(INTERACTION_KINDS.filter((kind) => interactors.canAnswer(kind))).toEqual([]);
      expect(await interactors.ask(question(ASK), null)).toMatchObject({ by: "nobody" });
      expect(terminal.output.written).toBe("");
    }
    const interactors = interactorsWith(new FakeTerminal());
    expect(INTERACTION_KINDS.filter((kind) => interactors.canAnswer(kind))).toEqual(INTERACTION_KINDS);
  });

  it("gives way silently to an answer from elsewhere, and asks the next question", async () => {
    const terminal = new FakeTerminal();
    const interactors = interactorsWith(terminal);
    const first = interactors.ask(question(ASK), null);
    const second = interactors.ask({ ...question(APPROVE), id: "q_2" }, null);
    await terminal.sees("Provide a replacement input?");
    interactors.attach(scriptedInteractor("page", [{ status: "accepted", value: "Berlin" }], ["Ask"]));
    expect(await first).toMatchObject({ by: "page" });
    await terminal.sees("Retry the tool call?");
    expect(terminal.screen).not.toContain("Provide a replacement input?");
    terminal.type("y");
    expect(await second).toEqual({ answer: { status: "accepted", value: true }, by: "terminal" });
    expect(interactors.told).toEqual([]);
  });

  it.each(["end", "close"])("counts as not answering when its input has an %s, now or before", async (how) => {
    const terminal = new FakeTerminal();
    const interactors = interactorsWith(terminal);
    const asked = interactors.ask(question(ASK), null);
    await terminal.sees("└");
    if (how === "end") terminal.input.end();
    else terminal.input.destroy();
    const expected = { reason: "no answer: terminal failed with HostCapabilityMissing" };
    expect(await asked).toMatchObject({ answer: expected, by: "nobody" });
    expect(await interactors.ask(question(ASK), null)).toMatchObject({ answer: expected, by: "nobody" });
    expect(interactors.told).toHaveLength(2);
  });
});

describe("a program that never asks", () => {
  it("does not load the prompts", async () => {
    const program = `
      import { registerHooks } from "node:module";
      const seen = [];
      registerHooks({ load: (url, context, next) => (seen.push(url), next(url, context)) });
      const { terminalInteractor } = await import(${JSON.stringify(INTERACTOR_FILE)});
      process.stderr.write(terminalInteractor().name + " " + seen.filter((url) => /clack/.test(url)).length);
      const gone = Object.assign(new (await import("node:stream")).PassThrough(), { isTTY: true });
      gone.destroy();
      const question = { payload: { kind: "Confirm", prompt: "?" } };
      await terminalInteractor({ input: gone, output: gone }).answer(question, new AbortController().signal).catch(() => 0);
      process.stderr.write(" " + (seen.filter((url) => /clack/.test(url)).length > 0));
    `;
    const { stderr } = await runChild(process.execPath, ["--input-type=module", "-e", program]);
    expect(stderr).toBe("terminal 0 true");
  });
});
