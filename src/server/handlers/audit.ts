// The audit log.

import { z } from "zod";
import { auditOf } from "../../journal/audit.ts";
import type { HandlersOf } from "../handler.ts";
import { tellAct } from "../audit-words.ts";
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
      return pageFrom(
        found,
        limit,
        (record) => ({
          ...record,
          says: tellAct(record, locale),
          why: record.refused === null ? "" : titleOf(record.refused, locale),
        }),
        ({ at, id }) => ({ at, key: id }),
      );
    },
  };
}
