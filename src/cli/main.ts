#!/usr/bin/env node
// The process around the command line: streams, the exit code, and the report of unexpected errors.

import { systemClock } from "../host/clock.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import type { Io, Sink } from "./io.ts";
import type { Locale } from "../core/index.ts";
import { wasStopped } from "./stop-signals.ts";
import { MAIN_WORDS, type MainWords } from "./render/words/main-words.ts";

const MIN_NODE = [22, 13] as const;

let words: MainWords = MAIN_WORDS.en;

/** A full disk, for example: the output is incomplete, so the command fails. */
function endOnWriteError(error: NodeJS.ErrnoException): void {
  const why = error.code === "ENOSPC" ? words.diskFull : (error.code ?? error.message);
  process.stderr.write(`faultline: ${words.cannotWrite(why)}\n`);
  process.exit(EXIT_CODES.failed.code);
}

/** When the reader closes early (`| head -1`), the sink drops further output. The command continues and sets its own exit code. */
function sinkOf(stream: NodeJS.WriteStream): Sink {
  const closed = Promise.withResolvers<undefined>();
  let isClosed = false;
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") return endOnWriteError(error);
    isClosed = true;
    closed.resolve(undefined);
  });
  return {
    isTTY: stream.isTTY,
    get isClosed() {
      return isClosed;
    },
    // Read each time: the window may be resized while a command runs.
    get columns() {
      return stream.isTTY ? stream.columns : Infinity;
    },
    write: async (data) => {
      if (isClosed || data.length === 0 || stream.write(data)) return;
      const drained = Promise.withResolvers<undefined>();
      const onDrain = (): void => drained.resolve(undefined);
      stream.once("drain", onDrain);
      await Promise.race([drained.promise, closed.promise]);
      stream.off("drain", onDrain);
    },
  };
}

async function main(): Promise<void> {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  if (major < MIN_NODE[0] || (major === MIN_NODE[0] && minor < MIN_NODE[1])) {
    words = MAIN_WORDS[await userLocale()];
    process.stderr.write(`faultline: ${words.oldNode(MIN_NODE.join("."), process.versions.node)}\n`);
    process.exitCode = EXIT_CODES.failed.code;
    return;
  }
  // Caches the compiled code on disk, so that the next command starts faster.
  process.getBuiltinModule("node:module").enableCompileCache();
  // Loaded after the version check, because its imports may not run on an older Node.
  const { runCli } = await import("./program.ts");
  const { NO_STDIN } = await import("./read-input.ts");
  const { fileAccess } = await import("./file-access.ts");
  const locale = await userLocale();
  words = MAIN_WORDS[locale];
  const io: Io = {
    stdin: process.stdin.isTTY ? NO_STDIN : process.stdin,
    stdout: sinkOf(process.stdout),
    stderr: sinkOf(process.stderr),
    env: process.env,
    clock: systemClock,
    ...fileAccess,
    exit: (name) => {
      process.exitCode ??= EXIT_CODES[name].code;
    },
  };
  const { readFileSync } = process.getBuiltinModule("node:fs");
  const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  printWarnings(io, locale);
  await runCli(process.argv.slice(2), version, io);
  // A command that failed or was cancelled may end by the signal as well; one that has stopped in order keeps its 0.
  if (!wasStopped() || process.exitCode !== undefined) return;
  await Promise.all([process.stdout, process.stderr].map(flushed));
  process.exit();
}

/** Resolves when everything is written, or cannot be. */
function flushed(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => void stream.write("", () => resolve()));
}

/** The language of what is said outside of commands. Commands read their options themselves. */
async function userLocale(): Promise<Locale> {
  const { variableOf } = await import("./config/settings.ts");
  const { resolveLocale } = await import("../core/fault/words/words.ts");
  const given = /(?:^|\n)--locale[=\n]([^\n]+)/.exec(process.argv.slice(2).join("\n"));
  return resolveLocale(given?.[1] ?? variableOf("locale", process.env));
}

/** Warnings that are not Faultline's stay with the listener that Node brings. */
function printWarnings(io: Io, locale: Locale): void {
  const others = process.listeners("warning");
  process.removeAllListeners("warning");
  // Loaded with the first warning: most commands have none.
  let loaded: Promise<(warning: Error) => boolean> | null = null;
  const onWarning = async (warning: Error): Promise<void> => {
    loaded ??= import("./print-warnings.ts").then(({ warningPrinter }) => warningPrinter({ ...io, locale }));
    const isPrinted = (await loaded)(warning);
    if (!isPrinted) for (const other of others) Reflect.apply(other, process, [warning]);
  };
  process.on("warning", (warning) => void onWarning(warning).catch(reportBug));
}

/** A bug in Faultline: prints everything needed to report it, without secrets. */
async function reportBug(error: unknown): Promise<void> {
  const { SHAPE_REDACTOR } = await import("../core/fault/redact.ts");
  const story = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`faultline: ${words.bug}\n${SHAPE_REDACTOR.text(story)}\n`);
  process.exitCode = EXIT_CODES.failed.code;
}

await main().catch(reportBug);
