// Checks that the names in a file exist and its keys go together: agents, tools, providers, fault codes, commands, gates.

import { classify, FAULT_CODES, isFaultCode, traitsOf } from "../core/index.ts";
import { isRedoable } from "../core/flow/stage.ts";
import { parseTemplate } from "../sandbox/template.ts";
import { splitLine } from "../workflow-model/command-line.ts";
import type { Path } from "../yaml-file/locate.ts";
import { nearest } from "../options/nearest.ts";
import { type WorkflowFinding, finding, type MistakeKind, said } from "./codes.ts";
import type { WorkflowFile, WrittenAgent, WrittenNode, WrittenRetry, WrittenTool } from "./schema.ts";
import { checkDomains, checkProviders, readTargets } from "./targets.ts";

export function checkReferences(file: WorkflowFile, env: Env | null): readonly WorkflowFinding[] {
  const { agents = {}, tools = {}, providers = {} } = file;
  return [
    ...checkProviders(providers),
    ...Object.entries(agents).flatMap(([id, agent]) => checkAgent(id, agent, file, env)),
    ...Object.entries(tools).flatMap(([id, tool]) => [...checkTool(id, tool), ...checkAlternatives(id, tool, tools)]),
    ...Object.entries(file.nodes).flatMap(([id, node]) => checkNode(["nodes", id], node, file)),
    ...unused(file),
    ...(env === null ? [] : notSet(providers, env)),
  ];
}

export type Env = Readonly<Record<string, string | undefined>>;

function checkAgent(
  id: string,
  agent: WrittenAgent,
  { providers = {}, tools = {} }: WorkflowFile,
  env: Env | null,
): readonly WorkflowFinding[] {
  const path = ["agents", id];
  const named = (agent.tools ?? []).flatMap((name, index) =>
    unknown("unknown-tool", [...path, "tools", index], name, tools),
  );
  const { targets, findings } = readTargets(id, agent, providers);
  const hasModel = agent.cli === undefined || targets.some(({ kind }) => kind === "model");
  const own: readonly WorkflowFinding[] =
    hasModel || agent.tools === undefined
      ? named
      : [
          finding(
            "conflict",
            [...path, "tools"],
            `${said(path)} is a CLI, and CLIs bring their own tools`,
            "not for a CLI",
            "Delete `tools`, or use a model.",
            "key",
          ),
        ];
  // If a target is invalid, the chain is unknown.
  const shared = findings.length === 0 ? checkDomains(id, targets, env ?? {}) : [];
  return [...findings, ...shared, ...checkRetry([...path, "retry"], agent.retry), ...own];
}

function unknown(kind: MistakeKind, path: Path, name: string, held: object): readonly WorkflowFinding[] {
  if (Object.hasOwn(held, name)) return [];
  const known = Object.keys(held);
  const near = nearest(name, known);
  const word = kind === "unknown-tool" ? "tool" : "agent";
  return [
    finding(
      kind,
      path,
      `there is no ${word} \`${name}\``,
      near === null ? "does not exist" : `did you mean \`${near}\`?`,
      known.length === 0 ? `Add it under \`${word}s:\`.` : `There are: ${known.join(", ")}.`,
    ),
  ];
}

function checkRetry(path: Path, retry: WrittenRetry | undefined): readonly WorkflowFinding[] {
  return (retry?.on ?? []).flatMap((code, index) => {
    const place = [...path, "on", index];
    if (!isFaultCode(code)) {
      const near = nearest(code, FAULT_CODES);
      const label = near === null ? "not known" : `did you mean \`${near}\`?`;
      return [
        finding(
          "unknown-fault",
          place,
          `there is no fault \`${code}\``,
          label,
          "`faultline explain --list` lists all fault codes.",
        ),
      ];
    }
    if (isRedoable(code)) return [];
    const help = `Delete it; \`faultline explain ${code}\` says what can be done about it.`;
    return [finding("fatal-fault", place, `retrying does not help ${code}`, "fatal", help)];
  });
}

function checkTool(id: string, { command, mcp, tool }: WrittenTool): readonly WorkflowFinding[] {
  const path = ["tools", id];
  const clash = (message: string, label: string, help: string): readonly WorkflowFinding[] => [
    finding("conflict", path, message, label, help, "key"),
  ];
  if ((command === undefined) === (mcp === undefined)) {
    const which = command === undefined ? "neither `command` nor `mcp`" : "both `command` and `mcp`";
    return clash(
      `${said(path)} has ${which}`,
      "needs one",
      "Use `command:`, or `mcp:` with the server that has the tool.",
    );
  }
  if (mcp !== undefined && (mcp.command === undefined) === (mcp.url === undefined)) {
    const which = mcp.url === undefined ? "neither `command` nor `url`" : "both `command` and `url`";
    return clash(
      `${said([...path, "mcp"])} has ${which}`,
      "needs one",
      "Use the `command:` that starts the server, or its `url:`.",
    );
  }
  if (tool === undefined || mcp !== undefined) return [];
  return clash(`${said([...path, "tool"])} is for tools of an MCP server`, "not for a command", "Delete `tool`.");
}

