// Diagnostics in Chinese, by their English sentences. A kind of file brings its rows; tests read every mistake they know in Chinese and
// name the sentences without a row.

import type { Locale } from "../core/index.ts";
import type { Diagnostic } from "./diagnostic.ts";

/** `{}` in English is what differs; `{1}`, `{2}` … in Chinese are these parts in order. A part that is a sentence itself is translated, too. */
export type SentenceRow = readonly [english: string, chinese: string];

export function createTranslator(rows: readonly SentenceRow[]): (diagnostic: Diagnostic, locale: Locale) => Diagnostic {
  const patterns = rows.map(([english, chinese]) => [patternOf(english), chinese] as const);
  const inChinese = (english: string): string => {
    for (const [pattern, chinese] of patterns) {
      const parts = pattern.exec(english);
      if (parts !== null)
        return chinese.replaceAll(/\{(\d)\}/g, (_hole, index: string) => inChinese(parts[Number(index)] ?? ""));
    }
    return english;
  };
  return (diagnostic, locale) => {
    if (locale === "en") return diagnostic;
    const { message, label, help } = diagnostic;
    return { ...diagnostic, message: inChinese(message), label: inChinese(label), help: inChinese(help) };
  };
}

function patternOf(english: string): RegExp {
  const fixed = english.split("{}").map((part) => part.replaceAll(/[.*+?^$()|[\]{}\\]/g, "\\$&"));
  return new RegExp(`^${fixed.join("([^]*?)")}$`, "u");
}
