// The pages of a long list, and how one that was read takes its place among them.
//
// 1. Pages are named by the cursor they begin behind, so that a page can be read again without reading those before it. Each ends where
//    the next one begins: `next` of one is `cursor` of the other.
// 2. What was read last counts, as far as it reaches: items that appeared push others down, and items that left let others move up.
// 3. Items that were pushed out of a page stay where they were, and are read again when they are in view.

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
}

/** The first page, and those with an item in view. */
export function pagesInView<Item>(
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

export function distinct<Item>(pages: readonly Loaded<Item>[], idOf: (item: Item) => string): readonly Item[] {
  const byId = new Map<string, Item>();
  for (const { items } of pages) for (const item of items) if (!byId.has(idOf(item))) byId.set(idOf(item), item);
  return [...byId.values()];
}
