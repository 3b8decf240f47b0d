// Every limit on what is read of a response, at its boundary.

import { describe, expect, it } from "vitest";
import {
  answerBytes,
  bounded,
  errorText,
  HeldBytes,
  MOST_BYTES,
  PIECE_BYTES,
  QuietBytes,
  tooLarge,
} from "../../../src/provider/fetch/bounded.ts";

const bytes = (count: number): Uint8Array<ArrayBuffer> => new Uint8Array(count);
const line = new Uint8Array([0x78, 0x0a]);

function responseOf(chunks: readonly Uint8Array<ArrayBuffer>[], status: number, type: string): Response {
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });
  return new Response(body, { status, statusText: "as it was", headers: { "content-type": type, "x-kept": "yes" } });
}

/** How many bytes can be read, and what ends them. */
async function readOf(response: Response): Promise<readonly [number, string]> {
  let count = 0;
  const counting = new WritableStream<Uint8Array>({ write: (chunk) => void (count += chunk.byteLength) });
  const [end] = await Promise.allSettled([response.body?.pipeTo(counting)]);
  return [count, end.status === "fulfilled" ? "end" : (end.reason as Error).message];
}

describe("a limit", () => {
  it("is as large as the longest real response, and says so", () => {
    const told = (["error", "answer", "quiet"] as const).map((what) => {
      const { code, message, context } = tooLarge(what).fault;
      return [code, message, context];
    });
    expect(told).toEqual([
      ["AnswerUnreadable", "the error body is too long: read more than 1 MiB", { limit: 1_048_576, limitOf: "error" }],
      ["AnswerUnreadable", "the answer is too long: read more than 64 MiB", { limit: 67_108_864, limitOf: "answer" }],
      [
        "AnswerUnreadable",
        "the stream keeps sending, but no content arrives: read more than 32 MiB",
        { limit: 33_554_432, limitOf: "quiet" },
      ],
    ]);
  });

  it.each(["error", "answer", "quiet"] as const)("of %s bytes counts what holding each chunk costs", (what) => {
    const held = new HeldBytes(what);
    const most = bytes(MOST_BYTES[what] - PIECE_BYTES - PIECE_BYTES - 1);
    expect([held.takes(most), held.takes(bytes(1)), held.takes(bytes(0))]).toEqual([true, true, false]);
    expect(held.chunks.map(({ byteLength }) => byteLength)).toEqual([most.byteLength, 1]);
    const other = new HeldBytes(what);
    other.keep(most);
    expect(() => other.keep(bytes(2))).toThrow(tooLarge(what).message);
  });

  it("of silence counts from the last content", () => {
    const quiet = new QuietBytes();
    quiet.passed(bytes(MOST_BYTES.quiet));
    quiet.progress();
    quiet.passed(bytes(MOST_BYTES.quiet - 1));
    quiet.passed(bytes(1));
    expect(() => quiet.passed(bytes(1))).toThrow(tooLarge("quiet").message);
  });

  it("cuts the text of an error, and fails a whole answer", async () => {
    const most = MOST_BYTES.error - PIECE_BYTES;
    expect(await errorText(responseOf([bytes(most), bytes(1)], 500, ""))).toHaveLength(most);
    expect(await errorText(responseOf([line, line], 500, ""))).toBe("x\nx\n");
    expect(await errorText(new Response(null))).toBe("");
    expect(await answerBytes(responseOf([line], 200, ""))).toEqual(line);
    await expect(answerBytes(responseOf([bytes(MOST_BYTES.answer)], 200, ""))).rejects.toThrow(
      "the answer is too long",
    );
  });

  const half = bytes(MOST_BYTES.answer / 2);
  it.each([
    ["an error", 500, "application/json", [bytes(MOST_BYTES.error), bytes(1), bytes(1)], MOST_BYTES.error + 1, "end"],
    [
      "an error as events",
      500,
      "text/event-stream",
      [bytes(MOST_BYTES.error + 1), bytes(1)],
      MOST_BYTES.error + 1,
      "end",
    ],
    ["a whole answer", 200, "application/json", [half, half], MOST_BYTES.answer, "end"],
    ["a longer answer", 200, "application/json", [half, half, bytes(1)], MOST_BYTES.answer, tooLarge("answer").message],
    ["lines", 200, "text/event-stream", [half, line, half.subarray(2), line], MOST_BYTES.answer + 2, "end"],
    ["a line", 200, "text/event-stream; charset=utf-8", [half], MOST_BYTES.quiet, "end"],
    ["a longer line", 200, "text/event-stream", [half, bytes(1)], MOST_BYTES.quiet, tooLarge("quiet").message],
    ["a line after others", 200, "text/event-stream", [line, half], 2, tooLarge("quiet").message],
  ] as const)("lets %s pass as far as it may", async (_what, status, type, chunks, count, end) => {
    const limited = bounded(responseOf(chunks, status, type));
    expect([limited.status, limited.statusText, limited.headers.get("x-kept")]).toEqual([status, "as it was", "yes"]);
    expect(await readOf(limited)).toEqual([count, end]);
  });

  it("leaves a response without a body as it is", () => {
    const empty = new Response(null, { status: 204 });
    expect(bounded(empty)).toBe(empty);
  });
});
