// What the options of a runtime are when they are left out.

import { expect, it } from "vitest";
import { createMemoryJournal } from "../../src/index.ts";
import { resolveOptions } from "../../src/runtime/options.ts";

it.each([
  ["/agent.db", ["/"]],
  ["/var/agent.db", ["/var"]],
  ["/a/b/agent.db", ["/a/b"]],
  ["agent.db", ["."]],
  [null, []],
])("what a journal at %j cannot take is rescued to %j", (path, folders) => {
  expect(resolveOptions({ journal: { ...createMemoryJournal(), path } }).rescueFolders).toEqual(folders);
});
