// What the compiler must know of tools for the AI SDK: a set fits `generateText`, whatever its tools were made with. Checked by `tsc`,
// never run.

import {
  type Agent,
  generateText,
  type LanguageModel,
  streamText,
  tool as aiTool,
  ToolLoopAgent,
  type ToolSet,
} from "ai";
import { expectTypeOf } from "vitest";
import { z } from "zod";
import { type Faultline, tool } from "../../src/index.ts";

declare const fl: Faultline;
declare const model: LanguageModel;

const search = tool({ id: "search", input: z.object({ to: z.string() }), run: ({ to }) => [{ to, price: 180 }] });
const weather = aiTool({ inputSchema: z.object({ city: z.string() }), execute: ({ city }) => `sunny in ${city}` });

const tools = fl.aiTools({ search, weather }, { settings: { weather: { idempotent: true } } });
expectTypeOf(tools).toExtend<ToolSet>();
expectTypeOf(tools.weather).toEqualTypeOf(weather);
expectTypeOf(tools.search.execute).returns.resolves.toEqualTypeOf<{ to: string; price: number }[]>();

const result = await generateText({ model, tools, prompt: "go" });
for (const { toolName } of result.toolCalls) expectTypeOf(toolName).toExtend<string>();
streamText({ model, tools, prompt: "go" });
expectTypeOf(new ToolLoopAgent({ model, tools })).toExtend<Agent<never, typeof tools>>();

// @ts-expect-error There is no such tool in the set.
fl.aiTools({ search }, { settings: { weather: { idempotent: true } } });
// @ts-expect-error A function is not a tool.
fl.aiTools({ search: () => 1 });
