// `faultline gateway` reloads its own file when it changes, and no other file.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, it, onTestFinished, vi } from "vitest";
import { cliWith } from "../../src/cli/cli.ts";
import { fileAccess } from "../../src/cli/file-access.ts";
import { runGateway } from "../../src/cli/gateway/run-gateway.ts";
import type { Io } from "../../src/cli/io.ts";
import { systemClock } from "../../src/host/clock.ts";
import { ownSignals } from "../support/this-process.ts";

/** On a busy machine, too. */
const PATIENT = { timeout: 30_000, interval: 20 };

const settings = (model: string): string => `version: 1
targets:
  one: { dialect: openai-chat, base_url: http://127.0.0.1:9/v1, api_key_env: KEY }
routes:
  ${model}: { chain: [one/any] }
`;

it("a log in the folder of its file is no change of the file", async () => {
  const signals = ownSignals();
  const folder = mkdtempSync(join(tmpdir(), "faultline-gateway-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const config = join(folder, "gateway.faultline.yaml");
  writeFileSync(config, settings("first"));
  const said: string[] = [];
  let reads = 0;
  const sink = {
    isTTY: false,
    columns: Infinity,
    write: (data: string | Uint8Array) => Promise.resolve(void said.push(String(data))),
  };
  const io: Io = {
    ...fileAccess,
    stdin: Readable.from([]),
    stdout: sink,
    stderr: sink,
    env: { KEY: "k" },
    clock: systemClock,
    readFile: (path) => {
      reads += 1;
      return fileAccess.readFile(path);
    },
    exit: () => undefined,
  };
  const options = { config, port: 0, host: "127.0.0.1", journal: join(folder, "journal.db") };
  const running = runGateway(options, cliWith({ locale: "en", color: "never" }, io));
  await vi.waitFor(() => expect(said.join("")).toContain("Ctrl-C stops."), PATIENT);

  const before = reads;
  writeFileSync(join(folder, "gateway.log"), "a line");
  await vi.waitFor(() => expect(reads).toBeGreaterThan(before), PATIENT);
  writeFileSync(config, "version: 2");
  await vi.waitFor(() => expect(said.join("")).toContain("has a mistake"), PATIENT);
  expect(said.join("")).not.toContain("was loaded again");
  writeFileSync(config, settings("second"));
  await vi.waitFor(() => expect(said.join("")).toContain("was loaded again"), PATIENT);

  rmSync(config);
  await vi.waitFor(() => expect(said.join("")).toContain("is gone; its last version stays in use"), PATIENT);
  const later = reads;
  writeFileSync(join(folder, "gateway.log"), "another line");
  writeFileSync(config, settings("third"));
  await vi.waitFor(() => expect(reads).toBeGreaterThan(later), PATIENT);
  await vi.waitFor(() => expect(said.join("").match(/was loaded again/g)).toHaveLength(2), PATIENT);
  expect(said.join("").match(/is gone/g)).toHaveLength(1);
  signals.send("SIGTERM");
  await running;
  expect(said.at(-1)).toBe("Stopping; calls that run have five seconds to finish. Another Ctrl-C ends them at once.\n");
});
