// Each agent CLI as it is on this machine: there or not, its version, logged in or not, and what stands in the way of using it.

import type { ExaminedKind } from "./login-evidence.ts";
import { loginOf, type LoginState } from "./login-state.ts";
import { type CliStatus, type ProbeOptions, probeVersion, type VersionProbe } from "./probe-version.ts";

/** `ask-it`: it runs, and only it can tell whether it is logged in. */
export type CliRemedy = "install" | "repair" | "log-in" | "ask-it";

export interface CliHealth extends VersionProbe {
  readonly kind: ExaminedKind;
  readonly login: LoginState;
  /** What is to be done about it; null when it is ready and logged in. */
  readonly remedy: CliRemedy | null;
}

/** All at once; the answer has the order of the question. Never throws. */
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

/** A run can be tried: what cannot be known from outside is not held against it. */
export function isUsable({ remedy }: CliHealth): boolean {
  return remedy === null || remedy === "ask-it";
}
