// The tokens that the server accepts. Each is kept as a hash in a file that only its owner may read; the first one is also written
// out, once, so that the person who starts the server can use it. A running server sees added and removed tokens at once.

import { createHash, randomBytes } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { link, open, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { classify } from "../core/classify/classify.ts";
import { fault, FaultError } from "../core/fault/fault.ts";
import { parseJson } from "../core/try-read.ts";
import { systemClock } from "../host/clock.ts";
import { isMissingFile } from "../host/missing-file.ts";
import { warn } from "../journal/warnings.ts";
import { ROLES, type Role } from "../api/route.ts";

/** Who sent a request. */
export interface Identity {
  /** The name of the token, for the audit log. */
  readonly name: string;
  readonly role: Role;
  /** Tells a token from a later one of the same name. */
  readonly createdAt: number;
}

export interface Tokens {
  /** null for a token that is not known. */
  readonly identify: (token: string) => Identity | null;
  /** Whether the token that was identified as this one is still accepted. */
  readonly isKnown: (who: Identity) => boolean;
  readonly list: () => readonly Identity[];
  /** Where the first operator's token was written. */
  readonly file: string;
}

const TOKEN_FILE = "operator.token";
export const HASHES_FILE = "tokens.json";
const LOCK_FILE = ".tokens.lock";
const LOCK_WAIT_MS = 20;
const MAX_LOCK_TRIES = 1_000;
const STALE_LOCK_MS = 10_000;
const PREFIX = "flt_";

const tokenName = z.string().min(1).max(100);

const tokensFile = z.strictObject({
  tokens: z.array(
    z.strictObject({
      name: tokenName,
      role: z.enum(ROLES as readonly ["viewer", "operator"]),
      sha256: z.string().length(64),
      createdAt: z.number(),
    }),
  ),
});

type TokensFile = z.infer<typeof tokensFile>;

export function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

function newToken(): string {
  return PREFIX + randomBytes(24).toString("base64url");
}

/** Reads the tokens of a folder; makes the first one if there is none. */
export async function openTokens(folder: string, now: number): Promise<Tokens> {
  const known = (await readTokens(folder)) ?? (await makeFirst(folder, now));
  const current = followTokens(join(folder, HASHES_FILE), known);
  return {
    identify: (token) => current().get(hashOf(token)) ?? null,
    isKnown: ({ name, role, createdAt }) =>
      [...current().values()].some((one) => one.name === name && one.role === role && one.createdAt === createdAt),
    list: () => [...current().values()],
    file: join(folder, TOKEN_FILE),
  };
}

/**
 * The tokens by hash, as the file has them now. Each look costs a `stat`: a removed token must not work for even one more request.
 * Without the file no token is accepted. A file that cannot be read changes nothing.
 */
function followTokens(path: string, known: TokensFile): () => ReadonlyMap<string, Identity> {
  let byHash = byHashOf(known);
  let seen = versionOf(path);
  return () => {
    const version = versionOf(path);
    if (version === seen) return byHash;
    seen = version;
    try {
      byHash = version === null ? new Map() : byHashOf(parseTokens(readFileSync(path, "utf8"), path));
    } catch (error) {
      warn(classify({ surface: "store", error }), "reading tokens that have changed; those known before stay valid");
    }
    return byHash;
  };
}

/** Another value after each change: the file is replaced, never written in place. null: there is none. */
function versionOf(path: string): string | null {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : `${found.ino}.${found.mtimeNs}.${found.size}`;
}

function byHashOf({ tokens }: TokensFile): ReadonlyMap<string, Identity> {
  return new Map(tokens.map(({ sha256, name, role, createdAt }) => [sha256, { name, role, createdAt }]));
}

/** Adds a token and returns it; the plain token is never written to disk. */
export async function addToken(folder: string, name: string, role: Role, now: number): Promise<string> {
  // A server could not read a file with such a name.
  if (!tokenName.safeParse(name).success) {
    const message = "the name of a token has 1 to 100 characters";
    throw new FaultError(fault("ShapeInvalid", { message, context: { field: "name" } }));
  }
  return oneAtATime(folder, async () => {
    const { tokens } = (await readTokens(folder)) ?? (await makeFirst(folder, now));
    if (tokens.some((known) => known.name === name)) {
      const message = `there is a token named ${name} already; choose another name, or remove that one first`;
      throw new FaultError(fault("ShapeInvalid", { message, context: { field: "name" } }));
    }
    const token = newToken();
    await writeTokens(folder, { tokens: [...tokens, { name, role, sha256: hashOf(token), createdAt: now }] });
    return token;
  });
}

export async function listTokens(folder: string): Promise<TokensFile["tokens"]> {
  return (await readTokens(folder))?.tokens ?? [];
}

/** False when there is no token of that name. */
export async function removeToken(folder: string, name: string): Promise<boolean> {
  // Without a file there may be no folder for the lock either.
  if ((await readTokens(folder)) === null) return false;
  return oneAtATime(folder, async () => {
    const tokens = await listTokens(folder);
    const left = tokens.filter((known) => known.name !== name);
    if (left.length === tokens.length) return false;
    await writeTokens(folder, { tokens: left });
    return true;
  });
}

/**
 * A change reads the file and writes another one. A second process in between would bring back a token that was removed, so a
 * lock file keeps it out. A lock that is older than any change can last was left by a process that died.
 */
async function oneAtATime<T>(folder: string, change: () => Promise<T>): Promise<T> {
  const lock = join(folder, LOCK_FILE);
  for (let tries = 0; !(await tryLock(lock)); tries++) {
    if (tries > MAX_LOCK_TRIES) {
      const message = `another process has held the lock on the tokens for too long; if no other process runs, delete ${lock}`;
      throw new FaultError(fault("ResourceBusy", { message }));
    }
    await new Promise<void>((resolve) => void systemClock.after(LOCK_WAIT_MS, resolve));
  }
  try {
    return await change();
  } finally {
    await rm(lock, { force: true });
  }
}

async function tryLock(lock: string): Promise<boolean> {
  try {
    await (await open(lock, "wx", 0o600)).close();
    return true;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    const found = statSync(lock, { throwIfNoEntry: false });
    if (found !== undefined && systemClock.now() - found.mtimeMs > STALE_LOCK_MS) await rm(lock, { force: true });
    return false;
  }
}

async function readTokens(folder: string): Promise<TokensFile | null> {
  const path = join(folder, HASHES_FILE);
  try {
    return parseTokens(await readFile(path, "utf8"), path);
  } catch (error) {
    if (isMissingFile(error)) return null;
    throw error;
  }
}

function parseTokens(text: string, path: string): TokensFile {
  const read = tokensFile.safeParse(parseJson(text));
  if (read.success) return read.data;
  const message = `${path} is not a file of tokens; move it away, and the server will make a new one with a new token`;
  throw new FaultError(fault("ConfigSchemaViolation", { message, context: { field: HASHES_FILE } }));
}

/** Two servers may start at the same time: the first one's file counts for both. */
async function makeFirst(folder: string, now: number): Promise<TokensFile> {
  const token = newToken();
  const made: TokensFile = { tokens: [{ name: "operator", role: "operator", sha256: hashOf(token), createdAt: now }] };
  const draft = await writeDraft(folder, HASHES_FILE, JSON.stringify(made, null, 2));
  try {
    // Unlike a rename, this fails when the file exists.
    await link(draft, join(folder, HASHES_FILE));
  } catch (error) {
    const others = await readTokens(folder);
    if (others === null) throw error;
    return others;
  } finally {
    await rm(draft, { force: true });
  }
  await rename(await writeDraft(folder, TOKEN_FILE, `${token}\n`), join(folder, TOKEN_FILE));
  return made;
}

async function writeTokens(folder: string, file: TokensFile): Promise<void> {
  await rename(await writeDraft(folder, HASHES_FILE, JSON.stringify(file, null, 2)), join(folder, HASHES_FILE));
}

/** Never readable by others, not even for a moment. */
async function writeDraft(folder: string, name: string, text: string): Promise<string> {
  const path = join(folder, `.${name}.${randomBytes(6).toString("hex")}`);
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  return path;
}
