// An event of a run as one line of a log. Most phases are left out.

import { dollars } from "../../core/flow/money.ts";
import { formatMs, type Locale } from "../../core/index.ts";
import type { RunStreamEvent, RunStreamType } from "../../core/record/run-stream.ts";
import type { StreamFailure } from "../../core/record/run-stream-event.ts";
import { minuteOf, shown } from "./values.ts";
import { FOLLOW_WORDS, type FollowWords } from "./words/follow-words.ts";
import { reasonText, timeTo, titleOf } from "./picture-lines.ts";
import { PUNCTUATION } from "../../core/punctuation.ts";

/** null for an event that is not printed. */
export function storyLine(event: RunStreamEvent, now: number, locale: Locale): string | null {
  const tell = TELLS[event.type] as ((event: RunStreamEvent, context: LineContext) => string | null) | undefined;
  const words = FOLLOW_WORDS[locale];
  const text = tell?.(event, { words, locale, now }) ?? null;
  if (text === null || event.node === "") return text;
  const round = event.execution > 1 ? PUNCTUATION[locale].bracketed("", words.round(event.execution)) : "";
  return `${shown(event.node, 60)}${round}${PUNCTUATION[locale].colon}${text}`;
}

interface LineContext {
  readonly words: FollowWords;
  readonly locale: Locale;
  readonly now: number;
}

type Tells = {
  readonly [Type in RunStreamType]?: (
    event: Extract<RunStreamEvent, { type: Type }>,
    context: LineContext,
  ) => string | null;
};

const TELLS: Tells = {
  "run.started": ({ run, data }, { words }) =>
    data.predecessor === null
      ? words.begins(shown(run), shown(data.workflow))
      : words.goesOnFrom(shown(run), shown(data.predecessor)),
  "node.started": ({ attempt }, { words }) =>
    attempt === 1 ? words.nodeBegins : `${words.attempt(attempt, 0)} ${words.nodeBegins}`,
  "node.retrying": ({ data }, context) => {
    const { nextAttempt, of, nextAt, failure } = data;
    return facts([failed(failure, context), `${context.words.attempt(nextAttempt, of)} ${when(nextAt, context)}`]);
  },
  "node.failed": ({ data }, context) =>
    facts([
      failed(data.failure, context),
      ...(data.next.length > 0
        ? [context.words.goesTo(data.next.map((node) => shown(node, 60)).join(PUNCTUATION[context.locale].comma))]
        : []),
    ]),
  "node.skipped": ({ data }, { words, locale }) =>
    facts([words.skipped[data.reason], ...titleOf(data.failure?.code ?? null, locale), ...idOf(data.failure)]),
  "node.completed": ({ data }, { words, locale }) =>
    facts([
      words.done,
      ...(data.callAttempts > 1 ? [words.calls(data.callAttempts)] : []),
      ...(data.spentMicrocents > 0 ? [dollars(data.spentMicrocents)] : []),
      ...(locale === "en" && data.end !== null && data.end !== "" ? [shown(data.end, 60)] : []),
    ]),
  "node.paused": ({ data }, context) => {
    const { why, wakeAt, questions, failure } = data;
    const { words, locale } = context;
    const asked = questions.map(({ prompt }) => words.asks(shown(prompt, 300)));
    const time = wakeAt === null || questions.length > 0 ? [] : [when(wakeAt, context)];
    return facts([words.pauses[why], ...time, ...titleOf(failure?.code ?? null, locale), ...idOf(failure), ...asked]);
  },
  "gate.paused": ({ data }, { words }) => facts(data.questions.map(({ prompt }) => words.asks(shown(prompt, 300)))),
  "gate.resumed": ({ data }, { words }) => words.answered(shown(data.by, 60)),
  "call.retrying": ({ data }, context) => {
    const { target, callAttempt, of, reason, nextAt } = data;
    // Pacing happens all the time, and logging it would be noise.
    if (reason === "paced") return null;
    const why = reasonText(reason, context.locale);
    return `${context.words.callAgain(shown(target, 60), why, callAttempt, of)} ${when(nextAt, context)}`.trimEnd();
  },
  "call.switched": ({ data }, { words, locale }) =>
    facts([...titleOf(data.why, locale), words.switched(shown(data.from, 60), shown(data.to, 60))]),
  "call.regenerating": ({ data }, { words, locale }) =>
    facts([...titleOf(data.why, locale), words.regenerates(shown(data.target, 60))]),
  "budget.warning": ({ data }, { words }) =>
    words.spent(dollars(data.spentMicrocents), dollars(data.maxCostMicrocents)),
  "budget.paused": ({ data }, { words }) =>
    facts([words.pauses.budget, words.spent(dollars(data.spentMicrocents), dollars(data.maxCostMicrocents))]),
  "run.instructed": ({ data }, { words }) => words.instructed(shown(data.action, 60), shown(data.by, 60)),
  "run.resumed": ({ data }, { words }) => (data.interrupted.length > 0 ? words.resumed : null),
};

function idOf(failure: StreamFailure | null): readonly string[] {
  return failure === null ? [] : [`[${shown(failure.correlationId)}]`];
}

function facts(list: readonly string[]): string {
  return list.filter((one) => one !== "").join(" · ");
}

function failed({ code, target, correlationId }: StreamFailure, { words, locale }: LineContext): string {
  const [title = ""] = titleOf(code, locale);
  const said = facts([title, ...(target === undefined ? [] : [shown(target, 60)])]);
  return `${words.failed}${PUNCTUATION[locale].colon}${said} [${shown(correlationId)}]`;
}

function when(nextAt: number, { words, locale, now }: LineContext): string {
  const left = timeTo(nextAt, now, locale);
  return left === "" && nextAt > now - 1
    ? words.inTime(formatMs(0, locale))
    : left === ""
      ? words.at(`${minuteOf(nextAt)} UTC`)
      : left;
}
