// What is said instead when a request certainly never left: its address could not be reached.

import type { FaultCode } from "../catalogue.ts";
import type { FaultWords } from "./fault-words.ts";

type UnsentWords = Readonly<Partial<Record<FaultCode, Pick<FaultWords, "user" | "model" | "operator">>>>;

export const UNSENT_WORDS: Readonly<Record<"en" | "zh-CN", UnsentWords>> = {
  "en": {
    NetworkDisconnect: {
      user: "The address of the service could not be reached.",
      model: "The service could not be reached, so the request did not arrive; try again later or use another tool.",
      operator:
        "No connection could be made, may be retried; check the address and port, DNS, proxy, and whether the service runs.",
    },
  },
  "zh-CN": {
    NetworkDisconnect: {
      user: "无法访问服务的地址。",
      model: "无法连接到服务，请求没有送达；请稍后再试，或换用其他工具。",
      operator: "无法建立连接，可重试；请检查地址和端口、DNS、代理，以及服务是否在运行。",
    },
  },
};
