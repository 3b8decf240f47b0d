// The text in an answer that was kept: a stream is kept as the events that its client got, which few people read.

import { createWireReader } from "../../provider/wire/wire-reader.ts";
import { ADDRESSES } from "../../provider/wire/protocol.ts";

/** null: nothing in it can be read as text. `kept` may have been cut, so it may end within an event. */
export function textIn(kept: string, dialect: string): string | null {
  const protocol = ADDRESSES.find((one) => one.protocol === dialect)?.protocol;
  if (protocol === undefined) return null;
  const mode = kept.trimStart().startsWith("{") ? "json" : "stream";
  const reader = createWireReader(protocol, mode, { keepText: true });
  reader.push(new TextEncoder().encode(kept));
  reader.end();
  const { text } = reader.state;
  return text === null || text === "" ? null : text;
}
