// Lists of any length in the page, without a journal of that length: the server's first page of a list is repeated under other names.

import type { Page } from "playwright-core";

interface ListPage {
  readonly items: readonly Readonly<Record<string, unknown>>[];
  readonly next: string | null;
}

/** Answers `route` with `count` items made from those that the server has; `name` gives each of them an identity of its own. */
export async function lengthen(
  page: Page,
  route: string,
  count: number,
  name: (item: Readonly<Record<string, unknown>>, index: number) => Readonly<Record<string, unknown>>,
): Promise<void> {
  let real: readonly Readonly<Record<string, unknown>>[] | null = null;
  let whole: Readonly<Record<string, unknown>> = {};
  await page.route(
    (url) => url.pathname === route,
    async (handled) => {
      const query = new URL(handled.request().url()).searchParams;
      if (real === null) {
        whole = (await (await handled.fetch()).json()) as Readonly<Record<string, unknown>>;
        real = (whole as unknown as ListPage).items;
      }
      const items = real;
      const from = Number(query.get("cursor") ?? query.get("after") ?? 0);
      const until = Math.min(count, from + Number(query.get("limit") ?? 50));
      const made = Array.from({ length: until - from }, (_none, at) => name(items[at % items.length] ?? {}, from + at));
      const next = until >= count ? null : query.has("after") ? until : String(until);
      await handled.fulfill({ json: { ...whole, items: made, total: count, next } });
    },
  );
}

export interface Scrolled {
  /** Milliseconds between frames, sorted. */
  readonly frames: readonly number[];
  /** The most rows that were there at once. */
  readonly mostRows: number;
  /** How high the list is. */
  readonly height: number;
}

/** Scrolls a list of rows down by `steps` windows, one in each frame. */
export async function scroll(page: Page, selector: string, steps: number): Promise<Scrolled> {
  return page.evaluate<Scrolled>(`(async () => {
    const scroller = document.querySelector(${JSON.stringify(selector)});
    const frames = [];
    let [last, mostRows] = [performance.now(), 0];
    for (let step = 0; step < ${steps}; step++) {
      scroller.scrollBy(0, scroller.clientHeight / 2);
      await new Promise(requestAnimationFrame);
      const now = performance.now();
      frames.push(now - last);
      last = now;
      mostRows = Math.max(mostRows, scroller.querySelectorAll("[role=row]").length);
    }
    return { frames: frames.sort((a, b) => a - b), mostRows, height: scroller.scrollHeight };
  })()`);
}
