// How the text of an answer is cut into what a protocol reads: events, elements of a list, or one whole body. For every framing:
// F1  the same text gives the same pieces, however it is chunked.
// F2  what is kept is bounded: by the limits for a piece and a body, by a few thousand characters for anything else.
// F3  a piece beyond its limit is reported once, and nothing is read after it.

export interface FramingSink {
  /** The data of one event, with the event's name if it has one. */
  readonly piece: (data: string, name: string) => void;
  readonly body: (text: string) => void;
  /** Characters of a body that is still coming. */
  readonly arrived: (characters: number) => void;
  readonly tooLarge: (what: "event" | "body") => void;
}

export interface Framing {
  readonly push: (text: string) => void;
  readonly end: () => Remainder;
}

/** What the bytes looked like, for an answer that did not come to its proper end. */
export interface Remainder {
  /** `nothing` but white space; `pieces` or the wait for them; `other`: text that is none of what we read. */
  readonly kind: "nothing" | "pieces" | "other";
  /** The beginning of the text, when it is `other`. */
  readonly head: string;
  /** JSON that stands in a stream of events without being one: so Google tells that a stream broke. */
  readonly bareJson: string;
  /** An event without the blank line that ends one. */
  readonly lastEvent: UnendedEvent | null;
}

export interface UnendedEvent {
  readonly data: string;
  readonly name: string;
}

export interface FramingLimits {
  readonly eventCharacters: number;
  readonly bodyCharacters: number;
}

/** How much of a text that cannot be read is kept as evidence. */
export const HEAD_CHARACTERS = 2_048;

export const NOTHING: Remainder = Object.freeze({ kind: "nothing", head: "", bareJson: "", lastEvent: null });
export const PIECES: Remainder = Object.freeze({ kind: "pieces", head: "", bareJson: "", lastEvent: null });
