// A real Restate server, or a cluster of them: the binary from npm, on loopback, with its data in a temporary folder.

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { arch, platform, tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../src/host/clock.ts";
import { freePorts } from "./free-ports.ts";
import { serverPackagePath } from "../servers/server-package.ts";

export interface RestateNode {
  readonly ingress: string;
  readonly admin: string;
  /** Ends it at once, as a crash would; its data stays. */
  kill(): Promise<void>;
  /** Starts it again, on the same ports and data. */
  restart(): Promise<void>;
  /** Its data is gone, as after the loss of a disk. It must not run. */
  loseData(): void;
  pause(isPaused: boolean): void;
}

export interface RestateServers {
  readonly nodes: readonly RestateNode[];
  /** Where the nodes keep their data. */
  readonly folder: string;
  /** For `--driver`. */
  readonly url: string;
  stop(): Promise<void>;
}

const LOOK_AGAIN_MS = 25;
const STARTED_WITHIN_MS = 60_000;

interface Place {
  readonly folder: string;
  readonly node: number;
  readonly ingress: string;
  readonly admin: string;
}

/** One node, or a cluster in which each record is on two of them. */
export async function startRestate(nodes = 1, env: Readonly<Record<string, string>> = {}): Promise<RestateServers> {
  const root = mkdtempSync(join(tmpdir(), "faultline-restate-"));
  const ports = await freePorts(nodes * 3);
  const fabric = ports.slice(0, nodes).map((port) => `http://127.0.0.1:${port}`);
  const places = fabric.map((_, index): Place => {
    const [ingress, admin] = [ports[nodes + index], ports[2 * nodes + index]];
    return {
      folder: join(root, `n${index}`),
      node: index,
      ingress: `127.0.0.1:${ingress}`,
      admin: `127.0.0.1:${admin}`,
    };
  });
  const started = await Promise.all(places.map((place) => startNode(place, fabric, env)));
  const list = (of: "ingress" | "admin"): string => places.map((place) => place[of]).join(",");
  return {
    nodes: started,
    folder: root,
    url: `restate://${list("ingress")}?admin=${list("admin")}`,
    async stop() {
      await Promise.all(started.map((node) => node.kill()));
      rmSync(root, { recursive: true, force: true });
    },
  };
}

async function startNode(
  place: Place,
  fabric: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<RestateNode> {
  let child = launch(place, fabric, env);
  await ready(child, place);
  return {
    ingress: place.ingress,
    admin: place.admin,
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    },
    async restart() {
      child = launch(place, fabric, env);
      await ready(child, place);
    },
    loseData: () => rmSync(place.folder, { recursive: true, force: true }),
    pause: (isPaused) => void child.kill(isPaused ? "SIGSTOP" : "SIGCONT"),
  };
}

export const restateBinary = (): string =>
  serverPackagePath(`@restatedev/restate-server-${platform()}-${arch()}`, "bin/restate-server");

function launch(
  { folder, node, ingress, admin }: Place,
  fabric: readonly string[],
  env: Readonly<Record<string, string>>,
): ChildProcess {
  const child = spawn(restateBinary(), ["--no-logo", "--base-dir", folder], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      RESTATE_DISABLE_TELEMETRY: "true",
      RESTATE_LISTEN_MODE: "tcp",
      RESTATE_CLUSTER_NAME: "faultline-tests",
      RESTATE_NODE_NAME: `n${node}`,
      RESTATE_AUTO_PROVISION: String(node === 0),
      RESTATE_DEFAULT_NUM_PARTITIONS: "4",
      RESTATE_DEFAULT_REPLICATION: fabric.length > 1 ? "2" : "1",
      RESTATE_METADATA_CLIENT__ADDRESSES: JSON.stringify(fabric),
      RESTATE_BIND_ADDRESS: new URL(fabric[node] ?? "").host,
      RESTATE_ADVERTISED_ADDRESS: fabric[node] ?? "",
      RESTATE_INGRESS__BIND_ADDRESS: ingress,
      RESTATE_ADMIN__BIND_ADDRESS: admin,
      RESTATE_ADMIN__DISABLE_WEB_UI: "true",
      RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: "128MB",
      RESTATE_LOG_FILTER: "warn",
      RESTATE_LOG_DISABLE_ANSI_CODES: "true",
      // A worker that hangs is noticed within two seconds.
      RESTATE_WORKER__INVOKER__HTTP2_KEEP_ALIVE_INTERVAL: "1s",
      RESTATE_WORKER__INVOKER__HTTP2_KEEP_ALIVE_TIMEOUT: "1s",
      ...env,
    },
  });
  const log = createWriteStream(`${folder}.log`, { flags: "a" });
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  return child;
}

async function ready(child: ChildProcess, { ingress, admin }: Place): Promise<void> {
  const until = systemClock.now() + STARTED_WITHIN_MS;
  while (!((await answers(`http://${admin}/health`)) && (await answers(`http://${ingress}/restate/health`)))) {
    if (child.exitCode !== null) throw new Error(`restate-server has ended with ${child.exitCode}`);
    if (systemClock.now() > until) throw new Error("restate-server does not answer");
    await new Promise<void>((resolve) => void systemClock.after(LOOK_AGAIN_MS, resolve));
  }
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}
