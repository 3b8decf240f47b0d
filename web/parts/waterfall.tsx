// What happened over time, one row per thing that took time. Work is solid, waits are hatched, queues are outlined. Only the rows in view
// exist, so that thousands of them stay quick.

import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, memo, type ReactNode, useId, useRef } from "react";
import { type Format, useFormat } from "../app/format.ts";
import { useWords, wordTable } from "../app/words.ts";
import { Icon } from "./icon.tsx";
import { toneOf } from "./pill.tsx";
import type { TimeScale, Window } from "./time-scale.ts";
import { useDragZoom } from "./waterfall-zoom.tsx";
import "./waterfall.css";

export interface WaterfallBar {
  readonly id: string;
  readonly startAt: number;
  readonly endAt: number;
  /** `frame`: a thin line around what it holds. */
  readonly phase: "queue" | "wait" | "work" | "frame";
  /** The id of its state, for the colour. */
  readonly state: string;
  /** What it says when the pointer rests on it. */
  readonly says: string;
}

export interface WaterfallRow {
  readonly id: string;
  readonly depth: number;
  readonly label: string;
  /** Behind the label, dimmed. */
  readonly note: string;
  readonly state: { readonly id: string; readonly label: string } | null;
  readonly bars: readonly WaterfallBar[];
  /** Behind the bars: what failed, and how long it took; may be empty. */
  readonly fault: string;
  readonly long: string;
  /** Stands in place of bars, for what took no time. */
  readonly text: string;
  /** null: it holds nothing. */
  readonly isOpen: boolean | null;
  /** The whole row in words, for those who do not see the bars. */
  readonly says: string;
}

export interface WaterfallProps {
  readonly label: string;
  readonly rows: readonly WaterfallRow[];
  readonly scale: TimeScale;
  /** A line that must not be crossed, with its words; null: none. */
  readonly line: { readonly at: number; readonly says: string } | null;
  /** A row or a bar. */
  readonly chosen: string | null;
  readonly onChoose: (id: string) => void;
  readonly onToggle: (id: string) => void;
  readonly onWindow: (window: Window) => void;
  readonly window: Window;
}

const ROW_HEIGHT = 28;

export function Waterfall(props: WaterfallProps): ReactNode {
  const { label, rows, scale, line, chosen } = props;
  const words = useWords(WORDS);
  const scroller = useRef<HTMLDivElement>(null);
  const prefix = useId();
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 20,
    getItemKey: (index) => rows[index]?.id ?? index,
  });
  const onKeyDown = useTreeKeys(props, (index) => virtual.scrollToIndex(index));
  const chosenRow = rows.find((row) => isChosen(row, chosen));
  return (
    <div
      className="waterfall"
      ref={scroller}
      role="treegrid"
      aria-label={label}
      aria-rowcount={rows.length}
      aria-activedescendant={chosenRow === undefined ? undefined : `${prefix}${chosenRow.id}`}
      tabIndex={0}
      onKeyDown={onKeyDown}
    >
      <div className="waterfall-head" role="row">
        <span role="columnheader">{words.what}</span>
        <Axis {...props} />
      </div>
      <div className="waterfall-all" role="rowgroup" style={{ height: virtual.getTotalSize() }}>
        <Lines scale={scale} line={line} />
        {virtual.getVirtualItems().map(({ index, start, key }) => {
          const row = rows[index];
          return row === undefined ? null : (
            <Row key={key} {...props} row={row} index={index} top={start} htmlId={`${prefix}${row.id}`} />
          );
        })}
      </div>
    </div>
  );
}

interface RowProps extends WaterfallProps {
  readonly row: WaterfallRow;
  readonly index: number;
  readonly top: number;
  readonly htmlId: string;
}

