// The short label of a cause, as rows, files and pages show it. The first four are fixed by the workflow specification.

import type { FaultCause, FaultCode } from "../catalogue.ts";
import { traitsOf } from "../catalogue.ts";
import type { Locale } from "./words.ts";

const PILLS: Readonly<Record<FaultCause, Readonly<Record<Locale, string>>>> = {
  "schema-invalid": { "en": "schema invalid", "zh-CN": "格式不符" },
  "network-error": { "en": "network error", "zh-CN": "网络错误" },
  "auth-error": { "en": "auth error", "zh-CN": "认证失败" },
  "canceled": { "en": "cancelled", "zh-CN": "已取消" },
  "timeout": { "en": "timeout", "zh-CN": "超时" },
  "rate-limited": { "en": "rate limited", "zh-CN": "请求受限" },
  "overloaded": { "en": "overloaded", "zh-CN": "服务过载" },
  "quota-exhausted": { "en": "quota exhausted", "zh-CN": "额度用尽" },
  "provider-not-found": { "en": "provider not found", "zh-CN": "未找到服务商" },
  "permission-denied": { "en": "permission denied", "zh-CN": "权限不足" },
  "bad-request": { "en": "bad request", "zh-CN": "请求无效" },
  "capability-missing": { "en": "capability missing", "zh-CN": "能力缺失" },
  "context-overflow": { "en": "context overflow", "zh-CN": "上下文超长" },
  "content-filter": { "en": "content filter", "zh-CN": "内容被拦截" },
  "output-cut": { "en": "output cut", "zh-CN": "输出不完整" },
  "tool-failed": { "en": "tool failed", "zh-CN": "工具失败" },
  "tool-denied": { "en": "tool denied", "zh-CN": "工具被拒绝" },
  "approval-rejected": { "en": "not approved", "zh-CN": "未获批准" },
  "test-failed": { "en": "test failed", "zh-CN": "测试未通过" },
  "budget-exceeded": { "en": "budget exceeded", "zh-CN": "超出预算" },
  "turn-limit": { "en": "turn limit", "zh-CN": "轮次已满" },
  "sandbox-error": { "en": "sandbox error", "zh-CN": "沙箱错误" },
  "circuit-open": { "en": "circuit open", "zh-CN": "熔断中" },
  "crashed": { "en": "crashed", "zh-CN": "进程崩溃" },
  "store-error": { "en": "store error", "zh-CN": "存储错误" },
  "config-invalid": { "en": "config invalid", "zh-CN": "配置无效" },
  "internal": { "en": "internal", "zh-CN": "内部错误" },
  "unknown": { "en": "unknown", "zh-CN": "未知原因" },
};

/** The label of a fault's cause: "rate limited". */
export function pillOf(code: FaultCode, locale: Locale = "en"): string {
  return PILLS[traitsOf(code).cause][locale];
}
