// Reads an argument, or stdin for `-` or when no argument or option was given. Options alone never read stdin, which may stay open for ever.

import { type Io, UsageError } from "./io.ts";

const MAX_INPUT_BYTES = 64 * 1024 * 1024;

export async function readInput(text: string | undefined, io: Io, mayBeEmpty: boolean): Promise<string> {
  if (text !== undefined && text !== "-") {
    if (text.trim() === "" && !mayBeEmpty) throw nothingToRead();
    return text;
  }
  if (text === undefined && mayBeEmpty) return "";
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of io.stdin) {
    bytes += chunk.length;
    if (bytes > MAX_INPUT_BYTES)
      throw new UsageError({
        "en": `stdin is longer than ${MAX_INPUT_BYTES} bytes; pass only the last part of it.`,
        "zh-CN": `标准输入超过 ${MAX_INPUT_BYTES} 字节；请只传入最后一部分。`,
      });
    chunks.push(chunk);
  }
  if (bytes === 0 && !mayBeEmpty) throw nothingToRead();
  return Buffer.concat(chunks).toString("utf8");
}

function nothingToRead(): UsageError {
  return new UsageError({
    "en": "Nothing to read: give the error text as an argument, or `-` to read it from stdin.",
    "zh-CN": "没有可读的内容：请把错误文本作为参数给出，或用 `-` 从标准输入读取。",
  });
}

/** Used when stdin is a terminal: nothing is piped in, and waiting for input would look like a hang. */
export const NO_STDIN: AsyncIterable<Uint8Array> = {
  [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ done: true, value: undefined }) }),
};
