// The headers of an answer whose body `fetch` has decoded.

import { expect, it } from "vitest";
import { plainHeaders } from "../../../src/provider/fetch/byte-sink.ts";

it("the headers of a decoded body do not describe how it was encoded, and the given ones stay", () => {
  const given = new Headers({
    ...{ "content-encoding": "gzip", "content-length": "12", "content-type": "text/plain", "x-request-id": "r1" },
  });
  expect(Object.fromEntries(plainHeaders(given))).toEqual({ "content-type": "text/plain", "x-request-id": "r1" });
  expect(given.get("content-length")).toBe("12");
});
