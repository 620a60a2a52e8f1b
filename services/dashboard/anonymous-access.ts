import type { IncomingHttpHeaders } from 'node:http'
import { linkPaths } from '#packages/accounts/people/links.ts'
import type { Sessions } from '#packages/accounts/people/sessions.ts'
import { sessionTokenOf } from './http/session-cookie.ts'
import type { Visitor } from './route.ts'

/**
 * Lets the ingress recognize visitors with a session, and lists the pages that visitors without one may request.
 * @param path the dashboard's path in the ingress
 */
export const anonymousAccess = (path: string, sessions: Pick<Sessions, 'who' | 'held'>) => ({
  path,
  front: '/front',
  assets: '/assets/',
  signIn: [linkPaths.signIn, linkPaths.provider, '/provider', linkPaths.code].map((page) => path + page),
  async visitorOf(headers: IncomingHttpHeaders): Promise<Visitor | undefined> {
    const token = sessionTokenOf(headers)
    return token === undefined ? undefined : sessions.who(token)
  },
  heldVisitor(headers: IncomingHttpHeaders): string | undefined {
    const token = sessionTokenOf(headers)
    return token === undefined ? undefined : sessions.held(token)
  },
})
