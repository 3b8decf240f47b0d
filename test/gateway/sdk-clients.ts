// The official SDKs as clients of a gateway: each asks with tools, reads the calls, and sends their results back in a second request.

import Anthropic from "@anthropic-ai/sdk";
import { type FunctionCall, GoogleGenAI, type Part } from "@google/genai";
import OpenAI from "openai";
import type { Protocol } from "../../src/provider/wire/protocol.ts";

export interface CalledTool {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

export interface TwoTurns {
  readonly calls: readonly CalledTool[];
  readonly text: string;
}

export interface ToolAsking {
  readonly streaming: boolean;
  readonly resultOf: (call: CalledTool) => string;
}

export const KEY_OF_CLIENT = "client-key-that-must-stay-here";
const SYSTEM = "You are a clerk.";
const QUESTION = "What is the weather in Oslo and in Lima?";
const TOOL = "weather";
const SCHEMA = {
  type: "object" as const,
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};
const NO_RETRIES = { apiKey: KEY_OF_CLIENT, maxRetries: 0 };

async function chat(url: string, { streaming, resultOf }: ToolAsking): Promise<TwoTurns> {
  const client = new OpenAI({ ...NO_RETRIES, baseURL: `${url}/v1` });
  const tools = [{ type: "function" as const, function: { name: TOOL, parameters: SCHEMA } }];
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: "system", content: SYSTEM },
    { role: "user", content: QUESTION },
  ];
  const ask = async (): Promise<OpenAI.ChatCompletionMessage> => {
    const body = { model: "team", messages, tools };
    const answer = streaming
      ? await client.chat.completions.stream(body).finalChatCompletion()
      : await client.chat.completions.create(body);
    const [choice] = answer.choices;
    if (choice === undefined) throw new Error("no choice");
    return choice.message;
  };
  const first = await ask();
  const calls = (first.tool_calls ?? []).flatMap((call) =>
    call.type === "function"
      ? [{ id: call.id, name: call.function.name, input: JSON.parse(call.function.arguments) as unknown }]
      : [],
  );
  messages.push(
    first,
    ...calls.map((call) => ({ role: "tool" as const, tool_call_id: call.id, content: resultOf(call) })),
  );
  return { calls, text: (await ask()).content ?? "" };
}

async function responses(url: string, { streaming, resultOf }: ToolAsking): Promise<TwoTurns> {
  const client = new OpenAI({ ...NO_RETRIES, baseURL: `${url}/v1` });
  const tools = [{ type: "function" as const, name: TOOL, parameters: SCHEMA, strict: false }];
  const input: OpenAI.Responses.ResponseInput = [{ role: "user", content: QUESTION }];
  const ask = async (): Promise<OpenAI.Responses.Response> => {
    const body = { model: "team", instructions: SYSTEM, input, tools, store: false };
    return streaming ? client.responses.stream(body).finalResponse() : client.responses.create(body);
  };
  const { output } = await ask();
  const asked = output.filter((item) => item.type === "function_call");
  const calls = asked.map((item) => ({
    id: item.call_id,
    name: item.name,
    input: JSON.parse(item.arguments) as unknown,
  }));
  input.push(
    ...asked.map(({ call_id, name, arguments: given }) => ({
      type: "function_call" as const,
      call_id,
      name,
      arguments: given,
    })),
    ...calls.map((call) => ({ type: "function_call_output" as const, call_id: call.id, output: resultOf(call) })),
  );
  return { calls, text: (await ask()).output_text };
}

async function messages(url: string, { streaming, resultOf }: ToolAsking): Promise<TwoTurns> {
  const client = new Anthropic({ ...NO_RETRIES, baseURL: url });
  const tools = [{ name: TOOL, input_schema: SCHEMA }];
  const history: Anthropic.MessageParam[] = [{ role: "user", content: QUESTION }];
  const ask = async (): Promise<Anthropic.Message> => {
    const body = { model: "team", max_tokens: 500, system: SYSTEM, messages: history, tools };
    return streaming ? client.messages.stream(body).finalMessage() : client.messages.create(body);
  };
  const first = await ask();
  const calls = first.content.filter((block) => block.type === "tool_use");
  history.push(
    { role: "assistant", content: first.content },
    {
      role: "user",
      content: calls.map((call) => ({ type: "tool_result" as const, tool_use_id: call.id, content: resultOf(call) })),
    },
  );
  const text = (await ask()).content.map((block) => (block.type === "text" ? block.text : "")).join("");
  return { calls: calls.map(({ id, name, input }) => ({ id, name, input })), text };
}

async function google(url: string, { streaming, resultOf }: ToolAsking): Promise<TwoTurns> {
  const client = new GoogleGenAI({ apiKey: KEY_OF_CLIENT, httpOptions: { baseUrl: url } });
  const tools = [{ functionDeclarations: [{ name: TOOL, parametersJsonSchema: SCHEMA }] }];
  const contents: { role: string; parts: Part[] }[] = [{ role: "user", parts: [{ text: QUESTION }] }];
  const ask = async (): Promise<{ readonly calls: readonly FunctionCall[]; readonly text: string }> => {
    const body = { model: "team", contents, config: { tools, systemInstruction: SYSTEM } };
    if (!streaming) {
      const answer = await client.models.generateContent(body);
      return { calls: answer.functionCalls ?? [], text: answer.text ?? "" };
    }
    const [calls, texts]: [FunctionCall[], string[]] = [[], []];
    for await (const piece of await client.models.generateContentStream(body)) {
      calls.push(...(piece.functionCalls ?? []));
      texts.push(piece.text ?? "");
    }
    return { calls, text: texts.join("") };
  };
  const first = await ask();
  const calls = first.calls.map(({ id = "", name = "", args }) => ({ id, name, input: args }));
  contents.push(
    { role: "model", parts: first.calls.map((functionCall) => ({ functionCall })) },
    {
      role: "user",
      parts: calls.map((call) => ({
        functionResponse: {
          name: call.name,
          ...(call.id === "" ? {} : { id: call.id }),
          response: { output: resultOf(call) },
        },
      })),
    },
  );
  return { calls, text: (await ask()).text };
}

export const SDK_CLIENTS: Readonly<Record<Protocol, (url: string, asking: ToolAsking) => Promise<TwoTurns>>> = {
  "openai-chat": chat,
  "openai-responses": responses,
  "anthropic-messages": messages,
  "google-generate": google,
};
