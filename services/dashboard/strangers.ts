import type { IncomingHttpHeaders } from 'node:http'
import { linkPaths } from '#packages/accounts/links.ts'
import type { Sessions } from '#packages/accounts/sessions.ts'
import { sessionTokenOf } from './http/session-cookie.ts'

/**
 * What the ingress must know of the dashboard before it lets somebody without a session in.
 * @param path of the dashboard in the ingress
 */
export const strangersAt = (path: string, sessions: Pick<Sessions, 'who'>) => ({
  path,
  assets: '/assets/',
  signIn: [linkPaths.signIn, linkPaths.provider, '/provider'].map((page) => path + page),
  async knows(headers: IncomingHttpHeaders): Promise<boolean> {
    const token = sessionTokenOf(headers)
    return token !== undefined && (await sessions.who(token)) !== undefined
  },
})
