// Everything at a glance, the search, and the metrics.

import type { Shaped } from "../../api/route.ts";
import { defined } from "../../core/defined.ts";
import { z } from "zod";
import type { found as foundShape, lookedUp, overview } from "../../api/overview.ts";
import { SHAPE_REDACTOR } from "../../core/fault/redact.ts";
import type { Locale } from "../../core/fault/words/words.ts";
import { usageOfDays } from "../../gateway/ledger/usage.ts";
import type { Found } from "../../journal/journal.ts";
import { findCall, readCallId } from "../../gateway/ledger/find-call.ts";
import { contains, textOfFault, wordsOf } from "../../journal/search-text.ts";
import { describeGlance, type GlanceCounts, isWell } from "../../workflow/report/overview-words.ts";
import { overviewOf } from "../../workflow/report/overview.ts";
import type { RunSummary } from "../../workflow/runs-api.ts";
import type { HandlersOf, Sender } from "../handler.ts";
import { fromCursor, toCursor } from "../cursor.ts";
import { isRun, type ServerParts } from "../parts.ts";
import { questionFor, type Reader, titleOf } from "../views.ts";
import { stepsOf, targetFor } from "./targets.ts";
import type { Question } from "../../core/flow/interaction.ts";

const behind = z.object({ position: z.number() });

export function overviewHandlers({
  journal,
  clock,
  faultline,
  gateway,
  metrics,
  workflows,
}: ServerParts): HandlersOf<"overview" | "search" | "metrics"> {
  return {
    async overview({ who, locale }) {
      const seen = await overviewOf(journal, clock.now(), await workflows.runs.held());
      const { questions, running, queued, programs, waiting, failed, faults, spentMicrocents, since, isPartial } = seen;
      const troubled = faultline
        .targets()
        .filter(({ breaker, pausedUntil }) => breaker !== "closed" || pausedUntil !== null);
      const through = gateway === null ? [] : await usageOfDays(journal, 1, clock.now());
      const counts: GlanceCounts = {
        questions: questions.count,
        targetsOut: troubled.filter(({ breaker }) => breaker !== "closed").length,
        failed: failed.reduce((all, { count }) => all + count, 0),
        running: running.count,
        queued: queued.count,
        programs: programs.count,
        waiting: waiting.count,
        faults: faults.count,
      };
      const figures = faultline.metrics();
      const view: Shaped<typeof overview> = {
        isWell: isWell(counts),
        says: describeGlance(counts, locale),
        needsYou: { ...questions, first: questions.first.map((question) => questionFor(question, locale)) },
        running: { ...running, first: running.first.map((run) => glance(run, locale)) },
        queued: { ...queued, first: queued.first.map((run) => glance(run, locale)) },
        programs: {
          ...programs,
          first: programs.first.map(({ session, startedAt, updatedAt }) => ({ session, startedAt, updatedAt })),
        },
        waiting: {
          ...waiting,
          first: waiting.first.map((run) => ({ ...glance(run, locale), nextAt: run.nextAt })),
        },
        failed: failed.map((row) => ({ ...row, title: titleOf(row.code, locale) })),
        targets: troubled.map((report) => targetFor(report, figures, { who, locale }, stepsOf(gateway))),
        faults,
        spentMicrocents: through.reduce((all, { microcents }) => all + microcents, spentMicrocents),
        since,
        hasGateway: gateway !== null,
        isPartial,
      };
      return view;
    },
    async search({ query: { q, kind, limit, cursor }, who, locale }) {
      const after = fromCursor(cursor, behind);
      const page = await journal.search(q, {
        limit: limit + 1,
        ...defined({ kinds: kind === undefined ? undefined : [kind], after }),
      });
      const items = page.slice(0, limit);
      const last = items.at(-1);
      return {
        items: items.filter((one) => mayFind(one, q, who)).map((one) => foundView(one, { who, locale })),
        next: page.length > limit && last !== undefined ? toCursor({ position: last.position }) : null,
      };
    },
    async metrics({ request }) {
      const { contentType, body } = await metrics.expose(request.headers.get("accept") ?? "");
      return new Response(body, { headers: { "content-type": contentType } });
    },
  };
}

function glance(
  { run, workflow, nodes, code }: RunSummary,
  locale: Locale,
): Shaped<typeof overview>["running"]["first"][number] {
  return { run, workflow, nodes, code, title: code === null ? null : titleOf(code, locale) };
}

/** A viewer does not see messages of failures, so it cannot find out what they say by searching for it. */
function mayFind(one: Found, question: string, { role }: Sender["who"]): boolean {
  if (role === "operator" || one.kind === "run") return true;
  return contains(textOfFault({ ...one.fault, message: "" }), wordsOf(question));
}

function foundView(one: Found, { who, locale }: Reader): Shaped<typeof foundShape> {
  if (one.kind === "run") {
    const { workflow, status, nodes, code, startedAt } = one.value as RunSummary;
    const title = code === null ? null : titleOf(code, locale);
    return {
      kind: "run",
      session: one.run,
      at: startedAt,
      code,
      title,
      fault: null,
      run: { workflow, status, nodes },
    };
  }
  const { session, at, code, fingerprint, seq, call, tool, message } = one.fault;
  return {
    kind: "fault",
    session,
    at,
    code,
    title: titleOf(code, locale),
    fault: {
      fingerprint,
      seq,
      call,
      tool,
      ...(who.role === "operator" ? { message: SHAPE_REDACTOR.text(message) } : {}),
    },
    run: null,
  };
}

// Where an id leads. People paste ids from logs, answers and reports; one that is known needs no search.

type LookedUp = Shaped<typeof lookedUp>;

export function lookUpHandlers({ journal, gateway, workflows: { bulks } }: ServerParts): HandlersOf<"lookUp"> {
  const inOrder: readonly ((id: string) => Promise<LookedUp | null>)[] = [
    async (run) => ((await isRun(journal, run)) ? { kind: "run", run } : null),
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
    async (id) => {
      const call = gateway === null ? null : (readCallId(id)?.call ?? null);
      return call === null || (await findCall(journal, call)) === null ? null : { kind: "gateway-call", call };
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
