// The packages in this folder, which bring the binaries of servers.

import { existsSync } from "node:fs";
import { join } from "node:path";

/** A file or folder of a package that `npm run setup` has installed here. */
export function serverPackagePath(name: string, path: string): string {
  const found = join(import.meta.dirname, "node_modules", name, path);
  if (!existsSync(found)) throw new Error(`${name} has no ${path} in test/servers: run \`npm run setup\``);
  return found;
}
