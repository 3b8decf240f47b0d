// For `faultline start` only: does what files.mjs does, but hangs at the first call. It ends by itself after a minute, in case
// nothing stops it.

import { existsSync, writeFileSync } from "node:fs";

const mark = new URL("has-hung.txt", import.meta.url);
if (existsSync(mark)) {
  await import("./files.mjs");
} else {
  writeFileSync(mark, "It hung once.\n");
  setTimeout(() => {}, 60_000);
}
