// `check` for files written by people: every mistake with its place, then a verdict in one line.

import { type Locale, type Policy, SHAPE_REDACTOR } from "../core/index.ts";
import { type Diagnostic, renderDiagnostic, withoutHidden } from "../yaml-file/diagnostic.ts";
import type { Cli } from "./cli.ts";
import { UsageError } from "./io.ts";
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
  cli: Cli,
): Promise<void> {
  const { json, paint, locale } = cli;
  const source = await cli.readFile(file);
  const { usable, diagnostics } = await parse(source, file, locale);
  const count = (severity: Diagnostic["severity"]): number =>
    diagnostics.filter((one) => one.severity === severity).length;
  const failed = !usable || (strict && diagnostics.length > 0);
  if (failed) cli.exit("config");
  if (json) {
    const shown = diagnostics.map((one) => SHAPE_REDACTOR.value(one));
    return cli.stdout.write(`${safeJson({ file, ok: !failed, diagnostics: shown })}\n`);
  }
  await printDiagnostics(diagnostics, source, cli);
  const verdict = CLI_WORDS[locale].checked(file, count("error"), count("warning"));
  await cli.stdout.write(`${paint(failed ? "red" : "green", failed ? "✗" : "✓")} ${verdict}\n`);
}

export async function printDiagnostics(diagnostics: readonly Diagnostic[], source: string, cli: Cli): Promise<void> {
  const { paintError: paint, locale } = cli;
  const safe = withoutHidden(source, diagnostics);
  for (const diagnostic of diagnostics) {
    const shown = safeText(
      SHAPE_REDACTOR.text(renderDiagnostic({ ...diagnostic, help: withProgram(diagnostic.help) }, safe, locale)),
    );
    const [head = "", ...rest] = shown.split("\n");
    await cli.stderr.write(
      `${paint(["bold", diagnostic.severity === "error" ? "red" : "yellow"], head)}\n${rest.join("\n")}\n\n`,
    );
  }
}

/** Refuses a file that cannot be used, after its mistakes were printed. */
export function wrongFile(file: string, diagnostics: readonly Diagnostic[], { locale }: Cli): UsageError {
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  return new UsageError(CLI_WORDS[locale].wrongFile(file, errors), "config");
}

/** Reads a policy that can be used; prints the mistakes of any other and refuses it. */
export async function readPolicyFile(file: string, cli: Cli): Promise<Policy> {
  const source = await cli.readFile(file);
  // Loaded on demand: its validator takes longer to load than everything else together.
  const { parsePolicy } = await import("../policy-file/index.ts");
  const { policy, diagnostics } = parsePolicy(source, file, cli.locale);
  if (policy !== null) return policy;
  await printDiagnostics(diagnostics, source, cli);
  throw wrongFile(file, diagnostics, cli);
}
