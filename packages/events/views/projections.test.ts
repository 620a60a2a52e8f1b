import { expect } from 'chai'
import fc from 'fast-check'
import type { EventData, EventType } from '#contracts/generated/events.ts'
import { nothingUsedYet, type Used } from '#packages/domain/job/used.ts'
import { fullGrant } from '#packages/domain/key/grant.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import type { Document, Stored } from '#packages/ports/views.ts'
import { readHistories } from '#test/histories/read-histories.ts'
import { type BalanceDocument, balances } from './balances.ts'
import { type DailyUseDocument, dailyUse, dayOf } from './daily-use.ts'
import { foldJobDocument, type JobDocument, jobs } from './jobs.ts'
import { type KeyDocument, keys } from './keys.ts'
import type { Projection } from './projection.ts'
import { projections } from './projections.ts'

type Documents = Map<string, Stored>

/** Applies events as every view does: each to the document before it, and only if it is newer. */
function apply(projection: Projection, documents: Documents, events: readonly StoredEvent[]): Documents {
  const all = new Map(documents)
  for (const event of events) {
    const change = projection.changeOf(event)
    const stored = change && all.get(change.id)
    if (change === undefined || (stored?.position ?? 0) >= event.position) continue
    const { id: _, position: __, ...current } = stored ?? {}
    const fields = change.next(stored && current)
    if (fields !== undefined) all.set(change.id, { ...fields, id: change.id, position: event.position })
  }
  return all
}

const frozen = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null) Object.values(value).forEach(frozen)
  return Object.freeze(value)
}

const feedOf = (projection: Projection): StoredEvent[] =>
  frozen(
    readHistories()
      .flatMap(({ events }) => events)
      .filter(({ stream }) => projection.prefixes.some((prefix) => stream.startsWith(prefix))),
  )

/** For frequent comparisons: a deep comparison takes ten times as long. */
const asText = (documents: Documents): string => JSON.stringify([...documents])

const RUNS = 500

for (const projection of projections) {
  describe(`the projection ${projection.name}`, () => {
    const feed = feedOf(projection)
    const whole = apply(projection, new Map(), feed)

    it('makes documents from the golden histories, the same every time, and changes no event', () => {
      expect(feed).to.not.have.length(0)
      expect(whole).to.not.have.property('size', 0)
      expect(apply(projection, new Map(), feed)).to.deep.equal(whole)
    })

    it('changes nothing when events are read again, however old', () => {
      fc.assert(
        fc.property(fc.array(fc.tuple(fc.nat(feed.length), fc.nat(feed.length)), { maxLength: 6 }), (restarts) => {
          let documents: Documents = new Map()
          let read = 0
          for (const [back, forward] of restarts) {
            const from = Math.max(0, read - back)
            documents = apply(projection, documents, feed.slice(from, from + forward))
            read = Math.max(read, from + forward)
          }
          const all = apply(projection, documents, feed.slice(Math.max(0, read - 3)))
          expect(asText(all)).to.equal(asText(whole))
        }),
        { numRuns: RUNS },
      )
    })

    it('makes the whole document from a `first` event, whatever was stored', () => {
      for (const event of feed) {
        const change = projection.changeOf(event)
        if (change?.place !== 'first') continue
        for (const other of whole.values()) expect(change.next(other)).to.deep.include(change.next(undefined))
        const fields = [...whole.values()].flatMap(({ id: _, position: __, ...rest }) => Object.keys(rest))
        expect(change.next(undefined)).to.include.keys(fields)
      }
    })

    it('sets only values that JSON can carry', () => {
      for (const document of whole.values()) expect(JSON.parse(JSON.stringify(document))).to.deep.equal(document)
    })
  })
}

const history = (name: string) => {
  const found = readHistories().find((one) => one.name === name)
  if (found === undefined) throw new Error(`there is no history ${name}`)
  return found
}

/** The single document that a history makes. */
function documentOf<D extends Document>(projection: Projection<D>, name: string, length?: number): D | undefined {
  const { events } = history(name)
  const documents = apply(projection as unknown as Projection, new Map(), events.slice(0, length))
  return [...documents.values()][0] as unknown as D | undefined
}

