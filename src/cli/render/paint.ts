// Colours for terminals.

import { styleText } from "node:util";
import { variableOf } from "../config/settings.ts";
import type { Io, Sink } from "../io.ts";

export type Style = Parameters<typeof styleText>[0];
export type Paint = (style: Style, text: string) => string;
export type ColorMode = "auto" | "always" | "never";

/** Colours the output on a terminal without NO_COLOR, or when asked to. */
export function paintFor(sink: Sink, env: Io["env"], mode: ColorMode): Paint {
  const when = mode === "auto" ? variableOf("color", env) || mode : mode;
  const on = when === "always" || (when === "auto" && sink.isTTY);
  return on ? (style, text) => styleText(style, text, { validateStream: false }) : (_style, text) => text;
}
