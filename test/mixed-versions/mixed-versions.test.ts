/** The release before this one: in turn with this one on a data folder, and beside it on one event store. */
import { expect } from 'chai'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { DoubleProcess } from '#test/doubles/eventstoredb/double-process.ts'
import { type ChatEndpoint, startChatEndpoint } from '#test/doubles/llm/chat-endpoint.ts'
import { audit } from '#test/doubles/service/audit.ts'
import { type AnswerBody, Client } from '#test/doubles/service/client.ts'
import { Service } from '#test/doubles/service/service.ts'
import { at, Setting } from '#test/doubles/service/setting.ts'
import { until } from '#test/doubles/service/until.ts'
import { leaveOut } from '#test/runner/left-out.ts'
import { checkedOut, commitBefore } from './release-before.ts'

/** How jobs of a customer were answered, by their paths. */
type Answers = Record<string, AnswerBody>

const schema = { type: 'object', properties: { topic: { type: 'string' } }, required: ['topic'] }

/** A transcript that succeeds, one that fails, and an extraction that fails after the model has answered. */
async function runJobs(me: Client): Promise<Answers> {
  const url = at('/captioned.mp4')
  const posts: [string, object][] = [
    ['/v1/transcript', { url, mode: 'native' }],
    ['/v1/transcript', { url: at('/missing.mp4'), mode: 'native' }],
    ['/v1/extract', { url, prompt: 'What is it about?', schema }],
  ]
  const answered = posts.map(async ([path, request]) => {
    const { status, body, text } = await me.post(path, request)
    expect(status, text).to.equal(202)
    return [`${path}/${body.jobId}`, (await me.ended(body.jobId ?? '', 90, path)).body] as const
  })
  const answers: Answers = Object.fromEntries(await Promise.all(answered))
  expect(Object.values(answers).map(({ status }) => status)).to.deep.equal(['completed', 'failed', 'failed'])
  return answers
}

async function answersOf(me: Client, paths: readonly string[]): Promise<Answers> {
  const polls = paths.map(async (path) => [path, (await me.get(path)).body] as const)
  return Object.fromEntries(await Promise.all(polls))
}

/** What failed extractions used, by their JobFailed events. */
const usedByFailures = (events: readonly StoredEvent[]) =>
  events.flatMap((event) => (event.type === 'JobFailed' && event.data.kind === 'extraction' ? [event.data.used] : []))

function mixedVersions(commit: string): void {
  let old: Awaited<ReturnType<typeof checkedOut>>
  let model: ChatEndpoint
  before(async () => {
    old = await checkedOut(commit)
    model = await startChatEndpoint({ reply: () => '{}' })
  })
  after(async () => {
    await model?.close()
    await old?.[Symbol.asyncDispose]()
  })

  const start = (env: Record<string, string>) =>
    Setting.start({ media: ['captioned.mp4'], env: { LLM_BASE_URL: model.baseUrl, EVENTS_FORMAT: '1', ...env } })

  it('takes turns with this one on a data folder, as long as events are written in its format', async () => {
    await using setting = await start({})
    const { service } = setting
    const me = await setting.client({ plan: 'pro' })
    expect(
      (await me.post('/v1/keys', { name: 'limited', scopes: ['read'] })).status,
      'format 1 would lose it',
    ).to.equal(503)
    const known = await runJobs(me)
    const startAgain = async (options: Parameters<Service['start']>[0]): Promise<void> => {
      await setting.closeBackDoor()
      expect(await service.end('SIGTERM')).to.include({ code: 0 })
      await service.start(options)
      expect(await answersOf(me, Object.keys(known))).to.deep.equal(known)
      Object.assign(known, await runJobs(me))
    }
    await startAgain({ code: old.path })
    await startAgain({})
    await startAgain({ env: { EVENTS_FORMAT: '2' } })
    await startAgain({})
    const events = await setting.rest()
    const used = { tokens: { input: 300, output: 60 }, audioSeconds: 0 }
    expect(usedByFailures(events)).to.deep.equal([null, null, null, used, null])
    expect(audit(events).complaints).to.deep.equal([])
  })

  it('works beside this one over one event store, and either alone goes on with what both have written', async () => {
    await using double = await DoubleProcess.start()
    await using setting = await start({ EVENT_STORE_URL: double.url })
    const env = { EVENT_STORE_URL: double.url, LLM_BASE_URL: model.baseUrl }
    await using other = await Service.prepare({ world: setting.world, env })
    await other.start({ code: old.path })
    const here = await setting.client({ plan: 'pro' })
    const there = new Client(() => other.base, here)
    const [accepted, acceptedThere] = await Promise.all([runJobs(here), runJobs(there)])
    const all = { ...accepted, ...acceptedThere }
    const seenBy = async (me: Client): Promise<void> => {
      const ends = await Promise.all(Object.keys(all).map((path) => endOf(me, path)))
      expect(ends).to.deep.equal(Object.values(all))
    }
    await seenBy(here)
    await seenBy(there)
    await setting.service.end('SIGTERM')
    Object.assign(all, await runJobs(there))
    await setting.service.start()
    await other.end('SIGTERM')
    await seenBy(here)
    Object.assign(all, await runJobs(here))
    const events = await setting.rest()
    expect(audit(events).complaints).to.deep.equal([])
    expect(usedByFailures(events)).to.deep.equal([null, null, null, null])

    // Why the format is raised last: a process that does not know it stops at the first event that is written in it.
    await setting.service.end('SIGTERM')
    await setting.service.start({ env: { EVENTS_FORMAT: '2' } })
    await runJobs(here)
    await other.start({ code: old.path }).catch(() => {})
    await until('the release before stops', () => !other.runs)
    expect(other.output).to.contain('version 2')
  })
}

/** The end of a job as the asked service answers it, once its own view has it. */
const endOf = async (me: Client, path: string): Promise<AnswerBody> =>
  (await me.ended(path.slice(path.lastIndexOf('/') + 1), 90, path.slice(0, path.lastIndexOf('/')))).body

const commit = commitBefore()
if (typeof commit === 'string')
  describe('the release before this one', function () {
    this.timeout(300_000)
    mixedVersions(commit)
  })
else
  leaveOut(commit, () => {
    it('the release before works together with this one', () => {})
  })
