import type { IncomingHttpHeaders } from 'node:http'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { parseCookie } from 'cookie'
import type { Response } from 'express'
import type { Sealer } from '#packages/foundation/secrets/sealer.ts'
import type { Clock } from '#packages/ports/clock.ts'
import type { Flash } from '../route.ts'
import type { FlashedError } from './flashed-error.ts'
import { cookieAttributes } from './session-cookie.ts'

const NAME = '__Host-flash'

/** Browsers keep a flash, which may hold a secret, no longer than this. */
const LASTS_MS = 60_000

/** Together with the answer's other headers, it must fit into the 4 kB that proxies reserve for headers. */
const MAX_CHARACTERS = 2600

/** The most that is deflated or inflated, bytes. A megabyte of one letter would fit into the cookie. */
const MAX_JSON_BYTES = 64 * 1024

/** `path`: the page that it is for, with its query. `until`: milliseconds since 1970. */
type Sealed = { path: string; until: number; flash: Flash }

/**
 * What the answer to a form hands to the page that it redirects to. It travels in a sealed cookie that is valid for one
 * minute. Every process can read it. The page deletes the cookie, so a reload does not show it or send the form again.
 */
export class Flashes {
  readonly #sealer: Sealer
  readonly #clock: Clock

  constructor({ sealer, clock }: { sealer: Sealer; clock: Clock }) {
    this.#sealer = sealer
    this.#clock = clock
  }

  set(response: Response, path: string, flash: Flash): void {
    const value = this.#firstThatFits(path, [flash, withoutTyped(flash), withBriefError(withoutTyped(flash))])
    // Browsers drop a longer cookie. The next page is then shown without the flash.
    if (value !== undefined) response.cookie(NAME, value, { ...cookieAttributes, maxAge: LASTS_MS })
  }

  /** Undefined if there is none for this page. */
  in({ cookie }: IncomingHttpHeaders, path: string): Flash | undefined {
    const value = parseCookie(cookie ?? '')[NAME]
    const bytes = value === undefined ? undefined : this.#sealer.unseal('flash', value)
    if (bytes === undefined) return undefined
    const json = inflateRawSync(bytes, { maxOutputLength: MAX_JSON_BYTES }).toString()
    const sealed = JSON.parse(json) as Sealed
    return sealed.path === path && this.#clock.now() < sealed.until ? sealed.flash : undefined
  }

  clear(response: Response): void {
    response.clearCookie(NAME, cookieAttributes)
  }

  #firstThatFits(path: string, flashes: readonly Flash[]): string | undefined {
    for (const flash of flashes) {
      const value = this.#sealed(path, flash)
      if (value !== undefined) return value
    }
    return undefined
  }

  /** Undefined if it is too long for a cookie. */
  #sealed(path: string, flash: Flash): string | undefined {
    const sealed: Sealed = { path, until: this.#clock.now() + LASTS_MS, flash }
    const json = Buffer.from(JSON.stringify(sealed))
    if (json.length > MAX_JSON_BYTES) return undefined
    const value = this.#sealer.seal('flash', deflateRawSync(json))
    return value.length <= MAX_CHARACTERS ? value : undefined
  }
}

/** Input can be as long as a schema. Then the refusal is handed over without it. */
const withoutTyped = ({ typed: _, ...rest }: Flash): Flash => ({ ...rest, isCut: true })

/** Characters of an error's message, if all of it does not fit. */
const MAX_MESSAGE_CHARACTERS = 500

/** An error can name a long list of fields. Then it is handed over without the list. */
function withBriefError({ error, answered, ...rest }: Flash): Flash {
  return {
    ...rest,
    ...(error && { error: brief(error) }),
    ...(answered && { answered: { ...answered, ...(answered.error && { error: brief(answered.error) }) } }),
  }
}

const brief = (error: FlashedError): FlashedError => ({
  ...error,
  message:
    error.message.length > MAX_MESSAGE_CHARACTERS
      ? `${error.message.slice(0, MAX_MESSAGE_CHARACTERS)}…`
      : error.message,
  details: null,
})
