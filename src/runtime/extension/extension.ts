// Extensions: how one is declared, and how a set of them is started and stopped. Holds these:
// E1  Names, contract versions and dependencies are checked before any set-up runs.
// E2  An extension is set up after all it requires, in the order of declaration among equals, and one at a time.
// E3  When a set-up fails or hangs, those before it are disposed of in reverse order, and the start fails.
// E4  Stopping goes in reverse order and reaches every extension: one that fails or hangs is reported, never thrown.

import { classify } from "../../core/classify/classify.ts";
import { fault, type Fault, type FaultContext, FaultError } from "../../core/fault/fault.ts";
import type { FaultCode } from "../../core/fault/catalogue.ts";
import type { Redactor } from "../../core/fault/redact.ts";
import { anything, callable, checkMembers, listOf, required, shape, text } from "../../options/check-options.ts";
import type { Clock } from "../../host/clock.ts";
import { type ExtensionHost, untilClosed } from "./extension-host.ts";

/** Which promises between Faultline and extensions this release keeps. */
export const EXTENSION_CONTRACT = 1;

/** How long a set-up, and a disposal, may take. */
export const LIFECYCLE_TIMEOUT_MS = 30_000;

/** Options of `defineExtension`. */
export interface ExtensionOptions {
  /** Names the extension in messages and records. */
  readonly name: string;
  /** The contract it was written for: `EXTENSION_CONTRACT` of that release. */
  readonly contractVersion: number;
  /** Names of extensions that must be set up before it. */
  readonly requires?: readonly string[];
  /** Called once, with the host to register things at. */
  setup(host: ExtensionHost): void | Promise<void>;
  /** Called when the runtime closes. */
  dispose?(): void | Promise<void>;
}

/** An extension, as `defineExtension` makes it. */
export interface Extension {
  readonly name: string;
  readonly contractVersion: number;
  readonly requires: readonly string[];
  setup(host: ExtensionHost): void | Promise<void>;
  dispose(): void | Promise<void>;
}

export interface ExtensionDeps {
  readonly clock: Clock;
  /** A failing set-up is thrown to the program, which may print it. */
  readonly redactor: Redactor;
  /** Called with failures that are passed over, and why. Must not throw. */
  readonly suppress: (fault: Fault, reason: string) => void;
  /** Called when an extension has been started or stopped. */
  readonly tell?: (event: { readonly type: "extension-started" | "extension-stopped"; readonly name: string }) => void;
}

export interface StartedExtensions {
  /** Resolves when all are stopped; calling it again waits for the same. */
  stop(): Promise<void>;
}

const EXTENSION_OPTIONS = shape<ExtensionOptions>({
  name: required(text),
  contractVersion: anything, // its own check says which contract this release keeps
  requires: listOf(text),
  setup: required(callable),
  dispose: callable,
});

/** Makes an extension: rules, tools, adapters and interactors that are set up together and disposed of together. */
export function defineExtension(options: ExtensionOptions): Extension {
  const {
    name,
    contractVersion,
    requires = [],
  } = checkMembers(`extension ${JSON.stringify(options.name)}`, options, EXTENSION_OPTIONS);
  return Object.freeze({
    name,
    contractVersion,
    requires,
    setup: (host: ExtensionHost) => options.setup(host),
    dispose: () => options.dispose?.(),
  });
}

export async function startExtensions(
  extensions: readonly ExtensionOptions[],
  makeHost: (name: string) => ExtensionHost,
  options: ExtensionDeps,
): Promise<StartedExtensions> {
  const { clock, redactor, suppress, tell = () => undefined } = options;
  const ordered = inOrder(extensions.map(defineExtension));
  const started: Extension[] = [];

  async function setUp(extension: Extension): Promise<void> {
    const contributions = untilClosed(makeHost(extension.name));
    const work = settled(() => extension.setup(contributions.host));
    const end = await inTime(work, clock);
    contributions.close();
    if (end === "hangs") {
      void work.then((late) => {
        if (late.ok) void dispose(extension);
        else suppress(lifecycleFailure(extension, "set-up", late.seen), "it had been given up before");
      });
      throw new FaultError(hanging(extension, "set-up"));
    }
    if (end.ok) return;
    const failure = redactor.value(lifecycleFailure(extension, "set-up", end.seen)) as Fault;
    throw new FaultError(failure, { cause: end.error });
  }

  /** Never rejects. */
  async function dispose(extension: Extension): Promise<void> {
    const work = settled(() => extension.dispose());
    const end = await inTime(work, clock);
    if (end === "hangs") {
      suppress(hanging(extension, "dispose"), GO_ON);
      void work.then((late) => {
        if (!late.ok) suppress(lifecycleFailure(extension, "dispose", late.seen), "it had been given up before");
      });
    } else if (!end.ok) suppress(lifecycleFailure(extension, "dispose", end.seen), GO_ON);
  }

  async function stopAll(): Promise<void> {
    for (const extension of started.toReversed()) {
      await dispose(extension);
      tell({ type: "extension-stopped", name: extension.name });
    }
  }

  for (const extension of ordered) {
    try {
      await setUp(extension);
    } catch (error) {
      await stopAll();
      throw error;
    }
    started.push(extension);
    tell({ type: "extension-started", name: extension.name });
  }
  let stopping: Promise<void> | null = null;
  return { stop: () => (stopping ??= stopAll()) };
}

