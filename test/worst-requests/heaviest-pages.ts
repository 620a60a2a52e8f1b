/** The heaviest requests that the limits of each page of the dashboard let through. */
import { serveDashboard } from '#services/dashboard/served-dashboard.harness.ts'
import { fill, type Heavy, type Holdings } from './heaviest.ts'

const form = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' }

/** The limits of forms, bytes: one that anybody may send, one that makes a call of `/v1`, and one with a list. */
const [FORM, CALL, LONG] = [16_000, 190_000, 500_000]

/** Every page of the dashboard, by its method and its path, as the router names it. */
export async function pages(): Promise<string[]> {
  await using dashboard = await serveDashboard()
  return dashboard.routes.flatMap(({ path, get, post }) => [
    ...(get ? [`get ${path}`] : []),
    ...(post ? [`post ${path}`] : []),
  ])
}

/** Its name in the table, below the dashboard's path. */
export const shownPage = (page: string): string => page.replace(' ', ' /dashboard').replace(/\/$/, '')

export function heaviestOf(
  page: string,
  { transcriptId, extractionId, keyIds, webhookId, batchId, watchId }: Holdings,
  orgId: string,
): Heavy[] {
  const [method = '', path = ''] = page.split(' ')
  const own = path
    .replace(':orgId', orgId)
    .replace(':keyId', keyIds[0] ?? '')
    .replace(':webhookId', webhookId)
    .replace(':batchId', batchId)
    .replace(':watchId', watchId)
  const base = `/dashboard${own}`
  const paths = [transcriptId, extractionId].map((id) => base.replace(':jobId', id).replaceAll(/:\w+/g, id))
  if (method === 'get')
    return [...new Set(paths)].flatMap((each) => queries(each).map((query) => ({ path: each + query })))
  const room = path.endsWith('/batches/new') ? LONG : path.includes('/try') ? CALL : FORM
  const bodies = [fill('a&', room), `url=https://example.com/a.mp4&prompt=${fill('%C3%9F', room - 100)}`]
  return [...new Set(paths)].flatMap((each) => bodies.map((body) => ({ path: each, body, headers: form })))
}

const queries = (path: string): string[] =>
  /\/jobs\/[^/]+$/.test(path) ? ['', '?find=e', '?page=999'] : ['', `?${fill('a&', 8000)}`]
