/**
 * The wait that a receiver requests with `Retry-After`: seconds, or an HTTP date.
 * @param now milliseconds since 1970
 * @returns seconds; null if there is no readable wait
 */
export function retryAfterSecondsOf(header: string | string[] | undefined, now: number): number | null {
  const text = (Array.isArray(header) ? header[0] : header)?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text)
  // Only HTTP dates: Date.parse accepts much else.
  const at = text.endsWith('GMT') ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? null : Math.max(0, (at - now) / 1000)
}
