import type { Rule } from "eslint";

export declare const catchTells: Rule.RuleModule;
