// The server's own refusals, each with its words in both languages. Faults of the library have words of their own.

import { type Fault, isFaultError } from "../core/fault/fault.ts";
import { PROBLEM_MEDIA_TYPE, type ProblemPointer, toProblem } from "../core/fault/problem.ts";
import type { Redactor } from "../core/fault/redact.ts";
import type { Locale } from "../core/fault/words/words.ts";
import type { Role } from "../api/route.ts";

interface Words {
  readonly title: string;
  readonly detail: string;
  readonly next: string;
}

interface RefusalRow extends Readonly<Record<Locale, Words>> {
  readonly status: number;
}

/** The refusals, by the last part of their `type`. */
export const REFUSALS = {
  "no-token": {
    "status": 401,
    "en": {
      title: "A token is needed",
      detail: "The request carries no token.",
      next: "Send `Authorization: Bearer <token>`. The server writes its first token to a file when it starts for the first time, and prints where.",
    },
    "zh-CN": {
      title: "需要令牌",
      detail: "请求没有携带令牌。",
      next: "请发送 `Authorization: Bearer <令牌>`。服务器首次启动时会把第一个令牌写入文件，并打印其位置。",
    },
  },
  "wrong-token": {
    "status": 401,
    "en": {
      title: "The token is not valid",
      detail: "The server does not know this token.",
      next: "Use the token from the server's token file, or ask an operator for a new one.",
    },
    "zh-CN": {
      title: "令牌无效",
      detail: "服务器不认识这个令牌。",
      next: "请使用服务器令牌文件中的令牌，或向操作员申请新的令牌。",
    },
  },
  "wrong-code": {
    "status": 401,
    "en": {
      title: "The link is not valid",
      detail: "The link was used before, is too old, or was made by a server that has been restarted.",
      next: "Sign in with the token from the server's token file, or restart the server to get a new link.",
    },
    "zh-CN": {
      title: "链接无效",
      detail: "该链接已被使用、已过期，或来自重启之前的服务器。",
      next: "请使用服务器令牌文件中的令牌登录，或重启服务器以获得新的链接。",
    },
  },
  "role-too-low": {
    "status": 403,
    "en": {
      title: "The token may only view",
      detail: "This needs the role operator, and the token has the role viewer.",
      next: "Use a token with the role operator.",
    },
    "zh-CN": {
      title: "令牌仅可查看",
      detail: "此操作需要 operator 角色，而该令牌只有 viewer 角色。",
      next: "请使用具有 operator 角色的令牌。",
    },
  },
  "wrong-host": {
    "status": 421,
    "en": {
      title: "Wrong host name",
      detail: "The Host header names an address that this server does not serve.",
      next: "Use the address the server printed, or start it with --public-url.",
    },
    "zh-CN": {
      title: "主机名不对",
      detail: "Host 头指向的地址不由本服务器提供服务。",
      next: "请使用服务器打印的地址，或在启动时加上 --public-url。",
    },
  },
  "wrong-origin": {
    "status": 403,
    "en": {
      title: "Another site's page sent this",
      detail: "The Origin header names another site, and only pages of this server may act here.",
      next: "Open the dashboard at the server's own address.",
    },
    "zh-CN": {
      title: "请求来自其他网站的页面",
      detail: "Origin 头指向其他网站；只有本服务器的页面可以在此操作。",
      next: "请在服务器自己的地址打开面板。",
    },
  },
  "no-route": {
    "status": 404,
    "en": {
      title: "There is nothing here",
      detail: "The server has no such path.",
      next: "GET /v1/openapi.json lists all paths.",
    },
    "zh-CN": { title: "这里没有内容", detail: "服务器没有这个路径。", next: "GET /v1/openapi.json 列出了所有路径。" },
  },
  "not-there": {
    "status": 404,
    "en": {
      title: "Not found",
      detail: "There is nothing of that name.",
      next: "List what there is, and use a name from the list.",
    },
    "zh-CN": { title: "未找到", detail: "没有这个名称的内容。", next: "请先列出现有内容，并使用列表中的名称。" },
  },
  "wrong-method": {
    "status": 405,
    "en": {
      title: "Another method is needed",
      detail: "The path exists, but not for this method.",
      next: "Use a method from the Allow header.",
    },
    "zh-CN": { title: "方法不对", detail: "路径存在，但不支持此方法。", next: "请使用 Allow 头中列出的方法。" },
  },
  "too-slow": {
    "status": 408,
    "en": {
      title: "The request came too slowly",
      detail: "The body was not complete in time.",
      next: "Send the request again over a faster connection.",
    },
    "zh-CN": { title: "请求过慢", detail: "请求正文未能按时传完。", next: "请通过更快的连接重新发送。" },
  },
  "too-large": {
    "status": 413,
    "en": {
      title: "The request is too large",
      detail: "The body is larger than the server accepts.",
      next: "Send less: the end of a log is usually enough to classify a failure.",
    },
    "zh-CN": {
      title: "请求过大",
      detail: "请求正文超过了服务器接受的大小。",
      next: "请减少内容：通常日志的末尾就足以判断故障。",
    },
  },
  "headers-too-large": {
    "status": 431,
    "en": {
      title: "The headers are too large",
      detail: "The headers of the request are larger than the server accepts.",
      next: "Send fewer or shorter headers and cookies.",
    },
    "zh-CN": {
      title: "请求头过大",
      detail: "请求头超过了服务器接受的大小。",
      next: "请减少或缩短请求头和 Cookie。",
    },
  },
  "not-json": {
    "status": 415,
    "en": {
      title: "JSON is needed",
      detail: "The body is not declared as JSON.",
      next: "Send `Content-Type: application/json`.",
    },
    "zh-CN": {
      title: "需要 JSON",
      detail: "请求正文未声明为 JSON。",
      next: "请发送 `Content-Type: application/json`。",
    },
  },
  "bad-json": {
    "status": 400,
    "en": {
      title: "Not JSON",
      detail: "The body cannot be read as JSON.",
      next: "Correct the body and send it again.",
    },
    "zh-CN": { title: "不是 JSON", detail: "请求正文无法按 JSON 读取。", next: "请修正正文后重新发送。" },
  },
  "bad-request": {
    "status": 400,
    "en": {
      title: "The request cannot be read",
      detail: "Part of the request's address or headers is not valid.",
      next: "Correct the request and send it again.",
    },
    "zh-CN": { title: "无法读取请求", detail: "请求的地址或请求头中有无效内容。", next: "请修正请求后重新发送。" },
  },
  "invalid": {
    "status": 422,
    "en": {
      title: "Some fields are not right",
      detail: "The request does not have the shape that this route takes.",
      next: "Correct the fields listed under errors; GET /v1/openapi.json has the shape.",
    },
    "zh-CN": {
      title: "部分字段不正确",
      detail: "请求不符合此接口的格式。",
      next: "请修正 errors 中列出的字段；格式见 GET /v1/openapi.json。",
    },
  },
  "question-closed": {
    "status": 409,
    "en": {
      title: "The question is closed",
      detail: "It was answered, it timed out, or its run has ended. The first answer counts.",
      next: "Look at the run to see how it continued.",
    },
    "zh-CN": {
      title: "问题已关闭",
      detail: "该问题已被答复、已超时，或其运行已结束。以第一个答复为准。",
      next: "请查看该运行，了解后续进展。",
    },
  },
  "no-output": {
    "status": 404,
    "en": {
      title: "No output yet",
      detail: "The run exists, but no node of that name has returned anything.",
      next: "Look at the run to see which nodes have completed.",
    },
    "zh-CN": {
      title: "尚无输出",
      detail: "该运行存在，但没有此名称的节点返回过内容。",
      next: "请查看该运行，了解哪些节点已完成。",
    },
  },
  "cannot-start": {
    "status": 404,
    "en": {
      title: "The server cannot start this workflow",
      detail: "No workflow of that id is loaded here.",
      next: "GET /v1/workflows lists the workflows; those with canStart can be started.",
    },
    "zh-CN": {
      title: "服务器无法启动此工作流",
      detail: "这里没有加载该标识的工作流。",
      next: "GET /v1/workflows 列出了工作流；canStart 为真的可以启动。",
    },
  },
  "bulk-under-way": {
    "status": 409,
    "en": {
      title: "A bulk action is under way",
      detail: "Another bulk action still works on the runs of these failures.",
      next: "Wait until it is over, or abort it first.",
    },
    "zh-CN": {
      title: "批量操作正在进行",
      detail: "另一个批量操作仍在处理这些故障的运行。",
      next: "请等待其结束，或先中止它。",
    },
  },
  "key-reused": {
    "status": 422,
    "en": {
      title: "The key was used for something else",
      detail: "The Idempotency-Key came before with another request.",
      next: "Use a new key for a new request.",
    },
    "zh-CN": {
      title: "该键已用于其他请求",
      detail: "此 Idempotency-Key 之前用于不同的请求。",
      next: "请为新请求使用新的键。",
    },
  },
  "in-progress": {
    "status": 409,
    "en": {
      title: "The same request is in progress",
      detail: "A request with this Idempotency-Key has not ended yet.",
      next: "Wait a moment and send it again: you will get the first one's answer.",
    },
    "zh-CN": {
      title: "相同请求正在处理",
      detail: "带有此 Idempotency-Key 的请求尚未结束。",
      next: "请稍后重新发送，即可得到首次请求的结果。",
    },
  },
  "too-many": {
    "status": 503,
    "en": {
      title: "Too many streams",
      detail: "The server has as many event streams open as it allows.",
      next: "Close a stream, or try again later.",
    },
    "zh-CN": { title: "事件流过多", detail: "服务器打开的事件流已达上限。", next: "请关闭一个事件流，或稍后再试。" },
  },
  "stopping": {
    "status": 503,
    "en": {
      title: "The server is stopping",
      detail: "It takes no new requests.",
      next: "Try again in a few seconds.",
    },
    "zh-CN": { title: "服务器正在停止", detail: "不再接受新请求。", next: "请几秒后重试。" },
  },
  "failed": {
    "status": 500,
    "en": {
      title: "The server failed",
      detail: "An error in the server kept it from answering.",
      next: "Try again; if it fails again, give the correlation id to an operator.",
    },
    "zh-CN": {
      title: "服务器出错",
      detail: "服务器内部错误，无法应答。",
      next: "请重试；若再次失败，请把关联编号告知操作员。",
    },
  },
} as const satisfies Readonly<Record<string, RefusalRow>>;

