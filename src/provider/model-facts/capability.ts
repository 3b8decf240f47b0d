// Names for what a model can do. Requests need some of these capabilities; targets have some of them.

export const CAPABILITIES = [
  "tools", //       accepts tool definitions and calls tools
  "vision", //      accepts images
  "files", //       accepts documents such as PDF
  "audio", //       accepts audio
  "video", //       accepts video
  "streaming", //   streams its answer
  "json-schema", // answers in JSON that follows a schema
  "reasoning", //   thinks before it answers
  "prefill", //     continues the last assistant message
] as const;

export type Capability = (typeof CAPABILITIES)[number];

/** The capability to open files stored at one vendor. No other vendor can open them. */
export function filesAt(namespace: string): string {
  return `files-at:${namespace}`;
}
