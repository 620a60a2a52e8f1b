import type { IncomingHttpHeaders } from 'node:http'
import { parseCookie } from 'cookie'
import type { Response } from 'express'
import type { SignInUnderWay } from '../route.ts'
import { cookieAttributes } from './session-cookie.ts'

const NAME = '__Host-sign-in'

/** As long as the sign-in itself lasts (packages/accounts/people: providers.ts, second-factors.ts), milliseconds. */
const MAX_AGE_MS = 10 * 60 * 1000

/** Binds a sign-in to the browser that began it, so a link from a sign-in in another browser has no effect. */
export function signInUnderWayOf({ cookie }: IncomingHttpHeaders): SignInUnderWay | undefined {
  const [, state, next] = /^([\w-]+) (\/.*)$/.exec(parseCookie(cookie ?? '')[NAME] ?? '') ?? []
  return state === undefined || next === undefined ? undefined : { state, next }
}

export function setSignInUnderWay(response: Response, signIn: SignInUnderWay | null): void {
  if (signIn === null) response.clearCookie(NAME, cookieAttributes)
  else response.cookie(NAME, `${signIn.state} ${signIn.next}`, { ...cookieAttributes, maxAge: MAX_AGE_MS })
}
