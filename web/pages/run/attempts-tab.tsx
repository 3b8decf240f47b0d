// Every attempt of the run, newest first, with what it cost. Two can be chosen and compared.

import { type ReactNode, useCallback } from "react";
import { useFormat } from "../../app/format.ts";
import { useLongList } from "../../app/long-list.ts";
import { useSearchParams } from "../../app/search-params.ts";
import { call, useClient } from "../../app/server.tsx";
import { useWords } from "../../app/words.ts";
import { Button } from "../../parts/button.tsx";
import { Check } from "../../parts/check.tsx";
import { Facts } from "../../parts/page.tsx";
import { CauseTag } from "../../parts/pill.tsx";
import { Empty, ProblemState, Skeleton } from "../../parts/states.tsx";
import { Compare } from "./compare.tsx";
import { Evidence } from "./evidence.tsx";
import { JsonQuote } from "./json-quote.tsx";
import type { Attempt, Run, Visit } from "./run-data.ts";
import { RUN_WORDS } from "./words.ts";
import "./attempts-tab.css";

const PAGE = 100;

/** The attempts, newest first; `node`: of this node only. */
function useAttempts(run: string, node: string | null) {
  const client = useClient();
  const read = useCallback(
    (cursor: string | null, signal: AbortSignal) =>
      call(client, "listAttempts", {
        params: { run },
        query: {
          ...{ order: "newest", limit: PAGE },
          ...(node === null ? {} : { node }),
          ...(cursor === null ? {} : { cursor }),
        },
        signal,
      }),
    [client, run, node],
  );
  return useLongList<Attempt>({ key: `attempts ${run} ${node ?? ""}`, read, idOf: ({ id }) => id });
}

export function AttemptsTab({ run, visit }: { readonly run: Run; readonly visit: Visit | null }): ReactNode {
  const words = useWords(RUN_WORDS);
  const search = useSearchParams();
  const node = search.get("only") === "node" ? (visit?.node ?? null) : null;
  const list = useAttempts(run.run, node);
  const picked = (search.get("compare") ?? "").split(",").filter(Boolean);
  const pair = picked.flatMap((id) => list.items.find((item) => item.id === id) ?? []);
  const pick = (id: string): void => {
    const next = picked.includes(id) ? picked.filter((one) => one !== id) : [...picked, id].slice(-2);
    search.set({ compare: next.join(",") });
  };
  if (list.error !== null && list.items.length === 0) return <ProblemState error={list.error} onRetry={list.refresh} />;
  if (list.isLoading) return <Skeleton kind="rows" rows={6} />;
  return (
    <>
      <div className="tab-bar">
        {visit === null ? null : (
          <Check
            name={words.onlyNode(visit.node)}
            isOn={node !== null}
            onChange={(on) => search.set({ only: on ? "node" : null })}
          />
        )}
        <span className="dim">{picked.length === 2 ? words.comparing : words.chooseTwo}</span>
      </div>
      {pair[0] === undefined || pair[1] === undefined ? null : (
        <Compare one={pair[0]} other={pair[1]} onClose={() => search.set({ compare: null })} />
      )}
      {list.items.length === 0 ? <Empty title={words.noAttempts}>{words.noAttemptsNext}</Empty> : null}
      <ol className="attempts" aria-label={words.tabs.attempts}>
        {list.items.map((attempt) => (
          <AttemptItem
            key={attempt.id}
            attempt={attempt}
            isPicked={picked.includes(attempt.id)}
            onPick={() => pick(attempt.id)}
          />
        ))}
      </ol>
      {list.hasMore ? (
        <p className="tab-note">
          <Button onClick={list.loadMore}>{words.older}</Button>
        </p>
      ) : null}
    </>
  );
}

interface AttemptItemProps {
  readonly attempt: Attempt;
  readonly isPicked: boolean;
  readonly onPick: () => void;
}

function AttemptItem({ attempt, isPicked, onPick }: AttemptItemProps): ReactNode {
  const words = useWords(RUN_WORDS);
  const search = useSearchParams();
  const isOpen = search.get("attempt") === attempt.id;
  const name = attempt.tool === "" ? attempt.node : attempt.tool;
  return (
    <li className="attempt" data-open={isOpen}>
      <input
        type="checkbox"
        checked={isPicked}
        onChange={onPick}
        aria-label={words.pick(words.attemptNamed(attempt.attempt, name))}
      />
      <button
        type="button"
        className="attempt-line"
        aria-expanded={isOpen}
        onClick={() => search.set({ attempt: isOpen ? null : attempt.id })}
      >
        <AttemptLine attempt={attempt} name={name} />
      </button>
      {isOpen ? <AttemptMore attempt={attempt} /> : null}
    </li>
  );
}

function AttemptLine({ attempt, name }: { readonly attempt: Attempt; readonly name: string }): ReactNode {
  const words = useWords(RUN_WORDS);
  const { clock, duration, money } = useFormat();
  const status = attempt.state.label;
  return (
    <>
      <span className="attempt-name one-line">
        <b>{attempt.attempt}</b> {name}{" "}
        <span className="dim">{attempt.kind === "node" ? words.wholeNode : attempt.node}</span>
      </span>
      <span className="attempt-times num dim">
        {attempt.costMicrocents === null || attempt.costMicrocents === 0 ? null : `${money(attempt.costMicrocents)} · `}
        {attempt.durationMs === null ? status : duration(attempt.durationMs)} · {clock(attempt.startedAt)}
      </span>
      <span className="attempt-says one-line">
        {attempt.fault === null ? (
          <span data-status={attempt.status}>{status}</span>
        ) : (
          <span className="attempt-fault">{attempt.fault.title}</span>
        )}
        {attempt.decision === null ? null : <span className="dim"> · {attempt.decision.says}</span>}
      </span>
      <CauseTag cause={attempt.cause} />
    </>
  );
}

function AttemptMore({ attempt }: { readonly attempt: Attempt }): ReactNode {
  const words = useWords(RUN_WORDS);
  const { decision, fault, breaker, costBasis, artefacts, resolution } = attempt;
  const rows: readonly (readonly [string, ReactNode])[] = [
    ...(decision === null ? [] : [[words.policyRow, `${decision.row.layer} · ${decision.row.at}`] as const]),
    ...(decision === null || decision.why.length === 0
      ? []
      : [[words.whyNothingElse, decision.why.join("; ")] as const]),
    ...(resolution === null ? [] : [[words.ledTo, resolution] as const]),
    ...(breaker === null ? [] : [[words.breaker, breaker] as const]),
    ...(costBasis === null ? [] : [[words.costBasis, costBasis] as const]),
    ...artefacts.map(
      ({ name, ref, bytes, cut }) =>
        [
          name,
          <a key={ref} className="link" href={`/v1/artefacts/${encodeURIComponent(ref)}`} download={name}>
            {words.artefact(bytes, cut)}
          </a>,
        ] as const,
    ),
  ];
  return (
    <div className="attempt-more">
      {fault === null ? null : <Evidence fault={fault} />}
      <Facts rows={rows} />
      <JsonQuote title={words.input} value={attempt.input} />
      <JsonQuote title={words.output} value={attempt.output} />
    </div>
  );
}