function checkAlternatives(
  id: string,
  { alternatives = [], idempotent }: WrittenTool,
  tools: NonNullable<WorkflowFile["tools"]>,
): readonly WorkflowFinding[] {
  const path = ["tools", id, "alternatives"];
  const wrong = alternatives.flatMap((name, index) => {
    const place = [...path, index];
    if (name === id) {
      const help = "Name another tool. `max_attempts` says how often the same one is called.";
      return [finding("conflict", place, `\`${id}\` cannot be its own alternative`, "the tool itself", help)];
    }
    if (alternatives.indexOf(name) < index)
      return [finding("conflict", place, `\`${name}\` is named twice`, "the second", "Delete one of the two.")];
    return unknown("unknown-tool", place, name, tools);
  });
  if (alternatives.length === 0 || idempotent !== undefined) return wrong;
  return [...wrong, cannotBind(path, "tool")];
}

/** Reports before the run what the run would refuse. An explicit `idempotent`, true or false, silences it. */
function cannotBind(path: Path, what: "node" | "tool"): WorkflowFinding {
  const message = `${said(path)} has no effect after a failure that may have done its work: an exit code, a time limit, a crash`;
  const help = `Write \`idempotent: true\` if the ${what} may run twice without harm, or \`idempotent: false\` if this is meant.`;
  return finding("cannot-bind", path, message, "not after it ran", help, "key");
}

function checkNode(path: Path, node: WrittenNode, file: WorkflowFile): readonly WorkflowFinding[] {
  return [
    ...checkRetry([...path, "retry"], node.retry),
    ...checkBinding(path, node, file),
    ...checkKind(path, node, file),
  ];
}

/** Whether a node's declared retry would be refused, because its process has run. */
function checkBinding(path: Path, node: WrittenNode, { tools = {} }: WorkflowFile): readonly WorkflowFinding[] {
  const isRisky =
    (node.type === "command" && traitsOf(node.fails_as ?? "ExecutionFailed").mayHaveHappened) ||
    (node.type === "tool" && tools[node.tool]?.idempotent === undefined);
  if (!isRisky || node.idempotent !== undefined) return [];
  if (node.resolution === "retry-later") return [cannotBind([...path, "resolution"], "node")];
  const { max_attempts: attempts = 1, on = null } = node.retry ?? {};
  // A verdict that asks for another attempt means that the work is not done.
  const isAskedFor = node.assert?.some(({ verdict }) => verdict === "retry") ?? false;
  const isHarmless = on?.every((code) => isFaultCode(code) && !traitsOf(code).mayHaveHappened) ?? false;
  return attempts < 2 || isAskedFor || isHarmless ? [] : [cannotBind([...path, "retry"], "node")];
}

function checkKind(
  path: Path,
  node: WrittenNode,
  { agents = {}, tools = {} }: WorkflowFile,
): readonly WorkflowFinding[] {
  switch (node.type) {
    case "agent":
      return unknown("unknown-agent", [...path, "agent"], node.agent, agents);
    case "tool":
      return unknown("unknown-tool", [...path, "tool"], node.tool, tools);
    case "command":
      return checkCommand(path, node);
    case "human_gate":
      return checkGate(path, node);
    case "condition":
      return checkCondition(path, node);
    case "transform":
    case "parallel":
    case "merge":
      return [];
  }
}

function checkCommand(
  path: Path,
  { run, allow }: Extract<WrittenNode, { type: "command" }>,
): readonly WorkflowFinding[] {
  const lines = linesOf(run);
  const unfit = [
    ...(lines ?? []).flatMap((line, index) =>
      badLine(Array.isArray(run) ? [...path, "run", index] : [...path, "run"], line),
    ),
    ...(allow ?? []).flatMap((words, index) => badEntry([...path, "allow", index], words)),
  ];
  const isFixed = lines?.every((line) => parseTemplate(line).paths.length === 0) ?? false;
  if (isFixed || allow !== undefined) return unfit;
  const message = `the commands of ${said(path)} are only known when it runs, and any command may come`;
  const help = 'Add `allow:` with the commands that may run, such as `allow: ["npm test", "node --test *"]`.';
  return [...unfit, finding("no-allow-list", [...path, "run"], message, "needs `allow`", help, "key")];
}

/** null if an expression returns the commands. */
export function linesOf(run: Extract<WrittenNode, { type: "command" }>["run"]): readonly string[] | null {
  if (typeof run === "string") return [run];
  return Array.isArray(run) ? run : null;
}

/** Fills each {{ }} with a word: a value never spans several words. */
function badLine(path: Path, line: string): readonly WorkflowFinding[] {
  const { parts, problems } = parseTemplate(line);
  return problems.length > 0
    ? []
    : badWords(path, parts.map((part) => (typeof part === "string" ? part : "x")).join(""));
}

