// Two panels beside each other with a handle between them. The width is kept on this machine. Narrow windows show them one below the other.

import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from "react";
import { useWords } from "../../app/words.ts";
import { RUN_WORDS } from "./words.ts";
import "./split.css";

const KEPT_AS = "faultline.run-split";
const [LEAST, MOST, STEP, USUAL] = [30, 75, 2, 58];

export function Split({ left, right }: { readonly left: ReactNode; readonly right: ReactNode }): ReactNode {
  const words = useWords(RUN_WORDS);
  const [percent, setPercent] = useState(kept);
  const frame = useRef<HTMLDivElement>(null);
  const set = (value: number): void => {
    const next = Math.min(MOST, Math.max(LEAST, Math.round(value)));
    setPercent(next);
    localStorage.setItem(KEPT_AS, String(next));
  };
  const drag = (event: PointerEvent): void => {
    const box = frame.current?.getBoundingClientRect();
    if (box !== undefined && event.currentTarget.hasPointerCapture(event.pointerId))
      set(((event.clientX - box.left) / box.width) * 100);
  };
  const press = (event: KeyboardEvent): void => {
    const by = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    set(percent + by);
  };
  return (
    <div className="split" ref={frame} style={{ "--split": `${percent}%` } as never}>
      <div className="split-left">{left}</div>
      <div
        className="split-handle"
        role="separator"
        aria-orientation="vertical"
        aria-label={words.resize}
        aria-valuenow={percent}
        aria-valuemin={LEAST}
        aria-valuemax={MOST}
        tabIndex={0}
        onKeyDown={press}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={drag}
        onDoubleClick={() => set(USUAL)}
      />
      <div className="split-right">{right}</div>
    </div>
  );
}

function kept(): number {
  const value = Number(localStorage.getItem(KEPT_AS) ?? Number.NaN);
  return value >= LEAST && value <= MOST ? value : USUAL;
}