/** Events with one type of them changed. */
function changed<T extends EventType>(events: StoredEvent[], type: T, change: (data: EventData[T]) => object) {
  return events.map((event) => {
    if (event.type !== type) return event
    return { ...event, data: { ...event.data, ...change(event.data as EventData[T]) } } as StoredEvent
  })
}

const resultOf = (document: Pick<JobDocument, 'result'> | undefined) => JSON.parse(document?.result ?? '')

describe('the jobs view', () => {
  const spoken = {
    text: 'hello',
    segments: [{ start: 0.2, end: 1.4, text: 'hello' }],
    language: 'en',
    languageProbability: 0.98,
    confidence: 0.91,
    source: 'speech',
    availableLanguages: ['en'],
  }

  it('has the result of a completed job as the specification defines it', () => {
    const document = documentOf<JobDocument>(jobs, 'job-native')
    expect({ ...document, result: resultOf(document) }).to.deep.include({
      kind: 'transcript',
      status: 'completed',
      result: {
        text: 'Hello. Welcome to the talk.',
        segments: [
          { start: 0, end: 1.5, text: 'Hello.' },
          { start: 1.5, end: 3, text: '[Music]' },
          { start: 3, end: 4.25, text: 'Welcome to the talk.' },
        ],
        language: 'en',
        source: 'captions',
        availableLanguages: ['en'],
      },
      error: null,
      settled: false,
    })
  })

  it('names speech as its source, and omits speakers and words', () => {
    expect(resultOf(documentOf<JobDocument>(jobs, 'job-generate-with-retry'))).to.deep.equal(spoken)
  })

  it('shows requested speakers and words, and null for unknown words', () => {
    const { events } = history('job-generate-with-retry')
    const asked = changed(events, 'JobRequested', ({ options }) => ({
      options: { ...options, words: true, speakers: true },
    }))
    const unknown = changed(asked, 'SpeechTranscribed', () => ({ words: undefined }))
    expect(resultOf(foldJobDocument(asked))).to.deep.equal({
      ...spoken,
      segments: [{ start: 0.2, end: 1.4, text: 'hello', speaker: 'A' }],
      words: [{ start: 0.2, end: 0.6, text: 'hello', confidence: 0.91 }],
    })
    expect(resultOf(foldJobDocument(unknown))).to.have.property('words', null)
  })

  it('has no list of languages if captions may exist that were never listed', () => {
    const events = changed(history('job-native').events, 'VideoFetched', () => ({ captionTracks: null }))
    expect(resultOf(foldJobDocument(events))).to.have.property('availableLanguages', null)
  })

  it('has no probability of a requested language if another one is spoken', () => {
    const heard = { language: 'fr', probability: 0.98 }
    const events = changed(history('job-generate-with-retry').events, 'SpeechTranscribed', () => ({ heard }))
    expect(resultOf(foldJobDocument(events)))
      .to.include({ language: 'en' })
      .and.not.have.property('languageProbability')
  })

  it('names the platform’s translation as its source', () => {
    const translated = changed(history('job-native').events, 'CaptionsRead', () => ({ source: 'translated' }))
    expect(resultOf(foldJobDocument(translated))).to.have.property('source', 'translated_captions')
  })

  it('has the extracted result, not the transcript', () => {
    expect(documentOf<JobDocument>(jobs, 'job-extraction')).to.deep.include({
      kind: 'extraction',
      status: 'completed',
      result: '{"topics":["greetings"]}',
    })
  })

  it('has the error of a failed job and no result, whatever steps had finished', () => {
    for (const name of ['job-failed', 'job-timed-out', 'job-auto-short-of-credits', 'job-not-accepted']) {
      const document = documentOf<JobDocument>(jobs, name)
      expect(document).to.include({ status: 'failed', result: null })
      const failed = history(name).events.at(-1)
      if (failed?.type !== 'JobFailed') throw new Error(`${name} does not fail`)
      expect(document?.error).to.deep.equal({ code: failed.data.code, message: failed.data.message })
      expect(document?.endedAt).to.equal(failed.recordedAt)
    }
  })

  it('is queued until the terminal event', () => {
    const { events } = history('job-native')
    for (let length = 1; length < events.length; length++)
      expect(documentOf<JobDocument>(jobs, 'job-native', length)).to.include({ status: 'queued', endedAt: null })
  })

  it('is settled by CreditsSettled, and by no other event of the ledger', () => {
    const jobEvents = history('job-native').events
    const credits = history('credits').events
    const settled = credits.find(({ type }) => type === 'CreditsSettled')
    if (settled?.type !== 'CreditsSettled') throw new Error('nothing is settled')
    const id = jobEvents[0]?.stream.slice('job-'.length) ?? ''
    const ours: StoredEvent = { ...settled, data: { ...settled.data, jobId: id }, position: 10_000 }
    const documents = apply(jobs as unknown as Projection, new Map(), [...jobEvents, ours])
    expect(documents.get(id)).to.include({ settled: true, status: 'completed', position: 10_000 })
    const others = credits.filter(({ type }) => type !== 'CreditsSettled')
    expect(others.map((event) => jobs.changeOf(event)).filter((one) => one !== undefined)).to.deep.equal([])
  })

  it('equals the fold of the job’s own stream, at every length', () => {
    for (const { kind, name, events } of readHistories()) {
      if (kind !== 'job') continue
      for (let length = 1; length <= events.length; length++) {
        const { position: _, ...folded } = foldJobDocument(events.slice(0, length)) ?? { position: 0 }
        const { position: __, ...viewed } = documentOf(jobs as unknown as Projection, name, length) ?? {}
        expect(folded).to.deep.equal(viewed)
        const known = documentOf(jobs as unknown as Projection, name, length) as Stored<JobDocument> | undefined
        const later = events.filter(({ revision }) => revision > (known?.revision ?? -1))
        expect(foldJobDocument(later, known), 'from where the view stands').to.deep.equal(foldJobDocument(events))
      }
    }
    expect(foldJobDocument([])).to.equal(undefined)
  })
})

