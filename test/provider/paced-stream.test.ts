// A stream at its reader's pace: nothing is read ahead, nothing is lost or duplicated, and either side can end it.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Follower, PacedStream } from "../../src/provider/paced-stream.ts";

/** A source that counts how often it was read. */
function source(items: readonly string[]): { reader: ReadableStreamDefaultReader<string>; asked: () => number } {
  let asked = 0;
  const stream = new ReadableStream<string>(
    {
      pull(controller) {
        const item = items[asked++];
        if (item === undefined) controller.close();
        else controller.enqueue(item);
      },
    },
    { highWaterMark: 0 },
  );
  return { reader: stream.getReader(), asked: () => asked };
}

/** Passes items on, up to the last one. */
function handingOn(paced: PacedStream<string>, last = ""): Follower<string> {
  return {
    waits: () => undefined,
    takes: (item) => {
      if (item === last) return false;
      paced.put(item);
      return true;
    },
  };
}

/** One turn of the event loop: everything that could happen by itself has happened. */
const quiet = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("a paced stream", () => {
  it("reads a first item from its source, and then only when its reader wants one", async () => {
    const paced = new PacedStream<string>();
    const { reader, asked } = source(["a", "b", "c"]);
    void paced.follow(reader, handingOn(paced));
    await quiet();
    expect(asked()).toBe(1);
    const out = paced.stream.getReader();
    expect((await out.read()).value).toBe("a");
    await quiet();
    expect(asked()).toBe(1);
    expect((await out.read()).value).toBe("b");
    expect(asked()).toBe(2);
  });

  it("reads on over items that are not passed on, because the reader still waits", async () => {
    const paced = new PacedStream<string>();
    const { reader } = source(["a", "skip", "skip", "b"]);
    const takes = (item: string): boolean => {
      if (item !== "skip") paced.put(item);
      return true;
    };
    void paced.follow(reader, { waits: () => undefined, takes });
    const out = paced.stream.getReader();
    expect([(await out.read()).value, (await out.read()).value]).toEqual(["a", "b"]);
  });

  it("serves several reads that wait at once, in order", async () => {
    const paced = new PacedStream<string>();
    void paced.follow(source(["a", "b", "c"]).reader, handingOn(paced));
    const out = paced.stream.getReader();
    const read = await Promise.all([out.read(), out.read(), out.read()]);
    expect(read.map(({ value }) => value)).toEqual(["a", "b", "c"]);
  });

  it("has at most one open read of its source, however many readers wait", async () => {
    const paced = new PacedStream<string>();
    let open = 0;
    let most = 0;
    const { reader } = source(["a", "b", "c"]);
    const waits = (): void => void (most = Math.max(most, ++open));
    const takes = (item: string): boolean => {
      open--;
      paced.put(item);
      return true;
    };
    void paced.follow(reader, { waits, takes });
    const out = paced.stream.getReader();
    await Promise.all([out.read(), out.read(), out.read()]);
    expect(most).toBe(1);
  });

  it("reads nothing from a new source while the reader still has something to read", async () => {
    const paced = new PacedStream<string>();
    paced.put("a");
    const { reader, asked } = source(["b"]);
    void paced.follow(reader, handingOn(paced));
    await quiet();
    expect(asked()).toBe(0);
    const out = paced.stream.getReader();
    expect([(await out.read()).value, (await out.read()).value]).toEqual(["a", "b"]);
  });

  it("continues with the next source where the last one broke, with the read that was waiting", async () => {
    const paced = new PacedStream<string>();
    const broken = new ReadableStream<string>({ pull: () => Promise.reject(new Error("cut")) }, { highWaterMark: 0 });
    const out = paced.stream.getReader();
    const first = out.read();
    await expect(paced.follow(broken.getReader(), handingOn(paced))).rejects.toThrow("cut");
    void paced.follow(source(["b"]).reader, handingOn(paced));
    expect((await first).value).toBe("b");
  });

  it("ends with the follower's last item, or with what the follower throws", async () => {
    const ended = new PacedStream<string>();
    const following = ended.follow(source(["a", "end", "never"]).reader, handingOn(ended, "end"));
    const out = ended.stream.getReader();
    await out.read();
    void out.read();
    await expect(following).resolves.toBeUndefined();
    const failed = new PacedStream<string>();
    const takes = (): boolean => {
      throw new Error("no good");
    };
    await expect(failed.follow(source(["a"]).reader, { waits: () => undefined, takes })).rejects.toThrow("no good");
  });

  it("cancels its source when the reader leaves, and reports it", async () => {
    const paced = new PacedStream<string>();
    let left = 0;
    paced.whenLeft = () => void left++;
    const following = paced.follow(source(["a", "b"]).reader, handingOn(paced));
    const out = paced.stream.getReader();
    await out.read();
    await out.cancel();
    await expect(following).rejects.toThrow("the stream was closed before the answer was complete");
    expect(left).toBe(1);
    paced.put("after");
    paced.close();
  });

  it("cancels its source when it is closed or fails from this side", async () => {
    for (const end of [
      (paced: PacedStream<string>) => paced.close(),
      (paced: PacedStream<string>) => paced.error("x"),
    ]) {
      const paced = new PacedStream<string>();
      const never = new ReadableStream<string>();
      const following = paced.follow(never.getReader(), handingOn(paced));
      end(paced);
      await expect(following).rejects.toThrow("the stream was closed before the answer was complete");
    }
  });

  it("does not mix a late item into the next source", async () => {
    const paced = new PacedStream<string>();
    let late: ReadableStreamDefaultController<string> | null = null;
    const slow = new ReadableStream<string>({ start: (controller) => void (late = controller) });
    const given = paced.follow(slow.getReader(), handingOn(paced));
    paced.unfollow(new Error("too slow"));
    await expect(given).rejects.toThrow("too slow");
    void paced.follow(source(["b", "c"]).reader, handingOn(paced));
    (late as ReadableStreamDefaultController<string> | null)?.enqueue("late");
    const out = paced.stream.getReader();
    expect([(await out.read()).value, (await out.read()).value]).toEqual(["b", "c"]);
  });

  it("does not end the next source with a late error of the one before", async () => {
    const paced = new PacedStream<string>();
    let late: ReadableStreamDefaultController<string> | null = null;
    const slow = new ReadableStream<string>({ start: (controller) => void (late = controller) });
    const given = paced.follow(slow.getReader(), handingOn(paced));
    paced.unfollow(new Error("too slow"));
    await expect(given).rejects.toThrow("too slow");
    const next = paced.follow(source(["b", "c"]).reader, handingOn(paced));
    (late as ReadableStreamDefaultController<string> | null)?.error(new Error("late"));
    const out = paced.stream.getReader();
    expect([(await out.read()).value, (await out.read()).value]).toEqual(["b", "c"]);
    paced.close();
    await Promise.allSettled([next]);
  });

  it("reports when its reader has read everything", async () => {
    const paced = new PacedStream<string>();
    paced.put("a");
    paced.put("b");
    let isWanted = false;
    void paced.wanted().then(() => (isWanted = true));
    const out = paced.stream.getReader();
    await out.read();
    await quiet();
    expect(isWanted).toBe(false);
    await out.read();
    void out.read();
    await quiet();
    expect(isWanted).toBe(true);
  });

  it("passes on every item once and in order, for any reader and any split of the sources", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.string({ minLength: 1 }), { maxLength: 5 }), { minLength: 1, maxLength: 4 }),
        fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 8 }),
        async (sources, readsAtOnce) => {
          const paced = new PacedStream<string>();
          const writing = (async () => {
            for (const items of sources) await paced.follow(source(items).reader, handingOn(paced));
            paced.close();
          })();
          const out = paced.stream.getReader();
          const got: string[] = [];
          for (let round = 0, isDone = false; !isDone; round++) {
            const reads = Array.from({ length: readsAtOnce[round % readsAtOnce.length] ?? 1 }, () => out.read());
            for (const { done, value } of await Promise.all(reads)) {
              if (done) isDone = true;
              else got.push(value);
            }
          }
          await writing;
          expect(got).toEqual(sources.flat());
        },
      ),
    );
  });
});
