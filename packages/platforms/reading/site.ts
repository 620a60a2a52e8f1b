import { ask, type Question } from '#packages/egress/ask.ts'
import type { Egress } from '#packages/egress/egress.ts'
import { EgressError, isPassing } from '#packages/egress/egress-error.ts'
import { StepError } from '#packages/foundation/errors/step-error.ts'
import type { Logger } from '#packages/telemetry/log.ts'
import { PlatformRefusal } from '../breakers/platform-refusal.ts'
import { type Drift, type Shape, ShapeError } from './shape.ts'

/** The source of an answer, for error messages and the log. */
export type Site = { platform: string; operation: 'search' | 'profile' | 'list' | 'oembed' | 'video'; label: string }

/** The fields of an answer that have drifted. */
export type DriftReport = { platform: string; operation: Site['operation']; drift: readonly Drift[] }

/** Called for every answer with drifted fields, even if the rest could be read. */
export type SiteReport = (report: DriftReport) => void

/** An answer with its whole text. */
export type SiteAnswer = { status: number; url: URL; text: string }

/** The name of this service in requests that do not imitate another program. */
export const OWN_NAME = 'video-intelligence-service'

const MAX_BYTES = 8 * 1024 * 1024
const DEADLINE_MS = 10_000

/**
 * Sends a request without imitating a browser, and reads the answer: at most 8 MB, within 10 seconds. The caller sets
 * the headers that name the client: this service, or the app that the interface belongs to.
 * @throws StepError `platform_blocked` for 403 and 429, `upstream_error` if the site is down or unreachable
 */
export async function askSite(
  { label }: Site,
  egress: Egress,
  url: string,
  question: Pick<Question, 'method' | 'headers' | 'body' | 'signal'>,
): Promise<SiteAnswer> {
  try {
    const answer = await ask(egress, url, { ...question, maxBytes: MAX_BYTES, deadlineMs: DEADLINE_MS })
    const failure = failureOfStatus(label, answer.status)
    if (failure) throw failure
    return { status: answer.status, url: new URL(answer.url), text: answer.text }
  } catch (error) {
    throw error instanceof EgressError ? failureOfEgress(label, error) : error
  }
}

/**
 * Parses an answer and reports its drifted fields.
 * @throws StepError `upstream_error` with the ShapeError as its cause, if a required field is missing
 */
export function parseAnswer<T>(
  { platform, operation, label }: Site,
  shape: Shape,
  report: SiteReport,
  parse: (shape: Shape) => T,
): T {
  try {
    const parsed = parse(shape)
    const drift = shape.drift()
    if (drift.length > 0) report({ platform, operation, drift })
    return parsed
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error
    report({ platform, operation, drift: [error.drift] })
    throw unknownForm(label, error)
  }
}

/** Nothing in the answer can be read: the platform has changed. */
export const unknownForm = (label: string, cause?: unknown): StepError =>
  new StepError('upstream_error', { message: `${label} answers in a form that is not known.`, cause })

const refuses = (label: string): string => `${label} refuses to answer this service at the moment.`

/** The site refuses this exit address, whatever is requested. Another address or a later time may work. */
export const blocked = (label: string): StepError => new PlatformRefusal({ message: refuses(label) })

/** The site shows this only to signed-in users, or not to addresses that it distrusts. */
export const signInWall = (label: string): StepError =>
  new StepError('platform_blocked', { transient: true, message: refuses(label) })

/** There is no such profile. */
export const noProfile = (): StepError => new StepError('profile_not_found')

/** The parsed value of a JSON text; undefined when it is not JSON. */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // not JSON: the answer's status and text show the caller why
    return undefined
  }
}

/** The values of a page's scripts of type JSON that have one of the given marks in their tag or text. */
export function jsonScripts(html: string, ...marks: string[]): unknown[] {
  const found: unknown[] = []
  const tag = /<script\b[^<>]{0,1000}>/gi
  for (let match = tag.exec(html); match; match = tag.exec(html)) {
    const end = html.indexOf('</script', tag.lastIndex)
    if (end === -1) break
    const isJson = /\btype=["']?application\/json\b/i.test(match[0])
    const script = html.slice(match.index, end)
    if (isJson && marks.some((mark) => script.includes(mark))) found.push(jsonOf(html.slice(tag.lastIndex, end)))
    tag.lastIndex = end
  }
  return found
}

/** `platform_blocked` for 403 and 429, `upstream_error` for a site that is down, else undefined. */
export function failureOfStatus(label: string, status: number): StepError | undefined {
  if (status === 403 || status === 429) return blocked(label)
  if (status < 500) return undefined
  return new StepError('upstream_error', { transient: true, message: `${label} answered ${status}.` })
}

function failureOfEgress(label: string, error: EgressError): StepError {
  if (error.reason === 'too_many_redirects') return signInWall(label)
  const message = `${label} cannot be reached.`
  return new StepError('upstream_error', { transient: isPassing(error), message, cause: error })
}

/** Logs changed answers for operators. */
export const reportTo =
  (log: Logger): SiteReport =>
  (report) =>
    log.warn({ ...report }, "a platform's answer has changed: fields are missing")
