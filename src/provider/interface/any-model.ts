// Models of AI SDK 5, 6 and 7 have the interfaces v2, v3 and v4. Chains work with v4. Older models are adapted on their way in, and the
// chain is adapted on its way out to the oldest interface among its models: every AI SDK accepts its own interface and older ones, so
// the one that made the models accepts the chain.

import type { LanguageModelV2, LanguageModelV3, LanguageModelV4 } from "@ai-sdk/provider";
import { type Step, V2_AS_V3, V3_AS_V2 } from "./between-v2-and-v3.ts";
import { V3_AS_V4, V4_AS_V3 } from "./between-v3-and-v4.ts";

/** A language model of AI SDK 5, 6 or 7. */
export type AnyLanguageModel = LanguageModelV2 | LanguageModelV3 | LanguageModelV4;

export const INTERFACES = ["v2", "v3", "v4"] as const;
export type Interface = (typeof INTERFACES)[number];

export function isInterface(version: string): version is Interface {
  return INTERFACES.some((known) => known === version);
}

/** The same model gives the same adapted model, so that a chain sees that it lists a model twice. */
const ADAPTED = new WeakMap<object, LanguageModelV4>();

/** The model with the interface v4. */
export function asLatest(model: AnyLanguageModel): LanguageModelV4 {
  if (model.specificationVersion === "v4") return model;
  const known = ADAPTED.get(model);
  if (known !== undefined) return known;
  const steps = model.specificationVersion === "v2" ? [V2_AS_V3, V3_AS_V4] : [V3_AS_V4];
  const adapted = steps.reduce<object>(adapt, model) as LanguageModelV4;
  ADAPTED.set(model, adapted);
  return adapted;
}

/** A model with the interface v4 for programs that expect an older one. */
export function asInterface(model: LanguageModelV4, version: Interface): AnyLanguageModel {
  const steps = { v4: [], v3: [V4_AS_V3], v2: [V4_AS_V3, V3_AS_V2] }[version];
  return steps.reduce<object>(adapt, model) as AnyLanguageModel;
}

/** v4 for a chain without models. */
export function oldestInterface(models: readonly AnyLanguageModel[]): Interface {
  const found = models.map(({ specificationVersion }) => specificationVersion);
  return INTERFACES.find((version) => found.includes(version)) ?? "v4";
}

interface Answer {
  readonly content: readonly Part[];
  readonly finishReason: unknown;
  readonly usage: unknown;
  readonly warnings: readonly never[];
}

interface Part {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Everything that is not part of a call, such as its settings, is read from the model itself. */
function adapt(model: object, step: Step): object {
  const { doGenerate, doStream } = model as Record<"doGenerate" | "doStream", (options: object) => Promise<never>>;
  const adapted = {
    specificationVersion: step.version,
    doGenerate: async (options: object): Promise<object> => {
      const answer: Answer = await doGenerate.call(model, step.request(options as never));
      return {
        ...answer,
        ...ended(answer, step),
        content: answer.content.map(step.part).filter((part) => part !== null),
        warnings: answer.warnings.map(step.warning),
      };
    },
    doStream: async (options: object): Promise<object> => {
      const answer: { readonly stream: ReadableStream<Part> } = await doStream.call(
        model,
        step.request(options as never),
      );
      return { ...answer, stream: answer.stream.pipeThrough(streamed(step)) };
    },
  };
  return new Proxy(model, {
    get: (target, field): unknown =>
      Object.hasOwn(adapted, field) ? Reflect.get(adapted, field) : Reflect.get(target, field, target),
  });
}

function streamed(step: Step): TransformStream<Part, object> {
  return new TransformStream({
    transform: (part, controller) => {
      const given = step.part(part);
      if (given === null) return;
      if (part.type === "finish") controller.enqueue({ ...given, ...ended(part as never, step) });
      else if (part.type === "stream-start")
        controller.enqueue({ ...given, warnings: (part["warnings"] as readonly never[]).map(step.warning) });
      else controller.enqueue(given);
    },
  });
}

function ended({ finishReason, usage }: Pick<Answer, "finishReason" | "usage">, step: Step): object {
  return { finishReason: step.finishReason(finishReason as never), usage: step.usage(usage as never) };
}