/** Drawn again only when it changes: scrolling moves rows in and out, and leaves the others alone. */
const Row = memo(function Row({ row, index, top, htmlId, scale, chosen, onChoose, onToggle }: RowProps): ReactNode {
  const words = useWords(WORDS);
  const { id, depth, label, note, state, bars, fault, long, text, isOpen, says } = row;
  return (
    <div
      id={htmlId}
      role="row"
      className="waterfall-row"
      aria-level={depth + 1}
      aria-rowindex={index + 1}
      aria-selected={isChosen(row, chosen)}
      {...(isOpen === null ? {} : { "aria-expanded": isOpen })}
      style={{ height: ROW_HEIGHT, transform: `translateY(${top}px)` }}
      onClick={() => onChoose(id)}
    >
      <div
        role="rowheader"
        className="waterfall-name"
        style={{ paddingLeft: `calc(8px + ${depth} * var(--waterfall-indent))` }}
      >
        {isOpen === null ? (
          <span className="waterfall-toggle" />
        ) : (
          <button
            type="button"
            className="waterfall-toggle"
            tabIndex={-1}
            aria-label={isOpen ? words.close : words.open}
            data-open={isOpen}
            onClick={(event) => {
              event.stopPropagation();
              onToggle(id);
            }}
          >
            <Icon name="next" size={10} />
          </button>
        )}
        {state === null ? null : (
          <span className={`waterfall-dot tone-${toneOf(state.id)}`} data-state={state.id} aria-hidden="true" />
        )}
        <span className="one-line" title={label}>
          {label}
        </span>
        {note === "" ? null : <span className="one-line dim waterfall-note">{note}</span>}
      </div>
      <div role="gridcell" className="waterfall-bars">
        {text === "" ? (
          <span className="visually-hidden">{says}</span>
        ) : (
          <span className="one-line dim waterfall-text">{text}</span>
        )}
        {bars.map((bar) => (
          <Bar key={bar.id} bar={bar} scale={scale} isChosen={bar.id === chosen} onChoose={onChoose} />
        ))}
      </div>
      <div role="gridcell" className="waterfall-end" aria-hidden="true">
        {fault === "" ? null : <span className="one-line waterfall-fault">{fault}</span>}
        <span className="num">{long}</span>
      </div>
    </div>
  );
});

interface BarProps {
  readonly bar: WaterfallBar;
  readonly scale: TimeScale;
  readonly isChosen: boolean;
  readonly onChoose: (id: string) => void;
}

/** The row says the same in words, so a bar is for the eye and the pointer only. */
function Bar({
  bar: { id, startAt, endAt, phase, state, says },
  scale,
  isChosen: isOn,
  onChoose,
}: BarProps): ReactNode {
  const [left, right] = [Math.max(scale.shareOf(startAt), -0.01), Math.min(scale.shareOf(endAt), 1.01)];
  if (right < 0 || left > 1) return null;
  return (
    <span
      aria-hidden="true"
      className={`waterfall-bar waterfall-${phase} tone-${toneOf(state)}`}
      data-chosen={isOn}
      data-bar={id}
      title={says}
      style={{ left: `${left * 100}%`, width: `${Math.max(0, right - left) * 100}%` }}
      onClick={(event) => {
        event.stopPropagation();
        onChoose(id);
      }}
    />
  );
}

function Axis({ scale, line, window, onWindow }: WaterfallProps): ReactNode {
  const words = useWords(WORDS);
  const { drag, handlers } = useDragZoom(window, onWindow);
  const at = line === null ? null : scale.shareOf(line.at);
  return (
    <div className="waterfall-axis" role="columnheader" aria-label={words.time} title={words.drag} {...handlers}>
      <Ticks scale={scale} />
      {line === null || at === null || at < 0 || at > 1 ? null : (
        <span className="waterfall-line-label" data-side={at > 0.8 ? "left" : "right"} style={{ left: `${at * 100}%` }}>
          {line.says}
        </span>
      )}
      {drag === null ? null : (
        <i
          className="waterfall-drag"
          style={{ left: `${drag.from * 100}%`, width: `${(drag.to - drag.from) * 100}%` }}
        />
      )}
    </div>
  );
}

