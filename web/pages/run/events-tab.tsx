// The events of a run. A list of any length: only rows in view exist, and only their events are read.

import { useVirtualizer } from "@tanstack/react-virtual";
import {
  type Dispatch,
  memo,
  type ReactNode,
  type SetStateAction,
  useCallback,
  useDeferredValue,
  useEffect,
  useRef,
  useState,
} from "react";
import { useFormat } from "../../app/format.ts";
import { useSearchParams } from "../../app/search-params.ts";
import { useCanAct } from "../../app/sign-in.tsx";
import { useWords } from "../../app/words.ts";
import { Check } from "../../parts/check.tsx";
import { Badge } from "../../parts/pill.tsx";
import { Quote } from "../../parts/page.tsx";
import { Empty, ProblemState, Skeleton } from "../../parts/states.tsx";
import { textOfValue } from "./json-quote.tsx";
import type { Run } from "./run-data.ts";
import { type EventFilter, type EventLevel, lineOf, type RunEvent, shortType, useRunEvents } from "./run-events.ts";
import { RUN_WORDS } from "./words.ts";
import "./events-tab.css";

const ROW_PX = 28;
const OVERSCAN = 8;
const LEVELS: readonly EventLevel[] = ["info", "warning", "error"];
const TONES = { info: "grey", warning: "amber", error: "red" } as const;

export function EventsTab({ run }: { readonly run: Run }): ReactNode {
  const words = useWords(RUN_WORDS);
  const search = useSearchParams();
  const level = LEVELS.find((one) => one === search.get("level")) ?? "info";
  const [q, setQ] = useState("");
  const [isFollowing, follow] = useState(false);
  const [chosen, choose] = useState<RunEvent | null>(null);
  const typed = useDeferredValue(q);
  const filter: EventFilter = { level, type: search.get("type") ?? "", node: search.get("of") ?? "", q: typed };
  return (
    <div className="events">
      <div className="tab-bar">
        <label>
          <span className="visually-hidden">{words.level}</span>
          <select
            value={level}
            onChange={({ target }) => search.set({ level: target.value === "info" ? null : target.value })}
          >
            {LEVELS.map((one) => (
              <option key={one} value={one}>
                {words.levels[one]}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span className="visually-hidden">{words.node}</span>
          <select value={filter.node} onChange={({ target }) => search.set({ of: target.value })}>
            <option value="">{words.allNodes}</option>
            {run.graph.nodes.map(({ id }) => (
              <option key={id} value={id}>
                {id}
              </option>
            ))}
          </select>
        </label>
        <input
          type="search"
          className="events-search"
          aria-label={words.searchEvents}
          placeholder={words.searchEvents}
          value={q}
          onChange={({ target }) => setQ(target.value)}
        />
        <Check name={words.follow} isOn={isFollowing} onChange={follow} />
        <DownloadEvents run={run.run} />
      </div>
      <EventRows {...{ run: run.run, filter, isFollowing, chosen, choose }} onScrollUp={() => follow(false)} />
      {chosen === null ? null : (
        <div className="events-more">
          <Quote label={shortType(chosen)}>{textOfValue(chosen.data)}</Quote>
        </div>
      )}
    </div>
  );
}

function DownloadEvents({ run }: { readonly run: string }): ReactNode {
  const words = useWords(RUN_WORDS);
  return useCanAct() ? (
    <a className="link" href={`/v1/runs/${encodeURIComponent(run)}/export?format=events`} download>
      {words.download}
    </a>
  ) : null;
}

interface EventRowsProps {
  readonly run: string;
  readonly filter: EventFilter;
  readonly isFollowing: boolean;
  readonly chosen: RunEvent | null;
  readonly choose: Dispatch<SetStateAction<RunEvent | null>>;
  /** The reader left the end of the list. */
  readonly onScrollUp: () => void;
}

function EventRows({ run, filter, isFollowing, chosen, choose, onScrollUp }: EventRowsProps): ReactNode {
  const words = useWords(RUN_WORDS);
  const scroller = useRef<HTMLDivElement>(null);
  const [total, setTotal] = useState<number | null>(null);
  const virtual = useVirtualizer({
    count: total ?? 0,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: OVERSCAN,
  });
  const inView = virtual.getVirtualItems();
  const events = useRunEvents(run, filter, inView[0]?.index ?? 0, inView.at(-1)?.index ?? 0);
  useEffect(() => setTotal(events.total), [events.total]);
  const toggle = useCallback((event: RunEvent) => choose((now) => (now?.id === event.id ? null : event)), [choose]);
  useEffect(() => {
    if (isFollowing && total !== null && total > 0) virtual.scrollToIndex(total - 1, { align: "end" });
  }, [isFollowing, total]);
  if (events.error !== null && total === null) return <ProblemState error={events.error} />;
  if (total === 0) return <Empty title={words.noEvents}>{words.noEventsNext}</Empty>;
  return (
    <div
      className="events-rows"
      ref={scroller}
      role="grid"
      aria-label={words.tabs.events}
      aria-rowcount={total ?? -1}
      tabIndex={0}
      onWheel={({ deltaY }) => (deltaY < 0 && isFollowing ? onScrollUp() : undefined)}
    >
      {total === null ? <Skeleton kind="rows" rows={8} /> : null}
      <div className="events-all" role="rowgroup" style={{ height: virtual.getTotalSize() }}>
        {inView.map(({ index, start }) => {
          const event = events.eventAt(index);
          return (
            <div
              key={index}
              role="row"
              aria-rowindex={index + 1}
              aria-selected={event !== undefined && event.id === chosen?.id}
              className="event"
              data-level={event?.level}
              style={{ height: ROW_PX, transform: `translateY(${start}px)` }}
            >
              {event === undefined ? (
                <span role="gridcell" className="dim num">
                  {index + 1}
                </span>
              ) : (
                <EventRow event={event} onChoose={toggle} />
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}

interface EventRowProps {
  readonly event: RunEvent;
  readonly onChoose: (event: RunEvent) => void;
}

/** Kept while the list scrolls: an event never changes. */
const EventRow = memo(function EventRow({ event, onChoose }: EventRowProps): ReactNode {
  const words = useWords(RUN_WORDS);
  const { clock } = useFormat();
  return (
    <>
      <span role="gridcell" className="dim num">
        {clock(Date.parse(event.time))}
      </span>
      <span role="gridcell" className="event-level">
        {event.level === "info" ? null : <Badge tone={TONES[event.level]}>{words.levels[event.level]}</Badge>}
      </span>
      <span role="gridcell">
        <button type="button" className="event-type" onClick={() => onChoose(event)}>
          {shortType(event)}
        </button>
      </span>
      <span role="gridcell" className="one-line">
        {event.subject ?? ""}
      </span>
      <span role="gridcell" className="event-line one-line dim">
        {lineOf(event)}
      </span>
    </>
  );
});
