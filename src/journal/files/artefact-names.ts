// Names of any origin as names of files: no way out of the folder, no two alike, and nothing a file system trips over.

import { sha256 } from "../chain.ts";
import { unfit } from "../journal-faults.ts";

const MAX_CHARS = 120;
const KEPT_CHARS = 80;
const DIGEST_CHARS = 24;
/** What `fileNameOf` gives, and nothing else. */
const FILE_NAME = /^[A-Za-z0-9_-][A-Za-z0-9._%~-]{0,160}$|^%[A-Za-z0-9._%~-]{2,160}$/;
/** Windows takes these for devices, whatever the ending. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/** `../x` becomes `%2E.%2Fx`. A tilde stands only where a name was cut or counted, so it cannot be forged. */
export function fileNameOf(name: string): string {
  if (name === "") throw unfit("An artefact needs a session, a call and a name.");
  const escaped = Array.from(Buffer.from(name, "utf8"), (byte) => {
    const char = String.fromCharCode(byte);
    return /[A-Za-z0-9._-]/.test(char) ? char : escapeOf(byte);
  }).join("");
  const safe = escaped
    .replace(/^\./, escapeOf(0x2e))
    .replace(/\.$/, escapeOf(0x2e))
    .replace(DEVICE, (device) => escapeOf(device.charCodeAt(0)) + device.slice(1));
  return safe.length <= MAX_CHARS ? safe : `${safe.slice(0, KEPT_CHARS)}~${sha256(name).slice(0, DIGEST_CHARS)}`;
}

export function isFileName(name: string): boolean {
  return FILE_NAME.test(name);
}

function escapeOf(byte: number): string {
  return `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
}
