/** What strangers wrote is shown as far as a page stays light; the files have all of it. */

/** Signs that take up to six bytes each in HTML. */
const escaped = /[&<"]/g

/** What a text weighs in HTML, bytes. */
export const htmlBytes = (text: string): number => Buffer.byteLength(text) + 5 * (text.match(escaped)?.length ?? 0)

/** The beginning of a text that weighs about so many bytes in HTML at most. */
export function cutTo(text: string, bytes: number): string {
  const weight = htmlBytes(text)
  return weight <= bytes ? text : `${text.slice(0, Math.floor((text.length * bytes) / weight))}…`
}
