const units = [
  ['h', 3600],
  ['m', 60],
  ['s', 1],
] as const

/** Writes seconds as Prometheus does, in the largest unit that fits: `6h`, `30m`, `90s`, `500ms`. */
export function durationOf(seconds: number): string {
  const [letter, size] = units.find(([, size]) => seconds % size === 0) ?? ['ms', 0.001]
  return `${Math.round(seconds / size)}${letter}`
}
