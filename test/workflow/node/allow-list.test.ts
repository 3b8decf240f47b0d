// Which commands may run: words are compared, not text.

import { describe, expect, it } from "vitest";
import { isFaultError } from "../../../src/core/index.ts";
import { isAllowed, notAllowed, readAllowList } from "../../../src/workflow/node/allow-list.ts";
import { splitLine } from "../../../src/workflow-model/command-line.ts";

function mayRun(line: string, ...commands: readonly string[]): boolean {
  return isAllowed(splitLine(line), readAllowList({ commands }));
}

describe("an entry", () => {
  it("allows exactly its words, regardless of spacing and quoting", () => {
    expect(mayRun("npm test", "npm test")).toBe(true);
    expect(mayRun(`  "npm"   'test' `, "npm test")).toBe(true);
    expect(mayRun("node -e 'a b'", 'node -e "a b"')).toBe(true);
    expect(mayRun("npm 'test '", "npm test")).toBe(false);
    expect(mayRun("'npm test'", "npm test")).toBe(false);
    expect(mayRun("npm test --all", "npm test")).toBe(false);
    expect(mayRun("npm", "npm test")).toBe(false);
    expect(mayRun("npm Test", "npm test")).toBe(false);
    expect(mayRun("./npm test", "npm test")).toBe(false);
  });

  it("that ends in a star allows more words, but not a longer last word", () => {
    expect(mayRun("node --test a.js b.js", "node --test *")).toBe(true);
    expect(mayRun("node --test", "node --test *")).toBe(true);
    expect(mayRun("node --test-only a.js", "node --test *")).toBe(false);
    expect(mayRun("node --tes", "node --test *")).toBe(false);
    expect(mayRun("node -e x", "node --test *")).toBe(false);
  });

  it("has no other star: anywhere else it is a literal character", () => {
    expect(mayRun("npm test", "npm te*")).toBe(false);
    expect(mayRun("ls a b", "ls * b")).toBe(false);
    expect(mayRun("ls '*' b", "ls * b")).toBe(true);
    expect(mayRun("ls a", "ls '*'")).toBe(false);
    expect(mayRun("ls a", String.raw`ls \*`)).toBe(false);
  });

  it("that could never run is refused when it is read", () => {
    for (const entry of ["", " *", "*", "npm test | cat *", "npm 'test"]) {
      expect(() => readAllowList({ commands: [entry] }), entry).toThrow("ConfigSchemaViolation");
    }
  });
});

it("an empty list allows nothing", () => {
  expect(mayRun("npm test")).toBe(false);
});

it("the fault names the command and says how to allow it", () => {
  const error = notAllowed("run_tests", ["rm", "-rf", "a b"], false);
  expect(isFaultError(error)).toBe(true);
  expect(error.fault).toMatchObject({
    code: "Forbidden",
    context: { command: "rm -rf 'a b'", stage: "run_tests", ran: false },
  });
  expect(error.fault.message).toContain("rm -rf 'a b'");
  expect(error.fault.message).toContain("add it to the node's allow list");
  expect(error.fault.message).toContain("grant-and-retry");
});
