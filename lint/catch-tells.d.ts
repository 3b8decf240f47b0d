import type { RuleTester } from "oxlint/plugins-dev";

export declare const catchTells: Parameters<RuleTester["run"]>[1];
