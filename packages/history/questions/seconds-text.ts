/** A duration in milliseconds as text for people: `0.012 s`, `2 min 05 s`, `3 h 07 min`. */
export function secondsText(ms: number): string {
  if (ms < 60_000) return `${(ms / 1000).toFixed(3)} s`
  const seconds = Math.round(ms / 1000)
  const two = (value: number): string => String(value).padStart(2, '0')
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${two(seconds % 60)} s`
  return `${Math.floor(seconds / 3600)} h ${two(Math.floor((seconds % 3600) / 60))} min`
}
