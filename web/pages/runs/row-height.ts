// Rows are taller on a narrow screen, where each is a card: where it stands, what it is and why, and what to do.

import { useSyncExternalStore } from "react";

const NARROW = "(max-width: 700px)";
const [ROW, CARD] = [54, 116];

export function useRowHeight(): number {
  return useSyncExternalStore(subscribe, () => matchMedia(NARROW).matches) ? CARD : ROW;
}

function subscribe(listener: () => void): () => void {
  const narrow = matchMedia(NARROW);
  narrow.addEventListener("change", listener);
  return () => narrow.removeEventListener("change", listener);
}
