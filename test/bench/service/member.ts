import { captionsOf, writePastJob } from '#test/doubles/service/past-results.ts'
import type { Setting } from '#test/doubles/service/setting.ts'
import { signUp } from '#test/doubles/service/sign-up.ts'
import { until } from '#test/doubles/service/until.ts'

/**
 * A signed-in member of an organization with large results. `page`, `call`: a request for a path, by the cookie or by
 * the key.
 */
export type Member = {
  orgId: string
  jobIds: readonly string[]
  page(path: string): string
  call(path: string): string
}

const RESULT_BYTES = 1_900_000
const JOBS = 8

/** Signs up, and writes past jobs with results of the largest size. */
export async function memberWithResults(setting: Setting): Promise<Member> {
  const { client, cookie } = await signUp(setting, 'large@example.com')
  const { orgId, key } = client
  const past = { orgId, kind: 'transcript', results: [captionsOf(RESULT_BYTES)], ends: true } as const
  const door = await setting.backDoor()
  const jobIds: string[] = []
  for (let n = 0; n < JOBS; n++) jobIds.push(await writePastJob(door, past))
  const call = (path: string): string => `GET ${path} HTTP/1.1\r\nX-API-Key: ${key}`
  const page = (path: string): string => `GET /dashboard/org/${orgId}${path} HTTP/1.1\r\nCookie: ${cookie}`
  const last = `/v1/transcript/${jobIds.at(-1)}`
  await until('the last result is shown', async () => (await client.get(last)).body.status === 'completed')
  return { orgId, jobIds, page, call }
}

/** Its pages and files, the heaviest that the service sends a member. */
export const heavyPages = ({ jobIds, page }: Member): string[] =>
  jobIds.flatMap((id) =>
    ['', '/transcript.json', '/transcript.srt', '?find=late'].map((of) => page(`/jobs/${id}${of}`)),
  )

/** Polls of its jobs, in JSON and as subtitles. */
export const heavyPolls = ({ jobIds, call }: Member): string[] =>
  jobIds.flatMap((id) =>
    ['application/json', 'text/vtt'].map((type) => `${call(`/v1/transcript/${id}`)}\r\nAccept: ${type}`),
  )
