// A list of any length, read page by page as it is scrolled. A change is read for the first page and the pages in view only.
//
// 1. Pages are named by the cursor they begin behind, so that a page can be read again without reading those before it.
// 2. New items come in at the head. Items that the head no longer has room for stay where they were.
// 3. An item that a page no longer has, because it does not fit the filters any more, leaves the list.

import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useChanges } from "./live.tsx";
import { usePreferences } from "./preferences.ts";

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

export interface LongList<Item> {
  readonly items: readonly Item[];
  /** Before the first page has come. */
  readonly isLoading: boolean;
  readonly error: Error | null;
  readonly hasMore: boolean;
  readonly loadMore: () => void;
  /** Says which items are in view, so that those are kept up to date. */
  readonly onView: (first: number, last: number) => void;
  readonly refresh: () => void;
}

interface Loaded<Item> {
  /** null: the first page. */
  readonly cursor: string | null;
  readonly items: readonly Item[];
  readonly next: string | null;
}

interface State<Item> {
  readonly pages: readonly Loaded<Item>[];
  readonly error: Error | null;
}

export interface LongListOptions<Item> {
  /** Names the list; another key is another list. */
  readonly key: string;
  readonly read: (cursor: string | null, signal: AbortSignal) => Promise<Page<Item>>;
  readonly idOf: (item: Item) => string;
}

export function useLongList<Item>({ key, read, idOf }: LongListOptions<Item>): LongList<Item> {
  const { language } = usePreferences();
  const whole = `${key} ${language}`;
  const [state, setState] = useState<State<Item> & { readonly key: string }>({ key: whole, pages: [], error: null });
  const now = useRef({ key: whole, read, idOf, view: [0, 0] as readonly [number, number], reading: new Set<string>() });
  if (now.current.key !== whole) now.current = { ...now.current, key: whole, view: [0, 0], reading: new Set() };
  now.current = Object.assign(now.current, { read, idOf });

  const readPage = useCallback(async (cursor: string | null, signal: AbortSignal): Promise<void> => {
    const { key: asked, read: readNow, idOf: id, reading } = now.current;
    const name = cursor ?? "";
    if (reading.has(name)) return;
    reading.add(name);
    try {
      const page = await readNow(cursor, signal);
      if (asked !== now.current.key) return;
      setState((before) => ({
        key: asked,
        pages: withPage(before.key === asked ? before.pages : [], { cursor, ...page }, id),
        error: null,
      }));
    } catch (error) {
      if (signal.aborted || asked !== now.current.key) return;
      const reason = error instanceof Error ? error : new Error(String(error));
      setState((before) => ({ key: asked, pages: before.key === asked ? before.pages : [], error: reason }));
    } finally {
      reading.delete(name);
    }
  }, []);

  const leaving = useRef(new AbortController());
  useEffect(() => {
    leaving.current = new AbortController();
    void readPage(null, leaving.current.signal);
    return () => {
      leaving.current.abort();
      // What was being read is not coming any more: the next list reads it again.
      now.current.reading.clear();
    };
  }, [whole, readPage]);

  const isCurrent = state.key === whole;
  const pages = isCurrent ? state.pages : NO_PAGES;
  const items = useMemo(() => distinct(pages, idOf), [pages]);
  const last = pages.at(-1);

  const refresh = useCallback((): void => {
    for (const { cursor } of pagesInView(pages, now.current.view)) void readPage(cursor, leaving.current.signal);
    if (pages.length === 0) void readPage(null, leaving.current.signal);
  }, [pages, readPage]);
  useChanges(refresh);

  return {
    items,
    isLoading: pages.length === 0 && state.error === null,
    error: isCurrent ? state.error : null,
    hasMore: last !== undefined && last.next !== null,
    loadMore: () => {
      if (last?.next !== undefined && last.next !== null) void readPage(last.next, leaving.current.signal);
    },
    onView: (first, final) => void (now.current.view = [first, final]),
    refresh,
  };
}

const NO_PAGES: readonly Loaded<never>[] = [];

/** The first page, and those with an item in view. */
function pagesInView<Item>(
  pages: readonly Loaded<Item>[],
  [first, last]: readonly [number, number],
): readonly Loaded<Item>[] {
  let start = 0;
  return pages.filter(({ items }, index) => {
    const end = start + items.length;
    const isInView = start <= last && first < end;
    start = end;
    return index === 0 || isInView;
  });
}

export function withPage<Item>(
  pages: readonly Loaded<Item>[],
  page: Loaded<Item>,
  idOf: (item: Item) => string,
): readonly Loaded<Item>[] {
  const index = pages.findIndex(({ cursor }) => cursor === page.cursor);
  const known = pages[index];
  if (known === undefined) return [...pages, page];
  const merged = index === 0 && pages.length > 1 ? withTail(known, page, idOf) : page;
  return pages.map((one, at) => (at === index ? merged : one));
}

/** The head as it is now, followed by the items of the old head that new ones have pushed out of it. */
function withTail<Item>(known: Loaded<Item>, fresh: Loaded<Item>, idOf: (item: Item) => string): Loaded<Item> {
  const final = fresh.items.at(-1);
  const at = final === undefined ? -1 : known.items.findIndex((item) => idOf(item) === idOf(final));
  const tail = at === -1 ? known.items : known.items.slice(at + 1);
  return { cursor: known.cursor, items: [...fresh.items, ...tail], next: known.next };
}

function distinct<Item>(pages: readonly Loaded<Item>[], idOf: (item: Item) => string): readonly Item[] {
  const byId = new Map<string, Item>();
  for (const { items } of pages) for (const item of items) if (!byId.has(idOf(item))) byId.set(idOf(item), item);
  return [...byId.values()];
}
