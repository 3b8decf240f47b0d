// The last line of `faultline doctor`: the one thing to do next, or that all is well.

import type { CliHealth, CliRemedy } from "../../agent/doctor/cli-health.ts";
import { nextStep } from "../../agent/doctor/next-step.ts";
import { AGENT_CLIS } from "../../agent/verdict/cli-table.ts";
import type { DoctorWords } from "../render/words/doctor-words.ts";
import type { Findings } from "./findings.ts";

export interface ExitAdvice {
  /** `nothing`: all is well. `machine`: something of this machine comes first. */
  readonly do: CliRemedy | "machine" | "nothing";
  readonly cli: CliHealth["kind"] | null;
  readonly text: string;
}

export function exitAdvice({ clis, machine, areAsked }: Findings, words: DoctorWords): ExitAdvice {
  const broken = machine.find(({ ok }) => !ok);
  if (broken !== undefined)
    return { do: "machine", cli: null, text: `${words.machine[broken.check]}: ${broken.detail ?? ""}` };
  const step = nextStep(clis, areAsked);
  if (step === null) return { do: "nothing", cli: null, text: words.allWell };
  const { kind, remedy } = step;
  return { do: remedy, cli: kind, text: words.remedies[remedy](AGENT_CLIS[kind]) };
}

/** As the last line says it. */
export function lastLine({ do: what, text }: ExitAdvice, words: DoctorWords): string {
  return what === "nothing" ? text : `${words.next}${text}`;
}
