// Where an id leads. People paste ids from logs, answers and reports; one that is known needs no search.

import type { z } from "zod";
import type { lookedUp } from "../../api/overview.ts";
import type { Question } from "../../core/flow/interaction.ts";
import type { HandlersOf } from "../handler.ts";
import type { ServerParts } from "../parts.ts";

type LookedUp = z.output<typeof lookedUp>;

export function lookUpHandlers({ journal, workflows: { bulks } }: ServerParts): HandlersOf<"lookUp"> {
  const inOrder: readonly ((id: string) => Promise<LookedUp | null>)[] = [
    async (run) => ((await journal.kept("run", run)) === null ? null : { kind: "run", run }),
    async (session) => ((await journal.session(session)) === null ? null : { kind: "session", session }),
    async (fingerprint) =>
      (await journal.faultGroup(fingerprint)) === null ? null : { kind: "fault-group", fingerprint },
    async (bulk) => {
      const report = await bulks.show(bulk);
      return report === null ? null : { kind: "bulk", bulk, fingerprint: report.bulk.fingerprint };
    },
    async (question) => {
      const asked = (await journal.kept("question", question)) as Question | null;
      return asked === null ? null : { kind: "question", question, session: asked.session };
    },
  ];

  async function findIn(id: string): Promise<LookedUp | null> {
    for (const look of inOrder) {
      const found = await look(id);
      if (found !== null) return found;
    }
    return null;
  }

  return {
    async lookUp({ query: { id } }) {
      const text = id.trim();
      // A correlation id is that of a session, a slash, and where in it the failure happened.
      const session = text.slice(0, Math.max(0, text.indexOf("/")));
      return { found: (await findIn(text)) ?? (session === "" ? null : await findIn(session)) };
    },
  };
}
