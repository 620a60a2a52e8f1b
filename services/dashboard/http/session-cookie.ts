import type { IncomingHttpHeaders } from 'node:http'
import { parseCookie } from 'cookie'
import type { Response } from 'express'
import { SESSION_LASTS_MS } from '#packages/accounts/people/sessions.ts'
import type { SetSession } from '../route.ts'

/** `__Host-`: browsers accept it only over TLS or from this machine, and no other host can set it. */
const NAME = '__Host-session'

/** For every cookie of the dashboard. Lax: browsers send it along with links from other sites, but not with forms. */
export const cookieAttributes = { httpOnly: true, secure: true, sameSite: 'lax', path: '/' } as const

/** The session's token; undefined if there is none. */
export const sessionTokenOf = ({ cookie }: IncomingHttpHeaders): string | undefined => parseCookie(cookie ?? '')[NAME]

export function setSession(response: Response, session: SetSession): void {
  if (session === null) response.clearCookie(NAME, cookieAttributes)
  else response.cookie(NAME, session, { ...cookieAttributes, maxAge: SESSION_LASTS_MS })
}
