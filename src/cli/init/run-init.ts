// `faultline init`: writes a template into a folder and prints the next steps.

import { resolve } from "node:path";
import type { Locale } from "../../core/index.ts";
import { nearest } from "../../options/nearest.ts";
import type { Cli } from "../cli.ts";
import { UsageError } from "../io.ts";
import { safeJson, safeText, shellWord } from "../render/safe-text.ts";
import { tableLines } from "../render/table.ts";
import { INIT_WORDS } from "../render/words/init-words.ts";
import { type ProjectTemplate, templateNamed, TEMPLATES } from "./templates.ts";
import { GITIGNORE, writeFiles, type WrittenFiles } from "./write-files.ts";

export interface InitOptions {
  /** null: none was named. */
  readonly template: string | null;
  readonly folder: string;
  /** null: the template's default. */
  readonly variant: string | null;
  readonly force: boolean;
}

export async function runInit(options: InitOptions, cli: Cli): Promise<void> {
  const { json, locale } = cli;
  const words = INIT_WORDS[locale];
  if (options.template === null) throw new UsageError(words.needsTemplate);
  const template = templateNamed(options.template);
  if (template === null) {
    const known = TEMPLATES.map(({ id }) => id);
    throw new UsageError(words.noTemplate(options.template, nearest(options.template, known), known.join(", ")));
  }
  const variant = variantOf(template, options.variant, locale);
  const { folder, force } = options;
  const files = await writeFiles(resolve(folder), await template.files(variant), template.ignores, { force });
  if (files.inTheWay.length > 0) throw new UsageError(words.inTheWay(files.inTheWay.join(", ")), "failed");
  const next = [...(folder === "." ? [] : [`cd ${shellWord(folder)}`]), ...template.next(variant)];
  const { written, overwritten, unchanged, ignored } = files;
  if (json) {
    const report = { template: template.id, with: variant, folder, written, overwritten, unchanged, ignored, next };
    return cli.stdout.write(`${safeJson(report)}\n`);
  }
  await cli.stdout.write(`${linesOf(files, next, cli).join("\n")}\n`);
}

function variantOf({ id, variants }: ProjectTemplate, wanted: string | null, locale: Locale): string {
  if (wanted === null) return variants[0] ?? "";
  if (variants.includes(wanted)) return wanted;
  throw new UsageError(INIT_WORDS[locale].noVariant(id, nearest(wanted, variants), variants.join(", ")));
}

function linesOf(
  { written, overwritten, unchanged, ignored }: WrittenFiles,
  next: readonly string[],
  cli: Cli,
): readonly string[] {
  const { locale, paint } = cli;
  const words = INIT_WORDS[locale];
  const row = (mark: string, name: string, note = ""): string =>
    `  ${mark} ${safeText(name)}${note === "" ? "" : paint("dim", `  ${note}`)}`;
  return [
    ...written.map((name) => row(paint("green", "+"), name)),
    ...overwritten.map((name) => row(paint("yellow", "~"), name, words.overwritten)),
    ...unchanged.map((name) => row(paint("dim", "="), name, words.unchanged)),
    ...(ignored.length === 0 ? [] : [row(paint("green", "+"), GITIGNORE, words.ignored(ignored.join(", ")))]),
    "",
    words.next,
    ...next.map((command) => `  ${command}`),
  ];
}

export async function listTemplates(cli: Cli): Promise<void> {
  const { json, locale, paint } = cli;
  const rows = TEMPLATES.map(({ id, about, variants }) => ({ template: id, with: variants, about: about[locale] }));
  if (json) return cli.stdout.write(`${safeJson(rows)}\n`);
  const words = INIT_WORDS[locale];
  const columns = [{ title: words.template }, { title: "--with" }, { title: words.about }];
  const [head = "", ...lines] = tableLines(
    columns,
    rows.map((row) => [row.template, row.with.join(" | "), row.about]),
  );
  await cli.stdout.write(`${[paint("dim", head), ...lines].join("\n")}\n`);
}
