// An event of a run in the envelope of CloudEvents 1.0, so that a broker or another program can pass it on without knowing us.

import { isoTime } from "../fault/words/time-words.ts";
import { RUN_STREAM_VERSION, type RunStreamEvent } from "./run-stream-event.ts";

/** The envelope of CloudEvents 1.0 in its JSON form. */
export interface CloudEnvelope {
  readonly specversion: "1.0";
  /** Unique together with `source`. */
  readonly id: string;
  /** A reference to the run or session, as a URI. */
  readonly source: string;
  readonly type: string;
  /** What the event is about within its source, such as a node; left out when it is about all of it: an empty one is not allowed. */
  readonly subject?: string;
  readonly time: string;
  readonly datacontenttype: "application/json";
}

/** An event of a run as a CloudEvent; `sequence` is an extension. */
export interface CloudEvent extends CloudEnvelope {
  readonly dataschema: string;
  /** Sorts as text in the order in which things happened. */
  readonly sequence: string;
  readonly data: RunStreamEvent;
}

export interface CloudEventOptions {
  /** Where the runs live: `/faultline/runs` when left out. The run is put behind it. */
  readonly source?: string;
}

const TYPE_PREFIX = "dev.faultline.";
/** Names the shape of `data`; not a place to fetch it from. */
const DATA_SCHEMA = `urn:faultline:run-event:${RUN_STREAM_VERSION}`;
const SEQUENCE_DIGITS = 12;

/** An event of a run as a CloudEvent. */
export function toCloudEvent(
  event: RunStreamEvent,
  { source = "/faultline/runs" }: CloudEventOptions = {},
): CloudEvent {
  const { run, sequence, type, node, at } = event;
  return {
    specversion: "1.0",
    id: `${run}/${sequence}`,
    source: `${source.replace(/\/+$/, "")}/${encodeURIComponent(run)}`,
    type: `${TYPE_PREFIX}${type}`,
    ...(node === "" ? {} : { subject: node }),
    time: isoTime(at),
    datacontenttype: "application/json",
    dataschema: DATA_SCHEMA,
    sequence: String(sequence).padStart(SEQUENCE_DIGITS, "0"),
    data: event,
  };
}
