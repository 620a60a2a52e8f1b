/**
 * What a receiver asks for by `Retry-After`: seconds, or an HTTP date.
 * @param now milliseconds since 1970
 * @returns seconds; null where it asks for nothing that can be read
 */
export function retryAfterSecondsOf(header: string | string[] | undefined, now: number): number | null {
  const text = (Array.isArray(header) ? header[0] : header)?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text)
  // Only dates of HTTP: Date.parse takes much else for one.
  const at = text.endsWith('GMT') ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? null : Math.max(0, (at - now) / 1000)
}
