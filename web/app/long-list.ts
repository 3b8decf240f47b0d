// A list of any length, read page by page as it is scrolled. A change is read for the first page and the pages in view only; what is
// read takes its place among the pages by the rules of `list-pages.ts`.

import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import {
  isMissing,
  type Loaded,
  type Page,
  pagesInView,
  rowsOf,
  type View,
  withoutFar,
  withPage,
} from "./list-pages.ts";
import { useChanges } from "./live.tsx";
import { usePreferences } from "./preferences.ts";
import { classifyThrown } from "./thrown.ts";

/** How many rows above and below those in view keep their items. */
const KEPT_ROWS = 1_000;

export interface LongList<Item> {
  /** All rows that were read so far; undefined for one that is far from view, and is read again when it comes near. */
  readonly rows: readonly (Item | undefined)[];
  /** The rows whose items are here. */
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
  const now = useRef({ key: whole, read, idOf, view: null as View | null, reading: new Set<string>() });
  if (now.current.key !== whole) now.current = { ...now.current, key: whole, view: null, reading: new Set() };
  now.current = Object.assign(now.current, { read, idOf });

  const readPage = useCallback(async (cursor: string | null, signal: AbortSignal): Promise<void> => {
    const { key: asked, read: readNow, idOf: id, reading } = now.current;
    const name = cursor ?? "";
    if (reading.has(name)) return;
    reading.add(name);
    try {
      const page = await readNow(cursor, signal);
      if (asked !== now.current.key) return;
      const { view } = now.current;
      setState((before) => {
        const pages = withPage(before.key === asked ? before.pages : [], { cursor, ...page }, id);
        // A list that does not say what is in view shows all of it.
        return { key: asked, pages: view === null ? pages : withoutFar(pages, view, KEPT_ROWS), error: null };
      });
    } catch (error) {
      if (signal.aborted || asked !== now.current.key) return;
      const reason = classifyThrown(error);
      setState((before) => ({ key: asked, pages: before.key === asked ? before.pages : [], error: reason }));
    } finally {
      reading.delete(name);
    }
  }, []);

  const leaving = useRef(new AbortController());
  useEffect(() => {
    leaving.current = new AbortController();
    // What was being read before was given up.
    now.current.reading = new Set();
    void readPage(null, leaving.current.signal);
    return () => {
      leaving.current.abort();
      // What was being read is not coming any more: the next list reads it again.
      now.current.reading.clear();
    };
  }, [whole, readPage]);

  const isCurrent = state.key === whole;
  const pages = isCurrent ? state.pages : NO_PAGES;
  const rows = useMemo(() => rowsOf(pages, idOf), [pages]);
  const items = useMemo(() => rows.filter((item) => item !== undefined), [rows]);
  const last = pages.at(-1);

  const refresh = useCallback((): void => {
    for (const { cursor } of pagesInView(pages, now.current.view ?? TOP)) void readPage(cursor, leaving.current.signal);
    if (pages.length === 0) void readPage(null, leaving.current.signal);
  }, [pages, readPage]);
  useChanges(refresh);
  const readLeftOver = (): void => {
    for (const page of pagesInView(pages, now.current.view ?? TOP))
      if (isMissing(page)) void readPage(page.cursor, leaving.current.signal);
  };
  useEffect(readLeftOver, [pages]);

  return {
    rows,
    items,
    isLoading: pages.length === 0 && state.error === null,
    error: isCurrent ? state.error : null,
    hasMore: last !== undefined && last.next !== null,
    loadMore: () => {
      if (last?.next !== undefined && last.next !== null) void readPage(last.next, leaving.current.signal);
    },
    onView: (first, final) => {
      now.current.view = [first, final];
      readLeftOver();
    },
    refresh,
  };
}

const TOP: View = [0, 0];
const NO_PAGES: readonly Loaded<never>[] = [];
