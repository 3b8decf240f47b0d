// Serves the dashboard's built files. They contain no data of the journal, so they need no token. The page gets its data from the API,
// with a cookie.

import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Chance } from "../host/chance.ts";
import { packageFolder } from "../host/package-folder.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};
const COMPRESSED = new Set([".css", ".html", ".js", ".svg"]);
const NONCE_PLACE = 'name="style-nonce" content=""';
/** A file with a hash in its name never changes. */
const FOREVER = "public, max-age=31536000, immutable";
const NOT_BUILT = "The dashboard is not built. Run `npm run setup` in the repository, then start the server again.\n";

/** Answers requests for the page; null when the request is not for it. */
export type DashboardPage = (request: Request) => Response | null;

export function dashboardPage(chance: Chance, folder: string = packageFolder("dist", "web")): DashboardPage {
  // Only files listed at the start are served: a path in a request cannot lead out of the folder.
  const names = existsSync(folder)
    ? readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    : [];
  const files = new Map(
    names.map(({ parentPath, name }) => {
      const file = join(parentPath, name);
      return [file.slice(folder.length).replaceAll("\\", "/"), file] as const;
    }),
  );
  const read = reader(files);
  return (request) => {
    const { pathname } = new URL(request.url);
    const isRead = request.method === "GET" || request.method === "HEAD";
    if (!isRead || pathname.startsWith("/v1/") || pathname === "/metrics") return null;
    if (files.has(pathname) && pathname !== "/index.html") return fileAnswer(read(pathname), pathname, request);
    const wantsPage = pathname === "/" || /text\/html/i.test(request.headers.get("accept") ?? "");
    // A run's name may look like a file's (`release-2.4`), so the Accept header decides.
    if (!wantsPage || pathname.startsWith("/assets/")) return null;
    if (!files.has("/index.html")) return new Response(NOT_BUILT, { status: 503 });
    return pageAnswer(read("/index.html").plain.toString("utf8"), chance);
  };
}

interface PageFile {
  readonly plain: Buffer;
  readonly packed: Buffer | null;
  readonly etag: string;
}

function reader(files: ReadonlyMap<string, string>): (path: string) => PageFile {
  const known = new Map<string, PageFile>();
  return (path) => {
    const kept = known.get(path);
    if (kept !== undefined) return kept;
    const plain = readFileSync(files.get(path) ?? path);
    const file = {
      plain,
      packed: COMPRESSED.has(extname(path)) ? gzipSync(plain) : null,
      etag: `"${createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`,
    };
    known.set(path, file);
    return file;
  };
}

function fileAnswer({ plain, packed, etag }: PageFile, path: string, request: Request): Response {
  const isHashed = path.startsWith("/assets/");
  const headers = {
    "content-type": TYPES[extname(path)] ?? "application/octet-stream",
    "cache-control": isHashed ? FOREVER : "no-cache",
    "vary": "accept-encoding",
    etag,
  };
  if (request.headers.get("if-none-match") === etag) return new Response(null, { status: 304, headers });
  const isPacked = packed !== null && /\bgzip\b/.test(request.headers.get("accept-encoding") ?? "");
  const body = new Uint8Array(isPacked ? packed : plain);
  return new Response(body, { headers: { ...headers, ...(isPacked ? { "content-encoding": "gzip" } : {}) } });
}

/** The page may load its own files and talk to its own server, and nothing else. */
function pageAnswer(html: string, chance: Chance): Response {
  const nonce = chance.newId("style");
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self'",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
  return new Response(html.replace(NONCE_PLACE, `name="style-nonce" content="${nonce}"`), {
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": policy,
    },
  });
}