describe('the keys view', () => {
  it('shows masked secrets, dates and the newest name, never a hash', () => {
    const orgId = history('key').events[0]?.metadata.orgId
    const created = {
      orgId,
      name: 'first key',
      prefix: 'ma_AbCd',
      suffix: 'wxyz',
      createdAt: '2026-01-03T12:00:00.000Z',
    }
    const renamed = { ...created, name: 'nightly import' }
    expect(documentOf<KeyDocument>(keys, 'key')).to.deep.include({ ...renamed, revokedAt: null })
    expect(documentOf<KeyDocument>(keys, 'key-revoked')).to.deep.include({
      ...created,
      revokedAt: '2026-01-09T08:30:00.000Z',
    })
    expect(JSON.stringify(documentOf<KeyDocument>(keys, 'key'))).to.not.include('9f9f')
  })

  it('shows what a key may do: some things, or everything', () => {
    const [made, changed] = history('key').events
    if (made?.type !== 'KeyCreated' || changed?.type !== 'KeyChanged') throw new Error('no key is made and changed')
    const { scopes } = made.data
    const { monthlyCredits, expiresAt } = changed.data
    expect([scopes, monthlyCredits]).to.not.include(null)
    expect([monthlyCredits, expiresAt]).to.not.deep.equal([made.data.monthlyCredits, made.data.expiresAt])
    expect(documentOf<KeyDocument>(keys, 'key')).to.deep.include({ scopes, monthlyCredits, expiresAt })
    expect(documentOf<KeyDocument>(keys, 'key-revoked')).to.include(fullGrant)
  })
})

