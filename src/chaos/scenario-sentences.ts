// What is said about mistakes in scenarios, in Chinese.

import { createTranslator } from "../yaml-file/diagnostic.ts";

export const scenarioSentence = createTranslator([
  ["the range ends before it begins", "范围的结束在开始之前"],
  ["Write `{}`.", "请写 `{1}`。"],
  ["repeat needs a sequence", "repeat 需要 sequence"],
  ["Add `sequence:`, or remove `repeat`.", "请加上 `sequence:`，或删除 `repeat`。"],
  ["{} cannot be combined with a sequence", "{1} 不能与 sequence 同时使用"],
  ["Put it into a step of the sequence.", "请把它写进 sequence 的一步。"],
  ["neither a fault nor an answer is given", "既没有故障也没有答复"],
  ["Add one of: {}.", "请加上其中之一：{1}。"],
  ["{} cannot be combined with {}", "{1} 不能与 {2} 同时使用"],
  [
    "A request gets one answer; use `sequence` for several requests.",
    "一个请求只有一个答复；多个请求请用 `sequence`。",
  ],
  ["`{}` has no parameter `{}`; it has none.", "`{1}` 没有参数 `{2}`；它没有参数。"],
  ["`{}` has no parameter `{}`; it has {}.", "`{1}` 没有参数 `{2}`；可用：{3}。"],
  ["`{}` is one of {}.", "`{1}` 的值为其中之一：{2}。"],
  ["`{}` is a whole number from 0 to {}.", "`{1}` 是 0 到 {2} 之间的整数。"],
  ["`{}` is a number from 0 to {}.", "`{1}` 是 0 到 {2} 之间的数。"],
  ["`faultline chaos --list` shows the parameters of each fault.", "`faultline chaos --list` 会列出每种故障的参数。"],
  ["`faultline chaos --list` lists all faults.", "`faultline chaos --list` 会列出所有故障。"],
  ["0.25 means one in four.", "0.25 表示四次中有一次。"],
  ["retry-after is in seconds.", "retry-after 以秒为单位。"],
  ["Requests are counted from 1.", "请求从 1 开始计数。"],
]);
