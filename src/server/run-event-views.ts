// The events of a run as a reader of a role may see and search them.

import type { z } from "zod";
import type { Role } from "../api/route.ts";
import type { runEventsQuery, runEventView } from "../api/runs.ts";
import { toCloudEvent } from "../core/record/cloud-event.ts";
import type { RunStreamEvent } from "../core/record/run-stream.ts";
import { levelOf, RUN_EVENT_LEVELS } from "../core/record/run-stream-level.ts";
import { typesOf } from "./events/event-hub.ts";

/** Fields that hold data of the user's own; viewers do not see them. */
const HIDDEN = new Set(["inputs", "output"]);

type Shown = Omit<RunStreamEvent, "data"> & { readonly data: Readonly<Record<string, unknown>> };

function shownTo(role: Role, event: RunStreamEvent): Shown {
  if (role === "operator") return event as Shown;
  const data = Object.entries(event.data).filter(([field]) => !HIDDEN.has(field));
  return { ...event, data: Object.fromEntries(data) };
}

export function eventFor(role: Role, event: RunStreamEvent): z.output<typeof runEventView> {
  return { ...toCloudEvent(event), level: levelOf(event), data: { ...shownTo(role, event) } };
}

type Filter = Omit<z.output<typeof runEventsQuery>, "limit" | "after">;

/** The events that fit a filter, in their order. Words are searched only in the fields that the reader may see. */
export function matching(
  events: readonly RunStreamEvent[],
  { types, level, node, q }: Filter,
  role: Role,
): readonly RunStreamEvent[] {
  const wanted = typesOf(types);
  const lowest = RUN_EVENT_LEVELS.indexOf(level ?? "info");
  const words = (q ?? "").toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted === null && lowest === 0 && node === undefined && words.length === 0) return events;
  return events.filter(
    (event) =>
      (wanted === null || wanted.has(event.type)) &&
      RUN_EVENT_LEVELS.indexOf(levelOf(event)) >= lowest &&
      (node === undefined || event.node === node) &&
      (words.length === 0 || hasAll(textOf(role, event), words)),
  );
}

function hasAll(text: string, words: readonly string[]): boolean {
  return words.every((word) => text.includes(word));
}

/** The searchable text of each event, made once: a search runs again with every key that a person types. */
const TEXTS: Readonly<Record<Role, WeakMap<RunStreamEvent, string>>> = {
  viewer: new WeakMap(),
  operator: new WeakMap(),
};

function textOf(role: Role, event: RunStreamEvent): string {
  const known = TEXTS[role].get(event);
  if (known !== undefined) return known;
  const { type, node, data } = shownTo(role, event);
  const text = `${type} ${node} ${JSON.stringify(data)}`.toLowerCase();
  TEXTS[role].set(event, text);
  return text;
}
