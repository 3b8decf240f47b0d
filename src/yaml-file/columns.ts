// The width of a text on a terminal.

import { eastAsianWidth } from "get-east-asian-width";

export function columnsOf(text: string): number {
  return Array.from(text).reduce((sum, char) => sum + eastAsianWidth(char.codePointAt(0) ?? 0), 0);
}
