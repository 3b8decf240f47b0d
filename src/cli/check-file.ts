// `check` for files written by people: every mistake with its place, then a verdict in one line.

import { SHAPE_REDACTOR } from "../core/index.ts";
import { type Diagnostic, renderDiagnostic, withoutHidden } from "../yaml-file/diagnostic.ts";
import type { Io } from "./io.ts";
import { paintFor } from "./render/paint.ts";
import type { GlobalOptions } from "./options.ts";
import { withProgram } from "./render/program-name.ts";
import { safeJson, safeText } from "./render/safe-text.ts";
import { plural } from "./render/words/cli-words.ts";

export interface CheckedFile {
  /** True if there are no errors; warnings are allowed. */
  readonly usable: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/** `parse` receives the file's text and name. */
export async function checkFile(
  file: string,
  parse: (source: string, file: string) => Promise<CheckedFile>,
  strict: boolean,
  io: Io,
  { json, color }: GlobalOptions,
): Promise<void> {
  const source = await io.readFile(file);
  const { usable, diagnostics } = await parse(source, file);
  const count = (severity: Diagnostic["severity"]): number =>
    diagnostics.filter((one) => one.severity === severity).length;
  const failed = !usable || (strict && diagnostics.length > 0);
  if (failed) io.exit("config");
  if (json) {
    const shown = diagnostics.map((one) => SHAPE_REDACTOR.value(one));
    return io.stdout.write(`${safeJson({ file, ok: !failed, diagnostics: shown })}\n`);
  }
  await printDiagnostics(diagnostics, source, io, color);
  const verdict = `${file}: ${plural(count("error"), "error")}, ${plural(count("warning"), "warning")}`;
  const paint = paintFor(io.stdout, io.env, color);
  await io.stdout.write(`${paint(failed ? "red" : "green", failed ? "✗" : "✓")} ${verdict}\n`);
}

export async function printDiagnostics(
  diagnostics: readonly Diagnostic[],
  source: string,
  io: Io,
  color: GlobalOptions["color"],
): Promise<void> {
  const paint = paintFor(io.stderr, io.env, color);
  const safe = withoutHidden(source, diagnostics);
  for (const diagnostic of diagnostics) {
    const shown = safeText(
      SHAPE_REDACTOR.text(renderDiagnostic({ ...diagnostic, help: withProgram(diagnostic.help) }, safe)),
    );
    const [head = "", ...rest] = shown.split("\n");
    await io.stderr.write(
      `${paint(["bold", diagnostic.severity === "error" ? "red" : "yellow"], head)}\n${rest.join("\n")}\n\n`,
    );
  }
}
