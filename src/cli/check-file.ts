// `check` for files written by people: every mistake with its place, then a verdict in one line.

import { type Locale, type Policy, SHAPE_REDACTOR } from "../core/index.ts";
import { type Diagnostic, renderDiagnostic, withoutHidden } from "../yaml-file/diagnostic.ts";
import { type Io, UsageError } from "./io.ts";
import { paintFor } from "./render/paint.ts";
import type { GlobalOptions } from "./options.ts";
import { withProgram } from "./render/program-name.ts";
import { safeJson, safeText } from "./render/safe-text.ts";
import { CLI_WORDS } from "./render/words/cli-words.ts";

export interface CheckedFile {
  /** True if there are no errors; warnings are allowed. */
  readonly usable: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

export async function checkFile(
  file: string,
  parse: (source: string, file: string, locale: Locale) => Promise<CheckedFile>,
  strict: boolean,
  io: Io,
  shared: GlobalOptions,
): Promise<void> {
  const { json, color, locale } = shared;
  const source = await io.readFile(file);
  const { usable, diagnostics } = await parse(source, file, locale);
  const count = (severity: Diagnostic["severity"]): number =>
    diagnostics.filter((one) => one.severity === severity).length;
  const failed = !usable || (strict && diagnostics.length > 0);
  if (failed) io.exit("config");
  if (json) {
    const shown = diagnostics.map((one) => SHAPE_REDACTOR.value(one));
    return io.stdout.write(`${safeJson({ file, ok: !failed, diagnostics: shown })}\n`);
  }
  await printDiagnostics(diagnostics, source, io, shared);
  const verdict = CLI_WORDS[locale].checked(file, count("error"), count("warning"));
  const paint = paintFor(io.stdout, io.env, color);
  await io.stdout.write(`${paint(failed ? "red" : "green", failed ? "✗" : "✓")} ${verdict}\n`);
}

export async function printDiagnostics(
  diagnostics: readonly Diagnostic[],
  source: string,
  io: Io,
  { color, locale }: GlobalOptions,
): Promise<void> {
  const paint = paintFor(io.stderr, io.env, color);
  const safe = withoutHidden(source, diagnostics);
  for (const diagnostic of diagnostics) {
    const shown = safeText(
      SHAPE_REDACTOR.text(renderDiagnostic({ ...diagnostic, help: withProgram(diagnostic.help) }, safe, locale)),
    );
    const [head = "", ...rest] = shown.split("\n");
    await io.stderr.write(
      `${paint(["bold", diagnostic.severity === "error" ? "red" : "yellow"], head)}\n${rest.join("\n")}\n\n`,
    );
  }
}

/** Refuses a file that cannot be used, after its mistakes were printed. */
export function wrongFile(file: string, diagnostics: readonly Diagnostic[], { locale }: GlobalOptions): UsageError {
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  return new UsageError(CLI_WORDS[locale].wrongFile(file, errors), "config");
}

/** Reads a policy that can be used; prints the mistakes of any other and refuses it. */
export async function readPolicyFile(file: string, io: Io, shared: GlobalOptions): Promise<Policy> {
  const source = await io.readFile(file);
  // Loaded on demand: its validator takes longer to load than everything else together.
  const { parsePolicy } = await import("../policy-file/index.ts");
  const { policy, diagnostics } = parsePolicy(source, file, shared.locale);
  if (policy !== null) return policy;
  await printDiagnostics(diagnostics, source, io, shared);
  throw wrongFile(file, diagnostics, shared);
}
