// How a server starts and stops, and what it refuses to start with.

import { createServer } from "node:http";
import { statSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { isFaultError } from "../../src/index.ts";
import { type ServerOptions, startServer } from "../../src/server/server.ts";
import { addToken, listTokens, openTokens, removeToken } from "../../src/server/tokens.ts";
import { journalPath, startWorld } from "./world.ts";

describe("a server is refused", () => {
  const cases: readonly (readonly [string, Partial<ServerOptions>, string])[] = [
    ["on a public address", { host: "0.0.0.0" }, "--behind-tls-proxy"],
    ["on a public address without its public name", { host: "0.0.0.0", behindTlsProxy: true }, "--public-url"],
    ["with a public URL that is none", { publicUrl: "my host" }, "publicUrl"],
    ["with a port that is none", { port: 70_000 }, "port"],
    ["with a mistyped option", { prot: 1 } as Partial<ServerOptions>, "port"],
  ];
  it.each(cases)("%s", async (_title, options, says) => {
    const started = Promise.resolve().then(() => startServer({ journal: journalPath(), ...options }));
    await expect(started).rejects.toSatisfy((error) => isFaultError(error) && error.fault.message.includes(says));
  });

  it("on a port that is taken, and leaves nothing open", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => void other.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void other.close());
    const journal = journalPath();
    const { port } = other.address() as AddressInfo;
    await expect(startServer({ journal, port })).rejects.toMatchObject({ code: "EADDRINUSE" });
    const { url } = await startWorld({ journal });
    expect((await fetch(`${url}/v1/health`)).status).toBe(200);
  });
});

describe("tokens", () => {
  it("are made once, readable by their owner only, and survive a restart", async () => {
    const journal = journalPath();
    const first = await startWorld({ journal });
    expect(statSync(first.server.tokenFile).mode & 0o777).toBe(0o600);
    expect(statSync(join(dirname(journal), "tokens.json")).mode & 0o777).toBe(0o600);
    await first.server.close();
    const second = await startWorld({ journal });
    expect(second.tokens.operator).toBe(first.tokens.operator);
    expect(await second.operator.whoAmI()).toEqual({ name: "operator", role: "operator" });
  });

  it("of two servers that start at the same time on a new journal are the same", async () => {
    const folder = dirname(journalPath());
    const opened = await Promise.all(Array.from({ length: 8 }, () => openTokens(folder, 1)));
    const { readFileSync } = await import("node:fs");
    const token = readFileSync(join(folder, "operator.token"), "utf8").trim();
    expect(opened.every(({ identify }) => identify(token)?.name === "operator")).toBe(true);
  });

  it("are added, listed and removed by name", async () => {
    const folder = dirname(journalPath());
    const token = await addToken(folder, "ci", "viewer", 1);
    await expect(addToken(folder, "ci", "viewer", 1)).rejects.toThrow("ci");
    expect((await openTokens(folder, 1)).identify(token)).toEqual({ name: "ci", role: "viewer" });
    expect((await listTokens(folder)).map(({ name }) => name)).toEqual(["operator", "ci"]);
    expect([await removeToken(folder, "ci"), await removeToken(folder, "ci")]).toEqual([true, false]);
    expect((await openTokens(folder, 1)).identify(token)).toBeNull();
  });

  it("in a file that was damaged are refused by the file's name", async () => {
    const folder = dirname(journalPath());
    writeFileSync(join(folder, "tokens.json"), "{");
    await expect(openTokens(folder, 1)).rejects.toThrow("tokens.json");
  });
});

describe("the cookie of the page", () => {
  it("stands for a token, cannot be read by scripts, and is not sent by other sites", async () => {
    const { send, tokens, url } = await startWorld();
    const response = await send("/v1/login", { method: "POST", token: null, body: { token: tokens.viewer } });
    const cookie = response.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/^faultline_session=.+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/);
    const headers = { cookie: cookie.split(";")[0] ?? "" };
    expect((await send("/v1/whoami", { token: null, headers })).status).toBe(200);
    const foreign = await send("/v1/whoami", { token: null, headers: { ...headers, origin: "https://evil.example" } });
    expect(foreign.status).toBe(403);
    const own = await send("/v1/whoami", { token: null, headers: { ...headers, origin: url } });
    expect(own.status).toBe(200);
  });
});
