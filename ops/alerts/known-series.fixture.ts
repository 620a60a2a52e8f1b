import { exported, type Known, partsOf } from '#ops/prometheus/complaints.fixture.ts'
import type { Recording } from './objectives.ts'
import { isAlert, ruleGroups } from './rules.ts'

const recordings = ruleGroups().flatMap(({ rules }) => rules.filter((rule): rule is Recording => !isAlert(rule)))

/** The series that a query may read: exported metrics, and the series that the rules record. */
export const known: Known = new Map([
  ...exported,
  ...recordings.map(({ record, expr }) => [record, partsOf(expr).grouped] as const),
])
