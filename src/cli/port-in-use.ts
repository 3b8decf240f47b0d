// What a command says when it cannot listen because another program has its port.

import { isFaultError } from "../core/index.ts";
import { UsageError } from "./io.ts";

/** null: something else went wrong. `option` is the one that chooses another port. */
export function portInUse(error: unknown, port: number, option = "--port"): UsageError | null {
  const cause = isFaultError(error) ? error.cause : error;
  if (!(cause instanceof Error && "code" in cause && cause.code === "EADDRINUSE")) return null;
  const said = {
    "en": `Port ${port} is in use. Stop the program that uses it, or choose another port with ${option}.`,
    "zh-CN": `端口 ${port} 已被占用。请停止占用它的程序，或用 ${option} 选择其他端口。`,
  };
  return new UsageError(said, "failed", { cause: error });
}
