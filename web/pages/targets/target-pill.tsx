// The state of a target as a pill, with the time at which it changes by itself.

import type { ReactNode } from "react";
import { useNow } from "../../app/clock.ts";
import type { Answer } from "../../app/server.tsx";
import { Icon, type IconName } from "../../parts/icon.tsx";
import { Badge, Countdown } from "../../parts/pill.tsx";

export type Target = Answer<"listTargets">["items"][number];

/** What people call it. The target's own name says where it is and which key it uses. */
export function nameOf({ name }: Pick<Target, "name">): string {
  return name;
}

const LOOKS = {
  "in-service": { tone: "green", icon: "completed" },
  "paused": { tone: "amber", icon: "waiting" },
  "out-of-service": { tone: "red", icon: "failed" },
  "tried": { tone: "blue", icon: "running" },
  "isolated": { tone: "teal", icon: "stopped" },
} as const satisfies Readonly<Record<Target["state"]["id"], { readonly tone: string; readonly icon: IconName }>>;

export function TargetPill({ target }: { readonly target: Target }): ReactNode {
  const { id, label } = target.state;
  const { tone, icon } = LOOKS[id];
  const now = useNow();
  const changesAt = changesAtOf(target);
  return (
    <Badge tone={tone}>
      <Icon name={icon} />
      <span>{label}</span>
      {changesAt === null || changesAt <= now ? null : <Countdown until={changesAt} />}
    </Badge>
  );
}

/** When a pause ends, or a probe is let through. In the past: the next call is the probe. null when a person has to do something. */
function changesAtOf({ state: { id }, pausedUntil, retryAt }: Target): number | null {
  if (id === "paused") return pausedUntil;
  return id === "out-of-service" ? retryAt : null;
}
