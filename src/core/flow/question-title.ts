// A question's prompt may be a page of Markdown. Where that has no room, its title says in one line what is asked.

import type { Question } from "./interaction.ts";
import { placeOf } from "./visit.ts";

export const FENCE = /^\s*(?:```|~~~)/;
export const HEADING = /^\s*#{1,6}\s+/;
export const BULLET = /^\s*[-*+]\s+/;
/** Code first: what stands in it is meant as it is. */
export const INLINE = /(`[^`\n]+`|\*\*[^*\n]+\*\*)/;

const QUESTION = /[?？]\s*$/;

/** What is asked, without its marks, as a title, and what is left: the last line if it is a question of its own, else the first line. */
export function titleAndRest(text: string): readonly [title: string, rest: string] {
  const lines = text.trim().split(/\r?\n/);
  const [first = "", ...rest] = lines;
  const last = lines.at(-1) ?? "";
  const endsWithQuestion = QUESTION.test(last) && !QUESTION.test(first) && lines.at(-2)?.trim() === "";
  if (endsWithQuestion) return [plain(last.replace(HEADING, "")), lines.slice(0, -2).join("\n")];
  if (FENCE.test(first)) return ["", text];
  return [plain(first.replace(HEADING, "").replace(BULLET, "")), rest.join("\n")];
}

/** The tool that an approval is about. Empty for other questions, and for a gate of a workflow: its own name is not a tool's. */
export function toolAsked({ turn, payload }: Pick<Question, "turn" | "payload">): string {
  return payload.kind !== "Approve" || placeOf(turn)?.node === payload.tool ? "" : payload.tool;
}

export function questionTitle(prompt: string): string {
  return titleAndRest(prompt)[0];
}

/** Without the marks of code and of what is bold. */
export function plain(text: string): string {
  return text
    .split(INLINE)
    .map((part) => (INLINE.test(part) ? part.replace(/^(?:`|\*\*)/, "").replace(/(?:`|\*\*)$/, "") : part))
    .join("");
}
