import { expect } from 'chai'
import validators from '#contracts/generated/validators.cjs'
import { batch } from '#packages/domain/batch/batch.ts'
import { credits } from '#packages/domain/credits/credits.ts'
import type { Ledger } from '#packages/domain/credits/ledger.ts'
import { job, settlementOf } from '#packages/domain/job/job.ts'
import { next } from '#packages/domain/job/next.ts'
import { key } from '#packages/domain/key/key.ts'
import { organization } from '#packages/domain/organization/organization.ts'
import { requests } from '#packages/domain/requests/requests.ts'
import { watch } from '#packages/domain/watch/watch.ts'
import { delivery } from '#packages/domain/webhook/delivery.ts'
import { webhook } from '#packages/domain/webhook/webhook.ts'
import { fold } from '#packages/event-sourcing/decider.ts'
import type { StoredEvent } from '#packages/ports/event-store.ts'
import { type History, readHistories } from './read-histories.ts'

type Validator = (value: unknown) => boolean
const schemas = validators as unknown as Record<string, Validator>
const eventSchemas = Object.keys(schemas).filter((name) => name.startsWith('events/') && !name.includes('/metadata.'))

const foldJob = (events: readonly StoredEvent[]) => fold(job, events)
const foldLedger = (events: readonly StoredEvent[]): Ledger => {
  const ledger = fold(credits, events)
  return { ...ledger, openDebits: new Map(ledger.openDebits), holds: new Map(ledger.holds) }
}

const folds: Record<string, (events: readonly StoredEvent[]) => unknown> = {
  job: foldJob,
  credits: foldLedger,
  key: (events) => fold(key, events),
  organization: (events) => fold(organization, events),
  requests: (events) => fold(requests, events),
  webhook: (events) => fold(webhook, events),
  batch: (events) => fold(batch, events),
  watch: (events) => fold(watch, events),
  delivery: (events) => fold(delivery, events),
  /** No decider needs its state: followers read each event by itself. */
  removal: (events) => events.map(({ data }) => data),
}

const plain = (value: unknown): unknown => {
  if (value instanceof Map) return Object.fromEntries(value)
  return value instanceof Set ? [...value] : value
}

/** The format of the file beside a history. */
const asJson = (state: unknown): unknown => JSON.parse(JSON.stringify(state, (_, value) => plain(value)))

const histories = readHistories()
const ofKind = (kind: string): History[] => histories.filter((history) => history.kind === kind)

describe('golden histories', () => {
  for (const { name, kind, events, state } of histories) {
    it(`${name} folds to the state it always had`, () => {
      expect(asJson(folds[kind]?.(events))).to.deep.equal(state)
    })
  }

  for (const { name, written } of histories) {
    it(`${name} fits the schemas of its versions, which never change`, () => {
      for (const { type, version, data, metadata } of written) {
        expect(schemas[`events/${type}.v${version}.json`]?.(data), `${type} version ${version}`).to.equal(true)
        expect(schemas['events/metadata.v1.json']?.(metadata), `metadata of ${type}`).to.equal(true)
      }
    })
  }

  for (const { name, events } of ofKind('job')) {
    it(`${name}: every step that was started is one that is due today`, () => {
      events.forEach((event, index) => {
        if (event.type !== 'StepStarted') return
        const state = foldJob(events.slice(0, index))
        const { step, attempt } = event.data
        expect(state.status === 'open' && next(state, event.recordedAt)).to.deep.equal({ type: 'step', step, attempt })
      })
    })

    it(`${name}: is settled as its last event says, and not before`, () => {
      for (let length = 0; length < events.length; length++)
        expect(settlementOf(foldJob(events.slice(0, length)))).to.equal(undefined)
      const last = events.at(-1)
      const settlement = settlementOf(foldJob(events))
      if (last?.type === 'JobCompleted') expect(settlement?.charged).to.equal(last.data.credits)
      else if (last?.type === 'JobFailed') expect(settlement).to.deep.equal({ charged: 0, reason: last.data.code })
      else expect(settlement).to.equal(undefined)
    })
  }

  for (const { name, events } of ofKind('credits')) {
    it(`${name}: is the same when it begins at its last statement`, () => {
      const stated = events.findLastIndex(({ type }) => type === 'CreditsStated')
      expect(stated).to.be.greaterThan(0)
      expect(foldLedger(events.slice(stated))).to.deep.equal(foldLedger(events))
      const { unstated: _, ...said } = foldLedger(events.slice(stated, stated + 1))
      expect(foldLedger(events.slice(0, stated))).to.deep.include(said)
    })
  }

  it('have every version of every event', () => {
    const written = histories.flatMap((history) => history.written)
    const seen = new Set(written.map(({ type, version }) => `events/${type}.v${version}.json`))
    expect(eventSchemas).to.have.length.greaterThan(15)
    expect(eventSchemas.filter((schema) => !seen.has(schema))).to.deep.equal([])
  })

  it('have every kind of stream', () => {
    expect([...new Set(histories.map(({ kind }) => kind))].sort()).to.deep.equal(Object.keys(folds).sort())
  })
})
