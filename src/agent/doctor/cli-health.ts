// The state of each agent CLI on this machine: installed, version, logged in, and the one thing to do next.

import type { ExaminedKind } from "./login-evidence.ts";
import { loginOf, type LoginState } from "./login-state.ts";
import { type CliStatus, type ProbeOptions, probeVersion, type VersionProbe } from "./probe-version.ts";

/** `ask-it`: the CLI runs, but only the CLI itself can tell whether it is logged in. */
export type CliRemedy = "install" | "repair" | "log-in" | "ask-it";

export interface CliHealth extends VersionProbe {
  readonly kind: ExaminedKind;
  readonly login: LoginState;
  /** What the user has to do; null if the CLI is ready and logged in. */
  readonly remedy: CliRemedy | null;
}

/** Examines the CLIs in parallel and returns the results in the order of `kinds`. Never throws. */
export function examineClis(kinds: readonly ExaminedKind[], options: ProbeOptions): Promise<readonly CliHealth[]> {
  return Promise.all(
    kinds.map(async (kind) => {
      const probe = await probeVersion(kind, options);
      const login = loginOf(kind, options.env);
      return { ...probe, kind, login, remedy: STATUS_REMEDY[probe.status] ?? LOGIN_REMEDY[login.state] };
    }),
  );
}

const STATUS_REMEDY: Readonly<Record<CliStatus, CliRemedy | null>> = {
  missing: "install",
  hangs: "repair",
  fails: "repair",
  unclear: "repair",
  ready: null,
};

const LOGIN_REMEDY: Readonly<Record<LoginState["state"], CliRemedy | null>> = {
  no: "log-in",
  unknown: "ask-it",
  yes: null,
};

/** Whether a run is worth trying. An unknown login state counts as usable. */
export function isUsable({ remedy }: CliHealth): boolean {
  return remedy === null || remedy === "ask-it";
}

export interface NextStep {
  readonly remedy: CliRemedy;
  readonly kind: ExaminedKind;
}

/**
 * A user who names CLIs (`areAsked`) needs all of them. Without names, one usable CLI is enough, and missing ones are not reported
 * unless all are missing. Null: nothing to do.
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
