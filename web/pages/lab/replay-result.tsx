// What another policy would have changed: how many decisions, from what to what, what that saves or adds, and what is not known.

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useFormat } from "../../app/format.ts";
import { useWords } from "../../app/words.ts";
import { Empty } from "../../parts/states.tsx";
import type { Replayed } from "./replay-panel.tsx";
import { WORDS } from "./words.ts";

interface ReplayedProps {
  readonly replayed: Replayed;
}

export function ReplayResult({ replayed }: ReplayedProps): ReactNode {
  const words = useWords(WORDS);
  if (replayed.decisions === 0) return <Empty title={words.noDecisions}>{words.noDecisionsNext}</Empty>;
  return (
    <div className="lab-replayed">
      <Figures replayed={replayed} />
      {replayed.changed === 0 ? <p className="lab-good">{words.allSame}</p> : <Changes replayed={replayed} />}
      <Examples replayed={replayed} />
      <NotKnown replayed={replayed} />
    </div>
  );
}

function Figures({ replayed }: ReplayedProps): ReactNode {
  const words = useWords(WORDS);
  const { count, percent, duration, money, dateTime } = useFormat();
  const { decisions, changed, same, sessions, waits, attempts, firstAt, lastAt } = replayed;
  const { savedMicrocents, addedMicrocents } = replayed.money;
  const figures: readonly (readonly [string, string, string])[] = [
    [words.changed, count(changed), percent(changed / decisions)],
    [words.same, count(same), percent(same / decisions)],
    [words.waitsShort, words.saved(duration(waits.savedMs)), words.added(duration(waits.addedMs))],
    [words.attempts, words.saved(count(attempts.saved)), words.added(count(attempts.added))],
    [words.money, words.saved(money(savedMicrocents)), words.added(money(addedMicrocents))],
  ];
  return (
    <>
      <p>
        {words.replayed(count(decisions), count(sessions))}
        {firstAt === null || lastAt === null ? null : (
          <span className="dim"> {words.between(dateTime(firstAt), dateTime(lastAt))}</span>
        )}
      </p>
      <dl className="lab-figures">
        {figures.map(([name, large, small]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <b>{large}</b> <span className="dim">{small}</span>
            </dd>
          </div>
        ))}
      </dl>
    </>
  );
}

function Changes({ replayed: { table } }: ReplayedProps): ReactNode {
  const words = useWords(WORDS);
  const { count, duration } = useFormat();
  return (
    <div className="lab-scroll">
      <table className="lab-table">
        <caption>{words.changes}</caption>
        <thead>
          <tr>
            <th scope="col">{words.from}</th>
            <th scope="col">{words.to}</th>
            <th scope="col">{words.fault}</th>
            <th scope="col">{words.tool}</th>
            <th scope="col" className="num">
              {words.decisions}
            </th>
            <th scope="col" className="num">
              {words.waitsShort}
            </th>
          </tr>
        </thead>
        <tbody>
          {table.map(({ from, to, says, code, tool, count: many, waitMs }) => (
            <tr key={[from, to, code, tool].join(" ")}>
              <td>{says.from}</td>
              <td>
                <b>{says.to}</b> {from === to ? <span className="dim">{words.otherwise}</span> : null}
              </td>
              <td>
                {says.fault} <code className="dim">{code}</code>
              </td>
              <td>{tool}</td>
              <td className="num">{count(many)}</td>
              <td className="num">{waitMs === 0 ? "0" : `${waitMs < 0 ? "−" : "+"}${duration(Math.abs(waitMs))}`}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Examples({ replayed: { examples, changed } }: ReplayedProps): ReactNode {
  const words = useWords(WORDS);
  const { dateTime, count } = useFormat();
  if (examples.length === 0) return null;
  return (
    <section className="lab-examples-list" aria-label={words.examplesOf}>
      <h3>
        {words.examplesOf} <span className="dim">{words.shownOf(count(examples.length), count(changed))}</span>
      </h3>
      <ul>
        {examples.map(({ session, seq, isRun, at, call, was, would, why }) => (
          <li key={`${session} ${seq}`}>
            <p>
              {isRun ? (
                <Link to="/runs/$run" params={{ run: session }} className="link">
                  {session}
                </Link>
              ) : (
                <Link to="/sessions/$session" params={{ session }} className="link">
                  {session}
                </Link>
              )}{" "}
              <code className="dim">{call}</code> <span className="dim">{dateTime(at)}</span>
            </p>
            <p>
              <span className="dim">{words.was}</span> {was}
            </p>
            <p>
              <span className="dim">{words.would}</span> <b>{would}</b>{" "}
              {why.length === 0 ? null : <span className="dim">{why.join("; ")}</span>}
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

function NotKnown({ replayed: { unknown, limits, openEnded, money } }: ReplayedProps): ReactNode {
  const words = useWords(WORDS);
  const { count } = useFormat();
  const many = Object.values(unknown).reduce((sum, one) => sum + one, 0);
  return (
    <section className="lab-limits" aria-label={words.notKnown}>
      <h3>
        {words.notKnown} <span className="dim">{words.unknown(count(many))}</span>
      </h3>
      <ul>
        {limits.map(({ id, says }) => (
          <li key={id}>
            {says} {(unknown[id] ?? 0) > 0 ? <span className="num dim">({count(unknown[id] ?? 0)})</span> : null}
          </li>
        ))}
        {openEnded > 0 ? <li>{words.openEnded(count(openEnded))}</li> : null}
        {money.unpricedAttempts > 0 ? <li>{words.unpriced(count(money.unpricedAttempts))}</li> : null}
      </ul>
    </section>
  );
}
