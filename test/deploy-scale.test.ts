// `deploy/compose.scale.yaml` and `deploy/kubernetes.yaml` fit together: names that one part uses exist in another, every option and
// setting is one that the program or Restate has, and there is more time to stop than to drain.

import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { StatefulSet } from "kubernetes-models/apps/v1/StatefulSet";
import { NetworkPolicy } from "kubernetes-models/networking.k8s.io/v1/NetworkPolicy";
import { PodDisruptionBudget } from "kubernetes-models/policy/v1/PodDisruptionBudget";
import { PersistentVolumeClaim } from "kubernetes-models/v1/PersistentVolumeClaim";
import { Service } from "kubernetes-models/v1/Service";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { toMs } from "../src/cli/options.ts";
import { readRestateAddress } from "../src/workflow/restate/restate-address.ts";
import { restateBinary } from "./support/restate-server.ts";
import { runCli } from "./support/run-cli.ts";

type Settings = Readonly<Record<string, string>>;

function fileAt(path: string): string {
  return readFileSync(new URL(`../${path}`, import.meta.url), "utf8");
}

function versionOf(name: string, manifest: string): string | undefined {
  return (JSON.parse(fileAt(manifest)) as { devDependencies: Settings }).devDependencies[name];
}

const RESTATE_IMAGE = `restatedev/restate:${versionOf("@restatedev/restate-server", "test/servers/package.json")}`;
const SDK = `@restatedev/restate-sdk@${versionOf("@restatedev/restate-sdk", "package.json")}`;

/** The value behind an option of a command. */
function valueOf(args: readonly string[], option: string): string {
  return args[args.indexOf(option) + 1] ?? "";
}

async function expectOptions(args: readonly string[]): Promise<void> {
  const { stdout: help } = await runCli([args[0] ?? "", "--help"]);
  for (const option of args.filter((arg) => arg.startsWith("--"))) expect(help, option).toContain(`${option} `);
}

const hostsOf = (args: readonly string[]): readonly string[] =>
  readRestateAddress(valueOf(args, "--driver")).ingress.map((origin) => new URL(origin).hostname);

/** What Restate makes of these variables. */
function configOf(environment: Settings): string {
  const { stdout, stderr, status } = spawnSync(restateBinary(), ["--dump-config"], {
    env: environment,
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([0, ""]);
  return stdout;
}

function expectSettings(environment: Settings, nodes: readonly string[]): void {
  const config = configOf(environment);
  const addresses = nodes.map((node) => `http://${node}:5122`);
  expect(JSON.parse(environment["RESTATE_METADATA_CLIENT__ADDRESSES"] ?? "[]")).toEqual(addresses);
  for (const address of addresses) expect(config).toContain(address);
  for (const setting of [
    'cluster-name = "faultline"',
    "disable-telemetry = true",
    "default-replication = 2",
    'http2-keep-alive-interval = "10s"',
    'http2-keep-alive-timeout = "5s"',
    `auto-provision = ${environment["RESTATE_AUTO_PROVISION"]}`,
  ])
    expect(config).toContain(setting);
}

interface ComposeService {
  readonly image?: string;
  readonly build?: { readonly args: Settings };
  readonly command?: string | readonly string[];
  readonly environment?: Settings;
  readonly volumes?: readonly string[];
  readonly depends_on?: Readonly<Record<string, unknown>>;
  readonly stop_grace_period?: string;
}

describe("deploy/compose.scale.yaml", () => {
  const text = fileAt("deploy/compose.scale.yaml").replaceAll(/\$\{(\w+)[^}]*\}/g, "$1.example.org");
  const { services, volumes } = parse(text, { merge: true }) as {
    services: Readonly<Record<string, ComposeService>>;
    volumes: Readonly<Record<string, unknown>>;
  };
  const argsOf = (name: string): readonly string[] => Array.from(services[name]?.command ?? []);
  const nodes = Object.keys(services).filter((name) => name.startsWith("restate-"));

  it.each(["worker", "server"])("%s has options that exist, and names services that exist", async (name) => {
    await expectOptions(argsOf(name));
    expect(hostsOf(argsOf(name))).toEqual(nodes);
    expect(Object.keys(services)).toEqual(expect.arrayContaining(Object.keys(services[name]?.depends_on ?? {})));
    expect(services[name]?.build?.args["PACKAGES"]).toBe(SDK);
    expect(services[name]?.environment?.["FAULTLINE_JOURNAL"]).toMatch(/^postgres:\/\/faultline@db:/);
  });

  it("gives a worker more time to stop than it drains, and Restate a name for all workers", () => {
    const worker = argsOf("worker");
    expect(toMs(services["worker"]?.stop_grace_period ?? "")).toBeGreaterThan(toMs(valueOf(worker, "--drain")));
    const advertised = new URL(valueOf(worker, "--advertise"));
    expect(Object.keys(services)).toContain(advertised.hostname);
    expect(valueOf(worker, "--listen")).toBe(`0.0.0.0:${advertised.port}`);
  });

  it("starts three nodes of the Restate that is tested here, of which one makes the cluster", () => {
    expect(nodes).toHaveLength(3);
    for (const name of nodes) {
      const { image, environment = {} } = services[name] ?? {};
      expect(image).toBe(RESTATE_IMAGE);
      expect(environment).toMatchObject({
        RESTATE_NODE_NAME: name,
        RESTATE_ADVERTISED_ADDRESS: `http://${name}:5122`,
        RESTATE_AUTO_PROVISION: String(name === nodes[0]),
      });
      expectSettings(environment, nodes);
    }
  });

  it("names every volume", () => {
    const used = Object.values(services).flatMap((service) => service.volumes ?? []);
    expect(new Set(Object.keys(volumes))).toEqual(new Set(used.map((volume) => volume.split(":")[0])));
  });
});

interface Container {
  readonly image: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly envFrom?: readonly { readonly secretRef: { readonly name: string } }[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly volumeMounts: readonly { readonly name: string }[];
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly selector?: Settings & { readonly matchLabels?: Settings };
    readonly ports?: readonly { readonly port: number }[];
    readonly replicas?: number;
    readonly serviceName?: string;
    readonly template?: {
      readonly metadata: { readonly labels: Settings };
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly containers: readonly Container[];
        readonly volumes?: readonly {
          readonly name: string;
          readonly persistentVolumeClaim?: { readonly claimName: string };
        }[];
      };
    };
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
  };
}

