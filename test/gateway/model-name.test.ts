// The model's name is replaced in place, and no other byte changes.

import fc from "fast-check";
import { expect, it } from "vitest";
import type { JsonObject } from "../../src/core/json-fields.ts";
import { withModel } from "../../src/gateway/request/model-name.ts";

const replaced = (text: string): string => withModel(text, JSON.parse(text) as JsonObject, "new");

it.each([
  { text: `{"model":"old","a":1}`, to: `{"model":"new","a":1}` },
  { text: `{ "a" : {"model":"inner"} , "model" : "old" }`, to: `{ "a" : {"model":"inner"} , "model" : "new" }` },
  { text: `{"a":"\\"model\\":\\"x\\"","model":"old"}`, to: `{"a":"\\"model\\":\\"x\\"","model":"new"}` },
  { text: `{"a":["model","x"],"model":"o\\"ld","b":1.50}`, to: `{"a":["model","x"],"model":"new","b":1.50}` },
  { text: `{"model":"one","model":"two"}`, to: `{"model":"new","model":"new"}` },
  { text: `{"mod\\u0065l":"old"}`, to: `{"model":"new"}` },
  { text: `{"model":"new", "b": 2}`, to: `{"model":"new", "b": 2}` },
])("$text", ({ text, to }) => {
  expect(replaced(text)).toBe(to);
});

it("changes the model and nothing else, whatever the request", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.string(), (body, model) => {
      const asked = { ...body, model };
      expect(JSON.parse(replaced(JSON.stringify(asked)))).toEqual(
        JSON.parse(JSON.stringify({ ...asked, model: "new" })),
      );
    }),
  );
});
