// What a model can or cannot do, as words: requests need some of them, targets have some of them.

export const CAPABILITIES = [
  "tools", //       takes tool definitions and calls them
  "vision", //      images in
  "files", //       documents in, such as PDF
  "audio", //       sound in
  "video", //       moving pictures in
  "streaming", //   answers piece by piece
  "json-schema", // an answer held to a schema
  "reasoning", //   thinks before it answers
  "prefill", //     goes on with a last message of the assistant
] as const;

export type Capability = (typeof CAPABILITIES)[number];

/** A file kept at one vendor under an id of its own: nobody else can open it. */
export function filesAt(namespace: string): string {
  return `files-at:${namespace}`;
}
