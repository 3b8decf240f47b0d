// What `deploy/` starts, the program can do: every option exists, every copied file is there, and the server comes up and answers.

import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { PATHS } from "../src/api/paths.ts";
import { DEFAULT_PORT } from "../src/server/server.ts";
import { runCli } from "./support/run-cli.ts";
import { startServe } from "./server/kill/serve-process.ts";

function fileAt(path: string): string {
  return readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
}

interface Compose {
  readonly services: Readonly<
    Record<
      "server" | "proxy",
      {
        readonly command: string | readonly string[];
        readonly volumes: readonly string[];
        readonly build?: { readonly context: string; readonly dockerfile: string };
      }
    >
  >;
  readonly volumes: Readonly<Record<string, unknown>>;
}

const HOST = "faultline.example.org";
const dockerfile = fileAt("deploy/Dockerfile").replaceAll("\\\n", " ");
const unit = fileAt("deploy/faultline.service");
const compose = parse(fileAt("deploy/compose.yaml").replaceAll(/\$\{FAULTLINE_HOST[^}]*\}/g, HOST)) as Compose;

function settingOf(name: string): string {
  return new RegExp(`^${name}=(.*)$`, "m").exec(unit)?.[1] ?? "";
}

function instruction(name: string): string {
  return new RegExp(`^${name} (.*)$`, "m").exec(dockerfile)?.[1]?.trim() ?? "";
}

const COMMANDS: Readonly<Record<string, readonly string[]>> = {
  "faultline.service": settingOf("ExecStart").split(" ").slice(1),
  "Dockerfile": JSON.parse(instruction("CMD")) as string[],
  "compose.yaml": Array.from(compose.services.server.command),
};

describe("commands of deploy/", () => {
  it.each(Object.entries(COMMANDS))("%s uses options that `faultline serve` has", async (_file, args) => {
    expect(args[0]).toBe("serve");
    const { stdout: help } = await runCli(["serve", "--help"]);
    for (const option of args.filter((arg) => arg.startsWith("--"))) expect(help).toContain(`${option} `);
  });

  it.each(Object.entries(COMMANDS))("%s starts a server that answers its health check", async (file, args) => {
    const folder = mkdtempSync(join(tmpdir(), "faultline-deploy-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const more = args
      .slice(1)
      .join(" ")
      .replaceAll(/--(?:journal|port) \S+/g, "")
      .split(" ")
      .filter(Boolean);
    const server = await startServe(join(folder, "journal.db"), 0, more);
    onTestFinished(() => void server.end("SIGKILL"));
    expect(await statusOf(server.port, `127.0.0.1:${server.port}`)).toBe(200);
    if (file === "compose.yaml") expect(await statusOf(server.port, HOST)).toBe(200);
    expect(await statusOf(server.port, "evil.example")).toBe(421);
    expect(await server.end("SIGTERM")).toMatchObject({ exitCode: 0 });
  });
});

/** `fetch` cannot choose the Host header. */
function statusOf(port: number, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request({ port, host: "127.0.0.1", path: PATHS.health.path, headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on("error", reject)
      .end();
  });
}

describe("deploy/Dockerfile", () => {
  it("copies files that exist, and its ignore file lets them through", () => {
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, from = ""]) => from.split(" "));
    // All that the build reads.
    const setup = fileAt("scripts/setup.mjs");
    const inputs = [...setup.matchAll(/inputs: \[([^\]]*)\]/g)]
      .flatMap(([, list = ""]) => list.match(/[^",\s]+/g) ?? [])
      .filter((input) => !input.startsWith("test/"));
    expect(inputs).toContain("src");
    for (const input of inputs) expect(copied).toContain(input.startsWith("scripts/") ? "scripts" : input);
    const ignored = fileAt("deploy/Dockerfile.dockerignore").split("\n");
    for (const path of copied) {
      expect(existsSync(new URL(`../${path}`, import.meta.url)), path).toBe(true);
      expect(ignored).toContain(`!${path}`);
    }
  });

  it("checks the health route on the port of the server, and does not run as root", () => {
    expect(instruction("HEALTHCHECK")).toContain(`http://127.0.0.1:${DEFAULT_PORT}${PATHS.health.path}`);
    expect(instruction("EXPOSE")).toBe(String(DEFAULT_PORT));
    expect(instruction("USER")).toBe("node");
    expect(instruction("ENTRYPOINT")).toBe('["faultline"]');
  });

  it("keeps the journal in the volume that compose mounts", () => {
    const folder = instruction("VOLUME");
    expect(instruction("ENV")).toContain(`FAULTLINE_JOURNAL=${folder}/`);
    expect(compose.services.server.volumes).toEqual([`journal:${folder}`]);
  });
});

describe("deploy/compose.yaml", () => {
  it("builds from the Dockerfile, names its volumes, and points the proxy to the server", () => {
    const { server, proxy } = compose.services;
    expect(
      existsSync(
        new URL(`../deploy/${server.build?.context ?? ""}/${server.build?.dockerfile ?? ""}`, import.meta.url),
      ),
    ).toBe(true);
    const named = [...server.volumes, ...proxy.volumes].map((volume) => volume.split(":")[0]);
    expect(new Set(Object.keys(compose.volumes))).toEqual(new Set(named));
    expect(proxy.command).toBe(`caddy reverse-proxy --from ${HOST} --to server:${DEFAULT_PORT}`);
  });
});

const hasSystemd = spawnSync("systemd-analyze", ["--version"]).status === 0;

describe("deploy/faultline.service", () => {
  it.runIf(hasSystemd)("is a unit that systemd accepts without a warning", () => {
    const folder = mkdtempSync(join(tmpdir(), "faultline-deploy-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, "faultline.service");
    // The program is installed elsewhere on this machine, or not at all.
    writeFileSync(file, unit.replace(/^ExecStart=\S+/m, "ExecStart=/bin/true"));
    const { status, stderr } = spawnSync("systemd-analyze", ["verify", file], { encoding: "utf8" });
    expect([status, stderr]).toEqual([0, ""]);
  });

  it("keeps the journal in its state directory, and stops the server by SIGTERM", () => {
    const folder = `/var/lib/${settingOf("StateDirectory")}`;
    expect(settingOf("ExecStart")).toContain(` --journal ${folder}/`);
    expect(settingOf("WorkingDirectory")).toBe(folder);
    expect(settingOf("KillSignal")).toBe("SIGTERM");
    expect(settingOf("Restart")).toBe("on-failure");
    expect(settingOf("ProtectSystem")).toBe("strict");
  });
});
