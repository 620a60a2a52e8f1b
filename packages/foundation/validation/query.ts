import { invalidRequest } from '#packages/foundation/errors/service-error.ts'
import { instantOf, isDay } from './instant.ts'

/** The query of a request. Unknown parameters are ignored (ops/adr/0001, input). */
export class Query {
  readonly #parameters: URLSearchParams

  /** @param given the request's URL, or only its parameters */
  constructor(given: string | URLSearchParams) {
    this.#parameters = typeof given === 'string' ? new URLSearchParams(queryIn(given)) : given
  }

  /**
   * A text, or undefined if missing.
   * @param maxLength characters
   * @throws ServiceError invalid_request if it is empty, too long or given twice
   */
  text(name: string, maxLength: number): string | undefined {
    const [value, ...more] = this.#parameters.getAll(name)
    if (more.length > 0) throw invalidRequest({ path: name, message: 'must be given once' })
    if (value === '') throw invalidRequest({ path: name, message: 'must not be empty' })
    if (value !== undefined && value.length > maxLength)
      throw invalidRequest({ path: name, message: `must have at most ${maxLength} characters` })
    return value
  }

  /** The first value, whatever it is. Undefined if there is none. */
  any(name: string): string | undefined {
    return this.#parameters.get(name) ?? undefined
  }

  /** @throws ServiceError invalid_request, also if it is missing */
  requiredText(name: string, maxLength: number): string {
    const value = this.text(name, maxLength)
    if (value === undefined) throw invalidRequest({ path: name, message: 'is required' })
    return value
  }

  /** @throws ServiceError invalid_request for anything but a whole number from `min` to `max` */
  integer(name: string, { min, max, fallback }: { min: number; max: number; fallback: number }): number {
    const value = this.text(name, 16)
    if (value === undefined) return fallback
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN
    if (number >= min && number <= max) return number
    throw invalidRequest({ path: name, message: `must be a whole number from ${min} to ${max}` })
  }

  /** One of the values, or undefined if missing. @throws ServiceError invalid_request for any other */
  oneOf<T extends string>(name: string, values: readonly T[]): T | undefined {
    const given = this.text(name, 64)
    const value = values.find((one) => one === given)
    if (given !== undefined && value === undefined)
      throw invalidRequest({ path: name, message: `must be one of ${values.join(', ')}` })
    return value
  }

  /** Some of the values, separated by commas; empty if missing. @throws ServiceError for any other */
  someOf<T extends string>(name: string, values: readonly T[]): T[] {
    const given = this.text(name, 256)?.split(',') ?? []
    const known = values.filter((one) => given.includes(one))
    if (given.some((one) => !known.some((value) => value === one)))
      throw invalidRequest({ path: name, message: `must be one or more of ${values.join(', ')}, separated by commas` })
    return known
  }

  /**
   * An RFC 3339 instant, milliseconds since 1970, or undefined if missing.
   * @throws ServiceError invalid_request for anything else
   */
  instant(name: string): number | undefined {
    const value = this.text(name, 40)
    if (value === undefined) return undefined
    // A plus sign that was not percent-encoded has become a space.
    const instant = instantOf(value.replace(' ', '+'))
    if (instant === undefined)
      throw invalidRequest({ path: name, message: 'must be a time such as 2026-11-21T18:00:00Z' })
    return instant
  }

  /** A day such as 2026-11-21, or undefined if missing. @throws ServiceError invalid_request for anything else */
  day(name: string): string | undefined {
    const value = this.text(name, 16)
    if (value === undefined || isDay(value)) return value
    throw invalidRequest({ path: name, message: 'must be a day such as 2026-11-21' })
  }
}

/** The part of a request's URL after the first question mark. */
export const queryIn = (requestUrl: string): string => requestUrl.split(/\?(.*)/s)[1] ?? ''
