// What is said about mistakes in tool manifests, in Chinese.

import { createTranslator } from "../yaml-file/diagnostic.ts";

export const toolSentence = createTranslator([
  ["there are two tools `{}`", "有两个工具 `{1}`"],
  ["the first is at {}", "第一个在 {1}"],
  ["Rename one of them, or merge the two.", "请改掉其中一个的名称，或把两者合并。"],
  ["`{}` cannot be its own alternative", "`{1}` 不能是它自己的替代"],
  ["`{}` is named twice", "`{1}` 写了两次"],
  ["the tool itself", "工具本身"],
  ["already in the list", "已在列表中"],
  [
    "Name another tool; to try the same one again, use `retry_policy`.",
    "请写另一个工具；要重试同一个工具，请用 `retry_policy`。",
  ],
  ["Keep one of the two.", "请保留其中一个。"],
  [
    "alternatives are not used after a failure that may have done its work: a time limit, a crash, a cut connection",
    "在可能已经做完工作的失败之后（超时、崩溃、连接中断），不会使用替代工具",
  ],
  ["not after it ran", "运行之后不起作用"],
  [
    "Write `idempotent: true` if the tool may run twice without harm, or `idempotent: false` if this is meant.",
    "如果运行两次没有害处，请写 `idempotent: true`；如果本意如此，请写 `idempotent: false`。",
  ],
  ["the default is not a JSON value", "默认值不是 JSON 值"],
  ["cannot be written as JSON", "无法写成 JSON"],
  [
    "Use maps, lists, text, finite numbers, true, false and null, and no circular references.",
    "请只用键值表、列表、文本、有限的数、true、false 和 null，且不要循环引用。",
  ],
  ["the row has no condition", "这一行没有条件"],
  ["needs a condition", "需要条件"],
  [
    "Add `status:`, `error_code:` or `text:`, so that the row applies to particular failures.",
    "请加上 `status:`、`error_code:` 或 `text:`，使这一行只用于特定的失败。",
  ],
  ["this row never matches: row {} ({}) always matches first", "这一行永远不会匹配：第 {1} 行（{2}）总是先匹配"],
  ["never reached", "永远不会到达"],
  [
    "Move it before the other row, narrow the other row, or delete this one.",
    "请把它移到那一行之前，或缩小那一行的范围，或删除这一行。",
  ],
  ["no failure ever matches this `{}`", "没有任何失败会匹配这个 `{1}`"],
  ["never matches", "永远不会匹配"],
  ["Write a status from 400 to 599.", "请写 400 到 599 之间的状态码。"],
  [
    "A number is a JSON-RPC code, from -32768 to -32000. Write an HTTP status under `status`, any other code as text.",
    "数字是 JSON-RPC 代码，从 -32768 到 -32000。HTTP 状态请写在 `status` 下，其他代码请写成文本。",
  ],
  [
    "Names in quotes, file names and addresses are not compared: write the words around them.",
    "引号中的名称、文件名和地址不参与比较：请写它们周围的词。",
  ],
  [
    "max_attempts counts the first attempt too, so with 1 there is no retry and the rest has no effect",
    "max_attempts 包括第一次尝试，因此写 1 时没有重试，其余设置不起作用",
  ],
  ["no retry", "没有重试"],
  ["Write 2 for one retry, or delete the rest.", "重试一次请写 2，或删除其余设置。"],
  [
    "max_delay_ms ({}) is below initial_delay_ms ({}), so the first wait is already capped",
    "max_delay_ms（{1}）小于 initial_delay_ms（{2}），因此第一次等待就已被限制",
  ],
  ["below the first wait", "小于第一次等待"],
  ["Raise max_delay_ms to at least {}.", "请把 max_delay_ms 提高到至少 {1}。"],
  ["there is never a retry", "永远不会有重试"],
  ["attempt {} of {} can never be made", "第 {1}/{2} 次尝试永远无法进行"],
  [
    "{}: the wait before it ({} ms) is longer than a call may wait ({} ms)",
    "{1}：它之前的等待（{2} ms）超过一次调用可以等待的时间（{3} ms）",
  ],
  ["longer than a call may wait", "超过调用可以等待的时间"],
  [
    "Lower max_delay_ms to at most {}, or lower max_attempts to {}.",
    "请把 max_delay_ms 降到最多 {1}，或把 max_attempts 降到 {2}。",
  ],
  ["{}: the waits before it pass max_total_time_ms ({})", "{1}：它之前的等待超过 max_total_time_ms（{2}）"],
  ["more than there is time for", "时间不够"],
  ["too short for the waits", "对这些等待来说太短"],
  [
    "Raise max_total_time_ms to at least {}, or lower max_attempts to {}.",
    "请把 max_total_time_ms 提高到至少 {1}，或把 max_attempts 降到 {2}。",
  ],
  ["the file has no tool", "文件中没有工具"],
  ["needs `{}`", "需要 `{1}`"],
  [
    "Add `tool:` with an `id:`, or `tools:` with a list of them.",
    "请加上带 `id:` 的 `tool:`，或用 `tools:` 写一个列表。",
  ],
  ["max_attempts counts all attempts, the first included.", "max_attempts 是全部尝试次数，包括第一次。"],
  ["The statuses of failures go from 400 to 599.", "失败的状态码从 400 到 599。"],
  ["15 means ±15 %.", "15 表示 ±15 %。"],
  [
    "Write `transient`, `permanent` or a fault code; `faultline explain --list` lists all codes.",
    "请写 `transient`、`permanent` 或故障码；`faultline explain --list` 会列出全部代码。",
  ],
]);
