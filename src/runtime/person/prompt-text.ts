// Text from elsewhere, made harmless to show in a prompt.

import { nodeUtil } from "../../host/builtin.ts";

/** Longer prompts are cut, and say so: a screen must have room for the answer. */
const MAX_CHARS = 2_000;
const MAX_LINES = 20;

/** Control characters, and those that reverse or hide text: they could redraw the prompt as another one. */
const UNSAFE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/g;

export function promptText(text: string): string {
  const whole = nodeUtil().stripVTControlCharacters(text).replace(/\r\n?/g, "\n").replace(UNSAFE, " ").trim();
  const shown = whole.slice(0, MAX_CHARS).split("\n").slice(0, MAX_LINES).join("\n");
  return shown.length === whole.length ? whole : `${shown}\n… (+${whole.length - shown.length})`;
}

export function oneLine(text: string): string {
  return promptText(text.replace(/\s+/g, " "));
}
