// A wrong call to a public function is refused with a sentence that says what to write instead. Options have their own table in
// test/options/doors.test.ts.

import { existsSync } from "node:fs";
import { afterAll, describe, expect, it } from "vitest";
import { ChannelBridge, cli, createFaultline, tool } from "../../src/index.ts";
import { createRuns, defineWorkflow, stage } from "../../src/workflow/index.ts";
import { type TempFolder, tempFolder } from "../journal/temp-folder.ts";
import { thrownBy } from "../support/thrown.ts";

const folders: TempFolder[] = [];
afterAll(() => folders.forEach((folder) => folder.remove()));

function temp(name: string): string {
  const folder = tempFolder();
  folders.push(folder);
  return name === "" ? folder.path : folder.file(name);
}

const search = tool({ id: "search", run: () => "found" });

describe("createFaultline", () => {
  it("accepts a preset by name", () => {
    expect(() => createFaultline({ policy: "eager" })).not.toThrow();
  });

  it("lists the presets if the name is unknown", () => {
    expect(() => createFaultline({ policy: "bold" as never })).toThrow(
      /policy is "bold"; it must be a preset \("default"/,
    );
  });
});

describe("a journal given as a file name", () => {
  it("is opened with the first session, reused, and closed with the program", async () => {
    const path = temp("deep/agent.db");
    const fl = createFaultline({ journal: path });
    expect(existsSync(path)).toBe(false);
    const seen: string[] = [];
    fl.subscribe(({ event }) => void seen.push(event.type));
    const session = await fl.session("s");
    expect((await session.turn((turn) => turn.protect(search, {}))).status).toBe("done");
    await fl.close();
    expect(seen).toContain("turn-ended");

    const next = createFaultline({ journal: path });
    expect((await next.session("s")).status).toBe("open");
    expect(next.journal.path).toBe(path);
    await next.close();
  });

  it("is not created by a program that never uses it", async () => {
    const path = temp("agent.db");
    const fl = createFaultline({ journal: path });
    await fl.close();
    expect(existsSync(path)).toBe(false);
  });

  it("that cannot be opened fails the session that needs it and names the file", async () => {
    const folder = temp("");
    const fl = createFaultline({ journal: folder });
    expect(String(await thrownBy(fl.session("s")))).toContain(folder);
    await fl.close();
  });

  it("also keeps runs of workflows", async () => {
    const path = temp("runs.db");
    const workflow = defineWorkflow({ id: "w", stages: { only: stage({ act: () => 1 }) } });
    const runs = createRuns({ journal: path, workflows: [workflow] });
    const run = await runs.start(workflow);
    expect((await runs.advance(run)).status).toBe("completed");
    await runs.stop();
  });
});

describe("a wrong call", () => {
  const fl = createFaultline();

  it.each([
    ["a name", "search"],
    ["nothing", undefined],
  ])("%s is not a tool", async (_what, given) => {
    const outcome = await fl.protect(given as never, {} as never);
    expect(JSON.stringify(outcome)).toContain("wrap it, as in tool({ id:");
  });

  it.each([
    [undefined, "nothing"],
    [null, "null"],
    [{}, "an object"],
    ["search", "a string"],
  ])("gets an error that names what it passed instead of a tool: %j", async (given, what) => {
    const outcome = await fl.protect(given as never, {} as never);
    expect(JSON.stringify(outcome)).toContain(`protect needs a tool, and got ${what}: `);
  });

  it.each([5, null, undefined, {}])("%j is not a listener", (given) => {
    expect(() => fl.subscribe(given as never)).toThrow("subscribe: the listener must be a function, as in");
  });

  it.each([5, null, undefined, {}])("%j is not a prompt", async (given) => {
    const agent = fl.agent([cli("claude")]);
    expect(String(await thrownBy(agent.run(given as never)))).toContain("agent.run: the prompt must be a string");
    const bridge = new ChannelBridge(agent);
    expect(String(await thrownBy(bridge.handle("chat-7", given as never)))).toContain("the prompt must be a string");
  });

  it.each([5, null, undefined, {}])("%j is not an agent", (given) => {
    expect(() => new ChannelBridge(given as never)).toThrow("ChannelBridge: it needs an agent, as in");
  });

  it.each(["gpt-5", ["gpt-5"], [], {}, undefined])("%j is not a chain of models", (given) => {
    expect(() => fl.model(given as never)).toThrow(
      /must be a (list of models|language model), as in|must be a language/,
    );
  });

  it.each(["claude", ["claude"], [], undefined])("%j is not a list of agent CLIs", (given) => {
    expect(() => fl.agent(given as never)).toThrow(
      /must be a list of agent CLIs, as in fl\.agent\(\[cli\('claude'\)\]\)/,
    );
  });

  it("an unknown agent CLI is refused with a list of the known ones", () => {
    expect(() => cli("cluade" as never)).toThrow(/unknown agent CLI "cluade"; expected one of claude/);
  });

  it("a session cannot be ended twice", async () => {
    const session = await fl.session();
    await session.end();
    expect(String(await thrownBy(session.end()))).toContain(
      `session ${session.id} has ended (done), and an id is used once; begin a new session`,
    );
  });

  it("a cancelled session may be ended and stays cancelled", async () => {
    const session = await fl.session();
    await session.cancel("enough");
    await session.end();
    expect(session.status).toBe("cancelled");
  });

  it("a turn is a plan or a function", async () => {
    const session = await fl.session();
    expect(String(await thrownBy(session.turn("search" as never)))).toContain("a turn is a plan, as in");
  });

  it("a stage that names a missing next stage fails with a list of the existing ones", async () => {
    const workflow = defineWorkflow({
      id: "w",
      stages: { first: stage({ act: () => 1, next: () => "secnod" }), second: stage({ act: () => 2 }) },
    });
    const runs = createRuns({ workflows: [workflow] });
    const { status, fault } = await runs.advance(await runs.start(workflow));
    expect(status).toBe("failed");
    expect(fault?.message).toMatch(/next named "secnod", which is not a stage; did you mean second\?/);
    await runs.stop();
  });
});
