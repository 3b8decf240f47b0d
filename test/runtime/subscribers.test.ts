// What a listener of a runtime hears, whatever the tool declares.

import { expect, it } from "vitest";
import { createFaultline, type Entry, tool } from "../../src/index.ts";

const TOOLS = {
  "a plain tool": tool({ id: "t", run: () => 1 }),
  "a tool with a schema": tool({ id: "t", input: { type: "number" }, run: () => 1 }),
  "a tool with a price": tool({ id: "t", cost: { estimate: () => 5 }, run: () => 1 }),
};

it.each(Object.entries(TOOLS))("a listener hears every event of %s that succeeds at once", async (_title, given) => {
  const fl = createFaultline();
  await fl.protect(given, 1);
  const heard: Entry[] = [];
  const stop = fl.subscribe((entry) => void heard.push(entry));
  await fl.protect(given, 1);
  expect(heard.map(({ event }) => event.type)).toEqual(["call-started", "call-admitted", "call-succeeded"]);
  stop();
  await fl.protect(given, 1);
  expect(heard).toHaveLength(3);
  await fl.close();
});

it("a listener that subscribes while a call runs hears how it ended", async () => {
  const fl = createFaultline();
  let finish: (value: number) => void = () => undefined;
  const slow = tool({ id: "slow", run: () => new Promise<number>((resolve) => void (finish = resolve)) });
  const outcome = fl.protect(slow, 1);
  await fl.ready();
  const heard: string[] = [];
  fl.subscribe(({ event }) => void heard.push(event.type));
  finish(1);
  await outcome;
  expect(heard.at(-1)).toBe("call-succeeded");
  await fl.close();
});