/** Lines through all rows: ticks, shortened stretches, and the deadline. */
function Lines({ scale, line }: Pick<WaterfallProps, "scale" | "line">): ReactNode {
  const format = useFormat();
  const words = useWords(WORDS);
  const at = line === null ? -1 : scale.shareOf(line.at);
  return (
    <div className="waterfall-lines" aria-hidden="true">
      {scale.ticks.map(({ share, ms }) => (
        <i key={ms} className="waterfall-grid" style={{ left: `${share * 100}%` }} />
      ))}
      {scale.gaps
        .filter(({ share, width }) => share + width >= 0 && share <= 1)
        .map(({ share, width, ms }) => (
          <i
            key={share}
            className="waterfall-gap"
            title={words.hidden(format.duration(ms))}
            style={{ left: `${share * 100}%`, width: `${width * 100}%` }}
          />
        ))}
      {at < 0 || at > 1 ? null : <i className="waterfall-line" style={{ left: `${at * 100}%` }} />}
    </div>
  );
}

/** Times along an axis. The label of a tick at the right edge would be cut, so it has none. */
export function Ticks({ scale }: { readonly scale: TimeScale }): ReactNode {
  const format = useFormat();
  return scale.ticks
    .filter(({ share }) => share < LAST_LABEL)
    .map(({ share, ms }) => (
      <span key={ms} className="waterfall-tick" style={{ left: `${share * 100}%` }}>
        {tickLabel(ms, format)}
      </span>
    ));
}

const LAST_LABEL = 0.92;

/** `0`, `200 ms`, `5 s`, then a clock such as 01:30. */
function tickLabel(ms: number, { duration, countdown }: Format): string {
  if (ms === 0) return "0";
  return ms < 60_000 ? duration(ms) : countdown(ms);
}

function isChosen({ id, bars, isOpen }: WaterfallRow, chosen: string | null): boolean {
  return chosen !== null && (id === chosen || (isOpen !== true && bars.some((bar) => bar.id === chosen)));
}

function useTreeKeys(
  { rows, chosen, onChoose, onToggle }: WaterfallProps,
  scrollTo: (index: number) => void,
): (event: KeyboardEvent) => void {
  const at = rows.findIndex((row) => isChosen(row, chosen));
  const choose = (index: number): void => {
    const row = rows[Math.min(rows.length - 1, Math.max(0, index))];
    if (row === undefined) return;
    onChoose(row.id);
    scrollTo(rows.indexOf(row));
  };
  const outward = (): void => {
    const row = rows[at];
    if (row === undefined) return;
    if (row.isOpen === true) return onToggle(row.id);
    choose(rows.slice(0, at).findLastIndex(({ depth }) => depth < row.depth));
  };
  const inward = (): void => {
    const row = rows[at];
    if (row?.isOpen === false) onToggle(row.id);
    else if (row?.isOpen === true) choose(at + 1);
  };
  const moves: Readonly<Record<string, () => void>> = {
    ArrowDown: () => choose(at + 1),
    ArrowUp: () => choose(at - 1),
    Home: () => choose(0),
    End: () => choose(rows.length - 1),
    ArrowRight: inward,
    ArrowLeft: outward,
  };
  return (event) => {
    const move = moves[event.key];
    if (move === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    move();
  };
}

const WORDS = wordTable({
  "en": {
    what: "What",
    time: "Time since the start",
    drag: "Drag to zoom in",
    open: "Show what is in it",
    close: "Hide what is in it",
    hidden: (long: string) => `Nothing happened for ${long}`,
  },
  "zh-CN": {
    what: "内容",
    time: "自开始起的时间",
    drag: "拖动以放大",
    open: "展开",
    close: "收起",
    hidden: (long: string) => `${long}内无活动`,
  },
});
