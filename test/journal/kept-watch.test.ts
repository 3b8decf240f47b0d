// How a process learns about values that other processes keep, from a source that answers asynchronously, as a database does.

import { expect, it } from "vitest";
import { fault, FaultError } from "../../src/index.ts";
import { createKeptWatch } from "../../src/journal/kept-watch.ts";

/** Values that others keep, and the questions that are open about them. */
function startSource() {
  const values = new Map<string, string>();
  const open: { readonly what: string; readonly answer: () => void; readonly fail: () => void }[] = [];
  const asked = <T>(what: string, read: () => T): Promise<T> =>
    new Promise((resolve, reject) => {
      const error = new FaultError(fault("StoreUnavailable", { message: "away" }));
      open.push({ what, answer: () => resolve(read()), fail: () => reject(error) });
    });
  const heard: string[] = [];
  const told: string[] = [];
  const watch = createKeptWatch(
    {
      checksums: () => asked("checksums", () => Array.from(values, ([key, value]) => ({ key, hash: value }))),
      kept: (_kind, key) => asked(`value ${key}`, () => values.get(key) ?? null),
    },
    (_fault, what) => void told.push(what),
  );
  const next = async (how: "answer" | "fail" = "answer"): Promise<string> => {
    const question = open.shift();
    question?.[how]();
    // Listeners run a few turns of the event loop after an answer.
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    return question?.what ?? "nothing";
  };
  const begin = async (): Promise<() => void> => {
    const unwatch = watch.add(["breaker"], (_kind, key, value) => void heard.push(`${key} ${String(value)}`));
    await next();
    await watch.ready();
    return unwatch;
  };
  return { values, open, heard, told, watch, next, begin };
}

it("reads once more for all writes that happen during a read", async () => {
  const { values, open, heard, watch, next, begin } = startSource();
  await begin();
  for (let write = 1; write <= 100; write++) {
    values.set("api", String(write));
    watch.wake();
  }
  expect(open).toHaveLength(1);
  expect([await next(), await next()]).toEqual(["checksums", "value api"]);
  expect([await next(), await next()]).toEqual(["checksums", "nothing"]);
  expect(heard).toEqual(["api 100"]);
});

it("finds a value with the next read after a read failed", async () => {
  const { values, heard, told, watch, next, begin } = startSource();
  await begin();
  values.set("api", "open");
  watch.wake();
  await next();
  await next("fail");
  expect([heard, told]).toEqual([[], ["reading the breaker that another process kept under api"]]);
  watch.wake();
  await next();
  await next();
  expect(heard).toEqual(["api open"]);
});

it("reads again after a failed read", async () => {
  const { values, heard, told, watch, next, begin } = startSource();
  await begin();
  values.set("api", "open");
  watch.wake();
  await next("fail");
  expect(told).toEqual(["looking for values that other processes keep"]);
  watch.wake();
  await next();
  await next();
  expect(heard).toEqual(["api open"]);
});

it("reports nothing about a journal that was closed during a read", async () => {
  const { values, heard, told, watch, next, begin } = startSource();
  await begin();
  values.set("api", "open");
  watch.wake();
  await next();
  watch.close();
  await next("fail");
  expect([heard, told]).toEqual([[], []]);
});
