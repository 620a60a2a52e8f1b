/** The seconds in `11:20` or `1:02:03`; null for anything else. */
export function secondsOfClock(text: string | null): number | null {
  if (text === null || !/^\d{1,3}(?::[0-5]?\d){1,2}$/.test(text)) return null
  return text.split(':').reduce((seconds, part) => seconds * 60 + Number(part), 0)
}

/** A time as ISO 8601 in UTC. A time without a zone counts as UTC. Null for any other text. */
export function toIsoTime(text: string | null): string | null {
  if (text === null || !/^\d{4}-\d\d-\d\d/.test(text)) return null
  const hasZone = /(?:Z|[+-]\d\d:?\d\d)$/i.test(text) || !text.includes('T')
  const at = Date.parse(hasZone ? text : `${text}Z`)
  return Number.isNaN(at) ? null : new Date(at).toISOString()
}
