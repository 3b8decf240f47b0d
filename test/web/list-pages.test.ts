import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isMissing, type Loaded, pagesInView, rowsOf, withoutFar, withPage } from "../../web/app/list-pages.ts";

interface Item {
  readonly place: number;
  readonly version: number;
}
type Pages = readonly Loaded<Item>[];

const SIZE = 4;
const idOf = ({ place }: Item): string => String(place);
const shown = (pages: Pages): readonly Item[] => pages.flatMap(({ items }) => items);

/** A list on a server, newest first, read by cursor. A cursor is the place of the last item that was read. */
class Server {
  readonly #items = new Map<number, Item>();

  put(place: number): void {
    this.#items.set(place, { place, version: (this.#items.get(place)?.version ?? 0) + 1 });
  }

  remove(place: number): void {
    this.#items.delete(place);
  }

  get all(): readonly Item[] {
    return [...this.#items.values()].toSorted((a, b) => b.place - a.place);
  }

  read(cursor: string | null): Loaded<Item> {
    const behind = this.all.filter(({ place }) => cursor === null || place < Number(cursor));
    const items = behind.slice(0, SIZE);
    const last = items.at(-1);
    return { cursor, items, next: behind.length > SIZE && last !== undefined ? String(last.place) : null };
  }

  /** Everything up to the end of the last page. */
  fresh(pages: Pages): readonly Item[] {
    const end = pages.at(-1)?.next ?? null;
    return this.all.filter(({ place }) => end === null || place >= Number(end));
  }
}

type Step =
  | { readonly does: "put" | "remove"; readonly place: number }
  | { readonly does: "read" | "look"; readonly page: number }
  | { readonly does: "more" };

const place = fc.integer({ min: 1, max: 40 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: fc.constant("put" as const), place }) },
  { weight: 2, arbitrary: fc.record({ does: fc.constant("remove" as const), place }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant("read" as const), page: fc.nat(8) }) },
  { weight: 1, arbitrary: fc.constant({ does: "more" as const }) },
  // Scrolls there: what is far away is let go.
  { weight: 1, arbitrary: fc.record({ does: fc.constant("look" as const), page: fc.nat(8) }) },
);

function after(server: Server, pages: Pages, one: Step): Pages {
  if (one.does === "put") server.put(one.place);
  if (one.does === "remove") server.remove(one.place);
  if (one.does === "read") {
    const page = pages[one.page % Math.max(1, pages.length)];
    return withPage(pages, server.read(page?.cursor ?? null), idOf);
  }
  if (one.does === "look") return withoutFar(pages, [one.page * SIZE, one.page * SIZE + SIZE - 1], SIZE);
  const next = pages.at(-1)?.next ?? null;
  return one.does === "more" && next !== null ? withPage(pages, server.read(next), idOf) : pages;
}

/** Reads every page once, from the first to the last. */
function readThrough(server: Server, given: Pages): Pages {
  let pages = given;
  let at = pages[0];
  while (at !== undefined) {
    const page = server.read(at.cursor);
    pages = withPage(pages, page, idOf);
    at = page.next === null ? undefined : pages.find(({ cursor }) => cursor === page.next);
  }
  return pages;
}

describe("a long list", () => {
  it("shows what a fresh read shows once its pages were read, whatever came, changed and left before", () => {
    fc.assert(
      fc.property(fc.array(place), fc.array(step, { maxLength: 60 }), (start, steps) => {
        const server = new Server();
        for (const one of start) server.put(one);
        let pages = withPage([], server.read(null), idOf);
        for (const one of steps) pages = after(server, pages, one);
        const settled = readThrough(server, pages);
        expect(shown(settled)).toEqual(server.fresh(settled));
      }),
      { numRuns: 2_000 },
    );
  });

  it("keeps its pages in a chain: each begins where the one before it ends", () => {
    fc.assert(
      fc.property(fc.array(place), fc.array(step, { maxLength: 60 }), (start, steps) => {
        const server = new Server();
        for (const one of start) server.put(one);
        let pages = withPage([], server.read(null), idOf);
        for (const one of steps) {
          pages = after(server, pages, one);
          expect(pages.slice(1).map(({ cursor }) => cursor)).toEqual(pages.slice(0, -1).map(({ next }) => next));
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it("keeps no more items than the margin allows, however far it is scrolled, and every row its place", () => {
    const server = new Server();
    for (let at = 0; at < 400; at++) server.put(at);
    let pages = withPage([], server.read(null), idOf);
    for (let first = 0; pages.at(-1)?.next !== null; first += SIZE) {
      pages = withoutFar(after(server, pages, { does: "more" }), [first, first + 10], 20);
      // Before and behind the view, with a page that is cut at each end, and the first one.
      expect(shown(pages).length).toBeLessThanOrEqual(20 + 11 + 20 + 3 * SIZE);
    }
    expect(rowsOf(pages, idOf).length).toBe(400);
    // Back at the top, what is in view is read again.
    for (const page of pagesInView(pages, [40, 50]))
      if (isMissing(page)) pages = withPage(pages, server.read(page.cursor), idOf);
    expect(rowsOf(pages, idOf).slice(40, 51)).toEqual(server.all.slice(40, 51));
    expect(rowsOf(pages, idOf).length).toBe(400);
  });

  it("shows new items, and loses none, when only the first page is read again", () => {
    fc.assert(
      fc.property(fc.nat(30), fc.nat(5), fc.array(fc.nat(9), { maxLength: 12 }), (count, scrolled, arrivals) => {
        const server = new Server();
        for (let at = 0; at < count; at++) server.put(at);
        let pages = withPage([], server.read(null), idOf);
        for (let page = 0; page < scrolled; page++) pages = after(server, pages, { does: "more" });
        let newest = count;
        for (const arriving of arrivals) {
          for (let at = 0; at < arriving; at++) server.put(newest++);
          pages = withPage(pages, server.read(null), idOf);
        }
        // More than a page at once leaves a part to be read; everything else is there.
        const known = new Set(shown(pages).map(idOf));
        const missing = server.fresh(pages).filter((item) => !known.has(idOf(item)));
        const unread = arrivals.reduce((sum, arriving) => sum + Math.max(0, arriving - SIZE), 0);
        expect(missing.length).toBeLessThanOrEqual(unread);
        const settled = readThrough(server, pages);
        expect(shown(settled)).toEqual(server.fresh(settled));
      }),
    );
  });
});
