// Scrolling as a person does, measured frame by frame in the page.

import type { Page } from "playwright-core";

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
