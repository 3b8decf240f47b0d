// What the server was told at its start, and who may use it; never a secret.

import { z } from "zod";
import { ROLES } from "./route.ts";
import { instant } from "./shapes.ts";

export const role = z.enum(ROLES as readonly ["viewer", "operator"]);

export const tokenView = z
  .object({ name: z.string(), role, createdAt: instant, isYours: z.boolean() })
  .meta({ id: "Token" });

export const settings = z
  .object({
    version: z.string(),
    url: z.string().describe("The address under which people reach the server."),
    journal: z.string().describe("The name of the journal's file, without its folder."),
    drives: z.boolean().describe("Whether it advances runs."),
    notices: z.object({
      about: z.array(z.enum(["needs-you", "run-failed", "breaker-opened", "budget-low"])),
      webhook: z
        .object({ origin: z.string().describe("The rest of the address may hold a secret.") })
        .nullable()
        .describe("Where notices are posted to."),
      command: z
        .object({ program: z.string().describe("Without its folder and its arguments.") })
        .nullable()
        .describe("What is run for each notice."),
    }),
  })
  .meta({ id: "Settings" });
