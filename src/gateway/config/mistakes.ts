// The mistakes in a gateway file that its schema cannot see: code, severity, and the words in each language. Codes are stable, because
// people search for them.

import type { Locale } from "../../core/index.ts";
import { ISSUE_WORDS } from "../../yaml-file/issue-words.ts";

/** What each mistake needs to know. */
export interface GatewayMistakeFacts {
  readonly "key-not-set": { readonly variable: string; readonly target: string; readonly isEmpty: boolean };
  readonly "unusable-key": { readonly variable: string };
  /** `variable`: the one that is not set or empty; null when none is named. */
  readonly "no-client-key": { readonly client: string; readonly variable: string | null; readonly isEmpty: boolean };
  readonly "key-as-variable": { readonly field: string };
  readonly "two-secrets": { readonly client: string };
  readonly "no-targets": Readonly<Record<string, never>>;
  readonly "address-with-path": { readonly target: string; readonly ending: string };
  readonly "address-with-query": { readonly target: string };
  readonly "address-with-password": { readonly target: string };
  readonly "price-pattern": { readonly model: string };
  readonly "no-model": { readonly target: string };
  readonly "hidden-route": { readonly route: string; readonly earlier: string };
  readonly "same-step": { readonly written: string };
  readonly "lone-hedge": { readonly route: string };
  readonly "unknown-provider": { readonly target: string; readonly provider: string; readonly near: string | null };
  readonly "empty-budget": { readonly client: string };
  /** Fields of a budget, in US dollars. */
  readonly "budget-above-longer": {
    readonly client: string;
    readonly field: string;
    readonly usd: number;
    readonly longer: string;
    readonly most: number;
  };
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
    /** The value may be a secret and is not shown. */
    readonly hides?: true;
    readonly says: Readonly<Record<Locale, (facts: GatewayMistakeFacts[Kind]) => MistakeText>>;
  };
};

