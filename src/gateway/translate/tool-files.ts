// Pictures and files in the results of tools, for targets whose results are text only: they follow in a message of the user. As text they would
// be long, and no model could see them. Pure.

import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
} from "@ai-sdk/provider";

type ToolMessage = Extract<LanguageModelV4Message, { readonly role: "tool" }>;

export function withFilesBeside(prompt: LanguageModelV4Prompt): LanguageModelV4Prompt {
  return prompt.flatMap((message): LanguageModelV4Message[] => {
    if (message.role !== "tool") return [message];
    const files: LanguageModelV4FilePart[] = [];
    const content = message.content.map((part) => (part.type === "tool-result" ? withoutFiles(part, files) : part));
    return files.length === 0
      ? [message]
      : [{ ...message, content } satisfies ToolMessage, { role: "user", content: files }];
  });
}

function withoutFiles(
  result: LanguageModelV4ToolResultPart,
  files: LanguageModelV4FilePart[],
): LanguageModelV4ToolResultPart {
  const { output } = result;
  if (output.type !== "content") return result;
  const value = output.value.map((part) => {
    if (part.type !== "file") return part;
    files.push({ type: "file", data: part.data, mediaType: part.mediaType });
    return { type: "text" as const, text: `(${part.mediaType}: in the next message)` };
  });
  return { ...result, output: { ...output, value } };
}
