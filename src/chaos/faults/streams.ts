// Faults of the connection: errors inside a stream, streams that are cut, never end, stall or drip, and requests without any answer.

import { PROTOCOL_OF } from "../protocols/index.ts";
import type { ConnectionAct, WireEvent } from "../wire.ts";
import { row, type Scene } from "./fault-row.ts";
import { bodyPlan, errorOf, eventsOf, goodPlan, jsonOf, streamHead, write } from "./plans.ts";

// prettier-ignore
export const STREAMS = [
  row("error-first-event", "Overloaded", {
    about: "A stream whose first event is an error.",
    needs: "stream", params: { error: "overloaded" }, plan: (scene) => [streamHead(scene), errorEvent(scene, true), { do: "end" }] }),
  row("error-mid-stream", "Overloaded", {
    about: "A stream that starts well and then sends an error.",
    needs: "stream", afterOutput: true, params: { error: "overloaded", after: 2 }, plan: (scene) => [...begun(scene), errorEvent(scene, upTo(scene).length === 0), { do: "end" }] }),
  row("cut-stream", "NetworkDisconnect", {
    about: "The connection is closed in the middle of the answer, a moment after its last piece; a body that does not stream is cut in half.",
    // Without the delay a client may lose data it has not read yet, and then nothing shows that there was content.
    seenIn: "transport", afterOutput: true, params: { "after": 2, "wait-ms": 20 }, plan: (scene) => [...begun(scene), { do: "wait", ms: scene.params["wait-ms"] }, { do: "cut" }] }),
  row("no-end-mark", "NetworkDisconnect", {
    about: "A stream that closes normally, but without its final event.",
    needs: "stream", seenIn: "content", afterOutput: true, plan: (scene) => [streamHead(scene), ...eventsOf(scene).filter(({ part }) => part !== "close").map(write), { do: "end" }] }),
  row("malformed-chunk", "AnswerUnreadable", {
    about: "A stream with one event whose JSON breaks off; the rest is fine.",
    needs: "stream", seenIn: "content", afterOutput: true, params: { after: 2 }, plan: malformedChunk }),
  row("stall", "NetworkTimeout", {
    about: "The answer starts, then nothing more arrives until the connection is closed.",
    seenIn: "transport", afterOutput: true, params: { "after": 2, "for-ms": 600_000 }, plan: (scene) => [...begun(scene), { do: "wait", ms: scene.params["for-ms"] }, { do: "cut" }] }),
  row("stall-alive", "NetworkTimeout", {
    about: "As `stall`, but keep-alives without content keep arriving: pings, comments.",
    needs: "stream", seenIn: "transport", afterOutput: true, params: { "after": 2, "for-ms": 600_000, "wait-ms": 10_000 }, plan: stallAlive }),
  row("slow-first-token", null, {
    about: "A good answer whose first piece takes a long time; a stream sends its headers at once.",
    seenIn: "transport", params: { "wait-ms": 30_000 }, plan: slowFirst }),
  row("slow-drip", null, {
    about: "A good answer with a wait before every piece.",
    seenIn: "transport", afterOutput: true, params: { "wait-ms": 1000 }, plan: slowDrip }),
  row("reset", "NetworkDisconnect", {
    about: "The connection is reset before a single byte of answer.",
    seenIn: "transport", plan: () => [{ do: "reset" }] }),
  row("hang", "NetworkTimeout", {
    about: "The request is read and nothing comes back, not even headers, until the connection is closed.",
    seenIn: "transport", params: { "for-ms": 600_000 }, plan: ({ params }) => [{ do: "wait", ms: params["for-ms"] }, { do: "cut" }] }),
  row("refuse", "NetworkDisconnect", {
    about: "This connection is reset, and new connections are refused for a while.",
    seenIn: "transport", params: { "for-ms": 1000 }, plan: ({ params }) => [{ do: "refuse", ms: params["for-ms"] }] }),
] as const;

/** The answer up to the failure. */
function begun(scene: Scene): readonly ConnectionAct[] {
  if (scene.asked.streaming) return [streamHead(scene), ...upTo(scene).map(write)];
  const whole = jsonOf(scene);
  const [head] = bodyPlan(scene, 200, whole);
  return [...(head === undefined ? [] : [head]), write({ text: whole.slice(0, Math.floor(whole.length / 2)) })];
}

/** All events before the first piece of content that is too much; never the end mark. */
function upTo(scene: Scene): readonly WireEvent[] {
  const events = eventsOf(scene);
  let left = scene.params.after;
  const end = events.findIndex(({ part }) => part === "close" || (part === "content" && left-- <= 0));
  return end === -1 ? events : events.slice(0, end);
}

function errorEvent(scene: Scene, isFirst: boolean): ConnectionAct {
  const { asked, stamp, params } = scene;
  return write({ text: PROTOCOL_OF[asked.protocol].errorEvent(errorOf(params.error, scene), asked, stamp, isFirst) });
}

function malformedChunk(scene: Scene): readonly ConnectionAct[] {
  const before = upTo(scene);
  const [spoilt, ...rest] = eventsOf(scene).slice(before.length);
  const text = spoilt === undefined ? "" : spoilt.text.replace(/\}(\s*)$/, "$1");
  return [streamHead(scene), ...before.map(write), write({ text }), ...rest.map(write), { do: "end" }];
}

const MAX_KEEP_ALIVES = 10_000;

function stallAlive(scene: Scene): readonly ConnectionAct[] {
  const { asked, params } = scene;
  const forMs = params["for-ms"];
  // A stall with too many keep-alives gets fewer of them; it never ends early.
  const everyMs = Math.max(1, params["wait-ms"], forMs / MAX_KEEP_ALIVES);
  const count = Math.floor(forMs / everyMs);
  const keepAlive = write({ text: PROTOCOL_OF[asked.protocol].keepAlive(asked) });
  const wait = (ms: number): ConnectionAct => ({ do: "wait", ms });
  const keepAlives = Array.from({ length: count }, () => [wait(everyMs), keepAlive]).flat();
  const leftMs = forMs - count * everyMs;
  return [...begun(scene), ...keepAlives, ...(leftMs > 0 ? [wait(leftMs)] : []), { do: "cut" }];
}

function slowFirst(scene: Scene): readonly ConnectionAct[] {
  const [head, ...rest] = goodPlan(scene);
  const wait: ConnectionAct = { do: "wait", ms: scene.params["wait-ms"] };
  if (head === undefined) return [];
  return scene.asked.streaming ? [head, wait, ...rest] : [wait, head, ...rest];
}

const BODY_PIECES = 8;

function slowDrip(scene: Scene): readonly ConnectionAct[] {
  const wait: ConnectionAct = { do: "wait", ms: scene.params["wait-ms"] };
  return goodPlan(scene).flatMap((act): readonly ConnectionAct[] => {
    if (act.do !== "write") return [act];
    const pieces = scene.asked.streaming ? [act.text] : inPieces(act.text);
    return pieces.flatMap((text) => [wait, write({ text })]);
  });
}

function inPieces(text: string): readonly string[] {
  const length = Math.ceil(text.length / BODY_PIECES);
  return Array.from({ length: BODY_PIECES }, (_piece, index) =>
    text.slice(index * length, (index + 1) * length),
  ).filter((piece) => piece !== "");
}
