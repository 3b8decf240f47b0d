// Rows are taller on a narrow screen, where each is a card of two lines.

import { useSyncExternalStore } from "react";

const NARROW = "(max-width: 700px)";
const [ROW, CARD] = [54, 84];

export function useRowHeight(): number {
  return useSyncExternalStore(subscribe, () => matchMedia(NARROW).matches) ? CARD : ROW;
}

function subscribe(listener: () => void): () => void {
  const narrow = matchMedia(NARROW);
  narrow.addEventListener("change", listener);
  return () => narrow.removeEventListener("change", listener);
}
