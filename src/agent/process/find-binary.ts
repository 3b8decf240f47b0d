// Where a command lies, found as the system would find it and without a shell: for a check before a start, and to explain one that failed.

import { nodeFs } from "../../host/builtin.ts";
import { delimiter, resolve } from "node:path";
import { tryRead } from "../../core/try-read.ts";

/** What Linux looks through when there is no PATH. */
const PATH_WHEN_UNSET = "/bin:/usr/bin";

/** The full path of the file that would run; null when there is none that may. Relative paths are those of `cwd`. */
export function findBinary(
  command: string,
  env: Readonly<Record<string, string | undefined>>,
  cwd: string = process.cwd(),
): string | null {
  if (command === "") return null;
  const isWindows = process.platform === "win32";
  const isPath = command.includes("/") || (isWindows && command.includes("\\"));
  const folders = isPath ? [""] : (variable(env, "PATH", isWindows) ?? PATH_WHEN_UNSET).split(delimiter);
  const endings = isWindows ? ["", ...(variable(env, "PATHEXT", true) ?? ".EXE;.CMD;.BAT").split(";")] : [""];
  for (const folder of folders) {
    for (const ending of endings) {
      // An empty entry of the PATH means the working folder, as it always did.
      const path = resolve(cwd, folder, command + ending);
      if (isRunnable(path)) return path;
    }
  }
  return null;
}

function isRunnable(path: string): boolean {
  return tryRead(() => {
    nodeFs().accessSync(path, nodeFs().constants.X_OK);
    return nodeFs().statSync(path).isFile();
  }, false);
}

/** On Windows the letter case of a variable's name means nothing, and PATH is usually written Path. */
function variable(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
  anyCase: boolean,
): string | undefined {
  if (!anyCase) return env[name];
  return Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1];
}
