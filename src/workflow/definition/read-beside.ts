// Reads a file that a workflow refers to. A workflow may come from anywhere, so what it names is looked at before it is read: a device
// or a pipe may never end, and a symbolic link may lead to what is not the workflow's own.

import { nodeFs } from "../../host/builtin.ts";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import { classify } from "../../core/classify/classify.ts";
import type { Unreadable } from "../../workflow-file/files.ts";
import { isMissingFile } from "../../host/missing-file.ts";

/** More than any text that `workflow-file` accepts, which counts characters. */
const MAX_BYTES = 1024 * 1024;

/** `file` is the workflow, `name` a path from its folder. null: there is no such file, or it may not be read. */
export function readBeside(file: string, name: string): string | null | Unreadable {
  try {
    const folder = nodeFs().realpathSync(dirname(file));
    const place = nodeFs().realpathSync(resolve(folder, name));
    if (isOutside(relative(folder, place))) return { why: "a symbolic link leads out of the workflow's folder" };
    return readRegular(place);
  } catch (error) {
    if (isMissingFile(error)) return null;
    return { why: classify({ surface: "store", error }).message };
  }
}

function isOutside(path: string): boolean {
  return isAbsolute(path) || path.split(sep)[0] === "..";
}

function readRegular(place: string): string | Unreadable {
  // A pipe that no process writes to would keep an ordinary open waiting. Windows has no such flag, and no such pipes.
  const handle = nodeFs().openSync(
    place,
    nodeFs().constants.O_RDONLY | ((nodeFs().constants as { O_NONBLOCK?: number }).O_NONBLOCK ?? 0),
  );
  try {
    const found = nodeFs().fstatSync(handle);
    if (!found.isFile()) return { why: "it is not a regular file" };
    const bytes = Buffer.alloc(Math.min(found.size, MAX_BYTES) + 1);
    let length = 0;
    for (let read = 1; read > 0 && length < bytes.length; length += read)
      read = nodeFs().readSync(handle, bytes, length, bytes.length - length, null);
    if (length > MAX_BYTES) return { why: `it has more than ${MAX_BYTES} bytes` };
    return bytes.toString("utf8", 0, length);
  } finally {
    nodeFs().closeSync(handle);
  }
}
