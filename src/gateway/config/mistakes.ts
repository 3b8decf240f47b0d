// The mistakes in a gateway file that its schema cannot see: code, severity, and the words in each language. Codes are stable, because
// people search for them.

import type { Locale } from "../../core/index.ts";
import { ISSUE_WORDS } from "../../yaml-file/issue-words.ts";

/** What each mistake needs to know. */
export interface GatewayMistakeFacts {
  readonly "key-not-set": { readonly variable: string; readonly target: string };
  readonly "unusable-key": { readonly variable: string };
  /** `variable`: the one that is not set; null when none is named. */
  readonly "no-client-key": { readonly client: string; readonly variable: string | null };
  readonly "same-client-key": { readonly client: string; readonly other: string };
  readonly "no-target-in-regions": { readonly client: string; readonly regions: readonly string[] };
  readonly "unknown-target": Unknown;
  readonly "unknown-route": Unknown;
  readonly "none-continues": { readonly route: string };
  readonly "no-price": { readonly target: string; readonly model: string; readonly clients: readonly string[] };
}

interface Unknown {
  readonly written: string;
  readonly near: string | null;
  readonly known: readonly string[];
}

export type GatewayMistakeKind = keyof GatewayMistakeFacts;

interface MistakeText {
  readonly message: string;
  readonly label: string;
  readonly help: string;
}

type MistakeRows = {
  readonly [Kind in GatewayMistakeKind]: {
    readonly code: string;
    readonly severity: "error" | "warning";
    readonly says: Readonly<Record<Locale, (facts: GatewayMistakeFacts[Kind]) => MistakeText>>;
  };
};

export const MISTAKES: MistakeRows = {
  "key-not-set": {
    code: "GW101",
    severity: "error",
    says: {
      "en": ({ variable, target }) => ({
        message: `the environment variable ${variable} is not set, so target ${target} has no key`,
        label: "not set",
        help: "Set it, or name another one.",
      }),
      "zh-CN": ({ variable, target }) => ({
        message: `环境变量 ${variable} 未设置，因此目标 ${target} 没有密钥`,
        label: "未设置",
        help: "请设置它，或改用另一个变量。",
      }),
    },
  },
  "unusable-key": {
    code: "GW105",
    severity: "error",
    says: {
      "en": ({ variable }) => ({
        message: `the environment variable ${variable} has a line break or another character that no key has`,
        label: "not a key",
        help: "Set it without that character.",
      }),
      "zh-CN": ({ variable }) => ({
        message: `环境变量 ${variable} 含有换行符，或密钥中不会出现的字符`,
        label: "不是密钥",
        help: "请去掉该字符后重新设置。",
      }),
    },
  },
  "no-client-key": {
    code: "GW102",
    severity: "error",
    says: {
      "en": ({ client, variable }) => ({
        message: variable === null ? `key ${client} has no value` : `the environment variable ${variable} is not set`,
        label: "no key",
        help: "Give it key_env with a variable that is set, or key_sha256.",
      }),
      "zh-CN": ({ client, variable }) => ({
        message: variable === null ? `密钥 ${client} 没有值` : `环境变量 ${variable} 未设置`,
        label: "没有密钥",
        help: "请用 key_env 指定一个已设置的变量，或写 key_sha256。",
      }),
    },
  },
  "same-client-key": {
    code: "GW108",
    severity: "error",
    says: {
      "en": ({ client, other }) => ({
        message: `keys ${other} and ${client} have the same secret, so the gateway cannot tell them apart`,
        label: `the secret of ${other}`,
        help: "Give each key a secret of its own, or remove one of the two.",
      }),
      "zh-CN": ({ client, other }) => ({
        message: `密钥 ${other} 与 ${client} 的值相同，网关无法区分它们`,
        label: `与 ${other} 相同`,
        help: "请为每个密钥设置各自的值，或删除其中一个。",
      }),
    },
  },
  "no-target-in-regions": {
    code: "GW109",
    severity: "warning",
    says: {
      "en": ({ client, regions }) => ({
        message: `key ${client} may use no target: none that it can reach has \`region: ${regions.join("` or `")}\``,
        label: "no target there",
        help: "Set `region` for a target of its routes, or change `regions`.",
      }),
      "zh-CN": ({ client, regions }) => ({
        message: `密钥 ${client} 没有可用的目标：它能到达的目标都没有设置 \`region: ${regions.join("` 或 `")}\``,
        label: "没有这样的目标",
        help: "请为其路由的某个目标设置 `region`，或修改 `regions`。",
      }),
    },
  },
  "unknown-target": {
    code: "GW103",
    severity: "error",
    says: {
      "en": ({ written, ...names }) => ({
        message: `there is no target \`${written}\``,
        ...hintOf(names, "en", "no such target"),
      }),
      "zh-CN": ({ written, ...names }) => ({
        message: `没有目标 \`${written}\``,
        ...hintOf(names, "zh-CN", "没有这个目标"),
      }),
    },
  },
  "unknown-route": {
    code: "GW104",
    severity: "error",
    says: {
      "en": ({ written, ...names }) => ({
        message: `there is no route \`${written}\``,
        ...hintOf(names, "en", "no such route"),
      }),
      "zh-CN": ({ written, ...names }) => ({
        message: `没有路由 \`${written}\``,
        ...hintOf(names, "zh-CN", "没有这个路由"),
      }),
    },
  },
  "none-continues": {
    code: "GW107",
    severity: "warning",
    says: {
      "en": ({ route }) => ({
        message: `no target of route \`${route}\` continues a text, so a stream that breaks ends with an error`,
        label: "no target continues",
        help: "Set `continues: true` for a target that takes the beginning of an answer as its last message.",
      }),
      "zh-CN": ({ route }) => ({
        message: `路由 \`${route}\` 的目标都不能继续文本，因此中断的流以错误结束`,
        label: "没有能继续的目标",
        help: "请为能够接受以助手消息结尾的请求的目标设置 `continues: true`。",
      }),
    },
  },
  "no-price": {
    code: "GW106",
    severity: "warning",
    says: {
      "en": ({ target, model, clients }) => ({
        message: `no price is known for \`${target}/${model}\`, so it does not answer keys with a budget (${clients.join(", ")})`,
        label: "no price",
        help: `State the price under targets.${target}.prices, or set \`unpriced: allow\` for the key.`,
      }),
      "zh-CN": ({ target, model, clients }) => ({
        message: `\`${target}/${model}\` 没有已知价格，因此不答复有预算的密钥（${clients.join("、")}）`,
        label: "没有价格",
        help: `请在 targets.${target}.prices 下写明价格，或为该密钥设置 \`unpriced: allow\`。`,
      }),
    },
  },
};

/** The nearest name that exists, or all of them. */
function hintOf(
  { near, known }: Omit<Unknown, "written">,
  locale: Locale,
  otherwise: string,
): Pick<MistakeText, "label" | "help"> {
  const words = ISSUE_WORDS[locale];
  return {
    label: near === null ? otherwise : words.didYouMean(near),
    help: known.length === 0 ? "" : words.knownHere(known),
  };
}