function badEntry(path: Path, words: string): readonly WorkflowFinding[] {
  if (
    !words
      .trim()
      .replace(/(?<=\S) \*$/, "")
      .includes("*")
  )
    return badWords(path, words.trim().replace(/ \*$/, ""));
  const message = `${said(path)} has a * that is not the last of several words`;
  const help = "Write the first words and then ` *`, as in `node --test *`; or the whole command.";
  return [finding("bad-command", path, message, "allows nothing", help)];
}

function badWords(path: Path, line: string): readonly WorkflowFinding[] {
  try {
    splitLine(line);
    return [];
  } catch (error) {
    const { message, context } = classify({ surface: "schema", error });
    const { command, why } = context;
    // The whole message also says what to do, as the help does here.
    const told =
      why === undefined ? message : `the command line ${JSON.stringify(command)} cannot be run: ${String(why)}`;
    const help =
      "Commands run without a shell. Quote special characters, or list several commands: `run: [npm ci, npm test]`.";
    return [finding("bad-command", path, told, "cannot be run", help)];
  }
}

function checkGate(
  path: Path,
  { ask = "Approve", options }: Extract<WrittenNode, { type: "human_gate" }>,
): readonly WorkflowFinding[] {
  if (ask === "Select" && options === undefined) {
    const help = "Add `options:` with an `id` and a `label` each.";
    return [
      finding("conflict", [...path, "ask"], `${said(path)} has no options to select from`, "needs `options`", help),
    ];
  }
  if (ask !== "Select" && options !== undefined) {
    const message = `${said([...path, "options"])} are for \`ask: Select\``;
    return [
      finding(
        "conflict",
        [...path, "options"],
        message,
        `not for ${ask}`,
        "Write `ask: Select`, or delete them.",
        "key",
      ),
    ];
  }
  return (options ?? []).flatMap(({ id }, index, all) => {
    if (all.findIndex((other) => other.id === id) === index) return [];
    const place = [...path, "options", index, "id"];
    return [finding("conflict", place, `two options have the id \`${id}\``, "the second", "Rename one of them.")];
  });
}

function checkCondition(path: Path, node: Extract<WrittenNode, { type: "condition" }>): readonly WorkflowFinding[] {
  const { cases } = node;
  const hasThen = node.then !== undefined;
  const hasElse = node.else !== undefined;
  if (cases !== undefined && (hasThen || hasElse)) {
    const message = `${said(path)} has \`cases\` beside \`then\` or \`else\``;
    return [finding("conflict", [...path, "cases"], message, "one too many", "Keep one of the two forms.", "key")];
  }
  if (cases !== undefined || (hasThen && hasElse)) return [];
  const lacks = hasThen ? "else" : "then";
  const message = `${said(path)} does not say where to go when it is ${hasThen ? "false" : "true"}`;
  const help = "Add `then:` and `else:`, or `cases:` with a node for each value; `end` is allowed.";
  return [finding("conflict", path, message, `needs \`${lacks}\``, help, "key")];
}

function unused(file: WorkflowFile): readonly WorkflowFinding[] {
  const { agents = {}, tools = {}, providers = {} } = file;
  const nodes = Object.values(file.nodes);
  const targets = Object.values(agents).flatMap(({ model, fallback = [] }) => [model, ...fallback]);
  const used = {
    agents: new Set(nodes.flatMap((node) => (node.type === "agent" ? [node.agent] : []))),
    tools: new Set([
      ...nodes.flatMap((node) => (node.type === "tool" ? [node.tool] : [])),
      ...Object.values(agents).flatMap((agent) => agent.tools ?? []),
      ...Object.values(tools).flatMap((tool) => tool.alternatives ?? []),
    ]),
    providers: new Set(targets.flatMap((target) => (typeof target === "string" ? [target.split("/")[0]] : []))),
  };
  return Object.entries({ agents, tools, providers }).flatMap(([section, held]) =>
    Object.keys(held)
      .filter((name) => !used[section as keyof typeof used].has(name))
      .map((name) =>
        finding(
          "unused",
          [section, name],
          `${section.slice(0, -1)} \`${name}\` is not used`,
          "not used",
          "Use it, or delete it.",
          "key",
        ),
      ),
  );
}

function notSet(providers: NonNullable<WorkflowFile["providers"]>, env: Env): readonly WorkflowFinding[] {
  return Object.entries(providers).flatMap(([name, { api_key_env: variable }]) => {
    if (variable === undefined || (env[variable] ?? "") !== "") return [];
    const path = ["providers", name, "api_key_env"];
    return [
      finding(
        "variable-not-set",
        path,
        `the environment variable ${variable} is not set`,
        "not set here",
        "Set it before a run is started.",
      ),
    ];
  });
}
