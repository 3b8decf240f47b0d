// Bulk actions, the one that was started last first: on all groups, or on one.

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useNow } from "../../app/clock.ts";
import { useFormat } from "../../app/format.ts";
import { useLongList } from "../../app/long-list.ts";
import { type Answer, useClient } from "../../app/server.tsx";
import { useWords, wordTable } from "../../app/words.ts";
import { Button } from "../../parts/button.tsx";
import { Badge } from "../../parts/pill.tsx";
import { Empty, ProblemState, Skeleton } from "../../parts/states.tsx";
import "./bulk-list.css";

type Bulk = Answer<"listBulks">["items"][number];

/** How each status looks; its word is the server's. */
const TONES = { running: "blue", completed: "green", stopped: "amber", aborted: "grey" } as const;

export function BulkBadge({ bulk }: { readonly bulk: Pick<Bulk, "status" | "statusLabel"> }): ReactNode {
  return <Badge tone={TONES[bulk.status]}>{bulk.statusLabel}</Badge>;
}

export function BulkList({ fingerprint }: { readonly fingerprint: string | null }): ReactNode {
  const words = useWords(WORDS);
  const client = useClient();
  const list = useLongList<Bulk>({
    key: `bulks ${fingerprint ?? ""}`,
    idOf: ({ id }) => id,
    read: (cursor, signal) => {
      const query = { ...(fingerprint === null ? {} : { fingerprint }), ...(cursor === null ? {} : { cursor }) };
      return client.listBulks({ query, signal });
    },
  });
  if (list.error !== null && list.items.length === 0)
    return <ProblemState error={list.error} onRetry={list.refresh} isInline={fingerprint !== null} />;
  if (list.isLoading) return <Skeleton kind={fingerprint === null ? "rows" : "text"} rows={3} />;
  if (list.items.length === 0)
    return fingerprint === null ? (
      <Empty title={words.none}>
        <p>{words.noneSays}</p>
      </Empty>
    ) : (
      <p className="dim">{words.noneHere}</p>
    );
  return (
    <>
      <ul className={fingerprint === null ? "bulk-list bulk-list-page" : "bulk-list"} aria-label={words.label}>
        {list.items.map((bulk) => (
          <BulkLine key={bulk.id} bulk={bulk} isAlone={fingerprint !== null} />
        ))}
      </ul>
      {list.hasMore ? (
        <Button kind="quiet" onClick={list.loadMore}>
          {words.more}
        </Button>
      ) : null}
    </>
  );
}

function BulkLine({ bulk, isAlone }: { readonly bulk: Bulk; readonly isAlone: boolean }): ReactNode {
  const words = useWords(WORDS);
  const { age, dateTime, count } = useFormat();
  const now = useNow();
  const { id, fingerprint, code, label, by, runs, startedAt } = bulk;
  return (
    <li>
      <Link to="/groups/$fingerprint" params={{ fingerprint }} search={{ bulk: id } as never}>
        <BulkBadge bulk={bulk} />
        <span className="bulk-line-what">
          <span className="one-line">
            {label} {isAlone ? null : <span className="dim">{code}</span>}
          </span>
          <span className="one-line dim">{words.line(count(runs), by)}</span>
        </span>
        <time className="num dim" dateTime={new Date(startedAt).toISOString()} title={dateTime(startedAt)}>
          {age(now - startedAt)}
        </time>
      </Link>
    </li>
  );
}

const WORDS = wordTable({
  "en": {
    label: "Bulk actions",
    none: "No bulk action yet",
    noneSays: "Open a group and act on all its runs at once: first on one, then on five, then on the rest.",
    noneHere: "None yet.",
    line: (runs: string, by: string) => `${runs === "1" ? "1 run" : `${runs} runs`} · by ${by}`,
    more: "Show older ones",
  },
  "zh-CN": {
    label: "批量操作",
    none: "还没有批量操作",
    noneSays: "打开一个分组，即可对其所有运行执行同一操作：先 1 个，再 5 个，然后其余。",
    noneHere: "暂无。",
    line: (runs: string, by: string) => `${runs} 个运行 · 操作者 ${by}`,
    more: "显示更早的",
  },
});
