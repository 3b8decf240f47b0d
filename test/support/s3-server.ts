// A real S3 server on loopback: `s3rver` from npm, as a process of its own, with its data in a temporary folder.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { serverPackagePath } from "../servers/server-package.ts";
import { freePorts } from "./free-ports.ts";

export interface S3Server {
  readonly bucket: string;
  /** As a program's environment names it. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

const BUCKET = "journal-files";
/** The only keys it knows. */
const KEY = "S3RVER";

export async function startS3(): Promise<S3Server> {
  const folder = mkdtempSync(join(tmpdir(), "faultline-s3-"));
  const [port = 0] = await freePorts(1);
  // It encrypts the marks between the pages of a list with a cipher that OpenSSL 3 has only on request.
  const args = ["--openssl-legacy-provider", serverPackagePath("s3rver", "bin/s3rver.js")];
  const places = [
    "--directory",
    folder,
    "--address",
    "127.0.0.1",
    "--port",
    String(port),
    "--configure-bucket",
    BUCKET,
  ];
  const server = spawn(process.execPath, [...args, ...places], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(server, "exit");
  await Promise.race([
    once(createInterface({ input: server.stdout }), "line"),
    ended.then(() => Promise.reject(new Error("s3rver has ended"))),
  ]);
  server.stdout.resume();
  return {
    bucket: BUCKET,
    env: {
      AWS_ACCESS_KEY_ID: KEY,
      AWS_SECRET_ACCESS_KEY: KEY,
      AWS_REGION: "us-east-1",
      AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`,
    },
    async stop() {
      server.kill("SIGKILL");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
