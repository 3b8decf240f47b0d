// Codex says "try again at 8:33 PM" by this machine's clock and names no zone. Given the zone, the same time is said once more in
// the form that classification reads.

const CLOCK =
  /\btry again at (?:([A-Z][a-z]{2})[a-z]{0,6} (\d{1,2})(?:st|nd|rd|th)?,? (\d{4}),? (?:at )?)?(\d{1,2}:\d{2}) ?([AP])M\b/;

export function withZone(message: string, timeZone: string | undefined): string {
  const clock = timeZone === undefined ? null : CLOCK.exec(message.slice(0, 4_000));
  if (clock === null) return message;
  const [, month, day, year, time = "", half = ""] = clock;
  const date = month === undefined ? "" : `${month} ${day}, ${year}, `;
  return `${message} (resets ${date}${time}${half.toLowerCase()}m (${timeZone}))`;
}
