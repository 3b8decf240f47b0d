import { describe, expect, it } from "vitest";
import * as fields from "../../src/core/json-fields.ts";

type Reader = keyof typeof fields;

const MAP = { a: 1 };
const LIST = [MAP, null, [MAP], "a", 7];

/** What each reader returns for a value that it does not accept. */
const EMPTY: Readonly<Record<Reader, unknown>> = {
  isMap: false,
  objectOf: null,
  listOf: [],
  objectsOf: [],
  textOf: "",
  textOrNull: null,
  numberOrNull: null,
  countOf: 0,
  statusOrNull: null,
};

/** Values, and the readers that accept them. A reader that is not named returns its empty value. */
const VALUES: readonly (readonly [unknown, Partial<Record<Reader, unknown>>])[] = [
  [undefined, {}],
  [null, {}],
  [true, {}],
  [false, {}],
  [() => 1, {}],
  [{}, { isMap: true, objectOf: {} }],
  [MAP, { isMap: true, objectOf: MAP }],
  [[], { listOf: [] }],
  [LIST, { listOf: LIST, objectsOf: [MAP] }],
  ["", {}],
  ["400", { textOf: "400", textOrNull: "400" }],
  [Number.NaN, {}],
  [Infinity, {}],
  [-Infinity, {}],
  [-1, { numberOrNull: -1 }],
  [0, { numberOrNull: 0 }],
  ...[0.5, 1, 399, 400.5, 600].map((one) => [one, { numberOrNull: one, countOf: one }] as const),
  ...[400, 404, 599].map((one) => [one, { numberOrNull: one, countOf: one, statusOrNull: one }] as const),
];

describe("a reader of JSON whose shape is not guaranteed", () => {
  it.each(VALUES)(
    "given %j, returns it if it is of the kind it names, otherwise its empty value",
    (value, accepted) => {
      const read = Object.entries(fields).map(([name, reader]) => [name, reader(value)]);
      expect(Object.fromEntries(read)).toEqual({ ...EMPTY, ...accepted });
    },
  );
});
