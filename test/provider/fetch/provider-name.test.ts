// A provider whose name is a slip has no prices, so a budget would not count its calls. `fl.fetch` says so.

import { expect, it, onTestFinished } from "vitest";
import { createFaultline, type FaultlineOptions } from "../../../src/index.ts";

async function warningsAbout(provider: string, options: FaultlineOptions = {}): Promise<readonly string[]> {
  const said: string[] = [];
  const hear = ({ message }: Error): void => void said.push(message);
  process.on("warning", hear);
  onTestFinished(() => void process.off("warning", hear));
  const fl = createFaultline(options);
  onTestFinished(() => fl.close());
  const answer = (): Promise<Response> => Promise.resolve(new Response("{}"));
  const protectedFetch = fl.fetch({ provider, fetch: answer });
  await protectedFetch("http://127.0.0.1/other");
  await protectedFetch("http://127.0.0.1/other");
  // A warning is emitted on the next tick.
  await new Promise((resolve) => void setImmediate(resolve));
  return said;
}

it("suggests the known provider for a slip in its name, once", async () => {
  const said = await warningsAbout("opnai");
  expect(said).toHaveLength(1);
  expect(said[0]).toContain('the provider "opnai" is not known; did you mean "openai"?');
  expect(await warningsAbout("opnai")).toEqual([]);
});

it("accepts a name that resembles no known provider, and a known one, without a word", async () => {
  expect(await warningsAbout("openai")).toEqual([]);
  expect(await warningsAbout("my-own-cluster")).toEqual([]);
});

it("accepts a name that has prices of its own, because it is meant as it is written", async () => {
  const prices = [{ provider: "opensai", model: "m", input: 1, output: 1 }];
  expect(await warningsAbout("opensai", { prices })).toEqual([]);
});
