// Faults in the bytes of a 200: broken JSON, no bytes, an error, a page, nonsense.

import { PROTOCOL_OF } from "../protocols/index.ts";
import type { ConnectionAct } from "../wire.ts";
import { type FaultRow, row, type Scene } from "./fault-row.ts";
import { bodyPlan, errorOf, eventsOf, goodPlan, htmlPlan, jsonOf, streamHead, write } from "./plans.ts";

const NONSENSE = "\u0001\u0002#@!~ %PDF-0.0 ]]>{{{ lorem 0xDEADBEEF ~~~ }}\u0003\n".repeat(8);
const SIGN_IN =
  "<!DOCTYPE html>\n<html><head><title>Sign in to the network</title></head><body><form>Please sign in.</form></body></html>\n";

// prettier-ignore
export const BODIES = [
  row("malformed-json", "AnswerUnreadable", {
    about: "A 200 with a complete body whose JSON breaks off; in a stream, the JSON of every event does.",
    seenIn: "content", plan: malformed }),
  row("error-in-body", "Overloaded", {
    about: "An error in the body of a 200; also as an answer to a request that streams.",
    params: { error: "overloaded" }, plan: errorInBody }),
  row("empty", "AnswerUnreadable", {
    about: "A 200 without a single byte of body.",
    plan: (scene) => (scene.asked.streaming ? [streamHead(scene), { do: "end" }] : bodyPlan(scene, 200, "")) }),
  row("wrong-content-type", "AnswerUnreadable", {
    about: "The right answer under `content-type: text/html`.",
    seenIn: "content", plan: (scene) => goodPlan(scene).map(asHtml) }),
  row("html-page", "AnswerUnreadable", {
    about: "A 200 with an HTML page, such as the sign-in page of a network.",
    plan: () => htmlPlan(200, SIGN_IN) }),
  row("gibberish", "AnswerUnreadable", {
    about: "A 200 of the right type whose bytes are nonsense.",
    seenIn: "content", plan: gibberish }),
  row("odd-error-in-body", "AnswerUnreadable", {
    about: "A 200 with an unknown error, in a shape that no vendor uses.",
    plan: (scene) => bodyPlan(scene, 200, '{"ok":false,"error":{"reason":"E-1207"}}') }),
] as const;

function malformed(scene: Scene): readonly ConnectionAct[] {
  if (!scene.asked.streaming) {
    const whole = jsonOf(scene);
    return bodyPlan(scene, 200, whole.slice(0, Math.ceil(whole.length * 0.7)));
  }
  const broken = eventsOf(scene).map(({ text }) => write({ text: text.replace(/\}(\s*)$/, "$1") }));
  return [streamHead(scene), ...broken, { do: "end" }];
}

function errorInBody(scene: Scene): readonly ConnectionAct[] {
  const { asked, stamp, params } = scene;
  const error = errorOf(params.error, scene);
  // A gateway that fails before the stream has started sends a plain error.
  const body = asked.streaming ? error.body : PROTOCOL_OF[asked.protocol].errorBody(error, asked, stamp);
  return bodyPlan(scene, 200, JSON.stringify(body));
}

function asHtml(act: ConnectionAct): ConnectionAct {
  return act.do === "head" ? { ...act, headers: { ...act.headers, "content-type": "text/html; charset=utf-8" } } : act;
}

function gibberish(scene: Scene): ReturnType<FaultRow["plan"]> {
  return scene.asked.streaming
    ? [streamHead(scene), write({ text: NONSENSE }), { do: "end" }]
    : bodyPlan(scene, 200, NONSENSE);
}
