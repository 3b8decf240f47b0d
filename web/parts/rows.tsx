// A list of rows of which only those in view exist. The chosen row follows j and k, and Enter opens it.

import { useVirtualizer } from "@tanstack/react-virtual";
import { type CSSProperties, type MouseEvent, type ReactNode, useCallback, useEffect, useRef } from "react";
import { useKeys } from "../app/keys.ts";
import type { LongList } from "../app/long-list.ts";
import { useWords, wordTable } from "../app/words.ts";
import { ProblemState, Skeleton } from "./states.tsx";
import "./rows.css";

const OVERSCAN = 12;
/** The next page is read when so many rows are left below. */
const READ_AHEAD = 30;

export interface RowsProps<Item> {
  readonly list: LongList<Item>;
  readonly label: string;
  readonly rowHeight: number;
  readonly idOf: (item: Item) => string;
  /** The row that is chosen, or null. */
  readonly chosen: string | null;
  readonly onChoose: (item: Item) => void;
  readonly onOpen: (item: Item) => void;
  /** A click opens the row at once, because no panel beside the list shows the chosen one. */
  readonly opensOnClick?: boolean;
  /** Column titles; they stay when the list is scrolled. */
  readonly head?: ReactNode;
  readonly empty: ReactNode;
  readonly children: (item: Item) => ReactNode;
}

export function Rows<Item>(props: RowsProps<Item>): ReactNode {
  const { list, label, rowHeight, idOf, chosen, onChoose, onOpen, opensOnClick = false, head, empty, children } = props;
  const { rows, hasMore, loadMore, onView } = list;
  const scroller = useRef<HTMLDivElement>(null);
  // Another function would make the list measure every row again, in each frame.
  const getItemKey = useCallback(
    (index: number) => {
      const item = rows[index];
      return item === undefined ? index : idOf(item);
    },
    [rows],
  );
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: OVERSCAN,
    getItemKey,
  });
  const inView = virtual.getVirtualItems();
  const [first, last] = [inView[0]?.index ?? 0, inView.at(-1)?.index ?? 0];
  useEffect(() => {
    onView(first, last);
    if (hasMore && last >= rows.length - READ_AHEAD) loadMore();
    // Every page makes new rows, also one in which nothing fits a filter.
  }, [first, last, rows, hasMore]);
  useRowKeys(props, (index) => virtual.scrollToIndex(index));

  if (list.error !== null && rows.length === 0) return <ProblemState error={list.error} onRetry={list.refresh} />;
  if (list.isLoading) return <Skeleton kind="rows" rows={10} />;
  if (rows.length === 0 && hasMore) return <Skeleton kind="rows" rows={10} />;
  if (rows.length === 0) return empty;
  return (
    <div
      className="rows"
      ref={scroller}
      role="grid"
      aria-label={label}
      aria-rowcount={hasMore ? -1 : rows.length}
      tabIndex={0}
    >
      {head === undefined ? null : (
        <div className="rows-head" role="row">
          {head}
        </div>
      )}
      <div className="rows-all" role="rowgroup" style={{ height: virtual.getTotalSize() }}>
        {inView.map(({ index, start, key }) => {
          const item = rows[index];
          const place = { height: rowHeight, transform: `translateY(${start}px)` };
          if (item === undefined) return <Missing key={key} place={place} />;
          const isChosen = chosen === idOf(item);
          return (
            <div
              key={key}
              role="row"
              className="row"
              aria-selected={isChosen}
              aria-rowindex={index + 1}
              data-id={idOf(item)}
              style={place}
              onClick={(event) => (isOnControl(event) ? undefined : (opensOnClick ? onOpen : onChoose)(item))}
              onDoubleClick={() => onOpen(item)}
            >
              {children(item)}
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** Column titles, each with the class that its cells have. */
export function HeadCells({
  titles,
}: {
  readonly titles: readonly (readonly [title: string, className?: string])[];
}): ReactNode {
  return titles.map(([title, className]) => (
    <span key={title} role="columnheader" className={className}>
      {title}
    </span>
  ));
}

/** A row that is being read again. */
function Missing({ place }: { readonly place: CSSProperties }): ReactNode {
  return (
    <div role="row" className="row row-missing" style={place}>
      <i role="gridcell" />
    </div>
  );
}

/** A link or a button in a row has its own click. */
function isOnControl({ target }: MouseEvent): boolean {
  return target instanceof Element && target.closest("a, button") !== null;
}

function useRowKeys<Item>(
  { list: { rows }, idOf, chosen, onChoose, onOpen }: RowsProps<Item>,
  scrollTo: (index: number) => void,
): void {
  const words = useWords(WORDS);
  // Looked for when a key is pressed: a list is long, and drawn often.
  const at = (): number =>
    chosen === null ? -1 : rows.findIndex((item) => item !== undefined && idOf(item) === chosen);
  const move = (by: number): void => {
    const index = Math.min(rows.length - 1, Math.max(0, at() + by));
    const item = rows[index];
    if (item === undefined) return;
    onChoose(item);
    scrollTo(index);
  };
  const open = (): void => {
    const item = rows[at()];
    if (item !== undefined) onOpen(item);
  };
  useKeys([
    { keys: "j", says: words.down, does: () => move(1) },
    { keys: "k", says: words.up, does: () => move(-1) },
    { keys: "Enter", says: words.open, does: open },
  ]);
}

const WORDS = wordTable({
  "en": { down: "Next row", up: "Previous row", open: "Open the chosen row" },
  "zh-CN": { down: "下一行", up: "上一行", open: "打开所选行" },
});