export const MISTAKES: MistakeRows = {
  "key-not-set": {
    code: "GW101",
    severity: "error",
    says: {
      "en": ({ variable, target, isEmpty }) => ({
        message: `the environment variable ${variable} is ${isEmpty ? "empty" : "not set"}, so target ${target} has no key`,
        label: isEmpty ? "empty" : "not set",
        help: "Set it, name another one, or remove the target: a gateway starts only with all its keys.",
      }),
      "zh-CN": ({ variable, target, isEmpty }) => ({
        message: `环境变量 ${variable} ${isEmpty ? "为空" : "未设置"}，因此目标 ${target} 没有密钥`,
        label: isEmpty ? "为空" : "未设置",
        help: "请设置它、改用另一个变量，或删去该目标：密钥齐全时网关才会启动。",
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
      "en": ({ client, variable, isEmpty }) => ({
        message:
          variable === null
            ? `key ${client} has no value`
            : `the environment variable ${variable} is ${isEmpty ? "empty" : "not set"}`,
        label: "no key",
        help: "Give it key_env with a variable that is set, or key_sha256.",
      }),
      "zh-CN": ({ client, variable, isEmpty }) => ({
        message: variable === null ? `密钥 ${client} 没有值` : `环境变量 ${variable} ${isEmpty ? "为空" : "未设置"}`,
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
  "no-targets": {
    code: "GW110",
    severity: "error",
    says: {
      "en": () => ({
        message: "the file names no target, so no request can be answered",
        label: "no targets",
        help: "Add one: `targets: { openai: { dialect: openai-chat, base_url: https://api.openai.com/v1 } }`.",
      }),
      "zh-CN": () => ({
        message: "文件没有写任何目标，因此无法应答请求",
        label: "没有目标",
        help: "请加上一个：`targets: { openai: { dialect: openai-chat, base_url: https://api.openai.com/v1 } }`。",
      }),
    },
  },
  "key-as-variable": {
    code: "GW111",
    severity: "error",
    hides: true,
    says: {
      "en": ({ field }) => ({
        message: `\`${field}\` has a key instead of the name of an environment variable`,
        label: "not the name of a variable",
        help: "Put the key into an environment variable, and write the variable's name here. Replace the key at its vendor if this file was shared.",
      }),
      "zh-CN": ({ field }) => ({
        message: `\`${field}\` 中写的是密钥，而不是环境变量的名称`,
        label: "不是变量的名称",
        help: "请把密钥放进环境变量，这里只写变量的名称。如果此文件已被共享，请在服务商处更换密钥。",
      }),
    },
  },
  "two-secrets": {
    code: "GW112",
    severity: "error",
    says: {
      "en": ({ client }) => ({
        message: `key ${client} has both \`key_env\` and \`key_sha256\`, and they may differ`,
        label: "one too many",
        help: "Remove one of the two.",
      }),
      "zh-CN": ({ client }) => ({
        message: `密钥 ${client} 同时有 \`key_env\` 和 \`key_sha256\`，两者可能不同`,
        label: "多出一个",
        help: "请删除其中一个。",
      }),
    },
  },
  "address-with-path": {
    code: "GW113",
    severity: "error",
    says: {
      "en": ({ target, ending }) => ({
        message: `the address of target ${target} ends in \`${ending}\`, which the gateway adds by itself`,
        label: "added twice",
        help: `Remove \`${ending}\` from the address.`,
      }),
      "zh-CN": ({ target, ending }) => ({
        message: `目标 ${target} 的地址以 \`${ending}\` 结尾，而网关会自己加上它`,
        label: "会出现两次",
        help: `请从地址中删除 \`${ending}\`。`,
      }),
    },
  },
  "address-with-query": {
    code: "GW114",
    severity: "error",
    says: {
      "en": ({ target }) => ({
        message: `the address of target ${target} has a query or a fragment, which the gateway would not send`,
        label: "would be left out",
        help: "Remove everything from the `?` or `#` on.",
      }),
      "zh-CN": ({ target }) => ({
        message: `目标 ${target} 的地址带有查询或片段，网关不会发送它们`,
        label: "会被略去",
        help: "请删除 `?` 或 `#` 及其后的内容。",
      }),
    },
  },
  "address-with-password": {
    code: "GW115",
    severity: "error",
    hides: true,
    says: {
      "en": ({ target }) => ({
        message: `the address of target ${target} has a user name or a password, which the gateway would not send`,
        label: "would be left out",
        help: "Remove it, and name the variable that has the target's key under `api_key_env`.",
      }),
      "zh-CN": ({ target }) => ({
        message: `目标 ${target} 的地址带有用户名或密码，网关不会发送它们`,
        label: "会被略去",
        help: "请删除它，并在 `api_key_env` 中写上存有该目标密钥的变量的名称。",
      }),
    },
  },
  "price-pattern": {
    code: "GW116",
    severity: "error",
    says: {
      "en": ({ model }) => ({
        message: `the price pattern \`${model}\` never matches: \`*\` may be only its last character`,
        label: "never matches",
        help: "Write the beginning of the name followed by `*`, or whole names.",
      }),
      "zh-CN": ({ model }) => ({
        message: `价格模式 \`${model}\` 不会匹配任何名称：\`*\` 只能是最后一个字符`,
        label: "不会匹配",
        help: "请写名称的开头加 `*`，或写完整的名称。",
      }),
    },
  },
  "no-model": {
    code: "GW117",
    severity: "error",
    says: {
      "en": ({ target }) => ({
        message: `this entry names target ${target} and no model after the slash`,
        label: "no model",
        help: `Write \`${target}/\` and a model, or \`${target}\` for the model that the client asks for.`,
      }),
      "zh-CN": ({ target }) => ({
        message: `此项写了目标 ${target}，但斜杠后没有模型`,
        label: "没有模型",
        help: `请写 \`${target}/\` 加模型；或只写 \`${target}\`，使用客户端所要的模型。`,
      }),
    },
  },
  "hidden-route": {
    code: "GW118",
    severity: "warning",
    says: {
      "en": ({ route, earlier }) => ({
        message: `route \`${route}\` never gets a request: \`${earlier}\` stands before it and fits all its names`,
        label: "never matches",
        help: `Put it before \`${earlier}\`.`,
      }),
      "zh-CN": ({ route, earlier }) => ({
        message: `路由 \`${route}\` 不会收到请求：它前面的 \`${earlier}\` 已包含它的所有名称`,
        label: "不会匹配",
        help: `请把它写在 \`${earlier}\` 之前。`,
      }),
    },
  },
  "same-step": {
    code: "GW119",
    severity: "warning",
    says: {
      "en": ({ written }) => ({
        message: `\`${written}\` is in this chain twice; a target that has failed does not answer better in its second place`,
        label: "repeated",
        help: "Remove it, or name another target or model.",
      }),
      "zh-CN": ({ written }) => ({
        message: `\`${written}\` 在此链中出现了两次；失败的目标在第二个位置上不会更好`,
        label: "重复",
        help: "请删除它，或换成另一个目标或模型。",
      }),
    },
  },
  "lone-hedge": {
    code: "GW120",
    severity: "warning",
    says: {
      "en": ({ route }) => ({
        message: `route \`${route}\` has one target, so there is no other one to ask when it is silent`,
        label: "no other target",
        help: "Add a second target to the chain, or remove `hedge`.",
      }),
      "zh-CN": ({ route }) => ({
        message: `路由 \`${route}\` 只有一个目标，它沉默时没有别的目标可以询问`,
        label: "没有别的目标",
        help: "请在链中加上第二个目标，或删除 `hedge`。",
      }),
    },
  },
  "unknown-provider": {
    code: "GW121",
    severity: "warning",
    says: {
      "en": ({ target, provider, near }) => ({
        message: `no prices and no facts about models are known for provider \`${provider}\``,
        label: near === null ? "not known" : `did you mean \`${near}\`?`,
        help: `State its prices under targets.${target}.prices, or name the vendor whose models it serves.`,
      }),
      "zh-CN": ({ target, provider, near }) => ({
        message: `没有服务商 \`${provider}\` 的价格和模型资料`,
        label: near === null ? "未知" : `是否想写 \`${near}\`？`,
        help: `请在 targets.${target}.prices 下写明价格，或改写其模型所属的服务商。`,
      }),
    },
  },
  "empty-budget": {
    code: "GW122",
    severity: "warning",
    says: {
      "en": ({ client }) => ({
        message: `the budget of key ${client} has no limit in it`,
        label: "limits nothing",
        help: "Add `per_hour_usd`, `per_day_usd` or `per_month_usd`, or remove `budget`.",
      }),
      "zh-CN": ({ client }) => ({
        message: `密钥 ${client} 的预算没有写任何上限`,
        label: "没有限制",
        help: "请加上 `per_hour_usd`、`per_day_usd` 或 `per_month_usd`，或删除 `budget`。",
      }),
    },
  },
  "budget-above-longer": {
    code: "GW123",
    severity: "warning",
    says: {
      "en": ({ client, field, usd, longer, most }) => ({
        message: `key ${client} can never spend its \`${field}\` of $${usd}: \`${longer}\` is $${most}`,
        label: "never reached",
        help: `Make it smaller than \`${longer}\`, or remove it.`,
      }),
      "zh-CN": ({ client, field, usd, longer, most }) => ({
        message: `密钥 ${client} 的 \`${field}\` 为 $${usd}，不可能达到：\`${longer}\` 为 $${most}`,
        label: "不会达到",
        help: `请写得比 \`${longer}\` 小，或删除它。`,
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
