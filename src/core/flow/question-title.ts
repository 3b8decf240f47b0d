// What a question asks, in one line, where its whole prompt has no room.

const QUESTION = /[?？]\s*$/;

/** A prompt may be a page of Markdown: its last line if that is the question, else its first line, without marks. */
export function questionTitle(prompt: string): string {
  const lines = prompt.split("\n").filter((line) => line.trim() !== "");
  const [first = ""] = lines;
  const last = lines.at(-1) ?? "";
  const asked = QUESTION.test(last) && !QUESTION.test(first) ? last : first;
  return asked
    .replace(/^[\s#>*-]+/, "")
    .replaceAll(/\*\*|`/g, "")
    .trim();
}
