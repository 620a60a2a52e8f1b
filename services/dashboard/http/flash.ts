import type { IncomingHttpHeaders } from 'node:http'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { parseCookie } from 'cookie'
import type { Response } from 'express'
import type { Clock } from '#packages/ports/clock.ts'
import type { Sealer } from '#packages/secrets/sealer.ts'
import type { Flash } from '../route.ts'
import { cookieAttributes } from './session-cookie.ts'

const NAME = '__Host-flash'

/** A secret is not kept by a browser for longer. */
const LASTS_MS = 60_000

/** With the other headers of an answer it has to fit into the 4 kB that proxies have for them. */
const MAX_CHARACTERS = 2600

const MAX_INFLATED_BYTES = 256 * 1024

/** `path`: of the page that it is for, with its query. `until`: milliseconds since 1970. */
type Sealed = { path: string; until: number; flash: Flash }

/**
 * What the answer to a form hands to the page that it leads to. It travels in a sealed cookie of one minute, which the
 * page takes away: a reload shows it no more and sends nothing again, and every process that serves can read it.
 */
export class Flashes {
  readonly #sealer: Sealer
  readonly #clock: Clock

  constructor({ sealer, clock }: { sealer: Sealer; clock: Clock }) {
    this.#sealer = sealer
    this.#clock = clock
  }

  set(response: Response, path: string, flash: Flash): void {
    const whole = this.#sealed(path, flash)
    const { typed: _, ...rest } = flash
    // A whole schema may have been typed: why it was refused is told without it.
    const value = fits(whole) ? whole.text : this.#sealed(path, { ...rest, isCut: true }).text
    response.cookie(NAME, value, { ...cookieAttributes, maxAge: LASTS_MS })
  }

  /** Undefined where none is meant for this page. */
  in({ cookie }: IncomingHttpHeaders, path: string): Flash | undefined {
    const value = parseCookie(cookie ?? '')[NAME]
    const text = value === undefined ? undefined : this.#sealer.unseal('flash', value)
    if (text === undefined) return undefined
    const json = inflateRawSync(Buffer.from(text, 'base64'), { maxOutputLength: MAX_INFLATED_BYTES }).toString()
    const sealed = JSON.parse(json) as Sealed
    return sealed.path === path && this.#clock.now() < sealed.until ? sealed.flash : undefined
  }

  clear(response: Response): void {
    response.clearCookie(NAME, cookieAttributes)
  }

  #sealed(path: string, flash: Flash): { text: string; bytes: number } {
    const sealed: Sealed = { path, until: this.#clock.now() + LASTS_MS, flash }
    const json = Buffer.from(JSON.stringify(sealed))
    return { text: this.#sealer.seal('flash', deflateRawSync(json).toString('base64')), bytes: json.length }
  }
}

/** Two hundred thousand equal characters fit into a cookie, and not into what is read of it. */
const fits = ({ text, bytes }: { text: string; bytes: number }): boolean =>
  text.length <= MAX_CHARACTERS && bytes <= MAX_INFLATED_BYTES
