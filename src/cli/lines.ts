// Lines in constant memory, read and printed. A line that is longer than the limit is reported and skipped.

import type { Io } from "./io.ts";

export type Line =
  | { readonly number: number; readonly text: string }
  | { readonly number: number; readonly tooLong: true };

export const MAX_LINE_CHARS = 16 * 1024 * 1024;

export async function* splitLines(chunks: AsyncIterable<Uint8Array>, maxChars = MAX_LINE_CHARS): AsyncGenerator<Line> {
  // Invalid UTF-8 becomes replacement characters: a bad byte spoils only its own line.
  const decoder = new TextDecoder("utf-8");
  let held: string[] = [];
  let heldChars = 0;
  let tooLong = false;
  let number = 0;

  const hold = (text: string): void => {
    heldChars += text.length;
    if (heldChars > maxChars) {
      tooLong = true;
      held = [];
    } else if (text !== "") held.push(text);
  };
  const take = (): Line => {
    number++;
    const line: Line = tooLong ? { number, tooLong } : { number, text: held.join("").replace(/\r$/, "") };
    held = [];
    heldChars = 0;
    tooLong = false;
    return line;
  };

  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true });
    let start = 0;
    for (let end = text.indexOf("\n"); end !== -1; end = text.indexOf("\n", start)) {
      hold(text.slice(start, end));
      yield take();
      start = end + 1;
    }
    hold(text.slice(start));
  }
  hold(decoder.decode());
  if (heldChars > 0) yield take();
}

/** Stops when the reader has closed its end. */
export async function printLines(lines: AsyncIterable<string>, { stdout }: Pick<Io, "stdout">): Promise<void> {
  for await (const line of lines) {
    if (stdout.isClosed === true) break;
    await stdout.write(`${line}\n`);
  }
}

export async function* withEnds(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}
