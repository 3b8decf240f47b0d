// The result for a pasted failure: its fault, the words for each reader, and the decision.

import { type ReactNode, useState } from "react";
import { useFormat } from "../../app/format.ts";
import { LANGUAGES, type Language, usePreferences } from "../../app/preferences.ts";
import type { Answer } from "../../app/server.tsx";
import { useWords } from "../../app/words.ts";
import { Facts, Quote } from "../../parts/page.tsx";
import { CauseTag } from "../../parts/pill.tsx";
import { ScheduleChart } from "./schedule-chart.tsx";
import { WORDS } from "./words.ts";

export type Tried = Answer<"classify">;

export function TriedResult({
  tried,
  deadlineMs,
}: {
  readonly tried: Tried;
  readonly deadlineMs: number | null;
}): ReactNode {
  const words = useWords(WORDS);
  const { fault, cause, read } = tried;
  return (
    <>
      <section className="lab-part">
        <header className="lab-fault">
          <h2>{words.fault}</h2>
          {read === null ? null : <span className="dim">{words.readAs(words.kinds[read.kind], read.surface)}</span>}
        </header>
        <p className="lab-title">
          <b>{fault.title}</b> <CauseTag cause={cause} /> <code>{`${fault.class}/${fault.code}`}</code>
        </p>
        <Evidence tried={tried} />
      </section>
      <FaultWords tried={tried} />
      <section className="lab-part">
        <h2>{words.decision}</h2>
        <p className="lab-title">
          <b>{tried.decision.says}</b>
        </p>
        {tried.decision.why.length === 0 ? null : (
          <ul className="lab-why">
            {tried.decision.why.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
        )}
        <Facts
          rows={[
            [words.row, `${tried.row.matches} (${tried.row.origin.layer} ${tried.row.origin.at})`],
            [words.policy, tried.policy],
            [words.then, tried.row.then.map(({ says }) => says).join(" → ")],
          ]}
        />
      </section>
      <section className="lab-part">
        <h2>{words.schedule}</h2>
        <ScheduleChart tried={tried} deadlineMs={deadlineMs} />
      </section>
    </>
  );
}

function Evidence({ tried: { fault } }: { readonly tried: Tried }): ReactNode {
  const words = useWords(WORDS);
  const { duration, dateTime } = useFormat();
  const sources: Readonly<Record<string, string>> = words.sources;
  const { rule, source, nearly, retryable, retryAfterMs, resetAt, excerpt } = fault;
  return (
    <>
      <Facts
        rows={[
          ...(rule === undefined ? [] : [[words.rule, <code key="rule">{rule}</code>] as const]),
          ...(source === undefined ? [] : [[words.source, sources[source] ?? source] as const]),
          ...(nearly === undefined
            ? []
            : [[words.nearly, nearly.length === 0 ? words.none : nearly.join(", ")] as const]),
          [words.retryable, retryable ? words.yes : words.no],
          ...(retryAfterMs === undefined ? [] : [[words.serverWait, duration(retryAfterMs)] as const]),
          ...(resetAt === undefined ? [] : [[words.resetAt, dateTime(resetAt)] as const]),
        ]}
      />
      {excerpt === undefined || excerpt === "" ? null : <Quote label={words.excerpt}>{excerpt}</Quote>}
    </>
  );
}

/** The words for model, user and operator, in the chosen language. */
function FaultWords({ tried }: { readonly tried: Tried }): ReactNode {
  const words = useWords(WORDS);
  const { language } = usePreferences();
  const [chosen, choose] = useState<Language | null>(null);
  const shown = chosen ?? language;
  const told = tried.words.find((one) => one.language === shown);
  return (
    <section className="lab-part">
      <header className="lab-fault">
        <h2>{words.told}</h2>
        <div className="lab-languages" role="group" aria-label={words.language}>
          {LANGUAGES.map((one) => (
            <button key={one} type="button" lang={one} aria-pressed={one === shown} onClick={() => choose(one)}>
              {words.languages[one]}
            </button>
          ))}
        </div>
      </header>
      {told === undefined ? null : (
        <dl className="lab-told" lang={shown}>
          <dt>{words.model}</dt>
          <dd>{told.model}</dd>
          <dt>{words.user}</dt>
          <dd>
            {told.user} <span className="dim">{told.next}</span>
          </dd>
          <dt>{words.operator}</dt>
          <dd>{told.operator}</dd>
        </dl>
      )}
    </section>
  );
}
