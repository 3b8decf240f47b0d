// A machine of a test's own: a home that is empty, and a PATH on which only the CLIs of the test are.

import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { EXAMINED_KINDS, LOGIN_EVIDENCE } from "../../../src/agent/doctor/login-evidence.ts";

export interface FakeMachine {
  readonly root: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  /** Puts a shell script on the PATH. Only what the shell itself can do is there for it. */
  addCli(name: string, script: string): void;
  /** A file with something in it, below the home. */
  addFile(path: string, content?: string): void;
  remove(): void;
}

export function createFakeMachine(): FakeMachine {
  const root = mkdtempSync(join(tmpdir(), "faultline-doctor-test-"));
  const home = join(root, "home");
  const bin = join(root, "bin");
  mkdirSync(home);
  mkdirSync(bin);
  return {
    root,
    home,
    env: { HOME: home, PATH: bin },
    addCli(name, script) {
      writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
      chmodSync(join(bin, name), 0o755);
    },
    addFile(path, content = "SECRET-OF-A-FILE") {
      mkdirSync(dirname(join(home, path)), { recursive: true });
      writeFileSync(join(home, path), content);
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** What `createFakeMachine` cannot take away from a child that inherits: set to nothing, it counts as not set. */
export const NOTHING_SET: Readonly<Record<string, string>> = Object.fromEntries(
  EXAMINED_KINDS.flatMap((kind) => LOGIN_EVIDENCE[kind])
    .flatMap(({ variables, files }) => [
      ...variables,
      ...files.flatMap(({ folder }) => folder.moved.map(([name]) => name)),
    ])
    .map((name) => [name, ""]),
);
