// Every row of the Error Handling Matrix and of the error model's class table, from a workflow file to what the operator reads.

import { describe, expect, it } from "vitest";
import { observe } from "./observe.ts";
import { AREAS } from "./rows/all.ts";

describe.each(AREAS)("$title", ({ rows }) => {
  it.each(rows)("$name", async (row) => {
    const { seen, world } = await observe(row);
    expect(seen).toEqual(row.expected);
    row.also?.(world);
  });
});
