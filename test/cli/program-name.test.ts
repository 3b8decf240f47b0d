// Proves that printed commands can be copied: a local install is called through npx.

import { expect, it } from "vitest";
import { programFor } from "../../src/cli/program-name.ts";

it.each([
  ["/usr/local/bin/faultline", "faultline"],
  ["/home/ada/project/node_modules/.bin/faultline", "npx faultline"],
  ["/home/ada/.npm/_npx/9a1/node_modules/.bin/faultline", "npx faultline"],
  ["C:\\project\\node_modules\\.bin\\faultline", "npx faultline"],
  ["/opt/faultline/dist/cli/main.js", "faultline"],
])("started as %s it is called %s", (startedAs, expected) => {
  expect(programFor(startedAs).join(" ")).toBe(expected);
});
