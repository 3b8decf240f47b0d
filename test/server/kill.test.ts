// A real server that is killed and stopped. `npm run test:server-kill` does the same with more kills.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createClient } from "../../src/client/index.ts";
import { runCli } from "../support/run-cli.ts";
import { sharedPostgres } from "../postgres/shared-server.ts";
import { startRestate } from "../support/restate-server.ts";
import { runKills } from "./kill/campaign.ts";
import { startServe } from "./kill/serve-process.ts";

const COMBINATIONS = [
  { name: "SQLite", postgres: false, restate: false, kills: 2 },
  { name: "PostgreSQL", postgres: true, restate: false, kills: 1 },
  { name: "PostgreSQL with Restate", postgres: true, restate: true, kills: 1 },
] as const;

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "faultline-server-kill-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

describe("a server that is killed under load", () => {
  it.each(COMBINATIONS)(
    "loses nothing that it acknowledged, decides nothing twice, and its readers miss nothing, on $name",
    async (on) => {
      const { kills } = on;
      // Another seed each day; a problem names the seed it can be run again with.
      const seed = Math.floor(Date.now() / 86_400_000);
      const restate = on.restate ? await startRestate() : null;
      onTestFinished(() => restate?.stop());
      const { problems, counts } = await runKills({
        ...{ kills, seed, executors: 8, folder: newFolder(), restate: restate?.url ?? null },
        postgres: on.postgres ? await sharedPostgres() : null,
        tell: () => undefined,
      });
      expect(problems).toEqual([]);
      expect(counts["kills"]).toBe(kills);
      expect(counts["requests cut off"]).toBeGreaterThan(0);
      expect(counts["requests repeated on purpose"]).toBeGreaterThan(0);
      expect(counts["open breakers found after a restart"]).toBe(kills);
    },
  );
});

/** Hangs until the file `go` is there: the first server is stopped before, the next one finishes it. */
const WAITING = `faultline: 1
workflow: { id: waiting, version: "1" }
nodes:
  wait:
    type: command
    idempotent: true
    run: sh wait.sh
`;
const WAIT = "echo begun >> begun; while [ ! -f go ]; do sleep 0.1; done\n";

describe("a server that gets SIGTERM", () => {
  it("ends its streams with a time to come back, exits with 0, and leaves its runs to the next server", async () => {
    const folder = newFolder();
    const journal = join(folder, "journal.db");
    const file = join(folder, "waiting.faultline.yaml");
    writeFileSync(file, WAITING);
    writeFileSync(join(folder, "wait.sh"), WAIT);
    const started = await runCli(["workflow", "run", file, "--detach", "--run", "r", "--journal", journal], {
      isHere: true,
    });
    expect(started).toMatchObject({ exit: "ok" });

    const first = await startServe(journal, 0);
    onTestFinished(() => void first.end("SIGKILL"));
    const token = readFileSync(first.tokenFile, "utf8").trim();
    const stop = new AbortController();
    const seen: string[] = [];
    const [working, over] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const client = createClient({ baseUrl: first.url, token });
    const following = (async () => {
      for await (const { type } of client.stream({ session: "r", signal: stop.signal })) {
        seen.push(type);
        if (type.endsWith(".stage-entered")) working.resolve(undefined);
        if (type.endsWith(".run-ended")) over.resolve(undefined);
      }
    })();
    const raw = fetch(`${first.url}/v1/events`, { headers: { authorization: `Bearer ${token}` } });
    const body = (await raw).text();
    await working.promise;
    expect(await first.end("SIGTERM")).toMatchObject({ exitCode: 0, signal: null });
    expect(await body).toMatch(/\nretry: \d+\n\n$/);

    writeFileSync(join(folder, "go"), "");
    const next = await startServe(journal, first.port);
    onTestFinished(() => void next.end("SIGKILL"));
    await over.promise;
    stop.abort();
    await following;
    expect(await client.showRun({ params: { run: "r" } })).toMatchObject({ status: "completed" });
    expect(seen.filter((type) => type.endsWith(".run-ended"))).toHaveLength(1);
    expect(await next.end("SIGTERM")).toMatchObject({ exitCode: 0 });
  });
});
