// A conversation as one text, for an agent that takes no messages: the instructions and the question, what earlier targets said and
// did so far, and what was wrong with it.

import type { LanguageModelV4Message } from "@ai-sdk/provider";

export function conversationText(messages: readonly LanguageModelV4Message[]): string {
  return messages
    .flatMap(linesOf)
    .filter((text) => text.trim() !== "")
    .join("\n\n");
}

function linesOf(message: LanguageModelV4Message): readonly string[] {
  switch (message.role) {
    case "system":
      return [message.content];
    case "user":
      return message.content.map((part) => (part.type === "text" ? part.text : ""));
    case "assistant":
      return message.content.map((part) => {
        if (part.type === "text") return part.text === "" ? "" : `This was answered so far:\n\n${part.text}`;
        return part.type === "tool-call" ? `The tool ${part.toolName} was called with ${inJson(part.input)}.` : "";
      });
    case "tool":
      return message.content.map((part) =>
        part.type === "tool-result" ? `The tool ${part.toolName} gave:\n\n${resultText(part.output)}` : "",
      );
  }
}

type ToolMessage = Extract<LanguageModelV4Message, { role: "tool" }>;
type ToolOutput = Extract<ToolMessage["content"][number], { type: "tool-result" }>["output"];

function resultText(output: ToolOutput): string {
  return output.type === "text" ? output.value : inJson("value" in output ? output.value : null);
}

function inJson(value: unknown): string {
  return JSON.stringify(value ?? null);
}
