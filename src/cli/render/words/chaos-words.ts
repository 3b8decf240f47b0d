// What `faultline chaos` says. In English, the table of faults has the sentences.

import type { ChaosFault, ChaosFaultId } from "../../../chaos/faults.ts";
import type { Locale } from "../../../core/index.ts";

export interface ChaosWords {
  readonly columns: readonly [fault: string, code: string, params: string];
  readonly or: string;
  readonly streamsOnly: string;
  readonly listening: (url: string) => string;
  readonly seed: (seed: number) => string;
  readonly noScenario: string;
  readonly rules: (file: string, count: number) => string;
  readonly copy: string;
  readonly ask: string;
  readonly received: (url: string) => string;
  readonly misuse: string;
  readonly noAnswer: string;
  readonly noAddress: string;
  /** What a fault is. */
  readonly fault: (row: ChaosFault) => string;
  readonly stopped: (count: number) => string;
}

const ZH_FAULTS: Readonly<Record<ChaosFaultId, string>> = {
  "rate-limit": "429，`retry-after` 以秒为单位。",
  "rate-limit-date": "429，`retry-after` 是一个 HTTP 日期。",
  "rate-limit-ms": "429，带 `retry-after-ms`，旁边还有较粗略的 `retry-after`。",
  "rate-limit-body": "429，只在正文中说明等待时间：Google 用 RetryInfo，其他厂商写在文字里。",
  "rate-limit-reset-header": "429，只在厂商自己的重置响应头中说明等待时间。",
  "rate-limit-bare": "429，不说明要等多久。",
  "quota": "配额或消费上限用完时厂商的回答；看起来像限流。",
  "quota-credit": "余额用完，或套餐没有余额时厂商的回答。",
  "quota-reset": "配额已用完；回答说明何时重置。",
  "server-error": "厂商格式的 500；`as=html` 则为代理的页面。",
  "bad-gateway": "代理页面形式的 502；`as=json` 则为厂商格式。",
  "unavailable": "厂商格式的 503；`as=html` 则为代理的页面。",
  "gateway-timeout": "代理页面形式的 504；`as=json` 则为厂商格式。",
  "overloaded": "厂商格式的 529；`as=html` 则为代理的页面。",
  "cloudflare-520": "520：代理收到了无法理解的回答。",
  "cloudflare-521": "521：后面的服务器拒绝了代理。",
  "cloudflare-522": "522：代理未能及时连接。",
  "cloudflare-523": "523：代理找不到通往服务器的路径。",
  "cloudflare-524": "524：代理后面的服务器未能及时回答。",
  "request-timeout": "408：服务器不再等待请求。",
  "bad-request": "400：请求中有一个字段是错的。",
  "unauthorized": "401：凭据未被接受。",
  "invalid-key": "密钥错误时厂商的回答；Google 返回的是 400。",
  "payment-required": "402：钱已用完。",
  "forbidden": "403：凭据无权做这件事。",
  "not-found": "404：没有这个模型。",
  "route-not-found": "404：没有这个地址。",
  "too-large": "413：请求的字节数太多。",
  "unprocessable": "422：请求能读懂，但没有意义。",
  "context-overflow": "400：提示的 token 数超过模型上限。",
  "content-filter": "提示被过滤器拒绝：400；Google 用 200 说明。",
  "prefill-rejected": "最后一条消息来自助手时返回 400；否则正常回答。",
  "content-filtered-output": "过滤器中途截断回答：200，停止原因会说明。",
  "refusal": "模型拒绝回答：200，以厂商的方式说明。",
  "truncated": "token 上限截断了回答：200，停止原因会说明。",
  "truncated-tool-call": "token 上限截断了工具调用的参数；Google 返回 MALFORMED_FUNCTION_CALL。",
  "invalid-tool-call": "工具调用的参数不是 JSON，停止原因却正常；非流式时 Anthropic 的参数为空。",
  "unknown-tool": "调用了没有提供的工具。",
  "schema-invalid": "JSON 有效，但不符合要求的结构：回答或工具调用中缺少必填字段。",
  "invalid-json-output": "模型的 JSON 过早结束，停止原因却正常。",
  "word-salad": "格式有效，但模型的文字毫无意义。",
  "empty-output": "200，但回答是空的：没有选项、输出、候选或内容块。",
  "malformed-json": "200，正文完整，但 JSON 中断；流式时每个事件的 JSON 都中断。",
  "error-in-body": "200 的正文里是一个错误；流式请求也会得到它。",
  "empty": "200，正文一个字节也没有。",
  "wrong-content-type": "回答正确，但 `content-type` 是 text/html。",
  "html-page": "200，内容是 HTML 页面，例如网络的登录页。",
  "gibberish": "200，类型正确，但字节毫无意义。",
  "odd-error-in-body": "200，内含未知错误，格式不属于任何厂商。",
  "error-first-event": "流的第一个事件就是错误。",
  "error-mid-stream": "流正常开始，随后发来错误。",
  "cut-stream": "回答中途关闭连接，就在最后一段之后片刻；非流式的正文被截成一半。",
  "no-end-mark": "流正常关闭，但缺少最后一个事件。",
  "malformed-chunk": "流中有一个事件的 JSON 中断，其余正常。",
  "stall": "回答开始后再无内容，直到连接关闭。",
  "stall-alive": "与 `stall` 相同，但没有内容的保活信号不断到来：ping、注释。",
  "slow-first-token": "回答正常，但第一段要等很久；流会立即发送响应头。",
  "slow-drip": "回答正常，但每一段之前都要等待。",
  "reset": "一个字节都没有回答，连接就被重置。",
  "hang": "请求被读取，但什么都不返回，连响应头也没有，直到连接关闭。",
  "refuse": "此连接被重置，并在一段时间内拒绝新连接。",
};