describe('the balances view', () => {
  it('agrees with the ledger after every event', () => {
    const { events, state } = history('credits')
    expect(documentOf<BalanceDocument>(balances, 'credits')).to.include({
      name: null,
      plan: (state as { plan: string }).plan,
      balance: (state as { balance: number }).balance,
    })
    const stated = events.findIndex(({ type }) => type === 'CreditsStated')
    const statement = events[stated]
    if (statement?.type !== 'CreditsStated') throw new Error('nothing is stated')
    const { balance, plan } = statement.data
    for (const length of [stated, stated + 1])
      expect(documentOf<BalanceDocument>(balances, 'credits', length)).to.include({ balance, plan })
  })

  it('knows the name of an organization, whichever of its streams comes first', () => {
    const [credits, organization] = [history('credits').events, history('organization').events]
    const last = { ...organization[0], position: 10_000 } as StoredEvent
    const first = { ...organization[0], position: 0.5 } as StoredEvent
    for (const events of [
      [...credits, last],
      [first, ...credits],
    ]) {
      const [document] = [...apply(balances as unknown as Projection, new Map(), events).values()]
      expect(document).to.include({
        name: 'Åsa & Söner',
        balance: (history('credits').state as { balance: number }).balance,
        registeredAt: organization[0]?.recordedAt,
        changedAt: events.at(-1)?.recordedAt,
      })
    }
  })
})

describe('the daily use view', () => {
  const all = readHistories().flatMap(({ events }) => events)
  const firstOf = <T extends EventType>(type: T) =>
    all.find((event) => event.type === type) as StoredEvent & { type: T }
  const spoken = firstOf('SpeechTranscribed')
  const produced = firstOf('ExtractionProduced')
  const last = Date.UTC(2026, 10, 21, 23, 59, 59, 999)
  const heard = (audioSeconds: number | null, recordedAt: number) => ({
    ...spoken,
    recordedAt,
    data: { ...spoken.data, audioSeconds },
  })
  const drawn = (input: number, output: number, recordedAt: number) => ({
    ...produced,
    recordedAt,
    data: { ...produced.data, tokens: { input, output } },
  })
  const usesOf = (events: StoredEvent[]) => {
    const feed = events.map((event, index) => ({ ...event, position: index + 1 }))
    const documents = apply(dailyUse as unknown as Projection, new Map(), feed).values() as Iterable<unknown>
    return Object.fromEntries(
      [...(documents as Iterable<DailyUseDocument & { id: string }>)].map(({ id, speechSeconds, tokens }) => [
        id,
        [speechSeconds, tokens],
      ]),
    )
  }

  it('adds up audio and tokens of all jobs, each on the day of its event', () => {
    const events = [heard(61.5, last), drawn(100, 20, last), heard(30, last), drawn(7, 3, last + 1), heard(5, last + 1)]
    expect(usesOf(events)).to.deep.equal({ '2026-11-21': [91.5, 120], '2026-11-22': [5, 10] })
    expect(dayOf(last)).to.equal('2026-11-21')
    const before = heard(61.5, last)
    const reused = { ...before, data: { ...before.data, reused: true as const } }
    expect(usesOf([before, reused]), 'a transcript that was there used nothing').to.deep.equal({
      '2026-11-21': [61.5, 0],
    })
  })

  it('counts audio of unknown length without speech as none', () => {
    expect(usesOf([heard(null, last)])).to.deep.equal({ '2026-11-21': [0, 0] })
  })

  it('adds the use of failed attempts if it is known and not zero', () => {
    const failures = [firstOf('StepFailed'), firstOf('JobFailed')]
    const using = (used: Used | null) =>
      failures.map((event) => ({ ...event, recordedAt: last, data: { ...event.data, used } }) as StoredEvent)
    expect(usesOf([...using(null), ...using(nothingUsedYet())])).to.deep.equal({})
    const spent = using({ tokens: { input: 100, output: 20 }, audioSeconds: 7.5 })
    expect(usesOf([drawn(7, 3, last), ...spent])).to.deep.equal({ '2026-11-21': [15, 250] })
  })

  it('counts neither captions nor anything else', () => {
    const counted = ['SpeechTranscribed', 'ExtractionProduced', 'StepFailed', 'JobFailed']
    const others = all.filter(({ type }) => !counted.includes(type))
    expect(others.some(({ type }) => type === 'CaptionsRead')).to.equal(true)
    expect(usesOf(others)).to.deep.equal({})
  })
})
