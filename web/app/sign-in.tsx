// Who is looking. Without a valid cookie the page shows the sign-in form and nothing else.

import { type ReactNode, type SubmitEvent, createContext, useContext, useEffect, useState } from "react";
import { ProblemError } from "faultline/client";
import { Button } from "../parts/button.tsx";
import { Brand } from "../parts/icon.tsx";
import { ProblemState, Skeleton } from "../parts/states.tsx";
import { LiveUpdates } from "./live.tsx";
import { queries } from "./queries.ts";
import { type Answer, useClient, useRead } from "./server.tsx";
import { classifyThrown } from "./thrown.ts";
import { useWords, wordTable } from "./words.ts";
import "./sign-in.css";

export type Identity = Answer<"whoAmI">;

const IdentityContext = createContext<Identity | null>(null);

/** The person who is signed in. */
export function useIdentity(): Identity {
  const identity = useContext(IdentityContext);
  if (identity === null) throw new Error("useIdentity outside of SignedIn");
  return identity;
}

/** Only operators get buttons that act. The server checks again. */
export function useCanAct(): boolean {
  return useIdentity().role === "operator";
}

/** Shows its children to a person who is signed in, and the form to everyone else. */
export function SignedIn({ children }: { readonly children: ReactNode }): ReactNode {
  const link = useSignInLink();
  const { data, error, refetch } = useRead("whoAmI", {}, { enabled: link.isDone });
  const client = useClient();
  if (data !== undefined && error === null)
    return (
      <IdentityContext value={data}>
        <LiveUpdates client={client}>{children}</LiveUpdates>
      </IdentityContext>
    );
  if (error === null) return <Skeleton kind="page" />;
  if (error instanceof ProblemError && error.problem.status === 401) return <SignInForm refused={link.error} />;
  return <ProblemState error={error} onRetry={() => void refetch()} />;
}

const CODE = /^#login=([\w-]+)$/;

interface SignInLink {
  /** Exchanged for a cookie, refused, or there was none. */
  readonly isDone: boolean;
  /** Why the link did not work. */
  readonly error: Error | null;
}

/** The link that opened the page, if it was one to sign in with. Its code works once, and leaves the address at once. */
function useSignInLink(): SignInLink {
  const client = useClient();
  const [code, setCode] = useState(() => CODE.exec(location.hash)?.[1] ?? null);
  const [error, setError] = useState<Error | null>(null);
  useEffect(() => {
    if (code === null) return;
    history.replaceState(null, "", location.pathname + location.search);
    const exchange = async (): Promise<void> => {
      try {
        await client.logIn({ body: { code } });
      } catch (reason) {
        setError(classifyThrown(reason));
      }
      setCode(null);
      await queries.invalidateQueries();
    };
    void exchange();
  }, [client, code]);
  return { isDone: code === null, error };
}

function SignInForm({ refused }: { readonly refused: Error | null }): ReactNode {
  const words = useWords(WORDS);
  const client = useClient();
  const [token, setToken] = useState("");
  const [error, setError] = useState(refused);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      await client.logIn({ body: { token: token.trim() } });
      await queries.invalidateQueries();
    } catch (reason) {
      setError(classifyThrown(reason));
    }
    setBusy(false);
  };
  return (
    <main className="sign-in">
      <form onSubmit={(event) => void submit(event)}>
        <Brand />
        <h1>{words.title}</h1>
        <p className="dim">
          {words.where} <code>.faultline/operator.token</code>
        </p>
        <label>
          <span>{words.token}</span>
          <input
            type="password"
            autoComplete="current-password"
            autoFocus
            required
            value={token}
            onChange={(event) => setToken(event.target.value)}
          />
        </label>
        {error === null ? null : <ProblemState error={error} isInline />}
        <Button kind="primary" type="submit" isBusy={isBusy}>
          {words.signIn}
        </Button>
      </form>
    </main>
  );
}

const WORDS = wordTable({
  "en": {
    title: "Sign in",
    where: "The server prints where its first token is. By default:",
    token: "Token",
    signIn: "Sign in",
  },
  "zh-CN": {
    title: "登录",
    where: "服务器启动时会显示首个令牌所在的文件。默认为：",
    token: "令牌",
    signIn: "登录",
  },
});
