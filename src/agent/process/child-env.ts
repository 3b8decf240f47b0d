// What a process that a workflow starts gets of this process's environment: a small set that programs cannot do without, what the
// file names, and for an agent CLI what its row in the table of CLIs names. Everything else, such as the keys of a cloud, stays here.

export type Environment = Readonly<Record<string, string | undefined>>;

/** `inherit`: everything, on purpose. Otherwise the names of variables; one that ends in `*` stands for all that begin so. */
export type GivenEnv = "inherit" | readonly string[];

/** What programs need to find their home, other programs, and the language of their user. The same set as the MCP SDK, and a little more. */
// prettier-ignore
export const MINIMAL_ENV: readonly string[] = [
  "HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "LANG", "LANGUAGE", "LC_*", "TZ", "TMPDIR", "TMP", "TEMP", "CI", "NO_COLOR", "FORCE_COLOR",
  // Windows:
  "APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "NUMBER_OF_PROCESSORS", "OS", "PATHEXT", "PROCESSOR_ARCHITECTURE", "PROGRAMDATA", "PROGRAMFILES",
  "SYSTEMDRIVE", "SYSTEMROOT", "USERNAME", "USERPROFILE", "WINDIR",
];

/** Says to whatever runs in a process that a run has started it. */
export const INSIDE_RUN = "FAULTLINE_INSIDE_RUN";

export function childEnv(env: Environment, given: GivenEnv, alsoNamed: readonly string[] = []): Environment {
  if (given === "inherit") return { ...env, [INSIDE_RUN]: "1" };
  const isNamed = namedBy([...MINIMAL_ENV, ...alsoNamed, ...given]);
  const passed = Object.entries(env).filter(([name]) => isNamed(name));
  return { ...Object.fromEntries(passed), [INSIDE_RUN]: "1" };
}

function namedBy(names: readonly string[]): (name: string) => boolean {
  // Windows has PATH as `Path`; elsewhere the case of a name counts.
  const spelled = process.platform === "win32" ? (name: string) => name.toUpperCase() : (name: string) => name;
  const whole = new Set(names.map(spelled));
  const beginnings = names.filter((name) => name.endsWith("*")).map((name) => spelled(name.slice(0, -1)));
  return (name) => whole.has(spelled(name)) || beginnings.some((beginning) => spelled(name).startsWith(beginning));
}
