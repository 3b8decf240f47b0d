// A target that repeats a prompt in its error: those words stay with the call, also where the journal says why a target is not used.

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
