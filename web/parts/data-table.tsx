// A table that sorts by any column. It keeps its order in the address, and shows fewer columns where there is less room. Only the
// rows in view exist, so a long table costs no more than a short one.

import {
  createSortedRowModel,
  rowSortingFeature,
  type SortingState,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import { type CSSProperties, type ReactNode, useMemo } from "react";
import type { LongList } from "../app/long-list.ts";
import { useSearchParams } from "../app/search-params.ts";
import { useWords, wordTable } from "../app/words.ts";
import { Icon } from "./icon.tsx";
import { Rows } from "./rows.tsx";
import "./data-table.css";

export interface DataColumn<Item> {
  readonly id: string;
  readonly title: string;
  readonly cell: (item: Item) => ReactNode;
  /** What the column is sorted by; null comes last. Without it, it cannot be sorted. */
  readonly sortBy?: (item: Item) => string | number | null;
  /** Right-aligned, with the largest first. */
  readonly isNumber?: boolean;
  /** As in `grid-template-columns`. */
  readonly width: string;
  /** The least room in which the column is shown. Default: always. */
  readonly from?: "medium" | "wide";
}

export interface DataTableProps<Item> {
  readonly label: string;
  readonly columns: readonly DataColumn<Item>[];
  /** In the order that no column was chosen for. */
  readonly items: readonly Item[];
  readonly idOf: (item: Item) => string;
  readonly chosen: string | null;
  readonly onChoose: (item: Item) => void;
  readonly onOpen: (item: Item) => void;
  readonly rowHeight?: number;
  readonly empty: ReactNode;
}

const features = tableFeatures({ rowSortingFeature, sortedRowModel: createSortedRowModel() });

export function DataTable<Item extends object>(props: DataTableProps<Item>): ReactNode {
  const { label, columns, items, idOf, chosen, onChoose, onOpen, rowHeight = 54, empty } = props;
  const { sorted, order, sortBy } = useSorted(columns, items);
  const list: LongList<Item> = {
    ...{ rows: sorted, items: sorted, isLoading: false, error: null, hasMore: false },
    ...{ loadMore: nothing, onView: nothing, refresh: nothing },
  };
  const head = columns.map((column) => (
    <HeadCell key={column.id} column={column} isDown={order?.id === column.id ? order.desc : null} onSort={sortBy} />
  ));
  return (
    <div className="data-table" style={widthsOf(columns)}>
      <Rows {...{ list, label, rowHeight, idOf, chosen, onChoose, onOpen, head, empty }}>
        {(item) =>
          columns.map(({ id, cell, isNumber, from }) => (
            <div key={id} role="gridcell" className={cellClass(isNumber, from)}>
              {cell(item)}
            </div>
          ))
        }
      </Rows>
    </div>
  );
}

function nothing(): void {
  // All items are there: there is nothing to read.
}

interface Sorted<Item> {
  readonly sorted: readonly Item[];
  readonly order: SortingState[number] | null;
  readonly sortBy: (column: string) => void;
}

/** `?sort=latency` is ascending, `?sort=-latency` descending. */
function useSorted<Item extends object>(columns: readonly DataColumn<Item>[], items: readonly Item[]): Sorted<Item> {
  const search = useSearchParams();
  const asked = search.get("sort") ?? "";
  const id = asked.replace(/^-/, "");
  const isKnown = columns.some((column) => column.id === id && column.sortBy !== undefined);
  const sorting: SortingState = useMemo(() => (isKnown ? [{ id, desc: asked.startsWith("-") }] : []), [asked, isKnown]);
  const names = columns.map((column) => column.id).join(" ");
  const definitions = useMemo(
    () =>
      columns.map((column) => ({
        id: column.id,
        accessorFn: (item: Item) => column.sortBy?.(item) ?? undefined,
        sortFn: "auto" as const,
        sortUndefined: "last" as const,
      })),
    [names],
  );
  const table = useTable({ features, columns: definitions, data: items, state: { sorting } }, () => null);
  const sortBy = (column: string): void => {
    const isNumber = columns.find((one) => one.id === column)?.isNumber === true;
    const [first, second] = isNumber ? [`-${column}`, column] : [column, `-${column}`];
    search.set({ sort: asked === first ? second : asked === second ? null : first });
  };
  return { sorted: table.getRowModel().rows.map(({ original }) => original), order: sorting[0] ?? null, sortBy };
}

interface HeadCellProps<Item> {
  readonly column: DataColumn<Item>;
  /** null: not sorted by it. */
  readonly isDown: boolean | null;
  readonly onSort: (column: string) => void;
}

function HeadCell<Item>({ column, isDown, onSort }: HeadCellProps<Item>): ReactNode {
  const words = useWords(WORDS);
  const { id, title, sortBy, isNumber, from } = column;
  const sort = isDown === null ? "none" : isDown ? "descending" : "ascending";
  return (
    <div
      role="columnheader"
      className={cellClass(isNumber, from)}
      {...(sortBy === undefined ? {} : { "aria-sort": sort })}
    >
      {sortBy === undefined ? (
        title
      ) : (
        <button type="button" className="data-sort" title={words.sort(title)} onClick={() => onSort(id)}>
          {title}
          {isDown === null ? null : <Icon name={isDown ? "down" : "up"} size={10} />}
        </button>
      )}
    </div>
  );
}

function cellClass(isNumber: boolean | undefined, from?: DataColumn<never>["from"]): string {
  return `data-cell${isNumber === true ? " num" : ""}${from === undefined ? "" : ` data-${from}`}`;
}

/** The columns of the grid, for each amount of room. */
function widthsOf<Item>(columns: readonly DataColumn<Item>[]): CSSProperties {
  const template = (...shown: readonly DataColumn<Item>["from"][]): string =>
    columns
      .filter(({ from }) => shown.includes(from))
      .map(({ width }) => width)
      .join(" ");
  return {
    "--data-wide": template(undefined, "medium", "wide"),
    "--data-medium": template(undefined, "medium"),
    "--data-narrow": template(undefined),
  } as CSSProperties;
}

const WORDS = wordTable({
  "en": { sort: (column: string) => `Sort by ${column}` },
  "zh-CN": { sort: (column: string) => `按“${column}”排序` },
});
