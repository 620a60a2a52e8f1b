import type { IncomingHttpHeaders } from 'node:http'
import { parseCookie } from 'cookie'
import type { Response } from 'express'
import type { ProviderSignIn } from '../route.ts'
import { cookieAttributes } from './session-cookie.ts'

const NAME = '__Host-provider'

/** As long as the sign-in itself lasts (packages/accounts/providers.ts), milliseconds. */
const MAX_AGE_MS = 10 * 60 * 1000

/** The sign-in that this browser has begun, and no other: nobody is signed in by a link that somebody else made. */
export function providerSignInOf({ cookie }: IncomingHttpHeaders): ProviderSignIn | undefined {
  const [, state, next] = /^([\w-]+) (\/.*)$/.exec(parseCookie(cookie ?? '')[NAME] ?? '') ?? []
  return state === undefined || next === undefined ? undefined : { state, next }
}

export function setProviderSignIn(response: Response, signIn: ProviderSignIn | null): void {
  if (signIn === null) response.clearCookie(NAME, cookieAttributes)
  else response.cookie(NAME, `${signIn.state} ${signIn.next}`, { ...cookieAttributes, maxAge: MAX_AGE_MS })
}
