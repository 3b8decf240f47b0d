// `faultline start`, which is this project's `npm start`, without a key and without a network. `test/package/published.test.ts` reads what it
// prints for people.

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { fileAccess } from "../../../src/cli/file-access.ts";
import type { Io } from "../../../src/cli/io.ts";
import { NO_STDIN } from "../../../src/cli/read-input.ts";
import { runStart } from "../../../src/cli/demo/run-start.ts";
import type { RunStreamEvent } from "../../../src/core/record/run-stream.ts";
import type { StartFacts } from "../../../src/cli/demo/start-facts.ts";
import { SURVIVED } from "../../../src/cli/demo/survived.ts";
import { createClient } from "../../../src/client/index.ts";
import { systemClock } from "../../../src/host/clock.ts";
import { terminalInteractor } from "../../../src/runtime/person/terminal-interactor.ts";
import { FakeTerminal } from "../../support/fake-terminal.ts";
import { jsonOf, runCli } from "../../support/run-cli.ts";

const LIMIT_MS = 120_000;
const PATIENT = { timeout: LIMIT_MS, interval: 100 };
const MAIN = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));
const SHARED = { json: false, locale: "en", color: "never" } as const;
const SILENT_IO: Omit<Io, "stdout" | "stderr"> = {
  stdin: NO_STDIN,
  env: process.env,
  clock: systemClock,
  ...fileAccess,
  exit: () => undefined,
};

