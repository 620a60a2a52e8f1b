import { expect } from 'chai'
import { givenTo } from '../given.harness.ts'
import { lowBelow } from './low-credits.ts'
import { type Webhook, type WebhookCommand, type WebhookEvent, webhook } from './webhook.ts'

const made = {
  orgId: 'acme',
  kind: 'endpoint' as const,
  host: 'hooks.example.com',
  events: ['job.completed' as const],
  results: false,
  createdBy: null,
}
const created: WebhookEvent = { type: 'WebhookCreated', data: made }
const off: WebhookEvent = { type: 'WebhookSwitchedOff', data: { orgId: 'acme', reason: 'failing' } }
const on: WebhookEvent = { type: 'WebhookSwitchedOn', data: { orgId: 'acme' } }
const removed: WebhookEvent = { type: 'WebhookRemoved', data: { orgId: 'acme' } }

/** The webhook after these events, recorded at 1, 2, 3 … */
const given = givenTo(webhook)

const typesOf = (command: WebhookCommand, state: Webhook): string[] =>
  webhook.decide(command, state).map(({ type }) => type)

describe('a webhook', () => {
  it('is created once, even after it was removed', () => {
    const create: WebhookCommand = { type: 'create', webhook: made }
    expect(webhook.decide(create, given())).to.deep.equal([created])
    expect(webhook.decide(create, given(created))).to.deep.equal([])
    expect(webhook.decide(create, given(created, removed))).to.deep.equal([])
  })

  it('is switched off and on, each once, and remembers why and since when', () => {
    expect(given(created, off)).to.include({ status: 'off', reason: 'failing', onSince: 1 })
    expect(given(created, off, on)).to.include({ status: 'on', reason: null, onSince: 3, createdAt: 1 })
    const switchOff: WebhookCommand = { type: 'switch-off', orgId: 'acme', reason: 'gone' }
    const switchOn: WebhookCommand = { type: 'switch-on', orgId: 'acme' }
    expect(typesOf(switchOff, given(created, off))).to.deep.equal([])
    expect(typesOf(switchOn, given(created))).to.deep.equal([])
    expect(typesOf(switchOn, given(created, off))).to.deep.equal(['WebhookSwitchedOn'])
  })

  it('of a URL starts over each time a job names it, even after it was removed', () => {
    const url = { ...made, kind: 'url' as const }
    const name: WebhookCommand = { type: 'name', webhook: url }
    const named: WebhookEvent = { type: 'WebhookCreated', data: url }
    expect(webhook.decide(name, given())).to.deep.equal([named])
    for (const before of [[named], [named, off]]) {
      expect(typesOf(name, given(...before))).to.deep.equal(['WebhookSwitchedOn'])
      expect(given(...before, on)).to.include({ status: 'on', onSince: before.length + 1 })
    }
    expect(webhook.decide(name, given(named, removed))).to.deep.equal([named])
    expect(typesOf({ ...name, webhook: { ...url, orgId: 'other' } }, given(named))).to.deep.equal([])
  })

  it('of a URL expires, unless a job has named it since; an endpoint never does', () => {
    const named: WebhookEvent = { type: 'WebhookCreated', data: { ...made, kind: 'url' } }
    const expire: WebhookCommand = { type: 'expire', orgId: 'acme', onSince: 1 }
    expect(typesOf(expire, given(named))).to.deep.equal(['WebhookRemoved'])
    expect(typesOf(expire, given(named, on))).to.deep.equal([])
    expect(typesOf(expire, given(created))).to.deep.equal([])
  })

  it('is replayed only while it is on', () => {
    const replay: WebhookCommand = { type: 'replay', orgId: 'acme', sinceSeconds: 60 }
    expect(typesOf(replay, given(created))).to.deep.equal(['WebhookReplayAsked'])
    expect(typesOf(replay, given(created, off))).to.deep.equal([])
  })

  it('obeys only its own organization, and nothing once it is removed', () => {
    const commands = (orgId: string): WebhookCommand[] => [
      { type: 'change', orgId, host: 'other.example.com', events: [], results: true },
      { type: 'switch-off', orgId, reason: 'asked' },
      { type: 'replay', orgId, sinceSeconds: 1 },
      { type: 'remove', orgId },
    ]
    for (const command of commands('acme')) expect(typesOf(command, given(created))).to.have.length(1)
    for (const command of commands('other')) expect(typesOf(command, given(created))).to.deep.equal([])
    for (const command of commands('acme')) expect(typesOf(command, given(created, removed))).to.deep.equal([])
  })
})

describe('low credits', () => {
  it('are fewer than a tenth of the plan’s monthly credits, or than ten', () => {
    expect([lowBelow('free'), lowBelow('starter'), lowBelow('pro')]).to.deep.equal([10, 50, 200])
  })
})
