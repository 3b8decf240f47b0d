// Words about running out: of money, of a quota, of requests a minute, of room in the context.

import type { RuleGroup } from "../rule.ts";

const PER_DAY = [
  "per day",
  "tokens per day",
  "requests per day",
  "tpd",
  "rpd",
  "daily",
  "per week",
  "weekly",
  "per month",
  "monthly",
  "5 hour",
  "five hour",
  "billing cycle",
  "free tier",
  "每日",
  "每天",
  "每月",
];
const USED_UP = ["limit*", "quota*", "exceed*", "exhausted", "reached", "used up", "hit", "cap", "上限", "限额"];
const TOKENS_PER_MINUTE = [
  "tokens per min",
  "tokens per minute",
  "per minute",
  "tpm",
  "rpm",
  "requests per minute",
  "requests per min",
  "per second",
  "input tokens per minute",
];

// prettier-ignore
export const LIMIT_WORDS: RuleGroup = {
  source: "text",
  rules: [
    { id: "words/larger-than-bucket", when: { says: [["request too large", "request is too large"], ["tokens per min", "tokens per minute", "tpm", "tokens per day", "tpd"]], within: 200 },
      means: "ContextOverflow", example: "Request too large for model `llama-3.1-70b-versatile` on tokens per minute (TPM), please reduce your message size and try again." },
    { id: "words/unknown-parameter", when: { says: [["unknown parameter*", "unrecognized request argument*", "unrecognized argument*", "unknown argument*", "unexpected keyword argument", "extra inputs are not permitted", "unsupported parameter*", "unknown name", "unknown field", "additional properties", "additionalproperties", "invalid json payload", "unrecognized key*", "unexpected field", "extra fields not permitted", "argument not supported", "parameter not supported"]] },
      means: "RequestInvalid", onTool: "InputInvalid", example: "litellm.RateLimitError: OpenAIException - Unknown parameter: '_litellm_rate_limit_descriptors'." },
    { id: "words/money", when: { says: [["insufficient balance", "insufficient credit*", "insufficient fund*", "insufficient quota", "insufficient account balance", "credit balance", "out of credits", "run out of credits", "no credits", "not enough credit*", "any credits", "available credits", "more credits", "add credits", "add funds", "credits exhausted", "credit exhausted", "top up", "recharge", "prepaid credit*", "spending limit", "spend limit", "spending cap", "spend cap", "key limit exceeded", "hard limit", "payment required", "payment method", "past due", "overdue", "in arrears", "account is in good standing", "billing is not active", "billing not active", "billing account", "enable billing", "can only afford", "account balance", "balance is too low", "balance too low", "unpaid", "余额不足", "欠费", "充值", "资源包", "额度不足", "额度已用", "额度已", "配额", "用量上限", "可用额度", "免费额度", "saldo insuficiente"]], unless: ["please contact sales"] },
      means: "QuotaExhausted", example: "429 余额不足或无可用资源包,请充值。" },
    { id: "words/quota", when: { says: [["exceeded your current quota", "exceeded your quota", "exceeded your monthly", "exceeded the quota", "quota exceeded", "quota exhausted", "exceeded quota", "quota has been exceeded", "quota has been exhausted", "quota limit", "quota is exhausted", "run out of quota", "exhausted your", "no quota", "over quota", "quota reached", "exceeds your quota", "quota will reset", "quota will be refreshed", "quota resets", "check your plan", "limit: 0"]], unless: TOKENS_PER_MINUTE },
      means: "QuotaExhausted", example: "You exceeded your current quota, please check your plan and billing details." },
    { id: "words/usage-limit", when: { says: [["usage limit*", "usage cap", "message limit", "messages limit", "session limit", "hour limit", "weekly limit", "monthly limit", "daily limit", "plan limit*", "usage quota", "premium request*", "inference limit", "token plan", "current plan", "limite de uso", "limite de mensagens", "límite de uso", "usage allowance", "fair use", "使用上限", "使用限制", "使用限额", "用量限制", "次数已用完"], ["hit", "reached", "exceed*", "reset*", "exhausted", "upgrade*", "increase", "higher", "atingiu", "redefinido", "alcanzado", "used up", "try again", "over", "regain", "remaining", "已", "达到"]], within: 120 },
      means: "QuotaExhausted", example: "You've hit your usage limit. Upgrade to Pro or try again in 5 days 22 hours 11 minutes." },
    { id: "words/limit-resets", when: { says: [["limit will reset", "limits to reset", "hit your limit", "reached your limit", "hit the limit", "regain access on", "reached your specified api usage limits", "upgrade your plan", "upgrade to pro", "upgrade to plus", "purchase extra usage", "reached the maximum number of free", "free requests", "free plan", "trial has expired", "trial expired", "subscription has expired", "subscription expired", "no active subscription"]], unless: ["rate limit*", "turn limit*", "token limit*", "iteration*", "recursion*", "turns", "memory limit*", "context*"] },
      means: "QuotaExhausted", example: "You've hit your limit · resets 3pm (Europe/Berlin)" },
    { id: "words/per-day", when: { says: [PER_DAY, USED_UP], within: 60, unless: ["per minute", "tokens per min", "context*"] },
      means: "QuotaExhausted", example: "Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day" },
    { id: "words/rate-limit", when: { says: [["rate limit*", "ratelimit*", "rate limited", "request rate", "token rate", "request limit", "concurrency limit*", "concurrent request*", "requests per minute", "tokens per minute", "rpm limit", "tpm limit", "速率限制", "请求频率", "并发"], ["exceed*", "reached", "hit", "error", "limited", "too high", "over", "increase", "429", "try again", "retry*", "wait", "slow down", "maximum", "limiting", "达到", "超过", "过高", "控制", "上限"]], within: 60, unless: ["not a rate limit", "rate limits disabled"] },
      means: "RateLimited", example: "This request would exceed the rate limit for your organization of 1,000,000 input tokens per minute." },
    { id: "words/too-many-requests", when: { says: [["too many requests", "too many concurrent", "too many connections", "request was throttled", "throttlingexception", "being throttled", "throttled", "requests too frequent*", "resource has been exhausted", "temporarily limiting requests", "reduce the frequency", "slow down", "请求过于频繁", "请求太频繁", "频率过高", "请求过多", "currently limited", "访问频率"]] },
      means: "RateLimited", example: "Token error: All accounts are currently limited. Please wait 8s." },
    { id: "words/token-throttle", when: { says: [["too many tokens"], ["please wait", "wait before", "try again later", "slow down"]], within: 60 },
      means: "RateLimited", example: "Too many tokens, please wait before trying again." },
    { id: "words/window-too-small", when: { says: [["context window", "context length", "context size"], ["too small", "minimum is", "at least", "must be at least"]], within: 60, unless: ["exceed*", "contains at least", "prompt contains"] },
      means: "ContextWindowTooSmall", example: "Model context window too small (4096 tokens). Minimum is 16000." },
    { id: "words/output-cut", when: { says: [["response truncated", "response was truncated", "output truncated", "output was truncated", "output token maximum", "incomplete response returned", "finish reason: length", "stop reason: max tokens", "reached max tokens", "hit max tokens", "max output tokens reached", "cut off due to", "exceeded the maximum output", "maximum output token limit", "output token limit", "max tokens reached", "maximum tokens reached"]], unless: ["less than"] },
      means: "OutputTruncated", example: "API Error: Claude's response exceeded the 32000 output token maximum." },
    { id: "words/max-tokens-parameter", when: { says: [["maximum tokens you requested", "max tokens", "max completion tokens", "maximum output tokens", "max new tokens", "max output tokens"], ["too large", "model limit", "must be less", "less than or equal", "cannot be greater", "at most", "not supported", "greater than", "supports at most", "must be at least", "> ", "maximum value", "unsupported", "exceed the model", "out of range", "be positive", "greater than 0", "must be", "should be"]], within: 90, unless: ["context limit", "context length", "context window", "inputs tokens", "input length", "prompt*"] },
      means: "RequestInvalid", example: "The maximum tokens you requested exceed the model limit of 4096. Try again with a maximum tokens value lower than 4096." },
    { id: "words/context", when: { says: [["context length", "context window", "context size", "context limit", "context overflow*", "maximum context", "max context", "prompt length", "input length", "token limit", "token count", "tokens limit", "input tokens", "prompt tokens", "number of tokens", "model length", "n ctx", "model context", "context token*", "sequence length", "上下文", "输入长度", "max seq len", "maximum sequence length", "token length", "context budget", "context"], ["exceed*", "too long", "too large", "too many", "larger than", "longer than", "greater than", "more than", "over", "ran out", "out of room", "of only", "is only", "maximum", "reached", "overflow*", "overflows", "full", "limit of", "超过", "超出", "过长", "超长", "must be <=", "does not fit", "doesn't fit", "can't fit", "not fit", "surpass*", "beyond", "shorter", "reduce", "available"]], within: 90, unless: [...TOKENS_PER_MINUTE, "rate limit*", "tokens per day", "context deadline", "context canceled", "context cancelled", "execution context", "context manager", "browser context", "security context", "ssl context", "output tokens exceed*", "not available in this context", "call stack"] },
      means: "ContextOverflow", example: "This model's maximum context length is 4097 tokens. However, you requested 4431 tokens." },
    { id: "words/too-long", when: { says: [["prompt is too long", "prompt too long", "prompt is longer", "input is too long", "input too long", "text too long", "kv cache*", "nokvcacheslot", "input is too large", "inputs too long", "request too large", "request is too large", "request body too large", "request exceeds the maximum size", "maximum request body size", "payload size exceeds", "payload too large", "request payload", "request entity too large", "body exceeded", "string too long", "conversation is too long", "conversation too long", "chat is too long", "message is too long", "messages too long", "maximum number of tokens allowed", "too many tokens", "too many input tokens", "tokens exceed*", "token exceed*", "token count exceed*", "exceed* token*", "exceeded model token limit", "reduce the length of the messages", "reduce your prompt", "reduce the prompt", "shorten your", "n keep", "prompt token count", "tokens to keep from the initial prompt", "tokens > ", "maximum prompt length", "too much content", "length limit exceeded", "larger than the maximum", "must have less than", "maximum allowed content length", "expected maxlength", "member must have length less than", "must be <=", "maximum allowed length", "input characters limit", "range of input length", "输入过长", "文本过长", "内容过长", "长度超过", "超过最大"]], unless: [...TOKENS_PER_MINUTE, "per minute rate limit", "uri too long", "file name too long", "argument list too long", "took too long"] },
      means: "ContextOverflow", onTool: "InputInvalid", example: "prompt is too long: 209062 tokens > 199999 maximum" },
  ],
};
