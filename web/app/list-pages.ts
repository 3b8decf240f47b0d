// The pages of a long list, and how one that was read takes its place among them.
//
// 1. Pages are named by the cursor they begin behind, so that a page can be read again without reading those before it. Each ends where
//    the next one begins: `next` of one is `cursor` of the other.
// 2. What was read last counts, as far as it reaches: items that appeared push others down, and items that left let others move up.
// 3. Items that were pushed out of a page stay where they were, and are read again when they are in view.
// 4. The items of pages far from view are let go, so that a list of any length takes a bounded amount of memory. Their places stay, and they
//    are read again when they come into view.

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | null;
}

export interface Loaded<Item> {
  /** null: the first page. */
  readonly cursor: string | null;
  readonly items: readonly Item[];
  readonly next: string | null;
  /** Its items were left over by another page; they may have changed since. */
  readonly isLeftOver?: true;
  /** How many items it had before they were let go. */
  readonly letGo?: number;
}

export type View = readonly [first: number, last: number];

function lengthOf<Item>({ items, letGo }: Loaded<Item>): number {
  return letGo ?? items.length;
}

/** Whether a page in view has to be read again for its items. */
export function isMissing<Item>({ isLeftOver, letGo }: Loaded<Item>): boolean {
  return isLeftOver === true || letGo !== undefined;
}

/** The first page, and those with an item in view. */
export function pagesInView<Item>(pages: readonly Loaded<Item>[], view: View): readonly Loaded<Item>[] {
  const near = isNear(view);
  return pages.filter((page, index) => near(page) || index === 0);
}

/** The pages without the items that are more than `margin` rows away from view. The first page keeps its items: it is always kept up to date. */
export function withoutFar<Item>(
  pages: readonly Loaded<Item>[],
  [first, last]: View,
  margin: number,
): readonly Loaded<Item>[] {
  const near = isNear([first - margin, last + margin]);
  const kept = pages.map((page, index) => {
    if (near(page) || index === 0 || page.letGo !== undefined || page.items.length === 0) return page;
    return { cursor: page.cursor, items: [], next: page.next, letGo: page.items.length };
  });
  return kept.some((page, index) => page !== pages[index]) ? kept : pages;
}

/** Asked for each page in turn, from the first on: does it have a row in view? */
function isNear<Item>([first, last]: View): (page: Loaded<Item>) => boolean {
  let start = 0;
  return (page) => {
    const from = start;
    start += lengthOf(page);
    return from <= last && first < start;
  };
}

/** The pages after one of them was read. */
export function withPage<Item>(
  pages: readonly Loaded<Item>[],
  page: Loaded<Item>,
  idOf: (item: Item) => string,
): readonly Loaded<Item>[] {
  const index = pages.findIndex(({ cursor }) => cursor === page.cursor);
  const known = pages[index];
  // The first of all, the next one, or one that is no longer a part of the list.
  if (known === undefined) return page.cursor === (pages.at(-1)?.next ?? null) ? [...pages, page] : pages;
  const [before, later] = [pages.slice(0, index), pages.slice(index + 1)];
  return [...before, page, ...(page.next === null ? [] : behind(known, page, later, idOf))];
}

/** What is left of the pages behind one that was read. */
function behind<Item>(
  known: Loaded<Item>,
  page: Loaded<Item>,
  later: readonly Loaded<Item>[],
  idOf: (item: Item) => string,
): readonly Loaded<Item>[] {
  if (later.length === 0 || page.next === known.next) return later;
  const read = new Set(page.items.map(idOf));
  const isRead = (item: Item): boolean => read.has(idOf(item));
  const reached = later.findLastIndex(({ items }) => items.some(isRead));
  // It reaches into a later page: that one begins where it ends.
  const at = later[reached];
  if (at !== undefined) {
    const rest = at.items.slice(at.items.findLastIndex(isRead) + 1);
    const others = later.slice(reached + 1);
    const isDone = rest.length === 0 && (at.next === page.next || others.length === 0);
    return isDone ? others : [{ cursor: page.next, items: rest, next: at.next, isLeftOver: true }, ...others];
  }
  // It ends before it did: what it had behind that is left over.
  const rest = known.items.slice(known.items.findLastIndex(isRead) + 1);
  return [{ cursor: page.next, items: rest, next: known.next, isLeftOver: true }, ...later];
}

/** The rows of the list, each item once; undefined for an item that was let go. */
export function rowsOf<Item>(
  pages: readonly Loaded<Item>[],
  idOf: (item: Item) => string,
): readonly (Item | undefined)[] {
  const seen = new Set<string>();
  const rows: (Item | undefined)[] = [];
  for (const { items, letGo = 0 } of pages) {
    for (let place = 0; place < letGo; place++) rows.push(undefined);
    for (const item of items) {
      const id = idOf(item);
      if (!seen.has(id)) rows.push(item);
      seen.add(id);
    }
  }
  return rows;
}
