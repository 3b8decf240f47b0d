// `npm run test:workflow -- [--journal postgres] [--driver restate] [files …]`: the workflow suite with all its journals in one store, in
// files unless PostgreSQL is named, and with slices that begin in invocations of Restate. `npm test` runs it mostly in memory.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { DRIVER_OPTION, JOURNAL_OPTION, postgresFor, restateFor } from "./campaign-options.ts";

const { values, positionals } = parseArgs({
  options: { ...JOURNAL_OPTION, ...DRIVER_OPTION },
  allowPositionals: true,
});
const root = fileURLToPath(new URL("..", import.meta.url));
const [postgres, restate] = await Promise.all([postgresFor(values.journal), restateFor(values.driver)]);
const files = positionals.length > 0 ? positionals : ["test/workflow/"];
const suite = spawn(process.execPath, ["node_modules/vitest/vitest.mjs", "run", ...files], {
  cwd: root,
  stdio: "inherit",
  env: { ...process.env, FAULTLINE_TEST_POSTGRES: postgres?.url ?? "", FAULTLINE_TEST_RESTATE: restate?.url ?? "" },
});
const [status] = (await once(suite, "close")) as [number | null];
await Promise.all([postgres?.stop(), restate?.stop()]);
process.exitCode = status ?? 1;