interface Checked {
  validate(): void;
}
const KINDS: Readonly<Record<string, new (data: never) => Checked>> = {
  Deployment,
  NetworkPolicy,
  PersistentVolumeClaim,
  PodDisruptionBudget,
  Service,
  StatefulSet,
};

describe("deploy/kubernetes.yaml", () => {
  const documents = parseAllDocuments(fileAt("deploy/kubernetes.yaml"));
  const all = documents.map((document) => document.toJS() as Manifest);
  const named = (kind: string, name: string): Manifest | undefined =>
    all.find((one) => one.kind === kind && one.metadata.name === name);
  const podOf = (kind: string, name: string) => named(kind, name)?.spec.template?.spec;
  const nodes = [0, 1, 2].map((index) => `restate-${index}.restate`);

  it.each(all.map((one) => [`${one.kind} ${one.metadata.name}`, one] as const))(
    "%s is a valid manifest",
    (_name, one) => {
      const Kind = KINDS[one.kind];
      if (Kind === undefined) throw new Error(`no schema for ${one.kind}`);
      new Kind(one as never).validate();
      expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
    },
  );

  it.each(["worker", "server"])(
    "%s has options that exist, and names pods, ports and volumes that exist",
    async (name) => {
      const pod = podOf("Deployment", name);
      const [container] = pod?.containers ?? [];
      const args = container?.args ?? [];
      await expectOptions(args);
      expect(hostsOf(args)).toEqual(nodes);
      expect(named("Service", name)?.spec.ports?.map(({ port }) => port)).toEqual(
        container?.ports.map(({ containerPort }) => containerPort),
      );
      expect(named("Service", name)?.spec.selector).toEqual(named("Deployment", name)?.spec.template?.metadata.labels);
      const there = pod?.volumes?.map((volume) => volume.name) ?? [];
      expect(there).toEqual(expect.arrayContaining(container?.volumeMounts.map((mount) => mount.name) ?? []));
      for (const { persistentVolumeClaim: claim } of pod?.volumes ?? [])
        if (claim !== undefined) expect(named("PersistentVolumeClaim", claim.claimName)).toBeDefined();
      expect(container?.envFrom?.map(({ secretRef }) => secretRef.name)).toEqual(["faultline-database"]);
    },
  );

  it("gives a worker more time to stop than it drains, and Restate a name for all workers", () => {
    const pod = podOf("Deployment", "worker");
    const args = pod?.containers[0]?.args ?? [];
    expect((pod?.terminationGracePeriodSeconds ?? 0) * 1000).toBeGreaterThan(toMs(valueOf(args, "--drain")));
    const { hostname, port } = new URL(valueOf(args, "--advertise"));
    expect(named("Service", hostname)?.spec.ports).toEqual([{ name: "restate", port: Number(port) }]);
  });

  it("starts three nodes of the Restate that is tested here", () => {
    const set = named("StatefulSet", "restate")?.spec;
    const [container] = set?.template?.spec.containers ?? [];
    expect([set?.replicas, set?.serviceName, container?.image]).toEqual([3, "restate", RESTATE_IMAGE]);
    const environment = Object.fromEntries(
      container?.env?.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])) ?? [],
    );
    expectSettings(
      { ...environment, RESTATE_NODE_NAME: "restate-0", RESTATE_ADVERTISED_ADDRESS: "http://restate-0.restate:5122" },
      nodes,
    );
    expect(container?.volumeMounts.map(({ name }) => name)).toEqual(
      set?.volumeClaimTemplates?.map(({ metadata }) => metadata.name),
    );
  });
});
