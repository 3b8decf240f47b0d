// What `faultline serve` prints.

import { expect, it } from "vitest";
import { signInLines } from "../../src/cli/serve/run-serve.ts";

it.each([
  ["on a terminal", true, "https://x/#login=1", ["open https://x/#login=1"], 1],
  ["on a terminal, without a token to stand for", true, null, [], 1],
  ["into a log", false, "https://x/#login=1", [], 0],
])("a sign-in link is printed only where nobody else reads it: %s", (_where, isTTY, link, expected, made) => {
  let links = 0;
  const signInLink = (): string | null => {
    links += 1;
    return link;
  };
  expect(signInLines({ signInLink }, { stdout: { isTTY } }, (shown) => `open ${shown}`)).toEqual(expected);
  expect(links).toBe(made);
});