export const CHAOS_WORDS: Readonly<Record<Locale, ChaosWords>> = {
  "en": {
    columns: ["fault", "classified as", "parameters"],
    or: " or ",
    streamsOnly: " Streams only.",
    listening: (url) => `Listening on ${url}`,
    seed: (seed) => `seed ${seed}`,
    noScenario: "no scenario",
    rules: (file, count) => `${file}: ${count === 1 ? "1 rule" : `${count} rules`}`,
    copy: "Point an SDK here; copy this into the terminal of your agent:",
    ask: 'Ask for a fault by model name ("overloaded") or by header ("x-chaos: cut-stream; after=3"); `--list` shows all.',
    received: (url) => `Received requests: ${url}/__chaos · Ctrl-C stops.`,
    misuse: "misuse",
    noAnswer: "no answer",
    noAddress: "no such address",
    fault: ({ about }) => about,
    stopped: (count) => `Stopped after ${count === 1 ? "1 request" : `${count} requests`}.`,
  },
  "zh-CN": {
    columns: ["故障", "归类为", "参数"],
    or: " 或 ",
    streamsOnly: "仅限流式。",
    listening: (url) => `正在监听 ${url}`,
    seed: (seed) => `种子 ${seed}`,
    noScenario: "没有场景",
    rules: (file, count) => `${file}：${count} 条规则`,
    copy: "让 SDK 指向这里；请复制到您的智能体所在的终端：",
    ask: "用模型名（“overloaded”）或请求头（“x-chaos: cut-stream; after=3”）指定故障；`--list` 列出全部。",
    received: (url) => `收到的请求：${url}/__chaos · 按 Ctrl-C 停止。`,
    misuse: "用法错误",
    noAnswer: "没有回答",
    noAddress: "没有这个地址",
    fault: ({ id }) => ZH_FAULTS[id],
    stopped: (count) => `已停止，共收到 ${count} 个请求。`,
  },
};
