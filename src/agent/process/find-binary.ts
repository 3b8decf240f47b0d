// Finds a command the way the system does, without a shell. Used to check a command before a start and to explain a failed start.

import { nodeFs } from "../../host/builtin.ts";
import { delimiter, resolve } from "node:path";
import { tryRead } from "../../core/try-read.ts";

/** The folders that Linux searches when PATH is not set. */
const PATH_WHEN_UNSET = "/bin:/usr/bin";

/** The full path of the file that would run; null if there is no executable file. Relative paths start at `cwd`. */
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
      // An empty entry of the PATH means the working folder.
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

/** Windows ignores the case of variable names, and PATH is usually spelled Path. */
function variable(
  env: Readonly<Record<string, string | undefined>>,
  name: string,
  anyCase: boolean,
): string | undefined {
  if (!anyCase) return env[name];
  return Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1];
}
