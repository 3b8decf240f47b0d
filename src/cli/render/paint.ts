// Colours for terminals.

import { styleText } from "node:util";
import type { Io, Sink } from "../io.ts";

export type Style = Parameters<typeof styleText>[0];
export type Paint = (style: Style, text: string) => string;
export type ColorMode = "auto" | "always" | "never";

/** Colours the output on a terminal without NO_COLOR, or when asked to. */
export function paintFor(sink: Sink, env: Io["env"], mode: ColorMode): Paint {
  const noColor = (env["NO_COLOR"] ?? "") !== "" || env["TERM"] === "dumb";
  const forced = (env["FORCE_COLOR"] ?? "") !== "" && env["FORCE_COLOR"] !== "0";
  const on = mode === "always" || (mode === "auto" && (forced || (sink.isTTY && !noColor)));
  return on ? (style, text) => styleText(style, text, { validateStream: false }) : (_style, text) => text;
}
