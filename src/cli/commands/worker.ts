// `faultline worker`: advances the runs of a journal, beside other workers.

import { type Command, InvalidArgumentError, Option } from "commander";
import { ofOperator } from "./of-operator.ts";
import { doing } from "../cli.ts";
import type { Io } from "../io.ts";
import { toCount, toMs } from "../options.ts";
import type { ListenPlace } from "../worker/run-worker.ts";
import { withJournalOption } from "./workflow.ts";

const DEFAULT_MAX_RUNS = 16;
const DEFAULT_DRAIN_MS = 30_000;
const DEFAULT_LISTEN: ListenPlace = { host: "127.0.0.1", port: 9_080 };

export function addWorker(program: Command, io: Io): void {
  const worker = ofOperator(program.command("worker"), io)
    .summary("advance the runs of a journal, beside other workers")
    .description(
      "Advances the runs of a journal until it is stopped. Any number of workers can share a journal. Without --driver they share the runs by holds in the journal; with --driver, Restate decides which worker advances a run.",
    );
  withDriverOption(withJournalOption(worker))
    .option("--workflows <folder>", "a folder with workflows, tool manifests and policy.yaml")
    .option("--max-runs <number>", "runs that are advanced at the same time", toCount, DEFAULT_MAX_RUNS)
    .addOption(
      new Option("--listen <address>", "where Restate calls this worker: host:port; port 0 takes a free one")
        .argParser(toPlace)
        .default(DEFAULT_LISTEN, `${DEFAULT_LISTEN.host}:${DEFAULT_LISTEN.port}`),
    )
    .option(
      "--advertise <url>",
      "the address under which Restate reaches the workers of this version (default: the one it listens on)",
    )
    .addOption(
      new Option("--drain <duration>", "on SIGTERM, how long nodes that run may take to end, e.g. 30s, 15m")
        .argParser(toMs)
        .default(DEFAULT_DRAIN_MS, `${DEFAULT_DRAIN_MS / 1_000}s`),
    )
    .addHelpText(
      "after",
      `
The first SIGTERM or Ctrl-C drains the worker: it starts no more nodes, and exits when the running ones have ended. A second one ends it at once.
FAULTLINE_RESTATE_TOKEN holds a bearer token for Restate. FAULTLINE_RESTATE_IDENTITY_KEY holds Restate's public key, so that the worker
accepts only requests that Restate has signed.

Examples:
  $ faultline worker
  $ faultline worker --journal team.db --max-runs 64
  $ faultline worker --driver restate://restate:8080 --listen 0.0.0.0:9080 --advertise http://workers:9080`,
    )
    .action(doing(io, async () => (await import("../worker/run-worker.ts")).runWorkerCommand));
}

export function withDriverOption(command: Command): Command {
  return command.option(
    "--driver <url>",
    "let Restate drive the runs: restate://host:8080, or restate://a:8080,b:8080?admin=a:9070,b:9070",
  );
}

function toPlace(value: string): ListenPlace {
  const [, host = "", port = ""] = /^(\[[^\]]+\]|[^:]+):(\d{1,5})$/.exec(value) ?? [];
  if (port === "" || Number(port) > 65_535) throw new InvalidArgumentError("It must be host:port, e.g. 0.0.0.0:9080.");
  return { host: host.replace(/^\[|\]$/g, ""), port: Number(port) };
}
