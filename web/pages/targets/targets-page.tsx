// Every target: whether it is in service and why, how it did, what is left of its quota, and what a person can do about it.

import { type ReactNode, useMemo } from "react";
import { type Format, useFormat } from "../../app/format.ts";
import { useSearchParams } from "../../app/search-params.ts";
import { useRead } from "../../app/server.tsx";
import { useWords } from "../../app/words.ts";
import { type DataColumn, DataTable } from "../../parts/data-table.tsx";
import { Page } from "../../parts/page.tsx";
import { Empty, Pending } from "../../parts/states.tsx";
import { TargetPanel } from "./target-panel.tsx";
import { nameOf, type Target, TargetPill } from "./target-pill.tsx";
import { TARGET_WORDS, type TargetWords } from "./target-words.ts";
import "./targets-page.css";

/** Quotas and latencies change without an event. */
const EVERY_MS = 5_000;

export function TargetsPage(): ReactNode {
  const words = useWords(TARGET_WORDS);
  const search = useSearchParams();
  const read = useRead("listTargets", {}, { everyMs: EVERY_MS });
  const format = useFormat();
  const columns = useMemo(() => columnsOf(words, format), [words, format]);
  const { data } = read;
  if (data === undefined)
    return (
      <Page title={words.title}>
        <Pending read={read} kind="rows" rows={8} />
      </Page>
    );
  const asked = search.get("target");
  // Other pages know a target by the name under which it is called.
  const chosen = data.items.find(({ target, tools }) => target === asked || tools.includes(asked ?? "")) ?? null;
  const choose = ({ target }: Target): void => search.set({ target });
  return (
    <Page title={words.title} says={words.says}>
      <div className="targets" data-open={chosen !== null}>
        <DataTable
          label={words.title}
          columns={columns}
          items={data.items}
          idOf={({ target }) => target}
          chosen={chosen?.target ?? null}
          onChoose={choose}
          onOpen={choose}
          empty={<Empty title={words.none}>{words.noneNext}</Empty>}
        />
        {chosen === null ? null : (
          <TargetPanel key={chosen.target} target={chosen} onClose={() => search.set({ target: null })} />
        )}
      </div>
    </Page>
  );
}

function columnsOf(words: TargetWords, format: Format): readonly DataColumn<Target>[] {
  const { columns: titles } = words;
  const number = { isNumber: true, width: "84px" } as const;
  return [
    {
      ...{ id: "target", title: titles.target, width: "minmax(0, 1fr)", sortBy: nameOf },
      cell: (target) => <NameCell target={target} />,
    },
    {
      ...{ id: "state", title: titles.state, width: "172px" },
      sortBy: ({ state }) => state.id,
      cell: (target) => <TargetPill target={target} />,
    },
    {
      ...{ ...number, id: "errors", title: titles.errors, from: "medium" },
      sortBy: ({ recent }) => recent?.errorRate ?? null,
      cell: ({ recent }) => (recent === null ? NONE : format.percent(recent.errorRate)),
    },
    {
      ...{ ...number, id: "latency", title: titles.latency, from: "medium" },
      sortBy: ({ recent }) => recent?.p95Ms ?? null,
      cell: ({ recent }) => (typeof recent?.p95Ms === "number" ? format.duration(recent.p95Ms) : NONE),
    },
    {
      ...{ ...number, id: "quota", title: titles.quota, from: "wide", width: "96px" },
      sortBy: (target) => scarcest(target),
      cell: (target) => {
        const share = scarcest(target);
        return share === null ? NONE : format.percent(share);
      },
    },
    {
      ...{ ...number, id: "now", title: titles.now, from: "wide", width: "96px" },
      sortBy: ({ running, queued }) => running + queued,
      cell: ({ running, queued }) => (running + queued === 0 ? NONE : words.now(running, queued)),
    },
    {
      ...{ ...number, id: "spend", title: titles.spend, from: "medium" },
      sortBy: ({ figures }) => figures?.spentMicrocents ?? null,
      cell: ({ figures }) => (figures === null ? NONE : format.money(figures.spentMicrocents)),
    },
  ];
}

const NONE = <span className="dim">–</span>;

/** What is left of the limit that is nearest to its end, as a share. */
function scarcest({ limits }: Target): number | null {
  const shares = limits.flatMap(({ remaining, limit }) =>
    remaining === null || limit === null || limit === 0 ? [] : [remaining / limit],
  );
  return shares.length === 0 ? null : Math.min(...shares);
}

function NameCell({ target }: { readonly target: Target }): ReactNode {
  const words = useWords(TARGET_WORDS);
  const { kind, cause, reason, state } = target;
  const kindWord = kind === null ? words.kinds.unknown : words.kinds[kind];
  const why = state.id === "in-service" ? "" : (reason ?? cause?.title ?? "");
  return (
    <div className="targets-name">
      <b className="one-line">{nameOf(target)}</b>
      <span className="dim one-line">{why === "" ? kindWord : `${kindWord} · ${why}`}</span>
    </div>
  );
}
