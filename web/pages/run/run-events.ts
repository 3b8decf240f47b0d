// The events of a run, as many as there are: any part of them is read when it comes into view.

import { useQueries } from "@tanstack/react-query";
import { useRef } from "react";
import { usePreferences } from "../../app/preferences.ts";
import { type Answer, call, type Sent, useClient } from "../../app/server.tsx";

export type RunEvent = Answer<"listRunEvents">["items"][number];
export type EventLevel = RunEvent["level"];

const EVENTS_PER_PAGE = 200;

export interface EventFilter {
  readonly level: EventLevel;
  readonly type: string;
  readonly node: string;
  readonly q: string;
}

export interface RunEvents {
  /** null before the first answer. */
  readonly total: number | null;
  readonly eventAt: (index: number) => RunEvent | undefined;
  readonly error: Error | null;
}

/** `first` and `last`: the rows in view. Only their pages are read, and read again when the run has changed. */
export function useRunEvents(run: string, filter: EventFilter, first: number, last: number): RunEvents {
  const client = useClient();
  const { language } = usePreferences();
  const pages = pagesOf(first, last);
  const answers = useQueries({
    queries: pages.map((page) => {
      const input = inputOf(run, filter, page);
      return {
        queryKey: ["listRunEvents", input, language],
        queryFn: ({ signal }: { signal: AbortSignal }) => call(client, "listRunEvents", { ...input, signal }),
      };
    }),
  });
  const newest = answers.toSorted((a, b) => b.dataUpdatedAt - a.dataUpdatedAt)[0]?.data;
  const key = JSON.stringify([run, filter, language]);
  // Rows that come into view have no answer yet; the number of all events is still known.
  const known = useRef<{ readonly key: string; readonly total: number | null }>({ key, total: null });
  if (known.current.key !== key) known.current = { key, total: null };
  if (newest !== undefined) known.current = { key, total: newest.total };
  return {
    total: known.current.total,
    eventAt: (index) =>
      answers[pages.indexOf(Math.floor(index / EVENTS_PER_PAGE))]?.data?.items[index % EVENTS_PER_PAGE],
    error: answers.find(({ error }) => error !== null)?.error ?? null,
  };
}

function pagesOf(first: number, last: number): readonly number[] {
  const [from, to] = [Math.floor(first / EVENTS_PER_PAGE), Math.floor(last / EVENTS_PER_PAGE)];
  return Array.from({ length: to - from + 1 }, (_none, index) => from + index);
}

function inputOf(run: string, { level, type, node, q }: EventFilter, page: number): Sent<"listRunEvents"> {
  return {
    params: { run },
    query: {
      ...{ limit: EVENTS_PER_PAGE, after: page * EVENTS_PER_PAGE },
      ...(level === "info" ? {} : { level }),
      ...(type === "" ? {} : { types: type }),
      ...(node === "" ? {} : { node }),
      ...(q.trim() === "" ? {} : { q: q.trim() }),
    },
  };
}

const PREFIX = "dev.faultline.";

export function shortType({ type }: Pick<RunEvent, "type">): string {
  return type.startsWith(PREFIX) ? type.slice(PREFIX.length) : type;
}

/** Envelope fields that the row shows elsewhere. */
const SHOWN_ELSEWHERE = new Set(["seq"]);

/** The event's own data in one line; the words of a failure come first. */
export function lineOf({ data }: Pick<RunEvent, "data">): string {
  const own = (data["data"] ?? {}) as Readonly<Record<string, unknown>>;
  const failure = own["failure"] as { readonly message?: string } | null | undefined;
  const facts = Object.entries(own)
    .filter(([name, value]) => !SHOWN_ELSEWHERE.has(name) && isShort(value))
    .map(([name, value]) => `${name} ${String(value)}`);
  return [...(failure?.message === undefined ? [] : [failure.message]), ...facts].join(" · ");
}

function isShort(value: unknown): boolean {
  return typeof value === "number" || typeof value === "boolean" || (typeof value === "string" && value.length <= 120);
}
