// How a server starts and stops, and what it refuses to start with.

import { createServer } from "node:http";
import { rmSync, statSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { isFaultError } from "../../src/index.ts";
import type { ServerOptions } from "../../src/server/options.ts";
import { startServer } from "../../src/server/server.ts";
import { createSignInCodes } from "../../src/server/sign-in-codes.ts";
import { createFakeClock } from "../../src/testing/index.ts";
import { addToken, listTokens, openTokens, removeToken } from "../../src/server/tokens.ts";
import { journalPath, startWorld } from "./world.ts";

describe("a server is refused", () => {
  const cases: readonly (readonly [string, Partial<ServerOptions>, string])[] = [
    ["on a public address", { host: "0.0.0.0" }, "--behind-tls-proxy"],
    ["on a public address without its public name", { host: "0.0.0.0", behindTlsProxy: true }, "--public-url"],
    ["with a public URL that is none", { publicUrl: "my host" }, "publicUrl"],
    ["with a public URL that has a path", { publicUrl: "https://example.com/faultline" }, "a path"],
    ["with a public URL that has a password", { publicUrl: "https://me:secret@example.com" }, "a user"],
    [
      "behind a proxy with TLS, with a public URL without it",
      { host: "0.0.0.0", behindTlsProxy: true, publicUrl: "http://example.com" },
      "without TLS",
    ],
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
    expect((await openTokens(folder, 1)).identify(token)).toEqual({ name: "ci", role: "viewer", createdAt: 1 });
    expect((await listTokens(folder)).map(({ name }) => name)).toEqual(["operator", "ci"]);
    expect([await removeToken(folder, "ci"), await removeToken(folder, "ci")]).toEqual([true, false]);
    expect(await removeToken(join(folder, "missing"), "ci")).toBe(false);
    expect((await openTokens(folder, 1)).identify(token)).toBeNull();
  });

  it("that are added and removed at the same time are all added and removed", async () => {
    const folder = dirname(journalPath());
    await openTokens(folder, 1);
    const names = Array.from({ length: 8 }, (_none, index) => `one-${index}`);
    await Promise.all(names.map((name) => addToken(folder, name, "viewer", 1)));
    await Promise.all([
      ...names.slice(0, 4).map((name) => removeToken(folder, name)),
      addToken(folder, "another", "viewer", 1),
    ]);
    const left = (await listTokens(folder)).map(({ name }) => name);
    expect(left.sort()).toEqual(["another", "one-4", "one-5", "one-6", "one-7", "operator"]);
  });

  it.each(["", "n".repeat(101)])("of a name that the file cannot hold are refused (%#)", async (name) => {
    const folder = dirname(journalPath());
    await expect(addToken(folder, name, "viewer", 1)).rejects.toThrow("1 to 100");
    await openTokens(folder, 1);
  });

  it("that are added or removed while a server runs count from the next request on", async () => {
    const { send, journalFile, operator } = await startWorld({ drive: false });
    const folder = dirname(journalFile);
    const statusWith = async (token: string): Promise<number> => (await send("/v1/whoami", { token })).status;
    const token = await addToken(folder, "ci", "viewer", 7);
    expect(await statusWith(token)).toBe(200);
    const { items } = await operator.listTokens();
    expect(items.find(({ name }) => name === "ci")).toEqual({
      ...{ name: "ci", role: "viewer", createdAt: 7, isYours: false },
    });
    expect(items.filter(({ isYours }) => isYours).map(({ name }) => name)).toEqual(["operator"]);
    expect(JSON.stringify(items)).not.toMatch(/flt_|[0-9a-f]{64}/);
    await removeToken(folder, "ci");
    const again = await addToken(folder, "ci", "viewer", 8);
    expect([await statusWith(token), await statusWith(again)]).toEqual([401, 200]);
  });

  it("stay valid while their file is damaged, and are refused when it is gone", async () => {
    const folder = dirname(journalPath());
    const { identify, isKnown } = await openTokens(folder, 1);
    const token = await addToken(folder, "ci", "viewer", 1);
    const who = identify(token);
    const warned = new Promise<Error>((resolve) => void process.once("warning", resolve));
    writeFileSync(join(folder, "tokens.json"), "{");
    expect(identify(token)).toEqual(who);
    expect((await warned).message).toContain("tokens");
    rmSync(join(folder, "tokens.json"));
    expect([identify(token), who !== null && isKnown(who)]).toEqual([null, false]);
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

describe("a sign-in link", () => {
  const codeIn = (link: string | null): string => new URL(link ?? "").hash.replace("#login=", "");

  it("signs in once, with the cookie that the token would give", async () => {
    const { send, server, tokens } = await startWorld({ drive: false });
    const body = { code: codeIn(server.signInLink()) };
    const logIn = (given: unknown): Promise<Response> =>
      send("/v1/login", { method: "POST", token: null, body: given });
    const [first, second] = [await logIn(body), await logIn(body)];
    expect([first.status, await first.json()]).toEqual([200, { name: "operator", role: "operator" }]);
    const withToken = await logIn({ token: tokens.operator });
    expect(first.headers.get("set-cookie")).toBe(withToken.headers.get("set-cookie"));
    expect([second.status, second.headers.get("set-cookie")]).toEqual([401, null]);
    expect(await second.json()).toMatchObject({ code: "wrong-code" });
    expect((await logIn({ ...body, token: tokens.operator })).status).toBe(422);
  });

  it("is long enough, different each time, and works for ten minutes", async () => {
    const clock = createFakeClock(0);
    const codes = createSignInCodes(await openTokens(dirname(journalPath()), 1), clock);
    const made = Array.from({ length: 50 }, () => codes.make() ?? "");
    expect(new Set(made).size).toBe(50);
    expect(made.every((code) => /^[\w-]{32}$/.test(code))).toBe(true);
    await clock.advance(599_999);
    expect(codes.use(made[0] ?? "")?.who.name).toBe("operator");
    await clock.advance(1);
    expect(codes.use(made[1] ?? "")).toBeNull();
    expect(codes.use("")).toBeNull();
  });

  it("needs the first operator's token: there is none without its file or after it was removed", async () => {
    const { server, journalFile, send } = await startWorld({ drive: false });
    const [early, code] = [codeIn(server.signInLink()), codeIn(server.signInLink())];
    await removeToken(dirname(journalFile), "operator");
    expect(server.signInLink()).toBeNull();
    expect((await send("/v1/login", { method: "POST", token: null, body: { code } })).status).toBe(401);
    rmSync(server.tokenFile);
    expect((await send("/v1/login", { method: "POST", token: null, body: { code: early } })).status).toBe(401);
  });

  it("leads to the public address where there is one", async () => {
    const { server } = await startWorld({ drive: false, publicUrl: "https://faultline.example.com/" });
    expect(server.signInLink()).toMatch(/^https:\/\/faultline\.example\.com\/#login=/);
  });
});

describe("settings", () => {
  it("say where notices go, and show no secret", async () => {
    const { operator } = await startWorld({
      drive: false,
      version: "1.2.3",
      notify: {
        about: ["needs-you"],
        webhook: { url: "https://user:pass@hooks.example.com/T0/secret?key=secret", secret: "whsec_secret" },
        command: ["/home/me/page.sh", "--token", "secret"],
      },
    });
    const settings = await operator.showSettings();
    expect(settings).toMatchObject({
      ...{ version: "1.2.3", drives: false, journal: expect.stringMatching(/^[^/\\]+$/) as string },
      notices: {
        about: ["needs-you"],
        webhook: { origin: "https://hooks.example.com" },
        command: { program: "page.sh" },
      },
    });
    expect(JSON.stringify(settings)).not.toMatch(/secret|pass|home/);
  });

  it("say that notices go nowhere", async () => {
    const { operator } = await startWorld({ drive: false });
    expect((await operator.showSettings()).notices).toEqual({ about: [], webhook: null, command: null });
  });
});

it("a server may listen on any address of this machine's own network", async () => {
  const { server } = await startWorld({ host: "127.0.0.2" });
  expect((await fetch(`http://127.0.0.2:${server.port}/v1/health`)).status).toBe(200);
});
