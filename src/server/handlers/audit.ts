// The audit log.

import { z } from "zod";
import { auditOf, type AuditRecord } from "../../journal/audit.ts";
import type { HandlersOf } from "../handler.ts";
import { describeAct, describeSaid } from "../audit-words.ts";
import { fromCursor, pageFrom } from "../cursor.ts";
import type { ServerParts } from "../parts.ts";
import { titleOf } from "../views.ts";

const PLACE = z.strictObject({ at: z.number(), key: z.string() });

export function auditHandlers({ journal }: ServerParts): HandlersOf<"listAudit"> {
  return {
    async listAudit({ query: { limit, cursor, by, on }, locale }) {
      const after = fromCursor(cursor, PLACE);
      const found = await auditOf(journal, {
        limit: limit + 1,
        ...(by === undefined ? {} : { by }),
        ...(on === undefined ? {} : { on }),
        ...(after === undefined ? {} : { after }),
      });
      const told = await Promise.all(
        found.map(async (record) => ({
          ...record,
          ...(await sessionOf(record)),
          says: describeAct(record, locale),
          said: describeSaid(record, locale),
          why: record.refused === null ? "" : titleOf(record.refused, locale),
        })),
      );
      return pageFrom(
        told,
        limit,
        (record) => record,
        ({ at, id }) => ({ at, key: id }),
      );
    },
  };

  async function sessionOf({ what, on, session }: AuditRecord): Promise<{ session: string | null; isRun: boolean }> {
    if (what.startsWith("run.")) return { session: on, isRun: true };
    if (session === "") return { session: null, isRun: false };
    return { session, isRun: ((await journal.kept("run", session)) ?? null) !== null };
  }
}
