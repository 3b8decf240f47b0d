// `npm run web:sample -- [--port 7431] [--folder …]`: a server with sample runs in every state, for work on the dashboard.

import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { startSampleWorld } from "../test/web/sample-world.ts";

const { values } = parseArgs({ options: { port: { type: "string", default: "7431" }, folder: { type: "string" } } });
const folder = values.folder ?? mkdtempSync(join(tmpdir(), "faultline-sample-"));
const world = await startSampleWorld(folder, { port: Number(values.port) });
process.stdout.write(`${world.url}\noperator ${world.tokens.operator}\nviewer ${world.tokens.viewer}\n`);
process.once("SIGINT", () => void world.close().then(() => process.exit(0)));
