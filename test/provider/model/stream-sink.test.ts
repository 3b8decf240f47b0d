// White space where a text broke off: a continuation is asked for without it, so the model writes it again or leaves it out.

import { expect, it } from "vitest";
import { StreamSink } from "../../../src/provider/model/stream-sink.ts";

const SEEN = "Go \n";

it.each([
  ["writes it again", [" \n", " north"], " north"],
  ["writes it in pieces", [" ", "\n north"], " north"],
  ["leaves it out", ["north"], "north"],
  ["writes other white space", ["\tnorth"], "\tnorth"],
])("a caller gets each character once when the model %s, in an open block or a new one", (_how, deltas, rest) => {
  for (const isClosed of [false, true]) {
    const sink = new StreamSink("continue");
    sink.begin();
    sink.push({ type: "text-start", id: "0" });
    sink.push({ type: "text-delta", id: "0", delta: SEEN });
    if (isClosed) sink.push({ type: "text-end", id: "0" });
    sink.begin();
    sink.push({ type: "text-start", id: "a" });
    const shown = deltas.map((delta) => sink.push({ type: "text-delta", id: "a", delta }));
    expect(shown.map((part) => (part?.type === "text-delta" ? part.delta : "")).join("")).toBe(rest);
    expect(sink.continuable).toBe(`${SEEN}${rest}`);
  }
});