export type RefusalName = keyof typeof REFUSALS;

/** Thrown to refuse a request; becomes a problem+json response. */
export class Refused extends Error {
  override readonly name = "Refused";
  readonly refusal: RefusalName;
  readonly errors: readonly ProblemPointer[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    refusal: RefusalName,
    more: { readonly errors?: readonly ProblemPointer[]; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(REFUSALS[refusal].en.detail);
    this.refusal = refusal;
    this.errors = more.errors ?? [];
    this.headers = more.headers ?? {};
  }
}

export interface ProblemReader {
  readonly correlationId: string;
  readonly locale: Locale;
  readonly role: Role | null;
  readonly redactor: Redactor;
}

/** Turns anything thrown into a response that its reader may see. */
export function problemOf(error: unknown, reader: ProblemReader): Response {
  if (error instanceof Refused) return refusalResponse(error, reader);
  // An error that is not a fault is a bug of the server, whatever its message looks like.
  return isFaultError(error) ? faultResponse(error.fault, reader) : refusalResponse(new Refused("failed"), reader);
}

/** The problem details of a refusal. */
interface RefusalBody extends Words {
  readonly type: string;
  readonly status: number;
  readonly code: RefusalName;
  readonly correlation_id: string;
}

export function refusalBody(refusal: RefusalName, locale: Locale, correlationId: string): RefusalBody {
  const row: RefusalRow = REFUSALS[refusal];
  const { title, detail, next } = row[locale];
  const type = `urn:faultline:refusal:${refusal}`;
  return { type, title, status: row.status, detail, code: refusal, next, correlation_id: correlationId };
}

function refusalResponse({ refusal, errors, headers }: Refused, { correlationId, locale }: ProblemReader): Response {
  const { status } = REFUSALS[refusal];
  const body = { ...refusalBody(refusal, locale, correlationId), ...(errors.length === 0 ? {} : { errors }) };
  const challenge: Readonly<Record<string, string>> = status === 401 ? { "www-authenticate": "Bearer" } : {};
  return problemResponse(body, status, locale, { ...challenge, ...headers });
}

function faultResponse(fault: Fault, { correlationId, locale, role, redactor }: ProblemReader): Response {
  const problem = toProblem(fault, { correlationId, locale, redactor });
  const reason = role === "operator" ? { reason: redactor.text(fault.message) } : {};
  const { retry_after_ms: waitMs } = problem;
  const headers: Readonly<Record<string, string>> =
    waitMs === undefined ? {} : { "retry-after": String(Math.ceil(waitMs / 1000)) };
  return problemResponse({ ...problem, ...reason }, problem.status, locale, headers);
}

function problemResponse(
  body: object,
  status: number,
  locale: Locale,
  headers: Readonly<Record<string, string>>,
): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      "content-type": PROBLEM_MEDIA_TYPE,
      "content-language": locale,
      "cache-control": "no-store",
      ...headers,
    },
  });
}