/** The demo leaves its files for people to look at; the test removes them. */
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "faultline-start-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe("start", () => {
  it(
    "brings a bug to its end through everything that fails, and proves it from the journal",
    async () => {
      const done = await runCli(["start", "--json"], { env: { TMPDIR: newFolder() } });
      expect(done.stderr).toBe("");
      const facts = jsonOf(done) as StartFacts & { readonly events: readonly RunStreamEvent[] };
      expect(facts).toMatchObject({ outcome: "approved", missing: [], redone: [], workers: { started: 2, killed: 1 } });
      for (const id of SURVIVED) expect(facts.survived[id], id).toBeGreaterThan(0);
      expect(done.exit).toBe("ok");
      expect(facts.cost.microcents).toBeGreaterThan(0);
      expect(facts.changes).toMatchObject([{ file: "src/split.js" }]);
      expect(readFileSync(facts.files.diff, "utf8")).toContain("+++ b/src/split.js");
      expect(existsSync(join(facts.files.repository, "team.faultline.yaml"))).toBe(true);
      expect(facts.events.map(({ sequence }) => sequence)).toEqual(facts.events.map((_event, index) => index + 1));
      expect(storyOf(facts.events)).toEqual([
        ...["architect#1", "critic#1", "quality#1", "thread#1", "gate#1"],
        ...["coder#1", "reviewer#1", "coder#2", "reviewer#2", "tester#1", "run_tests#1 failed"],
        ...["coder#3", "reviewer#3", "tester#2", "run_tests#2"],
      ]);
      expect((await runCli(["journal", "verify", facts.files.journal])).exit).toBe("ok");
    },
    LIMIT_MS,
  );

  it(
    "left with Ctrl-C at the gate answers nothing, and says how to continue the run",
    async () => {
      vi.stubEnv("TMPDIR", newFolder());
      onTestFinished(() => void vi.unstubAllEnvs());
      const terminal = new FakeTerminal();
      const told: string[] = [];
      const keep = { isTTY: false, columns: Infinity, write: (text: string) => Promise.resolve(void told.push(text)) };
      const io: Io = { ...SILENT_IO, stdout: keep, stderr: keep };
      const interactor = terminalInteractor(terminal.streams);
      const options = {
        ask: true,
        once: true,
        version: "1.2.3",
        program: [process.execPath, MAIN, "start"],
        interactor,
      };
      const over = Promise.allSettled([runStart(options, io, SHARED)]);
      await terminal.sees("● Confirm");
      terminal.type("\u0003");
      const [left] = await over;
      expect(left).toMatchObject({ status: "rejected", reason: { exit: "cancelled" } });
      const { message } = (left as PromiseRejectedResult).reason as Error;
      expect(told.join("")).not.toMatch(/you said|change {2}/);
      const [, run = "", journal = ""] = /faultline workflow resume (\S+) --journal (\S+)/.exec(message) ?? [];
      const shown = await runCli(["runs", "show", run, "--json", "--journal", journal]);
      expect(jsonOf(shown)).toMatchObject({ status: "paused", held: false, questions: [{ kind: "Select" }] });
      expect((await runCli(["runs", "answer", run, "stop", "--journal", journal])).exit).toBe("ok");
      expect((await runCli(["workflow", "resume", run, "--journal", journal])).stdout).toBe("stopped\n");
    },
    LIMIT_MS,
  );

  it(
    "keeps the dashboard up on a terminal, with a run that waits, one that has failed and an open breaker, until it is stopped",
    async () => {
      vi.stubEnv("TMPDIR", newFolder());
      onTestFinished(() => void vi.unstubAllEnvs());
      const told = new Told();
      const io: Io = { ...SILENT_IO, stdout: told.sink, stderr: told.sink };
      const over = runStart(
        { ask: false, once: false, version: "1.2.3", program: [process.execPath, MAIN, "start"] },
        io,
        SHARED,
      );
      const [early = ""] = await told.until(/http:\S+#login=[\w-]+/);
      const signIn = async (link: string): Promise<Response> => {
        const { origin, hash } = new URL(link);
        const body = JSON.stringify({ code: hash.replace("#login=", "") });
        return fetch(`${origin}/v1/login`, { method: "POST", body, headers: { "content-type": "application/json" } });
      };
      const { status, headers } = await signIn(early);
      expect(status).toBe(200);
      expect((await signIn(early)).status).toBe(401);
      const token = /faultline_session=([^;]+)/.exec(headers.getSetCookie().join())?.[1] ?? "";
      const server = createClient({ baseUrl: new URL(early).origin, token });
      expect(await server.showSettings()).toMatchObject({ version: "1.2.3" });
      await vi.waitFor(async () => {
        const { items: targets } = await server.listTargets({});
        expect(targets.find(({ target }) => target === "search_index")).toMatchObject({
          breaker: "open",
          kind: "tool",
        });
      }, PATIENT);
      // The breaker opens while the story begins, not at its end.
      expect(told.text).not.toContain("A second run waits there");
      await told.until(/A second run waits there/);
      await vi.waitFor(
        async () => expect((await server.listQuestions({})).items).toMatchObject([{ kind: "Select" }]),
        PATIENT,
      );
      const [question] = (await server.listQuestions({})).items;
      const { items: targets } = await server.listTargets({});
      const models = targets.filter(({ kind }) => kind === "model");
      expect(models.map(({ name }) => name)).toEqual(expect.arrayContaining(["openai/gpt-5.4-mini"]));
      for (const { name, figures } of models)
        expect([name, figures?.calls]).not.toEqual([expect.stringMatching(/[@#]/), 0]);

      const { items: failed } = await server.listRuns({ query: { state: "failed" } });
      expect(failed).toMatchObject([{ workflow: "publish-pages", nodes: ["upload"], cause: { id: "tool-failed" } }]);
      const { actions } = await server.showRun({ params: { run: failed[0]?.run ?? "" } });
      const [best] = actions;
      const retried = await server.act({
        params: { run: failed[0]?.run ?? "" },
        body: { action: best?.id ?? "", key: best?.key ?? "" },
      });
      const standing = async (run: string): Promise<unknown> => (await server.showRun({ params: { run } })).state;
      await vi.waitFor(async () => expect(await standing(retried.run)).toMatchObject({ id: "completed" }), PATIENT);
      await server.answerQuestion({
        params: { question: question?.id ?? "" },
        body: { status: "accepted", value: "confirm" },
      });
      const asked = question?.session ?? "";
      await vi.waitFor(async () => expect(await standing(asked)).toMatchObject({ id: "completed" }), PATIENT);
      const index = async () => (await server.listTargets({})).items.find(({ target }) => target === "search_index");
      const before = (await index())?.figures ?? { calls: 0, errors: 0 };
      await server.resetTarget({ params: { target: "search_index" } });
      // The service works again, so its next calls succeed.
      await vi.waitFor(async () => {
        const { breaker, figures } = (await index()) ?? {};
        expect(breaker).toBe("closed");
        expect(figures?.calls).toBeGreaterThan(before.calls);
        expect(figures?.errors).toBe(before.errors);
      }, PATIENT);
      process.emit("SIGINT");
      await over;
    },
    LIMIT_MS,
  );

  it("does not pretend to ask where no one can answer", async () => {
    const refused = await runCli(["start", "--ask"]);
    expect(refused).toMatchObject({ exit: "usage", stdout: "" });
    expect(refused.stderr).toContain("--ask needs a terminal");
  });
});

/** What was printed so far, and a way to wait for more. */
class Told {
  #text = "";
  #heard: () => void = () => undefined;
  readonly sink = {
    isTTY: true,
    columns: 120,
    write: (text: string | Uint8Array): Promise<void> => {
      this.#text += String(text);
      this.#heard();
      return Promise.resolve();
    },
  };

  get text(): string {
    return this.#text;
  }

  async until(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.#text);
      if (found !== null) return found;
      await new Promise<void>((resolve) => (this.#heard = resolve));
    }
  }
}

function storyOf(events: readonly RunStreamEvent[]): readonly string[] {
  return events.flatMap(({ type, node, execution }) => {
    if (type === "node.completed") return [`${node}#${execution}`];
    return type === "node.failed" ? [`${node}#${execution} failed`] : [];
  });
}
