// Runs the provider until Ctrl-C: prints the addresses to copy, then one line per finished request.

import { parseScenario } from "../../chaos/scenario.ts";
import type { Scenario } from "../../chaos/scenario-schema.ts";
import type { ReceivedRequest, StrayRequest } from "../../chaos/received.ts";
import { type Chaos, type ChaosOptions, startChaos } from "../../chaos/start-chaos.ts";
import { defined } from "../../core/defined.ts";
import { isFaultError } from "../../core/index.ts";
import type { Cli } from "../cli.ts";
import type { Io } from "../io.ts";
import { printDiagnostics } from "../check-file.ts";
import { refusalOf } from "../fault-sentences/sentence.ts";
import { portInUse } from "../system-refusal.ts";
import { oneLine, safeJson } from "../render/safe-text.ts";
import { CHAOS_WORDS } from "../render/words/chaos-words.ts";
import { onStopSignal } from "../stop-signals.ts";

export interface ChaosCommandOptions {
  readonly port: number;
  readonly host: string;
  readonly scenario?: string;
  readonly seed?: number;
}

export async function runChaos(options: ChaosCommandOptions, cli: Cli): Promise<void> {
  const scenario = options.scenario === undefined ? {} : await readScenario(options.scenario, cli);
  if (scenario === null) return void cli.exit("config");
  const words = CHAOS_WORDS[cli.locale];
  const write = (line: string): void => void cli.stdout.write(`${line}\n`);
  const chaos = await start(options, scenario, cli, {
    onEnd: (request) => write(cli.json ? jsonLine(request) : textLine(request, cli)),
    onStray: (stray) => write(cli.json ? safeJson({ stray }) : strayLine(stray, cli)),
  });
  const stopped = Promise.withResolvers<undefined>();
  const release = onStopSignal(() => stopped.resolve(undefined));
  await cli.stdout.write(cli.json ? `${beginJson(chaos)}\n` : beginText(chaos, options, scenario, cli));
  await stopped.promise;
  const count = chaos.received().at(-1)?.number ?? 0;
  await chaos.close();
  release();
  if (!cli.json) await cli.stderr.write(`\n${words.stopped(count)}\n`);
}

async function readScenario(file: string, cli: Cli): Promise<Scenario | null> {
  const source = await cli.readFile(file);
  const { scenario, diagnostics } = parseScenario(source, file, cli.locale);
  await printDiagnostics(diagnostics, source, cli);
  return scenario;
}

async function start(
  { port, host, seed }: ChaosCommandOptions,
  scenario: Scenario,
  { clock }: Io,
  listeners: Pick<ChaosOptions, "onEnd" | "onStray">,
): Promise<Chaos> {
  try {
    return await startChaos({ port, host, scenario, clock, ...listeners, ...defined({ seed }) });
  } catch (error) {
    if (!isFaultError(error)) throw error;
    throw portInUse(error, port) ?? refusalOf(error, "failed");
  }
}

function beginJson({ url, openaiUrl, anthropicUrl, googleUrl, seed }: Chaos): string {
  return safeJson({ listening: { url, openaiUrl, anthropicUrl, googleUrl, seed } });
}

function beginText(
  chaos: Chaos,
  { scenario: file }: ChaosCommandOptions,
  scenario: Scenario,
  { locale, paint }: Cli,
): string {
  const words = CHAOS_WORDS[locale];
  const rules = file === undefined ? words.noScenario : words.rules(oneLine(file), scenario.rules?.length ?? 0);
  return [
    `${paint("bold", words.listening(chaos.url))}  ${paint("dim", `${words.seed(chaos.seed)} · ${rules}`)}`,
    "",
    words.copy,
    ...Object.entries(chaos.env).map(([name, value]) => `  export ${name}=${value}`),
    "",
    words.ask,
    words.received(chaos.url),
    "",
    "",
  ].join("\n");
}

/** Without the bodies, which may be long and private. */
function jsonLine(request: ReceivedRequest): string {
  return safeJson({ ...request, body: undefined });
}

function textLine(request: ReceivedRequest, { locale, paint }: Cli): string {
  const words = CHAOS_WORDS[locale];
  const { number, at, protocol, model, streaming, fault, complaint, status, ended, endedAt } = request;
  const what = complaint === null ? (fault ?? "ok") : words.misuse;
  const how = [streaming ? "stream" : "json", status ?? words.noAnswer, ended, `${(endedAt ?? at) - at} ms`].join(
    " · ",
  );
  return [
    paint("dim", `${numbered(`#${number}`)} ${timeOf(at)}`),
    protocol.padEnd(16),
    oneLine(model, 60).padEnd(20),
    paint(what === "ok" ? "green" : "yellow", what.padEnd(20)),
    paint("dim", how),
    ...(complaint === null ? [] : [oneLine(complaint)]),
  ].join("  ");
}

/** Without this line, a wrong base URL would look as if no request had arrived. */
function strayLine({ at, method, path }: StrayRequest, { locale, paint }: Cli): string {
  const what = `${oneLine(method, 20)} ${oneLine(path, 200)}`;
  return [
    paint("dim", `${numbered("--")} ${timeOf(at)}`),
    paint("yellow", CHAOS_WORDS[locale].noAddress),
    what,
    paint("dim", "404"),
  ].join("  ");
}

/** Up to 999 requests, the columns of all lines stand below each other. */
function numbered(name: string): string {
  return name.padEnd(4);
}

function timeOf(at: number): string {
  return new Date(at).toISOString().slice(11, 23);
}
