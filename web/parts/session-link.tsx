// A link to the page of a run, or of a session that is not a run, by its name.

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

export function SessionLink({
  session,
  isRun,
  className = "link",
}: {
  readonly session: string;
  readonly isRun: boolean;
  readonly className?: string;
}): ReactNode {
  return isRun ? (
    <Link className={className} to="/runs/$run" params={{ run: session }}>
      {session}
    </Link>
  ) : (
    <Link className={className} to="/sessions/$session" params={{ session }}>
      {session}
    </Link>
  );
}
