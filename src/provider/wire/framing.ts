// Framings split the text of an answer into the pieces that a protocol reads: events, list elements, or one whole body.
// F1  The same text gives the same pieces, however it is chunked.
// F2  Memory is bounded: by the limits for a piece and a body, and by a few thousand characters for anything else.
// F3  A piece over its limit is reported once, and nothing is read after it.

export interface FramingSink {
  /** Called with the data of one event, and its name if it has one. */
  readonly piece: (data: string, name: string) => void;
  readonly body: (text: string) => void;
  /** Called with the number of characters of a body that is still arriving. */
  readonly arrived: (characters: number) => void;
  readonly tooLarge: (what: "event" | "body") => void;
}

export interface Framing {
  readonly push: (text: string) => void;
  readonly end: () => Remainder;
}

/** What the rest of the bytes looked like, for an answer without a proper end. */
export interface Remainder {
  /** `nothing`: only white space. `pieces`: events, or keep-alives. `other`: text that no framing reads. */
  readonly kind: "nothing" | "pieces" | "other";
  /** The beginning of the text, if it is `other`. */
  readonly head: string;
  /** JSON in an event stream that is not an event. Google reports a broken stream like this. */
  readonly bareJson: string;
  /** A last event without the blank line that ends it. */
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

/** How much of an unreadable text is kept as evidence. */
export const HEAD_CHARACTERS = 2_048;

export const NOTHING: Remainder = Object.freeze({ kind: "nothing", head: "", bareJson: "", lastEvent: null });
export const PIECES: Remainder = Object.freeze({ kind: "pieces", head: "", bareJson: "", lastEvent: null });
