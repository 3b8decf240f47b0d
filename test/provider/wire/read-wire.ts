// Helpers for the tests of the wire: bytes of answers as providers send them, and readers run over them.

import { classify, type FaultCode } from "../../../src/core/index.ts";
import type { Protocol } from "../../../src/provider/wire/protocol.ts";
import { createWireReader, type WireMode, type WireReaderOptions } from "../../../src/provider/wire/wire-reader.ts";
import type { WireState } from "../../../src/provider/wire/wire-state.ts";

const ENCODER = new TextEncoder();

export function bytesOf(text: string): Uint8Array {
  return ENCODER.encode(text);
}

/** Events without names, as chat and Google send them. Text is passed through. */
export function dataEvents(...events: readonly unknown[]): string {
  return events.map((event) => `data: ${asText(event)}\n\n`).join("");
}

/** Events named after their type, as Anthropic and responses send them. */
export function typedEvents(...events: readonly { readonly type: string }[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${asText(event)}\n\n`).join("");
}

function asText(event: unknown): string {
  return typeof event === "string" ? event : JSON.stringify(event);
}

export function readWire(
  protocol: Protocol,
  mode: WireMode,
  text: string | Uint8Array,
  options: WireReaderOptions = {},
): WireState {
  const reader = createWireReader(protocol, mode, options);
  reader.push(typeof text === "string" ? bytesOf(text) : text);
  reader.end();
  return reader.state;
}

/** The classifier's code for the failure; null if there is none. */
export function codeOf(state: WireState): FaultCode | null {
  return state.failure === null ? null : classify(state.failure).code;
}
