// Runs all CLIs through all scenarios, several in parallel, because they mostly wait.

import type { RealCli, Release } from "./install.ts";
import { seeOneRun, type Seen } from "./one-run.ts";
import { ANSWER, type CliScenario, type Expected } from "./scenarios.ts";

export interface CampaignOptions {
  readonly releases: readonly Release[];
  readonly scenarios: readonly CliScenario[];
  /** The folder of the CLIs' commands. */
  readonly commands: string;
  /** How many runs are in parallel. */
  readonly workers: number;
  readonly onRun: (seen: Seen, problems: readonly string[]) => void;
}

export async function runCampaign(options: CampaignOptions): Promise<readonly Seen[]> {
  const { releases, scenarios, commands, workers, onRun } = options;
  // The slow ones first, so that they do not prolong the end.
  const waiting = scenarios.flatMap((scenario) =>
    releases.filter(({ kind }) => scenario.notFor?.[kind] === undefined).map(({ kind }) => ({ kind, scenario })),
  );
  waiting.sort((a, b) => SLOW.indexOf(b.kind) - SLOW.indexOf(a.kind));
  const all: Seen[] = [];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const seen = await seeOneRun(next.kind, next.scenario, commands);
      all.push(seen);
      onRun(seen, problemsOf(seen));
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  return all;
}

const SLOW: readonly RealCli[] = ["gemini", "qwen", "opencode"];

export function expectedOf(kind: RealCli, { expected, exceptions }: CliScenario): Expected {
  return exceptions?.[kind] ?? { codes: expected };
}

/** Deviations from the expectations. */
function problemsOf(seen: Seen): readonly string[] {
  const { kind, scenario, fault, then, answeredBy, text, sessionId } = seen;
  const { codes } = expectedOf(kind, scenario);
  const code = fault?.code ?? null;
  const problems: string[] = [];
  if (!codes.includes(code))
    problems.push(`is ${code ?? "a success"} and not ${codes.join(" or ")}: ${fault?.message ?? text}`);
  if (fault === null && !text.includes(ANSWER))
    problems.push(`answered with other words: ${JSON.stringify(text.slice(0, 200))}`);
  if (fault === null && answeredBy !== kind) problems.push(`was answered by ${answeredBy ?? "nobody"}`);
  if (then === "fallback" && answeredBy !== "stand-in")
    problems.push("was to be answered by the stand-in, and was not");
  if (scenario.special === "resumed" && sessionId === null) problems.push("named no session");
  return problems;
}
