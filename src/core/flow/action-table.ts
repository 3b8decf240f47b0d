// The page about actions, generated from the tables: their names, when they are offered, and what they do.

import type { Locale } from "../fault/words/words.ts";
import { ACTION_IDS, type ActionFacts, actionWords } from "./action-words.ts";
import { type ActionRow, ACTIONS } from "./action.ts";

/** As a table in Markdown. */
export function actionTable(locale: Locale = "en"): string {
  const { heads, needs } = TABLE_WORDS[locale];
  const rows = ACTION_IDS.map((id) => {
    const { label, when, redoes, keeps } = actionWords(id, locale);
    return [`${label} (\`${id}\`)`, when, redoes(EXAMPLE), keeps(EXAMPLE), needs[ACTIONS[id].needs]];
  });
  return [heads, heads.map(() => "---"), ...rows].map((cells) => `| ${cells.map(safe).join(" | ")} |\n`).join("");
}

function safe(cell: string): string {
  return cell.replaceAll("|", "\\|");
}

interface TableWords {
  readonly heads: readonly string[];
  readonly needs: Readonly<Record<ActionRow["needs"], string>>;
}

/** A run in the middle of its work, so that the sentences have something to say. */
const EXAMPLE: ActionFacts = {
  node: "reviewer",
  attempt: 2,
  backTo: "coder",
  finished: ["coder"],
  isSuccessor: false,
  target: "",
  variable: "",
};

const TABLE_WORDS: Readonly<Record<Locale, TableWords>> = {
  "en": {
    heads: ["action", "offered when", "repeats", "keeps", "needs"],
    needs: {
      nothing: "nothing",
      text: "a text",
      target: "one of the node's other providers",
      limits: "the new limit",
      answer: "the answer",
      commands: "the commands to allow",
      tools: "the tools to allow",
      grant: "the commands or tools to allow",
    },
  },
  "zh-CN": {
    heads: ["操作", "何时提供", "重做什么", "保留什么", "需要什么"],
    needs: {
      nothing: "无",
      text: "一段文字",
      target: "该节点的另一个服务商",
      limits: "新的上限",
      answer: "答复",
      commands: "要允许的命令",
      tools: "要允许的工具",
      grant: "要允许的命令或工具",
    },
  },
};