const GO_ON = "the other extensions are stopped all the same";

type Phase = "set-up" | "dispose";
type End = { readonly ok: true } | { readonly ok: false; readonly error: unknown; readonly seen: Fault };

/** How the work ended, as a value: abandoned work must not end in an unhandled rejection. */
async function settled(work: () => void | Promise<void>): Promise<End> {
  try {
    await work();
    return { ok: true };
  } catch (error) {
    return { ok: false, error, seen: classify({ surface: "node", error }) };
  }
}

function inTime(work: Promise<End>, clock: Clock): Promise<End | "hangs"> {
  return new Promise((resolve) => {
    const stopTimer = clock.after(LIFECYCLE_TIMEOUT_MS, () => resolve("hangs"));
    void work.then((end) => {
      stopTimer();
      resolve(end);
    });
  });
}

function lifecycleFailure({ name }: Extension, phase: Phase, cause: Fault): Fault {
  return fault("LifecycleFailure", {
    message: `extension "${name}" failed in its ${phase}: ${cause.message}`,
    context: { extension: name, phase },
    cause,
  });
}

function hanging({ name }: Extension, phase: Phase): Fault {
  return fault("LifecycleFailure", {
    message: `the ${phase} of extension "${name}" had not ended after ${LIFECYCLE_TIMEOUT_MS / 1000} s and was given up`,
    context: { extension: name, phase, timeoutMs: LIFECYCLE_TIMEOUT_MS },
  });
}

/** Checks all extensions and sorts each after those it requires. */
function inOrder(extensions: readonly Extension[]): readonly Extension[] {
  const byName = new Map<string, Extension>();
  for (const extension of extensions) {
    const { name, contractVersion } = extension;
    const context = { extension: name };
    if (byName.has(name)) {
      throw refusal("ShapeInvalid", `two extensions are called "${name}": remove or rename one of them`, context);
    }
    if (contractVersion !== EXTENSION_CONTRACT) {
      throw refusal(
        "ContractVersionMismatch",
        `extension "${name}" is written for contract ${String(contractVersion)}, and this release of Faultline has contract ${EXTENSION_CONTRACT}: use a release of either that fits the other`,
        { ...context, contractVersion: String(contractVersion), expected: EXTENSION_CONTRACT },
      );
    }
    byName.set(name, extension);
  }
  for (const { name, requires } of extensions) {
    const missing = requires.find((required) => !byName.has(required));
    if (missing === undefined) continue;
    throw refusal("DependencyMissing", `extension "${name}" requires "${missing}", which is not there: add it`, {
      extension: name,
      requires: missing,
    });
  }

  const left = new Map(byName);
  const ordered: Extension[] = [];
  while (left.size > 0) {
    const next = [...left.values()].find(({ requires }) => !requires.some((name) => left.has(name)));
    if (next === undefined) throw ringAmong(left);
    left.delete(next.name);
    ordered.push(next);
  }
  return ordered;
}

/** Each of these requires another of them, so following that leads round. */
function ringAmong(left: ReadonlyMap<string, Extension>): FaultError {
  const path: string[] = [];
  let [at = ""] = left.keys();
  while (!path.includes(at)) {
    path.push(at);
    at = left.get(at)?.requires.find((name) => left.has(name)) ?? at;
  }
  const ring = [...path.slice(path.indexOf(at)), at].join(" → ");
  return refusal("DependencyCycle", `extensions require each other in a ring: ${ring}; break it at one place`, {
    ring,
  });
}

function refusal(code: FaultCode, message: string, context: FaultContext): FaultError {
  return new FaultError(fault(code, { message, context }));
}
