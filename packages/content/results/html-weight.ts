/** Untrusted text is shown only as far as a page stays light. The files contain all of it. */

/** Characters that take up to six bytes each in HTML. */
const escaped = /[&<"]/g

/** The size of a text in HTML, bytes. */
export const htmlBytes = (text: string): number => Buffer.byteLength(text) + 5 * (text.match(escaped)?.length ?? 0)

/** The beginning of a text, of at most about this many bytes in HTML. */
export function cutTo(text: string, bytes: number): string {
  const weight = htmlBytes(text)
  return weight <= bytes ? text : `${text.slice(0, Math.floor((text.length * bytes) / weight))}…`
}
