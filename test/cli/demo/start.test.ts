// `faultline start`, which is this project's `npm start`, without a key and without a network: what it prints for people.
// `test/package/published.test.ts` reads the facts that it prints for programs.

import { fileURLToPath } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { cliWith } from "../../../src/cli/cli.ts";
import { fileAccess } from "../../../src/cli/file-access.ts";
import type { Io } from "../../../src/cli/io.ts";
import { NO_STDIN } from "../../../src/cli/read-input.ts";
import { runStart } from "../../../src/cli/demo/run-start.ts";
import { createClient } from "../../../src/client/index.ts";
import { systemClock } from "../../../src/host/clock.ts";
import { terminalInteractor } from "../../../src/runtime/person/terminal-interactor.ts";
import { FakeTerminal } from "../../support/fake-terminal.ts";
import { jsonOf, runCli } from "../../support/run-cli.ts";
import { ownSignals, ownTemporaryFolder } from "../../support/this-process.ts";

const LIMIT_MS = 120_000;
const PATIENT = { timeout: LIMIT_MS, interval: 100 };
const MAIN = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));
const OPTIONS = { locale: "en", color: "never" } as const;
const SILENT_IO: Omit<Io, "stdout" | "stderr"> = {
  stdin: NO_STDIN,
  env: process.env,
  clock: systemClock,
  ...fileAccess,
  exit: () => undefined,
};

describe("start", () => {
  it("is called demo, too", async () => {
    expect((await runCli(["demo", "--help"])).stdout).toBe((await runCli(["start", "--help"])).stdout);
  });

  it(
    "left with Ctrl-C at the gate answers nothing, and says how to continue the run",
    async () => {
      ownTemporaryFolder();
      const terminal = new FakeTerminal();
      const told: string[] = [];
      const keep = { isTTY: false, columns: Infinity, write: (text: string) => Promise.resolve(void told.push(text)) };
      const io: Io = { ...SILENT_IO, stdout: keep, stderr: { ...keep, isTTY: true, columns: 120 } };
      const interactor = terminalInteractor(terminal.streams);
      const options = {
        ask: true,
        once: true,
        version: "1.2.3",
        program: [process.execPath, MAIN, "start"],
        interactor,
      };
      const over = Promise.allSettled([runStart(options, cliWith(OPTIONS, io))]);
      await terminal.sees("● Confirm");
      terminal.type("\u0003");
      const [left] = await over;
      expect(left).toMatchObject({ status: "rejected", reason: { exit: "cancelled" } });
      const { message } = (left as PromiseRejectedResult).reason as Error;
      expect(told.join("")).not.toMatch(/you said|change {2}/);
      // Where nobody reads the output there is no dashboard.
      expect(told.join("")).not.toContain("#login=");
      const [, run = "", journal = ""] = /faultline workflow resume (\S+) --journal (\S+)/.exec(message) ?? [];
      const shown = await runCli(["runs", "show", run, "--json", "--journal", journal]);
      expect(jsonOf(shown)).toMatchObject({ status: "paused", held: false, questions: [{ kind: "Select" }] });
      expect((await runCli(["runs", "answer", run, "stop", "--journal", journal])).exit).toBe("ok");
      expect((await runCli(["workflow", "resume", run, "--journal", journal])).stdout).toBe("stopped\n");
    },
    LIMIT_MS,
  );

  it(
    "tells a story, and keeps the dashboard up on a terminal, with a run that waits, one that has failed and an open breaker, until it is stopped",
    async () => {
      // The demo leaves its files for people to look at.
      ownTemporaryFolder();
      const signals = ownSignals();
      const told = new Told();
      const io: Io = { ...SILENT_IO, stdout: told.sink, stderr: { ...told.sink, isTTY: false } };
      const over = runStart(
        { ask: false, once: false, version: "1.2.3", program: [process.execPath, MAIN, "start"] },
        cliWith(OPTIONS, io),
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
      expect(told.text).toMatch(/Too many requests → Try again in (?:2|1\.\d) s, as the server asked/);
      expect(told.text).toMatch(/worker 1 \(process \d+\) is killed[^]*worker 2 \(process \d+\) takes the run over/);
      expect(told.text).toContain("3 people pay 1001 for a bill of 1000");
      expect(told.text).toContain("no finished work was repeated");
      expect(told.text).toMatch(/Next:\n(?: {2}.*faultline .+\n){4}/);
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
      signals.send("SIGINT");
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
      this.#text += Buffer.from(text).toString();
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
