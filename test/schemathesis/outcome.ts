/** The fields of schemathesis's report (`--report json`) that are read here. */
export type Report = {
  /** Whether the run finished. */
  complete: boolean
  exit_code: number
  operations: { total: number; tested: number } | null
  phases: Record<string, { status: string; skip_reason: string | null }> | null
  /** `without_checks`: requests to which no check applied. */
  test_cases: { generated: number; with_failures: number; without_checks: number; errored: number }
  errors: { title: string; count: number }[]
  /** Operations by kind of warning. */
  warnings: Record<string, string[]>
  /** By operation and phase: how many well-formed requests were accepted. */
  valid_rates: Record<string, Record<string, { accepted: number }>>
}

export type Outcome = {
  /** Requests with answers that passed every check. */
  passed: number
  failed: number
  /** Reasons why the run shows less than its counts. Each counts as a failure. */
  complaints: string[]
}

const phases = ['examples', 'coverage', 'fuzzing', 'stateful']

/** Warnings that do not weaken the run, with reasons. */
const harmless: Record<string, string> = {
  validation_mismatch: 'most strings that fit the schema of a URL are no URL',
}

/** Operations that refuse generated requests because of their URLs, which are in places that no dictionary reaches. */
const reachedBefore: readonly string[] = ['POST /v1/batches']

/**
 * Operations that accepted none of their well-formed requests in the phase `fuzzing`, late in the run. They accepted
 * some in `coverage` before it.
 */
const neverReached = ({ valid_rates }: Report, operations: readonly string[]): string[] =>
  operations.filter((label) => {
    const phase = reachedBefore.includes(label) ? 'coverage' : 'fuzzing'
    return (valid_rates[label]?.[phase]?.accepted ?? 0) === 0
  })

/**
 * Reads a report. A run has failed if it ended early, or if an operation in it accepted no request.
 * @param operations of the document, such as `GET /v1/me`
 */
export function outcomeOf(report: Report, operations: readonly string[]): Outcome {
  const { test_cases: cases, warnings, errors } = report
  const failed = cases.with_failures + cases.errored
  const complaints = errors.map(({ title, count }) => `${title}: ${count}`)
  if (!report.complete) complaints.push('the run did not come to its end')
  if (report.exit_code !== 0 && failed === 0) complaints.push(`the exit status was ${report.exit_code}`)
  if (report.operations?.tested !== operations.length) complaints.push('not every operation was tested')
  for (const phase of phases) {
    const { status, skip_reason } = report.phases?.[phase] ?? { status: 'absent', skip_reason: null }
    if (!['success', 'failure'].includes(status)) complaints.push(`phase ${phase}: ${skip_reason ?? status}`)
  }
  for (const label of neverReached(report, operations)) complaints.push(`${label}: no request was accepted`)
  for (const [kind, labels] of Object.entries(warnings)) {
    if (labels.length > 0 && !(kind in harmless)) complaints.push(`warning ${kind}: ${labels.join(', ')}`)
  }
  const passed = cases.generated - cases.without_checks - failed
  return { passed, failed: failed + complaints.length, complaints }
}
