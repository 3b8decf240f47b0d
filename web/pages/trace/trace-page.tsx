// A session: its turns, what it cost, and its trace.

import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useFormat } from "../../app/format.ts";
import { useSearchParams } from "../../app/search-params.ts";
import { type Answer, useRead } from "../../app/server.tsx";
import { useWords } from "../../app/words.ts";
import { Copy } from "../../parts/button.tsx";
import { Page } from "../../parts/page.tsx";
import { StatePill } from "../../parts/pill.tsx";
import { ProblemState } from "../../parts/states.tsx";
import { TraceView } from "./trace-view.tsx";
import { WORDS } from "./words.ts";

export function TracePage(): ReactNode {
  const { session } = useParams({ strict: false }) as { readonly session: string };
  const words = useWords(WORDS);
  const { data, error, refetch } = useRead("showSession", { params: { session } });
  return (
    <Page
      title={session}
      says={
        <span className="trace-says">
          <Link to="/sessions" className="link">
            {words.sessions}
          </Link>
          {data === undefined ? null : <About session={data} />}
        </span>
      }
      aside={data === undefined ? null : <Turns session={data} />}
    >
      {error !== null && data === undefined ? (
        <ProblemState error={error} onRetry={() => void refetch()} />
      ) : (
        <TraceView session={session} />
      )}
    </Page>
  );
}

function About({ session: { session, state, isRun, startedAt, spending, labels } }: SessionProps): ReactNode {
  const words = useWords(WORDS);
  const { clock, money } = useFormat();
  return (
    <>
      <StatePill state={state} />
      <span>{clock(startedAt)}</span>
      <span>{money(spending.microcents)}</span>
      {Object.entries(labels).map(([name, value]) => (
        <span key={name} className="cause">
          {name}: {value}
        </span>
      ))}
      {isRun ? (
        <Link to="/runs/$run" params={{ run: session }} className="link">
          {words.run}
        </Link>
      ) : null}
      <Copy text={session} />
    </>
  );
}

function Turns({ session: { turns } }: SessionProps): ReactNode {
  const words = useWords(WORDS);
  const search = useSearchParams();
  if (turns.length < 2) return null;
  return (
    <label className="trace-turns">
      <span className="visually-hidden">{words.turn}</span>
      <select
        value={search.get("turn") ?? ""}
        onChange={({ target }) => search.set({ turn: target.value === "" ? null : target.value, span: null })}
      >
        <option value="">{words.allTurns}</option>
        {turns.toReversed().map(({ turn, state }) => (
          <option key={turn} value={turn}>
            {turn} ({state.label})
          </option>
        ))}
      </select>
    </label>
  );
}

interface SessionProps {
  readonly session: Answer<"showSession">;
}
