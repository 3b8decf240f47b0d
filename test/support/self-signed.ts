// A key and a certificate for 127.0.0.1 that no authority signed.

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { classify } from "../../src/core/classify/classify.ts";

export interface Credentials {
  readonly key: Buffer;
  readonly cert: Buffer;
}

/** undefined where there is no openssl. */
export function selfSigned(): Credentials | undefined {
  if (!hasOpenSsl()) return undefined;
  const folder = mkdtempSync(join(tmpdir(), "faultline-tls-"));
  const [keyFile, certFile] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  try {
    const request = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    const subject = ["-days", "1", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
    execFileSync("openssl", [...request, ...subject, "-keyout", keyFile, "-out", certFile], { stdio: "pipe" });
    return { key: readFileSync(keyFile), cert: readFileSync(certFile) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function hasOpenSsl(): boolean {
  try {
    execFileSync("openssl", ["version"], { stdio: "ignore" });
    return true;
  } catch (error) {
    if (classify({ surface: "cli", error }).code === "BinaryMissing") return false;
    throw error;
  }
}
