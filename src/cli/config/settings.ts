// Every setting of the command line: its flag, its variables, its key in the project file, and its default. Code that needs a
// setting asks this table, and `faultline config` and the docs print it, so that they cannot differ.
//
// A flag wins over a variable, a variable over the project file, and that over the default. An empty variable counts as not set: CI
// systems pass missing values like that.

import { INSIDE_RUN } from "../../agent/process/child-env.ts";
import { resolveLocale } from "../../core/index.ts";
import type { Io } from "../io.ts";

type Env = Io["env"];

export interface Setting {
  /** For the docs. */
  readonly about: string;
  readonly flag?: string;
  /** The first one that is set counts. */
  readonly variables: readonly string[];
  /** Reads the setting from a variable's value; null if the variable says nothing about it. Default: the value itself. */
  readonly reads?: (value: string, variable: string) => string | null;
  /** The project file may set it; a path there is relative to the file. */
  readonly isInFile?: true;
  readonly fallback: string | null;
  /** Commands may show only whether it is set. */
  readonly isSecret?: true;
}

const COLORS: Readonly<Record<string, (value: string) => string | null>> = {
  FORCE_COLOR: (value) => (value === "0" ? null : "always"),
  NO_COLOR: () => "never",
  TERM: (value) => (value === "dumb" ? "never" : null),
};

export const SETTINGS = {
  journal: {
    about: "the journal with the runs: a file, or `postgres://…`",
    flag: "--journal",
    variables: ["FAULTLINE_JOURNAL"],
    isInFile: true,
    fallback: ".faultline/journal.db",
  },
  workflows: {
    about: "the folder with workflows, tool manifests and `policy.yaml`, for `serve` and `worker`",
    flag: "--workflows",
    variables: [],
    isInFile: true,
    fallback: null,
  },
  policy: {
    about:
      "the policy of runs: `policy.yaml` in the folder of workflows, or a preset; for `run`, `policy show` and `policy simulate` the flag",
    flag: "--policy",
    variables: [],
    fallback: "default",
  },
  gateway: {
    about: "the file of `faultline gateway`",
    flag: "--config",
    variables: [],
    isInFile: true,
    fallback: "gateway.faultline.yaml",
  },
  locale: {
    about: "the language of texts",
    flag: "--locale",
    variables: ["LC_ALL", "LC_MESSAGES", "LANG"],
    reads: resolveLocale,
    fallback: "en",
  },
  color: {
    about: "colour: `always`, `never`, or `auto` (on a terminal); `TERM` counts if it is `dumb`",
    flag: "--color",
    variables: Object.keys(COLORS),
    reads: (value, variable) => COLORS[variable]?.(value) ?? null,
    fallback: "auto",
  },
  live: {
    about: "a view that redraws itself: `auto` (on a terminal) or `never`; `TERM` counts if it is `dumb`",
    variables: ["CI", "TERM"],
    reads: (value, variable) => (variable === "CI" || value === "dumb" ? "never" : null),
    fallback: "auto",
  },
  questions: {
    about: "whether a run asks on the terminal: `auto` or `never`",
    variables: ["CI"],
    reads: () => "never",
    fallback: "auto",
  },
  restateToken: {
    about: "a bearer token for Restate",
    variables: ["FAULTLINE_RESTATE_TOKEN"],
    fallback: null,
    isSecret: true,
  },
  restateIdentityKey: {
    about: "Restate's public key; a worker then accepts only requests that Restate has signed",
    variables: ["FAULTLINE_RESTATE_IDENTITY_KEY"],
    fallback: null,
    isSecret: true,
  },
  webhookSecret: {
    about: "signs the notices of `serve --notify-url`",
    variables: ["FAULTLINE_WEBHOOK_SECRET"],
    fallback: null,
    isSecret: true,
  },
  postgres: {
    about: "what an address `postgres://…` leaves out, as for every PostgreSQL program",
    variables: ["PGHOST", "PGPORT", "PGDATABASE", "PGUSER", "PGPASSWORD", "PGPASSFILE", "PGSSLMODE"],
    fallback: null,
    isSecret: true,
  },
  bucket: {
    about: "keys, region and endpoint of a bucket that an address names with `?files=s3://…`, as for every S3 program",
    variables: [
      ...["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_REGION", "AWS_DEFAULT_REGION"],
      ...["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"],
    ],
    fallback: null,
    isSecret: true,
  },
  insideRun: {
    about: "Faultline sets it for the processes of a run, which may not decide about the run",
    variables: [INSIDE_RUN],
    reads: () => "yes",
    fallback: "no",
  },
  trace: {
    about: "the trace that spans continue, if the program uses OpenTelemetry",
    variables: ["TRACEPARENT", "TRACESTATE"],
    fallback: null,
  },
} as const satisfies Readonly<Record<string, Setting>>;

export type SettingName = keyof typeof SETTINGS;

export interface Origin {
  readonly kind: "flag" | "variable" | "file" | "default";
  /** The flag, the variable or the file; empty for a default. */
  readonly name: string;
}

export interface Resolved {
  readonly value: string | null;
  readonly origin: Origin;
}

/** The setting from the environment; null if no variable sets it. */
export function fromVariables({ variables, reads = (value) => value }: Setting, env: Env): Resolved | null {
  for (const variable of variables) {
    const given = env[variable] ?? "";
    const value = given === "" ? null : reads(given, variable);
    if (value !== null) return { value, origin: { kind: "variable", name: variable } };
  }
  return null;
}

/** The value from a variable; empty if none is set. */
export function variableOf(name: SettingName, env: Env): string {
  return fromVariables(SETTINGS[name], env)?.value ?? "";
}

export function defaultOf({ fallback }: Setting): Resolved {
  return { value: fallback, origin: { kind: "default", name: "" } };
}
