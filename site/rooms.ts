// The rooms of the site: where each page of docs/ stands, in the order of the sidebar. test/site.test.ts checks that every page has a place.

export const ROOMS = {
  "start": ["FAQ"],
  "concepts": ["GLOSSARY", "ARCHITECTURE", "MEASURES", "decisions/README"],
  "how-to": ["DROP-IN", "COMING-FROM", "TEST-YOUR-AGENT", "PRODUCTION", "SERVERLESS", "BUNDLERS", "TEAM", "DRILL"],
  "reference": [
    "LIBRARY",
    "RUNTIME",
    "PROVIDERS",
    "POLICY",
    "FAULTS",
    "MCP",
    "agent-clis",
    "WORKFLOWS",
    "WORKFLOW-FILE",
    "OUTCOMES",
    "CLI",
    "SERVER",
    "GATEWAY",
    "CHAOS",
    "CONFORMANCE",
  ],
  "operate": ["OPERATE", "DASHBOARD", "TELEMETRY", "SCALE"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

/** The place on the site of a file in docs/. Folders follow their index; what has no room of its own is reference. */
export function placeOf(name: string): string {
  const [folder = ""] = name.split("/");
  const stem = name.replace(/\.md$/, "");
  const room = Object.entries<readonly string[]>(ROOMS).find(
    ([, stems]) => stems.includes(stem) || stems.includes(`${folder}/README`),
  );
  return `${room?.[0] ?? "reference"}/${name}`;
}
