// What a person can set: language and theme, on this machine. And what this server is: its tokens, its notifications, its version.

import type { ReactNode } from "react";
import { LANGUAGES, setPreferences, THEMES, usePreferences } from "../../app/preferences.ts";
import { useCanAct, useIdentity } from "../../app/sign-in.tsx";
import { useAct, useRead } from "../../app/server.tsx";
import { queries } from "../../app/queries.ts";
import { useWords } from "../../app/words.ts";
import { Button } from "../../parts/button.tsx";
import { Facts, Page, Section } from "../../parts/page.tsx";
import { Badge } from "../../parts/pill.tsx";
import { Pending } from "../../parts/states.tsx";
import { useToasts } from "../../parts/toasts.tsx";
import { TokenList } from "./token-list.tsx";
import { WORDS } from "./words.ts";
import "./settings.css";

export function SettingsPage(): ReactNode {
  const words = useWords(WORDS);
  const canAct = useCanAct();
  return (
    <Page title={words.title}>
      <div className="settings">
        <Section title={words.looks}>
          <Looks />
        </Section>
        <Section title={words.you}>
          <You />
        </Section>
        {canAct ? (
          <>
            <Section title={words.tokens}>
              <TokenList />
            </Section>
            <Server />
          </>
        ) : (
          <About />
        )}
      </div>
    </Page>
  );
}

function Looks(): ReactNode {
  const words = useWords(WORDS);
  const { language, theme } = usePreferences();
  return (
    <>
      <Choice
        label={words.language}
        name="language"
        chosen={language}
        choices={LANGUAGES.map((id) => [id, words.languages[id]] as const)}
        onChoose={(id) => setPreferences({ language: id })}
      />
      <Choice
        label={words.theme}
        name="theme"
        chosen={theme}
        choices={THEMES.map((id) => [id, words.themes[id]] as const)}
        onChoose={(id) => setPreferences({ theme: id })}
      />
      <p className="dim settings-hint">{words.looksHint}</p>
    </>
  );
}

interface ChoiceProps<Id extends string> {
  readonly label: string;
  readonly name: string;
  readonly chosen: Id;
  readonly choices: readonly (readonly [Id, string])[];
  readonly onChoose: (id: Id) => void;
}

function Choice<Id extends string>({ label, name, chosen, choices, onChoose }: ChoiceProps<Id>): ReactNode {
  return (
    <fieldset className="settings-choice">
      <legend>{label}</legend>
      {choices.map(([id, text]) => (
        <label key={id} data-on={id === chosen}>
          <input type="radio" name={name} value={id} checked={id === chosen} onChange={() => onChoose(id)} />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  );
}

function You(): ReactNode {
  const words = useWords(WORDS);
  const { name, role } = useIdentity();
  const { fail } = useToasts();
  const { mutate, isPending } = useAct("logOut");
  const leave = (): void =>
    mutate({}, { onSuccess: () => void queries.resetQueries({ queryKey: ["whoAmI"] }), onError: fail });
  return (
    <div className="settings-you">
      <Facts
        rows={[
          [words.signedInAs, name],
          [
            words.role,
            <Badge key="role" tone={role === "operator" ? "blue" : "grey"}>
              {words.roles[role]}
            </Badge>,
          ],
          [words.may, words.mayDo[role]],
        ]}
      />
      <Button onClick={leave} isBusy={isPending}>
        {words.signOut}
      </Button>
    </div>
  );
}

function Server(): ReactNode {
  const words = useWords(WORDS);
  const read = useRead("showSettings", {});
  const { data } = read;
  if (data === undefined)
    return (
      <Section title={words.server}>
        <Pending read={read} kind="text" rows={4} isInline />
      </Section>
    );
  const { notices, version, url, drives, journal } = data;
  const isTold = notices.webhook !== null || notices.command !== null;
  return (
    <>
      <Section title={words.notices}>
        {isTold ? (
          <Facts
            rows={[
              [words.about, notices.about.map((kind) => words.kinds[kind]).join(words.comma)],
              [words.webhook, notices.webhook?.origin ?? words.none],
              [words.command, notices.command?.program ?? words.none],
            ]}
          />
        ) : (
          <p className="dim">{words.noNotices}</p>
        )}
      </Section>
      <Section title={words.server}>
        <Facts
          rows={[
            [words.version, version],
            [words.address, url],
            [words.journal, journal],
            [words.drives, drives ? words.drivesRuns : words.drivesNone],
          ]}
        />
      </Section>
    </>
  );
}

/** Viewers see which version this is, and no more. */
function About(): ReactNode {
  const words = useWords(WORDS);
  const { data } = useRead("health", {});
  return (
    <Section title={words.server}>
      <Facts
        rows={[
          [words.version, data?.version ?? ""],
          [words.address, location.origin],
        ]}
      />
    </Section>
  );
}
