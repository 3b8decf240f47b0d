// What is sent to a model's server besides the request.

import { expect, it } from "vitest";
import { withTrace } from "../../../src/provider/model/attempt.ts";

it("leaves the request as it is outside of a trace", () => {
  const options = { prompt: [], headers: { accept: "x" } };
  expect(withTrace(options)).toBe(options);
});
