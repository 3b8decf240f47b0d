// The one thing to do next, out of all that was found.

import { type CliHealth, isUsable, type CliRemedy } from "./cli-health.ts";
import type { ExaminedKind } from "./login-evidence.ts";

export interface NextStep {
  readonly remedy: CliRemedy;
  readonly kind: ExaminedKind;
}

/**
 * Who asks for CLIs by name needs all of them. Who does not needs one: then what is not installed is nothing to be done, unless none
 * is. Null: all is well.
 */
export function nextStep(clis: readonly CliHealth[], areAsked: boolean): NextStep | null {
  const installed = clis.filter(({ status }) => status !== "missing");
  const needed = areAsked || installed.length === 0 ? clis : installed;
  const first = needed.find((cli) => !isUsable(cli)) ?? needed.find(({ remedy }) => remedy !== null);
  if (first === undefined) return null;
  if (first.remedy === null) return null;
  const isOneCertain = needed.some(({ remedy }) => remedy === null);
  if (!areAsked && first.remedy === "ask-it" && isOneCertain) return null;
  return { remedy: first.remedy, kind: first.kind };
}
