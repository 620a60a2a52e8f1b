import { invalidRequest } from '#packages/errors/service-error.ts'

/** The query of a request. Unknown parameters are ignored (ops/adr/0001, input). */
export class Query {
  readonly #parameters: URLSearchParams

  constructor(requestUrl: string) {
    const [, query = ''] = requestUrl.split(/\?(.*)/s)
    this.#parameters = new URLSearchParams(query)
  }

  /**
   * A text, or undefined where it is not given.
   * @param maxLength characters
   * @throws ServiceError invalid_request where it is empty, too long or given twice
   */
  text(name: string, maxLength: number): string | undefined {
    const [value, ...more] = this.#parameters.getAll(name)
    if (more.length > 0) throw invalidRequest({ path: name, message: 'must be given once' })
    if (value === '') throw invalidRequest({ path: name, message: 'must not be empty' })
    if (value !== undefined && value.length > maxLength)
      throw invalidRequest({ path: name, message: `must have at most ${maxLength} characters` })
    return value
  }

  /** @throws ServiceError invalid_request, also where it is not given */
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

  /** One of the values, or undefined where it is not given. @throws ServiceError invalid_request for any other */
  oneOf<T extends string>(name: string, values: readonly T[]): T | undefined {
    const given = this.text(name, 64)
    const value = values.find((one) => one === given)
    if (given !== undefined && value === undefined)
      throw invalidRequest({ path: name, message: `must be one of ${values.join(', ')}` })
    return value
  }

  /** Some of the values, separated by commas; none where it is not given. @throws ServiceError for any other */
  someOf<T extends string>(name: string, values: readonly T[]): T[] {
    const given = this.text(name, 256)?.split(',') ?? []
    const known = values.filter((one) => given.includes(one))
    if (given.some((one) => !known.some((value) => value === one)))
      throw invalidRequest({ path: name, message: `must be some of ${values.join(', ')}, separated by commas` })
    return known
  }
}
