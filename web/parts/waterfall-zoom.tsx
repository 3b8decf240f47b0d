// Which part of a waterfall's axis is in view: dragged with the pointer, or moved with buttons and keys.

import { type PointerEvent, type ReactNode, useState } from "react";
import { useKeys } from "../app/keys.ts";
import { useWords, wordTable } from "../app/words.ts";
import type { Window } from "./time-scale.ts";

export const WHOLE_WINDOW: Window = { from: 0, to: 1 };
/** The least part of the axis that can be looked at. */
const LEAST = 0.0005;
/** A shorter drag is a click. */
const LEAST_DRAG = 0.01;

/** The window with `by` times its width, around its middle. */
function zoomed({ from, to }: Window, by: number): Window {
  const width = Math.min(1, Math.max(LEAST, (to - from) * by));
  return placed((from + to) / 2 - width / 2, width);
}

/** The window moved by a part of its own width. */
function panned({ from, to }: Window, by: number): Window {
  return placed(from + (to - from) * by, to - from);
}

function placed(from: number, width: number): Window {
  const start = Math.min(1 - width, Math.max(0, from));
  return { from: start, to: start + width };
}

export interface DragZoom {
  /** What is dragged over now, as shares of what is in view. */
  readonly drag: Window | null;
  readonly handlers: Readonly<
    Record<"onPointerDown" | "onPointerMove" | "onPointerUp" | "onPointerCancel", (event: PointerEvent) => void>
  > & { readonly onDoubleClick: () => void };
}

export function useDragZoom(window: Window, onWindow: (window: Window) => void): DragZoom {
  const [ends, setEnds] = useState<readonly [number, number] | null>(null);
  const shareOf = ({ currentTarget, clientX }: PointerEvent): number => {
    const { left, width } = currentTarget.getBoundingClientRect();
    return Math.min(1, Math.max(0, (clientX - left) / Math.max(1, width)));
  };
  const drag = ends === null ? null : { from: Math.min(...ends), to: Math.max(...ends) };
  return {
    drag,
    handlers: {
      onPointerDown: (event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        const share = shareOf(event);
        setEnds([share, share]);
      },
      onPointerMove: (event) => {
        if (ends !== null) setEnds([ends[0], shareOf(event)]);
      },
      onPointerUp: () => {
        setEnds(null);
        if (drag === null || drag.to - drag.from < LEAST_DRAG) return;
        const width = window.to - window.from;
        onWindow(placed(window.from + drag.from * width, Math.max(LEAST, (drag.to - drag.from) * width)));
      },
      onPointerCancel: () => setEnds(null),
      onDoubleClick: () => onWindow(WHOLE_WINDOW),
    },
  };
}

export interface ZoomButtonsProps {
  readonly window: Window;
  readonly onWindow: (window: Window) => void;
}

export function ZoomButtons({ window, onWindow }: ZoomButtonsProps): ReactNode {
  const words = useWords(WORDS);
  const moves = [
    { sign: "←", says: words.earlier, keys: "[", to: panned(window, -0.5), isOff: window.from <= 0 },
    { sign: "→", says: words.later, keys: "]", to: panned(window, 0.5), isOff: window.to >= 1 },
    { sign: "−", says: words.out, keys: "-", to: zoomed(window, 2), isOff: window.to - window.from >= 1 },
    { sign: "+", says: words.in, keys: "+", to: zoomed(window, 0.5), isOff: false },
    { sign: words.fit, says: words.whole, keys: "0", to: WHOLE_WINDOW, isOff: window.to - window.from >= 1 },
  ];
  useKeys(moves.map(({ keys, says, to }) => ({ keys, says, does: () => onWindow(to) })));
  return (
    <div className="waterfall-zoom" role="group" aria-label={words.zoom}>
      {moves.map(({ sign, says, keys, to, isOff }) => (
        <button key={keys} type="button" aria-label={says} title={says} disabled={isOff} onClick={() => onWindow(to)}>
          {sign}
        </button>
      ))}
    </div>
  );
}

const WORDS = wordTable({
  "en": {
    zoom: "Zoom",
    earlier: "Earlier",
    later: "Later",
    in: "Zoom in",
    out: "Zoom out",
    fit: "Fit",
    whole: "Fit all of the time",
  },
  "zh-CN": {
    zoom: "缩放",
    earlier: "更早",
    later: "更晚",
    in: "放大",
    out: "缩小",
    fit: "适应",
    whole: "适应全部时间",
  },
});
