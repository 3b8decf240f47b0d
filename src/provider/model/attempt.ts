// One attempt at a model, whole or streamed. A program that never asks a model does not load this.

export { generate } from "./generate.ts";
export { stream } from "./stream.ts";
