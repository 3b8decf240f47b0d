// The audit log.

import { defined } from "../../core/defined.ts";
import { z } from "zod";
import { auditOf, type AuditRecord } from "../../journal/audit.ts";
import type { HandlersOf } from "../handler.ts";
import { fromCursor, pageFrom } from "../cursor.ts";
import { isRun, type ServerParts } from "../parts.ts";
import { titleOf } from "../views.ts";
import { ACTION_IDS, actionWords } from "../../core/flow/action-words.ts";
import type { Locale } from "../../core/fault/words/words.ts";

const PLACE = z.strictObject({ at: z.number(), key: z.string() });

export function auditHandlers({ journal }: ServerParts): HandlersOf<"listAudit"> {
  return {
    async listAudit({ query: { limit, cursor, by, on }, locale }) {
      const after = fromCursor(cursor, PLACE);
      const found = await auditOf(journal, {
        limit: limit + 1,
        ...defined({ by, on, after }),
      });
      const records = await Promise.all(
        found.map(async (record) => ({
          ...record,
          ...(await sessionOf(record)),
          says: describeAct(record, locale),
          said: describeSaid(record, locale),
          why: record.refused === null ? "" : titleOf(record.refused, locale),
        })),
      );
      return pageFrom(
        records,
        limit,
        (record) => record,
        ({ at, id }) => ({ at, key: id }),
      );
    },
  };

  async function sessionOf({ what, on, session }: AuditRecord): Promise<{ session: string | null; isRun: boolean }> {
    if (what.startsWith("run.")) return { session: on, isRun: true };
    if (session === "") return { session: null, isRun: false };
    return { session, isRun: await isRun(journal, session) };
  }
}

// The acts of people in words: one row per kind of act in the audit log.

/** An act that this version does not know is shown by its own name. */
function describeAct({ what, action }: Pick<AuditRecord, "what" | "action">, locale: Locale): string {
  const id = ACTION_IDS.find((known) => known === action);
  if (what === "run.act" && id !== undefined) return actionWords(id, locale).label;
  return WORDS[locale][what] ?? what;
}

/** People's own words stay as they are; only a yes and a no are translated. */
function describeSaid({ said }: Pick<AuditRecord, "said">, locale: Locale): string {
  return YES_NO[locale][said] ?? said;
}

const YES_NO: Readonly<Record<Locale, Readonly<Record<string, string>>>> = {
  "en": { yes: "Yes", no: "No" },
  "zh-CN": { yes: "是", no: "否" },
};

const WORDS: Readonly<Record<Locale, Readonly<Record<string, string>>>> = {
  "en": {
    "run.start": "Started a run",
    "run.act": "Acted on a run",
    "run.resume": "Resumed a run",
    "run.cancel": "Cancelled a run",
    "bulk.start": "Started a bulk action",
    "question.answer": "Answered a question",
    "target.isolate": "Took a target out of service",
    "target.release": "Put a target back into service",
    "target.probe": "Let a probe through to a target",
  },
  "zh-CN": {
    "run.start": "启动运行",
    "run.act": "对运行执行操作",
    "run.resume": "恢复运行",
    "run.cancel": "取消运行",
    "bulk.start": "启动批量操作",
    "question.answer": "回答问题",
    "target.isolate": "停用目标",
    "target.release": "恢复目标",
    "target.probe": "放行一次目标探测",
  },
};
