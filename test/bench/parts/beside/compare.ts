import { times } from '../../kit/figures.ts'
import { median } from '../../kit/percentiles.ts'
import { ratioOf } from '../../kit/rounds.ts'
import type { Row } from '../../part.ts'

/** This checkout. */
export const here = new URL('../../../../', import.meta.url)

/** The share by which this checkout may be worse than the other one. */
const WORSE_AT_MOST = 0.1

const rowOf = (what: string, unit: (value: number) => string, ours: number[], theirs: number[]) => ({
  what,
  measured: unit(median(ours)),
  against: `the other checkout: ${unit(median(theirs))}`,
  ratio: times(ratioOf(ours, theirs)),
})

/** A row for a figure of both checkouts, measured in turn. More is better. */
export const moreIsBetter = (...measured: Parameters<typeof rowOf>): Row => ({
  ...rowOf(...measured),
  wanted: `≥ ${times(1 - WORSE_AT_MOST)}`,
  met: ratioOf(measured[2], measured[3]) >= 1 - WORSE_AT_MOST,
})

/** A row for a figure of both checkouts, measured in turn. Less is better. */
export const lessIsBetter = (...measured: Parameters<typeof rowOf>): Row => ({
  ...rowOf(...measured),
  wanted: `≤ ${times(1 + WORSE_AT_MOST)}`,
  met: ratioOf(measured[2], measured[3]) <= 1 + WORSE_AT_MOST,
})
