/** The heaviest requests that the limits of each page of the dashboard let through. */
import type { Route } from '#services/dashboard/route.ts'
import type { Heavy, Holdings } from './heaviest.ts'

const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }

/** Of a form that anybody may send, and of one that is a call of `/v1`, bytes. */
const [FORM, CALL] = [16_000, 190_000]

const fill = (piece: string, length: number): string => piece.repeat(Math.floor(length / piece.length))

/** A page is named by its method and its path, as the router has it. */
export const pagesOf = (routes: readonly Route[]): string[] =>
  routes.flatMap(({ path, get, post }) => [...(get ? [`get ${path}`] : []), ...(post ? [`post ${path}`] : [])])

export function heaviestOf(page: string, { transcriptId, extractionId, keyIds }: Holdings, orgId: string): Heavy[] {
  const [method = '', path = ''] = page.split(' ')
  const base = `/dashboard${path.replace(':orgId', orgId).replace(':keyId', keyIds[0] ?? '')}`
  const paths = [transcriptId, extractionId].map((id) => base.replace(':jobId', id).replaceAll(/:\w+/g, id))
  if (method === 'get')
    return [...new Set(paths)].flatMap((each) => queries(each).map((query) => ({ path: each + query })))
  const room = path.includes('/try') ? CALL : FORM
  const bodies = [fill('a&', room), `url=https://example.com/a.mp4&prompt=${fill('%C3%9F', room - 100)}`]
  return [...new Set(paths)].flatMap((each) => bodies.map((body) => ({ path: each, body, headers: form })))
}

const queries = (path: string): string[] =>
  /\/jobs\/[^/]+$/.test(path) ? ['', '?find=e', '?page=999'] : ['', `?${fill('a&', 8000)}`]
