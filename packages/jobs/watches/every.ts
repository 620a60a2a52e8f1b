/** How often a watch may look, by its name, seconds. Each divides a day, so that equal sources are read together. */
export const periods = {
  '15m': 900,
  '30m': 1800,
  '1h': 3600,
  '2h': 7200,
  '3h': 10_800,
  '6h': 21_600,
  '12h': 43_200,
  '1d': 86_400,
} as const

export type Every = keyof typeof periods

export const everyNames = Object.keys(periods) as Every[]

/** @param seconds one of the periods */
export const everyOf = (seconds: number): Every => everyNames.find((name) => periods[name] === seconds) ?? '1d'
