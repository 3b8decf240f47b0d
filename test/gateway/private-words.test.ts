// A target that repeats a prompt in its error: those words stay with the call, also where the journal says why a target is not used, and
// where the operator reads what failed.

import { expect, it, onTestFinished } from "vitest";
import { openJournal } from "../../src/index.ts";
import type { KeepKind } from "../../src/journal/journal.ts";
import { tempFolder } from "../journal/temp-folder.ts";
import { ask, DIALECTS } from "./dialect-clients.ts";
import { stubWorld } from "./stub-upstream.ts";

const PROMPT_WORDS = "the merger with Umbrella is on Friday";
const SHARED: readonly KeepKind[] = ["breaker", "pause"];

it.each(DIALECTS.flatMap((dialect) => [429, 503].map((status) => [dialect, status] as const)))(
  "keeps no words of a %s target that answers %d",
  async (dialect, status) => {
    const folder = tempFolder();
    onTestFinished(() => folder.remove());
    const body = JSON.stringify({ error: { message: `You said: ${PROMPT_WORDS}`, type: "server_error" } });
    const world = await stubWorld(
      (_request, response) =>
        void response.writeHead(status, { "content-type": "application/json", "retry-after": "900" }).end(body),
      (base) => `version: 1
targets: { one: { dialect: ${dialect}, base_url: "${base}/one" } }
routes: { team: { chain: [one/m] } }
`,
      { faultline: { journal: folder.file("journal.db") } },
    );
    for (let call = 0; call < 8; call++) await world.run(ask(world.url, dialect));
    await world.settle();
    await world.run(world.fl.close());
    const journal = await openJournal(folder.file("journal.db"));
    onTestFinished(() => journal.close());
    const kept = await Promise.all(SHARED.map((kind) => journal.keptAll(kind)));
    expect(kept.flat().length).toBeGreaterThan(0);
    expect(JSON.stringify(kept)).not.toContain("Umbrella");
  },
);

it("tells the operator which address refused a connection, and no words of a target that answered", async () => {
  const told: string[] = [];
  const world = await stubWorld(
    (_request, response) =>
      void response
        .writeHead(401, { "content-type": "application/json" })
        .end(JSON.stringify({ error: { message: `You said: ${PROMPT_WORDS}` } })),
    (base) => `version: 1
targets:
  closed: { dialect: openai-chat, base_url: "http://127.0.0.1:1/v1" }
  speaks: { dialect: openai-chat, base_url: "${base}/speaks" }
routes: { team: { chain: [closed/m, speaks/m] } }
`,
    { listener: { onDecided: ({ target }, detail) => void told.push(`${target}: ${detail}`) } },
  );
  await world.run(ask(world.url, "openai-chat"));
  await world.settle();
  const failed = await world.fl.journal.faultGroups({ limit: 9 });
  const kept = new Set(failed.map(({ tool, message }) => `${tool}: ${message}`));
  expect(kept).toEqual(new Set(["closed/m: connect ECONNREFUSED 127.0.0.1:1", "speaks/m: Sign-in failed (401)"]));
  expect(new Set(told)).toEqual(new Set(["closed/m: connect ECONNREFUSED 127.0.0.1:1", "speaks/m: null"]));
});
