// The environment of a process that a workflow starts: a small set that programs need, the variables that the workflow file names, and for
// an agent CLI the variables in its row of the CLI table. Everything else, such as cloud credentials, is not passed on.

export type Environment = Readonly<Record<string, string | undefined>>;

/** `inherit`: pass on everything, on purpose. Otherwise the names of variables; a trailing `*` matches any suffix. */
export type GivenEnv = "inherit" | readonly string[];

/** What programs need to find their home, other programs and the user's language. The MCP SDK's set, plus a few. */
// prettier-ignore
export const MINIMAL_ENV: readonly string[] = [
  "HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "LANGUAGE", "LC_*", "TZ", "TMPDIR", "TMP", "TEMP", "CI", "NO_COLOR", "FORCE_COLOR",
  // Windows:
  "APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "NUMBER_OF_PROCESSORS", "OS", "PATHEXT", "PROCESSOR_ARCHITECTURE", "PROGRAMDATA", "PROGRAMFILES",
  "SYSTEMDRIVE", "SYSTEMROOT", "USERNAME", "USERPROFILE", "WINDIR",
];

/** Tells a process, and all processes it starts, that they run inside a Faultline run. */
export const INSIDE_RUN = "FAULTLINE_INSIDE_RUN";

export function childEnv(env: Environment, given: GivenEnv, alsoNamed: readonly string[] = []): Environment {
  if (given === "inherit") return { ...env, [INSIDE_RUN]: "1" };
  const isNamed = namedBy([...MINIMAL_ENV, ...alsoNamed, ...given]);
  const passed = Object.entries(env).filter(([name]) => isNamed(name));
  return { ...Object.fromEntries(passed), [INSIDE_RUN]: "1" };
}

function namedBy(names: readonly string[]): (name: string) => boolean {
  // Windows spells PATH as `Path` and ignores case. Elsewhere names are case-sensitive.
  const spelled = process.platform === "win32" ? (name: string) => name.toUpperCase() : (name: string) => name;
  const whole = new Set(names.map(spelled));
  const beginnings = names.filter((name) => name.endsWith("*")).map((name) => spelled(name.slice(0, -1)));
  return (name) => whole.has(spelled(name)) || beginnings.some((beginning) => spelled(name).startsWith(beginning));
}
